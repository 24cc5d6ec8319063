"""Write the generated parts of the documentation anew: `python docs/generate.py`. A test holds them to the code."""

import re
from pathlib import Path
from typing import Final

from analysis import stops, systems
from api import codes, config

FOLDER: Final = Path(__file__).parent
# file: (mark, what stands between `<!-- mark: … -->` and `<!-- /mark -->`)
PARTS: Final = {
    "api.md": ("codes", codes.table()),
    "configuration.md": ("settings", config.table()),
    "bankroll.md": ("options", systems.table() + "\n" + stops.table()),
}


def generated(file: str) -> str:
    """The text of a file with its part written anew. Raises ValueError if it has no such part."""
    mark, made = PARTS[file]
    text = (FOLDER / file).read_text(encoding="utf-8")
    pattern = rf"(<!-- {mark}: [^>]*-->\n).*?(<!-- /{mark} -->)"
    written, count = re.subn(pattern, lambda found: found[1] + made + found[2], text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"{file} has {count} parts «{mark}», not 1")
    return written


if __name__ == "__main__":
    for name in PARTS:
        (FOLDER / name).write_text(generated(name), encoding="utf-8")
