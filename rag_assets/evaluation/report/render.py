"""The report as one HTML page that opens from disk. Layout, style and script lie in `page.html.jinja`."""

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from rag_assets.evaluation.filter_text import describe_condition
from rag_assets.evaluation.labels import (
    MODE_NAMES,
    SHARE_COLUMNS,
    describe_search,
    describe_variant,
    format_milliseconds,
    format_probability,
    format_signed,
    source_name,
    split_name,
)
from rag_assets.evaluation.report.cautions import list_cautions
from rag_assets.evaluation.report.charts import choose_colours
from rag_assets.evaluation.report.currency import list_notices, make_as_of_tables
from rag_assets.evaluation.report.model import Report
from rag_assets.evaluation.report.quality import make_quality_panels
from rag_assets.evaluation.report.questions import SHOWN_HITS, make_cards, make_passage_data
from rag_assets.evaluation.report.scores import make_score_panels
from rag_assets.evaluation.report.summary import summarize
from rag_assets.evaluation.report.topics import topic_name
from rag_assets.sources.fetching.addresses import readers_address

if TYPE_CHECKING:
    from markupsafe import Markup

_FILTERS = {
    "milliseconds": format_milliseconds,
    "signed": format_signed,
    "probability": format_probability,
    "percent": "{:.0%}".format,
    "source_name": source_name,
    "split_name": split_name,
    "topic_name": topic_name,
    "readers_address": readers_address,
    "in_words": describe_condition,
}


def render_report(report: Report) -> str:
    """The report as one HTML page with everything inside it, to be written as UTF-8.

    Summary, tables and charts are plain markup. The passages lie in the page once each, as JSON; a script lays them
    out for the question that is opened. The page's own policy forbids it to load anything.

    Returns:
        The page, from doctype to the closing tag.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(_FILTERS)
    page = resources.files("rag_assets.evaluation.report").joinpath("page.html.jinja").read_text(encoding="utf-8")
    modes = [mode for mode in MODE_NAMES if any(result.mode == mode for result in report.results)]
    cards = make_cards(report, modes)
    return environment.from_string(page).render(
        report=report,
        summary=summarize(report),
        baseline=report.baseline,
        cautions=list_cautions(report),
        notices=list_notices(report),
        as_of=make_as_of_tables(report.staleness),
        searched="・".join(dict.fromkeys(map(describe_search, report.searched.values()))),
        variants=[(variant, describe_variant(variant)) for variant in report.ordered_variants],
        colours=choose_colours(report.variant_names),
        panels=list(make_score_panels(report)),
        quality=list(make_quality_panels(report)),
        shares=SHARE_COLUMNS,
        modes=modes,
        mode_names=MODE_NAMES,
        shown_hits=SHOWN_HITS,
        asked=[card for card in cards if card.question.split != "unanswerable"],
        unanswerable=[card for card in cards if card.question.split == "unanswerable"],
        passages=_to_script_json(make_passage_data(report, modes)),
    )


def _to_script_json(data: dict[str, Any]) -> "Markup":
    from markupsafe import Markup

    # Every `<` is escaped, so that neither `</script` nor `<!--` in a passage can end or change the element.
    return Markup(json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))
