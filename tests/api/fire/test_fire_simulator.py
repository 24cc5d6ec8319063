"""A server that is killed at random points of its commits, a network that duplicates, delays and reorders (`api.md`,
«Money», 5, 7 and 8): some short runs here; long ones with `python -m tests.api.fire.simulator --seed N --rounds M`.
"""

from itertools import chain

import pytest

from tests.api.fire.doomed import POINTS
from tests.api.fire.faultplan import rounds
from tests.api.fire.simulator import PLAYERS, simulate

ROUNDS = 3


def test_a_seed_is_a_plan() -> None:
    """The same seed, the same faults; another one, others."""
    plans = [list(rounds(seed, 50, PLAYERS)) for seed in (7, 7, 8)]
    assert plans[0] == plans[1] != plans[2]


def test_plans_hold_every_fault() -> None:
    """All points of a commit, the worker alone and the whole server; copies, delays, late ones, all at a time."""
    plan = list(rounds(1, 200, PLAYERS))
    deaths = [item.death for item in plan if item.death is not None]
    assert {death.point for death in deaths} == {*POINTS, "outside"}
    assert {death.whole for death in deaths if death.point != "outside"} == {True, False}
    batches = list(chain.from_iterable(item.batches for item in plan))
    handled = list(chain.from_iterable(batch.handling for batch in batches))
    assert {len(batch.order) for batch in batches} == {1, 2, 3}
    assert {len(handling.delays) for handling in handled} == {1, 2, 3}
    assert any(handling.late for handling in handled)
    assert any(max(handling.delays) for handling in handled)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12])
def test_no_kill_no_copy_and_no_delay_breaks_an_invariant(database_url: str, seed: int) -> None:
    """After every round, and when all have left."""
    found, summary = simulate(database_url, seed, ROUNDS)
    assert not found, f"seed {seed}: {found}; {summary}"
