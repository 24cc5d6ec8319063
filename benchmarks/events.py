"""How soon a long poll is answered once an event is committed: at the same server process, and at another.

Two `macao serve` masters on one SQLite file; a poll waits at each, an action is sent to the first, and the time from
the end of the action's answer to the end of the poll's answer is taken. To reach on an idle machine: below 100 ms.
"""

import argparse
import json
import platform
import statistics
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path

from api_floor import Connection, free_port, served


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40, help="events to wait for at each process")
    rounds = parser.parse_args().rounds
    print(
        f"Python {platform.python_version()}, gunicorn {version('gunicorn')}, SQLAlchemy {version('sqlalchemy')}"
    )
    with tempfile.TemporaryDirectory() as folder:
        ports = [free_port(), free_port()]
        macao = [str(Path(sys.executable).with_name("macao")), "serve"]
        settings = {"MACAO_DATABASE_URL": f"sqlite:///{folder}/macao.db", "MACAO_LOG_LEVEL": "warning"}
        first = served(macao, {**settings, "MACAO_BIND": f"127.0.0.1:{ports[0]}"}, ports[0], "/livez")
        with first, served(macao, {**settings, "MACAO_BIND": f"127.0.0.1:{ports[1]}"}, ports[1], "/livez"):
            for name, port in zip(("same process", "other process"), ports, strict=True):
                waits = sorted(measure(ports[0], port, rounds))
                print(
                    f"{name:14} median {statistics.median(waits):5.1f} ms   worst of {rounds}: {waits[-1]:5.1f} ms"
                    "   (to reach: below 100)"
                )


def measure(acting: int, polling: int, rounds: int) -> list[float]:
    """Milliseconds from the answer to an action at one port to that of a poll at the other."""
    connection = Connection(acting)
    _, body = connection.call("POST", "/v1/players", "", b'{"name": "Ada"}')
    key = json.loads(body)["api_key"]
    _, body = connection.call("POST", "/v1/tables", key, b'{"game": "house"}')
    table = json.loads(body)
    last, found = table["events"], []
    for turn in range(rounds):
        done: list[float] = []

        def poll(after: int = last, done: list[float] = done) -> None:
            Connection(polling).call("GET", f"/v1/tables/{table['id']}/events?after={after}&wait=20", key)
            done.append(time.perf_counter())

        waiting = threading.Thread(target=poll)
        waiting.start()
        time.sleep(0.1)
        action = b'{"action": "%s"}' % (b"stake 5", b"stand")[turn % 2]
        _, body = connection.call("POST", f"/v1/tables/{table['id']}/actions", key, action)
        acted = time.perf_counter()
        waiting.join()
        last = json.loads(body)["events"]
        found.append((done[0] - acted) * 1000)
    return found


if __name__ == "__main__":
    main()
