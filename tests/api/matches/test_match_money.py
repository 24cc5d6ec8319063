"""Chips of a match: the ante, chips per point, holds that clear, seats that cannot cover (`table.md`, «Money»).

On SQLite and on PostgreSQL.
"""

from collections.abc import Callable
from datetime import datetime
from itertools import pairwise

import pytest
from flask import Flask
from sqlalchemy import select

from api import create_app
from api.config import from_environment
from api.db import Database
from api.models import Coup, CoupResult, Transfer
from api.services.errors import PlanStale
from api.services.tables.acting import plan_actions
from api.services.tables.change import Change, commit
from api.services.tables.matches.stakes import Stakes
from api.services.tables.play import Terms
from tests.api.matches.matches import BOT, ME, OPEN, everything, plant, play_out
from tests.api.tables.people import Person, accounts, last_seq, moves, snapshot, sound

People = Callable[[str], Person]
# Two seats: seat 0 goes out with its only card, seat 1 holds an ace and a nine (50 + 40 points).
GOING_OUT = {
    "seats": 2,
    "dealer": 1,
    "to_move": 0,
    "hands": [["7S"], ["AD", "9C"]],
    "pile": ["7D"],
    "stock": ["4C", "4H"],
}


# The sums, by hand


@pytest.mark.parametrize(
    ("stakes", "scores", "winners", "fewest", "nets"),
    [
        (Stakes(10), [0, 30, 40], [0], True, [20, -10, -10]),  # the first out takes the pot
        (Stakes(10), [0, 0, 40], [0, 1], True, [5, 5, -10]),  # 30 shared by two
        (Stakes(5), [3, 3, 0], [0, 1], False, [3, 2, -5]),  # 15 by two: the odd chip to the lowest seat
        (Stakes(5), [0, 3, 3], [1, 2], False, [-5, 3, 2]),
        (Stakes(1), [1, 1, 1, 0, 0], [0, 1, 2], False, [2 - 0, 0, 0, -1, -1]),  # 5 by three: two odd chips
        (
            Stakes(0, 2, 200),
            [10, 0, 25],
            [1],
            True,
            [10, 70, -80],
        ),  # 0 pays 1 for 10, 2 pays 0 for 15, 1 for 25
        (Stakes(0, 2, 200), [10, 0, 25], [2], False, [-10, -70, 80]),  # most points: the other way round
        (Stakes(0, 3, 20), [0, 100], [0], True, [60, -60]),  # no more than 20 points are paid
        (Stakes(10, 1, 50), [0, 90], [0], True, [60, -60]),
    ],
)
def test_nets_of_a_deal(
    stakes: Stakes, scores: list[int], winners: list[int], fewest: bool, nets: list[int]
) -> None:
    """Pot to the winners, equals share, each pays each the difference up to the most; it adds up to 0."""
    assert stakes.nets(scores, winners, fewest=fewest) == nets
    assert sum(nets) == 0
    assert min(nets) >= -stakes.hold(len(scores))


def test_what_is_held() -> None:
    """The ante, and chips per point × most points × (seats − 1)."""
    assert Stakes(10, 2, 50).hold(4) == 10 + 2 * 50 * 3
    assert Stakes(10).hold(2) == 10
    assert Stakes().hold(5) == 0


# At a table


def test_an_ante_goes_through_escrow_to_the_first_out(ada: Person, boris: Person, database: Database) -> None:
    """10 of each seat into escrow before the cards; 20 to the first out; escrow 0, the ledger sound."""
    before = last_seq(database)
    table = ada.open(game="russian-104", seats=[ME, OPEN], ante=10)["id"]
    assert last_seq(database) == before, "nothing is held while seats are open"
    boris.post(f"/tables/{table}/seats", {}, 201)
    assert moves(database, table, before) == [("wallet", "escrow", 10, "stake")] * 2
    assert (ada.balance, boris.balance) == (990, 990)
    assert ada.get("/players/me/bankroll")["held"] == 10
    plant(database, table, game="russian-104", **GOING_OUT)
    before = last_seq(database)
    view = ada.do(table, "play 7S")
    assert view["last"]["chips"] == [10, -10]
    assert moves(database, table, before)[:1] == [("escrow", "wallet", 20, "win")]
    assert (ada.balance, boris.balance) == (1000, 980), "the next deal's antes are held"
    sound(database)


