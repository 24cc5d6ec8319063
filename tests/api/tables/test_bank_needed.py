"""What bank a table needs, told when it is opened: the bank of `POST /ruin`, in chips of the table's limits."""

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from types import ModuleType
from typing import Any

import pytest
from flask.testing import FlaskClient
from http_contract import register

from analysis.ruin import bankroll_for, risk_of_ruin
from analysis.sources import outcomes_of
from api.services.tables import bank_needed

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    """Every test works it out anew."""
    bank_needed._known.clear()
    yield
    bank_needed._known.clear()


@pytest.fixture
def head(client: FlaskClient) -> Json:
    """The header of a player's key."""
    auth: Json = register(client)["auth"]
    return auth


def opened(client: FlaskClient, head: Json, **body: Any) -> Json:
    answer = client.post("/v1/tables", json=body, headers=head)
    assert answer.status_code == 201, answer.text
    found: Json = answer.json
    return found


def test_the_bank_of_the_house(client: FlaskClient, head: Json) -> None:
    """104 stakes keep the risk down to one in a hundred (docs/study-banker.md); 103 do not. Stakes are 5 to 500."""
    table = opened(client, head, game="house")
    told = table["bank_needed"]
    assert (told["punters"], told["punter"], told["banker"]) == (1, "textbook", "rules")
    assert told["for_ever"]["0.01"] == {"stakes": 104, "chips": {"min": 520, "max": 52_000}}
    banker = outcomes_of({"preset": "house", "side": "banker"})
    assert risk_of_ruin(banker, 104).ruin <= 0.01 < risk_of_ruin(banker, 103).ruin
    assert told["coups"] == 52, "two cards a coup at least, of 104"
    for risk, bank in told["one_shoe"].items():
        assert risk_of_ruin(banker, bank["stakes"], coups=52).ruin <= float(risk)
        assert risk_of_ruin(banker, bank["stakes"] - 1, coups=52).ruin > float(risk)


def test_the_table_shows_it_as_long_as_it_lives(client: FlaskClient, head: Json) -> None:
    table = opened(client, head, game="house")
    path = f"/v1/tables/{table['id']}"
    first = client.get(path, headers=head)
    assert first.json["bank_needed"] == table["bank_needed"]
    bank_needed._known.clear()
    again = client.get(path, headers=head | {"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    played = client.post(f"{path}/actions", json={"action": "stake 10"}, headers=head)
    assert played.json["bank_needed"] == table["bank_needed"]


def test_no_bank_is_enough_for_ever_where_the_punter_has_the_edge(client: FlaskClient, head: Json) -> None:
    table = opened(client, head, game="russian-multiple", bank="rotates")
    assert table["bank_needed"]["for_ever"] is None
    assert set(table["bank_needed"]["one_shoe"]) == set(bank_needed.RISKS)


def test_options_of_the_table_count(client: FlaskClient, head: Json) -> None:
    changes = {"banker_draw": {"upto": 6}, "stake_limits": {"min": 7, "max": 70, "step": 7}}
    told = opened(client, head, game="house", options=changes)["bank_needed"]
    banker = outcomes_of({"preset": "house", "changes": changes, "side": "banker"})
    needed = bankroll_for(banker, Fraction(1, 100)).bankroll
    assert told["for_ever"]["0.01"]["stakes"] == needed != 104
    assert told["for_ever"]["0.01"]["chips"] == {"min": ceil(7 * needed), "max": ceil(70 * needed)}


def test_several_punters_are_enumerated(
    client: FlaskClient, head: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bank_needed, "_kernels_are_loaded", lambda: False)
    three = [{"kind": "me"}, {"kind": "bot"}, {"kind": "bot"}]
    told = opened(client, head, game="russian-even", options={"banker_draw": {"upto": 5}}, seats=three)
    assert told["bank_needed"]["punters"] == 3
    asked = {
        "preset": "russian-even",
        "changes": {"banker_draw": {"upto": 5}},
        "side": "banker",
        "punters": 3,
    }
    needed = bankroll_for(outcomes_of(asked), "0.05", coups=told["bank_needed"]["coups"]).bankroll
    assert told["bank_needed"]["one_shoe"]["0.05"]["stakes"] == needed


def test_more_than_three_are_dealt_to_where_the_kernel_is_loaded(
    client: FlaskClient, head: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    five = {"game": "house", "seats": [{"kind": "me"}, *[{"kind": "bot"}] * 4]}
    monkeypatch.setattr(bank_needed, "_kernels_are_loaded", lambda: False)
    assert opened(client, head, **five)["bank_needed"] is None
    monkeypatch.setattr(bank_needed, "_kernels_are_loaded", lambda: True)
    told = opened(client, head, **five)["bank_needed"]
    assert told["punters"] == 5
    assert told["coups"] == 18, "six cards a coup at least, of 104"
    banker = outcomes_of({"preset": "house", "side": "banker", "punters": 5})
    assert told["for_ever"]["0.05"]["stakes"] == bankroll_for(banker, "0.05").bankroll
    assert told["for_ever"]["0.05"]["stakes"] > 15, "the worst payout of all five is covered"


def test_a_hand_that_all_share_is_enumerated(client: FlaskClient, head: Json) -> None:
    """Three punters on one hand win and lose together: the bank is three times that against one."""
    seats = [{"kind": "me"}, {"kind": "bot"}, {"kind": "bot"}]
    one = opened(client, head, game="punto-banco")["bank_needed"]
    three = opened(client, head, game="punto-banco", seats=seats)["bank_needed"]
    for risk in bank_needed.RISKS:
        assert three["for_ever"][risk]["stakes"] == 3 * one["for_ever"][risk]["stakes"]


def test_whoever_asks_first_pays_for_it(client: FlaskClient, head: Json) -> None:
    def spent() -> int:
        before = int(client.get("/v1/games", headers=head).headers["X-RateLimit-Remaining"])
        opened(client, head, game="house")
        return before - int(client.get("/v1/games", headers=head).headers["X-RateLimit-Remaining"])

    first, second = spent(), spent()
    assert first > second > 0


def test_nobody_keeps_a_bank_at_a_match(client: FlaskClient, head: Json) -> None:
    assert "bank_needed" not in opened(client, head, game="russian-104")


def test_it_is_what_post_ruin_tells(client: FlaskClient, head: Json) -> None:
    told = opened(client, head, game="house")["bank_needed"]
    body = {"rules": {"preset": "house"}, "side": "banker", "risk": "0.001"}
    assert client.post("/v1/ruin", json=body).json["bankroll"]["float"] == told["for_ever"]["0.001"]["stakes"]


def test_a_table_opened_while_the_kernels_are_being_imported_does_not_tell(
    client: FlaskClient, head: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread imports them: the module is known by name already, and has nothing in it yet."""
    monkeypatch.setitem(sys.modules, "analysis.deal_kernels", ModuleType("analysis.deal_kernels"))
    seats = [{"kind": "me"}, *[{"kind": "bot"}] * 4]
    assert opened(client, head, game="house", seats=seats)["bank_needed"] is None
