"""A tournament as one page of HTML that needs nothing else: standings with their intervals drawn, and all pairs."""

from html import escape
from typing import Final

from minchiate_rl.experiments.tournament import Standing, Tournament
from minchiate_rl.matches.intervals import Interval

_WIDTH: Final = 360
_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid #ddd; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
small { color: #777; }
"""


def html_report(tournament: Tournament, command: str) -> str:
    """Return the page.

    Args:
        tournament: what was played.
        command: the command line that plays it again.
    """
    matches = list(tournament.matches.values())
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8"><title>Minchiate tournament</title>',
            f"<style>{_STYLE}</style></head><body>",
            "<h1>Minchiate tournament</h1>",
            f"<p>Rules <b>{escape(tournament.rules)}</b>, {matches[0].deals:,} duplicate deals a pair (seed "
            f"{tournament.seed}), {sum(match.hands for match in matches):,} hands in all. Points a hand, with 95% "
            "intervals by deals; every pair played the same deals, each in every seating of the two.</p>",
            "<h2>Against the field</h2>",
            _standings(tournament.standings()),
            "<h2>All pairs</h2>",
            _pairs(tournament),
            f"<p><small>Play it again: <code>{escape(command)}</code></small></p>",
            "</body></html>",
            "",
        ]
    )


def _standings(standings: list[Standing]) -> str:
    reach = max(max(map(abs, s.interval or (s.mean_difference,))) for s in standings) or 1.0
    rows = [
        f"<tr><td>{escape(s.agent)}</td><td>{s.mean_difference:+.1f}</td><td>{_span(s.interval)}</td>"
        f"<td>{s.resti_difference:+.2f}</td><td>{_bar(s, reach)}</td></tr>"
        for s in standings
    ]
    return _table(["agent", "points a hand", "95% interval", "resti a hand", ""], rows)


def _span(interval: Interval | None) -> str:
    return "–" if interval is None else f"{interval[0]:+.1f} to {interval[1]:+.1f}"


def _bar(standing: Standing, reach: float) -> str:
    """Return a mean and its interval as a picture; the line in the middle is zero."""

    def x(points: float) -> float:
        return round(_WIDTH * (0.5 + 0.48 * points / reach), 1)

    low, high = standing.interval or (standing.mean_difference, standing.mean_difference)
    return (
        f'<svg width="{_WIDTH}" height="18" role="img" aria-label="{standing.mean_difference:+.1f}">'
        f'<line x1="{x(0)}" x2="{x(0)}" y1="0" y2="18" stroke="#bbb"/>'
        f'<line x1="{x(low)}" x2="{x(high)}" y1="9" y2="9" stroke="#2a5d9f" stroke-width="3"/>'
        f'<circle cx="{x(standing.mean_difference)}" cy="9" r="5" fill="#2a5d9f"/></svg>'
    )


def _pairs(tournament: Tournament) -> str:
    order = [tournament.agents.index(s.agent) for s in tournament.standings()]
    names = [escape(tournament.agents[i]) for i in order]
    rows = []
    for name, i in zip(names, order, strict=True):
        cells = [tournament.cell(i, j) for j in order]
        rows.append(f"<tr><td>{name}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return _table(["row over column", *names], rows)


def _table(columns: list[str], rows: list[str]) -> str:
    head = "".join(f"<th>{column}</th>" for column in columns)
    return "\n".join(["<table>", f"<tr>{head}</tr>", *rows, "</table>"])
