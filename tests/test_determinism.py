"""The same (seed, hand) gives the same hand: whatever the width of the batch, the threads, and the way it is played."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.envs import MinchiateEnv, MinchiateVectorEnv, aec_env, parallel_env
from minchiate_rl.game.record import record_of, write_record
from minchiate_rl.matches.play import play

CLASSIC = ruleset("classic")
SEED = 77
HASHES = Path(__file__).parent / "hashes.json"
SEATINGS = {"random": ["random"], "greedy": ["greedy"], "heuristic": ["heuristic"], "mixed": ["heuristic", "random"]}


class Asked:
    """A kernel agent that is asked through its views instead of running inside the fused loop."""

    def __init__(self, spec):
        self.agent = make(spec)
        self.name = self.agent.name

    def act(self, views, rng):
        return self.agent.act(views, rng)


def records(batch, some, players):
    """Return the records of some games as text."""
    return [write_record(record_of(batch, int(i), players)) for i in some]


def played(specs, num_games, seed=SEED, first_hand=0, make_agent=make):
    batch = Batch(CLASSIC, num_games, seed=seed, first_hand=first_hand)
    play(batch, [make_agent(specs[seat % len(specs)]) for seat in range(4)])
    return batch


@pytest.mark.parametrize("players", SEATINGS)
def test_the_width_of_the_batch_changes_nothing(players):
    specs = SEATINGS[players]
    wide = played(specs, 4096)
    some = [0, 1, 6, 7, 13, 700, 4095]
    expected = records(wide, some, specs * (4 // len(specs)))
    for i, text in zip(some, expected, strict=True):
        single = played(specs, 1, first_hand=i)
        assert records(single, [0], specs * (4 // len(specs))) == [text]
        seven = played(specs, 7, first_hand=i - i % 7)
        assert records(seven, [i % 7], specs * (4 // len(specs))) == [text]


@pytest.mark.parametrize("num_games", [1, 7, 64])
def test_later_hands_of_a_game_are_those_of_a_wider_batch(num_games):
    """Game i plays the hands i, i + B, ...; the dealer of a hand belongs to the hand."""
    wide = Batch(CLASSIC, 3 * num_games, seed=SEED)
    wide.playout()
    narrow = Batch(CLASSIC, num_games, seed=SEED)
    for turn in range(3):
        narrow.playout()
        part = slice(turn * num_games, (turn + 1) * num_games)
        assert np.array_equal(narrow.rows, wide.rows[part])
        assert [narrow.actions(i) for i in range(num_games)] == [wide.actions(i) for i in range(part.start, part.stop)]
        assert [narrow.entries(i) for i in range(num_games)] == [wide.entries(i) for i in range(part.start, part.stop)]
        narrow.reset()


def test_only_the_games_asked_for_are_reset():
    batch = Batch(CLASSIC, 8, seed=SEED)
    batch.playout()
    before = batch.rows.copy()
    where = np.arange(8) % 3 == 0
    batch.reset(where)
    assert np.array_equal(batch.rows[~where], before[~where])
    assert batch.hands.tolist() == [8, 1, 2, 11, 4, 5, 14, 7]


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_nothing(threads):
    one, many = Batch(CLASSIC, 1001, seed=SEED), Batch(CLASSIC, 1001, seed=SEED)
    assert one.playout() == many.playout(threads)
    assert np.array_equal(one.rows, many.rows)
    assert np.array_equal(one.log, many.log)
    assert np.array_equal(one.ledger, many.ledger)


def test_a_playout_is_the_random_agent_step_by_step():
    out, fused = Batch(CLASSIC, 500, seed=SEED), played(["random"], 500)
    out.playout()
    asked = played(["random"], 500, make_agent=Asked)
    stepped = Batch(CLASSIC, 500, seed=SEED)
    while not stepped.done.all():
        mask, words = stepped.legal_mask(), stepped.decision_words()
        counts = np.maximum(mask.sum(axis=1), 1).astype(np.uint64)
        picks = ((words >> np.uint64(32)) * counts) >> np.uint64(32)
        stepped.step((mask.cumsum(axis=1) == picks[:, None].astype(int) + 1).argmax(axis=1))
    for other in (fused, asked, stepped):
        assert np.array_equal(out.rows, other.rows)
        assert np.array_equal(out.log, other.log)


@pytest.mark.parametrize("spec", ["greedy", "heuristic"])
def test_asked_or_inside_the_loop_an_agent_plays_the_same(spec):
    fused, asked = played([spec], 300), played([spec], 300, make_agent=Asked)
    assert np.array_equal(fused.rows, asked.rows)
    assert np.array_equal(fused.log, asked.log)


@pytest.mark.parametrize("spec", ["random", "greedy", "heuristic"])
def test_seed_and_hand_both_matter(spec):
    plain, other_seed, other_hand = (played([spec], 20, *where).log for where in ((1, 0), (2, 0), (1, 20)))
    assert not np.array_equal(plain, other_seed)
    assert not np.array_equal(plain, other_hand)


def answer(agent, batch):
    """Return the agent's action at every table, `done` where nobody is to act."""
    actions = np.full(batch.num_games, 97)
    waiting = ~batch.done
    actions[waiting] = agent.act(batch.views(waiting), batch.rng(waiting))
    return actions


