"""Shapes of questions about bankrolls and their answers. What a body says beyond its shape, the analysis checks."""

from typing import Any, Final

from marshmallow import Schema, fields

from api.fields import Body, Choice, Flag, Items, Text, Whole
from api.views.odds.schemas import AskedRules
from api.views.odds.shapes import Figure, figure, figures

MOST_RESULTS: Final = 100_000
MOST_QUANTILES: Final = 100
_NUMBER: Final = 'A number, or a text such as "1/8".'


def _raw(text: str, example: Any) -> fields.Raw:
    return fields.Raw(metadata={"description": text, "example": example})


def _number(text: str, example: Any) -> fields.Raw:
    return _raw(f"{text} {_NUMBER}", example)


def _known(text: str, *, required: bool = False) -> fields.Nested:
    """A figure that is null where it is infinite."""
    return fields.Nested(
        Figure, required=required, allow_none=True, metadata={"description": f"{text} Null: infinite."}
    )


def _float(text: str, *, required: bool = True) -> fields.Float:
    return fields.Float(required=required, allow_none=True, metadata={"description": text})


class SourceRules(AskedRules):
    """A preset of banking rules, with changes; shoe, policies and side may stand here or beside it."""

    shoe = _raw("As beside `rules`.", {"decks": 2})
    punter = _raw("As beside `rules`.", "optimal")
    banker = _raw("As beside `rules`.", "rules")
    side = Choice("punter", "banker", "banker_bet", text="As beside `rules`.")
    punters = Whole(1, 9, text="As beside `rules`.", example=1)


class OwnPlay(Body):
    """Coups that the caller has played for chips himself: of one game and side."""

    game = Text(1, 40, text="A banking game; may be absent where he played one only.", example="house")
    side = Choice("punter", "banker", text="May be absent where he was on one side only.")


class Asked(Body):
    """Where the outcomes of a coup come from: one of `rules`, `outcomes`, `results` and `played`."""

    rules = fields.Nested(SourceRules)
    shoe = _raw(
        'With `rules`: packs {"decks": 2}, cards left by points {"counts": {"0": 32, …}}, or "infinite"; the full shoe'
        " where absent.",
        {"decks": 2},
    )
    punter = _raw("With `rules`: the punter's policy; textbook where absent.", "optimal")
    banker = _raw("With `rules`: the banker's; rules where absent, threshold:5 where he is free.", "rules")
    side = Choice(
        "punter",
        "banker",
        "banker_bet",
        text="With `rules`: whose nets are meant; the punter's where absent.",
    )
    punters = Whole(1, 9, text="With `rules` and side banker: punters who stake 1 each.", example=1)
    outcomes = _raw(
        'Net in stakes -> probability: {"3": "1/8", "1": "3/8", "-1": "1/2"}, or the text 3:1/8,1:3/8,-1:1/2.',
        {"1": "1/2", "-1": "1/2"},
    )
    results = _raw(
        f"Recorded nets in stakes: a list of up to {MOST_RESULTS}, or net -> how often it came.",
        {"1": 48, "-1": 52},
    )
    played = fields.Nested(
        OwnPlay, metadata={"description": "The caller's own coups; needs an API key with the scope read."}
    )


class RuinAsked(Asked):
    """A bankroll, or the risk that it is to be found for; for ever or within coups, with or without a goal."""

    bankroll = _number("Stakes at the start.", 100)
    goal = _number("Stakes at which he stops.", 200)
    coups = Whole(1, 10**12, text="Coups played at most; for ever where absent.", example=500)
    need = _number("Least stakes to play on; the stake or its worst loss where absent.", 1)
    risk = _number("In the place of `bankroll`: the risk of ruin that it is to keep.", "1/100")
    gain = _number("With `risk`: he stops once so many stakes are won.", 50)
    exact = Flag(text="Fractions throughout; not for ever without a goal.")


class KellyAsked(Asked):
    """Outcomes, and what else is to be told of them."""

    bankroll = _number("Stakes held: adds the certainty equivalent of a stake of 1.", 100)
    risk_tolerance = _number("Of one who stakes so much of Kelly's fraction; 1 where absent.", "1/2")
    fraction = _number("Adds what staking this fraction of the bankroll does.", "1/50")


