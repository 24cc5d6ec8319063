"""Tables that cannot be: each test finds the reason why these rules contradict themselves, if they do."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from casino.cards import NAMES, members
from casino.shedding.patterns import JOKERS, OF_RANK, SUITED, mask
from casino.shedding.powers import Power

if TYPE_CHECKING:
    from casino.shedding.rules import Rules

Fault = tuple[str, str]
"""The option at fault, as a pointer without its first stroke, and the reason."""

_PATTERNS: Final = (
    "wild", "suit_only", "draw_cards", "skip_answers", "callable", "demand_answers", "final_draws", "doubling",
)  # fmt: skip


def contradiction(rules: "Rules") -> Fault | None:
    """The first contradiction of the rules. Raises RulesError, with its place, for a pattern that means nothing."""
    for name in _PATTERNS:
        mask(getattr(rules, name), f"/{name}")
    for name, keys in (("lays_on", ("on", "by")), ("answers", ("on", "by")), ("points", ("cards",))):
        for index, row in enumerate(getattr(rules, name)):
            for key in keys:
                mask(getattr(row, key), f"/{name}/{index}/{key}")
    for test in _TESTS:
        for fault in test(rules):
            return fault
    return None


def _names(bits: int) -> str:
    cards = [NAMES[card] for card in members(bits)]
    return " ".join(cards[:4]) + (" …" if len(cards) > 4 else "")


def cards_with(rules: "Rules", test: Callable[[Power], object]) -> int:
    """The set of cards whose power passes a test."""
    bits = 0
    for index, power in enumerate(rules.powers):
        if test(power):
            bits |= mask(power.cards, f"/powers/{index}/cards")
    return bits


def wild_cards(rules: "Rules") -> int:
    """The cards that go on any card, modifiers in force."""
    bits = mask(rules.wild)
    if rules.specials_wild:
        bits |= cards_with(rules, lambda power: True)
    return bits | mask("7") if rules.sevens_own_suit_wild else bits


def _powers(rules: "Rules") -> Iterator[Fault]:
    seen = 0
    for index, power in enumerate(rules.powers):
        bits = mask(power.cards, f"/powers/{index}/cards")
        if seen & bits:
            yield f"powers/{index}/cards", f"{_names(seen & bits)} has a power already"
        seen |= bits
        reason = _power(power, rules.skips)
        if reason:
            yield f"powers/{index}", reason


def _power(power: Power, skips: str) -> str | None:
    turns = power.over or power.choose or power.back
    if power.again and (power.draw or power.skip or power.cancel or power.names or power.reverse or turns):
        return "after such a card another must follow (again), so it can do nothing else"
    if power.draw and power.skip:
        return "at most one obligation is open: a card makes draw, or lose turns, not both"
    if power.choose and (power.back or power.over or power.names):
        return "who is next is chosen: the card cannot also aim back, pass over seats or name something"
    if skips == "round" and power.skip and (power.names or power.reverse or turns):
        return "a card of the round of skips (skips: round) can do nothing else"
    return None


def _ranks(rules: "Rules") -> Iterator[Fault]:
    draws = cards_with(rules, lambda power: power.draw)
    costs = cards_with(rules, lambda power: power.skip)
    for rank in OF_RANK:
        if rank & draws and rank & costs:
            yield (
                "powers",
                f"of {_names(rank)} some make draw and some make lose turns: one packet would do both",
            )
    if rules.jokers_in_draw_packets and costs & JOKERS:
        yield "jokers_in_draw_packets", "jokers make lose turns: in a packet of 2s or 3s both would be open"
    small = mask(rules.draw_cards)
    if small & JOKERS:
        yield "draw_cards", "they match by rank or suit, and a joker has neither"
    if small & ~draws:
        yield "draw_cards", f"{_names(small & ~draws)} makes nobody draw: give it a power, or leave it out"


def _answers(rules: "Rules") -> Iterator[Fault]:
    attacks = cards_with(rules, lambda power: power.draw or power.adds)
    useful = cards_with(
        rules,
        lambda power: (
            power.draw
            or power.adds
            or power.cancel
            or power.pass_on
            or power.over
            or power.reverse
            or power.choose
        ),
    )
    unfit = cards_with(rules, lambda power: power.skip or power.again)
    for index, pair in enumerate(rules.answers):
        on, by = mask(pair.on), mask(pair.by)
        if on & ~attacks:
            yield f"answers/{index}/on", f"no penalty ever stands on {_names(on & ~attacks)}"
        if by & unfit:
            yield f"answers/{index}/by", f"{_names(by & unfit)} opens something else: it answers no penalty"
        if by & ~useful:
            yield (
                f"answers/{index}/by",
                f"nothing says what {_names(by & ~useful)} does to a penalty: give it draw, adds, cancel or pass_on",
            )
    costs = cards_with(rules, lambda power: power.skip)
    strange = mask(rules.skip_answers) & ~costs
    if costs and strange:
        yield "skip_answers", f"{_names(strange)} makes nobody lose turns, so it answers no such demand"


def _jokers(rules: "Rules") -> Iterator[Fault]:
    wild = wild_cards(rules)
    if rules.named_jokers:
        if (wild | cards_with(rules, lambda power: True)) & JOKERS:
            yield "named_jokers", "a named joker is that card: it is not wild and has no power of its own"
    elif rules.jokers and JOKERS & ~wild:
        yield (
            "jokers",
            "a joker has neither rank nor suit: without being wild or named it could never be laid",
        )
    if rules.jokers_in_draw_packets:
        if not rules.rank_packets:
            yield "jokers_in_draw_packets", "jokers join packets: it needs rank_packets"
        if not rules.jokers:
            yield "jokers_in_draw_packets", "there are no jokers in the pack"
        if rules.named_jokers:
            yield "jokers_in_draw_packets", "a joker joins any packet already, as the card it is named"


def _wild(rules: "Rules") -> Iterator[Fault]:
    sevens = mask("7")
    if rules.sevens_own_suit_wild:
        if cards_with(rules, lambda power: True) & sevens:
            yield "sevens_own_suit_wild", "7s have a power of their own here"
        if mask(rules.wild) & sevens:
            yield "sevens_own_suit_wild", "7s are wild here as it is"
    bound = wild_cards(rules) & mask(rules.suit_only)
    if bound:
        yield "suit_only", f"{_names(bound)} goes on any card: it cannot also need the suit"
    if rules.first_card == "not_special" and not SUITED & ~cards_with(rules, lambda power: True):
        yield "first_card", "every card has a power: none could be turned to begin"


def _calls(rules: "Rules") -> Iterator[Fault]:
    ranks = mask(rules.callable)
    if any(ranks & rank not in (0, rank) for rank in OF_RANK) or ranks & ~SUITED:
        yield "callable", "ranks are named, not single cards or jokers"
    if not ranks and cards_with(rules, lambda power: power.names == "rank"):
        yield "callable", "some card names a rank: say which ranks may be named"


def _draw_answers(rules: "Rules") -> Iterator[Fault]:
    if rules.cross_draw_stack and rules.draw_cards_match:
        yield (
            "draw_cards_match",
            "makes 2s and 3s match, cross_draw_stack frees them from it: give one of them",
        )
    if rules.cross_draw_stack and rules.draw_answers == "cross":
        yield "cross_draw_stack", "2s and 3s answer each other without matching as it is"
    if rules.draw_cards_match and rules.draw_answers != "cross":
        yield "draw_cards_match", "it would forbid nothing: here 2s and 3s must match as it is"


_TESTS: Final = (_powers, _ranks, _answers, _jokers, _wild, _calls, _draw_answers)
