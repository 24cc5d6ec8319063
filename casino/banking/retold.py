"""A settled coup dealt again: what every seat saw when it chose, and what it did."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from casino.banking.bank import BankingGame
from casino.banking.coup import Coup
from casino.banking.plan import BITS
from casino.banking.proof import VERBS
from casino.banking.shoe import Shoe
from casino.banking.state import BankingState
from casino.errors import RulesError
from casino.game import View


class Choice(NamedTuple):
    """A choice of a coup: its place among all steps, the view of the seat then, and the verb it chose."""

    step: int
    view: View
    action: str


def retold(
    game: BankingGame, key: bytes, dealt: int, record: Mapping[str, Any], play: Sequence[Sequence[Any]]
) -> Iterator[Choice]:
    """The choices of a coup in order; steps that the rules left no choice in are played, not told.

    `key` is that of the bank's shuffles, `dealt` the number of cards that earlier coups of the bank took, `record` the
    coup as it was told when it was settled, `play` its steps [seat, verb]. Raises RulesError where they do not fit.
    """
    state = BankingState(game, [0] * game.seats, [True] * game.seats)
    state.phase, state.banker, state.stakes = "play", record["banker"], list(record["stakes"])
    state.bank_number, state.coups = record["bank_number"], record["coup"]
    state.shoe = shoe = Shoe.fresh(game.rules.decks, key)
    shoe.at = dealt
    state.coup = coup = Coup(game.plan, shoe, record["coup"], state.events)
    coup.deal(record["played_by"])
    while (hand := coup.actor()) is not None:
        step = sum(event.type in VERBS for event in state.events)
        if step >= len(play) or play[step][0] != hand.seat or not coup.bits(hand) & BITS[play[step][1]]:
            raise RulesError(f"step {step} of this coup does not follow from its cards")
        yield Choice(step, state.view(hand.seat), play[step][1])
        coup.act(BITS[play[step][1]])
        coup.advance()
