"""The page in a browser: choosing, filtering, searching and unfolding, by mouse and by keyboard."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from rag_assets.evaluation.report.model import Report
from rag_assets.evaluation.report.questions import make_cards
from rag_assets.evaluation.report.render import render_report
from rag_assets.model import Mode
from rag_assets_tests.evaluation.report.report_example import MODES, example_report

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on the PATH"),
]

NAMES = ["raw", "prepared_900", "prepared_400", "prepared_400_dict"]


@pytest.fixture(scope="module")
def report() -> Report:
    return example_report(questions=24)


@pytest.fixture(scope="module")
def address(report: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_report(report), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The opened page; at the end it must have complained of nothing and asked nobody for anything."""
    opened = browser.new_page(viewport={"width": 1400, "height": 1000})
    complaints: list[str] = []
    requests: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: requests.append(request.url))
    opened.goto(address)
    yield opened
    assert complaints == []
    assert requests == [address]
    assert opened.evaluate("window.broken") is None
    opened.close()


def asked(page: Page) -> Locator:
    return page.locator("#question-list .question:visible")


def expected(report: Report, mode: Mode, flag: str = "", split: str = "") -> list[str]:
    return [
        card.question.question_id
        for card in make_cards(report, MODES)
        if card.question.split != "unanswerable"
        and (not flag or flag in card.flags[mode])
        and (not split or card.question.split == split)
    ]


def ids(page: Page) -> list[str]:
    return asked(page).locator(".id").all_text_contents()


def test_one_split_is_shown_at_a_time(page: Page) -> None:
    panels = page.locator("#comparison [data-panel]:visible")
    assert panels.count() == 1
    assert panels.first.get_attribute("data-split") == "all"
    page.get_by_role("radio", name="確認用（holdout）").check()
    assert panels.count() == 1
    assert panels.first.get_attribute("data-split") == "holdout"
    assert panels.locator("svg").count() == 2


def test_filters_show_the_questions_they_name(page: Page, report: Report) -> None:
    assert ids(page) == expected(report, "hybrid")
    for flag in ("differs", "missed", "worse"):
        page.locator("#filter").select_option(flag)
        assert ids(page) == expected(report, "hybrid", flag)
    assert 0 < len(expected(report, "bm25", "worse", "tune")) < len(expected(report, "bm25"))
    page.locator("input[name=mode][value=bm25]").check()
    page.locator("#split").select_option("tune")
    assert ids(page) == expected(report, "bm25", "worse", "tune")
    shown, total = len(ids(page)), len(expected(report, "bm25"))
    assert page.locator("#count").inner_text() == f"{total} 問中 {shown} 問を表示"


def test_the_search_reads_questions_and_gold_titles_in_any_width(page: Page) -> None:
    search = page.locator("#search")
    search.fill("通勤手当")
    assert ids(page) == ["Q002", "Q010", "Q018"]
    search.fill("ｎｏ．１００２")
    assert ids(page) == ["Q003"]
    search.fill("どこにもない言葉")
    assert ids(page) == []
    search.fill("")
    assert len(ids(page)) == 21


def test_a_sentence_leads_to_the_questions_that_found_it(page: Page, report: Report) -> None:
    result = next(result for result in report.results if result.mode == "hybrid" and result.variant == "raw")
    sentence = result.hits[1].text[5:40]
    page.locator("#search").fill(sentence)
    assert ids(page) == []
    page.get_by_label("出てきた文章も探す").check()
    holding = {
        other.question.question_id
        for other in report.results
        if other.mode == "hybrid"
        and other.question.split != "unanswerable"
        and any(
            sentence.replace("\n", "") in hit.text.replace("\n", "")
            for hit in other.hits
            if hit.rank <= 8 or hit.rank == other.first_correct_rank
        )
    }
    assert set(ids(page)) == holding


def test_hits_stand_side_by_side_with_the_right_ones_marked(page: Page, report: Report) -> None:
    card = page.locator("#question-1")
    assert card.locator(".hits table").count() == 0
    card.locator("summary").click()
    expect(card.locator("thead th").first).to_have_text("順位")
    assert [heading.split("\n")[0] for heading in card.locator("thead th").all_inner_texts()[1:]] == NAMES
    found = {
        result.variant: result
        for result in report.results
        if (result.question.question_id, result.mode) == ("Q002", "hybrid")
    }
    rows = card.locator("tbody tr")
    for position in range(8):
        cells = rows.nth(position).locator("td")
        for column, name in enumerate(NAMES):
            hit = found[name].hits[position]
            cell = cells.nth(column)
            assert cell.locator(".passage").inner_text() == hit.text
            assert (cell.get_by_text("正解", exact=True).count() == 1) == hit.correct
            assert hit.chunk_id in cell.inner_text()


