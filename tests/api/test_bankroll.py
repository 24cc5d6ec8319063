"""A player's bankroll: balance, held, net, totals, entries, curve, refills; every figure worked out by hand."""

import csv
import io
from datetime import timedelta

import pytest
from sqlalchemy import update
from stored import bank, coup, player, result, settle, table

from api.models import HOUSE, MINT, Bank
from api.services import bankroll, ledger
from api.services.audit import check
from api.services.errors import Conflict, LimitReached, NotFound
from api.services.ledger import Entry
from tests.api.deleting import asked_while_deleted


@pytest.fixture
def ana(database, now):
    """A player with 1000 chips and the number of her wallet."""
    with database.write() as session:
        return player(session, now, 1000)


def held(database, who):
    with database.read() as session:
        told = bankroll.summary(session, who)
        return told["balance"], told["held"], told["net"]


def test_a_player_who_has_not_played_has_his_grant(database, ana):
    with database.read() as session:
        assert bankroll.summary(session, ana[0]) == {
            "balance": 1000,
            "held": 0,
            "net": 0,
            "granted": 1000,
            "games": {},
            "sides": {},
        }


class Play:
    """Ana keeps a bank of 500, Ben stakes 10 against it: worst loss and payout x3 (table.md, «Money of a coup»)."""

    def __init__(self, database, now, ana):
        self.database, self.now = database, now
        self.ana, self.ana_wallet = ana
        with database.write() as session:
            self.ben, self.ben_wallet = player(session, now, 100)
            self.table, self.escrow, self.chest = table(session, now, self.ana, [self.ana, self.ben])
            self.bank = bank(session, now, self.table, banker=self.ana)
            self.coup = coup(session, now, self.table, self.bank)
        self.post((self.ana_wallet, self.chest, 500, "bank"))

    def post(self, *moves):
        with self.database.write() as session:
            ledger.post(session, [Entry(*move, self.table, self.bank, self.coup) for move in moves], self.now)

    def worth(self):
        return held(self.database, self.ana), held(self.database, self.ben)


@pytest.fixture
def play(database, ana, now):
    return Play(database, now, ana)


def test_held_is_the_bank_and_the_part_of_the_escrow_that_is_his(play):
    assert play.worth() == ((500, 500, 0), (100, 0, 0))
    play.post((play.ben_wallet, play.escrow, 30, "stake"), (play.chest, play.escrow, 30, "cover"))
    assert play.worth() == ((500, 500, 0), (70, 30, 0))
    play.post((play.escrow, play.ben_wallet, 60, "won"))
    with play.database.write() as session:
        settle(session, play.now, play.coup)
    assert play.worth() == ((500, 470, -30), (130, 0, 30))
    play.post((play.chest, play.ana_wallet, 470, "bank_over"))
    with play.database.write() as session:
        session.execute(update(Bank).values(closed_at=play.now))
    assert play.worth() == ((970, 0, -30), (130, 0, 30))
    assert check(play.database).ok


def test_what_went_back_is_held_no_more_while_the_coup_is_open(play):
    play.post((play.ben_wallet, play.escrow, 30, "stake"), (play.escrow, play.ben_wallet, 20, "returned"))
    assert play.worth()[1] == (90, 10, 0)


def test_nothing_is_held_of_the_banks_and_stakes_of_others(play):
    with play.database.write() as session:
        stranger, _ = player(session, play.now, 7)
        elsewhere, *_ = table(session, play.now, stranger, [stranger])
        coup(session, play.now, elsewhere, bank(session, play.now, elsewhere))
    play.post((play.ben_wallet, play.escrow, 30, "stake"))
    assert held(play.database, stranger) == (7, 0, 0)


@pytest.fixture
def results(database, ana, now):
    """Coups of Ana: +10 and -30 as punter at «house», +20 as banker at «continental», an hour from one to the next."""
    played = [("house", "punter", 10, 10), ("house", "punter", 30, -30), ("continental", "banker", 40, 20)]
    with database.write() as session:
        for hour, (game, side, stake, net) in enumerate(played, start=1):
            then = now + timedelta(hours=hour)
            name, *_ = table(session, now, ana[0], game=game)
            deal = coup(session, then, name, bank(session, then, name))
            result(session, then, deal, name, ana[0], net, stake=stake, game=game, side=side)
            settle(session, then, deal)
    return ana[0]


