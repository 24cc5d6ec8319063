"""Banking Macao as data: every option of `rules/banking.md`, with its schema, meaning and source.

«Telling 1/2/3» are the three accounts of the banker game in the Russian source text; a `*` marks a choice
made where that text is silent or contradicts itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from casino.banking.payoff import Payoff, build_payoff
from casino.errors import RulesError
from casino.options import Schema, check_changes, digest, option

FREE, DRAW, STAND = "free", "draw", "stand"

_BOOL: Schema = {"type": "boolean"}
_DISCARDS: Schema = {"enum": ["none", "dealt", "drawn", "both"]}
_MULTIPLE: Schema = {"type": "integer", "minimum": 1, "maximum": 100}
_CHIPS: Schema = {"type": "integer", "minimum": 1, "maximum": 10**12}


def _by_points(low: int) -> Schema:
    return {
        "type": "object",
        "properties": {str(points): _MULTIPLE for points in range(low, 10)},
        "additionalProperties": False,
    }


_NATURALS: Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 7, "maximum": 9},
    "uniqueItems": True,
    "maxItems": 3,
}
_BANKER_DRAW: Schema = {
    "oneOf": [
        {"enum": ["never", "free"]},
        {
            "type": "object",
            "properties": {"upto": {"type": "integer", "minimum": 0, "maximum": 9}},
            "required": ["upto"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "tableau": {
                    "type": "array",
                    "minItems": 10,
                    "maxItems": 10,
                    "items": {"type": "string", "length": 11, "letters": "DSF"},
                }
            },
            "required": ["tableau"],
            "additionalProperties": False,
        },
    ]
}


def _limits(*names: str) -> Schema:
    return {
        "type": "object",
        "properties": dict.fromkeys(names, _CHIPS),
        "required": list(names),
        "additionalProperties": False,
    }


@dataclass(frozen=True)
class Rules:
    """One frozen record: the engine deals by it, the solver enumerates it, the API publishes it."""

    decks: int = option(
        {"type": "integer", "minimum": 1, "maximum": 8},
        "Packs of 52 in the shoe.",
        "all tellings: two packs",
    )
    max_punters: int = option(
        {"type": "integer", "minimum": 1, "maximum": 9},
        "Most punters at the table; their hands must fit in the shoe.",
        "nine*; the tellings set no limit",
    )
    first_cards: int = option(
        {"type": "integer", "minimum": 1, "maximum": 2},
        "Cards first dealt to each hand.",
        "all tellings: one; two in punto banco and chemin de fer",
    )
    max_draws: int = option(
        {"type": "integer", "minimum": 0, "maximum": 1},
        "Cards that a seat may draw; binds both sides.",
        "all tellings: one",
    )
    stake_limits: tuple[tuple[str, int], ...] = option(
        _limits("min", "max", "step"),
        "Chips of one stake: from min to max in steps.",
        "telling 1: any stake from min to max; tellings 2-3: one fixed stake",
    )
    bank_limits: tuple[tuple[str, int], ...] = option(
        _limits("min", "max"), "Chips that a banker puts up.", "tellings 1-3: the bank is shown to all; sums*"
    )
    bank_topup: bool = option(_BOOL, "May a banker add to his bank between coups?", "yes*")
    seats_change: str = option(
        {"enum": ["coup", "bank", "round"]},
        "When seats join and leave: between coups, banks, or when everyone has been banker once.",
        "telling 1: round; tellings 2-3: bank*",
    )
    seating: str = option(
        {"enum": ["chosen", "drawn"]},
        "Seats as chosen, or in the order of drawn cards.",
        "tellings 2-3: by drawn cards; chosen* elsewhere",
    )
    banker_peeks: bool = option(
        _BOOL,
        "May the banker look at his cards before the punters are done?",
        "telling 1: no; tellings 2-3: yes",
    )
    exposed: str = option(
        {"enum": ["never", "on_turn", "dealt"]},
        "When a punter's first cards lie face up: never, as he decides, or from the deal.",
        "never*; telling 1 («открывает свою карту и заявляет») may mean on_turn",
    )
    punter_draw: tuple[str, ...] = option(
        {"type": "array", "minItems": 10, "maxItems": 10, "items": {"enum": [FREE, DRAW, STAND]}},
        "By points 0-9: may, must or must not a punter draw?",
        "free*: «прикупать необходимо» below 7 is advice",
    )
    shared_hand: bool = option(
        _BOOL,
        "All punters stake on one hand, played by the highest stake, then nearest the banker's left.",
        "punto banco, chemin de fer",
    )
    banker_draw: Any = option(
        _BANKER_DRAW,
        "When the banker draws: never, as he likes, up to some points, or by a tableau: ten rows (his points) of"
        " eleven letters (no third card, then third card 0-9): D draw, S stand, F free.",
        "never* in all tellings",
    )
    draw_face_up: bool = option(_BOOL, "Do drawn cards lie face up?", "yes*")
    punter_discards: str = option(
        _DISCARDS,
        "Which zeros a punter may throw away for another card.",
        "tellings 2-3: both*; telling 1: none",
    )
    banker_discards: str = option(
        _DISCARDS,
        "Which zeros the banker may throw away.",
        "none*: telling 2 «играющие вправе», telling 3 «получившие от банкомета»",
    )
    natural_after_discard: bool = option(
        _BOOL, "May a card that replaced a discarded zero make a natural?", "no*"
    )
    natural_pays: tuple[tuple[int, int], ...] = option(
        _by_points(7),
        "Points of a punter's winning natural: multiple it is paid.",
        "tellings 2-3: 9 threefold, 8 twofold",
    )
    natural_takes: tuple[tuple[int, int], ...] = option(
        _by_points(7),
        "Points of a banker's natural: multiple it takes from every punter with fewer points.",
        "none*; continental form",
    )
    ties: str = option(
        {"enum": ["push", "banker"]},
        "Equal points: the stake goes back, or the banker takes.",
        "telling 1: push; tellings 2-3: banker",
    )
    tie_takes: tuple[tuple[int, int], ...] = option(
        _by_points(0),
        "Equal points at which the banker takes a multiple (1 where absent).",
        "tellings 2-3: 9 threefold, 8 twofold",
    )
    tie_takes_on: str = option(
        {"enum": ["points", "banker_natural", "punter_natural"]},
        "When tie_takes applies: always, or on a natural of the banker or of the punter.",
        "banker_natural* («за девятку», the card)",
    )
    banker_natural_ends: tuple[int, ...] = option(
        _NATURALS,
        "Points of a banker's natural that is shown at once: nobody draws.",
        "none; continental form, punto banco",
    )
    punter_natural_ends: tuple[int, ...] = option(
        _NATURALS,
        "Points of a punter's natural that is shown at once and settled against the banker's first cards.",
        "none; continental form, punto banco",
    )
    commission: Fraction = option(
        {"type": "string"},
        "Fraction kept of a winning bet on the banker's side, in the analysis only.",
        "punto banco: 1/20",
    )
    exhaustion: str = option(
        {"enum": ["reserve", "stand", "reshuffle"]},
        "The end of the shoe: the bank is over if a coup might not be served, or one deals on and nobody draws from"
        " an empty shoe, or earlier cards are shuffled in and the bank ends after the coup.",
        "reserve*",
    )

    def __post_init__(self) -> None:
        for test, pointer, reason in _CONTRADICTIONS:
            if test(self):
                raise RulesError(reason.format(self=self), pointer=f"/{pointer}")

    @cached_property
    def limits(self) -> "Limits":
        """Limits of stakes and bank, in chips."""
        bank = dict(self.bank_limits)
        return Limits(**dict(self.stake_limits), bank_min=bank["min"], bank_max=bank["max"])

    @cached_property
    def tableau(self) -> tuple[str, ...]:
        """`banker_draw` as ten rows (his points) of eleven letters D, S, F (no third card, then third card 0-9)."""
        if self.max_draws == 0 or self.banker_draw == "never":
            return ("S" * 11,) * 10
        if self.banker_draw == "free":
            return ("F" * 11,) * 10
        kind, value = self.banker_draw[0]
        if kind == "upto":
            return tuple("DS"[points > value] * 11 for points in range(10))
        return tuple(value)

    @property
    def uses_tableau(self) -> bool:
        """Does the banker's rule depend on a punter's third card?"""
        return isinstance(self.banker_draw, tuple) and self.banker_draw[0][0] == "tableau"

    @cached_property
    def banker_may_draw(self) -> bool:
        """Can the banker draw at all?"""
        return any(set(row) != {"S"} for row in self.tableau)

    @cached_property
    def banker_is_free(self) -> bool:
        """Is there a hand on which the banker chooses whether to draw?"""
        return any("F" in row for row in self.tableau)

    @cached_property
    def payoff(self) -> Payoff:
        """The one table that settles a hand."""
        return build_payoff(self)

    def reserve(self, punters: int) -> int:
        """Cards a coup may need, discards not counted: n·(first + draws) + first, + 1 if the banker may draw."""
        hands = 1 if self.shared_hand else punters
        return hands * (self.first_cards + self.max_draws) + self.first_cards + self.banker_may_draw

    def to_json(self) -> dict[str, Any]:
        """The full record as JSON values, in the order of the fields."""
        return {item.name: _plain(item.name, getattr(self, item.name)) for item in fields(self)}

    @cached_property
    def hash(self) -> str:
        """Hex SHA-256 of the canonical JSON of the record."""
        return digest(self.to_json())


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in chips."""

    min: int
    max: int
    step: int
    bank_min: int
    bank_max: int


