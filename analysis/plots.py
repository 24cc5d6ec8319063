"""Pictures of odds: one Vega-Lite spec each, made by Altair, saved as SVG, PNG, HTML or JSON.

A picture holds its own data; an HTML page holds the scripts that draw it too (from the bundle of vl-convert), so that
nothing is loaded from outside. Altair and vl-convert are imported when a picture is made.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from analysis.numbers import Number
from casino.banking.policies import BANKER, PUNTER
from casino.banking.text import DISCARD, DRAW, STAND
from casino.errors import RulesError

if TYPE_CHECKING:
    import altair as alt

    from analysis.counting import Counting
    from analysis.equilibrium import Equilibrium
    from analysis.exact import Odds
    from analysis.policy import BestResponse, Decision

FORMATS: Final = ("svg", "png", "html", "json")
FIRST_CARDS: Final = ("10 J Q K", "A", *map(str, range(2, 10)))  # by points
_ACTIONS: Final = (DISCARD, DRAW, STAND)
_MIXED: Final = "mixed"
# Okabe and Ito's colours, told apart by the colour-blind too.
_COLOURS: Final = {DISCARD: "#E69F00", DRAW: "#56B4E9", STAND: "#D9D9D9", _MIXED: "#CC79A7"}
_WORDS: Final = {DISCARD: "throw", DRAW: "draw", STAND: "stand"}
_CELL: Final = 44  # pixels
_PNG_SCALE: Final = 2.0
Rows = list[dict[str, Any]]


def heat_map(found: "Odds") -> "alt.LayerChart":
    """EV of every action by first card, for the punter, in stakes; the best of each card is framed."""
    import altair as alt  # noqa: PLC0415 - heavy

    rows: Rows = []
    for points, first in found.by_first_card.items():
        for action, spread in first.actions.items():
            best = len(first.actions) > 1 and action == first.best
            rows.append(
                {"card": _hand(points, found), "action": action, "ev": float(spread.ev()), "best": best}
            )
    most = max((abs(row["ev"]) for row in rows), default=1.0) or 1.0
    cells = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("card:N", sort=None, title="first card", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("action:N", sort=list(_ACTIONS), title=None),
    )
    squares = cells.mark_rect().encode(
        color=alt.Color(
            "ev:Q",
            title="EV in stakes",
            scale=alt.Scale(scheme="blueorange", reverse=True, domain=[-most, 0, most]),
        ),
        stroke=alt.condition("datum.best", alt.value("black"), alt.value(None)),
        strokeWidth=alt.value(2),
    )
    figures = cells.mark_text(fontSize=11).encode(
        text=alt.Text("ev:Q", format="+.3f"),
        color=alt.condition(f"abs(datum.ev) > {0.6 * most}", alt.value("white"), alt.value("black")),
    )
    title = alt.Title(
        "What each action brings the punter",
        subtitle=f"punter {_name(found.punter)}, banker {_name(found.banker)}",
    )
    return layers(squares, figures).properties(title=title, width=alt.Step(_CELL), height=alt.Step(_CELL))


def _hand(points: int, found: "Odds") -> str:
    return FIRST_CARDS[points] if found.rules.first_cards == 1 else f"{points} points"


def _name(policy: Any) -> str:
    if isinstance(policy, Mapping):
        draws = policy.get("draw_on")
        return "by a tableau" if draws is None else f"draws on {', '.join(map(str, draws)) or 'nothing'}"
    return str(policy)


def policy_chart(found: "BestResponse | Equilibrium", side: str | None = None) -> "alt.LayerChart":
    """What a side does by its points (down) and by what it sees: a best reply, or one side of an equilibrium.

    A best reply is shown as before any zero was thrown. `side` is needed for an equilibrium. Raises RulesError.
    """
    from analysis.equilibrium import Equilibrium  # noqa: PLC0415 - loads scipy

    if isinstance(found, Equilibrium):
        who, rows = f"{side} in equilibrium", _equilibrium_rows(found, side)
    else:
        side, who = found.side, f"best reply of the {found.side} to {_name(found.against)}"
        rows = [
            _reply_row(decision)
            for decision in found.decisions
            if not (decision.situation.discarded or decision.situation.replaced)
        ]
    return _policy_layers(rows, f"Policy: {who}", "turn" if side == PUNTER else "the punter's third card")


def _reply_row(decision: "Decision") -> dict[str, Any]:
    at = decision.situation
    parts = [] if at.third is None else [at.third]
    parts += [f"first {_cards(at.first)}"] if at.first is not None else []
    parts += ["threw a zero"] if at.threw else []
    if at.stage == "drawn":
        parts.append("a zero drawn")
    elif at.third is None:
        parts.append("first cards")
    return {
        "hand": str(at.points) if at.cards is None or len(at.cards) == 1 else _cards(at.cards),
        "seen": ", ".join(parts),
        "action": decision.best,
        "label": _WORDS[decision.best],
    }


def _cards(cards: Iterable[int]) -> str:
    return "+".join(map(str, cards))


def _equilibrium_rows(found: "Equilibrium", side: str | None) -> Rows:
    from analysis.bilinear import NONE  # noqa: PLC0415
    from analysis.equilibrium import third_name  # noqa: PLC0415

    if side == PUNTER:
        return [_share_row(points, "first cards", share) for points, share in enumerate(found.punter)]
    if side != BANKER:
        raise RulesError("an equilibrium is two policies: name the side, punter or banker", pointer="/side")
    return [
        _share_row(
            seen.points,
            third_name(seen.third) + (f", first {seen.first}" if seen.first != NONE else ""),
            found.banker[seen],
        )
        for seen in sorted(found.banker)
    ]


def _share_row(points: int, seen: str, share: Number | None) -> dict[str, Any]:
    """A hand that has no turn stands."""
    draws = float(share or 0)
    action = {0.0: STAND, 1.0: DRAW}.get(draws, _MIXED)
    label = f"{100 * draws:.1f} %" if action == _MIXED else _WORDS[action]
    return {"hand": str(points), "seen": seen, "action": action, "label": label}


def _policy_layers(rows: Rows, title: str, seen: str) -> "alt.LayerChart":
    import altair as alt  # noqa: PLC0415

    shown = [action for action in _COLOURS if any(row["action"] == action for row in rows)]
    cells = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("seen:N", sort=None, title=seen, axis=alt.Axis(orient="top", labelAngle=-40)),
        y=alt.Y("hand:N", sort=None, title="points held"),
    )
    squares = cells.mark_rect(stroke="white").encode(
        color=alt.Color(
            "action:N", title=None, scale=alt.Scale(domain=shown, range=[_COLOURS[each] for each in shown])
        )
    )
    words = cells.mark_text(fontSize=10).encode(text="label:N")
    return layers(squares, words).properties(title=title, width=alt.Step(_CELL), height=alt.Step(_CELL // 2))


def layers(*charts: "alt.Chart | alt.LayerChart") -> "alt.LayerChart":
    """Pictures over one another."""
    import altair as alt  # noqa: PLC0415

    return alt.LayerChart(layer=list(charts))


def edge_by_depth(found: "Counting") -> "alt.LayerChart":
    """A side's exact edge over random shoes by cards gone: mean, the middle half, and the middle nine tenths."""
    import altair as alt  # noqa: PLC0415

    rows: Rows = [
        {
            "gone": depth.gone,
            "mean": depth.mean.value,
            **{f"q{round(100 * share):02d}": value for share, value in depth.quantiles.items()},
        }
        for depth in found.depths
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=alt.X("gone:Q", title="cards gone"))
    edge = alt.Axis(format="+.1%")
    wide = base.mark_area(opacity=0.25, color="#56B4E9").encode(
        y=alt.Y("q05:Q", title=f"edge of the {found.side}, per unit staked", axis=edge), y2="q95:Q"
    )
    middle = base.mark_area(opacity=0.45, color="#56B4E9").encode(y=alt.Y("q25:Q"), y2="q75:Q")
    mean = base.mark_line(point=True, color="#0072B2").encode(y=alt.Y("mean:Q"))
    fresh = alt.Chart(alt.InlineData(values=[{"edge": float(found.fresh)}])).mark_rule(strokeDash=[4, 4])
    fair = alt.Chart(alt.InlineData(values=[{"edge": 0}])).mark_rule(color="#D55E00")
    title = alt.Title(
        f"Edge of the {found.side} by the depth of the bank",
        subtitle=f"mean, middle half and nine tenths of {found.samples} shoes; dashed: the fresh shoe",
    )
    return layers(wide, middle, fresh.encode(y="edge:Q"), fair.encode(y="edge:Q"), mean).properties(
        title=title, width=560, height=300
    )


def save(chart: "alt.TopLevelMixin", path: str) -> None:
    """Write a picture in the format that the name of the file ends with: svg, png, html or json.

    Raises RulesError: another ending; OSError: the file cannot be written.
    """
    kind = kind_of(path)
    Path(path).write_bytes(drawn(chart, kind))


def kind_of(path: str) -> str:
    """The format that a file's name ends with. Raises RulesError."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise RulesError(f"a chart is saved as .{', .'.join(FORMATS)}; «{path[-60:]}» ends with none of them")
    return kind


def drawn(chart: "alt.TopLevelMixin", kind: str) -> bytes:
    """A picture as the bytes of a file of one of FORMATS."""
    import vl_convert  # noqa: PLC0415 - heavy

    spec: str = chart.to_json(indent=2)
    if kind == "json":
        return spec.encode() + b"\n"
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=_PNG_SCALE))
    text: str = (
        vl_convert.vegalite_to_svg(spec) if kind == "svg" else vl_convert.vegalite_to_html(spec, bundle=True)
    )
    return text.encode()
