"""What is told in a terminal: views of seats and events, as lines of text. Made of views only, never of a state."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from casino.game import Event

View = Mapping[str, Any]
_SUITS: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_PILE_SHOWN: Final = 5
_NUMBERS: Final = ("coup", "deal", "bank_number", "number")  # of what happens: the screen has them


def screen(family: str, view: View, me: int | None) -> list[str]:
    """What lies on the table of a family's game, as the viewer sees it."""
    return [line for line in _SCREENS[family](view, me) if line]


def legal(items: Iterable[Any]) -> str:
    """The actions that a seat has, for people."""
    return ", ".join(map(_legal, items)) or "nothing"


def _legal(item: Any) -> str:
    if isinstance(item, str):
        return item
    ((verb, limits),) = item.items()
    if "max_bytes" in limits:
        return f"{verb} (1 to {limits['max_bytes']} bytes in hex)"
    step = f" in steps of {limits['step']}" if limits["step"] > 1 else ""
    return f"{verb} ({limits['min']} to {limits['max']}{step})"


def seat_name(seat: int | None, me: int | None) -> str:
    """What a seat is called: «you» for one's own."""
    return "the table" if seat is None else "you" if seat == me else f"seat {seat}"


def _cards(cards: Iterable[str] | None) -> str:
    return "?" if cards is None else " ".join(cards) or "-"


def _match(view: View) -> str:
    match = view.get("match")
    if match is None:
        return ""
    return f"Deal {match['deal']}; totals {_numbers(match['totals'])}; deals won {_numbers(match['won'])}"


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _hands(view: View, me: int | None) -> list[str]:
    """The hands that the view shows, one's own last."""
    others = [
        f"Hand of seat {seat}: {_cards(hand)}"
        for seat, hand in enumerate(view["hands"])
        if hand is not None and seat != me
    ]
    return others if me is None else [*others, f"Your hand: {_cards(view['hands'][me])}"]


# Shedding


def _shedding(view: View, me: int | None) -> list[str]:
    way = "clockwise" if view["direction"] == 1 else "against the clock"
    pile = view["pile"]
    under = f"  (under it: {_cards(pile[-_PILE_SHOWN - 1 : -1])})" if len(pile) > 1 else ""
    sizes = ", ".join(
        f"{seat_name(seat, me)} {size}{' (out)' if seat in view['finished'] else ''}"
        for seat, size in enumerate(view["hand_sizes"])
    )
    return [
        _match(view),
        f"Top of the pile: {pile[-1]}{under}; stock {view['stock_size']}; play goes {way}",
        f"Cards: {sizes}",
        *_obligations(view, me),
        *_hands(view, me),
    ]


def _obligations(view: View, me: int | None) -> list[str]:
    mover = seat_name(view["to_move"], me)
    window, four = view["window"], view["four_round"]
    return [
        f"A penalty of {view['penalty']} stands on {view['attack']}: {mover}" if view["penalty"] else "",
        f"{view['skip']} turns are to be lost: {mover}" if view["skip"] else "",
        f"Demanded: {_demand(view['demand'])}" if view["demand"] else "",
        f"Then demanded: {_demand(view['dormant_demand'])}" if view["dormant_demand"] else "",
        f"On the joker one matches {view['joker_as']}" if view["joker_as"] else "",
        f"Fours: {four['fours']} laid, the last by {seat_name(four['last'], me)}" if four else "",
        f"Turns alone: {view['solo']}" if view["solo"] else "",
        f"Sitting out: {_sitting_out(view['out_for'], me)}" if view["out_for"] else "",
        "Any card may follow" if view["free_card"] else "",
        f"«Macao» {'said' if window['said'] else 'not said yet'}: {seat_name(window['seat'], me)}"
        if window
        else "",
        f"You drew {view['drawn']}" if view["drew"] and view["to_move"] == me else "",
    ]


def _sitting_out(turns: Iterable[int], me: int | None) -> str:
    return ", ".join(
        f"{seat_name(seat, me)} {left} turn{'s' if left > 1 else ''}"
        for seat, left in enumerate(turns)
        if left
    )


def _demand(demand: Mapping[str, Any]) -> str:
    if "suit" in demand:
        return _SUITS[demand["suit"]]
    if "rank" in demand:
        return f"rank {demand['rank']}"
    return f"anything but {_SUITS[demand['not']]}" if "not" in demand else "any card without a power"


# Tricks


