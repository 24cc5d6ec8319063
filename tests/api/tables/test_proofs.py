"""Commitment, client seeds and reveal: a proof is verified offline (`api.md`, «Fairness»)."""

import hashlib
import hmac
import json
from collections.abc import Callable
from itertools import permutations

import pytest

from casino import chance
from casino.banking.proof import verify
from casino.cards import names, pack
from casino.proof import ProofError, dump
from tests.api.tables.people import Json, Person

People = Callable[[str], Person]


@pytest.fixture
def finished(ada: Person) -> tuple[Json, str, bytes]:
    """A bank played to its end with a client seed: the view at its start, its id, its proof."""
    table = ada.open(seats=[{"kind": "me"}, {"kind": "bot"}])
    ada.do(table["id"], "seed c0ffee")
    ada.post(
        f"/tables/{table['id']}/actions",
        {"action": "autoplay", "stake": 5, "policy": "textbook", "coups": 40},
    )
    banks = ada.get(f"/tables/{table['id']}/banks")["banks"]
    bank = next(item for item in banks if item["number"] == 1)
    proof = ada.ask("GET", f"/tables/{table['id']}/banks/{bank['id']}/proof")
    assert proof.status_code == 200
    return table, bank["id"], proof.data


def test_a_proof_is_verified_offline(finished: tuple[Json, str, bytes]) -> None:
    """The commitment published before the bank, the seeds, the shuffle and every coup agree."""
    table, bank, data = finished
    proof = verify(data, table["play"]["commitment"])
    assert proof["bank"] == bank
    assert proof["client_seeds"] == ["c0ffee", "", ""]
    assert len(proof["coups"]) > 8


def test_a_bank_over_with_the_stake_that_opened_it_is_proved_with_its_seeds(ada: Person) -> None:
    """Nobody decides in punto banco: one stake of all his chips is shuffled for, dealt, lost, and ends the bank."""
    purse = ada.open(stakes="practice")["play"]["purse"]
    options = {"stake_limits": {"min": purse, "max": purse, "step": 1}}
    for number in range(40):
        table = ada.open(game="punto-banco", options=options, stakes="practice", seed=number)["id"]
        if ada.do(table, "seed c0ffee", f"stake {purse}")["last"]["chips"][0] == -purse:
            break
    bank = ada.get(f"/tables/{table}/banks")["banks"][-1]
    assert (bank["reason"], bank["client_seeds"]) == ("no_punter", ["c0ffee", ""])
    proof = verify(ada.ask("GET", f"/tables/{table}/banks/{bank['id']}/proof").data, bank["commitment"])
    assert [coup["net"] for coup in proof["coups"]] == [[-1, 1]]


