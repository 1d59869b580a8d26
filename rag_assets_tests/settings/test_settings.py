import json
import os
import re
import shlex
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from rag_assets.cli.main import main
from rag_assets.cli.parser import make_parser
from rag_assets.corpus.variants import VARIANTS
from rag_assets.orchestration.resources import Evaluation, resources_of
from rag_assets.retrieval.search_settings import SearchSettings
from rag_assets.s3.locations import Target
from rag_assets.settings import Settings, SettingsError, load_settings
from rag_assets.settings.file import ENVIRONMENT_PREFIX, find_settings_file
from rag_assets.settings.places import LIVE_SITE, SAMPLE_DICTIONARIES, SAMPLE_DOCUMENT, SAMPLE_QUESTIONS, SAMPLE_SITE
from rag_assets.settings.table import SETTINGS
from rag_assets.sources.registry import BY_NAME, SOURCES
from rag_assets.sources.tax_answer.source import DOCUMENT
from rag_assets_tests.test_infrastructure import TEMPLATE, Rendering, _Loader


@pytest.fixture(autouse=True)
def nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of this machine, and a working directory of the test's own."""
    for variable in [name for name in os.environ if name.upper().startswith(ENVIRONMENT_PREFIX)]:
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)


def _file(text: str, name: str = "rag_assets.toml") -> Path:
    Path(name).write_text(text, encoding="utf-8")
    return Path(name)


def _refused(**options: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(**options)
    return str(caught.value)


def test_without_anything_the_sample_is_prepared_in_every_way() -> None:
    found = load_settings()
    assert (found.home, found.is_sample, found.sources()) == (Path("data"), True, tuple(SOURCES))
    assert (found.site_location(), found.site_document(), found.site_links()) == (str(SAMPLE_SITE), SAMPLE_DOCUMENT, "")
    assert found.question_files() == tuple(SAMPLE_QUESTIONS / f"{source}.csv" for source in SOURCES)
    assert found.dictionary_folder() == SAMPLE_DICTIONARIES
    assert found.chosen_variants() == VARIANTS
    assert all(path.is_file() for path in found.question_files())


def test_default_weights_are_those_of_the_search() -> None:
    search, found = SearchSettings(), load_settings()
    assert (found.fusion, found.bm25_weight) == (search.fusion, search.bm25_weight)
    assert found.rrf_constant == search.rrf_constant


def test_option_before_environment_before_file_before_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().rrf_constant == 3
    _file("rrf_constant = 10\nbm25_weight = 0.1\nrequest_interval = 2")
    assert load_settings().rrf_constant == 10
    monkeypatch.setenv("RAG_ASSETS_RRF_CONSTANT", "20")
    monkeypatch.setenv("rag_assets_bm25_weight", "0.2")
    assert load_settings().rrf_constant == 20
    found = load_settings(rrf_constant="30", bm25_weight=None)
    assert (found.rrf_constant, found.bm25_weight, found.request_interval) == (30, 0.2, 2)


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("RAG_ASSETS_HOME", "RAG_ASSETS_BM25_WEIGHT", "RAG_ASSETS_SETTINGS_FILE"):
        monkeypatch.setenv(variable, "")
    _file('home = "from_file"')
    assert load_settings().home == Path("from_file")


def test_another_settings_file(monkeypatch: pytest.MonkeyPatch) -> None:
    _file('home = "here"')
    monkeypatch.setenv("RAG_ASSETS_SETTINGS_FILE", str(_file('home = "there"', "other.toml")))
    assert load_settings().home == Path("there")
    assert find_settings_file() == Path("other.toml")
    monkeypatch.setenv("RAG_ASSETS_SETTINGS_FILE", "absent.toml")
    assert _refused() == "RAG_ASSETS_SETTINGS_FILE: the settings file absent.toml does not exist"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hoem = 'x'", "setting hoem: there is no such setting; did you mean home? (in rag_assets.toml)"),
        ("home = ", "settings file rag_assets.toml: Invalid value"),
        ("[variant.own]\nlimmit = 500", "setting variant.own.limmit: there is no such setting (in rag_assets.toml)"),
        ("[variant.own]\nlimit = 49", "setting variant.own.limit: Input should be greater than or equal to 50"),
        ("[variant.own]\nheader = 'none'", "setting variant.own.header: Input should be 'full' or 'title'"),
        ("[variant.Own-1]\nlimit = 500", "setting variant.Own-1: String should match pattern"),
        ("[variant.raw]\nlimit = 500", "setting variant.raw: there is a variant of this name already"),
        ("[variants.own]\nlimit = 500", "setting variants: Input should be a valid tuple"),
        ("variants = 'raw, other'", "setting variants: other unknown; known are as_is, raw, prepared_900"),
        ("rrf_constant = inf", "setting rrf_constant: Input should be a finite number"),
    ],
)
def test_a_wrong_settings_file_is_told_by_the_setting(text: str, said: str) -> None:
    _file(text)
    assert _refused().startswith(said)


