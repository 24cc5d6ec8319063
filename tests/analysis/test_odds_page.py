"""The figures of the page on odds are what the commands give."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from api.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "odds.md").read_text(encoding="utf-8")
_ROW = re.compile(r"\| `([^`]+)` \| ([-+][\d.]+) \| ([-+][\d.]+) \|")
_SIDES = re.compile(r"\| `([\w-]+)` \| `([^`]+)` \| ([-+][\d.]+) % \| ([-+][\d.]+) % \|")


def _run(*words: str) -> str:
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0, found.output
    return found.output


def _percent(answer: dict[str, Any], side: str) -> str:
    return f"{100 * answer[f'ev_{side}']['float']:+.4f}"


def test_commands_print_what_the_page_shows() -> None:
    block = re.search(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    commands = block[1].split("$ ")[1:]
    assert len(commands) == 4
    for command in commands:
        words, _, shown = command.partition("\n")
        assert _run(*shlex.split(words)[1:]).startswith(shown.removesuffix("…\n"))


def _sides() -> list[Any]:
    """The rows of both sides; an equilibrium with discards takes its time."""
    slow = ("russian-multiple-active", "--punter equilibrium --banker equilibrium")
    return [
        pytest.param(*row, marks=pytest.mark.slow if row[:2] == slow else ()) for row in _SIDES.findall(PAGE)
    ]


@pytest.mark.parametrize(("name", "policies", "punter", "banker"), _sides())
def test_what_each_side_can_reach(name: str, policies: str, punter: str, banker: str) -> None:
    answer = json.loads(_run("edge", name, *shlex.split(policies), "--json"))
    assert (_percent(answer, "punter"), _percent(answer, "banker")) == (punter, banker)


def _options() -> list[tuple[str, str, str, str]]:
    parts = re.split(r"From `([\w-]+)` \(", PAGE)[1:]
    return [
        (base, *row) for base, text in zip(parts[::2], parts[1::2], strict=True) for row in _ROW.findall(text)
    ]


@pytest.mark.parametrize(("base", "change", "punter", "worth"), _options())
def test_what_each_option_is_worth(base: str, change: str, punter: str, worth: str) -> None:
    plain, turned = (
        json.loads(_run("edge", base, "--punter", "optimal", *change_words, "--json"))
        for change_words in ((), ("--set", change))
    )
    assert _percent(turned, "punter") == punter
    assert f"{100 * (turned['ev_punter']['float'] - plain['ev_punter']['float']):+.4f}" == worth


def test_every_preset_is_told() -> None:
    from casino.banking.presets import PRESETS  # noqa: PLC0415

    assert {row[0] for row in _SIDES.findall(PAGE)} == set(PRESETS)
    assert len(_options()) == 37
