"""Pictures of bankrolls: ruin against the bankroll, growth against the fraction, a session's result, paths, sweeps.

One Vega-Lite spec each, made and saved as those of the odds (`analysis.plots`). Experiments are drawn from their
results as JSON (`analysis.summary.summary`, rows of `analysis.sweep.Sweep.table`), so whoever has those can draw them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.intervals import Interval, around
from analysis.kelly import Kelly, growth_rate
from analysis.outcomes import Outcomes
from analysis.plots import Rows, layers
from analysis.ruin_curve import Form, curve
from analysis.sessions import Sessions

if TYPE_CHECKING:
    import altair as alt

_BLUE, _SKY, _ORANGE, _RED, _GREY = "#0072B2", "#56B4E9", "#E69F00", "#D55E00", "#999999"  # Okabe and Ito's
_WIDTH, _HEIGHT = 560, 320
_SIZE: Final[dict[str, Any]] = {"width": _WIDTH, "height": _HEIGHT}
_CURVE: Final = 400  # points
_BARS: Final = 120
_LOG_FROM: Final = 0.01  # chances that differ so much are drawn on a scale of powers of ten
_LEAST: Final = 1e-9
_CUT: Final = 1e-6  # of the results at either end, which no bar shows


def ruin_chart(outcomes: Outcomes, form: Form, mark: tuple[float, float]) -> "alt.LayerChart":
    """Risk of ruin against the bankroll, in stakes, for one form of the question; `mark`: one bankroll, its risk."""
    import altair as alt  # noqa: PLC0415 - heavy

    found = [(held, risk) for held, risk in curve(outcomes, form, 2 * mark[0], _CURVE) if risk > _LEAST]
    rows: Rows = [{"bankroll": held, "risk": risk, "by": "exact"} for held, risk in found]
    if form.plain and outcomes.mean > 0 and outcomes.worst_loss:
        rows += _formulas(outcomes, [held for held, _ in found])
    least = min((risk for _, risk in found), default=1.0)
    logarithmic = least < _LOG_FROM
    scale = alt.Scale(type="log", domain=[max(least, _LEAST), 1]) if logarithmic else alt.Scale(domain=[0, 1])
    names = list(dict.fromkeys(row["by"] for row in rows))
    lines = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line()
        .encode(
            x=alt.X("bankroll:Q", title="bankroll, in stakes"),
            y=alt.Y(
                "risk:Q",
                title="risk of ruin",
                scale=scale,
                axis=alt.Axis(format="~g" if logarithmic else "%"),
            ),
            color=alt.Color(
                "by:N",
                title=None,
                scale=alt.Scale(domain=names, range=[_BLUE, _ORANGE, _GREY][: len(names)]),
            ),
            strokeDash=alt.condition("datum.by == 'exact'", alt.value([1, 0]), alt.value([4, 3])),
        )
    )
    held, risk = mark
    point = _point("bankroll", "risk", [{"bankroll": held, "risk": risk, "text": f"{held:.6g}: {risk:.4g}"}])
    shown = point if risk > _LEAST else []
    return layers(lines, *shown).properties(title=alt.Title("Risk of ruin", subtitle=form.words), **_SIZE)


def _formulas(outcomes: Outcomes, bankrolls: Sequence[float]) -> Rows:
    from analysis.ladder import log_root  # noqa: PLC0415 - loads scipy

    rate = 2 * float(outcomes.mean / outcomes.variance)
    rows: Rows = []
    for name, slope in (("root", log_root(outcomes)), ("diffusion", -rate)):
        rows += [{"bankroll": held, "risk": math.exp(slope * held), "by": name} for held in bankrolls]
    return [row for row in rows if row["risk"] > _LEAST]


def _point(x: str, y: str, rows: Rows) -> "list[alt.Chart]":
    """Points with their texts beside them."""
    import altair as alt  # noqa: PLC0415 - heavy

    marks = alt.Chart(alt.InlineData(values=rows)).encode(x=f"{x}:Q", y=f"{y}:Q")
    words = marks.mark_text(align="left", dx=8, dy=-8).encode(text="text:N")
    return [marks.mark_point(size=70, filled=True, color=_RED, opacity=1), words]


def kelly_chart(outcomes: Outcomes, best: Kelly) -> "alt.LayerChart":
    """Growth a coup against the fraction staked, with Kelly's fraction, half of it, and where growth ends."""
    import altair as alt  # noqa: PLC0415 - heavy

    most = min(1.0, 1 / float(outcomes.worst_loss))
    end = min(most * (1 - 1e-9), 1.25 * best.zero_growth or 0.1 * most)
    shares = [end * place / (_CURVE // 2) for place in range(_CURVE // 2 + 1)]
    rows: Rows = [{"fraction": share, "growth": growth_rate(outcomes, share)} for share in shares]
    line = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(color=_BLUE)
        .encode(
            x=alt.X("fraction:Q", title="fraction of the bankroll staked"),
            y=alt.Y("growth:Q", title="growth a coup (natural logarithm)"),
        )
    )
    zero = alt.Chart(alt.InlineData(values=[{"growth": 0}])).mark_rule(color=_GREY).encode(y="growth:Q")
    marks: Rows = [{"fraction": 0.0, "growth": 0.0, "text": "no edge: stake nothing"}]
    if best.full.fraction:
        marks = [
            {"fraction": told.fraction, "growth": told.growth, "text": f"{name} {told.fraction:.5g}"}
            for name, told in (("f* =", best.full), ("half Kelly", best.half))
        ]
        if best.zero_growth <= end:
            text = f"no growth from {best.zero_growth:.5g}"
            marks.append({"fraction": best.zero_growth, "growth": 0.0, "text": text})
    title = alt.Title(
        "Growth of the bankroll",
        subtitle=f"mean {float(outcomes.mean):+.5g}, standard deviation {outcomes.deviation:.5g} stakes a coup",
    )
    return layers(zero, line, *_point("fraction", "growth", marks)).properties(title=title, **_SIZE)


def sessions_chart(found: Sessions, coups: int, quantiles: Mapping[str, Any]) -> "alt.LayerChart":
    """The distribution of a session's result, in stakes, with its quantiles."""
    import altair as alt  # noqa: PLC0415 - heavy

    rows, several = _bars(found)
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("low:Q", title="result, in stakes"),
            x2="high:Q",
            y=alt.Y("chance:Q", title="probability of a result" + (", mean of several" if several else "")),
            y2=alt.datum(0),
            color=alt.Color(
                "what:N",
                title=None,
                scale=alt.Scale(domain=["loss", "even", "win"], range=[_ORANGE, _GREY, _SKY]),
            ),
        )
    )
    marks: Rows = [{"result": float(net), "text": share} for share, net in quantiles.items()]
    rules = alt.Chart(alt.InlineData(values=marks)).encode(x="result:Q")
    words = rules.mark_text(angle=270, align="right", dy=-6).encode(text="text:N", y=alt.value(4))
    title = alt.Title(
        f"Result of {coups} coups",
        subtitle=f"mean {float(found.mean):+.5g}, standard deviation {found.deviation:.5g}; lines: quantiles",
    )
    return layers(bars, rules.mark_rule(strokeDash=[3, 3]), words).properties(title=title, **_SIZE)


