"""Documents and their records as assets: what is fetched, read again, kept and told."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rag_assets.corpus.record_files import read_all_records
from rag_assets.orchestration.stages import PREPARE_CORPORA, READ_RECORDS, REFRESH_SOURCES
from rag_assets.sources.base import DocumentSettings
from rag_assets.sources.document_records import DocumentSummary, read_into_records
from rag_assets.sources.registry import BY_NAME
from rag_assets.sources.staleness import staleness
from rag_assets.store.lines import read_lines
from rag_assets_tests.http_server import Answer, serving
from rag_assets_tests.small_site import Run
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker

TABLE = {"source": "csv_rows", "id": "番号", "title": "件名", "text": ["回答"], "document": "窓口の記録"}
Desk = Callable[..., Run]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A run over CSV files that are named after their keys; settings of the documents by key."""

    def run(*keys: str, **settings: Any) -> Run:
        documents = {
            key: {**TABLE, "location": str(tmp_path / f"{key}.csv"), **settings.get(key, {})}
            for key in keys or ("desk",)
        }
        return Run("", tmp_path / "home", document=documents)

    return run


def write(folder: Path, *rows: str, key: str = "desk") -> Path:
    path = folder / f"{key}.csv"
    path.write_text("\n".join(["番号,件名,回答", *rows, ""]), encoding="utf-8")
    return path


def kept(run: Run) -> dict[str, str]:
    """Title of every record by its ID."""
    return {
        record.record_id: record.title
        for record in read_all_records([run.home.records("csv_rows")], "csv_rows_records")
    }


def fetch(run: Run, *documents: str) -> dict[str, str]:
    return run.stage("csv_rows_csv", config=_only("csv_rows_csv", documents)).failures


def read(run: Run, *documents: str) -> dict[str, str]:
    return run.stage("csv_rows_records", config=_only("csv_rows_records", documents)).failures


def _only(asset: str, documents: tuple[str, ...]) -> dict[str, Any] | None:
    return {asset: {"documents": list(documents)}} if documents else None


