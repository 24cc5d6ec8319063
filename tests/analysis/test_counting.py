"""Counting: published effects of removal, what must be nought, and what must be the fresh shoe's edge."""

from fractions import Fraction

import pytest

from analysis.counting import counting, effects_of_removal, end_of_shoe
from analysis.exact import odds
from analysis.shoe import Shoe, full, infinite
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.errors import RulesError

# Eight packs, by points 0-9, six digits. Source: Wizard of Odds, Baccarat, appendix 2 («Effects of removing a card»).
PLAYER = (-18, -45, -54, -67, -120, 84, 113, 82, 53, 25)
BANKER = (19, 44, 52, 65, 116, -83, -113, -83, -50, -23)
TIE = (513, 129, -239, -214, -292, -264, -1160, -1091, 654, 426)
# Changes of the probability that the player's side wins, ten digits. Source: excelpunks.com, «Concepts 16: Baccarat -
# Effects of Card Removal».
PLAYER_WINS = {0: -373810, 1: -295798, 3: -217068, 4: -435175}


def rules(name, **options):
    return build(PRESETS[name][1], options)


@pytest.fixture(scope="module")
def punto_banco():
    return effects_of_removal(rules("punto-banco"), punter="rules")


def test_effects_of_removal_are_the_published_ones(punto_banco):
    assert [round(float(effect.punter) * 1e6) for effect in punto_banco] == list(PLAYER)
    assert [round(float(effect.banker_bet) * 1e6) for effect in punto_banco] == list(BANKER)
    assert [round(float(effect.tie_bet) * 1e6) for effect in punto_banco] == list(TIE)


@pytest.mark.parametrize("points", list(PLAYER_WINS))
def test_published_changes_of_the_players_chance(points):
    record, left = rules("punto-banco"), list(full(8).counts)
    left[points] -= 1
    wins = [odds(record, shoe, punter="rules").distribution[1] for shoe in (full(8), Shoe(tuple(left)))]
    assert round(float(wins[1] - wins[0]) * 1e10) == PLAYER_WINS[points]


@pytest.mark.parametrize(
    ("name", "punter", "banker"),
    [
        ("punto-banco", "rules", "rules"),
        ("russian-even", "textbook", None),
        ("house", "textbook", None),
        ("russian-multiple-active", "threshold:4", "threshold:5"),
        ("continental", "textbook", "threshold:5"),
    ],
)
def test_effects_weighted_by_the_shoe_are_nought_for_policies_that_stay_the_same(name, punter, banker):
    """Every card is as good as any other to be the next: the mean over the first card gone is the whole shoe's EV."""
    found = effects_of_removal(rules(name), punter=punter, banker=banker)
    assert sum(effect.cards * effect.punter for effect in found) == 0
    assert all(effect.banker == -effect.punter for effect in found)
    assert [effect.cards for effect in found] == [16 * rules(name).decks, *[4 * rules(name).decks] * 9]


def test_whoever_works_out_his_best_play_anew_gains_by_knowing():
    """The mean of the best EVs is no less than the EV of one policy for all shoes, and more where a card changes what
    is best: with one suit of thirteen cards it does."""
    record = rules("russian-even")
    whole = effects_of_removal(record, punter="optimal")
    suit = effects_of_removal(record, Shoe((4, 1, 1, 1, 1, 1, 1, 1, 1, 1)), punter="optimal")
    assert sum(effect.cards * effect.punter for effect in whole) >= 0
    assert sum(effect.cards * effect.punter for effect in suit) > 0


@pytest.mark.parametrize(
    ("name", "punter", "options"),
    [
        ("russian-even", "textbook", {}),
        ("house", "textbook", {}),
        ("punto-banco", "rules", {"decks": 1, "max_punters": 1}),
    ],
)
def test_the_mean_edge_at_every_depth_is_the_fresh_shoes(name, punter, options):
    """For policies that stay the same; within four standard errors."""
    found = counting(rules(name, **options), punter=punter, samples=1500, seed=11, depths=[5, 20, 40])
    fresh = float(odds(rules(name, **options), punter=punter).ev_punter)
    assert float(found.fresh) == pytest.approx(fresh)
    for depth in found.depths:
        assert abs(depth.mean.value - fresh) < 4 * depth.mean.error, depth.gone
    deviations = [depth.deviation for depth in found.depths]
    assert deviations == sorted(deviations), "the fewer cards are left, the more the edge moves"


