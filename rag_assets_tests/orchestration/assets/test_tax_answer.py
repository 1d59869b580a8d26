"""Pages and records over a real HTTP server: what changes on the site changes here, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.sources.document_records import DocumentSummary
from rag_assets.sources.staleness import staleness
from rag_assets.store.lines import read_lines
from rag_assets_tests.http_server import Answer, page, serving
from rag_assets_tests.small_site import ERROR_PAGE, Run, SmallSite, article_html

# Answers that are not asked for a second time: how often and how patiently others are is tested with the fetching.
LOST = Answer(status=404, body=b"nothing here")


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with serving() as server:
        small = SmallSite(server)
        for number in ("2502", "2503", "2594"):
            small.publish(number, ETag=f'"{number}"')
        small.publish("8010", category="saigai")
        yield small


@pytest.fixture
def run(site: SmallSite, tmp_path: Path) -> Run:
    return Run(site.server.url, tmp_path / "home")


def test_an_article_that_fails_for_ever_is_named_with_its_reason_and_loses_no_other(site: SmallSite, run: Run) -> None:
    site.answer("2503", Answer(status=501))
    told = run.pages()["tax_answer_pages"]
    assert "1 article(s) could not be fetched" in told
    assert "No.2503" in told
    assert "HTTP 501" in told
    assert run.records() == {}
    assert sorted(run.kept()) == ["2502", "2594", "8010"]


def test_articles_without_a_date_are_told_by_number(
    site: SmallSite, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "<p>[令和7年4月1日現在法令等]</p>"
    both = line.replace("令和7年", "令和7（2024）年")
    for number, as_of in (("2504", ""), ("2505", both), ("2506", line.replace("令和7年", "令和7（2025）年"))):
        site.answer(number, page(article_html(number).replace(line, as_of)))
    run.refresh()
    assert staleness(run.home, "tax_answer").undated == ("tax_answer/2504", "tax_answer/2505")
    assert "源泉所得税: 2 of 6 records without as-of date: tax_answer/2504, tax_answer/2505" in capsys.readouterr().err
    (summary,) = read_lines(run.home.summary("tax_answer", "gensen"), DocumentSummary, "tax_answer_records")
    (finding,) = summary.findings
    assert (finding.topic, finding.place, finding.quote) == (
        "as-of without date",
        "No.2505",
        "令和7（2024）年4月1日現在法令等",
    )


def test_after_mending_a_rerun_brings_what_was_missing_and_no_bytes_it_has(site: SmallSite, run: Run) -> None:
    site.answer("2503", LOST)
    run.pages()
    site.publish("2503")
    site.server.forget()
    assert run.pages() == {}
    assert run.records() == {}
    assert "2503" in run.kept()
    assert run.outcomes() == {"2502": "unchanged", "2503": "fetched", "2594": "unchanged"}
    (again,) = [request for request in site.server.requests if request.path.endswith("2502.htm")]
    assert again.headers["if-none-match"] == '"2502"'


def test_an_article_that_fails_later_keeps_its_earlier_record(site: SmallSite, run: Run) -> None:
    run.refresh()
    before = run.kept()["2503"]
    site.answer("2503", LOST)
    assert "No.2503" in run.pages()["tax_answer_pages"]
    assert run.records() == {}
    assert run.kept()["2503"] == before


def test_a_withdrawn_article_leaves_nothing_behind_and_is_told_by_number(
    site: SmallSite, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    run.whole()
    for variant in ("raw", "prepared_400"):
        assert any("/2503" in name for name in run.files(variant))
    site.withdraw("2503")
    capfd.readouterr()
    assert [result.failures for result in run.whole()] == [{}] * 5
    assert "withdrawn by the site: 2503" in capfd.readouterr().err
    assert sorted(run.kept()) == ["2502", "2594", "8010"]
    for variant in ("raw", "prepared_400"):
        assert not any("2503" in name for name in run.files(variant))
        assert "2503" not in run.home.chunks(variant).read_text()
    assert "No.2503" in (run.home.reports / "report.html").read_text()


def test_a_withdrawal_is_told_although_another_article_fails(
    site: SmallSite, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    site.withdraw("2503")
    site.answer("2594", LOST)
    assert "No.2594" in run.pages()["tax_answer_pages"]
    assert "withdrawn by the site: 2503" in capfd.readouterr().err


def test_a_new_article_appears_and_one_gone_from_the_list_disappears(
    site: SmallSite, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    run.whole()
    site.publish("2511-1")
    site.delist("2502")
    run.whole()
    assert sorted(run.kept()) == ["2503", "2511-1", "2594", "8010"]
    assert not any("2502" in name for name in run.files("raw"))
    assert "gone from the site's list: 2502" in capfd.readouterr().err


def test_the_last_article_of_a_category_disappears_like_any_other(
    site: SmallSite, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    run.whole()
    site.delist("8010")
    run.whole()
    assert sorted(run.kept()) == ["2502", "2503", "2594"]
    assert not any("8010" in name for name in run.files("prepared_400"))
    assert "gone from the site's list: 8010" in capfd.readouterr().err


def test_another_site_leaves_no_record_of_the_one_before(site: SmallSite, run: Run) -> None:
    run.refresh()
    with serving() as server:
        other = SmallSite(server)
        other.publish("1000", category="shotoku")
        Run(server.url, run.home.root).refresh()
        assert sorted(run.kept()) == ["1000"]


def test_a_changed_article_changes_its_own_files_only(site: SmallSite, run: Run) -> None:
    run.whole()
    before = run.files("prepared_400")
    site.publish("2503", "新しい本文です。", ETag='"new"')
    run.whole()
    after = run.files("prepared_400")
    others = {name: file for name, file in before.items() if "/2503/" not in name}
    assert others == {name: file for name, file in after.items() if "/2503/" not in name}
    assert any("新しい本文です。".encode() in content for name, (_, content) in after.items() if "/2503/" in name)
    assert not any("記事2503の本文です。".encode() in content for _, content in after.values())


def test_a_page_that_is_not_understood_is_named_with_what_is_missing_and_keeps_its_earlier_record(
    site: SmallSite, run: Run
) -> None:
    run.refresh()
    before = run.kept()["2503"]
    site.answer("2503", page(article_html("2503").replace("h1>", "b>")))
    assert run.pages() == {}
    told = run.records()["tax_answer_records"]
    assert "No.2503" in told
    assert "no h1 inside div#bodyArea" in told
    assert site.server.url in told
    assert run.kept()["2503"] == before
    site.publish("2503", "直りました。")
    assert run.pages() == {}
    assert run.records() == {}
    assert "直りました。" in run.kept()["2503"].text


def test_a_page_that_was_never_understood_yields_no_record(site: SmallSite, run: Run) -> None:
    site.answer("2503", page(article_html("2503").replace("<p>記事2503の本文です。</p>", "")))
    assert run.pages() == {}
    assert "no body text" in run.records()["tax_answer_records"]
    assert sorted(run.kept()) == ["2502", "2594", "8010"]


def test_kept_bytes_that_were_damaged_are_told_and_fetched_again(site: SmallSite, run: Run) -> None:
    run.pages()
    for file in (run.home.fetched("tax_answer") / "objects").glob("*/*"):
        if b"2503" in file.read_bytes():
            file.write_bytes(b"damaged")
    assert "No.2503" in run.records()["tax_answer_records"]
    assert "2502" in run.kept()
    assert run.pages() == {}
    assert run.records() == {}
    assert "2503" in run.kept()


def test_article_ids_ask_for_these_articles_only_and_afresh(site: SmallSite, run: Run) -> None:
    run.pages()
    site.server.forget()
    assert run.pages("2594") == {}
    assert site.fetched() == ["2594"]
    assert "if-none-match" not in site.server.asked("/taxes/shiraberu/taxanswer/gensen/2594.htm")[0].headers
    assert run.records() == {}
    assert sorted(run.kept()) == ["2502", "2503", "2594", "8010"]


def test_article_ids_that_are_not_listed_are_named(site: SmallSite, run: Run) -> None:
    assert "9999 is not on the site's article list" in run.pages("2594", "9999")["tax_answer_pages"]
    assert site.fetched() == []


def test_a_category_that_is_new_is_warned_about_by_number(
    site: SmallSite, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    site.list_also(("9300", "kokusai"))
    assert run.pages() == {}
    told = capfd.readouterr().err
    assert "No.9300" in told
    assert "'kokusai'" in told


def test_a_list_that_cannot_be_had_is_told_with_its_address(site: SmallSite, run: Run) -> None:
    run.refresh()
    site.server.on("/taxes/shiraberu/taxanswer/code/index.htm", LOST)
    told = run.pages()["tax_answer_pages"]
    assert told.startswith(site.server.url)
    assert "/code/index.htm" in told
    assert "HTTP 404" in told


def test_a_list_that_lists_nothing_keeps_everything(site: SmallSite, run: Run) -> None:
    run.refresh()
    site.server.on("/taxes/shiraberu/taxanswer/code/index.htm", page(ERROR_PAGE))
    assert "no link to an article" in run.pages()["tax_answer_pages"]
    assert run.records() == {}
    assert sorted(run.kept()) == ["2502", "2503", "2594", "8010"]


def test_records_before_pages_are_refused_with_the_remedy(run: Run) -> None:
    told = run.records()["tax_answer_records"]
    assert "Nothing was ever fetched of shotoku, gensen, " in told
    assert "materialize tax_answer_pages first" in told


def test_an_unchanged_site_rewrites_no_record_file(site: SmallSite, run: Run) -> None:
    run.pages()
    run.records()
    written = {path: path.stat().st_mtime_ns for path in run.home.records("tax_answer").iterdir()}
    run.pages()
    run.records()
    assert {path: path.stat().st_mtime_ns for path in run.home.records("tax_answer").iterdir()} == written


def test_what_was_left_out_of_pages_is_kept_beside_the_records_and_told_after_every_run(
    site: SmallSite, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    site.publish("2502", "税率は<del>20％</del>15％です。<span hidden>旧</span>")
    run.refresh()
    for _ in range(2):
        capfd.readouterr()
        assert run.records() == {}
        assert "struck text: 1 (No.2502), hidden text: 1 (No.2502)" in capfd.readouterr().err
    (summary,) = read_lines(run.home.summary("tax_answer", "gensen"), DocumentSummary, "tax_answer_records")
    assert [(found.place, found.topic, found.quote) for found in summary.findings] == [
        ("No.2502", "struck text", "20％"),
        ("No.2502", "hidden text", "旧"),
    ]
    assert "税率は15％です。" in run.kept()["2502"].text


def test_pages_are_read_again_where_it_is_no_longer_known_what_was_left_out(site: SmallSite, run: Run) -> None:
    site.publish("2502", "<s>旧</s>新。")
    run.refresh()
    summary = run.home.summary("tax_answer", "gensen")
    before = summary.read_bytes()
    summary.unlink()
    assert run.records() == {}
    assert summary.read_bytes() == before
