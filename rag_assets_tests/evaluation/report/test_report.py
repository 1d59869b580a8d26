"""The page as markup: what it says, that it holds everything, and that no text can break it."""

import json
import re
from collections.abc import Collection
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.evaluation.fault_labels import FAULTS
from rag_assets.evaluation.grouping import choose_sources
from rag_assets.evaluation.model import Comparison, HowSearched, Score
from rag_assets.evaluation.report.model import Report
from rag_assets.evaluation.report.questions import make_cards, make_passage_data
from rag_assets.evaluation.report.render import render_report
from rag_assets.evaluation.report.scores import wilson_interval
from rag_assets.evaluation.report.summary import summarize
from rag_assets.model import Mode
from rag_assets.retrieval.filters import AllOf, AnyOf, Filter
from rag_assets.sources.fetching.addresses import readers_address
from rag_assets_tests.evaluation.report.report_example import (
    DOCUMENTS,
    HOSTILE,
    MODES,
    VARIANTS,
    example_report,
    quality_row,
)
from rag_assets_tests.evaluation.results import IN_INDEX

NAMES = ["raw", "prepared_900", "prepared_400", "prepared_400_dict"]


@pytest.fixture(scope="module")
def report() -> Report:
    return example_report()


@pytest.fixture(scope="module")
def html(report: Report) -> str:
    return render_report(report)