def _tricks(view: View, me: int | None) -> list[str]:
    trump = f"trump {_SUITS[view['trump']]}" if view["trump"] else "no trump"
    cards = "1 card" if view["k"] == 1 else f"{view['k']} cards"
    turned = f" ({view['turned']} turned)" if view["turned"] else ""
    rows = [
        f"{seat_name(seat, me)} {'-' if bid is None else bid} bid, {taken} taken"
        for seat, (bid, taken) in enumerate(zip(view["bids"], view["taken"], strict=True))
    ]
    barred = view["barred_bid"]
    trick = ", ".join(f"{seat_name(seat, me)} {card}" for seat, card in view["trick"])
    return [
        _match(view),
        f"{cards} each, {trump}{turned}; dealt by {seat_name(view['dealer'], me)}",
        f"Bids: {'; '.join(rows)}",
        f"The last may not bid {barred}" if barred is not None else "",
        f"On the table: {trick}" if trick else "",
        *_hands(view, me),
    ]


# Banking


def _banking(view: View, me: int | None) -> list[str]:
    return [
        f"Bank {view['bank_number']} of {seat_name(view['banker'], me)}: {view['bank']} chips; coup {view['coup']};"
        f" {view['shoe_left']} cards left",
        f"Your purse: {view['purse']}" if view["purse"] is not None else "",
        *[_hand(seat, entry, view, me) for seat, entry in enumerate(view["seats"])],
    ]


def _hand(seat: int, entry: Mapping[str, Any], view: View, me: int | None) -> str:
    role = ", banker" if seat == view["banker"] else f", stake {entry['stake']}" if entry["stake"] else ""
    if "cards" not in entry:
        return f"{seat_name(seat, me)}{role}" if role else ""
    points = "" if entry["points"] is None else f" = {entry['points']}"
    return f"{seat_name(seat, me)}{role}: {entry['cards']}{points}"


_SCREENS: Final[dict[str, Callable[[View, int | None], list[str]]]] = {
    "shedding": _shedding,
    "tricks": _tricks,
    "banking": _banking,
}


# Events


def happened(event: Event, viewer: int | None, me: int | None) -> str:
    """An event as the viewer may know it, in one line; empty for what a screen shows anyway. `me`: who is «you»."""
    private = (event.private or {}).get(viewer, {}) if viewer is not None else {}
    data = {**event.data, **private}
    told = _EVENTS.get(event.type, _plain)
    return told(event, seat_name(event.seat, me), data, me)


_Telling = Callable[[Event, str, Mapping[str, Any], int | None], str]


def _plain(event: Event, who: str, data: Mapping[str, Any], me: int | None) -> str:
    telling = {
        name: value for name, value in data.items() if name not in _NUMBERS and type(value) in (int, str)
    }
    more = ", ".join(f"{name} {value}" for name, value in telling.items())
    return f"{who}: {event.type.replace('_', ' ')}" + (f" ({more})" if more else "")


def _dealt(event: Event, who: str, data: Mapping[str, Any], me: int | None) -> str:
    if "dealer" not in data:
        return ""  # a coup: the screen shows the hands
    turned = data["turned"]
    shown = turned if isinstance(turned, str) else _cards(turned) if turned else "nothing"
    return f"--- {seat_name(data['dealer'], me)} dealt; turned: {shown}"


def _played(event: Event, who: str, data: Mapping[str, Any], me: int | None) -> str:
    taken = f"; {seat_name(data['taken_by'], me)} took the trick" if "taken_by" in data else ""
    late = "" if data.get("carried_out", True) else " (too late: the deal is over)"
    return f"{who}: {data['action']}{taken}{late}"


def _drew(event: Event, who: str, data: Mapping[str, Any], me: int | None) -> str:
    if "count" not in data:
        return _plain(event, who, data, me)
    cards = f": {_cards(data['cards'])}" if "cards" in data else ""
    why = "" if data["why"] == "draw" else f" ({data['why']})"
    return f"{who} drew {data['count']}{why}{cards}"


def _scored(event: Event, who: str, data: Mapping[str, Any], me: int | None) -> str:
    won = ", ".join(seat_name(seat, me) for seat in data.get("winners", ()))
    totals = f"; totals {_numbers(data['totals'])}" if "totals" in data else ""
    ended = f" ({data['reason']})" if "reason" in data else ""
    return (
        f"--- The deal is over{ended}: {_numbers(data['scores'])}"
        + (f"; won by {won}" if won else "")
        + totals
    )


def _settled(event: Event, who: str, data: Mapping[str, Any], me: int | None) -> str:
    rows = [
        f"{seat_name(seat, me)} {hand} ({chips:+})"
        for seat, (hand, chips) in enumerate(zip(data["hands"], data["chips"], strict=True))
        if hand is not None
    ]
    return f"--- Coup {data['coup']}: " + "; ".join(rows)


_EVENTS: Final[dict[str, _Telling]] = {
    "dealt": _dealt,
    "played": _played,
    "called": lambda event, who, data, me: f"{who}: macao!",
    "caught": lambda event, who, data, me: (
        f"{who} caught {seat_name(data['caught'], me)}: macao was not said"
    ),
    "drew": _drew,
    "scored": _scored,
    "settled": _settled,
    "shuffled": lambda event, who, data, me: "Cards were shuffled.",
}
