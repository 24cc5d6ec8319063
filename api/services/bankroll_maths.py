"""Questions about bankrolls turned into calls of the analysis: bodies of `POST /ruin`, `/kelly` and
`/sessions/distribution`.

Pure functions of JSON values: the command line, REST and tests use the same. `spend` is told the cost in about
milliseconds before the work, and may raise. Every question raises BankrollError, RulesError or UnknownGame with a JSON
Pointer. Bankrolls and goals are in stakes.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from analysis.exact import engine
from analysis.kelly import Growth, certainty_equivalent, growth, kelly, spread
from analysis.numbers import to_json
from analysis.outcomes import BankrollError, Outcomes, rational
from analysis.ruin import BankrollNeeded, Risk, bankroll_for, risk_of_ruin
from analysis.sessions import Sessions, session
from analysis.sources import asked_outcomes, checked_rules, folded, placed, source_of
from api.services.bankroll_costs import risk_cost, ruin_cost, rules_cost, sessions_cost, values_cost
from casino.options import Schema, check

Figures = dict[str, Any]
Spend = Callable[[int], object]

QUANTILES: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MOST_LISTED: Final = 10_000  # results of a session that are listed one by one
MOST_QUANTILES: Final = 100
_MOST_DIGITS: Final = 4_000_000  # of all that are listed
_DIGITS_A_BIT: Final = 0.61  # of a numerator and a denominator
_SOURCE: Schema = {
    name: {}
    for name in ("rules", "outcomes", "results", "shoe", "punter", "banker", "side", "punters", "played")
}
_COUPS: Schema = {"type": "integer", "minimum": 1, "maximum": 10**12}
_EXACT: Schema = {"type": "boolean"}


def _body(required: tuple[str, ...] = (), **own: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**_SOURCE, **own},
        "required": list(required),
        "additionalProperties": False,
    }


RUIN_SCHEMA: Final = _body(bankroll={}, goal={}, coups=_COUPS, need={}, risk={}, gain={}, exact=_EXACT)
KELLY_SCHEMA: Final = _body(bankroll={}, fraction={}, risk_tolerance={})
SESSIONS_SCHEMA: Final = _body(
    ("coups",),
    coups=_COUPS,
    bankroll={},
    goal={},
    quantiles={"type": "array", "items": {}, "minItems": 1, "maxItems": MOST_QUANTILES},
    exact=_EXACT,
)


@dataclass(frozen=True)
class Asked:
    """The outcomes that a question is about, and what its answer tells of them."""

    outcomes: Outcomes
    head: Figures


def free(milliseconds: int) -> None:
    """Let a question cost what it costs."""


def asked(body: Any, schema: Schema, spend: Spend = free) -> Asked:
    """Hold a body to its shape and work out its outcomes."""
    check(body, schema, "")
    plain = folded(body)
    rules_hash: Figures = {}
    if source_of(plain) == "rules":
        with placed(body):
            if isinstance(plain["rules"], Mapping):
                rules_hash["rules_hash"] = checked_rules(plain["rules"]).hash
                spend(rules_cost(plain["rules"]))
    spend(values_cost(plain))
    outcomes = asked_outcomes(body)
    told = spread(outcomes)
    coup: Figures = {
        "mean": told.mean,
        "standard_deviation": told.deviation,
        "mean_100": told.mean_100,
        "standard_deviation_100": told.deviation_100,
        "n0": told.n0,
    }
    played = {"played": body["played"]} if "played" in body else {}
    head = {"outcomes": outcomes.to_json(), "coup": coup, **played, **rules_hash, "engine": engine()}
    return Asked(outcomes, head)


def ruin_figures(body: Any, spend: Spend = free) -> Figures:
    """Risk of ruin of a bankroll, or the bankroll for a `risk`."""
    check(body, RUIN_SCHEMA, "")
    given = {name: value for name, value in body.items() if value is not None}
    if ("bankroll" in given) == ("risk" in given):
        raise BankrollError("give bankroll, or risk to find the bankroll", pointer="/bankroll")
    if "risk" in given:
        wanted = _checked_risk(given)
        found = asked(body, RUIN_SCHEMA, spend)
        return {**found.head, **_needed(found.outcomes, wanted, given, spend)}
    if "gain" in given:
        raise BankrollError("gain goes with risk; with a bankroll give goal", pointer="/gain")
    found = asked(body, RUIN_SCHEMA, spend)
    spend(ruin_cost(found.outcomes, given))
    how = {name: given[name] for name in ("goal", "coups", "need") if name in given}
    risk = risk_of_ruin(found.outcomes, given["bankroll"], exact=given.get("exact", False), **how)
    return {**found.head, **_risk(risk)}


def _checked_risk(given: Mapping[str, Any]) -> Fraction:
    for name in ("goal", "exact"):
        if given.get(name):
            raise BankrollError(
                "does not go with risk, which goes with gain, coups and need", pointer=f"/{name}"
            )
    risk = rational(given["risk"], "the risk", "/risk")
    if not 0 < risk < 1:
        raise BankrollError(f"the risk must be between 0 and 1, not {float(risk):.6g}", pointer="/risk")
    return risk


def _needed(outcomes: Outcomes, risk: Fraction, given: Mapping[str, Any], spend: Spend) -> Figures:
    spend(risk_cost(outcomes, given, float(risk)))
    how = {name: given[name] for name in ("gain", "coups", "need") if name in given}
    return {"risk": risk, **_bankroll(bankroll_for(outcomes, risk, **how))}


def _bankroll(needed: BankrollNeeded) -> Figures:
    return _known(
        bankroll=needed.bankroll,
        ruin=needed.ruin,
        root_formula=needed.root_formula,
        diffusion_formula=needed.diffusion_formula,
    )


def _risk(risk: Risk) -> Figures:
    return _known(
        ruin=risk.ruin,
        goal=risk.goal,
        open=risk.open,
        expected_coups=risk.coups,
        expected_coups_if_ruined=risk.coups_if_ruined,
        expected_coups_if_goal=risk.coups_if_goal,
        root=risk.root,
        root_formula=risk.root_formula,
        diffusion_formula=risk.diffusion_formula,
    )


def kelly_figures(body: Any, spend: Spend = free) -> Figures:
    """Kelly's fraction, growth, half Kelly, and on request a fraction and a certainty equivalent."""
    found = asked(body, KELLY_SCHEMA, spend)
    best = kelly(found.outcomes)
    figures: Figures = {"full": _growth(best.full), "half": _growth(best.half)}
    if body.get("fraction") is not None:
        figures["fraction"] = _growth(growth(found.outcomes, body["fraction"]))
    figures |= {"zero_growth": best.zero_growth, "edge_over_variance": best.edge_over_variance}
    tolerance = {name: body[name] for name in ("risk_tolerance",) if body.get(name) is not None}
    if body.get("bankroll") is not None:
        figures["certainty_equivalent"] = certainty_equivalent(found.outcomes, body["bankroll"], **tolerance)
    elif tolerance:
        raise BankrollError("goes with a bankroll, for its certainty equivalent", pointer="/risk_tolerance")
    return {**found.head, **figures}


