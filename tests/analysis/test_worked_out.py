"""The policies `optimal` and `equilibrium` of seats: what they choose, and that they see their views only."""

import json
import subprocess
import sys
from fractions import Fraction
from random import Random

import pytest

import analysis  # noqa: F401 - plugs the policies in
from analysis.advice import advise
from analysis.equilibrium import equilibrium
from analysis.equilibrium_play import equilibrium_of
from analysis.shoe import full, infinite
from analysis.solve import solve
from analysis.strategies import cached_plan
from analysis.worked_out import Mixed, Optimal
from casino.banking.policies import BANKER, PUNTER, default_policy, parse_policy
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.bots.banking import BankingBot
from casino.catalogue import find


def played(name, policies, coups, seed=b"seat" * 8, **options):
    """The views of all decisions on cards of some coups, each with the bot that decides."""
    game = find(name).game(options=options, seats=len(policies))
    bots = [BankingBot(game.rules, policy) for policy in policies]
    state = game.start(seed)
    while state.coups < coups and state.phase != "over":
        (seat, *_) = state.awaited()
        view = state.view(seat)
        if view["phase"] == "play":
            yield game, view, bots[seat]
        state.do(seat, bots[seat].choose(view))


@pytest.mark.parametrize("name", ["russian-even", "russian-multiple", "house", "punto-banco"])
def test_against_a_banker_by_rote_optimal_is_the_best_of_the_exact_values(name):
    """Equilibrium too: with one who has no choice it is the best reply."""
    options = {} if name == "punto-banco" else {"banker_draw": {"upto": 4}}
    for game, view, bot in played(name, ["optimal", "textbook", "equilibrium"], 10, **options):
        if view["seat"] != view["banker"] and bot.policy.spec != "textbook":
            found = advise(game.rules, view)
            assert found.cost(bot.policy.choose(view)) == 0


def test_a_free_banker_replies_best_to_what_the_punters_are_given_as():
    costly = 0
    for game, view, _ in played("russian-even-active", ["optimal", "textbook", "textbook"], 12):
        if view["seat"] == view["banker"]:
            found = advise(game.rules, view)
            assert found.side == "banker"
            assert set(found.against.values()) == {"textbook"}
            assert found.cost(Optimal(game.rules, BANKER).choose(view)) == 0
            costly += found.cost(default_policy(game.rules, BANKER).choose(view)) > 0
    assert costly, "threshold:5 is not always the best"


def test_as_banker_a_bot_plays_what_is_worked_out_too():
    rules = build(PRESETS["continental"][1], {})
    assert isinstance(BankingBot(rules, "optimal").banker_policy, Optimal)
    assert isinstance(BankingBot(rules, "equilibrium").banker_policy, Mixed)
    assert BankingBot(rules, "textbook").banker_policy.spec == "threshold:5"
    assert BankingBot(rules, "optimal", banker_policy="stand").banker_policy.spec == "stand"


def test_shares_are_those_of_the_certified_equilibrium():
    """Kemeny and Snell (1957): 9/11 on 5; 859/2288 on 6 against a stand."""
    rules = build(PRESETS["chemin-de-fer"][1], {})
    shares = equilibrium_of(rules, infinite())
    assert shares.draw[5] == Fraction(9, 11)
    assert shares.banker_table().draw[6][0] == Fraction(859, 2288)
    assert shares.punter_table().draw[:7] == (1, 1, 1, 1, 1, Fraction(9, 11), 0)


def five(seat=0):
    """A punter with 5 points of two cards against one banker, in chemin de fer."""
    game = find("chemin-de-fer").game(seats=2)
    state = game.position({"hands": ["2 3", "2 4"], "banker": 1})
    return game, state, state.view(seat)


def test_a_mixed_choice_falls_as_often_as_the_equilibrium_has_it():
    """Over 2,000 keys the share of draws is that of the equilibrium, within four standard errors."""
    game, _, view = five()
    shares = equilibrium_of(game.rules, full(6))
    share = float(shares.draw[5])
    draws = sum(
        Mixed(game.rules, PUNTER, key.to_bytes(32, "big")).choose(view) == "draw" for key in range(2000)
    )
    assert 0.05 < share < 0.95
    assert abs(draws / 2000 - share) < 4 * (share * (1 - share) / 2000) ** 0.5