def test_the_shuffle_is_the_documented_one(finished: tuple[Json, str, bytes]) -> None:
    """Worked out here from docs/fairness.md alone: HMAC-SHA256, counter blocks, rejection, Fisher-Yates."""
    proof = json.loads(finished[2])
    seed = bytes.fromhex(proof["server_seed"])
    assert hashlib.sha256(b"macao commitment 1\0" + seed).hexdigest() == proof["commitment"]
    parts = [
        b"macao-1",
        proof["table"].encode(),
        proof["bank"].encode(),
        *map(bytes.fromhex, proof["client_seeds"]),
    ]
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    key = hmac.new(seed, message, hashlib.sha256).digest()
    words = []
    for block in range(40):
        counter = (0).to_bytes(8, "big") + block.to_bytes(8, "big")
        digest = hmac.new(key, b"macao shuffle 1\0" + counter, hashlib.sha256).digest()
        words += [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
    cards = [rank + suit for rank in "23456789TJQKA" for suit in "SHDC"] * 2
    stream = iter(words)
    for place in range(103, 0, -1):
        word = next(word for word in stream if word < 2**32 - 2**32 % (place + 1))
        other = word % (place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    assert proof["shuffles"][0] == " ".join(
        cards
    )  # discards may have emptied the shoe: then there is a second


def test_any_changed_byte_is_refused(finished: tuple[Json, str, bytes]) -> None:
    """Each byte in turn is changed by one bit; no such proof holds."""
    _, _, data = finished
    for place in range(0, len(data), 7):
        broken = bytearray(data)
        broken[place] ^= 1
        with pytest.raises(ProofError):
            verify(bytes(broken))
    for place in range(0, len(data), 97):
        with pytest.raises(ProofError):
            verify(data[:place] + data[place + 1 :])


@pytest.mark.parametrize("member", ["hands", "net", "play", "stakes", "order"])
def test_a_made_up_coup_is_refused_though_the_digest_fits(
    finished: tuple[Json, str, bytes], member: str
) -> None:
    """Who forges a proof can make its digest fit; the cards he cannot."""
    proof = json.loads(finished[2])
    coup = proof["coups"][2]
    coup[member] = (
        proof["coups"][3][member] if coup[member] != proof["coups"][3][member] else [[0, "draw"]] * 3
    )
    if coup[member] == json.loads(finished[2])["coups"][2][member]:
        pytest.skip("two coups alike in this member")
    if member == "stakes":
        coup[member] = [0, 0, 0]
    with pytest.raises(ProofError):
        verify(dump(proof))


def test_another_seed_is_refused(finished: tuple[Json, str, bytes]) -> None:
    """A server that dealt from another seed than it had committed to."""
    proof = json.loads(finished[2])
    proof["server_seed"] = "00" * 32
    with pytest.raises(ProofError, match="commitment"):
        verify(dump(proof))
    proof["commitment"] = chance.commitment(bytes(32))
    with pytest.raises(ProofError):
        verify(dump(proof), finished[0]["play"]["commitment"])


def test_the_seed_is_secret_while_the_bank_lasts(ada: Person) -> None:
    """No proof, no seed in the list of banks, before the bank is over."""
    table = ada.open()["id"]
    ada.do(table, "stake 5")
    (bank,) = ada.get(f"/tables/{table}/banks")["banks"]
    assert bank["server_seed"] is None
    assert bank["client_seeds"] is None
    assert ada.get(f"/tables/{table}/banks/{bank['id']}/proof", 409)["code"] == "not_revealed"


def test_nothing_public_gives_the_shoe_away(ada: Person) -> None:
    """Every public value, alone and in pairs, tried as seed and as key: none gives the shoe that was dealt."""
    table = ada.open()
    view = ada.do(table["id"], "seed 00ff", "stake 5")
    values: set[bytes] = set()

    def collect(value: object) -> None:
        if isinstance(value, dict):
            for name, item in value.items():
                values.add(str(name).encode())
                collect(item)
        elif isinstance(value, list):
            for item in value:
                collect(item)
        else:
            text = str(value)
            values.add(text.encode())
            if len(text) % 2 == 0 and all(letter in "0123456789abcdef" for letter in text):
                values.add(bytes.fromhex(text))

    for shown in (view, ada.get(f"/tables/{table['id']}/events"), ada.get(f"/tables/{table['id']}/banks")):
        collect(shown)
    (bank,) = ada.get(f"/tables/{table['id']}/banks")["banks"]
    candidates = [value for value in values if value]
    keys = {*candidates, *(hashlib.sha256(value).digest() for value in candidates)}
    keys |= {chance.bank_seed(value, table["id"], bank["id"], [b"\0\xff", b""]) for value in candidates}
    keys |= {first + second for first, second in permutations(sorted(candidates)[:60], 2)}
    shown = view["play"]["seats"][0]["hand"]
    tried = {names(chance.shuffled(pack(2), key, 0)) for key in keys}
    ada.do(table["id"], "stand")
    ada.ask("DELETE", f"/tables/{table['id']}/seats/0")
    proof = ada.get(f"/tables/{table['id']}/banks/{bank['id']}/proof")
    assert proof["shuffles"][0].split()[0] == shown[0]
    assert proof["shuffles"][0] not in tried


def test_the_lot_is_proved_too(person: People) -> None:
    """The first banker's cards come from a seed committed to, revealed after the draw."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(game="russian-even", bank="rotates", seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    lot = next(bank for bank in ada.get(f"/tables/{table}/banks")["banks"] if bank["number"] == 0)
    proof = ada.ask("GET", f"/tables/{table}/banks/{lot['id']}/proof").data
    assert verify(proof)["draws"][0]["seat"] == 0
    forged = json.loads(proof)
    forged["draws"][0]["card"], forged["draws"][1]["card"] = (
        forged["draws"][1]["card"],
        forged["draws"][0]["card"],
    )
    if forged != json.loads(proof):
        with pytest.raises(ProofError):
            verify(dump(forged))


def _seats_changed(proof: Json) -> None:
    """Seats 0 and 1 change places in everything that is told of the coups."""
    for coup in proof["coups"]:
        coup["order"] = [{0: 1, 1: 0}.get(seat, seat) for seat in coup["order"]]
        coup["play"] = [[{0: 1, 1: 0}.get(seat, seat), verb] for seat, verb in coup["play"]]
        for name in ("stakes", "hands", "net"):
            coup[name][:2] = reversed(coup[name][:2])


@pytest.mark.parametrize(
    ("forge", "pointer"),
    [
        (_seats_changed, "/coups/0/order"),
        (lambda proof: proof.update(banker=0), "/coups/0/stakes"),
        (lambda proof: proof.update(banker=None), "/banker"),
        (lambda proof: proof.update(seats=4), "/client_seeds"),
        (lambda proof: proof.update(draws=[]), "/draws"),
        (lambda proof: proof.update(number=-1), "/number"),
        (lambda proof: proof["coups"][0]["stakes"].__setitem__(0, True), "/coups/0/stakes"),
        (lambda proof: proof["coups"].pop(1), "/coups/1/number"),
    ],
)
def test_who_was_dealt_to_first_is_no_choice_of_the_server(
    finished: tuple[Json, str, bytes], forge: Callable[[Json], object], pointer: str
) -> None:
    """`rules/banking.md`, step 3: from the banker's left, the banker last. Who deals otherwise is found out, though
    the cards are those of the shoe and the digest fits."""
    proof = json.loads(finished[2])
    forge(proof)
    with pytest.raises(ProofError) as refused:
        verify(dump(proof))
    assert refused.value.pointer == pointer


@pytest.mark.parametrize(
    "forge",
    [
        lambda proof: [draw.update(seat=1 - draw["seat"]) for draw in proof["draws"]],
        lambda proof: proof.update(draws=[]),
        lambda proof: proof.update(draws=None),
        lambda proof: proof["draws"].pop(),
    ],
)
def test_the_draws_of_the_lot_go_to_the_seats_in_order(
    person: People, forge: Callable[[Json], object]
) -> None:
    """`fairness.md`: the seats draw the first cards in seat order, equals again; nobody's card is another's."""
    ada = person("Ada")
    table = ada.open(game="russian-even", bank="rotates", seats=[{"kind": "me"}, {"kind": "bot"}])["id"]
    lot = next(bank for bank in ada.get(f"/tables/{table}/banks")["banks"] if bank["number"] == 0)
    proof = json.loads(ada.ask("GET", f"/tables/{table}/banks/{lot['id']}/proof").data)
    verify(dump(proof))
    forge(proof)
    with pytest.raises(ProofError, match="draw"):
        verify(dump(proof))


def test_a_bank_that_nobody_put_up_is_proved_too(ada: Person) -> None:
    """A table is closed while the bank is offered: the seed committed to is revealed, and no banker is told."""
    table = ada.open(game="russian-even", bank="rotates", seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    boris = Person(ada.client.application, "Boris")
    boris.post(f"/tables/{table}/seats", {}, 201)
    offered = ada.get(f"/tables/{table}")["play"]["commitment"]
    for player in (ada, boris):
        seat = player.get(f"/tables/{table}")["you"]["seat"]
        player.ask("DELETE", f"/tables/{table}/seats/{seat}")
    (bank,) = [bank for bank in ada.get(f"/tables/{table}/banks")["banks"] if bank["number"] == 1]
    proof = verify(ada.ask("GET", f"/tables/{table}/banks/{bank['id']}/proof").data, offered)
    assert (proof["banker"], proof["coups"]) == (None, [])
    proof["shuffles"] = ["2S"]
    with pytest.raises(ProofError, match="banker"):
        verify(dump(proof))


def test_a_file_that_is_no_proof_is_refused_in_words(finished: tuple[Json, str, bytes]) -> None:
    """Half a surrogate pair, endless brackets, not UTF-8: each is refused, none is a fault of the verifier."""
    half = finished[2].replace(b'"bank":"bnk', b'"bank":"\\ud800', 1)
    for data in (half, b"[" * 100_000, b"\xff", b"", b"1" * 5000):
        with pytest.raises(ProofError, match="JSON"):
            verify(data)


def test_a_proof_has_a_tag_and_is_not_sent_twice(ada: Person, finished: tuple[Json, str, bytes]) -> None:
    """It never changes: who has it is told 304."""
    where = f"/tables/{finished[0]['id']}/banks/{finished[1]}/proof"
    tag = ada.ask("GET", where).headers["ETag"]
    again = ada.ask("GET", where, headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
