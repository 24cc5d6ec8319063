"""Tables whose bank goes round: several persons, seats, leaving, the money of every account (`table.md`)."""

from collections.abc import Callable

import pytest

from api.db import Database
from tests.api.tables.people import Json, Person, accounts, sound

People = Callable[[str], Person]


class Round:
    """A table of several persons, by seat; and the money of each when it was opened."""

    def __init__(self, persons: list[Person], bots: int = 0, **body: Json) -> None:
        first, *others = persons
        seats = [{"kind": "me"}, *({"kind": "open"} for _ in others), *({"kind": "bot"} for _ in range(bots))]
        self.id = first.open(bank="rotates", seats=seats, **{"game": "russian-even", **body})["id"]
        for person in others:
            person.post(f"/tables/{self.id}/seats", {}, 201)
        self.persons = persons

    def view(self, person: Person) -> Json:
        """The table as a person sees it."""
        return person.get(f"/tables/{self.id}")

    def at(self, seat: int) -> Person:
        """The person on a seat."""
        return next(person for person in self.persons if self.view(person)["you"]["seat"] == seat)

    @property
    def banker(self) -> Person:
        """The person whose bank it is, or to whom it is offered."""
        return self.at(self.view(self.persons[0])["play"]["banker"])

    @property
    def punters(self) -> list[Person]:
        """The others, from the banker's left."""
        play = self.view(self.persons[0])["play"]
        seats = [(play["banker"] + step) % len(play["seats"]) for step in range(1, len(play["seats"]))]
        return [self.at(seat) for seat in seats if play["seats"][seat]["occupied"]]

    def play_coup(self, stake: int = 10) -> Json:
        """Every punter stakes and stands; the settlement."""
        punters = self.punters
        for punter in punters:
            punter.do(self.id, f"stake {stake}")
        for punter in punters:
            view = punter.do(self.id, "stand")
        return view["last"]


@pytest.fixture
def three(person: People) -> list[Person]:
    """Three players with 1000 chips each."""
    return [person(name) for name in ("Ada", "Boris", "Clara")]


