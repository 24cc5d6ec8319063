"""The proof of a bank: whoever has it can deal every coup again, with no network and no trust in the server.

In canonical JSON (`casino/proof.py`), so that any changed byte shows:

    {"version", "table", "bank", "number", "rules", "commitment", "server_seed", "client_seeds", "shuffles",
     "seats", "banker", "coups": [{"number", "order", "stakes", "play", "hands", "net"}], "draws", "digest"}

`client_seeds` are hex by seat, `shuffles` the orders as lines of cards. A coup lists the seats as they were dealt to
(`order`, the banker last), each step of `play` as [seat, verb], and the hands and nets by seat. The lot for the first
banker is a bank with number 0: it has `draws` and no coups. `digest` is the SHA-256 of all the rest.
"""

from collections.abc import Sequence
from typing import Any, Final

from casino import chance
from casino.banking.coup import Coup, dealing_order
from casino.banking.plan import BITS, Plan, plan_of
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.banking.seats import lot
from casino.banking.shoe import Shoe
from casino.banking.text import DISCARD, DRAW, STAND
from casino.cards import NAMES, names, pack
from casino.errors import RulesError
from casino.game import Event
from casino.proof import ProofError, committed, hold, same

FIELDS: Final = (
    "banker",
    "bank",
    "client_seeds",
    "commitment",
    "coups",
    "digest",
    "draws",
    "number",
    "rules",
    "seats",
    "server_seed",
    "shuffles",
    "table",
    "version",
)
_MOST_SEATS: Final = 10
VERBS: Final = {"discarded": DISCARD, "drew": DRAW, "stood": STAND}  # event: the choice that it tells


def verify(data: bytes, commitment: str | None = None) -> dict[str, Any]:
    """Hold a proof to everything it says; the proof. `commitment`: the one noted before the bank.

    Raises ProofError at the first thing that does not hold.
    """
    proof = hold(data, FIELDS)
    _check_shape(proof)
    seed, given = committed(proof, commitment, "the bank")
    key = chance.bank_seed(seed, proof["table"], proof["bank"], given)
    rules = _rules(proof["rules"])
    if proof["number"] == 0:
        _check_lot(proof, key, rules)
    else:
        _check_bank(proof, key, plan_of(rules), rules.decks)
    return proof


def _check_shape(proof: dict[str, Any]) -> None:
    """The types that the rest relies on."""
    for name in ("table", "bank", "commitment", "server_seed"):
        if not isinstance(proof[name], str):
            raise ProofError("must be a text", pointer=f"/{name}")
    for name in ("client_seeds", "shuffles"):
        if not isinstance(proof[name], list) or not all(isinstance(item, str) for item in proof[name]):
            raise ProofError("must be an array of texts", pointer=f"/{name}")
    if not isinstance(proof["coups"], list) or not isinstance(proof["rules"], dict):
        raise ProofError("rules must be an object and coups an array", pointer="/coups")
    is_lot, count = proof["number"] == 0, proof["seats"]
    if not _whole(proof["number"]):
        raise ProofError("must be the bank's number, 0 for the lot", pointer="/number")
    if not _whole(count) or not 2 <= count <= _MOST_SEATS:
        raise ProofError(f"must be 2 to {_MOST_SEATS} seats", pointer="/seats")
    if is_lot:
        same(proof["coups"], [], "/coups", "the play of a lot")
    else:
        same(proof["draws"], None, "/draws", "the lot of a bank")
        same(len(proof["client_seeds"]), count, "/client_seeds", "the number of client seeds")
    # A table may close while a bank is offered: that was nobody's.
    nobody = is_lot or (proof["banker"] is None and not proof["coups"] and not proof["shuffles"])
    if proof["banker"] is not None if nobody else proof["banker"] not in range(count):
        raise ProofError("must be the banker's seat, null for the lot", pointer="/banker")


