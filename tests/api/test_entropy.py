"""The look at the machine's randomness before the service starts (NIST SP 800-90B, 4.4)."""

import os
from collections.abc import Callable
from fractions import Fraction
from math import comb
from random import Random

import pytest
from click.testing import CliRunner

from api import create_app
from api.cli import main
from api.config import Config
from api.services import entropy
from api.services.entropy import IN_A_ROW, IN_A_WINDOW, WINDOW, EntropyError, check

Source = Callable[[int], bytes]


def test_the_bounds_are_those_of_the_standard() -> None:
    """A false alarm of 2**-40: C = 1 + 40/8; and the least C for which a byte's 511 followers hold it C - 1 times."""
    assert IN_A_ROW == 1 + 40 // 8

    def tail(least: int) -> Fraction:
        p = Fraction(1, 256)
        ways = (comb(WINDOW - 1, k) * p**k * (1 - p) ** (WINDOW - 1 - k) for k in range(least, WINDOW))
        return sum(ways, Fraction(0))

    assert tail(IN_A_WINDOW - 1) <= Fraction(1, 2**40) < tail(IN_A_WINDOW - 2)


def test_good_sources_pass() -> None:
    check()
    for seed in range(50):
        check(Random(seed).randbytes)


def stuck(size: int) -> bytes:
    """One byte for ever."""
    return bytes(size)


def short_cycle(size: int) -> bytes:
    """The same 32 bytes again and again: no byte in a row, none too frequent."""
    return (bytes(range(100, 132)) * (size // 32 + 1))[:size]


def sticky(size: int) -> bytes:
    """Random, but for one run of six."""
    taken = bytearray(Random(1).randbytes(size))
    taken[1000:1006] = b"\x07" * 6
    return bytes(taken)


def uneven(size: int) -> bytes:
    """One byte in eight is the same."""
    rng = Random(2)
    return bytes(66 if rng.random() < 1 / 8 else rng.randrange(256) for _ in range(size))


def generator_that_starts_anew(size: int) -> bytes:
    """A generator seeded with a constant: each call gives what the last one gave."""
    return Random(3).randbytes(8192)[:size]


def short(size: int) -> bytes:
    """Fewer than asked for."""
    return os.urandom(size - 1)


def broken(size: int) -> bytes:
    """No source at all."""
    raise NotImplementedError


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (stuck, "repeat"),
        (sticky, "repeat"),
        (uneven, "uneven"),
        (short_cycle, "again"),
        (generator_that_starts_anew, "again"),
        (short, "fewer"),
        (broken, "no random bytes"),
    ],
)
def test_a_bad_source_is_refused_with_its_reason(source: Source, reason: str) -> None:
    with pytest.raises(EntropyError, match=reason):
        check(source)


def test_nothing_is_started_on_bad_randomness(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an application nor `macao serve`, which says so in one line."""

    def refuse() -> None:
        raise EntropyError("its random bytes repeat")

    def listen(_config: Config) -> None:
        raise AssertionError("it was about to listen")

    monkeypatch.setattr(entropy, "check", refuse)
    monkeypatch.setattr("api.commands.serve._listen", listen)
    with pytest.raises(EntropyError):
        create_app(Config(database_url=sqlite_url))
    found = CliRunner().invoke(main, ["serve", "--database-url", sqlite_url, "--bind", "127.0.0.1:0"])
    assert found.exit_code == 1
    assert "nothing may be shuffled on this machine: its random bytes repeat" in found.output
