"""Figures written to files: tables as CSV or HTML, pictures in the format of the file's ending."""

import csv
import html
import io
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from analysis.numbers import Number

if TYPE_CHECKING:
    import altair as alt

F = TypeVar("F", bound=Callable[..., Any])
Row = dict[str, Any]
Tables = Mapping[str, Sequence[Row]]  # by title
_STDOUT = "-"
_STYLE = (
    "body{font:15px/1.4 sans-serif;margin:2em;color:#222}table{border-collapse:collapse;margin:0 0 2em}"
    "td,th{border:1px solid #ccc;padding:.2em .6em;text-align:right}th{background:#f2f2f2}"
)


def table_options(function: F) -> F:
    """The options `--csv` and `--html`; the command gets them as `csv_file` and `html_file`."""
    text = "Write the tables as {} to a file (- for standard output, and nothing else then)."
    function = click.option("--html", "html_file", metavar="FILE", help=text.format("HTML"))(function)
    return click.option("--csv", "csv_file", metavar="FILE", help=text.format("CSV"))(function)


def chart_option(function: F) -> F:
    """The option `--chart`; its ending is checked before any work."""
    text = "Write a picture: its ending, .svg, .png, .html or .json (Vega-Lite), is its format."
    return click.option("--chart", metavar="FILE", callback=_checked, help=text)(function)


def _checked(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        from analysis.plots import kind_of  # noqa: PLC0415

        kind_of(path)
    return writable(context, option, path)


def writable(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    """A callback of options that name a file to be written: where there is no such folder, it says so before any
    work."""
    if path is not None and path != _STDOUT and not Path(path).parent.is_dir():
        raise _Unwritable(f"cannot write {path[-80:]}: there is no folder {str(Path(path).parent)[-60:]}")
    return path


def exported(title: str, tables: Callable[[], Tables], csv_file: str | None, html_file: str | None) -> bool:
    """Write the tables to the files that were asked for. Is standard output taken by one of them?"""
    if csv_file is not None:
        write_file(csv_file, as_csv(tables()).encode())
    if html_file is not None:
        write_file(html_file, as_html(title, tables()).encode())
    return _STDOUT in (csv_file, html_file)


def pictured(chart: "Callable[[], alt.TopLevelMixin]", path: str | None) -> None:
    """Draw and write a picture, if one was asked for."""
    if path is not None:
        from analysis.plots import drawn, kind_of  # noqa: PLC0415 - altair is loaded with the picture

        write_file(path, drawn(chart(), kind_of(path)))


class _Unwritable(click.ClickException):
    """A file that was asked for cannot be written."""

    exit_code = 2


def write_file(path: str, data: bytes) -> None:
    """Write a file; - is standard output."""
    if path == _STDOUT:
        click.echo(data, nl=False)
        return
    try:
        Path(path).write_bytes(data)
    except OSError as fault:
        raise _Unwritable(f"cannot write {path[-80:]}: {fault.strerror or fault}") from None


def figure(name: str, value: Number | None) -> dict[str, Any]:
    """A figure as two columns: a number, and the exact fraction where it is one."""
    if value is None:
        return {name: None, f"{name}_exact": None}
    return {name: float(value), f"{name}_exact": str(value) if isinstance(value, Fraction) else None}


def net_column(net: int) -> str:
    """The column of the probability of a net result."""
    return f"p({net:+d})" if net else "p(0)"


def as_csv(tables: Tables) -> str:
    """All tables as one (RFC 4180): their columns together, and `table` where there are several."""
    several = len(tables) > 1
    rows = [{"table": title, **row} if several else row for title, part in tables.items() for row in part]
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, _columns(rows), restval="")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def as_html(title: str, tables: Tables) -> str:
    """A page of its own with all tables."""
    parts = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>\n<h1>{html.escape(title)}</h1>"
    ]
    for name, rows in tables.items():
        columns = _columns(rows)
        head = "".join(f"<th>{html.escape(column.replace('_', ' '))}</th>" for column in columns)
        parts.append(f"<h2>{html.escape(name)}</h2>\n<table><thead><tr>{head}</tr></thead><tbody>")
        for row in rows:
            cells = "".join(f"<td>{html.escape(_shown(row.get(column)))}</td>" for column in columns)
            parts.append(f"<tr>{cells}</tr>")
        parts.append("</tbody></table>")
    return "\n".join([*parts, "</body></html>\n"])


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else str(value)