def test_a_settings_file_that_is_no_utf_8_is_told() -> None:
    Path("rag_assets.toml").write_bytes("home = '出力'".encode("cp932"))
    assert _refused().startswith("settings file rag_assets.toml: ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"bm25_weight": "1.5"}, "setting bm25_weight: Input should be less than or equal to 1, got '1.5'"),
        ({"bm25_weight": "nan"}, "setting bm25_weight: Input should be a finite number"),
        ({"rrf_constant": "0"}, "setting rrf_constant: Input should be greater than 0"),
        ({"request_interval": "-1"}, "setting request_interval: Input should be greater"),
        ({"request_interval": "soon"}, "setting request_interval: Input should be a valid number"),
        ({"dictionary_problems": "ask"}, "setting dictionary_problems: Input should be 'warn' or 'stop', got 'ask'"),
        ({"dictionaries": "nowhere"}, "setting dictionaries: nowhere is no folder"),
        ({"questions": [Path("a.csv")]}, "setting questions: a.csv does not exist"),
        ({"variants": "raw,typo"}, "setting variants: typo unknown; known are as_is, raw, prepared_900, prepared_400"),
        ({"tax_answer": "nowhere"}, "setting tax_answer: 'nowhere' is neither 'sample', nor an existing folder"),
        ({"tax_answer": "."}, "setting tax_answer: '.' has no folder 'taxes'"),
        ({"tax_answer": "ftp://example.org"}, "setting tax_answer: 'ftp://example.org' is no base URL"),
        ({"tax_answer": "https://"}, "setting tax_answer: 'https://' is no base URL"),
        ({"refresh_cron": "daily"}, "setting refresh_cron: 'daily' is no cron expression"),
        ({"refresh_cron": "61 5 * * *"}, "setting refresh_cron: '61 5 * * *' is no cron expression"),
    ],
)
def test_a_wrong_value_is_told_by_the_setting(options: dict[str, Any], said: str) -> None:
    assert _refused(**options).startswith(said)


def test_where_a_wrong_value_may_come_from_is_told() -> None:
    assert _refused(bm25_weight="x").endswith(
        "(--bm25-weight, RAG_ASSETS_BM25_WEIGHT, or bm25_weight in rag_assets.toml)"
    )
    _file("[variant.own]\nlimit = 1")
    assert _refused().endswith("(RAG_ASSETS_VARIANT, or variant in rag_assets.toml)")


