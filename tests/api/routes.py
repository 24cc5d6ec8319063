"""The routes of an application as lines of text; run as a script it prints those of the service as it is."""

import tempfile
from pathlib import Path

from flask import Flask

from api import create_app
from api.config import Config


def lines_of(app: Flask) -> list[str]:
    """`METHOD path operation scope cost`, sorted by path; `-` where there is none. Pages and the document too."""
    found = []
    for rule in app.url_map.iter_rules():
        operation = getattr(app.view_functions[rule.endpoint], "operation", None)
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            told = (
                "- - -" if operation is None else f"{operation.id} {operation.scope or '-'} {operation.cost}"
            )
            found.append(f"{method} {rule.rule} {told}")
    return sorted(found, key=lambda line: (line.split()[1], line))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'none.db'}"
        print("\n".join(lines_of(create_app(Config(database_url=url)))))
