"""Random postings against a plain dict: the same balances, the same refusals, and an audit that finds nothing."""

import shutil
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored import player

from api.db import Database
from api.models import HOUSE, MINT
from api.services import ledger
from api.services.audit import check, sum_of_balances
from api.services.errors import InsufficientFunds
from api.services.ledger import HOUSE_TRANCHE, Entry

EARLY = datetime(2026, 1, 1, tzinfo=UTC)
WALLETS = 3  # accounts 3, 4, 5
ACCOUNTS = (MINT, HOUSE, 3, 4, 5)

entries = (
    st.tuples(
        st.sampled_from(ACCOUNTS),
        st.sampled_from(ACCOUNTS),
        st.one_of(st.integers(1, 50), st.integers(1, 3 * HOUSE_TRANCHE)),
        st.sampled_from(["grant", "stake", "won"]),
    )
    .filter(lambda parts: parts[0] != parts[1])
    .map(lambda parts: Entry(*parts))
)
postings = st.lists(st.lists(entries, min_size=1, max_size=5), max_size=8)


def expect(model, posting):
    """The model after a posting; None if it must be refused. The rule is api.md's: only the mint is negative."""
    after = dict(model)
    for entry in posting:
        if entry.source == HOUSE and after[HOUSE] < entry.amount:
            while after[HOUSE] < entry.amount:
                after[HOUSE] += HOUSE_TRANCHE
                after[MINT] -= HOUSE_TRANCHE
        if entry.source != MINT and after[entry.source] < entry.amount:
            return None
        after[entry.source] -= entry.amount
        after[entry.target] += entry.amount
    return after


@pytest.fixture(scope="module")
def start(sqlite_template, tmp_path_factory):
    """A file with three empty wallets."""
    path = tmp_path_factory.mktemp("model") / "start.db"
    shutil.copy(sqlite_template, path)
    database = Database(f"sqlite:///{path}")
    with database.write() as session:
        assert [player(session, EARLY)[1] for _ in range(WALLETS)] == [3, 4, 5]
    database.dispose()
    return path


def play(database, now, sequence):
    model = dict.fromkeys(ACCOUNTS, 0)
    for posting in sequence:
        expected = expect(model, posting)
        try:
            with database.write() as session:
                ledger.post(session, posting, now)
        except InsufficientFunds:
            assert expected is None
        else:
            assert expected is not None
            model = expected
        with database.read() as session:
            assert {account: ledger.balance_of(session, account) for account in ACCOUNTS} == model
            assert sum_of_balances(session) == sum(model.values()) == 0
    report = check(database)
    assert report.ok, report.findings


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sequence=postings)
def test_random_postings_do_what_a_dict_does(start, tmp_path, now, sequence):
    path = tmp_path / "played.db"
    for file in tmp_path.iterdir():
        file.unlink()
    shutil.copy(start, path)
    database = Database(f"sqlite:///{path}")
    try:
        play(database, now, sequence)
    finally:
        database.dispose()


def test_a_long_sequence_does_what_a_dict_does_on_either_database(database, now):
    sequence = [
        [Entry(MINT, 3, 100, "grant")],
        [Entry(3, 4, 60, "a"), Entry(4, 5, 61, "b")],
        [Entry(3, HOUSE, 1, "c")],
    ]
    sequence += [
        [Entry(HOUSE, 5, HOUSE_TRANCHE + 7, "won"), Entry(5, 3, 5, "x")],
        [Entry(3, 4, 999, "y")],
    ] * 3
    with database.write() as session:
        for _ in range(WALLETS):
            player(session, now)
    play(database, now, sequence)
