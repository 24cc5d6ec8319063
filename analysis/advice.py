"""The best action of a seat from its view, and how every other seat is taken to play.

A punter is taken to play `textbook`, a banker without a choice his rote, a free one the equilibrium; a seat whose
policy is known (a bot's, the house's) plays that. The same decision drives advice, the cost of a choice and the
policy `optimal`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from analysis import seats
from analysis.decision import BankerDecision
from analysis.equilibrium_play import equilibrium_of, is_ready
from analysis.numbers import Number
from analysis.punter_turn import PunterDecision
from analysis.reply_tables import tables
from analysis.seats import Seen
from analysis.shoe import check_coup, full, may_discard
from analysis.solve import solve
from analysis.strategies import (
    BankerTable,
    Policy,
    PunterTable,
    banker_table,
    cached_plan,
    default,
    is_open,
    punter_table,
)
from casino.banking.policies import BANKER, PUNTER
from casino.banking.rules import Rules
from casino.banking.text import SIT, STAKE
from casino.errors import RulesError
from casino.game import View

EQUILIBRIUM: Final = "equilibrium"
# Milliseconds: of a decision, of one in which zeros may be thrown, of an equilibrium with discards; steps in one.
_PLAIN, _ZERO, _SOLVING, _STEPS = 20, 150, 4000, 1000
DRY: Final = (
    "zeros thrown might empty the shoe in this coup: what would follow then is left out of the figures"
)
CAPPED: Final = (
    "zeros thrown are followed up to a cap in the banker's equilibrium, which is that of a full shoe"
)


@dataclass(frozen=True)
class Advice:
    """What each action of a seat is worth, from its view: a punter's in stakes, a banker's in chips.

    `against`: by seat, the policy that it was taken to play; `unexpected`: seats that did what theirs never does,
    and were taken to hold any card; `notes`: where the figures are not exact.
    """

    side: str
    decision: PunterDecision | BankerDecision
    against: Mapping[int, Policy]
    unexpected: tuple[int, ...]
    unseen: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def values(self) -> Mapping[str, Number]:
        """Expected net by action."""
        return self.decision.values

    @property
    def best(self) -> str:
        return self.decision.best

    def cost(self, action: str) -> Number:
        """What an action gives away."""
        return self.decision.cost(action)

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return self.decision.to_json() | {
            "unit": "stakes" if self.side == PUNTER else "chips",
            "against": {str(seat): policy for seat, policy in self.against.items()},
            "unexpected": list(self.unexpected),
            "unseen": {str(points): count for points, count in enumerate(self.unseen)},
            "notes": list(self.notes),
        }


def advise(
    rules: Rules, view: View, given: Mapping[int, Policy] | None = None, *, exact: bool = True
) -> Advice:
    """The decision of the view's seat, which is to act on a card. `given`: policies of other seats that are known.

    Raises RulesError: no decision, a shoe with too few cards for this hand and the banker's, one that costs too much.
    """
    if view["phase"] != "play" or not view["legal"]:
        raise RulesError("there is no card to decide on for this seat now", pointer="/seat")
    seen, known = Seen(rules, view), given or {}
    against: dict[int, Policy] = {seat: known.get(seat, default(PUNTER, rules)) for seat in seen.others()}
    others = {seat: punter_play(rules, policy) for seat, policy in against.items()}
    dry, notes = seats.may_run_dry(seen), []
    decision: PunterDecision | BankerDecision
    if seen.side == BANKER:
        decision, odd = seats.banker_turn(seen, others)
    else:
        policy = against[seen.banker] = _banker_policy(rules, known.get(seen.banker))
        mixes = policy == EQUILIBRIUM
        notes = [CAPPED] if mixes and may_discard(cached_plan(rules)) else []
        decision, odd = seats.punter_turn(
            seen, _banker_play(seen, policy), others, alone=True if mixes else None, exact=exact
        )
        dry = dry or not decision.complete
    notes += [DRY] if dry else []
    return Advice(seen.side, decision, against, tuple(odd), seen.unseen(), tuple(notes))


def cost_of(rules: Rules, view: View, given: Mapping[int, Policy] | None = None) -> int:
    """What the advice takes, in about milliseconds: a guess on the safe side, told before the work."""
    seen, known = Seen(rules, view), given or {}
    discards = may_discard(cached_plan(rules))
    if seen.side == BANKER:
        others = {seat: punter_play(rules, known.get(seat, default(PUNTER, rules))) for seat in seen.others()}
        return _PLAIN + _ZERO * discards + seats.banker_steps(seen, others) // _STEPS
    solves = _banker_policy(rules, known.get(seen.banker)) == EQUILIBRIUM and not is_ready(rules)
    return _PLAIN + _ZERO * discards + _SOLVING * solves


def advise_stake(rules: Rules, view: View, given: Mapping[int, Policy] | None = None) -> Advice:
    """Is the next coup worth a stake to this punter? What a unit brings under best play, beside sitting out.

    From the shoe as he knows it before the deal. Raises RulesError: one that might not serve the coup.
    """
    seen, known = Seen(rules, view), given or {}
    against = {seen.banker: _banker_policy(rules, known.get(seen.banker))}
    shoe, plan = seen.public_shoe(), cached_plan(rules)
    notes: tuple[str, ...] = ()
    if is_open(against[seen.banker]):
        check_coup(shoe, plan)
        value = equilibrium_of(rules, shoe).value
        notes = (CAPPED,) if may_discard(plan) else ()
    else:
        value = solve(plan, shoe, None, banker_table(against[seen.banker], rules)).whole().ev()
    decision = PunterDecision({SIT: Fraction(0), STAKE: value}, rules.hash)
    return Advice(PUNTER, decision, against, (), shoe.counts, notes)


def _banker_policy(rules: Rules, known: Policy | None) -> Policy:
    """How a banker is taken to play: as is known of him; in equilibrium if he is free, and nothing is known or what
    he plays is worked out too."""
    if rules.banker_is_free and (known is None or is_open(known)):
        return EQUILIBRIUM
    return default(BANKER, rules) if known is None or is_open(known) else known


def _banker_play(seen: Seen, policy: Policy) -> BankerTable:
    """A banker's policy as the table that this punter meets."""
    if policy != EQUILIBRIUM:
        return banker_table(policy, seen.rules)
    return equilibrium_of(seen.rules, seen.public_shoe()).banker_table(seen.own_first())


def punter_play(rules: Rules, policy: Policy) -> PunterTable:
    """A punter's policy as a table; one that is worked out as from a full shoe, against the default of the banker or
    in equilibrium with one who is free."""
    return _punter_play(rules, policy) if isinstance(policy, str) else punter_table(policy, rules)


@lru_cache(maxsize=256)
def _punter_play(rules: Rules, policy: str) -> PunterTable:
    if not is_open(policy):
        return punter_table(policy, rules)
    if rules.banker_is_free:
        return equilibrium_of(rules, full(rules.decks)).punter_table()
    return tables(rules, full(rules.decks), policy)[0]
