"""Sweeps: a grid of experiments as one, with one table of results; and how a request becomes experiments.

A request is an experiment's JSON (`analysis.experiment.SCHEMA`), where `rules` may stand for `outcomes`, or `results`,
the nets of coups that were played (`analysis.sources`). A sweep adds a `grid`: path in the request ->
values. All cells have the request's seed, so cells with the same outcomes see the same coups, and each is compared
with the first of them.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any, Final

from analysis.experiment import MOST_COUPS, Experiment
from analysis.intervals import Interval
from analysis.outcomes import BankrollError
from analysis.sources import asked_outcomes, folded, outcomes_of, placed, rules_of, source_of
from analysis.summary import difference, summary
from analysis.tally import Tally

MOST_CELLS: Final = 1000
PLAYED: Final = "played"  # what the results are, where they are a player's own: told, not read
Json = dict[str, Any]


@dataclass(frozen=True)
class Sweep:
    """Experiments with the values of the grid that each has, in the order of the grid, the last path fastest."""

    experiments: tuple[Experiment, ...]
    cells: tuple[Mapping[str, Any], ...]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Sweep":
        """A request without a grid is a sweep of one cell. Raises BankrollError or RulesError with a pointer."""
        cells, requests = cell_requests(data)
        experiments = tuple(map(read, requests))
        coups = sum(experiment.planned * experiment.stops.coups for experiment in experiments)
        if coups > MOST_COUPS:
            raise BankrollError(
                f"too large: {len(cells)} experiments of {coups:.3g} coups in all, the cap is {MOST_COUPS:.3g}",
                pointer="/grid",
            )
        return cls(experiments, cells)

    def table(self, tallies: Sequence[Tally]) -> list[Json]:
        """A row for each cell: its values of the grid, and the figures of its summary."""
        first: dict[str, int] = {}
        rows = []
        for place, (experiment, cell, tally) in enumerate(
            zip(self.experiments, self.cells, tallies, strict=True)
        ):
            base = first.setdefault(experiment.outcomes.hash, place)
            rows.append({**_flat(cell), **_row(experiment, tally)})
            if base != place:
                rows[-1] |= _less_first(difference(tallies[base].batches, tally.batches))
        return rows


def cell_requests(data: Mapping[str, Any]) -> tuple[tuple[Json, ...], list[Json]]:
    """The cells of a request's grid, and the request of each. Raises BankrollError with a pointer."""
    grid = data.get("grid") or {}
    if not isinstance(grid, Mapping):
        raise BankrollError("must be an object, path -> list of values", pointer="/grid")
    base = {key: value for key, value in data.items() if key != "grid"}
    cells = tuple(_cells(grid))
    return cells, [_set(base, cell) for cell in cells]


def read(request: Mapping[str, Any]) -> Experiment:
    """An experiment from a request. Raises BankrollError or RulesError with a pointer."""
    asked = folded(request)
    kind = source_of(asked)
    if PLAYED in asked and not (kind == "results" and isinstance(asked[PLAYED], Mapping)):
        raise BankrollError(
            "must be an object that tells what the results are: it goes with them", pointer="/played"
        )
    plain = {key: value for key, value in asked.items() if key not in (kind, PLAYED)}
    with placed(request):
        plain |= _source(kind, asked)
        if kind == "rules":
            plain.setdefault("limits", plain["source"].pop("limits"))
            if isinstance(plain.get("turns"), Mapping) and "outcomes" not in plain["turns"]:
                plain["turns"] = _turns(asked["rules"], plain["turns"])
    return Experiment.from_json(plain)


