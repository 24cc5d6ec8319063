"""Postings: double entry, covered, chained, all or none (api.md, «Money»; table.md, «Money of a coup»)."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from stored import bank, coup, player, table

from api.models import HOUSE, MINT, Account, ChainHead, Seat, Transfer
from api.services import ledger
from api.services.chain import link
from api.services.errors import InsufficientFunds, LimitReached
from api.services.ledger import Entry


def balances(session, *accounts):
    held = {row.id: row.balance for row in session.execute(select(Account.id, Account.balance))}
    return [held[account] for account in accounts]


@pytest.fixture
def two(database, now):
    """Two wallets of 100 chips each."""
    with database.write() as session:
        return [player(session, now, 100)[1] for _ in range(2)]


def test_a_transfer_takes_from_one_account_what_it_gives_another(database, two, now):
    with database.write() as session:
        (posted,) = ledger.post(session, [Entry(*two, 30, "gift")], now)
        assert (posted.source_after, posted.target_after) == (70, 130)
    with database.read() as session:
        assert balances(session, MINT, *two) == [-200, 70, 130]
        row = session.scalars(select(Transfer).where(Transfer.id == posted.id)).one()
        assert (row.source, row.target, row.amount, row.kind, row.at) == (*two, 30, "gift", now)
        assert (row.source_after, row.target_after) == (70, 130)


def test_entries_of_one_posting_follow_one_another(database, two, now):
    """The first pays for the second: 100 + 100 leave an account that held 100."""
    first, second = two
    with database.write() as session:
        posted = ledger.post(session, [Entry(first, second, 100, "a"), Entry(second, first, 200, "b")], now)
        assert [(p.source_after, p.target_after) for p in posted] == [(0, 200), (0, 200)]
        assert balances(session, *two) == [200, 0]


def test_two_postings_of_one_transaction_follow_one_another(database, two, now):
    with database.write() as session:
        ledger.post(session, [Entry(*two, 60, "a")], now)
        with pytest.raises(InsufficientFunds):
            ledger.post(session, [Entry(*two, 41, "a")], now)
        ledger.post(session, [Entry(*two, 40, "a")], now)
        assert balances(session, *two) == [0, 200]


def test_an_overdraft_is_refused_with_balance_and_need_and_changes_nothing(database, two, now):
    with pytest.raises(InsufficientFunds) as refusal, database.write() as session:
        ledger.post(session, [Entry(*two, 30, "a"), Entry(*two, 71, "a")], now)
    assert (refusal.value.balance, refusal.value.needed) == (70, 71)
    assert (refusal.value.status, refusal.value.reason) == (409, "insufficient_funds")
    assert refusal.value.detail == "the wallet holds 70 chips, 71 are needed"
    with database.read() as session:
        assert balances(session, *two) == [100, 100]
        assert session.scalars(select(ChainHead.seq)).one() == 2


def test_no_entry_is_no_transfer(database, now):
    with database.write() as session:
        assert ledger.post(session, [], now) == []


@pytest.mark.parametrize("amount", [0, -1, 2**53, 1.0, True])
def test_an_amount_is_a_positive_whole_number_that_json_holds_exactly(database, two, now, amount):
    with pytest.raises(ValueError, match="chips"), database.write() as session:
        ledger.post(session, [Entry(*two, amount, "a")], now)


@pytest.mark.parametrize("kind", ["", "Stake", "a b", "x" * 33, "a\nb"])
def test_a_kind_is_small_letters_and_underscores(database, two, now, kind):
    with pytest.raises(ValueError, match="kind"), database.write() as session:
        ledger.post(session, [Entry(*two, 1, kind)], now)


def test_a_transfer_has_two_accounts_that_there_are(database, two, now):
    with pytest.raises(ValueError, match="twice"), database.write() as session:
        ledger.post(session, [Entry(two[0], two[0], 1, "a")], now)
    with pytest.raises(ValueError, match="no account 999"), database.write() as session:
        ledger.post(session, [Entry(two[0], 999, 1, "a")], now)


def test_no_account_grows_beyond_what_json_holds_exactly(database, two, now):
    with database.write() as session:
        ledger.post(session, [Entry(MINT, two[0], 2**53 - 1 - 300, "a")], now)
    with pytest.raises(LimitReached), database.write() as session:
        ledger.post(session, [Entry(MINT, two[0], 201, "a")], now)


def test_the_mint_funds_the_house_in_whole_tranches_when_it_falls_short(database, two, now):
    with database.write() as session:
        posted = ledger.post(session, [Entry(HOUSE, two[0], 1_000_001, "won")], now)
        assert [(p.entry.source, p.entry.target, p.entry.amount, p.entry.kind) for p in posted] == [
            (MINT, HOUSE, 2_000_000, "house_funding"),
            (HOUSE, two[0], 1_000_001, "won"),
        ]
        assert balances(session, MINT, HOUSE, two[0]) == [-2_000_200, 999_999, 1_000_101]
    with database.write() as session:
        posted = ledger.post(session, [Entry(HOUSE, two[1], 999_999, "won")], now)
        assert len(posted) == 1
        assert balances(session, HOUSE) == [0]


def test_a_house_that_got_chips_in_the_same_posting_needs_no_help(database, two, now):
    with database.write() as session:
        posted = ledger.post(
            session, [Entry(two[0], HOUSE, 50, "lost"), Entry(HOUSE, two[1], 50, "won")], now
        )
        assert len(posted) == 2
        assert balances(session, MINT, HOUSE) == [-200, 0]


def test_what_enters_an_escrow_or_a_bank_names_coup_and_bank(database, two, now):
    with database.write() as session:
        owner, wallet = player(session, now, 100)
        name, escrow, chest = table(session, now, owner)
        term = bank(session, now, name)
        with pytest.raises(ValueError, match="coup"):
            ledger.post(session, [Entry(wallet, escrow, 1, "stake", name, term)], now)
        with pytest.raises(ValueError, match="bank"):
            ledger.post(session, [Entry(wallet, chest, 1, "bank", name)], now)


# The chain, computed here once more from its description in docs/ledger.md.


def hashed(previous, *columns):
    text = "\n".join("" if column is None else str(column) for column in columns)
    return hashlib.sha256(b"macao transfer 1\x00" + previous + text.encode()).digest()


def test_every_transfer_holds_the_hash_of_the_one_before(database, two, now):
    with database.write() as session:
        name, escrow, chest = table(session, now, player(session, now)[0])
        refs = name, bank(session, now, name)
        refs += (coup(session, now, *refs),)
        parent = ledger.post(session, [Entry(two[0], escrow, 30, "stake", *refs)], now)[0].id
        ledger.post(session, [Entry(escrow, chest, 30, "lost", *refs, parent)], now)
    with database.read() as session:
        previous = bytes(32)
        rows = session.scalars(select(Transfer).order_by(Transfer.seq)).all()
        for number, row in enumerate(rows, start=1):
            at = 1_772_366_400_123_456  # 2026-03-01T12:00:00.123456Z
            ids = row.table_id, row.bank_id, row.coup_id, row.parent_id
            columns = number, row.id, at, row.source, row.target, row.amount, row.kind, *ids
            assert row.previous == previous
            assert row.hash == hashed(previous, *columns, row.source_after, row.target_after)
            previous = row.hash
        assert (rows[-1].coup_id, rows[-1].parent_id) == (refs[2], parent)
        assert session.execute(select(ChainHead.seq, ChainHead.hash)).one() == (4, previous)


def test_the_documented_vector():
    """docs/ledger.md gives it, and the shell commands that compute it without this code."""
    first = (
        1,
        "trf_00000000000000000000000000",
        0,
        1,
        3,
        1000,
        "opening_grant",
        None,
        None,
        None,
        None,
        -1000,
        1000,
    )
    expected = "d9d93850b7eab1ac31b0f7b5d2924b134400b90f085a83889f7eeeba16be7c31"
    assert link(bytes(32), first).hex() == expected
    assert expected in (Path(__file__).parents[2] / "docs" / "ledger.md").read_text()


# table.md, «Money of a coup»: stake 10, worst loss x3, worst payout x3; the banker puts up 500 of his 1000.


class Coup:
    """A table where seat 0 keeps the bank and seat 1 stakes."""

    def __init__(self, session, now):
        self.session, self.now = session, now
        self.banker, self.banker_wallet = player(session, now, 1000)
        self.punter, self.punter_wallet = player(session, now, 100)
        self.table, self.escrow, self.chest = table(session, now, self.banker, [self.banker, self.punter])
        self.bank = bank(session, now, self.table, banker=self.banker)
        self.coup = coup(session, now, self.table, self.bank)
        self.move((self.banker_wallet, self.chest, 500, "bank"))
        self.move((self.punter_wallet, self.escrow, 30, "stake"), (self.chest, self.escrow, 30, "cover"))

    def move(self, *moves):
        refs = self.table, self.bank, self.coup
        return ledger.post(self.session, [Entry(*move, *refs) for move in moves], self.now)

    def end(self, outcome):
        places = {"punter": self.punter_wallet, "bank": self.chest}
        return self.move(*((self.escrow, places[place], chips, "settled") for place, chips in outcome))

    def held(self):
        return balances(self.session, self.banker_wallet, self.chest, self.escrow, self.punter_wallet)


# What leaves the escrow, and afterwards: banker's wallet, bank, escrow, punter's wallet.
OUTCOMES = {
    "punter wins 3": ([("punter", 60)], [500, 470, 0, 130]),
    "push": ([("punter", 30), ("bank", 30)], [500, 500, 0, 100]),
    "punter loses 1": ([("punter", 20), ("bank", 40)], [500, 510, 0, 90]),
    "punter loses 3": ([("bank", 60)], [500, 530, 0, 70]),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_escrow_alone_settles_every_outcome_of_a_coup(database, now, outcome):
    leaves, expected = OUTCOMES[outcome]
    with database.write() as session:
        played = Coup(session, now)
        assert played.held() == [500, 470, 60, 70]
        posted = played.end(leaves)
        assert played.held() == expected
        assert {p.entry.coup_id for p in posted} == {played.coup}
        played.move((played.chest, played.banker_wallet, expected[1], "bank_over"))
        assert played.held() == [500 + expected[1], 0, 0, expected[3]]
        assert sum(played.held()) == 1100


def test_a_bank_that_cannot_cover_the_worst_payout_takes_no_stake(database, now):
    """api.md, «Money», 6: the bank holds 470 once it covers one stake; a cover of 471 is refused, stake and all."""
    with database.write() as session:
        played = Coup(session, now)
        with pytest.raises(InsufficientFunds, match="the bank holds 470 chips, 471 are needed"):
            played.move(
                (played.punter_wallet, played.escrow, 30, "stake"),
                (played.chest, played.escrow, 471, "cover"),
            )
        assert played.held() == [500, 470, 60, 70]


def test_a_player_has_one_wallet(database, now):
    with database.write() as session:
        owner, wallet = player(session, now)
        assert ledger.wallet_of(session, owner) == wallet
    with pytest.raises(IntegrityError), database.write() as session:
        ledger.open_wallet(session, owner, now)


def test_a_table_has_one_escrow_and_one_bank(database, now):
    with database.write() as session:
        name, escrow, chest = table(session, now, player(session, now)[0])
        assert escrow != chest
    with pytest.raises(IntegrityError), database.write() as session:
        ledger.open_table(session, name, now)


def test_balances_are_read_under_the_lock_of_the_posting(database, two):
    with database.write() as session:
        assert ledger.balances_of(session, two) == dict.fromkeys(two, 100)
        assert ledger.balance_of(session, two[0]) == 100


def test_a_posting_does_not_wait_for_rows_that_refer_to_its_accounts(postgresql_url, open_database, now):
    """PostgreSQL locks what a new row refers to: who sits down would wait for the posting's turn, and it for him."""
    database = open_database(postgresql_url, patience=1)
    with database.write() as session:
        mine, wallet = player(session, now, 100)
        name, *_ = table(session, now, mine)

    def refill():
        with database.write() as session:
            ledger.post(session, [Entry(MINT, wallet, 10, "refill")], now)

    with database.write() as session, ThreadPoolExecutor(1) as other:
        session.add(
            Seat(table_id=name, number=0, kind="player", player_id=mine, account_id=wallet, joined_at=now)
        )
        session.flush()
        other.submit(refill).result()
    with database.read() as session:
        assert balances(session, wallet) == [110]
