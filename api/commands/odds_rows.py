"""Odds, policies and counting as rows for files: every figure in full."""

from typing import Any

from analysis.asked import Answer
from analysis.bilinear import NONE
from analysis.counting import Counting
from analysis.equilibrium import Equilibrium, third_name
from analysis.many_punters import Several
from analysis.outcome import Spread
from analysis.policy import BestResponse, Decision
from api.commands.exports import Row, Tables, figure, net_column
from casino.banking.policies import BANKER, PUNTER


def edge_rows(found: Answer) -> Tables:
    """The whole coup, then every first card under the policy and under each action."""
    if found.odds is None:
        return {"odds": [{"first": "all", "action": "in equilibrium"} | figure("ev_punter", found.ev_punter)]}
    odds = found.odds
    rows = [_spread_row("all", "as played", 1, odds.spread)]
    for points, first in odds.by_first_card.items():
        rows.append(_spread_row(points, "as played", first.probability, first.spread))
        rows += [
            _spread_row(points, action, first.probability, spread) | {"best": action == first.best}
            for action, spread in first.actions.items()
        ]
    return {"odds": rows}


def _spread_row(first: Any, action: str, chance: Any, spread: Spread) -> Row:
    nets = {net_column(net): float(share) for net, share in spread.distribution().items()}
    row = (
        {"first": first, "action": action} | figure("probability", chance) | figure("ev_punter", spread.ev())
    )
    return row | {"variance": float(spread.variance())} | nets


def policy_rows(found: BestResponse) -> Tables:
    """Every decision with each of its actions."""
    return {
        f"best reply of the {found.side}": [row for each in found.decisions for row in _decision_rows(each)]
    }


def _decision_rows(decision: Decision) -> list[Row]:
    at = decision.situation.to_json()
    place = {
        key: " ".join(map(str, value)) if isinstance(value, list) else value for key, value in at.items()
    }
    return [
        place
        | {"reach": float(decision.reach), "action": action}
        | figure("ev", value)
        | figure("cost", decision.cost(action))
        | {"best": action == decision.best}
        for action, value in decision.values.items()
    ]


def equilibrium_rows(found: Equilibrium | Several) -> Tables:
    """Every hand of every seat with its probability of drawing."""
    if isinstance(found, Several):
        seats = {f"punter {number}": seat for number, seat in enumerate(found.punters, start=1)} | {
            BANKER: found.banker
        }
        return {
            "draws": [
                {"side": name, "points": each.points, "seen": ", ".join(each.seen), "draw": each.draw}
                for name, seat in seats.items()
                for each in seat
            ]
        }
    rows = [
        {"side": PUNTER, "points": points} | figure("draw", share)
        for points, share in enumerate(found.punter)
        if share is not None
    ]
    rows += [
        {"side": BANKER, "points": seen.points, "third": third_name(seen.third)}
        | ({"first": seen.first} if seen.first != NONE else {})
        | figure("draw", found.banker[seen])
        for seen in sorted(found.banker)
    ]
    return {"draws": rows}


def counting_rows(found: Counting) -> Tables:
    """Effects of removal, and the edge by depth."""
    effects = [
        {"points": each.points, "cards": each.cards}
        | figure("punter", each.punter)
        | figure("banker", each.banker)
        | (figure("banker_bet", each.banker_bet) if each.banker_bet is not None else {})
        | (figure("tie_bet", each.tie_bet) if each.tie_bet is not None else {})
        for each in found.effects
    ]
    depths: list[Row] = [
        {"cards_gone": each.gone, "mean": each.mean.value, "standard_error": each.mean.error}
        | {"standard_deviation": each.deviation}
        | {f"quantile_{share}": value for share, value in each.quantiles.items()}
        | {"favourable": each.favourable, "gain": each.gain.value, "correlation": each.correlation}
        for each in found.depths
    ]
    return {"effects of removal": effects, f"edge of the {found.side} by depth": depths}