def to_csv(rows: Sequence[Json]) -> str:
    """Rows as CSV, with a header of all names that occur."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def to_parquet(rows: Sequence[Json]) -> bytes:
    """Rows as a Parquet file. A column of values of several kinds is one of texts. Raises BankrollError without
    pyarrow."""
    check_parquet()
    import pyarrow as pa  # noqa: PLC0415 - an extra
    from pyarrow import parquet  # noqa: PLC0415

    names = list(dict.fromkeys(name for row in rows for name in row))
    buffer = io.BytesIO()
    parquet.write_table(pa.table({name: _column([row.get(name) for row in rows]) for name in names}), buffer)
    return buffer.getvalue()


def check_parquet() -> None:
    """Raise BankrollError where Parquet cannot be written."""
    if find_spec("pyarrow") is None:
        raise BankrollError(
            "Parquet needs pyarrow, which the extra «parquet» brings: pip install 'macao[parquet]'; CSV and JSON need"
            " nothing more"
        )


def _column(values: list[Any]) -> list[Any]:
    """Values of one kind, whole numbers and floats counting as one."""
    kinds = {float if isinstance(v, int | float) and not isinstance(v, bool) else type(v) for v in values}
    plain = len(kinds - {type(None)}) <= 1 and not kinds & {list, dict}
    return values if plain else [None if value is None else str(value) for value in values]


def _source(kind: str, request: Json) -> Json:
    """The outcomes, and where they come from."""
    outcomes = asked_outcomes(request)
    found: Json = {"outcomes": outcomes.to_json()}
    if kind == "results":
        given = request["results"]
        times = sum(given.values()) if isinstance(given, Mapping) else len(given)
        found["source"] = {"results": times, **({PLAYED: request[PLAYED]} if PLAYED in request else {})}
    if kind == "rules":
        rules = rules_of(request["rules"])
        limits = {"min": rules.limits.min, "max": rules.limits.max, "step": rules.limits.step}
        found["source"] = {"rules": dict(request["rules"]), "rules_hash": rules.hash, "limits": limits}
        found["need"] = str(outcomes.need)
    return found


def _turns(rules: Mapping[str, Any], turns: Mapping[str, Any]) -> Json:
    """Turns at the bank under the same rules, against all other players."""
    players = turns.get("players")
    if not isinstance(players, int) or players < 2:
        raise BankrollError("turns need players, 2 or more", pointer="/turns/players")
    most = rules_of(rules).max_punters + 1
    if players > most:
        raise BankrollError(
            f"by the rules 2 to {most} players take turns, not {players}", pointer="/turns/players"
        )
    bank = outcomes_of({**rules, "side": "banker", "punters": players - 1})
    return {**turns, "outcomes": bank.to_json(), "need": str(bank.need)}


def _cells(grid: Mapping[str, Any]) -> Iterator[Json]:
    for path, values in grid.items():
        if not isinstance(values, list) or not values:
            raise BankrollError("a path of the grid needs a list of values", pointer=f"/grid/{path}")
    count = 1
    for values in grid.values():
        count *= len(values)
    if count > MOST_CELLS:
        raise BankrollError(f"too large: {count} cells, the cap is {MOST_CELLS}", pointer="/grid")
    for chosen in product(*grid.values()):
        yield dict(zip(grid, chosen, strict=True))


def _set(base: Mapping[str, Any], cell: Mapping[str, Any]) -> Json:
    """The request with the values of one cell at their paths."""
    found = dict(base)
    for path, value in cell.items():
        *parents, last = path.split("/")
        place = found
        for name in parents:
            inner = place.get(name, {})
            if not isinstance(inner, dict):
                raise BankrollError(f"«{name}» is not an object", pointer=f"/grid/{path}")
            place[name] = dict(inner)  # what no path leads to is shared by all cells
            place = place[name]
        place[last] = value
    return found


def _flat(cell: Mapping[str, Any]) -> Json:
    """Values of the grid in one line: an object as key value, key value."""
    return {
        path: ", ".join(f"{key} {item}" for key, item in value.items()) if isinstance(value, dict) else value
        for path, value in cell.items()
    }


def _less_first(apart: Interval | None) -> Json:
    told = (None,) * 4 if apart is None else (apart.value, apart.error, apart.low, apart.high)
    names = ("gain_less_first", "gain_less_first_error", "gain_less_first_low", "gain_less_first_high")
    return dict(zip(names, told, strict=True))


def _row(experiment: Experiment, tally: Tally) -> Json:
    whole = summary(experiment, tally)
    ruin, gain = whole["ruin"], whole["gain"]
    quantiles, exact = whole["final"]["quantiles"], whole["exact"]
    return {
        "label": whole["label"],
        "sessions": whole["sessions"],
        "ruin": ruin["value"],
        "ruin_low": ruin["confidence_interval"][0],
        "ruin_high": ruin["confidence_interval"][1],
        "ruin_exact": exact["low"]["exact"] if "low" in exact else None,
        "mean_final": whole["final"]["mean"],
        "final_5%": quantiles["0.05"],
        "final_50%": quantiles["0.5"],
        "final_95%": quantiles["0.95"],
        "gain": gain["value"],
        "gain_error": gain["standard_error"],
        "gain_controlled": whole["gain_controlled"]["value"],
        "gain_controlled_error": whole["gain_controlled"]["standard_error"],
        "mean_coups": whole["played"]["mean"],
        "drawdown_50%": whole["drawdown"]["quantiles"]["0.5"],
        "losing_run": whole["losing_run"]["most"],
        "hash": whole["hash"],
    }