def _too_many_hands(rules: Rules) -> bool:
    return rules.reserve(rules.max_punters) > 52 * rules.decks


# What contradicts itself: (test, option at fault, reason). An inert option is legal.
_CONTRADICTIONS: Final = (
    (
        lambda r: r.first_cards > 1 and r.punter_discards != "none",
        "punter_discards",
        "zeros are discarded only where one card is first dealt: first_cards is {self.first_cards}, not 1",
    ),
    (
        lambda r: r.first_cards > 1 and r.banker_discards != "none",
        "banker_discards",
        "zeros are discarded only where one card is first dealt: first_cards is {self.first_cards}, not 1",
    ),
    (
        lambda r: r.uses_tableau and not r.draw_face_up,
        "banker_draw",
        "a tableau goes by the punter's third card, which must lie open: draw_face_up is false, not true",
    ),
    (
        lambda r: bool(r.banker_natural_ends) and not r.banker_peeks,
        "banker_natural_ends",
        "a banker who may not look (banker_peeks is false) cannot show a natural before the punters are done",
    ),
    (
        lambda r: bool(r.commission) and not (r.shared_hand and r.first_cards == 2),
        "commission",
        "a commission goes with bets on the banker's side: it needs shared_hand true and first_cards 2",
    ),
    (
        _too_many_hands,
        "max_punters",
        "the hands of {self.max_punters} punters may need more cards than the shoe of {self.decks} packs holds",
    ),
    (
        lambda r: r.limits.min > r.limits.max,
        "stake_limits",
        "min {self.limits.min} is above max {self.limits.max}",
    ),
    (
        lambda r: (r.limits.max - r.limits.min) % r.limits.step != 0,
        "stake_limits",
        "max {self.limits.max} cannot be reached from min {self.limits.min} in steps of {self.limits.step}",
    ),
    (
        lambda r: r.limits.bank_min > r.limits.bank_max,
        "bank_limits",
        "min {self.limits.bank_min} is above max {self.limits.bank_max}",
    ),
    (
        lambda r: r.limits.bank_max < r.limits.min * r.payoff.worst_payout,
        "bank_limits",
        "no bank up to max {self.limits.bank_max} covers the smallest stake {self.limits.min}, which may cost it"
        " {self.payoff.worst_payout} times as much",
    ),
)

