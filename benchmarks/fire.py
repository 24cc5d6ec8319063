"""The ledger under fire: clients in several processes at two servers on one database, until so many writes are done;
then the eight invariants from the rows alone, and `macao ledger check`. Ends with 1 if anything was found.

    python benchmarks/fire.py [--database sqlite|postgresql] [--processes 8] [--writes 9500]

With the questions that players ask besides, 9,500 writes are more than 20,000 operations.
"""

import argparse
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.api.fire.fresh import KINDS, databases  # noqa: E402
from tests.api.fire.parallel import run  # noqa: E402


def main() -> int:
    """Run it, print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--database", choices=KINDS, action="append", help="default: both")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument(
        "--writes", type=int, default=9_500, help="a request counts once, whatever its copies"
    )
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    versions = f"SQLAlchemy {version('sqlalchemy')}, gunicorn {version('gunicorn')}"
    print(f"Python {platform.python_version()}, {versions}, {wanted.processes} processes, 2 servers")
    faults = 0
    for kind in wanted.database or KINDS:
        with databases(kind) as fresh, tempfile.TemporaryDirectory(prefix="macao-fire-") as folder:
            outcome = run(
                fresh(), Path(folder), processes=wanted.processes, writes=wanted.writes, seed=wanted.seed
            )
        print(f"{kind:<11}{outcome.told()}", flush=True)
        for fault in outcome.faults[:20]:
            print(f"  invariant {fault.invariant}: {fault.text}")
        faults += len(outcome.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
