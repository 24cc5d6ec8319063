"""The generated parts of docs/api.md and docs/configuration.md are what the code says (`docs/generate.py`)."""

import importlib.util
import re
from dataclasses import fields
from pathlib import Path

import pytest

import api
from api import codes, config
from api.codes import FURTHER
from api.services.errors import ServiceError

ROOT = Path(api.__file__).parent.parent
DOCS = ROOT / "docs"
_spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


@pytest.mark.parametrize("file", list(generate.PARTS))
def test_generated_parts_are_up_to_date(file: str) -> None:
    text = (DOCS / file).read_text(encoding="utf-8")
    assert text == generate.generated(file), f"docs/{file} is out of date: run python docs/generate.py"


def test_every_code_that_is_raised_is_in_the_catalogue() -> None:
    known = {entry.code for entry in codes.catalogue()}
    raised = {}
    for folder in ("api", "casino"):
        for path in (ROOT / folder).rglob("*.py"):
            for code in re.findall(r"""\bcode=(f?"[^"]+")""", path.read_text(encoding="utf-8")):
                raised[code] = path.name
    assert len(raised) >= 10
    for code, where in raised.items():
        pattern = re.sub(r"\{[^}]*\}", "[a-z_]+", code.removeprefix("f").strip('"'))
        assert any(re.fullmatch(pattern, name) for name in known), (
            f"{where} raises {code}: name it in api/codes.py"
        )


def test_the_catalogue_names_no_code_that_is_never_raised() -> None:
    text = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "api").rglob("*.py") if path.name != "codes.py"
    )
    patterns = [re.sub(r"\{[^}]*\}", "[a-z_]+", code) for code in re.findall(r'\bcode=f?"([^"]+)"', text)]
    for code, (base, _) in FURTHER.items():
        assert issubclass(base, ServiceError)
        assert any(re.fullmatch(pattern, code) for pattern in patterns), f"nobody raises {code}"


def test_every_setting_has_a_variable_of_its_own() -> None:
    names = [config.variable(item.name) for item in fields(config.Config)]
    assert len(set(names)) == len(names)
    assert {"MACAO_DATABASE_URL", "MACAO_BIND", "MACAO_EXECUTOR_URL"} <= set(names)