def test_every_fault_is_told_in_a_line_of_its_own() -> None:
    Path("file").touch()
    said = _refused(home="file", tax_answer="nowhere", questions=["a.csv", "b.csv"], variants="x", dictionaries="y")
    assert [line.split(":")[0] for line in said.splitlines()] == [
        "setting home",
        "setting tax_answer",
        "setting questions",
        "setting questions",
        "setting dictionaries",
        "setting variants",
    ]
    two = _refused(bm25_weight="x", rrf_constant="y").splitlines()
    assert [line.split(":")[0] for line in two] == ["setting bm25_weight", "setting rrf_constant"]


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("RAG_ASSETS_HOEM", "did you mean RAG_ASSETS_HOME?"),
        ("RAG_ASSETS_BM25WEIGHT", "did you mean RAG_ASSETS_BM25_WEIGHT?"),
        ("rag_assets_setings_file", "did you mean RAG_ASSETS_SETTINGS_FILE?"),
        ("RAG_ASSETS_BUCKET", "known are RAG_ASSETS_HOME, "),
    ],
)
def test_a_misspelt_variable_is_told(monkeypatch: pytest.MonkeyPatch, variable: str, hint: str) -> None:
    monkeypatch.setenv(variable, "x")
    said = _refused()
    assert said.startswith(f"environment variable {variable}: there is no such setting; ")
    assert hint in said


@pytest.mark.parametrize("given", ["raw,prepared_400", " prepared_400 , raw ,", ["raw", "prepared_400"]])
def test_lists_by_comma_in_the_order_of_the_table(monkeypatch: pytest.MonkeyPatch, given: str | Sequence[str]) -> None:
    assert [variant.name for variant in load_settings(variants=given).chosen_variants()] == ["raw", "prepared_400"]
    if isinstance(given, str):
        monkeypatch.setenv("RAG_ASSETS_VARIANTS", given)
        assert [variant.name for variant in load_settings().chosen_variants()] == ["raw", "prepared_400"]


def test_question_sets_from_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.csv", "b.csv"):
        Path(name).touch()
    both = (Path("a.csv"), Path("b.csv"))
    assert load_settings(questions=list(both)).question_files() == both
    _file('questions = ["a.csv", "b.csv"]')
    assert load_settings().question_files() == both
    monkeypatch.setenv("RAG_ASSETS_QUESTIONS", "b.csv, a.csv")
    assert load_settings().question_files() == both[::-1]


def test_ways_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    _file('[variant.own]\nlimit = 600\ndictionary = true\n\n[variant.whole]\nheader = "title"')
    found = load_settings(variants="own,raw")
    assert [variant.name for variant in load_settings().chosen_variants()] == [
        *(variant.name for variant in VARIANTS),
        "own",
        "whole",
    ]
    raw, own = found.chosen_variants()
    assert (own.name, own.limit, own.header, own.dictionary, own.chunking) == ("own", 600, "full", True, "NONE")
    assert load_settings().known_variants()["whole"].chunking == raw.chunking == "FIXED_SIZE"
    monkeypatch.setenv("RAG_ASSETS_VARIANT", '{"theirs": {"limit": 700}}')
    assert load_settings(variants="theirs").chosen_variants()[0].limit == 700
    monkeypatch.setenv("RAG_ASSETS_VARIANT", "{theirs")
    assert _refused().startswith('environment: error parsing value for field "variant"')
    assert "it has to be JSON" in _refused()


@pytest.mark.parametrize(
    "url", ["https://www.nta.go.jp", "http://127.example.org", "http://localhost.example.org", "http://10.0.0.1"]
)
def test_a_live_site_has_to_be_told_who_asks(url: str) -> None:
    assert _refused(tax_answer=url).startswith("setting contact: a live site has to be told who is asking")
    assert _refused(tax_answer=url, contact="  ").startswith("setting contact: ")
    found = load_settings(tax_answer=url, contact="me@example.org")
    assert (found.site_location(), found.site_links(), found.site_document()) == (url, url, DOCUMENT)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000", "http://localhost:8000/", "http://[::1]:8000", "HTTP://127.9.9.9"]
)
def test_a_site_on_this_machine_need_not(url: str) -> None:
    assert load_settings(tax_answer=url).site_location() == url


