"""A table against the house, from opening to recall (`table.md`, «Banking table» and «Money of a coup»)."""

import re
from collections.abc import Callable
from threading import Barrier, Thread
from time import thread_time
from typing import Any

import pytest
from sqlalchemy import select

from api.db import Database
from api.models import ChainHead
from api.services.tables import views
from casino.banking.payoff import HAND_CODES
from casino.banking.policies import PointsPolicy
from casino.game import View
from tests.api.tables.people import Person, accounts, last_seq, moves, snapshot, sound

CARD = re.compile(r"\b[2-9TJQKA][SHDC]\b")


def test_opening_seats_the_caller_and_the_house(ada: Person) -> None:
    """Only `game` is required; the default is one seat for the caller, the house last, seats change by coup."""
    table = ada.open()
    assert [seat["kind"] for seat in table["seats"]] == ["player", "house"]
    assert table["you"] == {"seat": 0, "balance": 1000}
    assert table["phase"] == "stakes"
    assert table["options"]["seats_change"] == "coup"
    assert table["play"]["bank"] == 100_000
    assert re.fullmatch(r"[0-9a-f]{64}", table["play"]["commitment"])


def test_stake_holds_worst_loss_and_worst_payout(ada: Person, database: Database) -> None:
    """Stake 10 with worst loss and payout x3: 30 from the wallet, 30 from the bank, 60 in escrow."""
    table = ada.open()["id"]
    before = last_seq(database)
    ada.do(table, "stake 10")
    assert moves(database, table, before)[:2] == [
        ("wallet", "escrow", 30, "stake"),
        ("bank", "escrow", 30, "stake"),
    ]
    assert ada.balance == 970
    assert ada.get("/players/me/bankroll")["held"] == 30
    assert accounts(database, table) == {"escrow": 60, "bank": 100_000 - 30}


def test_settlement_pays_from_escrow_alone(ada: Person, database: Database) -> None:
    """Whatever the outcome: wallet gets stake x (3 + net), the bank the rest, escrow is 0 (twelve coups)."""
    table = ada.open()["id"]
    bank, balance = 100_000, 1000
    for _ in range(12):
        ada.do(table, "stake 10")
        before = last_seq(database)
        view = ada.do(table, "stand")
        net = view["last"]["net"][0]
        expected = [("escrow", "wallet", 10 * (3 + net)), ("escrow", "bank", 10 * (3 - net))]
        settled = [move[:3] for move in moves(database, table, before) if move[0] == "escrow"]
        assert settled == [move for move in expected if move[2]]
        bank, balance = bank - 10 * net, balance + 10 * net
        assert ada.balance == balance
        assert accounts(database, table) == {"escrow": 0, "bank": bank}
    sound(database)


def test_net_is_that_of_the_payoff_table(ada: Person) -> None:
    """The settlement over REST is the one table built from the rules, by points and naturals of both hands."""
    from casino.banking.presets import PRESETS  # noqa: PLC0415
    from casino.banking.rules import build  # noqa: PLC0415

    payoff = build(PRESETS["house"][1], {}).payoff.table
    table = ada.open()["id"]
    for _ in range(20):
        ada.do(table, "stake 5")
        last = ada.do(table, "stand")["last"]
        rows = [
            points + HAND_CODES // 2 * natural
            for points, natural in zip(last["points"], last["naturals"], strict=True)
        ]
        assert last["net"] == [payoff[rows[0]][rows[1]], -payoff[rows[0]][rows[1]]]
        assert last["chips"] == [5 * net for net in last["net"]]


def test_concealed_cards_are_not_sent(ada: Person, app_state: Callable[[str], dict]) -> None:
    """One pack, so every card is unique: the banker's card and the shoe never show before the settlement."""
    table = ada.open(options={"decks": 1, "max_punters": 1})["id"]
    for _ in range(6):
        ada.seen.clear()
        ada.do(table, "stake 5")
        ada.get(f"/tables/{table}")
        ada.get(f"/tables/{table}/events")
        ada.do(table, "stake 5", status=409)
        view = ada.get(f"/tables/{table}")
        own = set(view["play"]["seats"][0]["hand"]) | set(view["play"]["played"].split())
        past = {
            card for text in [view["last"]] if text for hand in text["hands"] for card in CARD.findall(hand)
        }
        events = ada.get(f"/tables/{table}/events?limit=500")["events"]
        past |= {card for event in events if event["type"] == "settled" for card in CARD.findall(str(event))}
        past |= {
            card
            for event in events
            if event["coup"] != view["play"]["coup"]
            for card in CARD.findall(str(event))
        }
        shown = {card for body in ada.seen for card in CARD.findall(body)}
        assert shown <= own | past
        shoe = app_state(table)["shoe"]
        assert shoe, "the test looks into the stored state for the shoe"
        ada.do(table, "stand")