def test_it_begins_when_its_seats_are_taken(person: People) -> None:
    """«open» until nobody is missing; then the lot has named the first banker by drawn card."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(game="russian-even", bank="rotates", seats=[{"kind": "me"}, {"kind": "open"}])
    assert table["phase"] == "open"
    assert ada.do(table["id"], "bank 100", status=409)["code"] == "waiting_for_seats"
    view = boris.post(f"/tables/{table['id']}/seats", {}, 201)
    assert view["phase"] == "bank"
    (lot,) = [event["data"] for event in view["new_events"] if "draws" in event["data"]]
    ranks = ["23456789TJQKA".index(draw["card"][0]) for draw in lot["draws"][:2]]
    if ranks[0] != ranks[1]:
        assert lot["banker"] == lot["draws"][ranks.index(min(ranks))]["seat"]


def test_the_bank_is_put_up_played_and_passed_to_the_left(three: list[Person], database: Database) -> None:
    """bank 500: wallet → bank; winnings stay in it till it ends; then the seat to the left is asked."""
    table = Round(three)
    banker, seat = table.banker, table.view(table.persons[0])["play"]["banker"]
    banker.do(table.id, "bank 500")
    assert banker.balance == 500
    assert accounts(database, table.id) == {"bank": 500, "escrow": 0}
    last = table.play_coup()
    assert accounts(database, table.id) == {"bank": 500 + last["chips"][seat], "escrow": 0}
    banker.do(table.id, "top 100")
    assert banker.balance == 400
    view = banker.do(table.id, "close")
    assert view["play"]["banker"] == (seat + 1) % 3
    assert banker.balance == 1000 + last["chips"][seat]
    assert sum(person.balance for person in three) == 3000
    assert accounts(database, table.id) == {"bank": 0, "escrow": 0}
    sound(database)


def test_a_declined_bank_passes_on_and_once_round_the_table_closes(
    three: list[Person], database: Database
) -> None:
    """A seat that will not put up a bank is passed over; when all have declined there is no game."""
    table = Round(three)
    for _ in range(3):
        view = table.banker.do(table.id, "pass")
    assert view["phase"] == "closed"
    assert [person.balance for person in three] == [1000, 1000, 1000]
    sound(database)


def test_a_bank_covers_every_stake_taken(three: list[Person], database: Database) -> None:
    """A bank of 100 at ×1: the first punter may stake 100, then nothing is left to cover another stake."""
    table = Round(three)
    table.banker.do(table.id, "bank 100")
    first, second = table.punters
    first.do(table.id, "stake 100")
    view = table.view(second)
    assert view["legal"] == ["sit"]
    problem = second.do(table.id, "stake 5", status=409)
    assert problem["code"] == "illegal"
    assert second.balance == 1000
    second.do(table.id, "sit")
    assert first.do(table.id, "stand")["last"]["stakes"].count(100) == 1
    sound(database)


def test_a_punter_at_his_limit(person: People, database: Database) -> None:
    """Stakes are cut to what the wallet covers: with ×3 losses 1000 chips cover 330 (step 5)."""
    persons = [person("Ada"), person("Boris")]
    table = Round(persons, game="house", options={"seats_change": "bank"})
    table.banker.do(table.id, "bank 1000")
    (punter,) = table.punters
    stake = next(
        item["stake"] for item in table.view(punter)["legal"] if isinstance(item, dict) and "stake" in item
    )
    assert stake == {"min": 5, "max": 330, "step": 5}
    punter.do(table.id, "stake 330")
    assert punter.balance == 10
    assert accounts(database, table.id) == {"bank": 10, "escrow": 1980}
    sound(database)


def test_actions_of_others_are_not_yours(three: list[Person]) -> None:
    """One acts at a time in play; the banker's actions are the banker's."""
    table = Round(three)
    banker = table.banker
    punters = table.punters
    assert punters[0].do(table.id, "bank 100", status=409)["code"] == "illegal"
    banker.do(table.id, "bank 500")
    assert punters[0].do(table.id, "top 10", status=409)["code"] == "illegal"
    for punter in punters:
        punter.do(table.id, "stake 10")
    assert punters[1].do(table.id, "stand", status=409)["code"] == "not_your_turn"
    assert banker.do(table.id, "stand", status=409)["code"] == "not_your_turn"


def test_a_banker_who_leaves_goes_when_his_bank_ends(three: list[Person], database: Database) -> None:
    """A human banker leaves only when his bank ends: the coup is settled, then the bank is over and he is gone."""
    table = Round(three, options={"seats_change": "bank"})
    banker, seat = table.banker, table.view(three[0])["play"]["banker"]
    banker.do(table.id, "bank 500")
    first, second = table.punters
    first.do(table.id, "stake 10")
    view = banker.ask("DELETE", f"/tables/{table.id}/seats/{seat}").json
    assert view["seats"][seat]["leaving"] is True
    second.do(table.id, "stake 10")
    first.do(table.id, "stand")
    view = second.do(table.id, "stand")
    types = [event["type"] for event in view["new_events"]]
    assert types.index("settled") < types.index("bank_over") < types.index("left")
    assert view["seats"][seat]["kind"] == "open"
    assert banker.balance == 1000 + view["last"]["chips"][seat]
    assert accounts(database, table.id)["bank"] == 0
    sound(database)


def test_a_punter_who_leaves_is_played_by_the_default(three: list[Person], database: Database) -> None:
    """In mid-coup he is marked as leaving, the textbook plays on, the others are not affected."""
    table = Round(three, options={"seats_change": "coup"})
    table.banker.do(table.id, "bank 500")
    first, second = table.punters
    seat = table.view(first)["you"]["seat"]
    first.do(table.id, "stake 10")
    second.do(table.id, "stake 10")
    view = first.ask("DELETE", f"/tables/{table.id}/seats/{seat}").json
    played = [
        event for event in view["new_events"] if event["seat"] == seat and event["type"] in ("drew", "stood")
    ]
    assert all(event["data"]["by"] == "default" for event in played)
    view = second.do(table.id, "stand")
    assert view["seats"][seat]["kind"] == "open"
    assert first.balance == 1000 + view["last"]["chips"][seat]
    assert first.get(f"/tables/{table.id}/coups")["coups"][0]["you"]["net"] == view["last"]["chips"][seat]
    sound(database)


def test_who_is_leaving_has_nothing_to_do_any_more(three: list[Person]) -> None:
    """What `legal` lists is taken; of a seat that is leaving nothing is, so nothing is listed."""
    table = Round(three)
    table.banker.do(table.id, "bank 500")
    for person in (table.punters[0], table.banker):
        assert table.view(person)["legal"]
        seat = table.view(person)["you"]["seat"]
        view = person.ask("DELETE", f"/tables/{table.id}/seats/{seat}").json
        if view["you"] is not None:
            assert (view["seats"][seat]["leaving"], view["legal"]) == (True, [])
            assert table.view(person)["legal"] == []


def test_a_stake_before_the_deal_is_returned_to_who_leaves(three: list[Person], database: Database) -> None:
    """Stakes before the deal are returned when the table closes under them."""
    table = Round(three)
    banker = table.banker
    banker.do(table.id, "bank 500")
    first, second = table.punters
    first.do(table.id, "stake 10")
    for person in (second, first, banker):
        person.ask("DELETE", f"/tables/{table.id}/seats/{table.view(person)['you']['seat']}")
    assert sum(person.balance for person in three) == 3000
    assert accounts(database, table.id) == {"bank": 0, "escrow": 0}
    assert banker.get(f"/tables/{table.id}")["phase"] == "closed"
    sound(database)


def test_seats_join_between_coups(person: People, database: Database) -> None:
    """`seats_change` coup: who comes in mid-coup is pending, and is seated before the next stakes."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    ada.do(table, "stake 10")
    view = boris.post(f"/tables/{table}/seats", {"seat": 1}, 201)
    assert view["seats"][1]["pending"] is True
    assert view["play"]["seat"] is None
    assert view["play"]["seats"][0]["hand"] == [None]
    assert boris.do(table, "stake 10", status=409)["code"] == "pending"
    view = ada.do(table, "stand")
    types = [event["type"] for event in view["new_events"]]
    assert types.index("settled") < types.index("seated")
    view = boris.get(f"/tables/{table}")
    assert view["seats"][1] == {
        "seat": 1,
        "kind": "player",
        "name": "Boris",
        "pending": False,
        "leaving": False,
        "you": True,
    }
    boris.do(table, "stake 10")
    ada.do(table, "stake 10")
    assert ada.get(f"/tables/{table}")["phase"] == "play"
    sound(database)


def test_the_lot_reseats_where_seating_is_drawn(person: People) -> None:
    """Tellings 2-3: players sit in the order of the drawn cards, the lowest on seat 0, who is banker first."""
    persons = [person(name) for name in ("Ada", "Boris", "Clara", "Dmitri")]
    table = Round(persons, game="russian-multiple")
    events = persons[0].get(f"/tables/{table.id}/events")["events"]
    lot = next(event["data"] for event in events if "draws" in event["data"])
    view = table.view(persons[0])
    assert view["play"]["banker"] == 0
    first_cards = {draw["seat"]: draw["card"] for draw in reversed(lot["draws"])}
    order = [lot["seating"].index(seat) for seat in range(4)]
    ranks = ["23456789TJQKA".index(first_cards[seat][0]) for seat in order]
    assert ranks == sorted(ranks)
    assert [seat["name"] for seat in view["seats"]] == [persons[seat].name for seat in order]
    assert [table.view(persons[old])["you"]["seat"] for old in range(4)] == lot["seating"]
