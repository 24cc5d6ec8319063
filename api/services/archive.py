"""The file of a backup: a zip of one text a table (a JSON array a line) and a manifest, written and read in a stream.

The manifest names the version that made it, the revision of the schema, the head of the ledger's chain, and for each
table its columns, the number of its rows and the SHA-256 of its text; `digest` is the SHA-256 of all that. Any zip
program opens the file. It holds seeds that are not revealed yet and the digests of keys: only its owner may read it.
"""

import hashlib
import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

FORMAT: Final = "macao backup 1"
_MANIFEST: Final = "manifest.json"
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    NotImplementedError,
    OSError,  # a place in the file that cannot be
)


class ArchiveError(Exception):
    """An archive that cannot be written or taken; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """One table's text."""

    table: str
    columns: list[str]
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says of itself. `chain` is the number and hash of the last transfer, `database` its kind."""

    format: str
    made_at: str
    version: str
    schema: str
    database: str
    chain: tuple[int, str]
    parts: tuple[Part, ...]

    @property
    def digest(self) -> str:
        """Hex SHA-256 of everything the manifest says, and so of everything in the archive."""
        return hashlib.sha256(_ENCODE(asdict(self)).encode()).hexdigest()

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(part.rows for part in self.parts)


class Writer:
    """Adds one table after the other to a new archive."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.parts: list[Part] = []

    def add(self, table: str, columns: list[str], rows: Iterable[list[Any]]) -> None:
        """Write a table's rows as they come."""
        seen, count = hashlib.sha256(), 0
        with self._archive.open(_name(table), "w", force_zip64=True) as member:
            for row in rows:
                line = _ENCODE(row).encode() + b"\n"
                seen.update(line)
                member.write(line)
                count += 1
        self.parts.append(Part(table, columns, count, seen.hexdigest()))

    def close(self, manifest: Manifest) -> None:
        """Write the manifest, which is the last of the archive."""
        text = json.dumps({**asdict(manifest), "digest": manifest.digest}, indent=1, ensure_ascii=False)
        self._archive.writestr(_MANIFEST, text)


class Reader:
    """An archive whose manifest has been read and is whole."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path = path
        self._archive = archive
        with _telling(path):
            self.manifest = _manifest(json.loads(archive.read(_MANIFEST)))

    def rows(self, part: Part) -> Iterator[list[Any]]:
        """The rows of a table as they were written; the last is followed by a check of their number and hash."""
        seen, count = hashlib.sha256(), 0
        with _telling(self._path):
            with self._archive.open(_name(part.table)) as member:
                for line in io.BufferedReader(member):  # type: ignore[type-var]
                    seen.update(line)
                    count += 1
                    yield json.loads(line)
            if (count, seen.hexdigest()) != (part.rows, part.sha256):
                raise ValueError(f"table {part.table} is not what the manifest says")

    def verify(self) -> None:
        """Read everything once. Raises ArchiveError at the first thing that is not as the manifest says."""
        for part in self.manifest.parts:
            for _ in self.rows(part):
                pass


@contextmanager
def create(path: Path) -> Iterator[Writer]:
    """A new archive. There is a file at `path` only if the block ends well, and then it is whole and on the disk."""
    if path.exists():
        raise ArchiveError(f"{path} is there already: name another file, nothing is overwritten")
    handle, part = tempfile.mkstemp(
        prefix=f"{path.name}.", suffix=".part", dir=path.parent
    )  # for its owner only
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                yield Writer(archive)
            file.flush()
            os.fsync(file.fileno())
        Path(part).rename(path)
    except BaseException:
        with suppress(OSError):
            Path(part).unlink()
        raise


@contextmanager
def opened(path: Path) -> Iterator[Reader]:
    """An archive to read. Raises ArchiveError where it is none, or broken, and OSError."""
    with path.open("rb") as file:
        with _telling(path):
            archive = zipfile.ZipFile(file)
        with archive:
            yield Reader(path, archive)


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """One sentence for whatever a broken file makes its readers raise."""
    try:
        yield
    except _BROKEN as fault:
        raise ArchiveError(f"{path} is no whole archive of «macao backup»: {str(fault)[:200]}") from fault


def _name(table: str) -> str:
    return f"tables/{table}.jsonl"


def _manifest(told: dict[str, Any]) -> Manifest:
    digest = told.pop("digest")
    if told["format"] != FORMAT:
        raise ValueError(f"its format is {str(told['format'])[:40]!r}, not {FORMAT!r}")
    parts = tuple(Part(**part) for part in told.pop("parts"))
    manifest = Manifest(**{**told, "chain": tuple(told["chain"]), "parts": parts})
    if manifest.digest != digest:
        raise ValueError("the manifest is not what its digest says")
    return manifest