@pytest.fixture
def app_state(database: Database) -> Callable[[str], dict]:
    """The secret state of a table, from the database."""
    from sqlalchemy import select  # noqa: PLC0415

    from api.models import Table  # noqa: PLC0415

    def state(table: str) -> dict:
        with database.read() as session:
            return session.scalar(select(Table.state).where(Table.id == table))["state"]

    return state


def test_bots_beside_you_stake_first(ada: Person, database: Database) -> None:
    """«With one human and bots it is dealt on his stake: bots stake first»; until then everyone may give a seed."""
    table = ada.open(seats=[{"kind": "bot"}, {"kind": "me"}, {"kind": "bot", "policy": "stand", "stake": 20}])
    assert table["you"]["seat"] == 1
    assert {"seed": {"max_bytes": 32}} in table["legal"]
    view = ada.do(table["id"], "seed 00ff", "stake 10")
    staked = [
        (event["seat"], event["data"]["amount"]) for event in view["new_events"] if event["type"] == "staked"
    ]
    assert staked == [(0, 5), (2, 20), (1, 10)]
    view = ada.do(table["id"], "stand")
    assert view["last"]["stakes"] == [5, 10, 20, 0]
    assert sum(view["last"]["chips"]) == 0
    sound(database)


@pytest.mark.parametrize(("stake", "bots"), [(10, [0, 0]), (5, [5, 0])])
def test_bots_leave_in_the_bank_what_you_may_stake(ada: Person, stake: int, bots: list[int]) -> None:
    """A bank of 30 covers stakes of 10 at ×3. What `legal` offers is taken; bots stake what is left, or sit out."""
    options = {"bank_limits": {"min": 30, "max": 30}}
    table = ada.open(options=options, seats=[{"kind": "me"}, {"kind": "bot"}, {"kind": "bot"}])
    assert {"stake": {"min": 5, "max": 10, "step": 5}} in table["legal"]
    view = ada.do(table["id"], f"stake {stake}")
    staked = {
        event["seat"]: event["data"]["amount"] for event in view["new_events"] if event["type"] == "staked"
    }
    assert [staked.get(seat, 0) for seat in range(3)] == [stake, *bots]


def test_leaving_closes_and_returns_everything(ada: Person, database: Database) -> None:
    """The last person leaves: the bank goes back to the house, bots' chips too, nothing stays at the table."""
    table = ada.open(seats=[{"kind": "me"}, {"kind": "bot"}])["id"]
    ada.do(table, "stake 10", "stand")
    balance = ada.balance
    view = ada.ask("DELETE", f"/tables/{table}/seats/0").json
    assert view["phase"] == "closed"
    assert accounts(database, table) == {"bot": 0, "escrow": 0, "bank": 0}
    assert ada.balance == balance
    assert ada.do(table, "stake 10", status=410)["code"] == "table_closed"
    sound(database)


def test_leaving_in_mid_coup_plays_on_by_the_default(ada: Person, database: Database) -> None:
    """`DELETE` of a seat in mid-coup: the textbook plays on, the coup settles, the wallet gets what is left."""
    table = ada.open()["id"]
    ada.do(table, "stake 10")
    view = ada.ask("DELETE", f"/tables/{table}/seats/0").json
    assert view["phase"] == "closed"
    played = [
        event for event in view["new_events"] if event["seat"] == 0 and event["type"] in ("drew", "stood")
    ]
    assert played
    assert all(event["data"]["by"] == "default" for event in played)
    assert accounts(database, table) == {"escrow": 0, "bank": 0}
    assert ada.balance == 1000 + view["last"]["chips"][0]
    sound(database)


def test_autoplay_is_the_same_as_by_hand(ada: Person, database: Database) -> None:
    """The same coups, entries and records as by hand, in one request."""
    table = ada.open()["id"]
    report = ada.post(
        f"/tables/{table}/actions", {"action": "autoplay", "stake": 5, "policy": "textbook", "coups": 30}
    )["autoplay"]
    assert report["coups"] == 30
    assert report["stopped"] is None
    assert ada.balance == 1000 + report["net"]
    coups = ada.get(f"/tables/{table}/coups?limit=200")["coups"]
    assert [coup["number"] for coup in coups] == list(range(30, 0, -1))
    assert sum(coup["you"]["net"] for coup in coups) == report["net"]
    whole = ada.get(f"/tables/{table}/coups/{coups[0]['id']}")
    assert whole["choices"][0]["type"] == "staked"
    sound(database)


