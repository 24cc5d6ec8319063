"""Bots. A bot sees a view and the legal actions in it, and nothing else."""

from random import Random
from typing import Any, Protocol

from casino.game import View


class Bot(Protocol):
    """Plays a seat of any game: called when the seat is awaited."""

    def choose(self, view: View) -> str:
        """The text of one legal action of the view's seat."""


class RandomBot:
    """Picks among the legal actions, each as likely; of an amount any of its range, of bytes up to eight."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def choose(self, view: View) -> str:
        return self.text(self.rng.choice(view["legal"]))

    def text(self, item: Any) -> str:
        """One action of a legal entry: itself, or an amount or bytes of its range."""
        if isinstance(item, str):
            return item
        ((verb, limits),) = item.items()
        if "max_bytes" in limits:
            return f"{verb} {self.rng.randbytes(self.rng.randint(1, min(8, limits['max_bytes']))).hex()}"
        return f"{verb} {self.rng.randrange(limits['min'], limits['max'] + 1, limits['step'])}"
