"""A game in a terminal against bots: see what the seat sees, type a move, be told what would be right."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from api.terminal import words
from casino.bots import Bot
from casino.bots.moving import next_move
from casino.cards import NAMES
from casino.errors import CasinoError
from casino.record import Recorder

Say = Callable[[str], None]
Ask = Callable[[str], str | None]
"""Asks for a line; None at the end of input."""
_QUIT: Final = ("quit", "exit", "q")
_HELP: Final = """\
Type an action as it is listed, or the end of it («7S» for «play 7S», «2» for «bid 2»); several are parted by «;».
  legal      what you may do        view       the table again
  save FILE  write the record       help       this, and what the actions mean
  quit       stop"""


class Playing:
    """One game being played: `bots` by seat for all seats but `me`."""

    def __init__(
        self,
        recorder: Recorder,
        me: int,
        bots: Mapping[int, Bot],
        meanings: Mapping[str, str],
        say: Say,
        ask: Ask,
    ) -> None:
        self.recorder = recorder
        self.me = me
        self.bots = bots
        self.meanings = meanings
        self.say = say
        self.ask = ask

    def run(self) -> bool:
        """Play to the end; False if the player stopped before."""
        state = self.recorder.state
        self._tell()
        while state.awaited():
            if self.me in state.awaited():
                self._show()
                going = self._turn()
            elif state.legal_texts(self.me) and not self._only_seeds():
                going = self._aside()
            else:
                going = True
                self._bots_move()
            if not going:
                return False
        self._show_end()
        return True

    def _bots_move(self) -> None:
        move = next_move(self.recorder.state, self.bots.get)
        if move is None:
            raise RuntimeError("nobody moves, and nobody is asked")
        self._do(*move)

    def _do(self, seat: int, text: str) -> None:
        self.recorder.do(seat, text)
        self._tell()

    def _tell(self) -> None:
        for event in self.recorder.state.drain():
            line = words.happened(event, self.me, self.me)
            if line:
                self.say(line)

    def _show(self) -> None:
        self.say("")
        for line in words.screen(self.recorder.game.family, self.recorder.state.view(self.me), self.me):
            self.say(line)
        self.say(f"You may: {words.legal(self.recorder.state.legal_texts(self.me))}")

    def _show_end(self) -> None:
        result = self.recorder.state.result()
        if result is None:
            return
        won = ", ".join(words.seat_name(seat, self.me) for seat in result.winners)
        scores = " ".join(map(str, result.scores))
        self.say(f"=== The game is over ({result.reason}): {scores} {result.unit}; won by {won}")

    def _turn(self) -> bool:
        """Ask until something is done; False to stop."""
        while True:
            line = self.ask("> ")
            if line is None or line in _QUIT:
                return False
            if not line or self._command(line):
                continue
            if self._try(line):
                return True

    def _aside(self) -> bool:
        """Others are awaited, but the seat may speak: an empty line keeps silent."""
        legal = words.legal(self.recorder.state.legal_texts(self.me))
        while True:
            line = self.ask(f"Others are to move; you may: {legal} (an empty line: nothing) > ")
            if line is None or line in _QUIT:
                return False
            if not line:
                self._bots_move()
                return True
            if not self._command(line) and self._try(line):
                return True

    def _only_seeds(self) -> bool:
        """Are seeds, or chips for the bank, all that the seat might give while others are awaited?"""
        return all(not isinstance(item, str) for item in self.recorder.state.legal_texts(self.me))

    def _try(self, line: str) -> bool:
        """Do what was typed; False, with the reason, where it cannot be done."""
        try:
            self._do(self.me, "; ".join(self._full(part.strip()) for part in line.split(";")))
        except CasinoError as refusal:
            self.say(f"No: {refusal.detail}")
            return False
        return True

    def _full(self, part: str) -> str:
        """The legal action that a part of a line means, if it is the end of exactly one; else the part as it is."""
        legal = [item for item in self.recorder.state.legal_texts(self.me) if isinstance(item, str)]
        if part in legal:
            return part
        meant = [
            item
            for item in legal
            if item.lower().endswith(f" {part.lower()}") or item.lower() == part.lower()
        ]
        if len(meant) == 1:
            return meant[0]
        if part.upper() in NAMES:  # a card that may not be laid: the game says why
            return f"{'add' if any(item.startswith('add') for item in legal) else 'play'} {part.upper()}"
        return part

    def _command(self, line: str) -> bool:
        """Do what is no move; False if it may be one."""
        word, _, rest = line.partition(" ")
        match word:
            case "help" | "?":
                self.say(_HELP)
                for form, meaning in self.meanings.items():
                    self.say(f"  {form}: {meaning}")
            case "legal":
                self.say(f"You may: {words.legal(self.recorder.state.legal_texts(self.me))}")
            case "view":
                self._show()
            case "save":
                self._save(rest.strip())
            case _:
                return False
        return True

    def _save(self, name: str) -> None:
        if not name:
            self.say("No: name the file, as in «save game.txt»")
            return
        try:
            write_record(self.recorder, name)
        except OSError as fault:
            self.say(f"No: {name} cannot be written: {fault.strerror}")
        else:
            self.say(f"Written: {name}; `macao play --replay {name}` steps through it")


def write_record(recorder: Recorder, name: str) -> None:
    """Write what was played: as JSON to a file that ends in .json, else as a readable text. Raises OSError."""
    record, path = recorder.record(), Path(name)
    as_json = path.suffix == ".json"
    text = json.dumps(record.to_json(), ensure_ascii=False, indent=1) + "\n" if as_json else record.to_text()
    path.write_text(text, encoding="utf-8")