def test_a_folder_is_the_real_site(tmp_path: Path) -> None:
    Path("copy/taxes").mkdir(parents=True)
    found = load_settings(tax_answer="copy")
    assert (found.sources(), found.is_sample) == (("tax_answer",), False)
    assert (found.site_location(), found.site_links(), found.site_document()) == ("copy", LIVE_SITE, DOCUMENT)
    assert found.question_files() == ()
    assert found.dictionary_folder().name == "dictionaries"
    named = load_settings(tax_answer=str(tmp_path / "copy"), tax_answer_document="写し", tax_answer_links="http://x.y")
    assert (named.site_document(), named.site_links()) == ("写し", "http://x.y")


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    Path("site/taxes").mkdir(parents=True)
    Path("q.csv").touch()
    _file('home = "~/out"\ntax_answer = "~/site"\nquestions = "~/q.csv"\ndictionaries = "~/site"')
    found = load_settings()
    assert (found.home, found.tax_answer) == (tmp_path / "out", str(tmp_path / "site"))
    assert (found.questions, found.dictionaries) == ((tmp_path / "q.csv",), tmp_path / "site")


def test_the_order_of_a_knowledge_base_may_be_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    def verified() -> bool:
        evaluation = resources_of(load_settings())["evaluation"]
        assert isinstance(evaluation, Evaluation)
        return evaluation.verify_order

    assert verified()
    _file("verify_order = false\n")
    assert not verified()
    monkeypatch.setenv("RAG_ASSETS_VERIFY_ORDER", "true")
    assert verified()


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().home = Path("other")  # type: ignore[misc]


def test_settings_of_a_place_have_no_option_and_those_of_a_run_have_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    helped = capsys.readouterr().out
    without = {setting.name for setting in SETTINGS.values() if f"{setting.option_name} " not in helped}
    assert without == {
        *("tax_answer_document", "tax_answer_links", "document", "variant", "refresh_cron", "kept_query_parameters"),
        *("target", "aws_region", "aws_profile", "s3_endpoint", "bedrock_endpoint", "most_deleted_share"),
        *("direct_ingestion_up_to", "search_type", "semantic_order", "verify_order", "once_a_record", "tuning"),
    }
    assert list(SETTINGS) == list(Settings.model_fields)
    assert all(setting.description for setting in SETTINGS.values())


def test_the_command_ends_with_2_and_names_the_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--variants", "typo"]) == 2
    assert capsys.readouterr().err.startswith("setting variants: typo unknown")


def _documents(found: Settings) -> dict[str, list[tuple[str, str]]]:
    return {
        source: [(document.key, document.location) for document in documents]
        for source, documents in found.chosen_documents().items()
    }


def test_a_source_that_is_named_leaves_the_others_out() -> None:
    Path("qa.pdf").write_bytes(b"%PDF-")
    Path("more.pdf").write_bytes(b"%PDF-")
    found = load_settings(invoice_qa=["qa.pdf", "more.pdf"])
    assert found.sources() == ("invoice_qa",)
    assert _documents(found) == {"invoice_qa": [("qa", "qa.pdf"), ("more", "more.pdf")]}
    assert (found.is_sample, found.question_files(), found.site_location()) == (False, (), "")
    assert found.dictionary_folder().name == "dictionaries"


def test_the_samples_of_some_sources_can_be_asked_for() -> None:
    found = load_settings(law=["sample"], tax_answer="sample")
    assert (found.sources(), found.is_sample) == (("tax_answer", "law"), True)
    assert [path.name for path in found.question_files()] == ["tax_answer.csv", "law.csv"]
    Path("own.csv").write_text("a\n1\n")
    assert not load_settings(law=["sample"], csv_rows=["own.csv"]).is_sample