def test_changing_the_mode_changes_open_questions_too(page: Page, report: Report) -> None:
    card = page.locator("#question-1")
    card.locator("summary").click()
    page.locator("input[name=mode][value=dense]").check()
    dense = next(
        result
        for result in report.results
        if (result.question.question_id, result.mode, result.variant) == ("Q002", "dense", "raw")
    )
    assert card.locator("tbody .passage").first.inner_text() == dense.hits[0].text
    assert card.locator(".ranks:visible").get_attribute("data-mode") == "dense"


def test_a_right_passage_beyond_the_eighth_is_kept(page: Page, report: Report) -> None:
    late = [
        (index, result)
        for index, card in enumerate(make_cards(report, MODES))
        for result in report.results
        if result.question.question_id == card.question.question_id and result.first_correct_rank in (9, 10)
    ]
    assert late, "the example has no late right passage; change its seed"
    index, result = late[0]
    page.locator(f"input[name=mode][value={result.mode}]").check()
    page.locator(f"#question-{index} > summary").click()
    last = page.locator(f"#question-{index} tbody tr").last
    assert last.locator("th").inner_text() == "それ以下"
    cell = last.locator("td").nth(NAMES.index(result.variant))
    assert cell.inner_text().startswith("正解")
    assert f"{result.first_correct_rank}位" in cell.inner_text()


def test_a_passage_unfolds_and_folds(page: Page) -> None:
    card = page.locator("#question-0")
    card.locator("summary").click()
    cell = card.locator("td", has=page.locator(".fold")).first
    button, passage = cell.locator(".fold"), cell.locator(".passage")
    folded = passage.bounding_box()
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    unfolded = passage.bounding_box()
    assert folded is not None
    assert unfolded is not None
    assert unfolded["height"] > folded["height"]
    assert passage.evaluate("element => element.scrollHeight <= element.clientHeight + 1")
    assert button.get_attribute("aria-expanded") == "true"
    button.click()
    assert "short" in (passage.get_attribute("class") or "")
    card.locator(".unfold-all").click()
    assert card.locator(".passage.short").count() == 0


def test_the_keyboard_is_enough(page: Page) -> None:
    page.locator("#question-1 > summary").focus()
    page.keyboard.press("Enter")
    page.locator("#question-1 .hits table").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('#question-1').contains(document.activeElement)")
    page.locator("input[name=mode][value=hybrid]").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("input[name=mode]:checked").input_value() == "bm25"


def test_shown_questions_open_and_close_together(page: Page) -> None:
    page.locator("#split").select_option("holdout")
    page.locator("#open-all").click()
    page.locator("#question-list .question[open] .hits table").last.wait_for()
    assert page.locator("#question-list .question[open]").count() == asked(page).count() == 9
    page.locator("#close-all").click()
    assert page.locator(".question[open]").count() == 0


def test_a_fault_leads_to_its_examples(page: Page) -> None:
    quotes = page.locator("#example-all-begins_mid_sentence blockquote")
    assert not quotes.first.is_visible()
    for _ in range(2):
        page.locator("table.faults td a").click()
        page.wait_for_function("document.querySelector('#example-all-begins_mid_sentence').open")
        assert quotes.first.is_visible()
        page.locator("#example-all-begins_mid_sentence > summary").click()


def test_unanswerable_questions_show_what_came_back(page: Page) -> None:
    card = page.locator("#unanswerable .question").first
    card.locator("summary").click()
    assert card.locator("tbody tr").count() == 8
    assert card.get_by_text("正解", exact=True).count() == 0


@pytest.mark.parametrize("width", [1400, 900, 480])
def test_only_tables_scroll_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.locator("#question-1 > summary").click()
    page.locator("#question-1 .hits table").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_tables_and_charts_need_no_script(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("table.scores:visible").count() == 3
    assert page.locator("#comparison svg:visible").count() == 6
    assert page.locator("table.faults:visible").count() == 1
    assert page.locator("#quality svg:visible").count() == 4
    assert page.locator("#question-list .ranks:visible").count() == 21
    assert page.locator(".controls:visible").count() == 0
    context.close()
