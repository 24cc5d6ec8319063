"""Stepping through a record: forward, back, to any action, seen from a seat."""

import json
from typing import Any, Final

from api.terminal import words
from api.terminal.playing import Ask, Say
from casino.errors import NotationError
from casino.game import State
from casino.record import Record, Recorder

_HELP: Final = (
    "An empty line goes on, «b» goes back, a number goes to that action, «end» to the last, «seat K» looks from a seat,"
    " «quit» stops."
)


def read_record(text: str) -> Record:
    """The record of a text or of JSON; also of what REST tells of a deal, which has one as `record`.

    Raises NotationError.
    """
    if not text.lstrip().startswith("{"):
        return Record.from_text(text)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise NotationError(f"this is not JSON: {fault}") from None
    return Record.from_json(data.get("record", data))


class Replaying:
    """A record being looked through. `seat`: whose view is shown; None: that of the seat that is awaited."""

    def __init__(self, record: Record, seat: int | None, say: Say, ask: Ask) -> None:
        record.replay()  # refused here if it does not go as it says
        self.record = record
        self.seat = seat
        self.say = say
        self.ask = ask
        self.done = 0
        self.state: State[Any] = Recorder(record.build(), record.seed).state

    def run(self) -> None:
        """Show the start, then go where the lines say, until the input or the record ends."""
        self.say(
            f"{self.record.game}, {self.record.seats} seats, {len(self.record.actions)} actions. {_HELP}"
        )
        self._show()
        while (line := self.ask(f"{self.done}/{len(self.record.actions)} > ")) is not None:
            if line in ("quit", "exit", "q"):
                return
            if not self._obey(line):
                self.say(_HELP)

    def _obey(self, line: str) -> bool:
        last = len(self.record.actions)
        word, _, rest = line.partition(" ")
        if line == "":
            if self.done == last:
                self.say("That was the last action.")
            self._go(self.done + 1)
        elif line == "b":
            self._go(self.done - 1)
        elif line == "end":
            self._go(last)
        elif _is_number(line):
            self._go(int(line))
        elif word == "seat" and _is_number(rest) and int(rest) < self.record.seats:
            self.seat = int(rest)
            self._show()
        else:
            return False
        return True

    def _go(self, wanted: int) -> None:
        """Play on to an action, from the start where it lies behind."""
        wanted = max(0, min(wanted, len(self.record.actions)))
        if wanted < self.done:
            self.state, self.done = Recorder(self.record.build(), self.record.seed).state, 0
        while self.done < wanted:
            seat, text = self.record.actions[self.done]
            self.state.drain()
            self.state.do(seat, text)
            self.done += 1
        self._show()

    def _show(self) -> None:
        awaited = self.state.awaited()
        viewer = self.seat if self.seat is not None else awaited[0] if awaited else None
        self.say("")
        for event in self.state.drain():
            line = words.happened(event, viewer, None)
            if line:
                self.say(line)
        for line in words.screen(self.state.game.family, self.state.view(viewer), None):
            self.say(line)
        whose = "" if viewer is None else f" (seen from seat {viewer})"
        told = ", ".join(map(str, awaited))
        self.say(f"Seat {told} is to move{whose}" if awaited else f"Nobody is to move{whose}")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 9