def _growth(told: Growth) -> Figures:
    return {
        "fraction": told.fraction,
        "growth": told.growth,
        "standard_deviation": told.deviation,
        "coups_to_double": told.doubling,
        "fall": told.fall,
        "chance_of_half": 0.5**told.fall,
    }


def sessions_figures(body: Any, spend: Spend = free) -> Figures:
    """The distribution of a session's result, in stakes, with quantiles."""
    return sessions_told(body, spend)[0]


def sessions_told(body: Any, spend: Spend = free) -> tuple[Figures, Sessions]:
    """The same with the distribution itself, for tables and pictures."""
    check(body, SESSIONS_SCHEMA, "")
    shares = [_share(share, place) for place, share in enumerate(body.get("quantiles") or QUANTILES)]
    if body.get("goal") is not None and body.get("bankroll") is None:
        raise BankrollError("a goal needs a bankroll", pointer="/bankroll")
    found = asked(body, SESSIONS_SCHEMA, spend)
    spend(sessions_cost(found.outcomes, body))
    how = {name: body[name] for name in ("bankroll", "goal") if body.get(name) is not None}
    told = session(found.outcomes, body["coups"], exact=body.get("exact", False), **how)
    results = int((told.masses > 0).sum())
    length = 1 if told.scale is None else told.scale.bit_length() * _DIGITS_A_BIT
    figures = {
        **found.head,
        "coups": body["coups"],
        "mean": told.mean,
        "standard_deviation": told.deviation,
        "win": told.win,
        "loss": told.loss,
        "quantiles": {repr(float(share)).removesuffix(".0"): told.quantile(share) for share in shares},
        "results": results,
        "distribution": dict(listed(told))
        if results <= MOST_LISTED and results * length <= _MOST_DIGITS
        else None,
    }
    return figures, told


def _share(value: Any, place: int) -> Fraction:
    share = rational(value, "a quantile", f"/quantiles/{place}")
    if not 0 <= share <= 1:
        raise BankrollError(
            f"a quantile is between 0 and 1, not {float(share):.6g}", pointer=f"/quantiles/{place}"
        )
    return share


def listed(found: Sessions) -> list[tuple[str, Fraction | float]]:
    """Every result that may come, with its probability."""
    nets = (found.net(place) for place, mass in enumerate(found.masses) if mass)
    return [(str(net), found.chance(net)) for net in nets]


def _known(**figures: Any) -> Figures:
    """Those that there are: None and NaN stand for a figure that the question has not."""
    return {
        name: value
        for name, value in figures.items()
        if value is not None and not (isinstance(value, float) and math.isnan(value))
    }


# What may be exact: a fraction, or a float alone.
_FIGURES: Final = frozenset(
    {
        *("ruin", "goal", "open", "risk", "bankroll", "mean", "mean_100", "win", "loss", "quantiles"),
        *("distribution", "expected_coups", "expected_coups_if_ruined", "expected_coups_if_goal"),
    }
)


def told(figures: Mapping[str, Any]) -> Figures:
    """Figures as JSON: `{"num", "den", "float"}` where exact, `{"float"}` where they might be, null for infinity."""
    return {name: _plain(value, name in _FIGURES) for name, value in figures.items()}


def _plain(value: Any, figure: bool) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _plain(item, figure) if figure else _plain(item, key in _FIGURES)
            for key, item in value.items()
        }
    if isinstance(value, Fraction):
        return to_json(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return {"float": value} if figure else value
    return value
