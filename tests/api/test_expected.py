"""Expected beside actual results: stake × edge, summed along the curve."""

from fractions import Fraction
from typing import Any

import pytest
from flask.testing import FlaskClient
from stored import bank, coup, player, result, settle, table

from api.models import Table
from api.refusals import RateLimited
from api.services import bankroll, expected
from casino.banking.presets import PRESETS
from casino.banking.rules import build

# Best play of the punter from a full shoe (docs/odds.md): against the house, and where the banker never draws.
HOUSE = float(Fraction(-252899, 6687135))
RUSSIAN = float(Fraction(6380, 22763))


def free(milliseconds: int) -> None:
    """Everything may be worked out."""


@pytest.fixture
def ana(database, now):
    """A player's id."""
    with database.write() as session:
        return player(session, now, 1000)[0]


def played(session, now, who, game, coups, *, house=True, **options):
    """Settled coups [(side, stake, net)] of a player at a new table."""
    name, *_ = table(session, now, who, game=game)
    row = session.get_one(Table, name)
    rules = build(PRESETS[game][1], options)
    row.options, row.rules_hash, row.bank = options, rules.hash, "house" if house else "rotates"
    term = bank(session, now, name)
    for number, (side, stake, net) in enumerate(coups, start=1):
        deal = coup(session, now, name, term, number)
        settle(session, now, deal)
        result(session, now, deal, name, who, net, stake=stake, game=game, side=side)


def curve(database, who, points=500, spend=free):
    with database.read() as session:
        found = bankroll.series(session, who, points=points)
        stakes = expected.stakes(session, who, bankroll.step_of(session, who, points))
    return expected.beside(found, stakes, spend)


def test_each_stake_adds_its_edge_by_rules_and_side(database, ana, now):
    with database.write() as session:
        played(session, now, ana, "house", [("punter", 10, 30), ("punter", 100, -100)])
        played(session, now, ana, "russian-even", [("punter", 50, 50), ("banker", 200, -200)], house=False)
    found = curve(database, ana)
    sums = [10 * HOUSE, 110 * HOUSE, 110 * HOUSE + 50 * RUSSIAN, 110 * HOUSE - 150 * RUSSIAN]
    assert [point["expected"] for point in found] == pytest.approx(sums, abs=1e-6)
    assert [point["net"] for point in found] == [30, -70, -20, -220]


def test_coups_of_one_point_are_added_up(database, ana, now):
    with database.write() as session:
        played(session, now, ana, "house", [("punter", 10, 0)] * 7)
        played(session, now, ana, "house", [("punter", 10, 0)] * 3, banker_draw={"upto": 4})
    found = curve(database, ana, points=3)
    # «upto 4» leaves the punter at -0.2270 % (docs/odds.md); points of four coups.
    late = -0.002270
    assert [point["coups"] for point in found] == [4, 8, 10]
    assert found[1]["expected"] == pytest.approx(70 * HOUSE + 10 * late, abs=1e-4)
    assert found[2]["expected"] == pytest.approx(70 * HOUSE + 30 * late, abs=1e-4)


def test_a_free_banker_is_the_equilibrium_for_a_person_and_threshold_5_for_the_house(database, ana, now):
    """russian-even-active: -1.3951 % in equilibrium (docs/odds.md); against threshold:5 the best reply is even."""
    with database.write() as session:
        played(session, now, ana, "russian-even-active", [("punter", 100, 0)], house=False)
        played(session, now, ana, "russian-even-active", [("punter", 100, 0)], house=True)
    first, second = curve(database, ana)
    assert first["expected"] == pytest.approx(-1.3951, abs=1e-4)
    assert second["expected"] == pytest.approx(first["expected"], abs=1e-6)


def test_games_without_a_banker_count_as_even(database, ana, now):
    with database.write() as session:
        name, *_ = table(session, now, ana, game="peklo")
        term = bank(session, now, name)
        deal = coup(session, now, name, term)
        settle(session, now, deal)
        result(session, now, deal, name, ana, 40, game="peklo", side="player")
    assert [point["expected"] for point in curve(database, ana)] == [0]


def test_an_edge_is_paid_for_once(database, ana, now, monkeypatch):
    monkeypatch.setattr(expected, "_known", {})
    with database.write() as session:
        played(session, now, ana, "house", [("punter", 10, 0)] * 3)
    paid = []
    for _ in range(2):
        curve(database, ana, spend=paid.append)
    assert len(paid) == 1
    assert paid[0] > 0


def test_who_cannot_pay_is_refused(database, ana, now, monkeypatch):
    monkeypatch.setattr(expected, "_known", {})
    with database.write() as session:
        played(session, now, ana, "house", [("punter", 10, 0)])

    def refuse(milliseconds):
        raise RateLimited("no units left")

    with pytest.raises(RateLimited):
        curve(database, ana, spend=refuse)
    assert not expected._known


def test_the_series_over_rest(client: FlaskClient, player: dict[str, Any]) -> None:
    """Played against the house: each coup of 10 adds 10 × the edge, whatever came of it."""
    made = client.post("/v1/tables", json={"game": "house"}, headers=player["auth"]).json
    body = {"action": "autoplay", "stake": 10, "coups": 5}
    done = client.post(f"/v1/tables/{made['id']}/actions", json=body, headers=player["auth"])
    assert done.status_code == 200, done.text
    points = client.get("/v1/players/me/bankroll/series", headers=player["auth"]).json["points"]
    assert [point["expected"] for point in points] == pytest.approx(
        [10 * HOUSE * n for n in range(1, 6)], abs=1e-6
    )
    assert points[-1]["net"] == done.json["autoplay"]["net"]
