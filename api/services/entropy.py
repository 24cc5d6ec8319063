"""Is the randomness of the operating system fit to make seeds of? Looked at before a process serves.

The two start-up tests of NIST SP 800-90B (4.4.1, 4.4.2) on bytes of full entropy, each with a false alarm in 2**-40:
how often a byte comes in a row, and how often the first byte of 512 comes again among them. And no seed comes twice.
They cannot prove that bytes are random; they find a source that is stuck, worn or replaced by a constant.
"""

import os
from collections.abc import Callable
from itertools import groupby
from typing import Final

from casino.chance import SEED_BYTES

IN_A_ROW: Final = 6  # 1 + 40 bits of false alarm over 8 bits a byte
WINDOW: Final = 512
IN_A_WINDOW: Final = 20  # the least number that 512 bytes hold of one value with a chance of at most 2**-40
_BYTES: Final = 16 * WINDOW
Source = Callable[[int], bytes]


class EntropyError(RuntimeError):
    """The source of randomness gave what it must not: nothing may be shuffled from it."""


def check(source: Source = os.urandom) -> None:
    """Take 8 KiB of a source and look at them. Raises EntropyError; what it took is not told."""
    try:
        taken = source(_BYTES)
    except (OSError, NotImplementedError) as error:
        raise EntropyError(f"the operating system gives no random bytes ({type(error).__name__})") from None
    if len(taken) != _BYTES:
        raise EntropyError("the operating system gives fewer random bytes than it was asked for")
    if max(len(list(run)) for _, run in groupby(taken)) >= IN_A_ROW:
        raise EntropyError(f"its random bytes repeat: one came {IN_A_ROW} times in a row or more")
    windows = [taken[at : at + WINDOW] for at in range(0, _BYTES, WINDOW)]
    if any(window.count(window[0]) >= IN_A_WINDOW for window in windows):
        raise EntropyError(f"its random bytes are uneven: one came {IN_A_WINDOW} times in {WINDOW} or more")
    seeds = {taken[at : at + SEED_BYTES] for at in range(0, _BYTES, SEED_BYTES)}
    if len(seeds) < _BYTES // SEED_BYTES or source(SEED_BYTES) in seeds:
        raise EntropyError("its random bytes come again: two seeds were equal")
