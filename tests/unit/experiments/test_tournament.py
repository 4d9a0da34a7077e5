"""Tournaments: all pairs on the same deals, and a report that needs nothing else."""

from html.parser import HTMLParser

import numpy as np
import pytest

from minchiate_rl.errors import AgentError
from minchiate_rl.experiments.report import html_report
from minchiate_rl.experiments.tournament import play_tournament
from minchiate_rl.matches.match import play_match

NAMES = ["random", "greedy", "heuristic"]


@pytest.fixture(scope="module")
def tournament():
    return play_tournament(NAMES, 60, seed=1)


def test_every_pair_plays_its_match(tournament):
    assert set(tournament.matches) == {(0, 1), (0, 2), (1, 2)}
    alone = play_match("random", "heuristic", 60, seed=1)
    assert np.array_equal(tournament.matches[0, 2].points, alone.points)
    assert np.array_equal(tournament.by_deal(0, 2), -tournament.by_deal(2, 0))


def test_standings_are_ranked_means_against_the_field(tournament):
    standings = tournament.standings()
    assert [standing.agent for standing in standings] == ["heuristic", "greedy", "random"]
    field = (tournament.by_deal(1, 0) + tournament.by_deal(1, 2)) / 2
    assert standings[1].mean_difference == pytest.approx(field.mean())
    assert standings[1].interval[0] < field.mean() < standings[1].interval[1]
    assert sum(standing.mean_difference for standing in standings) == pytest.approx(0.0)
    assert sum(standing.resti_difference for standing in standings) == pytest.approx(0.0)
    assert tournament.separated(2, 0)


def test_a_pair_is_told_with_its_interval(tournament):
    match = tournament.matches[0, 2]
    mean, (low, high) = tournament.pair(2, 0)
    assert mean == pytest.approx(-match.mean_difference)
    assert (low, high) == pytest.approx((-match.interval[1], -match.interval[0]))
    assert tournament.cell(2, 0) == f"{mean:+.1f} ±{(high - low) / 2:.1f}"
    assert tournament.cell(1, 1) == ""


def test_the_same_agent_cannot_enter_twice():
    with pytest.raises(AgentError, match="two different agents"):
        play_tournament(["greedy", " greedy"], 1)
    with pytest.raises(AgentError, match="two different agents"):
        play_tournament(["greedy"], 1)


VOID = {"meta", "line", "circle"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.texts, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in {"src", "href"}]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in {"src", "href"}]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_the_report_is_sound_html_that_needs_nothing_else(tournament):
    page = Page()
    page.feed(html_report(tournament, "minchiate tournament <all> & sundry"))
    assert page.open == []
    assert page.links == []
    assert set(NAMES) <= set(page.texts)
    assert "minchiate tournament <all> & sundry" in page.texts
    best = tournament.standings()[0]
    assert f"{best.mean_difference:+.1f}" in page.texts
