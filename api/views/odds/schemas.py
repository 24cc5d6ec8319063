"""Shapes of questions about odds and their answers. What a body says beyond its shape, the analysis checks."""

from typing import Any

from marshmallow import Schema, fields

from api.fields import Body, Choice, Items, Whole
from api.strict_json import INT64_MAX
from api.views.odds.shapes import Estimate, Figure, figure, figures, policy

MOST_CARDS = 416
_POLICY = (
    "stand, textbook, threshold:T, rules, optimal, equilibrium, or an object with `draw_on`; a banker's also"
    ' {"tableau": [ten rows of eleven letters D, S]}'
)


def _raw(text: str, example: Any) -> fields.Raw:
    return fields.Raw(metadata={"description": text, "example": example})


class AskedRules(Body):
    """A preset of banking rules, with changes."""

    preset = fields.String(required=True, metadata={"description": "A banking game.", "example": "house"})
    changes = fields.Dict(
        keys=fields.String(),
        metadata={"description": "Options that differ from the preset's.", "example": {}},
    )


class OddsAsked(Body):
    """A coup of one punter and the banker."""

    rules = fields.Nested(AskedRules, required=True)
    shoe = _raw(
        'Packs {"decks": 2}, cards left by points {"counts": {"0": 32, …}}, or "infinite"; the full shoe of the rules'
        " where absent.",
        {"decks": 2},
    )
    seen = Items(
        fields.String(),
        high=MOST_CARDS,
        text="Cards seen by both sides, out of the shoe.",
        example=["9H", "KD"],
    )
    punter = _raw(f"The punter's policy: {_POLICY}; textbook where absent.", "optimal")
    banker = _raw(f"The banker's: {_POLICY}; rules where absent, threshold:5 where he is free.", "rules")
    information = Choice("all", "points", text="What best play goes by: all that is seen, or points alone.")


class PoliciesAsked(OddsAsked):
    """Which side's best play is wanted: the side whose policy is `optimal`; both for an equilibrium."""

    state = fields.Dict(
        metadata={
            "description": "The banker's decision in the middle of a coup: his card, and what each punter did.",
            "example": {"card": "4", "punters": [{"stake": 10, "drew": "8"}, {"stake": 50, "stood": True}]},
        }
    )


class CountingAsked(Body):
    """What card counting is worth to a side."""

    rules = fields.Nested(AskedRules, required=True)
    punter = _raw("The punter's policy; optimal where absent, worked out anew from every shoe.", "optimal")
    banker = _raw(
        "The banker's policy, a given one; rules where absent, threshold:5 where he is free.", "rules"
    )
    side = Choice("punter", "banker", load_default="punter", text="Whose edge is told.")
    depths = Items(Whole(0, MOST_CARDS), low=1, high=64, text="Numbers of cards gone.", example=[26, 52, 78])
    samples = Whole(2, 1_000_000, load_default=2000, text="Random shoes at each depth.", example=2000)
    seed = Whole(0, INT64_MAX, load_default=0, text="Decides the shoes.", example=0)


class FirstCard(Schema):
    """A punter's first cards of some points: each action given that he is asked, and what is played in all."""

    probability = figure("Of these first cards.")
    ev = figures("By action.")
    best = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "null where a banker's natural always ends the coup before he is asked."},
    )
    variance = figures("By action.")
    distribution = fields.Dict(required=True, metadata={"description": "By action, then net: probabilities."})
    played = fields.Dict(
        required=True, metadata={"description": "EV, variance, distribution under the policy."}
    )


class OddsTold(Schema):
    """The odds of a coup. EVs and nets are in stakes; `ev_banker` = -`ev_punter`."""

    ev_punter = figure("Expected net of the punter, per unit staked.")
    ev_banker = figure("The same of the banker, per unit staked by the punter.")
    variance = figure("Of the punter's net.", required=False)
    distribution = figures("Probability of each net of the punter.", required=False)
    by_first_card = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(FirstCard),
        metadata={"description": "By points of the punter's first cards."},
    )
    banker_bet_ev = figure("A bet on the banker's side, after commission.", required=False)
    tie_bet_8_to_1_ev = figure("A bet on equal points, paid 8 to 1.", required=False)
    value = figure("Value of the equilibrium, for the punter.", required=False)
    strategies = fields.Dict(
        metadata={"description": "Both sides' probabilities of drawing, in equilibrium."}
    )
    bounds = figures("Proven bounds of the value.", required=False)
    exploitability = figure("What best replies could gain, both sides together.", required=False)
    certified = fields.Boolean(metadata={"description": "Value and strategies are exact fractions."})
    note = fields.String()
    punter = policy("As asked, or the default.", required=False)
    banker = policy("As asked, or the default.", required=False)
    information = fields.String()
    shoe = fields.Raw(metadata={"description": "What it was dealt from."})
    rules_hash = fields.String(required=True)
    engine = fields.String(required=True)