def test_points_are_paid_up_to_the_most(ada: Person, boris: Person, database: Database) -> None:
    """90 points at 2 chips, at most 50 of them: 100 chips; 100 + 5 are held of each, the rest goes back."""
    table = ada.open(
        game="russian-104", seats=[ME, OPEN], ante=5, chips_per_point=2, max_points=50, target=50
    )["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    assert (ada.balance, boris.balance) == (895, 895)
    plant(database, table, game="russian-104", **GOING_OUT)
    before = last_seq(database)
    view = ada.do(table, "play 7S")
    assert view["phase"] == "closed", "90 points are over the target of 50"
    assert view["last"]["scores"] == [0, 90]
    assert view["last"]["chips"] == [105, -105]
    assert moves(database, table, before) == [("escrow", "wallet", 210, "win")]
    assert (ada.balance, boris.balance) == (1105, 895)
    assert accounts(database, table) == {"escrow": 0, "bank": 0}
    sound(database)


def test_a_seat_that_cannot_cover_is_refused(
    ada: Person, boris: Person, person: People, database: Database
) -> None:
    """At opening and at joining, with what is there and what is needed; nothing changes."""
    before = snapshot(database)
    problem = ada.open(409, game="russian-104", seats=[ME, OPEN], chips_per_point=6)
    assert (problem["code"], problem["balance"], problem["needed"]) == ("insufficient_funds", 1000, 1200)
    assert problem["errors"][0]["pointer"] == "/chips_per_point"
    assert snapshot(database) == before
    table = ada.open(game="russian-104", seats=[ME, OPEN], ante=900)["id"]
    other = boris.open(game="russian-104", seats=[ME, OPEN], ante=200)["id"]
    clara = person("Clara")
    clara.post(f"/tables/{other}/seats", {}, 201)
    before = snapshot(database)
    assert boris.post(f"/tables/{table}/seats", {}, 409)["code"] == "insufficient_funds"
    assert snapshot(database) == before
    sound(database)


def test_who_spent_his_chips_before_the_deal_loses_his_seat(
    ada: Person, boris: Person, person: People, database: Database
) -> None:
    """He could cover it when he sat down; when the last seat is taken he cannot: the others go on waiting."""
    table = ada.open(game="peklo", seats=[ME, OPEN, OPEN], ante=900)["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    boris.do(boris.open()["id"], "stake 100")
    view = person("Clara").post(f"/tables/{table}/seats", {}, 201)
    assert view["phase"] == "open"
    assert [seat["kind"] for seat in view["seats"]] == ["player", "open", "player"]
    left = next(event for event in view["new_events"] if event["type"] == "left")
    assert (left["seat"], left["data"]) == (1, {"kind": "player", "reason": "not_covered"})
    assert ada.balance == 1000
    sound(database)


def test_the_match_ends_where_a_seat_cannot_cover_the_next_deal(
    ada: Person, boris: Person, database: Database
) -> None:
    """Closed with the reason; what was held is settled, nothing of the next deal is held or shown."""
    table = ada.open(game="russian-104", seats=[ME, OPEN], ante=600)["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    plant(database, table, game="russian-104", **GOING_OUT)
    view = ada.do(table, "play 7S")
    assert (view["phase"], view["play"]["match"]["ended_by"]) == ("closed", "not_covered")
    assert view["new_events"][-1]["data"] == {"reason": "not_covered", "totals": [0, 90], "winners": [0]}
    assert [event["type"] for event in view["new_events"]] == ["played", "scored", "closed"]
    assert view["play"]["match"]["deal"] == 1
    assert (ada.balance, boris.balance) == (1600, 400)
    assert accounts(database, table) == {"escrow": 0, "bank": 0}
    assert len(ada.get(f"/tables/{table}/deals")["deals"]) == 1
    sound(database)


def test_bots_play_on_chips_of_the_house(ada: Person, database: Database) -> None:
    """Lent at the opening, returned at the close; every chip of every account is accounted for."""
    table = ada.open(game="russian-104", seats=[ME, BOT, BOT], ante=20, chips_per_point=1, target=60)["id"]
    play_out([ada], table)
    assert accounts(database, table) == {"bot": 0, "escrow": 0, "bank": 0}
    deals = ada.get(f"/tables/{table}/deals")["deals"]
    assert all(sum(deal["chips"]) == 0 for deal in deals)
    assert ada.balance == 1000 + sum(deal["chips"][0] for deal in deals)
    assert all(deal["stake"] == 20 + 200 * 2 for deal in deals)
    own = [deal["you"] for deal in reversed(deals)]
    assert own[0]["balance_before"] == 1000
    assert all(row["side"] == "player" and row["stake"] == 420 for row in own)
    assert all(first["balance_after"] == second["balance_before"] for first, second in pairwise(own))
    bankroll = ada.get("/players/me/bankroll")
    assert bankroll["sides"] == {"player": bankroll["games"]["russian-104"]}
    assert bankroll["sides"]["player"]["net"] == ada.balance - 1000
    assert bankroll["held"] == 0
    sound(database)


def test_every_entry_of_the_escrow_names_its_deal_and_clears(ada: Person, database: Database) -> None:
    """By deal the transfers into and out of escrow add up to nothing, and the deal is one of this table."""
    table = ada.open(game="peklo", seats=[ME, BOT], options={"max_hand": 3}, ante=7)["id"]
    play_out([ada], table)
    with database.read() as session:
        deals = set(session.scalars(select(Coup.id).where(Coup.table_id == table)))
        rows = session.scalars(
            select(Transfer).where(Transfer.table_id == table, Transfer.coup_id.is_not(None))
        )
        sums: dict[str, int] = {}
        for row in rows:
            sums[row.coup_id] = sums.get(row.coup_id, 0) + (
                row.amount if row.kind == "stake" else -row.amount
            )
        results = session.scalars(select(CoupResult).where(CoupResult.table_id == table)).all()
    assert set(sums) == deals
    assert len(deals) == len(results) == 3
    assert all(name.startswith("dea_") for name in deals)
    assert set(sums.values()) == {0}
    sound(database)


def test_who_leaves_pays_for_his_deal_only(
    ada: Person, boris: Person, person: People, database: Database
) -> None:
    """His seat is played on by the default; from the next deal on the house's chips are on it, not his."""
    table = ada.open(game="russian-104", seats=[ME, OPEN, OPEN], ante=10)["id"]
    for player in (boris, clara := person("Clara")):
        player.post(f"/tables/{table}/seats", {}, 201)
    view = boris.ask("DELETE", f"/tables/{table}/seats/1").json
    assert view["seats"][1]["leaving"]
    assert view["legal"] == []
    assert boris.do(table, "draw", status=409)["code"] == "leaving"
    plant(
        database,
        table,
        game="russian-104",
        seats=3,
        dealer=2,
        to_move=0,
        hands=[["7S"], ["AD"], ["KC"]],
        pile=["7D"],
        stock=["4C", "4H"],
    )
    view = ada.do(table, "play 7S")
    assert (ada.balance, boris.balance, clara.balance) == (1010, 990, 980)
    assert [seat["kind"] for seat in view["seats"]] == ["player", "house", "player"]
    play_out([ada, clara], table)
    assert boris.balance == 990
    chosen = {
        event["data"]["by"]
        for event in everything(ada, table)
        if event["seat"] == 1 and "by" in event["data"]
    }
    assert chosen == {"default"}
    sound(database)


def test_the_last_to_leave_ends_the_match_with_its_deal(ada: Person, database: Database) -> None:
    """The deal is played to its end and paid; no other is dealt."""
    table = ada.open(game="russian-104", seats=[ME, BOT, BOT], ante=10)["id"]
    view = ada.ask("DELETE", f"/tables/{table}/seats/0").json
    assert view["phase"] == "closed"
    assert view["new_events"][-1]["data"]["reason"] == "left"
    (deal,) = ada.get(f"/tables/{table}/deals")["deals"]
    assert ada.balance == 1000 + deal["chips"][0]
    assert accounts(database, table) == {"bot": 0, "escrow": 0, "bank": 0}
    mine = [event for event in view["new_events"] if event["seat"] == 0 and "by" in event["data"]]
    assert all(event["data"]["by"] == "default" for event in mine)
    sound(database)


def test_limits_bind_deals(ada: Person, database: Database) -> None:
    """A limit for one stake, and one of losses, refuse a match whose deals may cost more."""
    ada.ask("PUT", "/players/me/bankroll/limits", json={"stake": 50})
    assert ada.open(409, game="peklo", seats=[ME, BOT], ante=60)["code"] == "stake_limit"
    ada.ask("PUT", "/players/me/bankroll/limits", json={"loss": {"day": 30}})
    assert ada.open(409, game="peklo", seats=[ME, BOT], ante=40)["code"] == "loss_limit"
    table = ada.open(game="russian-104", seats=[ME, BOT], ante=30)["id"]
    plant(database, table, game="russian-104", **{**GOING_OUT, "to_move": 1, "hands": [["AD"], ["7S"]]})
    # The bot goes out at once; after 30 lost chips no further deal may be dealt.
    view = ada.ask("DELETE", f"/tables/{table}/seats/0").json
    assert view["phase"] == "closed"
    sound(database)


def test_practice_costs_nothing(ada: Person, database: Database) -> None:
    """No transfer at all, house chips for everybody, and the same cards for the same seed."""
    before = last_seq(database)
    seen = []
    for seed in (7, 7, 8):
        table = ada.open(
            game="russian-104", seats=[ME, {**BOT, "policy": "random"}], stakes="practice", seed=seed, ante=50
        )
        purse = table["you"]["balance"]
        view = ada.ask("DELETE", f"/tables/{table['id']}/seats/0").json
        (deal,) = ada.get(f"/tables/{table['id']}/deals")["deals"]
        assert deal["stakes_for"] == "practice"
        assert purse == view["play"]["purse"] - deal["chips"][0] - 50
        whole = ada.get(f"/tables/{table['id']}/deals/{deal['id']}")
        seen.append([whole["hands"], whole["record"]["actions"]])
    assert seen[0] == seen[1] != seen[2]
    assert last_seq(database) == before
    assert ada.balance == 1000


def test_a_bot_that_could_not_pay_is_refused(database_url: str) -> None:
    """What the house lends a bot must cover a deal."""
    app: Flask = create_app(
        from_environment({}, database_url=database_url, log_level="error", bot_purse="500")
    )
    ada = Person(app, "Ada")
    problem = ada.open(422, game="peklo", seats=[ME, BOT], ante=600)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("invalid", "/ante")
    assert "500" in problem["detail"]
    app.extensions["macao"].database.dispose()


Ending = tuple[str, Change]


@pytest.fixture
def ending(ada: Person, boris: Person, database: Database, now: datetime) -> Ending:
    """A match for an ante of 300 in which Ada's last card ends a deal and begins the next; that move, planned."""
    table = ada.open(game="russian-104", seats=[ME, OPEN], ante=300)["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    plant(database, table, game="russian-104", **GOING_OUT)
    with database.read() as session:
        return table, plan_actions(session, table, ada.id, {"/action": "play 7S"}, Terms(1000, 1000), now)


def test_a_deal_planned_on_a_wallet_that_was_emptied_meanwhile_is_planned_anew(
    ada: Person, boris: Person, database: Database, now: datetime, ending: Ending
) -> None:
    """Ada's last card begins the next deal, for which Boris has nothing left: she is not refused for it, nor told
    what he has. The plan is stale; the next one ends the match before that deal."""
    table, planned = ending
    other = boris.open(game="russian-104", seats=[ME, OPEN], ante=500)["id"]
    ada.post(f"/tables/{other}/seats", {}, 201)
    assert (ada.balance, boris.balance) == (200, 200)
    with pytest.raises(PlanStale), database.write() as session:
        commit(session, planned, now)
    view = ada.do(table, "play 7S")
    assert (view["phase"], view["last"]["chips"]) == ("closed", [300, -300])
    assert (ada.balance, boris.balance) == (800, 200)
    sound(database)


def test_what_another_player_does_elsewhere_holds_up_no_settlement(
    ada: Person, boris: Person, database: Database, now: datetime, ending: Ending
) -> None:
    """Ada's last card ends a deal; since it was planned Boris has staked at another table. It is settled all the same,
    and the row of the deal tells his balances as they are: 970 less 300 lost, for 30 are held elsewhere."""
    table, planned = ending
    boris.do(boris.open()["id"], "stake 10")
    with database.write() as session:
        after = commit(session, planned, now, ada.id)
    assert after.phase == "play", "the next deal has begun, for another ante of 300"
    assert (ada.balance, boris.balance) == (1000 - 300 + 600 - 300, 1000 - 300 - 30 - 300)
    with database.read() as session:
        rows = session.execute(
            select(CoupResult.player_id, CoupResult.balance_before, CoupResult.balance_after).where(
                CoupResult.table_id == table
            )
        ).all()
    assert sorted(tuple(row) for row in rows) == sorted([(ada.id, 1000, 1300), (boris.id, 970, 670)])
    sound(database)


def test_who_acts_is_told_what_he_then_has(
    ada: Person, boris: Person, database: Database, now: datetime, ending: Ending
) -> None:
    """What Ada did elsewhere since her action was planned makes the plan stale: the answer tells what she has."""
    table, planned = ending
    ada.do(ada.open()["id"], "stake 10")
    with pytest.raises(PlanStale), database.write() as session:
        commit(session, planned, now, ada.id)
    assert ada.do(table, "play 7S")["you"]["balance"] == ada.balance == 1000 - 300 - 30 + 600 - 300
