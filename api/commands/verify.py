"""`macao verify`: hold the proof of a bank or of a match to everything it says, with no network."""

from collections.abc import Callable
from typing import Any, BinaryIO, Final

import click

from casino import match_proof
from casino.banking import proof as bank_proof
from casino.proof import ProofError, members

_Verify = Callable[[bytes, str | None], dict[str, Any]]


def _of_bank(proof: dict[str, Any]) -> str:
    return "the lot for the first banker" if proof["number"] == 0 else f"{len(proof['coups'])} coups"


def _of_match(proof: dict[str, Any]) -> str:
    count = len(proof["deals"])
    deals = "1 deal" if count == 1 else f"{count} deals"
    return deals if proof["totals"] is None else f"a match of {deals}"


# What only such a proof has: how it is verified, and what to say of it.
_KINDS: Final[dict[str, tuple[_Verify, Callable[[dict[str, Any]], str], str]]] = {
    "coups": (bank_proof.verify, _of_bank, "bank"),
    "deals": (match_proof.verify, _of_match, "match"),
}


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option(
    "--commitment", metavar="HEX", help="The commitment that you noted before the bank or the match."
)
def verify(file: BinaryIO, commitment: str | None) -> None:
    """Verify a proof saved from …/banks/ID/proof, …/tables/ID/proof or …/deals/ID/proof.

    Exit code 1 if it does not hold.
    """
    data = file.read()
    try:
        found = members(data)
        kind = next((name for name in _KINDS if name in found), None)
        if kind is None:
            raise ProofError("this is no proof: one of a bank has coups, one of a match has deals")
        check, told, what = _KINDS[kind]
        proof = check(data, commitment)
    except ProofError as refusal:
        where = f" (at {refusal.pointer})" if refusal.pointer else ""
        raise click.ClickException(f"the proof does not hold: {refusal.detail}{where}") from None
    noted = "" if commitment else f"; compare it with the one you noted before the {what}"
    click.echo(
        f"The proof holds: {told(proof)}, dealt from the seed committed to as {proof['commitment']}{noted}."
    )