def test_autoplay_stops_where_the_stake_cannot_be_covered(ada: Person) -> None:
    """A stake of 330 holds 990 of 1000: after a loss it cannot be covered, and that is told."""
    table = ada.open()["id"]
    report = ada.post(
        f"/tables/{table}/actions", {"action": "autoplay", "stake": 330, "policy": "textbook", "coups": 500}
    )["autoplay"]
    broke = ("a stake of 330 is not possible now", "the table waits for something else than your stake")
    assert report["stopped"] in broke or report["coups"] == 500


def test_recall_shows_choices_and_who_chose(ada: Person) -> None:
    """A coup in full: cards, choices, who chose, stakes, balances before and after, rules hash and version."""
    table = ada.open(seats=[{"kind": "me"}, {"kind": "bot"}])
    ada.do(table["id"], "stake 10", "stand")
    (coup,) = ada.get(f"/tables/{table['id']}/coups?status=settled")["coups"]
    whole = ada.get(f"/tables/{table['id']}/coups/{coup['id']}")
    assert whole["replay"] is True
    assert whole["rules_hash"] == table["rules_hash"]
    assert {choice["data"]["by"] for choice in whole["choices"] if choice["seat"] == 0} == {"player"}
    assert {choice["data"]["by"] for choice in whole["choices"] if choice["seat"] == 1} == {"bot"}
    assert {choice["data"]["by"] for choice in whole["choices"] if choice["seat"] == 2} <= {"house"}
    own = whole["you"]
    assert own["balance_before"] == 1000
    assert own["balance_after"] - own["balance_before"] == own["net"] == 10 * whole["net"][0]


def test_what_the_rules_leave_no_choice_of_nobody_chose(ada: Person) -> None:
    """Who must stand stands by himself right after his stake: the stake was his choice, the rest is the rules'."""
    options = {"punter_draw": ["stand"] * 10, "punter_discards": "none"}
    table = ada.open(options=options, seats=[{"kind": "me"}, {"kind": "bot"}])["id"]
    assert ada.do(table, "stake 10")["last"]["coup"] == 1
    (coup,) = ada.get(f"/tables/{table}/coups")["coups"]
    choices = ada.get(f"/tables/{table}/coups/{coup['id']}")["choices"]
    assert [(item["type"], item["seat"], item["data"]["by"]) for item in choices][:4] == [
        ("staked", 1, "bot"),
        ("staked", 0, "player"),
        ("stood", 0, "rules"),
        ("stood", 1, "rules"),
    ]


def test_who_sat_out_before_the_first_stake_is_recalled(person: Callable[[str], Person]) -> None:
    """Every choice of a coup: that of a seat which sat out before anybody had staked too, but none of an attempt at
    which everybody sat out."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    for player in (ada, boris, boris):
        player.do(table, "sit")
    ada.do(table, "stake 5", "stand")
    ada.do(table, "stake 5")
    boris.do(table, "sit")
    ada.do(table, "stand")
    for coup in ada.get(f"/tables/{table}/coups")["coups"]:
        choices = ada.get(f"/tables/{table}/coups/{coup['id']}")["choices"]
        assert [item["seat"] for item in choices if item["type"] == "sat_out"] == [1], coup["number"]


def test_autoplay_from_the_middle_of_a_coup_counts_it(ada: Person) -> None:
    """The coup that is being played is the first one that autoplay settles."""
    table = ada.open()["id"]
    ada.do(table, "stake 5")
    report = ada.post(f"/tables/{table}/actions", {"action": "autoplay", "stake": 5, "coups": 3})["autoplay"]
    assert (report["coups"], report["first_coup"], report["last_coup"]) == (3, 1, 3)


def test_what_is_thought_out_at_a_table_is_paid_for(ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five units a millisecond of a processor: a hand that takes 20 of them costs 100, a bot's or one by autoplay."""
    choose = PointsPolicy.choose

    def slow(policy: PointsPolicy, view: View) -> str:
        until = thread_time() + 0.02
        while thread_time() < until:
            pass
        return choose(policy, view)

    table = ada.open(seats=[{"kind": "me"}, {"kind": "bot"}, {"kind": "house"}])["id"]
    quick = ada.do(table, "stake 5", "stand")
    monkeypatch.setattr(PointsPolicy, "choose", slow)
    assert quick["phase"] == "stakes"
    before = left(ada)
    ada.do(table, "stake 5", "stand")
    assert before - left(ada) >= 100, "the bot's hand"
    before = left(ada)
    ada.post(f"/tables/{table}/actions", {"action": "autoplay", "stake": 5, "coups": 2})
    assert before - left(ada) >= 400, "two hands of the bot, two of autoplay"