def test_totals_by_game_and_by_side(database, results):
    with database.read() as session:
        told = bankroll.summary(session, results)
    assert told["games"] == {
        "house": {"coups": 2, "staked": 40, "net": -20},
        "continental": {"coups": 1, "staked": 40, "net": 20},
    }
    assert told["sides"] == {
        "punter": {"coups": 2, "staked": 40, "net": -20},
        "banker": {"coups": 1, "staked": 40, "net": 20},
    }


def test_the_curve_has_a_point_for_each_coup(database, results):
    with database.read() as session:
        curve = bankroll.series(session, results)
    assert [(point["coups"], point["net"], point["low"], point["high"]) for point in curve] == [
        (1, 10, 10, 10),
        (2, -20, -20, -20),
        (3, 0, 0, 0),
    ]
    assert [point["balance"] for point in curve] == [1010, 980, 1000]
    assert curve[0]["at"] == "2026-03-01T13:00:00.123456Z"


def test_a_curve_of_fewer_points_keeps_its_extremes(database, results):
    with database.read() as session:
        curve = bankroll.series(session, results, points=2)
    assert [(point["coups"], point["net"], point["low"], point["high"]) for point in curve] == [
        (2, -20, -20, 10),
        (3, 0, 0, 0),
    ]


def test_a_refill_lifts_the_curve_from_its_time_on(database, ana, results, now):
    with database.write() as session:
        ledger.post(session, [Entry(MINT, ana[1], 500, "refill")], now + timedelta(hours=2))
    with database.read() as session:
        assert [point["balance"] for point in bankroll.series(session, results)] == [1010, 1480, 1500]


@pytest.mark.parametrize("points", [1, 7, 40, 500])
def test_a_curve_has_at_most_so_many_points_and_ends_at_the_end(database, ana, now, points):
    with database.write() as session:
        name, *_ = table(session, now, ana[0])
        term = bank(session, now, name)
        for number in range(1, 41):
            deal = coup(session, now, name, term, number)
            settle(session, now, deal)
            result(session, now, deal, name, ana[0], number)
    with database.read() as session:
        curve = bankroll.series(session, ana[0], points=points)
    assert 1 <= len(curve) <= points
    assert (curve[-1]["coups"], curve[-1]["net"]) == (40, 820)  # 1 + 2 + … + 40


@pytest.fixture
def many(database, ana, now):
    """After the grant (number 1) Ana pays the house 1 … 9 chips (numbers 2 … 10); others play between (11)."""
    with database.write() as session:
        ledger.post(session, [Entry(ana[1], HOUSE, chips, "stake") for chips in range(1, 10)], now)
        player(session, now, 5)
        ledger.post(session, [Entry(HOUSE, ana[1], 45, "won")], now)
    return ana[0]


def amounts(page):
    return [entry["amount"] for entry in page]


def test_entries_come_the_newest_first_with_sign_and_balance(database, many):
    with database.read() as session:
        page = bankroll.entries(session, many, limit=3)
    assert [(entry["seq"], entry["amount"], entry["balance"]) for entry in page] == [
        (12, 45, 1000),
        (10, -9, 955),
        (9, -8, 964),
    ]
    assert [entry["other"] for entry in page] == ["house"] * 3
    assert set(page[0]) == set(bankroll.ENTRY_COLUMNS)


def test_pages_by_cursor_meet_without_gap_or_overlap(database, many):
    with database.read() as session:
        back, last = [], None
        while page := bankroll.entries(session, many, before=last, limit=4):
            back += page
            last = page[-1]["seq"]
        forth, last = [], 0
        while page := bankroll.entries(session, many, after=last, limit=4):
            forth += page
            last = page[-1]["seq"]
    assert amounts(forth) == [1000, *range(-1, -10, -1), 45]
    assert back == forth[::-1]


def test_entries_between_two_numbers(database, many):
    with database.read() as session:
        assert amounts(bankroll.entries(session, many, after=2, before=5)) == [-2, -3]