@pytest.fixture(scope="module")
def page(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def one(page: BeautifulSoup | Tag, selector: str) -> Tag:
    found = page.select(selector)
    assert len(found) == 1, f"{len(found)} elements match {selector}"
    return found[0]


def stored(page: BeautifulSoup) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(one(page, "script#passages").get_text())
    return data


def text_of(data: dict[str, Any], passage: int) -> str:
    return "\n".join(data["lines"][line] for line in data["texts"][data["passages"][passage][0]])


# The page as a whole


def test_the_page_loads_nothing(page: BeautifulSoup, html: str) -> None:
    assert not page.select("link, img, iframe, object, embed, script[src], [srcset], base")
    assert "url(" not in html
    assert "@import" not in html
    policy = one(page, "meta[http-equiv=Content-Security-Policy]")["content"]
    assert str(policy).startswith("default-src 'none'")
    assert one(page, "html")["lang"] == "ja"


def test_text_cannot_become_markup(page: BeautifulSoup, report: Report, html: str) -> None:
    assert len(page.select("script")) == 3
    assert HOSTILE not in html
    ask = page.select("#question-0 .ask")[0].get_text()
    assert ask == report.results[0].question.text
    assert "<" not in one(page, "script#passages").get_text()


def test_ids_are_unique(page: BeautifulSoup) -> None:
    ids = [element["id"] for element in page.select("[id]")]
    assert len(ids) == len(set(ids))
    for link in page.select('a[href^="#"]'):
        assert str(link["href"])[1:] in ids


def test_a_page_of_a_real_run_stays_light() -> None:
    big = example_report(questions=72, hits=10, words=16)
    assert len(render_report(big).encode()) < 5_000_000


def test_a_run_without_questions_still_shows_the_corpus() -> None:
    bare = Report(
        documents=DOCUMENTS,
        made_at=example_report().made_at,
        variants=VARIANTS,
        quality=tuple(quality_row(variant.name) for variant in VARIANTS),
    )
    page = BeautifulSoup(render_report(bare), "html.parser")
    assert "質問がないため" in one(page, "p.summary").get_text()
    assert len(page.select("table.faults tbody tr")) == len(FAULTS)
    assert not page.select("table.scores, .question, #sample-notice")


def test_results_of_an_unlisted_variant_are_refused(report: Report) -> None:
    with pytest.raises(ValueError, match="prepared_400_dict, which `variants` does not list"):
        Report(**(dict(report) | {"variants": VARIANTS[:3]}))


# Summary


def with_comparison(report: Report, **changes: Any) -> Report:
    """The report with every comparison changed alike."""
    return report.model_copy(
        update={"comparisons": tuple(row.model_copy(update=changes) for row in report.comparisons)}
    )


def best_hybrid(report: Report, split: str = "all") -> Score:
    rows = [score for score in report.scores if (score.mode, score.split) == ("hybrid", split)]
    return max(rows, key=lambda score: score.mrr)


def test_the_summary_names_the_best_variant_and_its_lead(report: Report, page: BeautifulSoup) -> None:
    best = best_hybrid(report)
    raw = next(row for row in report.scores if (row.mode, row.split, row.variant) == ("hybrid", "all", "raw"))
    said = one(page, "p.summary").get_text()
    assert f"正解が最も上位に出たのは {best.variant} で、MRR は {best.mrr:.3f}" in said
    assert f"{best.mrr - raw.mrr:.3f}（{(best.mrr - raw.mrr) / raw.mrr:.0%}）高い" in said
    assert "62% のチャンクがどの記事のものか書かれておらず" in said


def test_noise_is_said_plainly(report: Report) -> None:
    noise = "".join(summarize(with_comparison(report, verdict="noise", p_value=0.3)))
    assert "この差は偶然と区別できません（p = 0.300" in noise
    assert "偶然とは考えにくい" not in noise
    clear = "".join(summarize(with_comparison(report, verdict="better", p_value=0.0004)))
    assert "この差は偶然とは考えにくいものです（p < 0.001" in clear
    assert "偶然と区別できません" not in clear


def test_the_holdout_is_told_apart(report: Report) -> None:
    ours = next(
        row
        for row in report.scores
        if (row.mode, row.split, row.variant) == ("hybrid", "holdout", best_hybrid(report).variant)
    )
    assert f"確認用の {ours.questions} 問（holdout）だけでは {ours.mrr:.3f}" in "".join(summarize(report))
    alone = report.model_copy(update={"scores": tuple(score for score in report.scores if score.split != "holdout")})
    assert "holdout" not in "".join(summarize(alone))


def test_a_baseline_that_wins_is_said_to_win(report: Report) -> None:
    scores = tuple(
        score.model_copy(update={"mrr": 0.99}) if score.variant == "raw" else score for score in report.scores
    )
    said = "".join(summarize(report.model_copy(update={"scores": scores})))
    assert "raw を上回った variant はなく" in said
    assert "高い値です" not in said


def test_a_tie_with_the_baseline_is_no_win(report: Report) -> None:
    scores = tuple(score.model_copy(update={"mrr": 0.5}) for score in report.scores)
    assert "raw を上回った variant はなく" in "".join(summarize(report.model_copy(update={"scores": scores})))


def test_without_a_baseline_no_effect_is_claimed(report: Report) -> None:
    prepared = Report(
        documents=DOCUMENTS,
        made_at=report.made_at,
        variants=tuple(variant for variant in VARIANTS if variant.name != "raw"),
        scores=tuple(score for score in report.scores if score.variant != "raw"),
    )
    assert "前処理の効果は測っていません" in "".join(summarize(prepared))
    assert "raw</th>" not in render_report(prepared)


def only_modes(report: Report, *modes: Mode) -> Report:
    """The report of a run that searched in these modes."""
    return report.model_copy(
        update={
            name: tuple(row for row in getattr(report, name) if row.mode in modes)
            for name in ("scores", "comparisons", "results")
        }
    )


def test_the_summary_is_about_the_search_there_was(report: Report) -> None:
    """A Knowledge Base in S3 Vectors is searched by meaning alone."""
    by_meaning = only_modes(report, "dense")
    best = max(
        (score for score in by_meaning.scores if score.split == "all"),
        key=lambda score: score.mrr,
    )
    said = "".join(summarize(by_meaning))
    assert f"問を意味の近さの検索（dense）で比べると、正解が最も上位に出たのは {best.variant} " in said
    assert "質問がない" not in said
    assert summarize(only_modes(report, "dense", "hybrid")) == summarize(report)


@pytest.mark.parametrize(
    ("searched", "told"),
    [
        (IN_INDEX, "埋め込みインデックス"),
        (
            HowSearched(search_in="knowledge_base", settings={"search_type": "SEMANTIC"}, held="corpus"),
            "Knowledge Base（search_type：SEMANTIC）",
        ),
    ],
)
def test_the_page_says_at_its_top_where_it_searched(report: Report, searched: HowSearched, told: str) -> None:
    results = tuple(result.model_copy(update={"searched": searched}) for result in report.results)
    page = BeautifulSoup(render_report(report.model_copy(update={"results": results})), "html.parser")
    assert one(page, "header .made").get_text().endswith(f"検索先：{told}")
    assert f"variant ごとに、{told}で検索し" in one(page, "#comparison > p.lead").get_text()
    bare = report.model_copy(update={"scores": (), "comparisons": (), "results": ()})
    assert "検索先" not in render_report(bare)


def searched_so(report: Report, how: HowSearched, *variants: str, strange: Collection[str] = ()) -> Report:
    """The report of a run whose variants were searched so, and found chunks of another corpus."""
    results = tuple(
        result.model_copy(
            update={
                "searched": how,
                "hits": tuple(hit.model_copy(update={"in_corpus": hit.chunk_id not in strange}) for hit in result.hits),
            }
        )
        if not variants or result.variant in variants
        else result
        for result in report.results
    )
    return report.model_copy(update={"results": results})


IN_KNOWLEDGE_BASE = HowSearched(search_in="knowledge_base", settings={"search_type": "SEMANTIC"}, held="corpus")


def told_cautions(report: Report) -> list[str]:
    page = BeautifulSoup(render_report(report), "html.parser")
    return [caution.get_text() for caution in page.select("#summary .caution")]


def test_what_was_searched_is_the_corpus_and_nothing_is_told(report: Report) -> None:
    assert told_cautions(report) == []
    assert told_cautions(searched_so(report, IN_KNOWLEDGE_BASE)) == []


def test_chunks_of_another_corpus_are_told_by_variant(report: Report) -> None:
    of_raw = sorted({hit.chunk_id for result in report.results if result.variant == "raw" for hit in result.hits})
    told = told_cautions(searched_so(report, IN_KNOWLEDGE_BASE, "raw", strange=of_raw[:2]))
    assert len(told) == 1
    assert told[0].startswith("raw：手元のコーパスにないチャンクが 2 件、")
    assert all(chunk_id in told[0] for chunk_id in of_raw[:2])
    assert "s3_objects と knowledge_base_ingestion を実行してから、retrieval_results を" in told[0]
    (of_many,) = told_cautions(searched_so(report, IN_KNOWLEDGE_BASE, "raw", strange=of_raw))
    assert f"チャンクが {len(of_raw):,} 件、" in of_many
    assert sum(chunk_id in of_many for chunk_id in of_raw) < len(of_raw)
    assert "、…）" in of_many


def test_what_a_knowledge_base_may_hold_is_told_by_variant(report: Report) -> None:
    earlier, unknown = (IN_KNOWLEDGE_BASE.model_copy(update={"held": held}) for held in ("earlier", "unknown"))
    mixed = searched_so(searched_so(report, unknown, "raw", "prepared_400"), earlier, "prepared_900")
    told = told_cautions(mixed)
    assert [line.partition("：")[0] for line in told] == ["prepared_900", "raw、prepared_400"]
    assert "手元のコーパスより前に取り込んだもの" in told[0]
    assert "確かめていません" in told[1]
    assert all("件数は手元のコーパスのもの" in line for line in told)


# Tables and charts


def test_the_comparison_table_holds_every_score(report: Report, page: BeautifulSoup) -> None:
    panels = page.select("#comparison [data-panel]")
    assert [panel["data-split"] for panel in panels] == ["all", "tune", "holdout"]
    assert [panel.get("class") for panel in panels] == [["chosen"], None, None]
    for panel in panels:
        lines = [row.get_text(" ", strip=True) for row in panel.select("table.scores tbody tr")]
        assert len(lines) == len(VARIANTS) * len(MODES)
        for position, line in enumerate(lines):
            assert NAMES[position % 4] in line.split()
        for score in (score for score in report.scores if score.split == panel["data-split"]):
            assert any(
                f"{score.mrr:.3f} {score.mrr_low:.3f} 〜 {score.mrr_high:.3f}" in line
                and f"{score.hit_at_8:.0%}" in line
                for line in lines
            )
        assert len(panel.select("figure svg[role=img]")) == 2


def test_every_verdict_is_in_words(report: Report, page: BeautifulSoup) -> None:
    words = {"noise": "偶然と区別できません", "better": "良い", "worse": "悪い"}
    cells = page.select("#comparison .verdict")
    assert len(cells) == len(report.comparisons)
    for cell in cells:
        verdict = cell["class"][1]
        assert cell.get_text().startswith(words[verdict])


def test_faults_read_from_raw_to_prepared_with_counts_and_shares(page: BeautifulSoup) -> None:
    headings = [cell.get_text(" ", strip=True) for cell in page.select("table.faults thead th")]
    assert [heading.split()[0] for heading in headings[1:]] == NAMES
    rows = {
        str(one(row, "th b").string): [cell.get_text(" ", strip=True) for cell in row.select("td")]
        for row in page.select("table.faults tbody tr")
    }
    assert rows["どの記事のものか書かれていない"] == ["62% 3,711 件", "0 0 件", "0 0 件", "0 0 件"]
    assert rows["見出しから切り離された表の行"][0] == "1,204 行"
    assert rows["字数の上限を超える"][0] == "上限なし"
    assert len(page.select("#quality .multiples svg")) == len(NAMES)


def test_examples_show_the_passage_or_where_it_lies(page: BeautifulSoup) -> None:
    link = one(page, "table.faults td a")
    quotes = [quote.get_text(" ", strip=True) for quote in page.select(f"{link['href']} blockquote")]
    assert quotes[0].endswith("この場合の割合は、次の")
    assert quotes[1] == "tax_answer/1008#1 （本文は corpus/raw にあります）"


def test_an_example_that_was_found_needs_no_text_of_its_own(report: Report) -> None:
    hit = next(hit for result in report.results if result.variant == "raw" for hit in result.hits)
    row = quality_row("raw").model_copy(update={"examples": {"unnamed": (hit.chunk_id,)}})
    page = BeautifulSoup(render_report(report.model_copy(update={"quality": (row,)})), "html.parser")
    texts = {
        hit.text
        for result in report.results
        if result.variant == "raw"
        for hit in result.hits
        if hit.chunk_id == row.examples["unnamed"][0]
    }
    cite = one(page, "#example-all-unnamed cite")
    cite.extract()
    assert one(page, "#example-all-unnamed blockquote").get_text() in texts


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["tax_answer", "all"], ["all"]),
        (["law", "all", "tax_answer", "law"], ["all", "law", "tax_answer"]),
        (["tax_answer"], ["tax_answer"]),
        ([], []),
    ],
)
def test_a_single_source_is_not_shown_twice(sources: list[str], expected: list[str]) -> None:
    assert choose_sources(sources) == expected


