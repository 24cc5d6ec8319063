"""`macao play`: a game in the terminal against bots, or a record step by step."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import click

from api.commands.exports import writable
from api.terminal.playing import Playing, write_record
from api.terminal.replaying import Replaying, read_record
from casino.banking.bank import ROTATES
from casino.banking.rounds import HOUSE
from casino.bots import Bot
from casino.bots.banking import BankingBot, check_policy
from casino.bots.policies import SIMPLE, make, read
from casino.catalogue import Listing, find
from casino.chance import SEED_BYTES, derive
from casino.game import Game
from casino.match import match_of
from casino.record import Recorder

_MOST_SEED: Final = 2**256 - 1
Table = tuple[Game[Any], dict[int, Bot]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says of the game to be played."""

    bots: int
    policy: str | None
    seed: int | None
    seat: int | None
    options: str
    target: int | None
    bank: str | None = None

    @property
    def me(self) -> int:
        """The seat of the person."""
        return self.seat or 0


@click.command()
@click.argument("game", required=False)
@click.option(
    "--bots", type=click.IntRange(1, 9), default=1, show_default=True, help="How many play against you."
)
@click.option("--policy", metavar="NAME", help="How bots play: simple, random, search; a banking policy.")
@click.option(
    "--seed", type=click.IntRange(0, _MOST_SEED), metavar="N", help="The same cards again; default: any."
)
@click.option(
    "--seat", type=click.IntRange(0, 9), metavar="K", help="Your seat (0), or whose view a replay shows."
)
@click.option("--options", metavar="JSON", default="{}", help='Options of the game: {"packs": 1}.')
@click.option(
    "--target", type=click.IntRange(1), metavar="N", help="What ends a match: points, or deals won."
)
@click.option(
    "--bank",
    type=click.Choice([HOUSE, ROTATES]),
    help="Banking games: the house banks (the default), or every seat once.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    callback=writable,
    metavar="FILE",
    help="Write the record there at the end: JSON if its name ends in .json, else lines to read.",
)
@click.option(
    "--replay", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="Step through a record."
)
def play(game: str | None, replay: str | None, save: str | None, **asked: Any) -> None:
    """Play GAME against bots: see your hand and the table, type a move (`help` tells how).

    The input may come from a file or a pipe as well: `macao play peklo < moves.txt`. With --replay a record is stepped
    through instead.
    """
    if (game is None) == (replay is None):
        raise click.UsageError("name either a GAME (`macao games` lists them) or a record with --replay")
    if replay is not None:
        _replay(replay, asked["seat"])
        return
    wanted = Asked(**asked)
    listing = find(str(game))
    number = int.from_bytes(os.urandom(8), "big") if wanted.seed is None else wanted.seed
    key = number.to_bytes(SEED_BYTES, "big")
    made, players = _TABLES[listing.family](listing, wanted, key)
    recorder = Recorder(made, key)
    click.echo(
        f"{listing.name}: {listing.title}.\n"
        f"You are seat {wanted.me} of {made.seats}; --seed {number} deals this again; «help» helps."
    )
    Playing(recorder, wanted.me, players, listing.actions, click.echo, _ask).run()
    if save is not None:
        try:
            write_record(recorder, save)
        except OSError as fault:
            raise click.ClickException(f"{save} cannot be written: {fault.strerror}") from None


def _replay(name: str, seat: int | None) -> None:
    record = read_record(_text(name))
    if seat is not None and seat >= record.seats:
        raise click.UsageError(f"the record has the seats 0 to {record.seats - 1}")
    Replaying(record, seat, click.echo, _ask).run()


def _banking(listing: Listing, asked: Asked, key: bytes) -> Table:
    """You and bots, against the house in the last seat or with the bank going round."""
    if asked.target is not None:
        raise click.UsageError("--target goes with games that are played in matches")
    bank = asked.bank or HOUSE
    people = asked.bots + 1
    if asked.me >= people:
        raise click.UsageError(f"--seat is 0 to {asked.bots}")
    game: Any = listing.game(_json(asked.options), people + (bank == HOUSE)).arranged({"bank": bank})
    if asked.policy is not None:
        check_policy(game.rules, asked.policy, "--policy")
    players: dict[int, Bot] = {
        seat: BankingBot(game.rules, asked.policy) for seat in range(people) if seat != asked.me
    }
    if bank == HOUSE:
        players[people] = BankingBot(game.rules, bank=game.purse)
    return game, players


def _match(listing: Listing, asked: Asked, key: bytes) -> Table:
    """You and bots in a match."""
    if asked.bank is not None:
        raise click.UsageError("--bank goes with banking games")
    seats = asked.bots + 1
    if asked.me >= seats:
        raise click.UsageError(f"--seat is 0 to {seats - 1}")
    policy = read(asked.policy or SIMPLE, listing.family, "--policy")
    game = listing.game(_json(asked.options), seats)
    changes: Mapping[str, Any] = {} if asked.target is None else {"target": asked.target}
    players: dict[int, Bot] = {
        seat: make(policy, game, Random(derive(key, "bot", seat)))  # noqa: S311 (a bot's whims are no secret)
        for seat in range(seats)
        if seat != asked.me
    }
    return match_of(game, changes, pointer="--"), players


_TABLES: Final[dict[str, Callable[[Listing, Asked, bytes], Table]]] = {
    "banking": _banking,
    "shedding": _match,
    "tricks": _match,
}


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise click.UsageError(f"--options is not JSON: {fault}") from None
    if not isinstance(found, dict):
        raise click.UsageError('--options must be a JSON object, as in {"packs": 1}')
    return found


def _text(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise click.UsageError(f"{name} cannot be read: {fault}") from None


def _ask(prompt: str) -> str | None:
    """A line that was typed; None at the end of input, and for Ctrl+C. What comes from a pipe is shown as if typed."""
    try:
        line = input(prompt).strip()
    except (EOFError, KeyboardInterrupt):
        click.echo()
        return None
    if not sys.stdin.isatty():
        click.echo(line)
    return line