def test_entries_as_csv(database, many, monkeypatch):
    monkeypatch.setattr(bankroll, "_PAGE", 4)
    monkeypatch.setattr(bankroll, "_CSV_PART", 200)
    with database.read() as session:
        parts = list(bankroll.entries_csv(session, many))
        expected = list(bankroll.all_entries(session, many))
    assert len(parts) > 2
    rows = list(csv.DictReader(io.StringIO("".join(parts))))
    assert [row["id"] for row in rows] == [entry["id"] for entry in expected]
    assert [int(row["amount"]) for row in rows] == amounts(expected) == [1000, *range(-1, -10, -1), 45]
    assert "".join(parts).startswith("seq,id,at,kind,amount,balance,other,table,bank,coup,parent,hash\r\n")


def spend(database, wallet, chips, now):
    with database.write() as session:
        ledger.post(session, [Entry(wallet, HOUSE, chips, "stake")], now)


def test_a_refill_fills_up_to_the_sum(database, ana, now):
    spend(database, ana[1], 900, now)
    with database.write() as session:
        told = bankroll.refill(session, ana[0], now, fill_to=1000, per_day=1)
    assert (told["amount"], told["balance"], told["kind"], told["other"]) == (900, 1000, "refill", "mint")
    with database.read() as session:
        summary = bankroll.summary(session, ana[0])
    assert (summary["granted"], summary["net"]) == (1900, -900)


def test_who_has_enough_gets_no_refill(database, ana, now):
    with pytest.raises(Conflict) as refusal, database.write() as session:
        bankroll.refill(session, ana[0], now, fill_to=1000, per_day=1)
    assert (refusal.value.reason, refusal.value.members) == (
        "refill_not_needed",
        {"worth": 1000, "below": 1000},
    )


def test_what_is_held_counts_against_a_refill(play):
    """Ana's wallet holds 500 and her bank 500: 1000 in all."""
    with pytest.raises(Conflict, match="you have 1000"), play.database.write() as session:
        bankroll.refill(session, play.ana, play.now, fill_to=1000, per_day=1)


def test_refills_are_limited_in_24_hours(database, ana, now):
    for hour in (0, 5):
        spend(database, ana[1], 100, now)
        with database.write() as session:
            bankroll.refill(session, ana[0], now + timedelta(hours=hour), fill_to=1000, per_day=2)
    spend(database, ana[1], 100, now)
    with pytest.raises(LimitReached) as refusal, database.write() as session:
        bankroll.refill(session, ana[0], now + timedelta(hours=23), fill_to=1000, per_day=2)
    assert (refusal.value.status, refusal.value.retry_after) == (429, 3600)
    with database.write() as session:
        bankroll.refill(session, ana[0], now + timedelta(hours=24), fill_to=1000, per_day=2)
    assert check(database).ok


def test_a_server_may_give_no_refills(database, ana, now):
    spend(database, ana[1], 100, now)
    with pytest.raises(Conflict, match="no refills"), database.write() as session:
        bankroll.refill(session, ana[0], now, fill_to=1000, per_day=0)


def test_who_is_being_deleted_gets_no_refill(postgresql_url, open_database, now):
    """Both asked for at once, the deletion first: no chips in the wallet of one who is gone."""
    database = open_database(postgresql_url)
    with database.write() as session:
        who, wallet = player(session, now, 1000)
    spend(database, wallet, 900, now)

    answer = asked_while_deleted(
        database, who, now, lambda tx: bankroll.refill(tx, who, now, fill_to=1000, per_day=1)
    )
    with pytest.raises(NotFound):
        answer.result()
    assert check(database).ok


def test_one_entry_is_found_by_its_owner_only(database, ana, many, now):
    with database.write() as session:
        stranger, _ = player(session, now, 7)
    with database.read() as session:
        name = bankroll.entries(session, ana[0], limit=1)[0]["id"]
        assert bankroll.entry(session, ana[0], name)["amount"] == 45
        with pytest.raises(NotFound, match="no entry"):
            bankroll.entry(session, stranger, name)