def test_a_document_has_its_finer_settings_in_a_table() -> None:
    Path("desk.csv").write_text("番号,本文\n1,文\n", encoding="utf-8")
    Path("other.csv").write_text("番号,本文\n1,文\n", encoding="utf-8")
    _file('[document.desk]\nsource = "csv_rows"\nlocation = "desk.csv"\nid = "番号"\ntext = ["本文"]\n')
    (desk,) = load_settings().chosen_documents()["csv_rows"]
    assert (desk.key, desk.location, desk.model_dump()["id"]) == ("desk", "desk.csv", ("番号",))
    for named in ("desk", "desk.csv", str(Path("desk.csv").absolute())):
        assert load_settings(csv_rows=[named]).chosen_documents() == {"csv_rows": (desk,)}
    assert _documents(load_settings(csv_rows=["other.csv"])) == {"csv_rows": [("other", "other.csv")]}


def test_what_the_command_line_names_leaves_out_the_other_sources_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("desk.csv", "a.xml", "b.xml"):
        Path(name).write_text("番号,本文\n1,文\n", encoding="utf-8")
    table = '[document.{key}]\nsource = "{source}"\nlocation = "{location}"\n'
    _file(
        'tax_answer = "sample"\n'
        + table.format(key="desk", source="csv_rows", location="desk.csv")
        + table.format(key="one", source="law", location="a.xml")
    )
    assert load_settings().sources() == ("tax_answer", "law", "csv_rows")
    assert _documents(load_settings(law=["b.xml"])) == {"law": [("b", "b.xml")]}
    assert _documents(load_settings(law=["one"])) == {"law": [("one", "a.xml")]}
    assert load_settings(law=["one"]).sources() == ("law",)
    assert load_settings(tax_answer="sample").sources() == ("tax_answer",)
    monkeypatch.setenv("RAG_ASSETS_CSV_ROWS", "desk")
    assert load_settings().sources() == ("csv_rows",)


def test_the_environment_names_documents_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.xml", "b.xml"):
        Path(name).write_text("<Law/>")
    monkeypatch.setenv("RAG_ASSETS_LAW", "a.xml, b.xml")
    assert _documents(load_settings()) == {"law": [("a", "a.xml"), ("b", "b.xml")]}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            'source = "csv"\nlocation = "x"',
            "document: desk: source has to be one of invoice_qa, work_rules, law, csv_rows",
        ),
        ('source = "law"', "document: desk: location: Field required"),
        ('source = "law"\nlocation = "a.xml"\nid = "x"', "document: desk: id: there is no such setting"),
        ('source = "law"\nlocation = "gone.xml"', "gone.xml does not exist; name a law as e-Gov standard XML"),
        ('source = ["law"]', "document: desk: source has to be one of"),
        ('source = "csv_rows"\nlocation = "a.csv"\ntext = "本文"\ndelimiter = [","]', "document: desk: delimiter"),
        ('source = "csv_rows"\nlocation = "a.csv"\ntext = "本文"\nmetadata = [[1]]', "document: desk: metadata"),
        ('source = "law"\nlocation = "gone.xml"\nkey = "x"', "document: desk: key: the table's name is the key"),
    ],
)
def test_a_table_that_is_wrong_is_told_by_name(table: str, said: str) -> None:
    _file(f"[document.desk]\n{table}\n")
    assert said in _refused()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[document]\nx = 5\n", "document: x: it has to be a table, [document.x]"),
        ('document = "x"\n', "document: "),
        ('[[document.x]]\nsource = "law"\n', "document: x: it has to be a table, [document.x]"),
    ],
)
def test_what_is_no_table_is_told(text: str, said: str) -> None:
    _file(text)
    assert said in _refused()


def test_documents_on_a_live_site_want_a_contact() -> None:
    assert "contact" in _refused(law=["322AC0000000049"])
    assert "contact" in _refused(invoice_qa=["https://example.jp/qa.pdf"])
    found = load_settings(law=["322AC0000000049"], contact="me@example.org")
    assert _documents(found) == {"law": [("322ac0000000049", "322AC0000000049")]}


