"""`python -m api` is the `macao` command."""

from api.cli import main

main(prog_name="macao")
