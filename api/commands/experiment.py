"""`macao experiment`: many sessions under one or several staking systems, or a whole grid, from a file or options."""

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any

import click
from click.core import ParameterSource
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from analysis.errors import ExecutorError
from analysis.executors import FORMS, executor, parse
from analysis.experiment import Experiment
from analysis.runs import run_all
from analysis.summary import summary
from analysis.sweep import Sweep, check_parquet, to_csv, to_parquet
from analysis.tally import Tally
from api.commands.bankroll import show, source_options
from api.commands.experiment_request import SYSTEM, SYSTEM_HELP, asked
from api.commands.exports import chart_option, pictured, writable, write_file

_MANY = 2 * 10**9  # coups from which on several processes are worth their start


def _parquet(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        check_parquet()  # before any work
    return writable(context, option, path)


@click.command()
@click.argument("file", type=click.File(), required=False)
@source_options
@click.option("--system", "systems", multiple=True, metavar=SYSTEM, help=SYSTEM_HELP)
@click.option("--unit", type=int, metavar="CHIPS", help="First stake of the systems given by name.")
@click.option("--bankroll", type=int, metavar="CHIPS", help="Chips at the start of a session.")
@click.option("--limits", metavar="MIN-MAX[/STEP]", help="Stakes that the table takes; those of the rules.")
@click.option("--coups", type=int, help="Most coups of a session.")
@click.option("--win", type=int, metavar="CHIPS", help="Leave when so far ahead.")
@click.option("--target", type=int, metavar="CHIPS", help="Leave with such a bankroll.")
@click.option("--loss", type=int, metavar="CHIPS", help="Leave when so far behind.")
@click.option("--drawdown", type=int, metavar="CHIPS", help="Leave when so far below the best.")
@click.option("--losing-streak", type=int, metavar="COUPS", help="Leave after so many lost in a row.")
@click.option("--winning-streak", type=int, metavar="COUPS", help="Leave after so many won in a row.")
@click.option("--sessions", type=int, help="Sessions played; 100000.")
@click.option("--precision", metavar="ruin=P|gain=CHIPS", help="Play until the 95 % interval is that narrow.")
@click.option("--seed", type=int, help="0 where left out: the same coups for every system.")
@click.option("--turns", metavar="PLAYERS:COUPS:STAKE", help="He banks in his turn; --rules only.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; by the size of the work.")
@click.option(
    "--executor", "url", metavar="URL", envvar="MACAO_EXECUTOR_URL", help=f"Where chunks are played: {FORMS}."
)
@click.option(
    "--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep chunks there, go on from them."
)
@click.option("--csv", "csv_file", metavar="FILE", callback=writable, help="Write the table as CSV.")
@click.option(
    "--parquet", metavar="FILE", callback=_parquet, help="Write it as Parquet (the extra «parquet»)."
)
@chart_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def experiment(
    file: IO[str] | None, workers: int | None, url: str | None, keep: Path | None, **given: Any
) -> None:
    """Play sessions and tell what they came to: ruin, final bankrolls, drawdown, gain, exact figures beside.

    FILE is a request in JSON, with a grid or without; - is standard input. An option goes over the member of the FILE
    that it names, and cannot name what the grid goes through.
    """
    sweep = Sweep.from_json(asked(file, given))
    tallies = _play(sweep, _executor_url(sweep, workers, url), keep)
    rows = sweep.table(tallies)
    wanted = given["as_json"] or len(rows) == 1  # each is worked out for its row already
    results = [summary(*pair) for pair in zip(sweep.experiments, tallies, strict=True) if wanted]
    _save(rows, results, given)
    if given["as_json"]:
        click.echo(json.dumps({"table": rows, "results": results}, ensure_ascii=False, indent=2))
    elif len(rows) == 1:
        _show_one(results[0])
    else:
        _show_table(rows)


def _save(
    rows: Sequence[dict[str, Any]], results: Sequence[Mapping[str, Any]], given: Mapping[str, Any]
) -> None:
    """Write the files that were asked for."""
    if given["csv_file"]:
        write_file(given["csv_file"], to_csv(rows).encode())
    if given["parquet"]:
        write_file(given["parquet"], to_parquet(rows))

    def picture() -> Any:
        from analysis.bankroll_plots import experiment_chart, sweep_chart  # noqa: PLC0415 - for pictures only

        return experiment_chart(results[0]) if len(results) == 1 else sweep_chart(rows)

    pictured(picture, given["chart"])


def _executor_url(sweep: Sweep, workers: int | None, url: str | None) -> str | None:
    """Where to play; None: in this process. `--workers` goes before MACAO_EXECUTOR_URL, but not with `--executor`."""
    source = click.get_current_context().get_parameter_source("url")
    if workers and url and source == ParameterSource.COMMANDLINE:
        raise ExecutorError("give --workers or --executor, not both: --executor local:4 is --workers 4")
    if url and not workers:
        parse(url)
        return url
    coups = sum(one.planned * one.stops.coups for one in sweep.experiments)
    count = workers or (min(os.cpu_count() or 1, 8) if coups > _MANY else 1)
    return None if count == 1 else f"local:{count}"


def _play(sweep: Sweep, url: str | None, keep: Path | None) -> list[Tally]:
    experiments = sweep.experiments
    tallies = [_kept(one, keep) for one in experiments]
    here: AbstractContextManager[Executor | None] = nullcontext() if url is None else executor(url)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with here as pool, bar:
        task = bar.add_task(
            "loading the kernels (compiled on first use)",
            total=sum(one.chunks for one in experiments),
            rate="",
        )
        bar.advance(task, sum(len(tally.batches) for tally in tallies))
        played = [0]

        def told(place: int, chunk: int, part: Tally) -> None:
            played[0] += part.sums["played"]
            elapsed = bar.tasks[0].elapsed or 1
            bar.update(
                task, description="chunks", advance=1, rate=f"{played[0] / elapsed / 1e6:.0f}M coups/s"
            )
            if keep:
                _keep(experiments[place], chunk, part, keep)

        return run_all(experiments, executor=pool, tallies=tallies, on_chunk=told)


def _kept(experiment: Experiment, keep: Path | None) -> Tally:
    """What an earlier run left of this experiment."""
    tally = Tally()
    if keep:
        for path in sorted(keep.glob(f"{experiment.hash[:24]}-*.chunk")):
            tally.merge(Tally.from_bytes(path.read_bytes()))
    return tally


def _keep(experiment: Experiment, chunk: int, part: Tally, keep: Path) -> None:
    keep.mkdir(parents=True, exist_ok=True)
    path = keep / f"{experiment.hash[:24]}-{chunk}.chunk"
    new = path.with_suffix(f".{os.getpid()}")
    new.write_bytes(part.to_bytes())
    new.replace(path)


def _show_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """A line for each cell: what differs in the grid, then the figures."""
    names = list(rows[0])
    grid = [name for name in names[: names.index("label")] if name != "staking"]
    shown = {
        "label": "system",
        "ruin": "ruin",
        "ruin_exact": "exact",
        "final_5%": "final 5 %",
        "final_50%": "50 %",
        "final_95%": "95 %",
        "gain_controlled": "mean gain",
        "drawdown_50%": "drawdown",
    }
    table = Table(*grid, *shown.values(), "less the first (95 %)")
    for row in rows:
        table.add_row(*(_text(row[name], 4) for name in (*grid, *shown)), _less_first(row))
    show(table)


def _less_first(row: Mapping[str, Any]) -> str:
    if row.get("gain_less_first") is None:
        return ""
    apart, low, high = (row[f"gain_less_first{end}"] for end in ("", "_low", "_high"))
    return f"{apart:.4g} ({low:.4g} to {high:.4g})"


def _show_one(found: Mapping[str, Any]) -> None:
    table = Table(show_header=False, title=f"{found['label']}: {found['sessions']} sessions")
    table.add_row("risk of ruin", _estimate(found["ruin"]))
    for name, share in found["ends"].items():
        if share["value"]:
            table.add_row(f"ended by {name.replace('_', ' ')}", f"{share['value']:.4%}")
    for name in ("final", "drawdown"):
        spread = ", ".join(f"{share}: {_text(chips)}" for share, chips in found[name]["quantiles"].items())
        table.add_row(f"{name.replace('final', 'final bankroll')}, quantiles", spread)
    table.add_row("mean gain", _estimate(found["gain"]))
    table.add_row("mean gain, controlled by the exact EV", _estimate(found["gain_controlled"]))
    table.add_row("net a chip staked, exact", f"{found['per_stake']['exact']:.8g}")
    table.add_row(
        "gain beyond expectation, in errors",
        "" if found["per_stake"]["z"] is None else f"{found['per_stake']['z']:.2f}",
    )
    table.add_row("mean coups", f"{found['played']['mean']:.6g}")
    table.add_row("longest losing run", _text(found["losing_run"]["most"]))
    for name, exact in found["exact"].items():
        told = (
            exact
            if name == "note"
            else f"{exact['exact']:.8g} exact, {exact['value']:.8g} played, {exact['z']:.2f} errors"
        )
        table.add_row(
            {"low": "ruined or stopped below", "high": "stopped above"}.get(name, f"exact {name}"), told
        )
    show(table)


def _estimate(value: Mapping[str, Any]) -> str:
    low, high = value["confidence_interval"]
    if low is None:
        return f"{value['value']:.6g}"
    return f"{value['value']:.6g} (95 %: {low:.6g} to {high:.6g})"


def _text(value: Any, digits: int = 6) -> str:
    return "" if value is None else f"{value:.{digits}g}" if isinstance(value, float) else str(value)
