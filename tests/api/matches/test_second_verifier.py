"""The verifier in JavaScript and the one in Python: both accept what real tables prove, and refuse what was changed.

Every value of a proof is changed in turn, with the digest left alone and with a digest that fits. Where the second
verifier leaves something to the rules (docs/fairness.md says what) the first must refuse it.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from casino import match_proof
from casino.banking import proof as bank_proof
from casino.proof import ProofError, dump
from tests.api.matches.matches import BOT, ME, play_out
from tests.api.tables.people import Json, Person
from tests.second_verifier import PROOFS, called, verified

# What only the rules can tell: by the last names of the path. The second verifier may let these pass.
LEFT_TO_THE_RULES = {"rules", "options", "play", "actions", "net", "scores", "winners", "reason", "totals"}
LEFT_TO_THE_RULES |= {"ended_by", "game", "dealer"}
# What no card depends on, unless it does: rules that played no part (such as limits of stakes), how many chips a stake
# was, the bank's number. Only the digest covers these (docs/fairness.md).
NOT_OF_THE_CARDS = {"rules", "options", "stakes", "number"}
DOCUMENTED = {path.name: path.read_bytes() for path in sorted(PROOFS.glob("*.json"))}


def first(data: bytes) -> None:
    """Hold a proof to everything in Python."""
    (bank_proof if b'"coups":' in data else match_proof).verify(data)


def bank(person: Person, **body: Any) -> list[bytes]:
    """Banks of a table played to their end, the lot among them."""
    table = person.open(**body)["id"]
    if body["bank"] == "house":
        person.do(table, "seed c0ffee")
        person.post(f"/tables/{table}/actions", {"action": "autoplay", "stake": 5, "coups": 60})
    banks = person.get(f"/tables/{table}/banks")["banks"]
    asked = [person.ask("GET", f"/tables/{table}/banks/{item['id']}/proof") for item in banks]
    return [answer.data for answer in asked if answer.status_code == 200]


def match(person: Person, **body: Any) -> bytes:
    """A match with a client seed, played to its end."""
    table = person.open(seats=[{**ME, "seed": True}, BOT, BOT], **body)["id"]
    person.do(table, "seed c0ffee")
    play_out([person], table, rng=Random(5))
    answer: bytes = person.ask("GET", f"/tables/{table}/proof").data
    return answer


def test_both_verifiers_accept_what_real_tables_prove(ada: Person) -> None:
    """Banks with one and two cards, discards and cards shuffled in again; lots; shedding games; Пекло."""
    seats = [ME, BOT, BOT]
    proofs = bank(ada, bank="house", seats=seats)
    proofs += bank(ada, bank="house", seats=seats, options={"decks": 1, "exhaustion": "reshuffle"})
    for game in ("punto-banco", "chemin-de-fer", "continental"):
        proofs += bank(ada, game=game, bank="house", seats=seats)
    for _ in range(6):
        proofs += bank(ada, bank="rotates", seats=seats)
    proofs += [match(ada, game=game) for game in ("plawno", "hungarian", "romanian")]
    proofs += [match(ada, game="peklo", options={"max_hand": 3})]
    assert len(proofs) >= 16
    commitments = [json.loads(proof)["commitment"] for proof in proofs]
    tried = verified(list(zip(proofs, commitments, strict=True)))
    for proof, (holds, said) in zip(proofs, tried, strict=True):
        first(proof)
        assert holds, said


def test_both_verifiers_accept_the_documented_proofs() -> None:
    """docs/proofs, with the commitments of the page; not with another."""
    assert set(DOCUMENTED) == {"bank.json", "lot.json", "peklo.json", "plawno.json"}
    page = (PROOFS.parent / "fairness.md").read_text()
    noted = dict(re.findall(r"^\| `(\w+\.json)` \| [^|]+ \| `([0-9a-f]{64})` \|$", page, re.MULTILINE))
    for (holds, said), name in zip(
        verified([(DOCUMENTED[name], noted[name]) for name in noted]), noted, strict=True
    ):
        first(DOCUMENTED[name])
        assert holds, said
    assert len(json.loads(DOCUMENTED["plawno.json"])["deals"][0]["shuffles"]) == 2
    ((holds, said),) = verified([(DOCUMENTED["bank.json"], noted["lot.json"])])
    assert (holds, "/commitment" in said) == (False, True)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values that hold no others (and of empty arrays), of lists the first, second and last item."""
    if isinstance(value, dict) and value:
        for name in value:
            yield from leaves(value[name], (*path, name))
    elif isinstance(value, list) and value:
        for index in sorted({0, min(1, len(value) - 1), len(value) - 1}):
            yield from leaves(value[index], (*path, index))
    else:
        yield path


