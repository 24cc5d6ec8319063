"""`macao verify`: hold the proof of a bank to everything it says, with no network."""

from typing import BinaryIO

import click

from casino.banking.proof import ProofError
from casino.banking.proof import verify as verify_proof


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option("--commitment", metavar="HEX", help="The commitment that you noted before the bank.")
def verify(file: BinaryIO, commitment: str | None) -> None:
    """Verify a proof saved from …/banks/ID/proof. Exit code 1 if it does not hold."""
    try:
        proof = verify_proof(file.read(), commitment)
    except ProofError as refusal:
        where = f" (at {refusal.pointer})" if refusal.pointer else ""
        raise click.ClickException(f"the proof does not hold: {refusal.detail}{where}") from None
    what = "the lot for the first banker" if proof["number"] == 0 else f"{len(proof['coups'])} coups"
    noted = "" if commitment else "; compare it with the one you noted before the bank"
    click.echo(f"The proof holds: {what}, dealt from the seed committed to as {proof['commitment']}{noted}.")