class SessionsAsked(Asked):
    """A session of flat stakes."""

    coups = Whole(1, 10**12, required=True, text="Coups of a session.", example=100)
    bankroll = _number("Stakes at the start: ends it early at ruin.", 50)
    goal = _number("Stakes at which he stops.", 100)
    quantiles = Items(
        _number("A share of sessions.", 0.5),
        low=1,
        high=MOST_QUANTILES,
        text="Shares from 0 to 1.",
        example=[0.05, 0.5, 0.95],
    )
    exact = Flag(text="Fractions throughout.")


class Coup(Schema):
    """The outcomes of a coup, and of a hundred, in figures: stakes."""

    mean = figure("Expected net.")
    standard_deviation = _float("Of the net.")
    mean_100 = figure("Of a hundred coups.")
    standard_deviation_100 = _float("Of a hundred coups.")
    n0 = _float("Coups after which the mean is one standard deviation; null: never.")


class Recorded(Schema):
    """The play that was counted."""

    game = fields.String(required=True)
    side = fields.String(required=True)
    coups = fields.Integer(required=True)
    unit = fields.Integer(metadata={"description": "A banker's nets are in stakes of so many chips."})


class Told(Schema):
    """What every answer tells of the outcomes."""

    outcomes = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "Net in stakes -> probability, both exact texts."},
    )
    coup = fields.Nested(Coup, required=True)
    played = fields.Nested(Recorded)
    rules_hash = fields.String()
    engine = fields.String(required=True)


class RuinTold(Told):
    """The risk of ruin by first passage; of a `risk` that was asked for, the least bankroll that keeps it."""

    risk = figure("As asked.", required=False)
    bankroll = figure("The least that keeps the risk, in stakes.", required=False)
    ruin = figure("Chance of ruin.")
    goal = figure("Chance of the goal.", required=False)
    open = figure("Chance of neither.", required=False)
    expected_coups = _known("Coups played, in expectation.")
    expected_coups_if_ruined = _known("On the paths that end in ruin.")
    expected_coups_if_goal = _known("On the paths that end at the goal.")
    root = _float("The r other than 1 with E[r^X] = 1; null: infinite.", required=False)
    root_formula = _float("For ever: r^bankroll, or the bankroll by it.", required=False)
    diffusion_formula = _float("What the diffusion formula gives, for comparison.", required=False)


class Growth(Schema):
    """What staking a fraction of the bankroll does."""

    fraction = _float("Of the bankroll, staked each coup.")
    growth = _float("A coup, in natural logarithms; null: everything may be lost.")
    standard_deviation = _float("Of the logarithm of a coup.")
    coups_to_double = _float("At that rate; null: never.")
    fall = _float("s: the chance of ever falling to a share x is x^s about; null: it cannot fall.")
    chance_of_half = _float("Of ever falling to a half.")


class KellyTold(Told):
    """Kelly's fraction over the full payouts, half of it, and where growth ends."""

    full = fields.Nested(Growth, required=True)
    half = fields.Nested(Growth, required=True)
    fraction = fields.Nested(Growth)
    zero_growth = _float("The fraction above which the bankroll shrinks.")
    edge_over_variance = _float("The usual approximation of Kelly's fraction.")
    certainty_equivalent = _float("Of a stake of 1, in stakes a coup.", required=False)


class SessionsTold(Told):
    """The exact distribution of a session's result, in stakes."""

    coups = fields.Integer(required=True)
    mean = figure("Expected result.")
    standard_deviation = _float("Of the result.")
    win = figure("Chance of a win.")
    loss = figure("Chance of a loss.")
    quantiles = figures("By share: the least result that so many sessions do not exceed.")
    results = fields.Integer(required=True, metadata={"description": "Results that may come."})
    distribution = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(Figure),
        required=True,
        allow_none=True,
        metadata={
            "description": "Probability of each result; null where there are more than 10,000, or"
            " they would take millions of digits."
        },
    )