class ParLine(OddsTold):
    """One way to play: the odds, and how often the punter wins, pushes and loses."""

    hit_rates = figures("Of the punter: `win`, `push`, `lose`.", required=False)
    tie = figure("Probability of equal points.", required=False)
    naturals = figures("Probability that his first cards make 7, 8, 9 points.", required=False)
    standard_deviation = fields.Float(metadata={"description": "Of the punter's net, in stakes."})
    coups_to_tell = fields.Integer(
        allow_none=True,
        metadata={
            "description": "Coups after which whoever has the edge is ahead with 95 %; null: a fair game."
        },
    )


class ParTold(Schema):
    """A par sheet: the punter's best play, and the textbook."""

    game = fields.String(required=True)
    rules_hash = fields.String(required=True)
    engine = fields.String(required=True)
    worst_loss = fields.Integer(required=True, metadata={"description": "Stakes that a punter may lose."})
    worst_payout = fields.Integer(required=True, metadata={"description": "Stakes that he may win."})
    best = fields.Nested(ParLine, required=True)
    textbook = fields.Nested(ParLine, required=True)


class PoliciesTold(Schema):
    """A best reply with every decision; an equilibrium; or the banker's decision."""

    side = fields.String()
    against = policy("The policy replied to.", required=False)
    information = fields.String()
    value = figure("Expected net of the side that replies; of the punter in an equilibrium.", required=False)
    ev_punter = figure("In stakes.", required=False)
    ev_banker = figure("In stakes.", required=False)
    decisions = fields.List(
        fields.Dict(),
        metadata={
            "description": "Where it decides: situation, probability, EV and cost of each action, best."
        },
    )
    punters = fields.Integer()
    bounds = figures("Proven bounds of the value.", required=False)
    exploitability = figure("What best replies could gain, both sides together.", required=False)
    certified = fields.Boolean()
    punter = fields.Raw(metadata={"description": "Probability of drawing by points, in equilibrium."})
    banker = fields.Raw(metadata={"description": "The same by points and third card."})
    discards = fields.Dict(metadata={"description": "Zeros in equilibrium, and the cap on them."})
    note = fields.String()
    ev = figures("The banker's decision: expected net of all stakes by action, in chips.", required=False)
    cost = figures("What each action gives away.", required=False)
    best = fields.String()
    unexpected = fields.List(
        fields.Integer(), metadata={"description": "Punters who did what their policy never does."}
    )
    rules_hash = fields.String(required=True)
    engine = fields.String(required=True)


class Effect(Schema):
    """What one card of some points is worth, gone: changes of EVs per unit staked."""

    points = fields.Integer(required=True)
    cards = fields.Integer(required=True, metadata={"description": "In the full shoe."})
    punter = figure("Change of the punter's EV.")
    banker = figure("Change of the banker's.")
    banker_bet = figure("Of a bet on the banker's side.", required=False)
    tie_bet = figure("Of a bet on equal points.", required=False)


class Depth(Schema):
    """The edge once so many cards are gone, over random shoes."""

    cards_gone = fields.Integer(required=True)
    mean = fields.Nested(Estimate, required=True)
    standard_deviation = fields.Float(required=True)
    quantiles = fields.Dict(keys=fields.String(), values=fields.Float(), required=True)
    favourable = fields.Float(required=True, metadata={"description": "Share of shoes with an edge above 0."})
    gain_of_bet_variation = fields.Nested(
        Estimate,
        required=True,
        metadata={
            "description": "Won a coup, in smallest stakes, by staking the most where the edge is above 0."
        },
    )
    correlation_of_count = fields.Float(
        required=True, allow_none=True, metadata={"description": "Of the effects summed with the edge."}
    )


class CountingTold(Schema):
    """Effects of removal, and the edge of a side by the depth of the bank."""

    side = fields.String(required=True)
    fresh_shoe = fields.Nested(Figure, required=True)
    effects_of_removal = fields.List(fields.Nested(Effect), required=True)
    by_depth = fields.List(fields.Nested(Depth), required=True)
    bet_spread = fields.Float(required=True, metadata={"description": "Largest stake over smallest."})
    samples = fields.Integer(required=True)
    seed = fields.Integer(required=True)
    rules_hash = fields.String(required=True)
    engine = fields.String(required=True)