def _bars(found: Sessions) -> tuple[Rows, bool]:
    """Bars of results, several to a bar where there are many; loss, even and win are never mixed."""
    step, size = float(found.step), len(found.masses)
    masses = found.masses if found.scale is None else [int(mass) / found.scale for mass in found.masses]
    cumulated = np.concatenate([[0.0], np.cumsum(np.asarray(masses, dtype=np.float64))])
    seen = np.flatnonzero((cumulated[1:] > _CUT) & (cumulated[:-1] < 1 - _CUT)).tolist()
    first, last = (seen[0], seen[-1]) if seen else (0, size - 1)
    wide = max(1, math.ceil((last - first + 1) / _BARS))
    zero = -found.least / found.step
    even = int(zero) if zero.denominator == 1 else None
    rows: Rows = []
    place = first
    while place <= last:
        end = min(place + wide, last + 1)
        if even is not None and place <= even < end:
            end = even if place < even else even + 1
        low = float(found.net(place))
        what = "even" if place == even else "loss" if low < 0 else "win"
        chance = float(cumulated[end] - cumulated[place]) / (end - place)
        rows.append(
            {"low": low - step / 2, "high": low + (end - place - 0.5) * step, "chance": chance, "what": what}
        )
        place = end
    return rows, wide > 1