def test_sources_can_be_chosen_where_there_are_several(report: Report) -> None:
    def of(source: str) -> tuple[list[Score], list[Comparison]]:
        update = {"source": source}
        return (
            [score.model_copy(update=update) for score in report.scores],
            [row.model_copy(update=update) for row in report.comparisons],
        )

    (law, law_rows), (tax, tax_rows) = of("law"), of("tax_answer")
    several = report.model_copy(
        update={
            "scores": (*report.scores, *law, *tax),
            "comparisons": (*report.comparisons, *law_rows, *tax_rows),
        }
    )
    page = BeautifulSoup(render_report(several), "html.parser")
    options = [option["value"] for option in page.select("#comparison select option")]
    assert options == ["all", "law", "tax_answer"]
    assert len(page.select("#comparison [data-panel]")) == 9
    assert len(page.select("#comparison [data-panel].chosen")) == 1


@given(st.integers(0, 300), st.data())
def test_the_interval_of_a_share_holds_the_share(questions: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, questions))
    share = hits / questions if questions else 0.0
    low, high = wilson_interval(share, questions)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson_interval(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


# Questions


def test_every_question_has_its_ranks_and_the_unanswerable_lie_apart(report: Report, page: BeautifulSoup) -> None:
    for result in report.results:
        question = result.question
        where = "#unanswerable" if question.split == "unanswerable" else "#question-list"
        card = next(
            card for card in page.select(f"{where} .question") if card.select(".id")[0].string == question.question_id
        )
        if question.split == "unanswerable":
            assert not card.select(".rank")
            continue
        ranks = one(card, f".ranks[data-mode={result.mode}]").select(".rank")
        rank = ranks[NAMES.index(result.variant)]
        expected = f"{result.first_correct_rank}位" if result.first_correct_rank else "圏外"
        assert rank.get_text(" ", strip=True).split()[1] == expected
    assert page.select(".ranks[data-mode=hybrid]")
    assert all(ranks.has_attr("hidden") for ranks in page.select(".ranks:not([data-mode=hybrid])"))


def test_a_question_is_shown_with_what_it_is_narrowed_to(report: Report) -> None:
    law, new = Filter(key="source", value="law"), Filter(key="as_of", operator="at_least", value=20260401)
    tags = Filter(key="tags", operator="contains", value=HOSTILE)
    asked = {
        "Q001": law,
        "Q002": AllOf(all_of=(law, AnyOf(any_of=(new, tags)))),
        "Q008": Filter(key="done", operator="in", value=(True, 1.5, "済")),
    }
    results = tuple(
        result.model_copy(
            update={"question": result.question.model_copy(update={"filter": asked.get(result.question.question_id)})}
        )
        for result in report.results
    )
    page = BeautifulSoup(render_report(report.model_copy(update={"results": results})), "html.parser")
    told = {
        card.select(".id")[0].get_text(): [line.get_text() for line in card.select(".filter")]
        for card in page.select(".question")
    }
    assert told.pop("Q001") == ["絞り込み：source ＝ law"]
    assert told.pop("Q002") == [f"絞り込み：source ＝ law かつ （as_of ≧ 20260401 または tags に「{HOSTILE}」を含む）"]
    assert told.pop("Q008") == ["絞り込み：done が true、1.5、済 のどれか"]
    assert not any(told.values())


def test_filters_follow_from_the_ranks(report: Report) -> None:
    for card in make_cards(report, MODES):
        for mode in MODES:
            places = {
                result.variant: result.first_correct_rank or 99
                for result in report.results
                if (result.question.question_id, result.mode) == (card.question.question_id, mode)
            }
            assert ("differs" in card.flags[mode]) == (len(set(places.values())) > 1)
            assert ("missed" in card.flags[mode]) == (min(places.values()) > 8)
            assert ("worse" in card.flags[mode]) == (max(places.values()) > places["raw"])


def test_every_shown_passage_is_stored_as_it_is(report: Report, page: BeautifulSoup) -> None:
    data = stored(page)
    positions: dict[str, int] = {}
    for result in report.results:
        question = positions.setdefault(result.question.question_id, len(positions))
        mode, variant = data["modes"].index(result.mode), data["variants"].index(result.variant)
        latency, rows = data["questions"][question][mode][variant]
        assert latency == pytest.approx(result.latency_ms, abs=0.01)
        shown = [hit for hit in result.hits if hit.rank <= 8 or hit.rank == result.first_correct_rank]
        assert [row[1] for row in rows] == [hit.rank for hit in shown]
        for row, hit in zip(rows, shown, strict=True):
            _, record, chunk_id = data["passages"][row[0]]
            assert text_of(data, row[0]) == hit.text
            assert (data["records"][record][0], chunk_id, row[2]) == (
                hit.record_id,
                hit.chunk_id,
                hit.correct,
            )


def test_nothing_is_stored_twice(page: BeautifulSoup) -> None:
    data = stored(page)
    for name in ("lines", "texts", "records", "passages"):
        values = [json.dumps(value) for value in data[name]]
        assert len(values) == len(set(values)), name


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=8))
def test_any_text_survives_the_page(texts: list[str]) -> None:
    report = example_report(questions=1, hits=len(texts))
    result = report.results[0]
    hits = tuple(hit.model_copy(update={"text": text}) for hit, text in zip(result.hits, texts, strict=True))
    one_result = report.model_copy(update={"results": (result.model_copy(update={"hits": hits}),)})
    html = render_report(one_result)
    found = re.search(r'<script type="application/json" id="passages">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert data == json.loads(json.dumps(make_passage_data(one_result, [result.mode])))
    column = NAMES.index(result.variant)
    assert [text_of(data, row[0]) for row in data["questions"][0][0][column][1]] == texts


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "", None])
def test_only_web_addresses_become_links(url: str | None) -> None:
    assert readers_address(url) is None
    report = example_report(questions=2)
    records = tuple(record.model_copy(update={"url": url}) for record in report.records)
    nowhere = report.documents[0].model_copy(update={"location": url or ""})
    page = BeautifulSoup(
        render_report(report.model_copy(update={"records": records, "documents": (nowhere,)})), "html.parser"
    )
    assert not page.select('a:not([href^="#"])')
    assert {record[3] for record in stored(page)["records"]} == {None}


