"""The charts as markup: well-formed, complete and to scale."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.evaluation.report.charts import (
    PALETTE,
    Bar,
    BarGroup,
    choose_colours,
    compute_length_shares,
    draw_lengths,
    draw_scores,
)
from rag_assets_tests.evaluation.report.report_example import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def widths(svg: str) -> list[float]:
    return [float(bar.attrib["width"]) for bar in parse(svg).iter(f"{SVG}rect")]


def test_bars_are_as_long_as_their_values_on_one_axis() -> None:
    groups = [
        BarGroup("hybrid", [Bar("raw", 0.25, (0.2, 0.3), "#000"), Bar("prepared", 1.0, None, "#111")]),
        BarGroup("bm25", [Bar("raw", 0.5, (0.4, 0.6), "#000")]),
    ]
    svg = draw_scores(groups, chart_id="c", title="MRR")
    quarter, whole, half = widths(svg)
    assert (quarter / whole, half / whole) == pytest.approx((0.25, 0.5), abs=1e-3)
    assert len([path for path in parse(svg).iter(f"{SVG}path") if path.attrib["class"] == "whisker"]) == 2
    assert {"0.250", "1.000", "0.500"} <= {text.text for text in parse(svg).iter(f"{SVG}text")}


def test_percentages_are_written_as_such() -> None:
    svg = draw_scores([BarGroup("m", [Bar("raw", 0.59, None, "#000")])], chart_id="c", title="hit@8", percent=True)
    assert "59%" in {text.text for text in parse(svg).iter(f"{SVG}text")}


def test_a_chart_tells_its_figures_to_who_cannot_see_it() -> None:
    svg = parse(draw_scores([BarGroup("併用", [Bar("raw", 0.5, (0.4, 0.6), "#000")])], chart_id="c", title="MRR"))
    title, description = (svg.find(f"{SVG}{name}") for name in ("title", "desc"))
    assert title is not None
    assert description is not None
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-labelledby"] == f"{title.attrib['id']} {description.attrib['id']}"
    assert description.text == "併用 raw 0.500（0.400から0.600）"


def test_labels_cannot_break_out_of_a_chart() -> None:
    svg = draw_scores([BarGroup(HOSTILE, [Bar(HOSTILE, 0.5, None, '"/><x')])], chart_id='"><y', title=HOSTILE)
    assert {element.tag for element in parse(svg).iter()} == {
        f"{SVG}{name}" for name in ("svg", "title", "desc", "text", "rect", "line")
    }


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=40), st.integers(1, 40))
def test_no_passage_is_lost_when_bins_are_gathered(histogram: list[int], bins: int) -> None:
    shares = compute_length_shares(histogram, bins)
    total = sum(histogram)
    assert sum(shares) == pytest.approx(1.0 if total else 0.0)
    if total:
        for count, share in zip(histogram[: min(bins, len(histogram)) - 1], shares, strict=False):
            assert share == pytest.approx(count / total)


def test_a_histogram_needs_a_bin() -> None:
    with pytest.raises(ValueError, match="at least one bin"):
        compute_length_shares([1], 0)


def test_the_histogram_shows_shares_and_the_median() -> None:
    svg = draw_lengths([1, 3, 0], chart_id="h", title="raw", colour="#000", median=150)
    heights = [float(bar.attrib["height"]) for bar in parse(svg).iter(f"{SVG}rect")]
    assert heights[0] * 3 == pytest.approx(heights[1], abs=0.3)
    assert heights[2] == 0
    bars = [float(bar.attrib["x"]) for bar in parse(svg).iter(f"{SVG}rect")]
    median = next(line for line in parse(svg).iter(f"{SVG}line") if line.get("class") == "median")
    assert bars[1] < float(median.attrib["x1"]) < bars[2]
    assert "80%" in {text.text for text in parse(svg).iter(f"{SVG}text")}


def test_multiples_share_their_axes() -> None:
    tall, low = (
        draw_lengths(counts, chart_id="h", title="t", colour="#000", median=50, bins=3, top_share=0.9)
        for counts in ([9, 1], [1, 1, 1, 3])
    )
    assert widths(tall)[:2] == widths(low)[:2]
    assert len(widths(low)) == 3
    heights = [[float(bar.attrib["height"]) for bar in parse(svg).iter(f"{SVG}rect")] for svg in (tall, low)]
    assert heights[0][0] / heights[1][2] == pytest.approx(0.9 / (4 / 6), abs=0.01)


def test_an_empty_histogram_is_drawn_without_bars() -> None:
    svg = draw_lengths([0, 0], chart_id="h", title="t", colour="#000", median=0)
    assert [bar.attrib["height"] for bar in parse(svg).iter(f"{SVG}rect")] == ["0.0", "0.0"]


def test_colours_follow_the_order_and_begin_again() -> None:
    names = [f"v{number}" for number in range(len(PALETTE) + 1)]
    colours = choose_colours(names)
    assert [colours[name] for name in names] == [*PALETTE, PALETTE[0]]
