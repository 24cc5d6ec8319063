"""numba with a cache on disk that notices an edit in any module of kernels.

numba keys a compiled function by its own source file; what was inlined from another module stays stale when that one
is edited. Here the key also holds a digest of every module of this package that holds kernels.
Importing this module imports numba: import it where a kernel is used.
"""

import hashlib
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., object])
_njit: Any = numba.njit  # `_nrt` is an option that its stubs do not name


@cache
def digest(folder: Path = Path(__file__).parent) -> str:
    """Hex SHA-256 of the sources of all modules in `folder` that hold compiled functions."""
    sources = (path.read_bytes() for path in sorted(folder.glob("*.py")))
    kernels = (source for source in sources if b"from analysis.compiled import" in source)
    return hashlib.sha256(b"\0".join(kernels)).hexdigest()


class _KeyedCache(FunctionCache):
    """numba's cache of one function: keyed by all kernels, and emptied if it cannot be read."""

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        key: tuple[Any, ...] = super()._index_key(sig, codegen)  # type: ignore[no-untyped-call]
        return (*key, digest())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            # The index names types of arguments by their class: one that is gone since must not stop the call.
            self.flush()  # type: ignore[no-untyped-call]
            return None


def compiled(function: F) -> F:
    """The function compiled when first called for its types of arguments, and kept on disk."""
    return _kept(function, nogil=True)


def uncounted(function: F) -> F:
    """`compiled` without the counting of references to arrays, for loops that hand arrays on to `inlined` leaves (there
    counting costs ten times the work). It may not make arrays: it is given room to work in."""
    return _kept(function, nogil=True, _nrt=False)


def inlined(function: F) -> F:
    """A leaf of `uncounted` loops that is put in the place of its call."""
    return cast(F, _njit(inline="always", _nrt=False)(function))


def called(function: F) -> F:
    """A leaf of `uncounted` loops that is called, or inlined as the compiler sees fit."""
    return cast(F, _njit(nogil=True, _nrt=False)(function))


def _kept(function: F, **options: Any) -> F:
    dispatcher: Any = _njit(**options)(function)
    dispatcher._cache = _KeyedCache(function)  # type: ignore[no-untyped-call]
    return cast(F, dispatcher)