def test_a_record_without_a_link_is_named_by_its_id(report: Report) -> None:
    page = BeautifulSoup(render_report(report.model_copy(update={"records": ()})), "html.parser")
    assert "tax_answer/1000" in page.select("#question-0 .gold")[0].get_text()


def test_every_document_is_told_with_where_it_lies(page: BeautifulSoup) -> None:
    rows = [[cell.get_text() for cell in row.select("th, td")] for row in page.select("table.documents tbody tr")]
    assert rows == [
        ["見本の税務相談集", "タックスアンサー", "756", "https://example.jp/taxes/"],
        ["見本の法律", "法令", "40", "laws/one.xml"],
    ]
    assert page.select_one('table.documents a[href="https://example.jp/taxes/"]')
    assert page.h1 is not None
    assert "見本の税務相談集 ほか1文書" in page.h1.get_text()


def test_what_was_found_in_the_documents_is_told_with_examples(page: BeautifulSoup) -> None:
    rows = [[cell.get_text() for cell in row.select("th, td")] for row in page.select("table.findings tbody tr")]
    assert rows == [
        ["work_rules/rules", "空欄（会社で定める箇所）", "12", "page 3：採用した日から"],
        ["csv_rows/desk", "bent row（要対応）", "1", ""],
    ]


# Footer