def left(person: Person) -> int:
    """Units of the present window that are left."""
    return int(person.ask("GET", "/players/me").headers["X-RateLimit-Remaining"])


def test_of_two_parallel_stakes_one_is_taken(person: Callable[[str], Person], database: Database) -> None:
    """Two tables, two stakes at once whose holds take the whole balance each: one 200, one 409, in 200 trials."""
    options = {"stake_limits": {"min": 1000, "max": 1000, "step": 1}}
    for trial in range(200 if database.is_sqlite else 40):
        player = person(f"Trial {trial}")
        tables = [player.open(game="russian-even", options=options)["id"] for _ in range(2)]
        gate, found = Barrier(2), []

        def stake(
            table: str, player: Person = player, gate: Barrier = gate, found: list[int] = found
        ) -> None:
            client = player.client.application.test_client()
            gate.wait()
            response = client.post(
                f"/v1/tables/{table}/actions", json={"action": "stake 1000"}, headers=player.headers
            )
            found.append(response.status_code)

        threads = [Thread(target=stake, args=(table,)) for table in tables]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == [200, 409]
        assert player.balance == 0
    sound(database)


@pytest.mark.parametrize(
    ("action", "status", "code"),
    [
        ("stake 0", 422, "notation"),
        ("stake -5", 422, "notation"),
        ("stake 7", 409, "illegal"),
        ("stake 5.5", 422, "notation"),
        ("stake ten", 422, "notation"),
        ("stake 1" + "0" * 150, 422, "notation"),
        ("stake 9223372036854775808", 422, "notation"),
        ("stake 500", 409, "illegal"),
        ("stake 335", 409, "illegal"),
        ("stand", 409, "illegal"),
        ("fold", 422, "notation"),
        ("", 422, "validation"),
    ],
)
def test_bad_actions_change_nothing(
    ada: Person, database: Database, action: str, status: int, code: str
) -> None:
    """Negative, zero, fractional, huge, beyond the balance, not a number, out of phase: refused, nothing changed."""
    table = ada.open()["id"]
    before = snapshot(database)
    problem = ada.do(table, action, status=status)
    assert problem["code"] == code
    assert problem["detail"]
    if code == "illegal":
        assert {"stake": {"min": 5, "max": 330, "step": 5}} in problem["legal"]
    assert snapshot(database) == before


def test_what_is_no_action_is_told_all_that_there_are(ada: Person, database: Database) -> None:
    """`table.md`: the verbs of the three phases, and `autoplay`, which goes alone; each that is told is taken."""
    table = ada.open(turn_seconds=0)["id"]
    before = snapshot(database)
    problem = ada.do(table, "fold", status=422)
    told = (
        problem["detail"].partition(" there are ")[2].partition(" (")[0].replace(", and ", ", ").split(", ")
    )
    verbs = ["bank", "seed", "pass", "stake", "sit", "top", "close", "discard", "draw", "stand"]
    assert sorted(told) == sorted([*verbs, "autoplay"])
    for actions in (["stake 5", "autoplay"], ["autoplay 100", "stand"]):
        place = f"/actions/{['autoplay' in action for action in actions].index(True)}"
        problem = ada.post(f"/tables/{table}/actions", {"actions": actions}, 422)
        assert (problem["code"], problem["errors"][0]["pointer"]) == ("notation", place)
        assert "asked for alone, with its stake and number of coups" in problem["detail"]
    assert snapshot(database) == before
    for verb in verbs:  # a verb that is known is refused for the moment, or for its amount, at most
        assert "is no action" not in ada.ask("POST", f"/tables/{table}/actions", json={"action": verb}).text
    body = {"action": "autoplay", "stake": 5, "coups": 1}
    assert ada.ask("POST", f"/tables/{table}/actions", json=body).status_code in (200, 409)