def test_with_no_card_gone_every_shoe_is_the_fresh_one():
    record = rules("russian-even")
    (depth,) = counting(record, punter="optimal", depths=[0], samples=10).depths
    edge = float(Fraction(6380, 22763))
    assert depth.mean.value == pytest.approx(edge)
    assert depth.deviation == pytest.approx(0, abs=1e-12)
    assert list(depth.quantiles.values()) == pytest.approx([edge] * 5)
    assert (depth.favourable, depth.correlation) == (1, None)
    # 5 to 500 chips: 99 smallest stakes more, each worth the edge.
    assert depth.gain.value == pytest.approx(99 * edge)


def test_the_bankers_side_is_the_punters_with_the_other_sign():
    mine, his = (
        counting(rules("house"), punter="textbook", depths=[60], samples=200, side=side)
        for side in ("punter", "banker")
    )
    assert his.fresh == -mine.fresh
    assert his.depths[0].mean.value == pytest.approx(-mine.depths[0].mean.value)
    assert his.depths[0].favourable == pytest.approx(1 - mine.depths[0].favourable)
    assert his.depths[0].correlation == pytest.approx(mine.depths[0].correlation)


def test_the_count_tells_the_edge_and_the_less_the_deeper():
    """Linear in the cards gone, near the full shoe all but exactly (Griffin)."""
    shallow, deep = counting(rules("punto-banco"), punter="rules", depths=[52, 380], samples=150).depths
    assert shallow.correlation > 0.99
    assert 0.5 < deep.correlation < shallow.correlation


def test_the_same_seed_deals_the_same_shoes():
    asked = {"punter": "textbook", "depths": [30], "samples": 50}
    told = [counting(rules("house"), seed=seed, **asked).to_json() for seed in (1, 1, 2)]
    assert told[0] == told[1]
    assert told[0]["by_depth"] != told[2]["by_depth"]


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"side": "house"}, "/side"),
        ({"samples": 1}, "/samples"),
        ({"samples": True}, "/samples"),
        ({"seed": -1}, "/seed"),
        ({"depths": [101]}, "/depths/0"),
        ({"depths": [1, -1]}, "/depths/1"),
        ({"punter": "nobody"}, "/punter"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_place(asked, pointer):
    """Two packs: a coup of `house` may need four cards, so 100 may be gone."""
    with pytest.raises(RulesError) as caught:
        counting(rules("house"), **asked)
    assert caught.value.pointer == pointer


def test_a_banker_who_is_free_must_be_given_and_an_endless_shoe_has_no_effects():
    with pytest.raises(RulesError, match="equilibrium"):
        counting(rules("continental"), banker="optimal")
    with pytest.raises(RulesError, match="no card ever leaves"):
        effects_of_removal(rules("house"), infinite())


def test_where_every_coup_takes_as_many_cards_the_end_of_the_shoe_does_nothing():
    """Nobody draws: a coup takes two cards, all coups of a bank are alike, and the average is the first coup's EV."""
    found = end_of_shoe(rules("russian-even", max_draws=0), "stand", "rules", coups=400_000, seed=3)
    assert found.first_coup == 0
    assert abs(found.difference) < 4 * found.over_bank.error


def test_the_end_of_the_shoe_favours_coups_of_few_cards():
    """A bank ends when a coup might not be served, so small coups are dealt more often towards its end: against a
    banker who never draws the difference stays below half a thousandth of a stake."""
    found = end_of_shoe(rules("russian-even"), "textbook", "rules", coups=2_000_000, seed=5)
    assert abs(found.difference) < 5e-4 + 4 * found.over_bank.error
    assert found.to_json()["banks"] == found.banks > 0
