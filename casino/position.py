"""Situations of any game: set one up from JSON, play texts from it, and tell what came of it.

An entry is `{"position": {...}, "steps": [[seat, text], ...]}`, as in the shared cases; all but `position` may be
absent. `seat` names whose view is given (absent: that of the seat awaited), with `leads_to` it is told what every
action leads to, an `id` is repeated. The command `macao position` and `POST /positions` say the same of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from casino.catalogue import find
from casino.errors import CasinoError, NotationError, PositionError, RulesError
from casino.game import Json, State
from casino.options import Schema, check

# What is not named here is the game's own, or of a case: its name, its rule, what it expects.
_REST: Final[Schema] = {"additionalProperties": {}}
_ENTRY: Final[Schema] = {
    "type": "object",
    "properties": {
        "position": {
            "type": "object",
            "properties": {
                "game": {"type": "string"},
                "options": {"oneOf": [{"type": "null"}, {"type": "object"}]},
            },
            "required": ["game"],
            **_REST,
        },
        "steps": {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 2}},
        "seat": {"oneOf": [{"type": "null"}, {"type": "integer", "minimum": 0}]},
        "leads_to": {"type": "boolean"},
    },
    "required": ["position"],
    **_REST,
}


def told(entry: Mapping[str, Any]) -> Json:
    """What the situation is after the steps of an entry: `State.report`, and the `view` of a seat.

    Where a text is refused the report is that before it (a text is all or nothing), with the refusal's class as
    `error`, what was wrong as `detail`, and the number of the `step`. `leads_to` holds, by seat and by the text of each
    of its actions, the report after it. Raises PositionError, RulesError, NotationError or UnknownGame, with a pointer,
    where the situation itself cannot be.
    """
    state = set_up(entry)
    seat = entry.get("seat")
    if seat is not None and seat >= state.game.seats:
        raise PositionError(f"there is no such seat: seats are 0 to {state.game.seats - 1}", pointer="/seat")
    refused = _play(state, entry.get("steps", []))
    viewer = next(iter(state.awaited()), None) if seat is None else seat
    found = {**_name(entry), **state.report(), **refused, "view": state.view(viewer)}
    if entry.get("leads_to"):
        found["leads_to"] = {str(actor): _leads(state, actor) for actor in state.actors()}
    return found


def each_told(entries: Sequence[Mapping[str, Any]]) -> list[Json]:
    """The same of several. One that cannot be is told by `error`, `detail` and `pointer` (into the entry), and has no
    `legal`."""
    return [_answer(entry) for entry in entries]


def _answer(entry: Any) -> Json:
    try:
        return told(entry)
    except CasinoError as refusal:
        return {**_name(entry), "error": refusal.code, "detail": refusal.detail, "pointer": refusal.pointer}


def _name(entry: Any) -> Json:
    return {"id": entry["id"]} if isinstance(entry, Mapping) and "id" in entry else {}


def _leads(state: State[Any], seat: int) -> Json:
    """What each action of a seat leads to (of those that are texts, not ranges of amounts)."""
    found = {}
    for text in (item for item in state.legal_texts(seat) if isinstance(item, str)):
        twin = state.copy()
        twin.do(seat, text)
        found[text] = twin.report()
    return found


def _play(state: State[Any], steps: Sequence[list[Any]]) -> Json:
    """Do the steps; what was wrong with the last where it was refused."""
    for number, step in enumerate(steps):
        seat, text = _step(state, step, number)
        try:
            state.do(seat, text)
        except CasinoError as refusal:
            return {"error": refusal.code, "detail": refusal.detail, "step": number}
    return {}


def set_up(entry: Mapping[str, Any]) -> State[Any]:
    """The state of an entry's position, before its steps."""
    try:
        check(entry, _ENTRY, "")
    except RulesError as refusal:
        raise PositionError(refusal.detail, pointer=refusal.pointer) from None
    position = entry["position"]
    try:
        return find(position["game"]).position(position)  # type: ignore[no-any-return]
    except CasinoError as refusal:
        refusal.pointer = f"/position{refusal.pointer}"
        raise


def _step(state: State[Any], step: list[Any], number: int) -> tuple[int, str]:
    seat, text = step
    if not isinstance(text, str):
        raise NotationError("a step is a seat and a text", pointer=f"/steps/{number}/1")
    if type(seat) is not int or not 0 <= seat < state.game.seats:
        raise PositionError(
            f"there is no such seat: seats are 0 to {state.game.seats - 1}", pointer=f"/steps/{number}/0"
        )
    return seat, text
