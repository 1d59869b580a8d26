"""`python -m rag_assets` as its users and their scripts meet it: options, exit codes, messages, files."""

import csv
import json
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.cli.main import main
from rag_assets.corpus.whole_documents import find_document_id
from rag_assets.evaluation.tables import SCORE_COLUMNS
from rag_assets.model import QualityRow
from rag_assets.settings.places import SAMPLE, SAMPLE_QUESTIONS
from rag_assets.sources.registry import SOURCES
from rag_assets_tests.command_line import REPOSITORY, SampleRun, command, environment, rag_assets, sample_run
from rag_assets_tests.http_server import Answer, serving
from rag_assets_tests.orchestration.assets.cloud import cloud_of
from rag_assets_tests.small_site import Run, SmallSite, folder_site

VARIANTS = ["as_is", "raw", "prepared_900", "prepared_400", "prepared_400_dict"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SampleRun:
    return sample_run(tmp_path_factory)


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with serving() as server:
        yield SmallSite(server)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and what stands on stderr."""
    code = main(["run", *arguments])
    return code, capsys.readouterr().err


# The sample, all of it.


def test_the_sample_runs_to_the_end_with_no_settings_at_all(sample: SampleRun) -> None:
    assert sample.code == 0, sample.err
    assert sample.err.rstrip().splitlines()[-1].startswith("Done after")
    assert "5/5 Evaluate" in sample.err


def test_the_run_ends_with_the_comparison_the_report_and_what_to_do_next(sample: SampleRun) -> None:
    for variant in VARIANTS:
        assert variant in sample.out
    assert "MRR" in sample.out
    assert f"Report: {sample.home / 'reports' / 'report.html'}\n" in sample.out
    assert "--tax-answer https://www.nta.go.jp --contact" in sample.out
    assert f" -m rag_assets ui --home {sample.home}\n" in sample.out


def test_a_withdrawn_article_is_told_by_number(sample: SampleRun) -> None:
    assert "withdrawn by the site: 5206" in sample.err


def test_the_sample_warns_of_nothing(sample: SampleRun) -> None:
    assert "Warning" not in sample.err


def test_retrieval_csv(sample: SampleRun) -> None:
    found = rows(sample.home / "reports/retrieval.csv")
    header = (
        "variant,mode,split,source,questions,chunks,mrr,hit_at_8,recall_at_5,recall_at_10,latency_p50_ms,latency_p95_ms"
    )
    assert list(found[0]) == header.split(",") == list(SCORE_COLUMNS)
    keys = [(row["variant"], row["mode"], row["split"], row["source"]) for row in found]
    assert len(keys) == len(set(keys))
    assert {variant for variant, *_ in keys} == set(VARIANTS)
    assert {mode for _, mode, *_ in keys} == {"bm25", "dense", "hybrid"}
    for row in found:
        for column in ("mrr", "hit_at_8", "recall_at_5", "recall_at_10"):
            assert row[column] == "" or 0 <= float(row[column]) <= 1


def test_retrieval_hits_csv(sample: SampleRun) -> None:
    found = rows(sample.home / "reports/retrieval_hits.csv")
    assert list(found[0]) == ["question", "variant", "mode", "rank", "record", "chunk"]
    assert {row["question"] for row in found} == {
        row["id"] for source in SOURCES for row in rows(SAMPLE_QUESTIONS / f"{source}.csv")
    }
    records = {record["record_id"] for record in sample_records(sample)}
    # A window of a whole document that holds no record's text goes by its document.
    assert {row["record"] for row in found} <= records | {find_document_id(str(record_id)) for record_id in records}
    assert {row["record"] for row in found if row["variant"] != "as_is"} <= records
    assert min(int(row["rank"]) for row in found) == 1


def test_corpus_quality_csv(sample: SampleRun) -> None:
    found = rows(sample.home / "reports/corpus_quality.csv")
    assert list(found[0])[:3] == ["variant", "source", "passages"]
    assert set(found[0]) == set(QualityRow.model_fields) - {"histogram", "examples"}
    assert {(row["variant"], row["source"]) for row in found} >= {(variant, "all") for variant in VARIANTS}


def test_the_report_shows_the_passages_that_the_quality_table_names(sample: SampleRun) -> None:
    page = (sample.home / "reports" / "report.html").read_text(encoding="utf-8")
    assert "本文は corpus/raw にあります" not in page
    assert "#w0002" in page


def test_report_html_asks_nobody_for_anything(sample: SampleRun) -> None:
    page = (sample.home / "reports/report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert 'src="http' not in page
    assert '<link rel="stylesheet"' not in page


def sample_records(sample: SampleRun) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted((sample.home / "records").glob("*/*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def test_records_are_a_line_each_with_their_full_text(sample: SampleRun) -> None:
    records = sample_records(sample)
    assert len({record["record_id"] for record in records}) == len(records)
    counts = Counter(record["source"] for record in records)
    assert counts["tax_answer"] == 33
    assert counts.keys() == set(SOURCES)
    for record in records:
        assert record["number"]
        assert record["title"]
        assert str(record["text"]).strip()
    assert any(record["number"] == "1236-1" for record in records)


def test_documents_are_in_the_bucket_as_they_are(sample: SampleRun) -> None:
    folder = sample.home / "corpus/as_is"
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    files = {name for name in names if not name.endswith(".metadata.json")}
    assert names == files | {f"{name}.metadata.json" for name in files}
    records = {str(record["record_id"]): record for record in sample_records(sample)}
    assert {name.rpartition(".")[0] for name in files} == set(map(find_document_id, records))
    assert {path.suffix for path in map(Path, files)} == {".html", ".pdf", ".txt", ".csv", ".md", ".docx"}
    assert (folder / "invoice_qa/sample.pdf").read_bytes() == (SAMPLE / "documents/invoice_qa.pdf").read_bytes()
    for name in files:
        attributes = json.loads((folder / f"{name}.metadata.json").read_text())["metadataAttributes"]
        assert (attributes["variant"], attributes["chunk_id"]) == ("as_is", name.rpartition(".")[0])
        assert find_document_id(attributes.get("record_id", attributes["chunk_id"])) == attributes["chunk_id"]


@pytest.mark.parametrize("variant", [variant for variant in VARIANTS if variant != "as_is"])
def test_a_corpus_is_texts_with_sidecars(sample: SampleRun, variant: str) -> None:
    folder = sample.home / "corpus" / variant
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    texts = {name for name in names if name.endswith(".txt")}
    assert names == texts | {f"{name}.metadata.json" for name in texts}
    assert all(name.isascii() for name in names)
    records = {str(record["record_id"]): record for record in sample_records(sample)}
    seen = set()
    for name in texts:
        attributes = json.loads((folder / f"{name}.metadata.json").read_text())["metadataAttributes"]
        record = records[attributes["record_id"]]
        seen.add(attributes["record_id"])
        assert name == f"{attributes['chunk_id']}.txt"
        assert {key: attributes[key] for key in ("source", "number", "title")} == {
            key: record[key] for key in ("source", "number", "title")
        }
        as_of = record["as_of"]
        date = as_of["date"] if isinstance(as_of, dict) else None
        assert attributes.get("as_of") == (int(date.replace("-", "")) if date else None)
        assert ("url" in attributes) == bool(record["url"])
        assert (folder / name).stat().st_size
    assert seen == set(records)
    if variant == "raw":
        assert len(texts) == len(records)


def test_a_second_run_changes_nothing_but_times(sample: SampleRun, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(sample.home, home)

    def written(*folders: str) -> dict[Path, int]:
        return {
            path: path.stat().st_mtime_ns for name in folders for path in (home / name).rglob("*") if path.is_file()
        }

    before = written("corpus", "records", "chunks", "quality")
    reports = {path.name: path.read_text() for path in (sample.home / "reports").iterdir()}
    ended = rag_assets("run", "--home", home)
    assert ended.returncode == 0, ended.stderr
    assert written("corpus", "records", "chunks", "quality") == before
    for name in ("retrieval_hits.csv", "corpus_quality.csv", "comparisons.csv"):
        assert (home / "reports" / name).read_text() == reports[name]

    def without_times(path: Path) -> list[dict[str, str]]:
        return [{key: cell for key, cell in row.items() if not key.startswith("latency")} for row in rows(path)]

    assert without_times(home / "reports/retrieval.csv") == without_times(sample.home / "reports/retrieval.csv")


# Other sites, other settings.


def test_a_folder_without_questions_is_prepared_and_searching_is_told_to_be_left_out(tmp_path: Path) -> None:
    site = folder_site(tmp_path / "site", "2502", "2594")
    home = tmp_path / "deep" / ("a" * 80) / "[home]"
    ended = rag_assets(
        *("run", "--tax-answer", site, "--home", home, "--variants", "raw,prepared_400", "--dictionaries", tmp_path)
    )
    assert ended.returncode == 0, ended.stderr
    assert "No question set: nothing was searched" in ended.stdout
    assert f"Report: {home / 'reports' / 'report.html'}\n" in ended.stdout
    assert sorted(path.name for path in (home / "corpus").iterdir()) == ["prepared_400", "raw"]


def test_an_article_that_fails_makes_the_exit_code_1_and_is_told_at_the_end(site: SmallSite, tmp_path: Path) -> None:
    site.publish("2502")
    site.answer("2594", Answer(status=404, body=b"nothing here"))
    ended = rag_assets(
        *("run", "--tax-answer", site.server.url, "--home", tmp_path / "home", "--variants", "raw"),
        RAG_ASSETS_REQUEST_INTERVAL="0",
    )
    assert ended.returncode == 1
    end = ended.stderr[ended.stderr.index("Fetch sources: tax_answer_pages failed") :]
    assert "No.2594" in end
    assert f"{site.server.url}/taxes/shiraberu/taxanswer/gensen/2594.htm" in end
    assert end.rstrip().splitlines()[-1].startswith("Not complete after")
    assert (tmp_path / "home/corpus/raw/tax_answer/2502.txt").exists()
    assert (tmp_path / "home/reports/report.html").exists()


def test_a_sync_that_fails_makes_the_exit_code_1_and_is_told_at_the_end_after_the_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    # The chain points Dagster at the home folder; the variable is put back when the test ends.
    monkeypatch.setenv("DAGSTER_HOME", "")
    with cloud_of(tmp_path, monkeypatch) as cloud:
        cloud.faults.fail_file("raw/tax_answer/2594.txt")
        for name, value in cloud.variables().items():
            monkeypatch.setenv(name, value)
        code = main(
            [
                *("run", "--tax-answer", cloud.site.server.url, "--home", str(cloud.home)),
                *("--variants", "raw,prepared_400", "--request-interval", "0", "--dictionaries", str(tmp_path)),
            ]
        )
        out, err = capfd.readouterr()
        assert code == 1
        assert "5/7 Ingest" in err
        assert f"Report: {cloud.home / 'reports' / 'report.html'}\n" in out
        end = err[err.index("Ingest: knowledge_base_ingestion failed") :]
        assert "raw: " in end
        assert "2594.txt" in end
        assert "What to do:" in end
        assert end.rstrip().splitlines()[-1].startswith("Not complete after")
        assert cloud.is_synced("prepared_400")


@pytest.mark.parametrize("etags", [True, False])
def test_a_run_killed_while_fetching_goes_on_and_fetches_nothing_twice(
    site: SmallSite, tmp_path: Path, etags: bool
) -> None:
    numbers = {"shotoku": range(1000, 1010), "gensen": range(2500, 2510), "hojin": range(5200, 5210)}
    for category, some in numbers.items():
        for number in some:
            site.publish(str(number), category=category, **({"ETag": f'"{number}"'} if etags else {}))
    home = tmp_path / "home"
    options = ("run", "--tax-answer", site.server.url, "--home", home, "--variants", "raw")
    running = subprocess.Popen(
        command(*options, "--request-interval", "0.05"),
        cwd=REPOSITORY,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while len(site.fetched()) < 15 and time.monotonic() < until:
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = site.fetched()
    assert 15 <= len(before) < 30

    ended = rag_assets(*options, "--request-interval", "0")
    assert ended.returncode == 0, ended.stderr
    counts = {number: site.fetched().count(number) for number in site.articles}
    # The page that was under way when the process ended may have been sent and not been kept.
    assert {number for number, count in counts.items() if count != 1} <= {before[-1]}
    assert len(Run(site.server.url, home).kept()) == 30
    assert not list(home.rglob(".*.writing"))


# What can be set wrong.


def test_help_explains_the_options_and_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for option in ("--home", "--tax-answer", "--questions", "--dictionaries", "--variants", "--contact"):
        assert option in text
    for option in ("--sync", "--allow-deletions", "--search-in", "--embedder"):
        assert option in text
    assert "Exit code 0 only if everything asked for was made" in text
    assert "RAG_ASSETS_HOME" in text


def test_the_help_of_the_whole_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert "run" in text
    assert "ui" in text


@pytest.mark.parametrize("arguments", [[], ["walk"], ["run", "--no-such-option"], ["run", "--sync", "maybe"]])
def test_a_command_that_does_not_exist_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--variants", "raw,other"], ["variants", "other", "prepared_400_dict"]),
        (["--tax-answer", "/no/such/folder"], ["tax_answer", "/no/such/folder"]),
        (["--tax-answer", "https://www.example.jp"], ["contact"]),
        (["--questions", "none.csv"], ["questions", "none.csv"]),
        (["--dictionaries", "nowhere"], ["dictionaries", "nowhere"]),
        (["--bm25-weight", "2"], ["bm25_weight", "2"]),
        (["--request-interval", "often"], ["request_interval", "often"]),
        (["--contact", "連絡先"], ["contact", "ASCII"]),
        (["--tax-answer", "http://127.0.0.1:9/?a=1"], ["tax_answer", "base URL"]),
        (["--questions", "/"], ["questions", "no file"]),
        (["--embedder", "word2vec"], ["embedder", "'word2vec'", "titan-v2", "cohere-multilingual-v3"]),
        (["--search-in", "knowledge_base"], ["search_in", "raw", "target.raw", "knowledge_base_id"]),
    ],
)
def test_a_wrong_setting_is_exit_code_2_and_named(
    arguments: list[str], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, err = told(capsys, "--home", str(tmp_path / "home"), *arguments)
    assert code == 2
    for word in words:
        assert word in err
    assert "Traceback" not in err
    assert not (tmp_path / "home").exists()


def test_faults_of_a_question_set_are_told_before_anything_is_fetched(
    site: SmallSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "questions.csv"
    questions.write_text("id,question,gold,split\nq1,いつ？,1,never\nq1,どこ？,,tune\n")
    arguments = ["--tax-answer", site.server.url, "--questions", str(questions), "--home", str(tmp_path / "home")]
    code, err = told(capsys, *arguments)
    assert code == 2
    assert f"{questions}:2: unknown split" in err
    assert f"{questions}:3:" in err
    assert site.fetched() == []


def test_a_home_that_is_a_file_is_exit_code_2_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "home").write_text("mine")
    for home in (tmp_path / "home", tmp_path / "home" / "below"):
        code, err = told(capsys, "--home", str(home))
        assert code == 2
        assert f"setting home: {home}" in err
    assert (tmp_path / "home").read_text() == "mine"


def test_an_interrupted_run_says_how_it_goes_on(site: SmallSite, tmp_path: Path) -> None:
    for number in range(1000, 1020):
        site.publish(str(number), category="shotoku")
    running = subprocess.Popen(
        command("run", "--tax-answer", site.server.url, "--home", tmp_path / "home", "--request-interval", "0.5"),
        cwd=REPOSITORY,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while len(site.fetched()) < 2 and time.monotonic() < until:
        time.sleep(0.005)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "Interrupted" in err
    assert "run the same command again" in err
    assert "Traceback" not in err


def test_the_ui_is_not_started_where_its_port_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = rag_assets("ui", "--home", tmp_path / "home", "--port", str(port))
    assert done.returncode == 2
    assert f"port {port} cannot be used (Address already in use)" in done.stderr
    assert "--port" in done.stderr