def test_a_folder_is_a_location_where_a_source_takes_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("notes").mkdir()
    assert "notes is no file; name a law" in _refused(law=["notes"])
    monkeypatch.setitem(BY_NAME, "law", replace(BY_NAME["law"], takes_folders=True))
    assert _documents(load_settings(law=["notes"])) == {"law": [("notes", "notes")]}
    assert "gone does not exist" in _refused(law=["gone"])


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_has_its_option_variable_and_setting(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are made from the registry: nobody writes them by hand."""
    setting = SETTINGS[source]
    assert SOURCES[source].names_in_words[1:] in setting.description
    options = vars(make_parser().parse_args(["run", setting.option_name, "sample"]))
    del options["command"]
    assert load_settings(**options).sources() == (source,)
    monkeypatch.setenv(setting.variable, "sample")
    assert load_settings().sources() == (source,)


def test_two_documents_with_one_key_are_told() -> None:
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "rules.pdf").write_bytes(b"%PDF-")
    assert "two documents would have the key 'rules'" in _refused(work_rules=["one/rules.pdf", "two/rules.pdf"])


def test_the_settings_as_options_of_a_command_line() -> None:
    assert load_settings().as_options() == ""
    Path("a b.xml").write_text("<Law/>")
    given = {"law": ["a b.xml", "sample"], "variants": "raw,prepared_400", "bm25_weight": "0.5"}
    assert shlex.split(load_settings(**given, home="out").as_options()) == [
        *("--home", "out", "--law", "a b.xml", "--law", "sample"),
        *("--variants", "raw,prepared_400", "--bm25-weight", "0.5"),
    ]


# AWS.

IDS = 'knowledge_base_id = "KB12345678"\ndata_source_id = "DS12345678"\n'
RAW_TARGET = f'[target.raw]\nbucket = "a-bucket"\nprefix = "raw/"\n{IDS}'


def test_without_targets_nothing_of_aws_is_set() -> None:
    found = load_settings()
    assert (found.target, found.sync, found.search_in, found.embedder) == ({}, "on", "index", "use")
    assert (found.allow_deletions, found.most_deleted_share, found.direct_ingestion_up_to) == (False, 0.3, 0)
    assert (found.aws_region, found.aws_profile, found.s3_endpoint, found.bedrock_endpoint) == ("", "", "", "")


def test_a_target_is_a_table_of_the_settings_file() -> None:
    _file(RAW_TARGET + '[variant.own]\nlimit = 600\n[target.own]\nbucket = "a-bucket"\nprefix = "own/"\n')
    found = load_settings()
    assert (found.target["raw"].uri, found.target["raw"].knowledge_base_id) == ("s3://a-bucket/raw/", "KB12345678")
    assert found.target["own"].data_source_id == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[target.row]\nbucket = "a-bucket"',
            "setting target.row: there is no such variant; known are as_is, raw, prepared_900",
        ),
        (
            RAW_TARGET.replace("KB12345678", ""),
            "setting target.raw: knowledge_base_id and data_source_id belong together",
        ),
        (
            RAW_TARGET.replace("DS12345678", ""),
            "setting target.raw: knowledge_base_id and data_source_id belong together",
        ),
        (RAW_TARGET.replace("KB12345678", "KB1"), "setting target.raw.knowledge_base_id: String should match pattern"),
        (RAW_TARGET.replace("a-bucket", "s3://a-bucket"), "setting target.raw.bucket: 's3://a-bucket' cannot be"),
        (RAW_TARGET.replace('"raw/"', '"raw"'), "setting target.raw.prefix: 'raw' is no prefix"),
        (RAW_TARGET.replace("bucket =", "buckett ="), "setting target.raw."),
        ("[target]\nraw = 5", "setting target.raw: "),
        ('sync = "maybe"', "setting sync: Input should be 'on', 'dry-run' or 'off'"),
        ("most_deleted_share = 30", "setting most_deleted_share: Input should be less than or equal to 1"),
        ("direct_ingestion_up_to = -1", "setting direct_ingestion_up_to: Input should be greater than or equal to 0"),
        ('search_type = "WORDS"', "setting search_type: Input should be 'HYBRID', 'SEMANTIC' or 'BOTH'"),
    ],
)
def test_a_wrong_setting_of_aws_is_told_by_name(text: str, said: str) -> None:
    _file(text)
    assert _refused().startswith(said)


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ("kb/", "kb/", True),
        ("", "kb/", True),
        ("kb/", "kb/raw/", True),
        ("raw/", "raw2/", False),
        ("kb/raw/", "kb/prepared/", False),
    ],
)
def test_two_variants_do_not_lie_in_one_place(one: str, other: str, overlap: bool) -> None:
    table = '[target.{}]\nbucket = "a-bucket"\nprefix = "{}"\n'
    _file(table.format("raw", one) + table.format("prepared_400", other))
    if overlap:
        assert _refused().startswith("setting target.raw and target.prepared_400 lie in one place (s3://a-bucket/")
    else:
        assert len(load_settings().target) == 2
    _file((table.format("raw", one) + table.format("prepared_400", other)).replace("a-bucket", "another", 1))
    assert len(load_settings().target) == 2


def test_two_variants_with_one_data_source_are_refused() -> None:
    _file(
        "".join(
            f"""
        [target.{name}]
        bucket = "a-bucket"
        prefix = "{name}/"
        knowledge_base_id = "AAAAAAAAAA"
        data_source_id = "BBBBBBBBBB"
        """
            for name in ("raw", "prepared_900")
        )
    )
    assert _refused().startswith("setting target.raw and target.prepared_900 have one data source (BBBBBBBBBB)")


def test_a_sync_that_is_asked_for_needs_a_place() -> None:
    """Asked for in so many words, it must not be left out without one."""
    for asked in ("on", "dry-run"):
        with pytest.raises(SettingsError, match=rf"setting sync: it is set to {asked}, but no variant has a place"):
            load_settings(sync=asked)
    assert load_settings(sync="off").sync == "off"
    assert load_settings().sync == "on"


def test_a_search_type_may_be_written_small() -> None:
    _file('search_type = "semantic"')
    assert load_settings().search_type == "SEMANTIC"


def test_a_table_in_the_environment_takes_the_place_of_that_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not half of each: a bucket of the one with the Knowledge Base of the other."""
    _file("""
        [target.raw]
        bucket = "in-the-file"
        prefix = "raw/"
        knowledge_base_id = "AAAAAAAAAA"
        data_source_id = "BBBBBBBBBB"
        [target.prepared_900]
        bucket = "in-the-file"
        prefix = "prepared_900/"
    """)
    monkeypatch.setenv("RAG_ASSETS_TARGET", '{"raw": {"bucket": "in-the-environment"}}')
    assert load_settings().target == {"raw": Target(bucket="in-the-environment")}
    monkeypatch.setenv("RAG_ASSETS_TARGET", '{"raw": {"buckets": "a"}}')
    assert "there is no such setting (in RAG_ASSETS_TARGET)" in _refused()


@pytest.mark.parametrize("chosen", [{}, {"Prepared900": "no", "Prepared400Dict": "no"}])
def test_the_output_of_the_template_is_the_environment_variable(
    monkeypatch: pytest.MonkeyPatch, chosen: dict[str, str]
) -> None:
    output = Rendering(yaml.load(TEMPLATE.read_text(), _Loader), **chosen).output("RagAssetsTargets")

    def made(found: re.Match[str]) -> str:
        name = found[1].replace(".", "")
        return "a-bucket-1x2y3z" if name == "CorpusBucket" else sha256(name.encode()).hexdigest()[:10].upper()

    monkeypatch.setenv("RAG_ASSETS_TARGET", re.sub(r"<([\w.]+)>", made, output))
    found = load_settings().target
    told = json.loads(output)
    assert found.keys() == told.keys()
    assert {name: target.prefix for name, target in found.items()} == {
        name: target["prefix"] for name, target in told.items()
    }
    assert all(target.knowledge_base_id and target.data_source_id for target in found.values())


def test_a_variable_that_is_no_json_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_ASSETS_TARGET", "{raw")
    assert _refused().startswith('environment: error parsing value for field "target"')


def test_a_knowledge_base_is_searched_only_where_each_variant_has_one() -> None:
    _file(RAW_TARGET + '[target.prepared_400]\nbucket = "a-bucket"\nprefix = "p/"\n')
    told = _refused(search_in="knowledge_base", variants="raw,prepared_900,prepared_400").splitlines()
    assert [line.partition(" has ")[0] for line in told] == [
        "setting search_in: prepared_900",
        "setting search_in: prepared_400",
    ]
    assert all("set target." in line and "--variants" in line for line in told)
    assert load_settings(search_in="knowledge_base", variants="raw").search_in == "knowledge_base"


@pytest.mark.parametrize(
    "name", ["use", "titan-v2", "titan-v2:256", "titan-v2:512:unnormalized", "cohere-multilingual-v3"]
)
def test_embedders_by_name(name: str) -> None:
    assert load_settings(embedder=name).embedder == name


@pytest.mark.parametrize("name", ["", "titan", "titan-v2:300", "use:512", "cohere-multilingual-v3:512"])
def test_an_embedder_that_there_is_not_is_told_with_those_there_are(name: str) -> None:
    told = _refused(embedder=name)
    assert told.startswith(f"setting embedder: embedder {name!r} is unknown; it takes use, titan-v2[:256|512|1024]")
    assert "--embedder" in told


def test_the_options_of_aws_reach_the_settings() -> None:
    _file(RAW_TARGET)
    given = (
        *("--sync", "dry-run", "--allow-deletions", "--search-in", "knowledge_base", "--embedder", "titan-v2:256"),
        *("--variants", "raw", "--adopt", "tax_answer/,law/"),
    )
    options = vars(make_parser().parse_args(["run", *given]))
    del options["command"]
    found = load_settings(**options)
    assert (found.sync, found.allow_deletions, found.search_in, found.embedder) == (
        *("dry-run", True, "knowledge_base", "titan-v2:256"),
    )
    assert found.adopt == ("tax_answer/", "law/")
    # Letting a sync delete, and take over, is meant for one run: what is copied from a report does not say it.
    for_one_run = {"--allow-deletions", "--adopt", "tax_answer/,law/"}
    assert sorted(shlex.split(found.as_options())) == sorted(set(given) - for_one_run)


def test_a_flag_that_is_not_given_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    options = vars(make_parser().parse_args(["run"]))
    assert options["allow_deletions"] is None
    monkeypatch.setenv("RAG_ASSETS_ALLOW_DELETIONS", "true")
    assert load_settings().allow_deletions
    monkeypatch.setenv("RAG_ASSETS_ALLOW_DELETIONS", "false")
    assert load_settings().as_options() == ""


def test_a_settings_file_with_a_byte_order_mark_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("desk.csv").touch()
    _file('\ufeff[document.desk]\nsource = "csv_rows"\nlocation = "desk.csv"\ntext = ["本文"]\n')
    assert list(load_settings().document) == ["desk"]
    Path("rag_assets.toml").write_text("[document.desk]\n", encoding="utf-16")
    assert "UTF-16" in _refused()


def test_documents_and_question_sets_are_found_in_either_spelling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    decomposed = {name: unicodedata.normalize("NFD", name) for name in ("窓口が.csv", "質問が.csv")}
    for name in decomposed.values():
        Path(name).touch()
    _file('[document.desk]\nsource = "csv_rows"\nlocation = "窓口が.csv"\ntext = ["本文"]\n')
    settings = load_settings(csv_rows=(decomposed["窓口が.csv"],), questions=("質問が.csv",))
    assert [document.key for document in settings.chosen_documents()["csv_rows"]] == ["desk"]
    assert settings.question_files() == (Path(decomposed["質問が.csv"]),)
