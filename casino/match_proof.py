"""The proof of a match, or of one of its deals: whoever has it can deal and play it again, with no network.

In canonical JSON (`casino/proof.py`), so that any changed byte shows:

    {"version", "game", "options", "seats", "table", "commitment", "server_seed", "client_seeds",
     "deals": [{"number", "dealer", "shuffles", "actions", "scores", "winners", "reason"}],
     "totals", "ended_by", "digest"}

`options` are all rules, those of the match under `match`. `client_seeds` are hex by seat. Of a deal, `number` is from
1, `shuffles` are the orders as lines of cards, `actions` every step as [seat, text]. A proof of the whole match has
every deal, the `totals` and what ended it; of a proof of single deals these two are null.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from casino.cards import names
from casino.catalogue import find
from casino.chance import draw
from casino.errors import CasinoError
from casino.game import Result, State
from casino.match import LOT, DealKeys, Match, match_of
from casino.options import Schema
from casino.proof import ProofError, committed, hold, same, shaped

_TEXT: Final[Schema] = {"type": "string"}
_SEAT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 9}
_NUMBERS: Final[Schema] = {"type": "array", "items": {"type": "integer"}}
_DEAL: Final[Schema] = {
    "type": "object",
    "properties": {
        "number": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
        "dealer": _SEAT,
        "shuffles": {"type": "array", "items": _TEXT},
        "actions": {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 2}},
        "scores": _NUMBERS,
        "winners": _NUMBERS,
        "reason": _TEXT,
    },
    "required": ["number", "dealer", "shuffles", "actions", "scores", "winners", "reason"],
    "additionalProperties": False,
}
_PROOF: Final[Schema] = {
    "type": "object",
    "properties": {
        "version": _TEXT,
        "game": _TEXT,
        "options": {"type": "object"},
        "seats": {"type": "integer", "minimum": 2, "maximum": 10},
        "table": _TEXT,
        "commitment": _TEXT,
        "server_seed": _TEXT,
        "client_seeds": {"type": "array", "items": _TEXT},
        "deals": {"type": "array", "items": _DEAL},
        "totals": {"oneOf": [{"type": "null"}, _NUMBERS]},
        "ended_by": {"oneOf": [{"type": "null"}, _TEXT]},
        "digest": _TEXT,
    },
    "additionalProperties": False,
}
FIELDS: Final = tuple(_PROOF["properties"])


def verify(data: bytes, commitment: str | None = None) -> dict[str, Any]:
    """Hold a proof to everything it says; the proof. `commitment`: the one noted before the match.

    Raises ProofError at the first thing that does not hold.
    """
    proof = hold(data, FIELDS)
    shaped(proof, _PROOF, "")
    seed, given = committed(proof, commitment, "the match")
    same(len(given), proof["seats"], "/client_seeds", "the number of client seeds")
    match = _match(proof)
    keys = DealKeys(seed, proof["table"], tuple(given))
    before: tuple[int, int, Sequence[int]] | None = None
    totals = [0] * match.seats
    for index, told in enumerate(proof["deals"]):
        where = f"/deals/{index}"
        dealer = _dealer(match, keys, told, before)
        if dealer is not None:
            same(told["dealer"], dealer, f"{where}/dealer", "the dealer")
        outcome = _replayed(match, keys, told, where)
        before = (told["number"], told["dealer"], outcome.winners)
        totals = [total + gain for total, gain in zip(totals, match.gains(outcome), strict=True)]
    if proof["totals"] is not None or proof["ended_by"] is not None:
        _check_whole(match, proof, totals)
    return proof


def _match(proof: Mapping[str, Any]) -> Match[Any]:
    options = dict(proof["options"])
    changes = options.pop("match", None)
    try:
        game = find(proof["game"]).game(options, proof["seats"])
        return match_of(game, changes, pointer="/options/match")
    except CasinoError as refusal:
        raise ProofError(refusal.detail, pointer=refusal.pointer) from None


def _dealer(
    match: Match[Any], keys: DealKeys, told: Mapping[str, Any], before: tuple[int, int, Sequence[int]] | None
) -> int | None:
    """Who had to deal: the first by lot, others by the deal before, where that is in the proof."""
    if told["number"] == 1:
        return draw(match.seats, keys.seed(LOT), 0)
    if before is None or before[0] + 1 != told["number"]:
        return None
    return match.next_dealer(before[1], before[2])


def _replayed(match: Match[Any], keys: DealKeys, told: Mapping[str, Any], where: str) -> Result:
    """Deal again, play every step again, and compare what came of it."""
    if told["dealer"] >= match.seats:
        raise ProofError(f"seats are 0 to {match.seats - 1}", pointer=f"{where}/dealer")
    state = match.deal_for(keys, told["number"] - 1, told["dealer"])
    for number, step in enumerate(told["actions"]):
        _play(state, step, f"{where}/actions/{number}")
    outcome = state.result()
    if outcome is None:
        raise ProofError("the deal does not end with these actions", pointer=f"{where}/actions")
    orders = [names(order) for order in state.drain_shuffles()]
    same(told["shuffles"], orders, f"{where}/shuffles", "the shuffled order")
    same(told["scores"], list(outcome.scores), f"{where}/scores", "the score")
    same(told["winners"], list(outcome.winners), f"{where}/winners", "the winner")
    same(told["reason"], outcome.reason, f"{where}/reason", "the end of the deal")
    return outcome


def _play(state: State[Any], step: Sequence[Any], pointer: str) -> None:
    seat, text = step
    if type(seat) is not int or not isinstance(text, str):
        raise ProofError("a step is a seat and a text", pointer=pointer)
    try:
        state.apply(seat, state.game.parse(text))
    except CasinoError as refusal:
        raise ProofError(f"this may not be done here: {refusal.detail}", pointer=pointer) from None


def _check_whole(match: Match[Any], proof: Mapping[str, Any], totals: Sequence[int]) -> None:
    """A proof of the whole match: every deal in order, the totals, and what ended it."""
    numbers = [told["number"] for told in proof["deals"]]
    same(numbers, list(range(1, len(numbers) + 1)), "/deals", "the numbers of the deals of a whole match")
    same(proof["totals"], list(totals), "/totals", "the sum of the deals")
    by_itself = match.ended_by(totals, len(numbers)) if numbers else None
    if by_itself is not None or proof["ended_by"] in (None, "target", "deals"):
        same(proof["ended_by"], by_itself, "/ended_by", "what ended the match")