def changed(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1")
    return [0] if value == [] else 0


def with_changed(proof: Json, path: tuple[Any, ...]) -> Json:
    """The proof with the value at this path changed."""
    copy = json.loads(json.dumps(proof))
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = changed(place[path[-1]])
    return copy


@pytest.mark.parametrize("name", DOCUMENTED)
def test_any_changed_value_is_refused_with_its_place(name: str) -> None:
    """Without a new digest by the digest; with one at the value, or, where only the rules can tell, by the first."""
    proof = json.loads(DOCUMENTED[name])
    paths = [path for path in leaves(proof) if path != ("digest",)]
    plain = [canonical(with_changed(proof, path)) for path in paths]
    forged = [dump(with_changed(proof, path)) for path in paths]
    tried = verified([(data, proof["commitment"]) for data in plain + forged])
    for path, (holds, said) in zip(paths, tried[: len(paths)], strict=True):
        assert not holds, path
        assert "/digest" in said or path == ("version",), (path, said)
    refused = 0
    for path, data, (holds, said) in zip(paths, forged, tried[len(paths) :], strict=True):
        if (refusal := first_says(data, proof["commitment"])) is None:
            assert set(path) & NOT_OF_THE_CARDS, path
            continue
        assert refusal
        assert not holds or set(path) & LEFT_TO_THE_RULES, path
        if not holds:
            refused += 1
            assert re.search(r"\(at /", said) or "not complete" in said, said
    assert refused >= 8


def canonical(proof: Json) -> bytes:
    """Canonical form with the digest as it is."""
    return json.dumps(proof, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def first_says(data: bytes, commitment: str) -> str | None:
    """What the verifier in Python refuses a proof with; None if it holds."""
    try:
        (bank_proof if b'"coups":' in data else match_proof).verify(data, commitment)
    except ProofError as refusal:
        return refusal.detail
    return None


def test_the_form_is_held_to_as_well() -> None:
    """Another order, spaces, a missing or further member, a missing line end, no JSON, a proof cut short."""
    data = DOCUMENTED["bank.json"]
    proof = json.loads(data)
    missing = {name: value for name, value in proof.items() if name != "rules"}
    broken = [
        json.dumps(proof).encode() + b"\n",
        data.rstrip(b"\n"),
        data + b"\n",
        dump(missing),
        dump({**proof, "more": 1}),
        data[:-40],
        b"[]\n",
        b"null\n",
        dump({**proof, "coups": None}),
        dump({**proof, "coups": [None]}),
        dump({**proof, "client_seeds": 1}),
        dump({**proof, "shuffles": None}),
    ]
    for data_, (holds, said) in zip(broken, verified([(item, None) for item in broken]), strict=True):
        assert not holds
        assert len(said) > 10
        with pytest.raises(ProofError):
            first(data_)


def test_a_shoe_of_another_order_is_refused_though_everything_else_fits() -> None:
    """Two cards of the shoe change places, and the hands with them: only the shuffle tells."""
    proof = json.loads(DOCUMENTED["bank.json"])
    cards = proof["shuffles"][0].split(" ")
    cards[-1], cards[-2] = cards[-2], cards[-1]
    proof["shuffles"][0] = " ".join(cards)
    ((holds, said),) = verified([(dump(proof), None)])
    assert (holds, "/shuffles" in said) == (False, True)


def test_a_second_shuffle_that_leaves_out_a_card_is_refused() -> None:
    """In a shedding game what is shuffled again is what was laid."""
    proof = json.loads(DOCUMENTED["plawno.json"])
    again = proof["deals"][0]["shuffles"]
    again[1] = " ".join(again[1].split(" ")[1:])
    ((holds, said),) = verified([(dump(proof), None)])
    assert (holds, "/deals/0/shuffles/1" in said) == (False, True)


def test_called_by_hand_it_tells_a_proof_that_fails_from_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Exit codes as those of `macao verify`: 0 holds, 1 does not, 2 could not be tried."""
    broken = tmp_path / "broken.json"
    broken.write_bytes(DOCUMENTED["bank.json"].replace(b'"net":', b'"nett":'))
    code, said = called(str(PROOFS / "bank.json"))
    assert (code, said[:26]) == (0, "The proof holds: 15 coups,")
    code, said = called(str(broken))
    assert (code, said[:24]) == (1, "The proof does not hold:")
    code, said = called(str(tmp_path / "none.json"))
    assert (code, said[:25]) == (2, "The proof cannot be read:")
    assert called() == (2, "How to call it: node verify.js PROOF [COMMITMENT]\n")