_MAPS = ("natural_pays", "natural_takes", "tie_takes")


def _freeze(name: str, value: Any) -> Any:
    """The frozen form of one option's JSON value."""
    if name in _MAPS:
        return tuple(sorted(((int(key), item) for key, item in value.items()), reverse=True))
    if name in ("stake_limits", "bank_limits"):
        return tuple(value.items())
    if name in ("banker_natural_ends", "punter_natural_ends"):
        return tuple(sorted(value))
    if name == "punter_draw":
        return tuple(value)
    if name == "banker_draw" and isinstance(value, dict):
        ((kind, rule),) = value.items()
        return ((kind, tuple(rule) if kind == "tableau" else rule),)
    if name == "commission":
        return _commission(value)
    return value


def _commission(text: str) -> Fraction:
    try:
        share = Fraction(text) if len(text) <= 40 and "e" not in text.lower() else None
    except (ValueError, ZeroDivisionError):
        share = None
    if share is None or not 0 <= share < 1:
        raise RulesError(
            'must be a fraction from 0 to below 1, such as "1/20" or "0.05"', pointer="/commission"
        )
    return share


def _plain(name: str, value: Any) -> Any:
    """The JSON value of one option."""
    if name in _MAPS:
        return {str(key): item for key, item in value}
    if name in ("stake_limits", "bank_limits"):
        return dict(value)
    if name == "banker_draw" and isinstance(value, tuple):
        ((kind, rule),) = value
        return {kind: list(rule) if kind == "tableau" else rule}
    if name == "commission":
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def build(base: Mapping[str, Any], changes: Mapping[str, Any], pointer: str = "") -> Rules:
    """The rules of a preset's full record with some options changed.

    Raises RulesError: an unknown option, a wrong shape, or a contradiction, with a pointer below `pointer`.
    """
    check_changes(Rules, changes, pointer)
    merged = {**base, **changes}
    for name in ("stake_limits", "bank_limits"):
        merged[name] = {key: merged[name][key] for key in base[name]}
    try:
        return Rules(**{name: _freeze(name, value) for name, value in merged.items()})
    except RulesError as refusal:
        raise RulesError(refusal.detail, pointer=pointer + refusal.pointer) from None
