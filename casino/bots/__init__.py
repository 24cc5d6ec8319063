"""Bots. A bot sees a view and the legal actions in it, and nothing else."""

from random import Random
from typing import Any, Final, Protocol

from casino.game import View

_SPEAKS: Final = 0.5  # how often a random player says what it may say out of turn


class Bot(Protocol):
    """Plays a seat of any game."""

    def choose(self, view: View) -> str:
        """The text of one legal action of the view's seat; called when the seat is awaited."""

    def aside(self, view: View) -> str | None:
        """What the seat says out of turn («macao», a catch); None to keep silent. Called when it may act and others
        are awaited."""


class Silent:
    """A bot of a game in which nothing is said out of turn."""

    def aside(self, view: View) -> str | None:
        """Nothing."""
        return None


class RandomBot:
    """Picks among the legal actions, each as likely; of an amount any of its range, of bytes up to eight.

    Out of turn it speaks every other time.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def choose(self, view: View) -> str:
        return self.text(self.rng.choice(view["legal"]))

    def aside(self, view: View) -> str | None:
        return self.choose(view) if self.rng.random() < _SPEAKS else None

    def text(self, item: Any) -> str:
        """One action of a legal entry: itself, or an amount or bytes of its range."""
        if isinstance(item, str):
            return item
        ((verb, limits),) = item.items()
        if "max_bytes" in limits:
            return f"{verb} {self.rng.randbytes(self.rng.randint(1, min(8, limits['max_bytes']))).hex()}"
        return f"{verb} {self.rng.randrange(limits['min'], limits['max'] + 1, limits['step'])}"