def _whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _rules(record: dict[str, Any]) -> Rules:
    try:
        return build(PRESETS["russian-even"][1], record, "/rules")
    except RulesError as refusal:
        raise ProofError(refusal.detail, pointer=refusal.pointer) from None


def _check_lot(proof: dict[str, Any], key: bytes, rules: Rules) -> None:
    """Every seat drew from shuffle 0, in seat order, and equals drew again."""
    same(proof["client_seeds"], [], "/client_seeds", "the client seeds of a lot")
    order = chance.shuffled(pack(rules.decks), key, 0)
    same(proof["shuffles"], [names(order)], "/shuffles", "the shuffled order")
    _, draws = lot(range(proof["seats"]), key, rules)
    expected = [{"seat": seat, "card": NAMES[card]} for seat, card in draws]
    same(proof["draws"], expected, "/draws", "the draw from the shuffled cards")


def _check_bank(proof: dict[str, Any], key: bytes, plan: Plan, decks: int) -> None:
    coups = proof["coups"]
    if not (coups or proof["shuffles"]):
        return  # nobody staked
    shoe = Shoe.fresh(decks, key)
    for index, coup in enumerate(coups):
        pointer = f"/coups/{index}"
        try:
            _check_order(coup, proof, plan, pointer)
            same(coup["number"], coups[0]["number"] + index, f"{pointer}/number", "the number of the coup")
            _check_coup(coup, shoe, plan, pointer)
        except (KeyError, TypeError, IndexError, AttributeError):
            raise ProofError("this coup is not complete", pointer=pointer) from None
    found = [names(order) for order in shoe.orders]
    same(proof["shuffles"], found, "/shuffles", "the shuffled order")


def _check_order(told: dict[str, Any], proof: dict[str, Any], plan: Plan, pointer: str) -> None:
    """Cards go to who has staked, from the banker's left, and to the banker last: nobody is picked."""
    stakes, banker = told["stakes"], proof["banker"]
    if len(stakes) != proof["seats"] or not all(map(_whole, stakes)) or stakes[banker] or not any(stakes):
        raise ProofError("must be chips by seat, of punters only", pointer=f"{pointer}/stakes")
    expected = dealing_order(stakes, banker, plan.shared)
    same(told["order"], expected, f"{pointer}/order", "the order of dealing")


def _check_coup(told: dict[str, Any], shoe: Shoe, plan: Plan, pointer: str) -> None:
    """Deal one coup again and compare every step, every hand and every net."""
    events: list[Event] = []
    coup = Coup(plan, shoe, told["number"], events)
    coup.deal(told["order"])
    steps: Sequence[Any] = told["play"]
    while (hand := coup.actor()) is not None:
        done = _choices(events)
        if len(done) >= len(steps) or steps[len(done)][0] != hand.seat:
            raise ProofError(
                f"the choice of seat {hand.seat} is missing", pointer=f"{pointer}/play/{len(done)}"
            )
        bit = BITS[steps[len(done)][1]]
        if not coup.bits(hand) & bit:
            raise ProofError("this may not be done here", pointer=f"{pointer}/play/{len(done)}")
        coup.act(bit)
        coup.advance()
    same(steps, _choices(events), f"{pointer}/play", "the play")
    hands: list[str | None] = [None] * len(told["stakes"])
    nets = [0] * len(told["stakes"])
    stakers = [seat for seat, stake in enumerate(told["stakes"]) if stake]
    for hand, row, column in coup.codes():
        for seat in stakers if plan.shared else [hand.seat]:
            hands[seat], nets[seat] = hand.text(), plan.table[row][column]
    banker = coup.banker
    hands[banker.seat], nets[banker.seat] = banker.text(), -sum(nets)
    same(told["hands"], hands, f"{pointer}/hands", "the hands dealt from this shoe")
    same(told["net"], nets, f"{pointer}/net", "the settlement")


def _choices(events: Sequence[Event]) -> list[list[Any]]:
    return [[event.seat, VERBS[event.type]] for event in events if event.type in VERBS]
