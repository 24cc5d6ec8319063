"""The load of `benchmarks/load.py` in small: a few players at tables of every kind for some seconds, then the audit.

The full size, 500 players at 100 tables for ten minutes on either database, and its figures: docs/load.md.
"""

import pytest

from benchmarks.load import Plan, run, shares

SMALL = Plan(players=20, tables=8, seconds=5, think=0.2)


def test_a_small_house_is_played_without_a_fault() -> None:
    outcome = run("sqlite", SMALL)
    assert outcome.faults == []
    asked = {name: len(values) for name, values in outcome.tally.seconds.items()}
    assert asked["register"] == SMALL.players
    assert asked["open"] >= SMALL.tables
    for kind in ("house", "rotating", "shedding", "peklo"):
        assert asked[f"act {kind}"] > 0, asked
    assert outcome.played["coups"] > 0
    assert outcome.memory, "the server's memory was looked at"


def test_everybody_is_seated_once_or_looks_round() -> None:
    """500 players at 100 tables, in two shares: every table has people, none more than its kind seats."""
    parts = shares(0, Plan(players=500, tables=100, seconds=600, think=3))
    tables = [table for part in parts for table in part.tables]
    assert len(tables) == 100
    assert all(1 <= people <= kind.most for kind, people in tables)
    assert sum(people for _, people in tables) + sum(part.visitors for part in parts) == 500


def test_too_few_players_for_the_tables_are_told_so() -> None:
    with pytest.raises(SystemExit, match="need at least"):
        shares(0, Plan(players=5, tables=8, seconds=5, think=1))