def test_a_mixed_choice_is_the_same_however_often_it_is_asked():
    game, _, view = five()
    assert len({parse_policy("equilibrium", game.rules, PUNTER).choose(view) for _ in range(20)}) == 1
    other = dict(view, coup=view["coup"] + 1)
    choices = {
        Mixed(game.rules, PUNTER, bytes([key])).choose(given) for key in range(40) for given in (view, other)
    }
    assert choices == {"draw", "stand"}


def test_the_banker_mixes_by_what_he_saw():
    game, state, _ = five()
    state.do(0, "stand")
    view = state.view(1)
    share = float(equilibrium_of(game.rules, full(6)).banker_table().draw[6][0])
    draws = sum(
        Mixed(game.rules, BANKER, key.to_bytes(32, "big")).choose(view) == "draw" for key in range(2000)
    )
    assert abs(draws / 2000 - share) < 4 * (share * (1 - share) / 2000) ** 0.5


def test_a_banker_against_several_replies_to_punters_in_equilibrium():
    for game, view, _ in played("continental", ["equilibrium"] * 3, 8):
        if view["seat"] == view["banker"] and len([e for e in view["seats"] if e["stake"]]) > 1:
            punters = [seat for seat, entry in enumerate(view["seats"]) if entry["stake"]]
            found = advise(game.rules, view, dict.fromkeys(punters, "equilibrium"))
            assert found.cost(Mixed(game.rules, BANKER).choose(view)) == 0


def test_with_discards_the_equilibrium_gives_little_away():
    """What the best replies to the shares make of them lies within half a hundredth of a stake of the exact bounds of
    the value (the shares count no thrown zeros)."""
    rules = build(PRESETS["russian-multiple-active"][1], {"decks": 1, "max_punters": 3})
    shares, fine = equilibrium_of(rules, full(1)), equilibrium(rules, full(1), tail=1e-5)
    plan = cached_plan(rules)
    most = solve(plan, full(1), None, shares.banker_table()).whole().ev()
    least = solve(plan, full(1), shares.punter_table(), None).whole().ev()
    assert fine.lower <= most <= fine.upper + 0.005
    assert fine.lower - 0.005 <= least <= fine.upper
    assert (shares.dealt, shares.banker_discards) == (1, (True, True))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("house", {}),
        ("russian-even-active", {"draw_face_up": False}),
        ("continental", {"exposed": "on_turn"}),
        ("chemin-de-fer", {}),
    ],
)
def test_what_is_hidden_changes_no_choice(name, options):
    """Another deal that the view allows (`worlds`) gets the same choice: no hidden card, no order of the shoe."""
    random, compared = Random(3), 0
    for game, view, bot in played(name, ["optimal", "equilibrium", "optimal"], 6, **options):
        mine = bot.banker_policy if view["seat"] == view["banker"] else bot.policy
        choice = mine.choose(view)
        assert choice in view["legal"]
        for _ in range(3):
            twin = game.world(view, random).view(view["seat"])
            assert json.dumps(twin, sort_keys=True) == json.dumps(view, sort_keys=True)
            assert mine.choose(twin) == choice
            compared += 1
    assert compared


def test_they_always_find_a_legal_choice_to_the_end_of_a_shoe():
    """Also where zeros thrown might empty the shoe in this very hand: then the default of the side decides."""
    decisions = 0
    for _, view, bot in played("house", ["optimal"] * 4, 60, decks=1, max_punters=3, exhaustion="reshuffle"):
        mine = bot.banker_policy if view["seat"] == view["banker"] else bot.policy
        assert mine.choose(view) in view["legal"]
        decisions += 1
    assert decisions > 20


def test_the_policies_are_known_once_analysis_is_imported_and_load_nothing_till_they_are_used():
    code = (
        "import sys, analysis\n"
        "from casino.banking.policies import parse_policy\n"
        "from casino.catalogue import find\n"
        "assert not {'numpy', 'scipy', 'numba'} & set(sys.modules)\n"
        "policy = parse_policy('optimal', find('house').game().rules, 'punter')\n"
        "assert policy.spec == 'optimal' and 'numba' not in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
