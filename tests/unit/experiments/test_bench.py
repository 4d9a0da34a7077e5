"""The bench times what it says; how fast that is, no test asks."""

import json
import math

import numpy as np
import pytest

from minchiate_rl.app.cli.main import main
from minchiate_rl.experiments import bench
from minchiate_rl.experiments.form_layers import form_layers
from minchiate_rl.experiments.layers import Clock, Layer, game_layers, network_layers, random_actions
from minchiate_rl.experiments.probe import raw_tricks

NAMES = ["probe", "playout", "playout_dealt", "playout_2_threads", "heuristic", "step", "step_view", "step_observation"]
NAMES += ["vector_env", "vector_env_heuristic", "single_env"]


def test_every_layer_does_its_work_inside_the_clock():
    layers = game_layers(16, 8, 2)
    assert [layer.name for layer in layers] == NAMES
    for layer in layers:
        clock = Clock()
        assert layer.work(clock) > 0
        assert clock.wall > 0.0
    assert {layer.limit for layer in layers} <= {"", *NAMES}


def test_the_layers_count_decisions_and_not_calls():
    work = {layer.name: layer.work for layer in game_layers(16, 8, 3)}
    assert 16 * 80 < work["playout"](Clock()) < 16 * 128
    assert work["heuristic"](Clock()) == 16
    # Eight games are stepped to their ends: as many decisions whatever is looked at.
    assert work["step"](Clock()) == work["step_view"](Clock()) == work["step_observation"](Clock()) > 8 * 80
    assert work["vector_env"](Clock()) == 8 * 3
    assert work["single_env"](Clock()) == 60


def test_every_game_with_decisions_is_timed_beside_the_classic_one():
    layers = form_layers(16)
    games = ["solo", "solo_fola", "three", "two", "piedicavallo", "mini", "mini_team"]
    assert [layer.name for layer in layers] == [f"playout_{game}" for game in games]
    assert {layer.limit for layer in layers} == {"playout"}
    work = {layer.name: layer.work(Clock()) for layer in layers}
    # Four cards and a declaration turn a player, at least; Piedicavallo is talked through in an eighth of the hands.
    assert 16 * 9 <= work["playout_mini"] <= 16 * 20
    assert work["playout_piedicavallo"] > 2 * 61


def test_the_probe_plays_whole_hands():
    plays, wins = raw_tricks(10, 1)
    assert plays == 10 * 84
    assert 0 < wins < 10 * 21
    assert raw_tricks(10, 1) == (plays, wins)
    assert raw_tricks(10, 2) != (plays, wins)


def test_random_actions_are_legal_and_differ():
    masks = (np.random.default_rng(0).random((50, 131)) < 0.1).astype(np.int8)
    masks[:, 97] = 1
    first, second = np.zeros(50, dtype=np.int64), np.zeros(50, dtype=np.int64)
    random_actions(masks, 0, first)
    random_actions(masks, 1, second)
    assert masks[np.arange(50), first].all()
    assert masks[np.arange(50), second].all()
    assert (first != second).any()


def test_the_network_layers_work():
    layers = {layer.name: layer for layer in network_layers(64)}
    rows = {name: layer.work(Clock()) for name, layer in layers.items()}
    assert min(rows.values()) > 0
    assert rows["fast_forward"] == rows["network"]
    assert layers["fast_forward"].limit == "network"


def _work(seconds):
    def work(clock):
        clock.cpu += seconds
        clock.wall += 2 * seconds
        return 10

    return work


@pytest.fixture
def small(monkeypatch):
    """A bench of two made-up layers, so that its own sums can be checked."""
    layers = [Layer("limit", "plays", "a limit", _work(1.0)), Layer("own", "steps", "a layer", _work(4.0), "limit")]
    monkeypatch.setattr(bench, "game_layers", lambda *sizes: layers)
    monkeypatch.setattr(bench, "form_layers", lambda hands: [Layer("playout_mini", "steps", "", _work(2.0), "limit")])
    monkeypatch.setattr(bench, "network_layers", lambda hands: [])
    monkeypatch.setattr(bench, "training_loop", lambda hands: {"hands_per_second": 1, "choices_per_second": 2})
    monkeypatch.setattr(bench, "starts", lambda first: {"import_seconds": 0.1})


def test_rates_and_shares_are_medians(small):
    found = bench.bench(quick=True)
    own = found["layers"]["own"]
    assert (own["per_cpu_second"], own["per_second"]) == (2.5, 1.25)
    assert (own["limit"], own["share_of_limit"]) == ("limit", 0.25)
    assert set(found["layers"]) == {"limit", "own"}
    assert (found["forms"]["mini"]["ratio_to_classic"], found["forms"]["mini"]["per_second"]) == (0.5, 2.5)
    assert found["runs"] >= 5
    assert {"processor", "usable_processors", "versions"} <= set(found["machine"])


def test_without_torch_the_rest_is_still_told(small, monkeypatch, capsys):
    def missing(hands):
        raise ImportError("No module named 'torch'")

    monkeypatch.setattr(bench, "network_layers", missing)
    assert main(["bench", "--quick"]) == 0
    told = capsys.readouterr().out
    assert "25% of limit" in told
    assert "times classic" in told
    assert "left out: No module named 'torch'" in told


def test_the_document_is_json(small, capsys):
    assert main(["bench", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["layers"]) == {"limit", "own"}
    assert found["training_loop"]["hands_per_second"] == 1


def test_the_shares_of_the_training_loop_add_up(monkeypatch):
    monkeypatch.setattr(bench, "RUNS", 1)
    loop = bench.training_loop(64)
    shares = [loop[name] for name in loop if name.startswith("share_of_")]
    assert math.isclose(sum(shares), 1.0, abs_tol=1e-9)
    assert 0.0 < loop["share_of_environment_encoding_bookkeeping"] < 1.0
