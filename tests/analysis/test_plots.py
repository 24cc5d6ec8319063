"""Pictures of odds: what they show is what was worked out, and a file needs nothing from outside."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from analysis import plots
from analysis.counting import counting
from analysis.equilibrium import equilibrium
from analysis.exact import odds
from analysis.policy import best_response
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.errors import RulesError


def rules(name, **options):
    return build(PRESETS[name][1], options)


@pytest.fixture(scope="module")
def chemin_de_fer():
    """Kemeny and Snell's figures are for cards with replacement, where hands count by their points alone."""
    from analysis.shoe import infinite  # noqa: PLC0415

    return equilibrium(rules("chemin-de-fer"), infinite())


def shown(chart):
    """The rows of a picture's own data, of all its layers."""
    spec = json.loads(plots.drawn(chart, "json"))
    found = list(spec.get("datasets", {}).values())
    found += [layer["data"]["values"] for layer in spec["layer"] if "values" in layer.get("data", {})]
    assert found, "the data are in the picture"
    return [row for rows in found for row in rows]


def test_the_heat_map_shows_every_action_of_every_first_card():
    found = odds(rules("russian-even"), punter="optimal")
    cells = {(row["card"], row["action"]): row for row in shown(plots.heat_map(found))}
    assert len(cells) == 10 * 2, "draw and stand on each of ten values"
    # By hand: the banker never draws. A 9 that stands wins against all but the seven nines left of 103 cards.
    assert cells["9", "stand"]["ev"] == pytest.approx(float(Fraction(103 - 7, 103)))
    # A zero that stands loses to the 72 others of 103 and pushes with the rest.
    assert cells["10 J Q K", "stand"]["ev"] == pytest.approx(float(Fraction(-72, 103)))
    best = {card: row["action"] for (card, _), row in cells.items() if row["best"]}
    assert best["9"] == "stand"
    assert best["10 J Q K"] == "draw"
    assert len(best) == 10


def test_the_chart_of_a_best_reply_shows_its_actions():
    found = best_response(rules("house"), "punter")
    cells = {(row["hand"], row["seen"]): row["label"] for row in shown(plots.policy_chart(found))}
    assert cells["0", "first cards"] == "throw"
    assert cells["9", "first cards"] == "stand"
    assert cells["1", "a zero drawn"] == "throw"


def test_the_chart_of_an_equilibrium_shows_what_is_mixed(chemin_de_fer):
    """Kemeny and Snell (1957): the player draws on 5 with 9/11, the banker on 6 against a stand with 859/2288."""
    mine = {row["hand"]: row["label"] for row in shown(plots.policy_chart(chemin_de_fer, "punter"))}
    assert mine["5"] == "81.8 %"
    assert (mine["4"], mine["6"]) == ("draw", "stand")
    his = {
        (row["hand"], row["seen"]): row["label"] for row in shown(plots.policy_chart(chemin_de_fer, "banker"))
    }
    assert his["6", "none"] == "37.5 %"
    assert his["3", "8"] == "stand"


def test_an_equilibrium_is_two_policies(chemin_de_fer):
    with pytest.raises(RulesError, match="name the side"):
        plots.policy_chart(chemin_de_fer)


def test_the_edge_by_depth_shows_each_depth():
    found = counting(rules("russian-even"), punter="textbook", depths=[20, 60], samples=50)
    rows = [row for row in shown(plots.edge_by_depth(found)) if "gone" in row]
    assert [row["gone"] for row in rows] == [20, 60]
    assert rows[0]["mean"] == found.depths[0].mean.value
    assert rows[1]["q05"] <= rows[1]["q25"] <= rows[1]["q75"] <= rows[1]["q95"]


@pytest.fixture(scope="module")
def chart():
    return plots.heat_map(odds(rules("continental"), banker="threshold:5"))


def test_every_format_is_what_its_ending_says(chart, tmp_path):
    heads = {"svg": b"<svg", "png": b"\x89PNG\r\n\x1a\n", "html": b"<!DOCTYPE html>", "json": b"{"}
    for kind in plots.FORMATS:
        path = tmp_path / f"chart.{kind.upper()}"
        plots.save(chart, str(path))
        assert path.read_bytes().lstrip().startswith(heads[kind]), kind
    assert "first card" in (tmp_path / "chart.SVG").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "chart.JSON").read_text())["$schema"].startswith(
        "https://vega.github.io/schema/vega-lite/"
    )


class _Loads(HTMLParser):
    """Notes every attribute by which a page would load something."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [(tag, name) for name, _ in attrs if name in ("src", "href", "srcset", "data")]


def test_a_page_loads_nothing_from_outside(chart):
    page, reader = plots.drawn(chart, "html").decode(), _Loads()
    reader.feed(page)
    assert reader.found == []
    assert not re.search(r"@import|url\(\s*['\"]?https?:", page)
    assert len(page) > 500_000, "the scripts are in it"


@pytest.mark.parametrize("path", ["chart.gif", "chart", "svg", ".png.txt"])
def test_another_ending_is_refused_and_nothing_written(chart, path, tmp_path):
    with pytest.raises(RulesError, match=r"\.svg, \.png, \.html, \.json"):
        plots.save(chart, str(tmp_path / path))
    assert not list(tmp_path.iterdir())


def test_what_draws_is_loaded_with_the_first_picture_only():
    code = "import sys, analysis.plots; sys.exit(bool({'altair', 'vl_convert', 'numba', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