def one_seat(spec, seed, seat):
    env = MinchiateEnv(opponents=spec, seat=seat)
    env.reset(seed=seed)
    over = False
    while not over:
        *_, over, _, _ = env.step(answer(make(spec), env._tables.batch)[0])
    return env._tables.batch


def one_table(spec, seed, parallel):
    env = parallel_env() if parallel else aec_env()
    env.reset(seed=seed)
    tables = env._round.tables
    while not tables.ended[0]:
        action = answer(make(spec), tables.batch)[0]
        env.step({f"seat_{tables.seats[0]}": action} if parallel else action)
    return tables.batch


def many_tables(spec, seed, num_envs, opponents, threads=1):
    env = MinchiateVectorEnv(num_envs, opponents=opponents, autoreset_mode="DISABLED", threads=threads)
    env.reset(seed=seed)
    batch = env._tables.batch
    while not batch.done.all():
        env.step(answer(make(spec), batch))
    env.close()
    return batch


@pytest.mark.parametrize("spec", ["random", "greedy", "heuristic"])
def test_every_environment_plays_the_hands_of_the_batch(spec):
    """Table i of the seed s plays hand 0 of the seed s + i, whoever is asked and whoever plays in the kernel."""
    expected = [records(played([spec], 1, seed=seed), [0], [spec] * 4)[0] for seed in range(40, 47)]
    assert [records(one_seat(spec, 40 + i, i % 4), [0], [spec] * 4)[0] for i in range(3)] == expected[:3]
    assert [records(one_table(spec, 41, parallel), [0], [spec] * 4)[0] for parallel in (0, 1)] == [expected[1]] * 2
    for num_envs, opponents, threads in ((7, None, 1), (7, spec, 2), (1, spec, 1)):
        batch = many_tables(spec, 40, num_envs, opponents, threads)
        assert records(batch, range(num_envs), [spec] * 4) == expected[:num_envs]


def digest(rules, specs, hands=1000):
    """Return the digest of everything that happens in seeded hands: deals, decisions, entries, results."""
    batch = Batch(rules, hands, seed=2024)
    play(batch, [make(specs[seat % len(specs)]) for seat in range(4)])
    sha = hashlib.sha256()
    # Two bytes an entry, however the ledger packs them: item, side, points.
    entries = (batch.ledger >> 24 << 12 | (batch.ledger >> 20 & 0xF) << 11 | batch.ledger & 0x7FF).astype(np.uint16)
    for table in (batch.log, entries, batch.score, batch.resti, batch.tricks, batch.dealer):
        sha.update(np.ascontiguousarray(table).tobytes())
    for i in range(0, hands, 50):
        sha.update(json.dumps(batch.pack(i)).encode())
    return sha.hexdigest()


SWITCHES = {
    "classic": {},
    "demonio": {"demonio": True},
    "take_29": {"take_29": "if_usable"},
    "rob_failure": {"rob_failure_resto": True},
    "all_tricks": {"all_tricks": "double_final"},
}
DIGESTS = [("random", name) for name in SWITCHES] + [("greedy", "classic"), ("heuristic", "classic")]


@pytest.mark.parametrize(("players", "form"), DIGESTS)
def test_hands_are_those_of_the_version_before(players, form):
    """Work on speed must not change a hand. `python tests/test_determinism.py` writes the file anew."""
    assert digest(CLASSIC.replace(**SWITCHES[form]), [players]) == json.loads(HASHES.read_text())[f"{players} {form}"]


if __name__ == "__main__":
    found = {f"{players} {form}": digest(CLASSIC.replace(**SWITCHES[form]), [players]) for players, form in DIGESTS}
    HASHES.write_text(json.dumps(found, indent=2) + "\n")