@pytest.mark.parametrize("policy", ["", 0, False, [], {}, "brave", {"draw_on": [11]}])
def test_a_policy_that_is_none_is_not_taken_for_the_default(
    ada: Person, database: Database, policy: object
) -> None:
    """Whoever sends a policy gets that one or a refusal, never another one; nothing is played."""
    table = ada.open()["id"]
    before = snapshot(database)
    body = {"action": "autoplay", "stake": 5, "coups": 1, "policy": policy}
    problem = ada.post(f"/tables/{table}/actions", body, 422)
    assert problem["errors"][0]["pointer"].startswith("/policy")
    assert snapshot(database) == before


def test_another_players_table_is_unknown(
    ada: Person, person: Callable[[str], Person], database: Database
) -> None:
    """«Not yours» and «unknown» get the same answer."""
    table = ada.open()["id"]
    boris = person("Boris")
    before = snapshot(database)
    unknown = table[:-1] + ("0" if table[-1] != "0" else "1")
    for path in ("", "/events", "/coups", "/banks"):
        mine, none = (boris.get(f"/tables/{name}{path}", 404) for name in (table, unknown))
        assert mine["code"] == none["code"] == "not_found"
        assert mine["detail"].replace(table, "") == none["detail"].replace(unknown, "")
    assert boris.do(table, "stake 10", status=404)["code"] == "not_found"
    assert snapshot(database) == before


def test_of_several_actions_all_or_none(ada: Person, database: Database) -> None:
    """A list of actions of which the last is refused changes nothing."""
    table = ada.open()["id"]
    before = snapshot(database)
    ada.do(table, "stake 10", "stake 10", status=409)
    assert snapshot(database) == before


def test_a_practice_table_at_which_nobody_has_chips_left_is_closed(ada: Person) -> None:
    """No chips are ever brought to a practice table but by who joins: with no seat open it could only wait for ever."""
    purse = ada.open(stakes="practice")["play"]["purse"]
    options = {"stake_limits": {"min": purse, "max": purse, "step": 1}}
    for seed in range(40):
        table = ada.open(game="russian-even", options=options, stakes="practice", seed=seed)["id"]
        view = ada.do(table, f"stake {purse}", "stand")
        if view["last"]["chips"][0] < 0:
            break
    assert view["last"]["chips"] == [-purse, purse]
    assert (view["phase"], view["legal"]) == ("closed", [])
    assert [event["type"] for event in view["new_events"]][-2:] == ["bank_over", "closed"]
    assert ada.do(table, "sit", status=410)["code"] == "table_closed"


def test_a_table_goes_on_when_a_broke_player_has_chips_again(
    person: Callable[[str], Person], database: Database
) -> None:
    """Nobody can stake: the bank is over and the table waits; after a refill his stake is legal, listed and taken."""
    options = {"stake_limits": {"min": 1000, "max": 1000, "step": 1}}
    for attempt in range(40):
        player = person(f"Player {attempt}")
        table = player.open(game="russian-even", options=options)["id"]
        if player.do(table, "stake 1000", "stand")["last"]["chips"][0] == -1000:
            break
    view = player.get(f"/tables/{table}")
    assert (view["phase"], view["play"]["waiting"], view["legal"]) == ("bank", True, [])
    assert player.do(table, "stake 1000", status=409)["code"] == "not_your_turn"
    player.post("/players/me/bankroll/refills", {}, 201)
    before = snapshot(database)
    legal = player.get(f"/tables/{table}")["legal"]
    assert legal == [{"seed": {"max_bytes": 32}}, "sit", {"stake": {"min": 1000, "max": 1000, "step": 1}}]
    assert snapshot(database) == before, "a look changes nothing"
    assert player.do(table, "stake 1000")["phase"] == "play"
    sound(database)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_the_head_of_the_chain_is_free_while_the_answer_is_made(
    ada: Person, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tables queue for it, so it is locked as the last step of a write: for the transfers and the commit alone."""
    table, answered = ada.open()["id"], []
    plain = views.answer

    def answer(*given: Any) -> Any:
        with database.write() as other:
            other.execute(select(ChainHead.seq).with_for_update(nowait=True)).one()
        answered.append(plain(*given))
        return answered[-1]

    monkeypatch.setattr(views, "answer", answer)
    before = last_seq(database)
    shown = ada.do(table, "stake 10")
    assert len(answered) == 1
    assert len(moves(database, table, before)) == 2
    assert shown["you"]["balance"] == ada.balance == 970, "what it will be is told before it is"