def test_the_footer_tells_how_to_make_it_again(report: Report, page: BeautifulSoup) -> None:
    footer = one(page, "footer")
    assert one(footer, "pre").get_text() == report.command
    cells = [[cell.get_text() for cell in row.select("th, td")] for row in footer.select("tr")]
    assert cells == [[name, value] for name, value in report.settings.items()]
    sources = one(page, "#sources").get_text()
    assert report.dictionary_notes[0] in sources


# How current the text is


def test_a_red_box_names_what_is_old_gone_and_undated(page: BeautifulSoup) -> None:
    box = one(page, "#currency")
    assert [div["class"] for div in box.select("div")] == [["old"], ["gone"], ["undated"]]
    assert "以前の文章のまま検索されています" in one(box, ".old").get_text()
    assert "No.9999" in one(box, ".gone").get_text()
    names = [item.get_text() for item in box.select(".undated li")]
    assert len(names) == 25
    assert len(box.select(".undated details li")) == 5


def test_no_box_stands_where_the_text_is_current(report: Report) -> None:
    assert 'id="currency"' not in render_report(report.model_copy(update={"staleness": ()}))


def test_a_table_tells_of_when_the_text_speaks(page: BeautifulSoup) -> None:
    rows = [[cell.get_text() for cell in row.select("th, td")] for row in page.select("table.as-of tbody tr")]
    assert rows[0] == ["2026年", "·", "·", "·", "700", *["·"] * 8, "700"]
    assert rows[-1] == ["日付なし", "", "25"]


def test_the_sample_is_marked_as_one(report: Report, page: BeautifulSoup) -> None:
    assert "税務の助言でもありません" in one(page, "#sample-notice").get_text()
    assert "見本データ" not in render_report(report.model_copy(update={"sample": False}))