def experiment_chart(result: Mapping[str, Any]) -> "alt.LayerChart":
    """Bankrolls of an experiment over the coups: quantiles of those kept as a fan, some whole, the median."""
    import altair as alt  # noqa: PLC0415 - heavy

    start = result["paths"]["bankrolls"][0][0]
    fan: Rows = [{"coup": 0, **dict.fromkeys(("q05", "q25", "q50", "q75", "q95"), start)}]
    fan += [
        {"coup": row["coup"], **{f"q{round(100 * float(key)):02d}": row[key] for key in row if key != "coup"}}
        for row in result["fan"]
    ]
    paths: Rows = [
        {"coup": coup, "chips": chips, "path": number}
        for number, path in enumerate(result["paths"]["bankrolls"])
        for coup, chips in zip(result["paths"]["coups"], path, strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=fan)).encode(x=alt.X("coup:Q", title="coups"))
    chips = alt.Y("q05:Q", title="bankroll, in chips")
    wide = base.mark_area(opacity=0.22, color=_SKY).encode(y=chips, y2="q95:Q")
    middle = base.mark_area(opacity=0.4, color=_SKY).encode(y="q25:Q", y2="q75:Q")
    median = base.mark_line(color=_BLUE, strokeWidth=2.5).encode(y="q50:Q")
    single = (
        alt.Chart(alt.InlineData(values=paths))
        .mark_line(strokeWidth=0.7, opacity=0.5, color=_GREY)
        .encode(x="coup:Q", y="chips:Q", detail="path:N")
    )
    ruin = result["ruin"]
    title = alt.Title(
        f"{result['label']}: {result['sessions']} sessions",
        subtitle=f"median, middle half, nine tenths, {len(result['paths']['bankrolls'])} paths;"
        f" risk of ruin {ruin['value']:.4g} ({_span(ruin['confidence_interval'])})",
    )
    return layers(wide, middle, single, median).properties(title=title, **_SIZE)


def _span(interval: Sequence[float | None]) -> str:
    low, high = interval
    return "" if low is None or high is None else f"{low:.4g} to {high:.4g}"


def sweep_chart(rows: Sequence[Mapping[str, Any]]) -> "alt.HConcatChart":
    """A sweep's table: risk of ruin and mean gain of every cell with their 95 % intervals; ticks: exact."""
    import altair as alt  # noqa: PLC0415 - heavy

    cells: Rows = [
        {
            "cell": _cell(row, number),
            "ruin": row["ruin"],
            "ruin_low": row["ruin_low"],
            "ruin_high": row["ruin_high"],
            "exact": row["ruin_exact"],
            "gain": row["gain_controlled"],
            "gain_low": gain.low,
            "gain_high": gain.high,
        }
        for number, row in enumerate(rows, 1)
        for gain in [_gain(row)]
    ]
    left = _intervals(cells, "ruin", "risk of ruin", axis=True)
    exact = [cell for cell in cells if cell["exact"] is not None]
    if exact:
        ticks = alt.Chart(alt.InlineData(values=exact)).mark_tick(color=_RED, thickness=2)
        left = layers(left, ticks.encode(x="exact:Q", y=alt.Y("cell:N", sort=None)))
    right = _intervals(cells, "gain", "mean gain, in chips", axis=False)
    title = alt.Title(f"{len(cells)} cells", subtitle="95 % intervals; ticks: exact")
    size = {"width": _WIDTH // 2, "height": alt.Step(16)}
    return alt.HConcatChart(hconcat=[left.properties(**size), right.properties(**size)]).properties(
        title=title
    )


def _intervals(cells: Rows, name: str, title: str, *, axis: bool) -> "alt.LayerChart":
    import altair as alt  # noqa: PLC0415 - heavy

    labels = alt.Axis(labelLimit=320) if axis else alt.Axis(labels=False, ticks=False)
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        y=alt.Y("cell:N", sort=None, title=None, axis=labels)
    )
    bars = base.mark_rule(color=_BLUE).encode(x=alt.X(f"{name}_low:Q", title=title), x2=f"{name}_high:Q")
    return layers(bars, base.mark_point(filled=True, color=_BLUE, opacity=1).encode(x=f"{name}:Q"))


def _gain(row: Mapping[str, Any]) -> Interval:
    """The mean gain of a cell; a point where one session tells nothing of the error."""
    value, error = row["gain_controlled"], row["gain_controlled_error"]
    return Interval(value, 0.0, value, value) if error is None else around(value, error, row["sessions"])


def _cell(row: Mapping[str, Any], number: int) -> str:
    """What a cell is called: its number, its system, and its values of the grid."""
    grid = [name for name in list(row)[: list(row).index("label")] if name != "staking"]
    parts = [str(row["label"]), *(f"{name.rpartition('/')[2]} {row[name]}" for name in grid)]
    return f"{number}: {', '.join(parts)}"
