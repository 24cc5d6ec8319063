"""The `macao` command. Subcommands are imported when they are called: `macao games` never loads numba."""

from importlib import import_module
from typing import Final, cast

import click

from casino.errors import CasinoError

# name: (module and attribute, one line of help)
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "serve": ("api.commands.serve:serve", "Serve the API and its documentation page."),
    "worker": ("api.commands.worker:worker", "Play the experiments that players order."),
    "migrate": ("api.commands.serve:migrate_command", "Create the database or bring it up to date."),
    "verify": ("api.commands.verify:verify", "Verify the proof of a bank, offline."),
    "games": ("api.commands.games:games", "List the catalogue, or show one game with its options."),
    "play": ("api.commands.play:play", "Play a game against bots in the terminal, or replay a record."),
    "position": (
        "api.commands.position:position",
        "Set up a situation, play texts from it, see the outcome.",
    ),
    "edge": ("api.commands.odds:edge", "Exact odds of a coup: edge, variance, every first card."),
    "policy": ("api.commands.odds:policy", "Best replies with the cost of every deviation; equilibrium."),
    "odds": ("api.commands.odds:odds", "Answer bodies of POST /odds from a file, as JSON."),
    "par": ("api.commands.par:par", "The par sheet: probabilities, edge, variance, hit rates."),
    "compare": ("api.commands.compare:compare", "Two rule sets, option by option."),
    "counting": ("api.commands.counting:counting", "Effects of removal, the edge by the depth of the bank."),
    "ruin": ("api.commands.bankroll:ruin", "Risk of ruin of a bankroll, or the bankroll for a risk."),
    "kelly": ("api.commands.bankroll:kelly", "Kelly's fraction, growth, and the spread of a coup."),
    "sessions": ("api.commands.bankroll:sessions", "The exact distribution of a session's result."),
    "experiment": ("api.commands.experiment:experiment", "Play sessions under staking systems."),
    "simulate": ("api.commands.simulate:simulate", "Deal coups by the million, with standard errors."),
    "backup": (
        "api.commands.backup:backup",
        "Write everything that is stored to a file, while the service runs.",
    ),
    "restore": ("api.commands.backup:restore", "Put a backup into an empty database."),
    "ledger": ("api.commands.ledger:ledger", "Audit the ledger: every balance, every hash."),
    "audit": ("api.commands.audit:audit", "List the log of what was done beside play, or check its chain."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        return cast(click.Command, getattr(import_module(module), attribute))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name; a name that is none is refused with those there are."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command «{args[0]}»; there are {', '.join(COMMANDS)}", ctx=None)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a refusal of the engines is one line and exit code 2."""
        try:
            return super().invoke(ctx)
        except CasinoError as refusal:
            where = f" (at {refusal.pointer})" if refusal.pointer else ""
            raise click.UsageError(f"{refusal.detail}{where}", ctx=None) from None


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="macao", prog_name="macao")
def main() -> None:
    """Macao: play it over REST, compute its exact odds, run bankroll experiments."""
