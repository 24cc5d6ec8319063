"""Memory of a process with many threads.

glibc gives threads arenas of their own, up to eight for each processor, and each keeps what was once needed in it: the
process seems to grow for hours. Requests hold the interpreter's lock while they allocate, so two arenas serve them.
"""

import ctypes
from contextlib import suppress
from typing import Final

_M_ARENA_MAX: Final = -8  # malloc.h
_ARENAS: Final = 2


def share_arenas() -> None:
    """Let the threads of this process share arenas; called before there are any. Other libraries of C have none."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)
