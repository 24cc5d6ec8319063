"""Odds and policies as tables for people."""

from math import sqrt

from rich.console import Console
from rich.table import Table

from analysis.asked import Answer
from analysis.exact import Odds
from analysis.numbers import Number
from analysis.policy import BestResponse, Decision
from casino.banking.policies import PUNTER
from casino.banking.text import DISCARD, DRAW, STAND

_ACTIONS = (STAND, DRAW, DISCARD)
_MOST_ROWS = 120


def show_edge(found: Answer) -> None:
    """The edge of both sides, the distribution, and every first card."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(_edge_line(found.ev_punter))
    if found.equilibrium is not None and found.odds is None:
        console.print("(the value of the equilibrium; see `macao policy … --equilibrium` for the strategies)")
        return
    if found.odds is None:
        return
    odds = found.odds
    console.print(
        f"punter plays {_told(odds.punter)}, banker {_told(odds.banker)}; standard deviation"
        f" {sqrt(float(odds.variance)):.6f} of a stake a coup"
    )
    if odds.has_side_bets:
        console.print(
            f"a bet on the banker's side: {_percent(odds.banker_bet_ev)} after commission;"
            f" on a tie paid 8 to 1: {_percent(odds.tie_bet_8_to_1_ev)}"
        )
    console.print(_distribution(odds))
    console.print(_first_cards(odds))


def _edge_line(ev: Number) -> str:
    """Who is ahead, by how much: an edge is always of a named side."""
    exact = f" = {ev}" if len(str(ev)) < 40 and not isinstance(ev, float) else ""
    return f"[bold]punter {_percent(ev)}, banker {_percent(-ev)}[/] of the stake (punter's EV {float(ev):+.12f}{exact})"


def _percent(value: Number) -> str:
    return f"{100 * float(value):+.6f} %"


def _told(policy: object) -> str:
    return f"«{policy}»" if isinstance(policy, str) else str(policy)


def _distribution(odds: Odds) -> Table:
    table = Table("punter nets, in stakes", "probability", title="results")
    for net, chance in odds.distribution.items():
        table.add_row(f"{net:+d}" if net else "0", f"{float(chance):.12f}")
    return table


def _short(value: Number) -> str:
    """An EV that fits a column: per cent of the stake."""
    return f"{100 * float(value):+.4f}"


def _first_cards(odds: Odds) -> Table:
    actions = [
        name for name in _ACTIONS if any(name in first.actions for first in odds.by_first_card.values())
    ]
    title = "by the points of the first cards: EV in % of the stake"
    table = Table("first", "probability", *actions, "best", "as played", title=title)
    for points, first in odds.by_first_card.items():
        row = [_short(first.actions[name].ev()) if name in first.actions else "" for name in actions]
        played = _short(first.spread.ev())
        table.add_row(str(points), f"{float(first.probability):.6f}", *row, first.best, played)
    return table


def show_policy(found: BestResponse) -> None:
    """A best reply: its value, and every decision with what the other actions cost."""
    console = Console(highlight=False, soft_wrap=True)
    other = "banker" if found.side == PUNTER else "punter"
    console.print(f"the {found.side}'s best reply to a {other} who plays {_told(found.against)}")
    console.print(_edge_line(found.ev_punter))
    console.print(_decisions(found))
    more = len(found.decisions) - _MOST_ROWS
    if more > 0:
        console.print(f"… and {more} more situations: add --json for all of them.")


def _decisions(found: BestResponse) -> Table:
    chosen = found.decisions[:_MOST_ROWS]
    actions = [name for name in _ACTIONS if any(name in decision.values for decision in chosen)]
    title = f"EV of the {found.side} in % of the stake, and what the next best action costs"
    table = Table("situation", "reached", *actions, "best", "costs", title=title)
    for decision in chosen:
        row = [_short(decision.values[name]) if name in decision.values else "" for name in actions]
        cost = min(decision.cost(name) for name in decision.values if name != decision.best)
        reach = f"{float(decision.reach):.6f}"
        table.add_row(_situation(decision), reach, *row, decision.best, f"{100 * float(cost):.4f}")
    return table


def _situation(decision: Decision) -> str:
    """«5 points, third card 4», «3 + drawn zero, 2 zeros thrown before»."""
    seen = decision.situation
    cards = f" ({' + '.join(map(str, seen.cards))})" if seen.cards and len(seen.cards) > 1 else ""
    text = f"{seen.points} + drawn zero" if seen.stage == "drawn" else f"{seen.points} points{cards}"
    if seen.third is not None:
        text += {"none": ", punter stood", "hidden": ", punter drew"}.get(
            seen.third, f", third card {seen.third}"
        )
    if seen.first is not None:
        text += f", his first {' + '.join(map(str, seen.first))}"
    if seen.threw:
        text += ", who threw a zero"
    if seen.discarded:
        text += f", {seen.discarded} zeros thrown before"
    return text + (", card in place of a zero" if seen.replaced else "")
