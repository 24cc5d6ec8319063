"""Records: a game that can be played again, move by move and card by card, for ever.

A record is game, rules, seats, seed and actions; it also keeps every shuffled order, so that it says what was dealt
even to one who has another generator. As JSON, or as text for people, and both can be read back:

    macao record 1
    game house
    seats 2
    seed 0000000000000000000000000000000000000000000000000000000000000007
    setup {"bank": "rotates", "banks": 0, "purse": 10000}
    option decks 2
    …

    shuffle 7S KD …
    0 bank 500
    1 stake 10
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from casino.cards import faces, names
from casino.catalogue import find
from casino.deal_game import DEAL, deal_of
from casino.errors import CasinoError, NotationError, RecordError, RulesError
from casino.game import Game, Json, State
from casino.match import match_of
from casino.options import Schema, check

VERSION: Final = 1
_TITLE: Final = f"macao record {VERSION}"
_SHUFFLE: Final = "shuffle"
_SCHEMA: Final[Schema] = {
    "type": "object",
    "properties": {
        "version": {"const": VERSION},
        "game": {"type": "string"},
        "options": {"type": "object"},
        "seats": {"type": "integer", "minimum": 1, "maximum": 100},
        "setup": {"type": "object"},
        "seed": {"type": "string"},
        "actions": {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 2}},
        "shuffles": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "after": {"type": "integer", "minimum": 0, "maximum": 10**9},
                    "cards": {"type": "string"},
                },
                "required": ["after", "cards"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["version", "game", "options", "seats", "setup", "seed", "actions", "shuffles"],
    "additionalProperties": False,
}
_ENTRY: Final[tuple[Schema, Schema]] = ({"type": "integer", "minimum": 0, "maximum": 99}, {"type": "string"})


@dataclass(frozen=True, slots=True)
class Shuffle:
    """An order of cards that was shuffled once `after` actions were done."""

    after: int
    cards: tuple[int, ...]


@dataclass(frozen=True)
class Record:
    """A game, as far as it was played. `options` are all rules (a match's under `match`)."""

    game: str
    options: Json
    seats: int
    setup: Json
    seed: bytes
    actions: tuple[tuple[int, str], ...]
    shuffles: tuple[Shuffle, ...]

    def build(self) -> Game[Any]:
        """The game that is recorded. Raises UnknownGame or RulesError."""
        options, setup = dict(self.options), dict(self.setup)
        match, deal = options.pop("match", None), setup.pop(DEAL, None)
        game = find(self.game).game(options, self.seats).arranged(setup)
        if deal is not None:
            return deal_of(game, deal, pointer=f"/setup/{DEAL}")
        return game if match is None else match_of(game, match, pointer="/options/match")

    def replay(self) -> State[Any]:
        """Play it again. Raises RecordError where an action is refused or other cards are shuffled."""
        recorder = Recorder(self.build(), self.seed)
        for number, (seat, text) in enumerate(self.actions):
            try:
                recorder.do(seat, text)
            except CasinoError as refusal:
                detail = f"action {number} («{text[:40]}» by seat {seat}) is refused: {refusal.detail}"
                raise RecordError(detail, pointer=f"/actions/{number}") from refusal
        found = recorder.shuffles
        for number, (told, made) in enumerate(zip(self.shuffles, found, strict=False)):
            if told != made:
                raise RecordError(
                    "this game shuffles its cards into another order", pointer=f"/shuffles/{number}"
                )
        if len(found) != len(self.shuffles):
            raise RecordError(
                f"this game shuffles {len(found)} times, the record {len(self.shuffles)} times",
                pointer="/shuffles",
            )
        return recorder.state

    def to_json(self) -> Json:
        """The record as JSON values."""
        return {
            "version": VERSION,
            "game": self.game,
            "options": self.options,
            "seats": self.seats,
            "setup": self.setup,
            "seed": self.seed.hex(),
            "actions": [list(action) for action in self.actions],
            "shuffles": [{"after": made.after, "cards": names(made.cards)} for made in self.shuffles],
        }

    @classmethod
    def from_json(cls, data: Any) -> "Record":
        """The record that `to_json` wrote. Raises NotationError with a pointer."""
        try:
            check(data, {"type": "object"}, "")
            check(data, _SCHEMA, "")
            for number, entry in enumerate(data["actions"]):
                for place, schema in enumerate(_ENTRY):
                    check(entry[place], schema, f"/actions/{number}/{place}")
        except RulesError as refusal:
            raise NotationError(f"not a record: {refusal.detail}", pointer=refusal.pointer) from None
        return cls(
            data["game"],
            dict(data["options"]),
            data["seats"],
            dict(data["setup"]),
            _seed(data["seed"], "/seed"),
            tuple((seat, text) for seat, text in data["actions"]),
            tuple(
                Shuffle(made["after"], tuple(faces(made["cards"], pointer=f"/shuffles/{number}/cards")))
                for number, made in enumerate(data["shuffles"])
            ),
        )

    def to_text(self) -> str:
        """The record as lines for people; `from_text` reads them back."""
        head = [_TITLE, f"game {self.game}", f"seats {self.seats}", f"seed {self.seed.hex()}"]
        head.append(f"setup {_json(self.setup)}")
        head += [f"option {name} {_json(value)}" for name, value in self.options.items()]
        lines = [*head, ""]
        waiting = list(self.shuffles)
        for done in range(len(self.actions) + 1):
            while waiting and waiting[0].after == done:
                lines.append(f"{_SHUFFLE} {names(waiting.pop(0).cards)}")
            if done < len(self.actions):
                seat, text = self.actions[done]
                lines.append(f"{seat} {text}")
        return "\n".join(lines) + "\n"

    @classmethod
    def from_text(cls, text: str) -> "Record":
        """The record of a text: empty lines and lines that begin with # say nothing.

        Raises NotationError that names the line.
        """
        return _Lines(text).record()


class Recorder:
    """Plays a game from a seed and writes it down."""

    def __init__(self, game: Game[Any], seed: bytes) -> None:
        self.game = game
        self.seed = seed
        self.state = game.start(seed)
        self.actions: list[tuple[int, str]] = []
        self.shuffles: list[Shuffle] = []
        self._note()

    def do(self, seat: int, text: str) -> None:
        """Do an action of a seat and note it. A refused one is not noted."""
        self.state.do(seat, text)
        self.actions.append((seat, text))
        self._note()

    def _note(self) -> None:
        self.shuffles += [Shuffle(len(self.actions), tuple(order)) for order in self.state.drain_shuffles()]

    def record(self) -> Record:
        """What has been played so far."""
        game = self.game
        actions, shuffles = tuple(self.actions), tuple(self.shuffles)
        return Record(game.name, game.options, game.seats, game.setup, self.seed, actions, shuffles)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _seed(text: str, pointer: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise NotationError("a seed is bytes in hex, as in «00ff»", pointer=pointer) from None


class _Lines:
    """A record's text being read: head lines by their first word, then shuffles and actions in order."""

    def __init__(self, text: str) -> None:
        lines = enumerate(text.splitlines(), 1)
        self.lines = [(number, line.strip()) for number, line in lines if line.strip() and line[0] != "#"]
        self.head: dict[str, str] = {}
        self.options: Json = {}
        self.actions: list[tuple[int, str]] = []
        self.shuffles: list[Shuffle] = []

    def record(self) -> Record:
        if not self.lines or self.lines[0][1] != _TITLE:
            raise NotationError(f"a record begins with the line «{_TITLE}»", pointer="/1")
        for number, line in self.lines[1:]:
            try:
                self._read(line)
            except CasinoError as refusal:
                raise NotationError(f"line {number}: {refusal.detail}", pointer=f"/{number}") from None
        for word in ("game", "seats", "seed", "setup"):
            if word not in self.head:
                raise NotationError(f"the line «{word} …» is missing", pointer="/1")
        return Record.from_json(
            {
                "version": VERSION,
                "game": self.head["game"],
                "options": self.options,
                "seats": _number(self.head["seats"]),
                "setup": _value(self.head["setup"]),
                "seed": self.head["seed"],
                "actions": [list(action) for action in self.actions],
                "shuffles": [{"after": made.after, "cards": names(made.cards)} for made in self.shuffles],
            }
        )

    def _read(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == _SHUFFLE:
            self.shuffles.append(Shuffle(len(self.actions), tuple(faces(rest))))
        elif word == "option":
            name, _, value = rest.partition(" ")
            if name in self.options:
                raise NotationError(f"«option {name[:40]}» stands in a line above already: give it once")
            self.options[name] = _value(value)
        elif word.isdecimal():
            self.actions.append((_number(word), rest))
        elif word in ("game", "seats", "seed", "setup") and word not in self.head:
            self.head[word] = rest
        else:
            raise NotationError(f"«{line[:40]}» is not a line of a record")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NotationError(f"«{text[:20]}» is not a number")
    return int(text)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise NotationError(f"«{text[:40]}» is not a JSON value") from None


def play(game: Game[Any], seed: bytes, actions: Iterable[tuple[int, str]]) -> Record:
    """The record of these actions from a seed."""
    recorder = Recorder(game, seed)
    for seat, text in actions:
        recorder.do(seat, text)
    return recorder.record()