def test_documents_become_records_with_the_keys_of_their_documents(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。", key="desk")
    write(tmp_path, "1,傘,受付にあります。", key="lost")
    run = desk("desk", "lost")
    assert (fetch(run), read(run)) == ({}, {})
    assert kept(run) == {"csv_rows/desk/1": "鍵", "csv_rows/lost/1": "傘"}


def test_a_document_that_has_not_changed_is_not_read_again(
    tmp_path: Path, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "1,鍵,総務に届けます。")
    run = desk()
    fetch(run), read(run)
    capsys.readouterr()
    fetch(run), read(run)
    told = capsys.readouterr().err
    assert "desk: unchanged" in told
    assert "desk: 1 records, unchanged" in told
    write(tmp_path, "1,鍵,警備に届けます。")
    fetch(run), read(run)
    assert "desk: 1 records, read" in capsys.readouterr().err


@pytest.mark.parametrize("change", [{"document": "別の名"}, {"title": ["回答"]}, {"as_of": "令和8年4月1日現在"}])
def test_other_settings_read_it_again(tmp_path: Path, desk: Desk, change: dict[str, Any]) -> None:
    write(tmp_path, "1,鍵,総務に届けます。")
    run = desk()
    fetch(run), read(run)
    (before,) = read_all_records([run.home.records("csv_rows")], "csv_rows_records")
    read(desk(desk=change))
    (after,) = read_all_records([run.home.records("csv_rows")], "csv_rows_records")
    assert before != after


def test_a_fault_fails_by_line_after_everything_else_was_kept(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。", ",名なし,番号がありません。", "1,鍵2,同じ番号です。", "2,傘,受付へ。")
    run = desk()
    fetch(run)
    for _ in range(2):
        (failed,) = read(run).values()
        assert "1 document(s) could not be read, or not in whole" in failed
        assert "line 3" in failed
        assert "line 4" in failed
        assert kept(run) == {"csv_rows/desk/1": "鍵", "csv_rows/desk/2": "傘"}


def test_rows_passed_over_are_named_where_they_are_counted(
    tmp_path: Path, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "1,鍵,総務に届けます。", *(["1,鍵2,同じ番号です。"] * 5))
    run = desk(desk={"bad_rows": "skip"})
    fetch(run)
    assert read(run) == {}
    told = capsys.readouterr().err
    assert "desk: 1 records, read; duplicate ID: 5\n    line 3 (duplicate ID): ID 1 stands in line 2 already" in told
    assert "\n    line 5 (duplicate ID)" in told
    assert "\n    … and 2 more" in told


def test_a_document_that_cannot_be_read_keeps_its_earlier_records_and_loses_no_other(
    tmp_path: Path, desk: Desk
) -> None:
    write(tmp_path, "1,鍵,総務に届けます。", key="desk")
    write(tmp_path, "1,傘,受付にあります。", key="lost")
    run = desk("desk", "lost")
    fetch(run), read(run)
    (tmp_path / "desk.csv").write_text("番号,題,回答\n1,鍵,x\n", encoding="utf-8")
    write(tmp_path, "1,傘,警備にあります。", "2,帽子,受付にあります。", key="lost")
    fetch(run)
    (failed,) = read(run).values()
    assert "件名" in failed
    assert "desk.csv" in failed
    assert kept(run) == {"csv_rows/desk/1": "鍵", "csv_rows/lost/1": "傘", "csv_rows/lost/2": "帽子"}


def test_faults_of_all_documents_are_told_together(tmp_path: Path, desk: Desk) -> None:
    (tmp_path / "desk.csv").write_text("番号,題,回答\n1,鍵,x\n", encoding="utf-8")
    write(tmp_path, "1,傘,受付にあります。", "2,帽子", key="lost")
    run = desk("desk", "lost")
    fetch(run)
    (failed,) = read(run).values()
    assert "件名" in failed
    assert "line 3" in failed


def test_a_document_without_any_record_says_why(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, ",鍵,総務に届けます。", ",傘,受付にあります。")
    run = desk()
    fetch(run)
    (failed,) = read(run).values()
    assert "no record at all" in failed
    assert "line 2" in failed
    assert "line 3" in failed


def test_an_as_of_of_the_settings_that_is_no_date_is_told_once(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。", "2,傘,受付にあります。")
    run = desk(desk={"as_of": "2025年度"})
    fetch(run), read(run)
    (summary,) = read_lines(run.home.summary("csv_rows", "desk"), DocumentSummary, "csv_rows_records")
    assert [(topic.topic, topic.count) for topic in summary.topics] == [("as-of without date", 1)]
    assert summary.told(summary.topics[0]) == ["settings：2025年度"]
    assert summary.undated == 2


def test_records_without_a_date_are_told_by_number(
    tmp_path: Path, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["番号,件名,回答,日", "1,鍵,総務に届けます。,R8-4-1", "2,傘,受付にあります。,", "3,帽子,棚にあります。,未定"]
    (tmp_path / "desk.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    write(tmp_path, "1,鍵,総務に届けます。", key="lost")
    run = desk("desk", "lost", desk={"as_of_column": "日"})
    fetch(run), read(run)
    (summary,) = read_lines(run.home.summary("csv_rows", "desk"), DocumentSummary, "csv_rows_records")
    assert summary.undated_ids == ("csv_rows/desk/2", "csv_rows/desk/3")
    assert staleness(run.home, "csv_rows").undated == ("csv_rows/desk/2", "csv_rows/desk/3", "csv_rows/lost/1")
    said = capsys.readouterr().err
    assert "desk: 2 of 3 records without as-of date: csv_rows/desk/2, csv_rows/desk/3" in said
    assert "lost: none of its 1 records has an as-of date" in said


def test_a_document_that_will_be_in_force_is_read_again_on_that_day(tmp_path: Path) -> None:
    maker = PdfMaker()
    maker.lines("備品規程", "令和3年9月13日改正", "令和50年4月1日改正", "第１条　備品は、みほん社が置く。")
    (tmp_path / "rules.pdf").write_bytes(maker.file().read())
    table = {"source": "work_rules", "location": str(tmp_path / "rules.pdf")}
    run = Run("", tmp_path / "home", document={"rules": table})
    assert run.stage("work_rules_pdf").failures == {}
    source, settings = BY_NAME["work_rules"], BY_NAME["work_rules"].settings(key="rules", location=table["location"])
    comes = datetime.date(2068, 4, 1)

    def was_read(day: datetime.date) -> bool:
        return read_into_records(source, settings, run.home, today=lambda: day)[1]

    summary, _ = read_into_records(source, settings, run.home)
    assert summary.review_on == comes
    assert not was_read(comes - datetime.timedelta(days=1))
    assert was_read(comes)


def test_one_document_can_be_done_alone(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。", key="desk")
    write(tmp_path, "1,傘,受付にあります。", key="lost")
    run = desk("desk", "lost")
    fetch(run), read(run)
    write(tmp_path, "1,鍵束,総務に届けます。", key="desk")
    write(tmp_path, "1,雨傘,受付にあります。", key="lost")
    assert (fetch(run, "lost"), read(run, "lost")) == ({}, {})
    assert kept(run) == {"csv_rows/desk/1": "鍵", "csv_rows/lost/1": "雨傘"}
    (failed,) = read(run, "nowhere").values()
    assert "nowhere" in failed
    assert "desk, lost" in failed


def test_a_document_that_the_settings_no_longer_name_leaves_nothing(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。", key="desk")
    write(tmp_path, "1,傘,受付にあります。", key="lost")
    both = desk("desk", "lost")
    fetch(both), read(both)
    one = desk("desk")
    fetch(one), read(one)
    assert kept(one) == {"csv_rows/desk/1": "鍵"}
    assert sorted(path.name for path in one.home.fetched("csv_rows").glob("manifest/*.jsonl")) == ["desk.jsonl"]


def test_nothing_is_read_before_it_was_fetched(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。")
    (failed,) = read(desk()).values()
    assert "materialize csv_rows_csv first" in failed


def test_kept_bytes_that_were_damaged_are_told_and_fetched_again(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。")
    run = desk()
    fetch(run)
    (held,) = (path for path in run.home.fetched("csv_rows").glob("objects/*/*") if path.is_file())
    held.write_bytes(b"rot")
    (failed,) = read(run).values()
    assert "damaged" in failed
    fetch(run)
    assert read(run) == {}


def test_a_site_that_fails_keeps_the_earlier_edition(tmp_path: Path, desk: Desk) -> None:
    body = write(tmp_path, "1,鍵,総務に届けます。").read_bytes()
    with serving() as server:
        server.on("/desk.csv", Answer(body=body), Answer(status=404))
        run = desk(desk={"location": f"{server.url}/desk.csv"})
        assert fetch(run) == {}
        (failed,) = fetch(run).values()
    assert "404" in failed
    assert f"{server.url}/desk.csv" in failed
    assert read(run) == {}
    assert kept(run) == {"csv_rows/desk/1": "鍵"}


def test_where_a_reader_sees_it_is_the_url_and_no_path_of_this_machine(tmp_path: Path, desk: Desk) -> None:
    body = write(tmp_path, "1,鍵,総務に届けます。").read_bytes()
    with serving() as server:
        server.on("/desk.csv", Answer(body=body))
        run = desk(desk={"location": f"{server.url}/desk.csv"})
        fetch(run), read(run)
    (record,) = read_all_records([run.home.records("csv_rows")], "csv_rows_records")
    assert record.url == f"{server.url}/desk.csv"
    fetch(desk()), read(desk())
    (record,) = read_all_records([run.home.records("csv_rows")], "csv_rows_records")
    assert record.url is None


def test_another_run_over_the_same_home_prepares_only_its_own_sources(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。")
    law = tmp_path / "law.xml"
    law.write_text(
        "<Law><LawNum>令和一年法律第一号</LawNum><LawBody><LawTitle>試験法</LawTitle><MainProvision>"
        '<Article Num="1"><ArticleCaption>（目的）</ArticleCaption><ArticleTitle>第一条</ArticleTitle>'
        '<Paragraph Num="1"><ParagraphNum/><ParagraphSentence><Sentence>目的です。</Sentence></ParagraphSentence>'
        "</Paragraph></Article></MainProvision></LawBody></Law>",
        encoding="utf-8",
    )
    assert [each.failures for each in desk().whole()] == [{}] * 5
    other = Run("", tmp_path / "home", law=(str(law),))
    assert [each.failures for each in other.whole()] == [{}] * 5
    assert {name.split("/")[0] for name in other.files("raw")} == {"law"}


def test_jobs_and_schedule_do_without_partitions_of_the_site(tmp_path: Path, desk: Desk) -> None:
    write(tmp_path, "1,鍵,総務に届けます。")
    run = desk()
    assert (run.job(REFRESH_SOURCES), run.job(READ_RECORDS), run.job(PREPARE_CORPORA)) == ({}, {}, {})
    assert any(name.startswith("csv_rows/desk/1") for name in run.files("raw"))


def _expand(document: DocumentSettings) -> Iterator[DocumentSettings]:
    """A folder stands for the CSV files in it, and a file for itself."""
    place = Path(document.location)
    if not place.is_dir():
        yield document
    for path in sorted(place.glob("*.csv")):
        yield document.model_copy(update={"key": f"{document.key}-{path.stem}", "location": str(path)})


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """CSV rows as a source that takes folders."""
    source = replace(BY_NAME["csv_rows"], takes_folders=True, expand=_expand)
    monkeypatch.setitem(BY_NAME, "csv_rows", source)


@pytest.mark.usefixtures("folders")
def test_a_folder_stands_for_the_documents_that_are_in_it_when_it_is_looked_at(tmp_path: Path, desk: Desk) -> None:
    for folder in ("east", "west"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, "1,鍵,総務に届けます。", key="lost")
    run = desk("east", "west", east={"location": str(tmp_path / "east")}, west={"location": str(tmp_path / "west")})
    assert (fetch(run), read(run)) == ({}, {})
    assert list(kept(run)) == ["csv_rows/east-lost/1", "csv_rows/west-lost/1"]
    write(tmp_path / "east", "2,傘,受付にあります。", key="found")
    (tmp_path / "west" / "lost.csv").rename(tmp_path / "west" / "kept.csv")
    assert (fetch(run, "east-found", "west-kept"), read(run)) == ({}, {})
    assert list(kept(run)) == ["csv_rows/east-found/2", "csv_rows/east-lost/1", "csv_rows/west-kept/1"]


@pytest.mark.usefixtures("folders")
def test_of_a_large_folder_the_log_tells_progress_and_sums(
    tmp_path: Path, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "east").mkdir()
    for number in range(26):
        write(tmp_path / "east", f"{number},鍵,総務に届けます。", key=f"d{number:02}")
    run = desk("east", east={"location": str(tmp_path / "east")})
    assert (fetch(run), read(run)) == ({}, {})
    said = capsys.readouterr().err
    assert "25/26" in said
    assert "26 documents: 26 records, 26 read, 0 unchanged" in said
    assert "26 documents: none of its 26 records has an as-of date" in said
    assert "east-d07" not in said


@pytest.mark.usefixtures("folders")
def test_a_folder_without_documents_fails_by_name_and_loses_nothing(tmp_path: Path, desk: Desk) -> None:
    (tmp_path / "east").mkdir()
    write(tmp_path / "east", "1,鍵,総務に届けます。", key="lost")
    run = desk("east", east={"location": str(tmp_path / "east")})
    fetch(run), read(run)
    (tmp_path / "east" / "lost.csv").unlink()
    (failed,) = fetch(run).values()
    assert f"{tmp_path / 'east'}: there is no document in it" in failed
    assert list(kept(run)) == ["csv_rows/east-lost/1"]
