import csv
import hashlib
import io
import re
import tomllib
import tracemalloc
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.variants import prepare
from rag_assets.corpus.writing import file_faults
from rag_assets.model import Chunk, Record, Variant
from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.csv_rows.reader import read_document
from rag_assets.sources.csv_rows.source import SOURCE, CsvRowsDocument
from rag_assets_tests.japanese.test_composed import Form

HELPDESK = """番号,受付日,分類,件名,質問,回答,経緯,費用,済
A-1,2026-01-08,印刷,紙が詰まる,両面だけ詰まる。,"給紙口を拭く。
それでも詰まるなら窓口へ。","9時 受付, 電話で聞いた。

10時 訪問した。",0,はい
A-2,2026-01-09,,画面が暗い,画面が暗くて読めない。,明るさのキーを押す。,,"1,200",いいえ
"""
COLUMNS = {"id": "番号", "title": "件名", "text": ["質問", "回答"], "long": {"history": "経緯"}}
SHORT = Variant(name="v", limit=100)


def _document(**columns: Any) -> CsvRowsDocument:
    return CsvRowsDocument.model_validate({"key": "desk", "location": "docs/相談 記録.csv", **columns})


def _read(content: str | bytes, /, **columns: Any) -> tuple[list[Record], list[Finding]]:
    data = content.encode() if isinstance(content, str) else content
    sha256 = hashlib.sha256(data).hexdigest()
    readings = list(read_document(io.BytesIO(data), _document(**columns), sha256=sha256))
    return [one for one in readings if isinstance(one, Record)], [one for one in readings if isinstance(one, Finding)]


def _chunks(records: list[Record], variant: Variant = SHORT) -> list[Chunk]:
    return prepare(records, variant, lambda _: Dictionary())


def _table(*rows: tuple[str, ...]) -> str:
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    return file.getvalue()


def _told(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(one.place, one.topic) for one in findings]


def test_a_row_is_a_record_and_its_chunks_are_its_parts() -> None:
    records, findings = _read(HELPDESK, **COLUMNS, metadata={"category": "分類"}, shown={"done": "済"})
    assert findings == []
    assert [one.record_id for one in records] == ["csv_rows/desk/A-1", "csv_rows/desk/A-2"]
    chunks = _chunks(records)
    assert file_faults(chunks) == []
    assert [chunk.chunk_id.removeprefix("csv_rows/desk/") for chunk in chunks] == [
        "A-1/profile",
        "A-1/history-001",
        "A-2/profile",
    ]
    assert chunks[0].text.split("\n") == [
        "相談 記録 No.A-1 紙が詰まる（済：はい）",
        "質問：両面だけ詰まる。",
        "【回答】",
        "給紙口を拭く。",
        "それでも詰まるなら窓口へ。",
    ]
    assert chunks[1].text.split("\n") == [
        "相談 記録 No.A-1 紙が詰まる（済：はい）",
        "【経緯】",
        "9時 受付, 電話で聞いた。",
        "10時 訪問した。",
    ]
    assert chunks[0].attributes["category"] == "印刷"
    assert chunks[0].attributes["done"] == ("はい",)
    assert "category" not in chunks[2].attributes
    (raw, _) = _chunks(records, Variant(name="raw", header="title"))
    assert raw.chunk_id == "csv_rows/desk/A-1"
    assert raw.text.startswith("No.A-1 紙が詰まる\n質問：両面だけ詰まる。\n回答\n給紙口を拭く。")


def test_long_parts_are_numbered_and_say_whose_they_are() -> None:
    text = _table(("番号", "件名", "質問", "経緯"), ("7", "重い", "重い" * 200, "調べた。" * 60))
    records, _ = _read(text, id="番号", title="件名", text="質問", long={"history": "経緯"})
    chunks = _chunks(records)
    names = [chunk.chunk_id.rpartition("/")[2] for chunk in chunks]
    assert names[:2] == ["profile-001", "profile-002"]
    assert names[-3:] == ["history-001", "history-002", "history-003"]
    assert all(chunk.text.startswith("相談 記録 No.7 重い\n") for chunk in chunks)
    assert [chunk.context for chunk in chunks if chunk.chunk_id.endswith(("-002", "-003"))][-1] == "【経緯】（続き）"
    assert {chunk.record_id for chunk in chunks} == {"csv_rows/desk/7"}


def test_a_table_as_people_write_it_in_a_settings_file() -> None:
    table = tomllib.loads("""
        id = "番号"
        title = "件名"
        text = ["質問", "回答"]
        metadata.category = "分類"
        metadata.cost = {column = "費用", type = "number"}
        metadata.done = {column = "済", type = "boolean"}
        long = {history = "経緯"}
        as_of_column = "受付日"
        delimiter = ","
        encoding = "UTF-8"
    """)
    records, findings = _read(HELPDESK, **table)
    assert findings == []
    assert [one.attributes for one in records] == [
        {"category": "印刷", "cost": 0, "done": True},
        {"cost": 1200, "done": False},
    ]
    assert [str(one.as_of and one.as_of.date) for one in records] == ["2026-01-08", "2026-01-09"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
@pytest.mark.parametrize(("delimiter", "ending"), [(",", "\r\n"), ("\t", "\n"), (";", "\r")])
def test_encoding_and_delimiter_change_nothing_but_the_hash(codec: str, delimiter: str, ending: str) -> None:
    rows = list(csv.reader(io.StringIO(HELPDESK)))
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator=ending, quoting=csv.QUOTE_ALL).writerows(rows)
    records, findings = _read(file.getvalue().encode(codec), **COLUMNS)
    expected, _ = _read(HELPDESK, **COLUMNS)
    assert findings == []
    assert [one.digest() for one in records] == [one.digest() for one in expected]
    assert {one.origin_sha256 for one in records} == {hashlib.sha256(file.getvalue().encode(codec)).hexdigest()}


# Faults, with their lines


def test_rows_that_are_none_are_told_with_their_lines_and_the_others_kept() -> None:
    text = (
        '番号,件名,本文\n1,鍋,"焦げた。\n洗う。"\n1,釜,炊けない。\n,皿,割れた。\n2,椀\n3,箸, \n'
        '4,盆,欠けた。,余り\n5,匙,"曲がった。\n6,杓,取れた。\n'
    )
    records, findings = _read(text, id="番号", title="件名", text="本文")
    assert [one.number for one in records] == ["1", "6"]
    assert _told(findings) == [
        ("line 4", "duplicate ID"),
        ("line 5", "missing ID"),
        ("line 6", "ragged row"),
        ("line 7", "empty text"),
        ("line 8", "ragged row"),
        ("line 9", "unclosed quote"),
    ]
    assert {one.kind for one in findings} == {"fault"}
    assert "ID 1 stands in line 2 already" in findings[0].message
    assert [one.message[: len("ID 2: ")] for one in findings if one.topic == "ragged row"] == ["ID 2: ", "ID 4: "]
    _, skipped = _read(text, id="番号", title="件名", text="本文", bad_rows="skip")
    assert [one.model_copy(update={"kind": "fault"}) for one in skipped] == findings
    assert {one.kind for one in skipped} == {"note"}


def test_undecodable_bytes_cost_their_row_only() -> None:
    data = "番号,本文\n1,鍋\n2,釜".encode() + b"\xff" + "\n3,皿\n".encode()
    records, findings = _read(data, id="番号", text="本文")
    assert [one.number for one in records] == ["1", "3"]
    assert _told(findings) == [("line 3", "undecodable bytes")]
    assert "0xFF" in findings[0].message


@pytest.mark.parametrize(("bad_rows", "kind"), [("fail", "fault"), ("skip", "note")])
def test_rows_that_a_quote_left_open_has_swallowed_are_told(bad_rows: str, kind: str) -> None:
    text = '番号,本文\n1,"鍋\n2,釜\n3,24"\n4,皿\n'
    records, (finding,) = _read(text, id="番号", text="本文", bad_rows=bad_rows)
    assert [one.number for one in records] == ["1", "4"]
    assert (finding.kind, finding.topic, finding.place) == (kind, "rows inside a cell", "line 2")
    assert finding.message.startswith("ID 1: 2 lines inside a cell look like rows")


def test_column_names_of_a_joined_export_are_a_note() -> None:
    records, (finding,) = _read("番号,本文\n1,鍋\n番号,本文\n2,釜\n", id="番号", text="本文")
    assert [one.number for one in records] == ["1", "2"]
    assert (finding.kind, finding.topic, finding.place) == ("note", "repeated column names", "line 3")


def test_a_long_cell_becomes_text_to_its_end() -> None:
    records, findings = _read(
        _table(("番号", "経緯"), ("1", "記録、\n" * 40_000 + "終わり")), id="番号", long={"c": "経緯"}
    )
    assert findings == []
    assert [len(section.blocks) for section in records[0].sections] == [40_001]


def test_no_control_character_reaches_a_chunk_or_its_sidecar() -> None:
    text = _table(
        ("番号", "件名", "本文", "区分"), *[(f"\x1b[1m{n}\x07", "\u202e鍋\x08", "焦\x1bげた", "\x7f金属") for n in "12"]
    )
    records, findings = _read(
        text, id="番号", title="件名", text="本文", metadata={"kind": "区分"}, shown={"as": "区分"}
    )
    assert findings == []
    chunks = _chunks(records)
    assert [(one.record_id[-1], one.number, one.title) for one in records] == [("1", "1", "鍋"), ("2", "2", "鍋")]
    assert [chunk.text.replace("\n", "").isprintable() for chunk in chunks] == [True, True]
    assert chunks[0].attributes["kind"] == "金属"


def test_a_value_that_cannot_be_filtered_leaves_its_row_without_it() -> None:
    text = _table(
        ("番号", "本文", "額", "札"),
        ("1", "鍋", "約3", "x" * 2049),
        ("2", "釜", "3", "、".join("あいうえおかきくけこさ")),
    )
    metadata = {"cost": {"column": "額", "type": "number"}, "tag": {"column": "札", "type": "list"}}
    records, findings = _read(text, id="番号", text="本文", metadata=metadata)
    assert [one.attributes for one in records] == [{}, {"cost": 3}]
    assert _told(findings) == [
        ("line 2", "unreadable value"),
        ("line 2", "oversized value"),
        ("line 3", "oversized value"),
    ]
    assert findings[0].in_words() == "ID 1: column 額 is no number; the row is kept without cost: 約3"
    assert findings[1].message.startswith("ID 1: column 札 has 2049 characters, at most 2048 can be filtered")
    assert len(findings[1].quote) == 60
    assert file_faults(_chunks(records)) == []


def test_columns_named_alike_are_told_and_refused_where_they_are_meant() -> None:
    text = "番号,備考,本文,備考\n1,甲,鍋,乙\n"
    records, findings = _read(text, id="番号", text="本文")
    assert (len(records), _told(findings)) == (1, [("line 1", "repeated column name")])
    assert findings[0].kind == "note"
    with pytest.raises(DocumentError, match="line 1: columns 2 and 4 are both named 備考"):
        _read(text, id="番号", text=["本文", "備考"])


def test_a_column_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(DocumentError, match=r"no column '件名'.*'質問文' .did you mean '質問'.*「番号」、「受付日」"):
        _read(HELPDESK.replace("件名", "表題"), **{**COLUMNS, "text": ["質問文"]})
    with pytest.raises(DocumentError, match="'無い'"):
        _read(HELPDESK, **{**COLUMNS, "title": "{件名}（{無い}）"})


@pytest.mark.parametrize(
    "text",
    [
        HELPDESK,
        "品名\t区分\nやかん\t金属\nふた\t金属\n",
        "name,body\nx," + "長い文。" * 99,
        "name,kind,body\nx,皿,円い\ny,皿,深い\n",
    ],
)
def test_without_columns_a_table_is_shown_that_works(text: str) -> None:
    with pytest.raises(DocumentError, match="which columns hold what has to be set") as error:
        _read(text)
    told = str(error.value)
    assert "row 1: " in told
    pasted = tomllib.loads(told[told.index("[document.desk]") :])["document"]["desk"]
    assert pasted.pop("source") == SOURCE.name
    assert CsvRowsDocument.model_validate({"key": "desk", **pasted}).location == "docs/相談 記録.csv"
    del pasted["location"]
    records, findings = _read(text, **pasted)
    assert records
    assert findings == []
    assert {record.document for record in records} == {"相談 記録"}
    assert {key for record in records for key in record.attributes} <= {"kind"}


def test_the_table_that_is_shown_leaves_names_to_be_chosen() -> None:
    rows = [(str(number), "令和8年4月1日", "印刷" if number % 2 else "画面", f"件{number}") for number in range(8)]
    with pytest.raises(DocumentError) as error:
        _read(_table(("番号", "日", "kind", "件名"), *rows))
    lines = str(error.value).splitlines()
    assert 'document = "相談 記録"' in lines
    assert '# metadata = { kind = "kind", ascii_name = {column = "日", type = "date"} }' in lines
    assert '# as_of_column = "日"' in lines
    table = lines[lines.index("[document.desk]") :]
    assert [line for line in table if line != line.strip()] == []
    # What is commented works as soon as the marks are gone.
    uncommented = [line.removeprefix("# ") for line in table if not line.startswith("# ") or " = " in line]
    pasted = tomllib.loads("\n".join(uncommented))["document"]["desk"]
    del pasted["source"], pasted["location"]
    records, findings = _read(_table(("番号", "日", "kind", "件名"), *rows), **pasted)
    assert findings == []
    assert records[0].attributes == {"kind": "画面", "ascii_name": 20260401}


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"text": ["甲", "甲"]}, "text: 甲 stands there twice"),
        ({"text": "甲", "long": {"a": "甲"}}, "甲: it is in text as well"),
        ({"long": {"profile": "甲"}}, "profile is the part of the short columns"),
        ({"long": {"経緯": "甲"}}, "should match pattern"),
        ({"metadata": {"分類": "甲"}}, "should match pattern"),
        ({"metadata": {"title": "甲"}}, "sidecar key 'title' means something else already"),
        ({"metadata": {"Record_ID": "甲"}}, "sidecar key 'Record_ID' means something else already"),
        ({"shown": {"AS_OF": "甲"}}, "sidecar key 'AS_OF' means something else already"),
        ({"metadata": {"ID": "甲"}}, "sidecar key 'ID' means something else already"),
        ({"metadata": {"X-Amz-Bedrock-a": "甲"}}, "means something else already"),
        ({"metadata": {"a": "甲"}, "shown": {"a": "乙"}}, "sidecar key 'a' is in metadata and in shown"),
        ({"metadata": {"a": {"column": "甲", "type": "money"}}}, "type"),
        ({"shown": {"a": {"column": "甲", "type": "number"}}}, "can be a string or a list, not a number"),
        ({"label": "番号"}, "label: {id} has to stand in it"),
        ({"encoding": "latin-1"}, "encoding 'latin-1' is none of"),
        ({"delimiter": "x"}, "delimiter"),
        ({"header_line": 0}, "header_line"),
        ({"titel": "甲"}, "titel"),
        ({"delimiter": [","]}, "delimiter"),
        ({"encoding": ["utf-8"]}, "encoding"),
        ({"metadata": [["甲"]]}, "metadata"),
        ({"long": 1}, "long"),
        ({"id": {"a": "甲"}}, "id"),
        ({"text": 1}, "text"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(columns: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(told)):
        _document(**columns)


def test_short_ways_to_write_settings() -> None:
    short = _document(text="body", long=["history"], metadata=["kind"], delimiter="tab", encoding="Shift_JIS")
    full = _document(
        text=["body"],
        long={"history": "history"},
        metadata={"kind": {"column": "kind"}},
        delimiter="\t",
        encoding="cp932",
    )
    assert short == full


# Identity


@pytest.mark.parametrize(
    ("identity", "end"),
    [
        ("HD-0001", "HD-0001"),
        ("2.1_a", "2.1_a"),
        ("..", "row--[0-9a-f]{16}"),
        ("a/b", "a-b--[0-9a-f]{16}"),
        ("受付１２", "12--[0-9a-f]{16}"),
        ("x" * 81, "x{40}--[0-9a-f]{16}"),
        ("a--0123456789abcdef", "a-0123456789abcdef--[0-9a-f]{16}"),
        (" 12\n", "12"),
    ],
)
def test_record_ids_are_ascii_and_the_number_is_the_original(identity: str, end: str) -> None:
    ((record,), _) = _read(_table(("番号", "本文"), (identity, "鍋")), id="番号", text="本文")
    assert re.fullmatch(f"csv_rows/desk/{end}", record.record_id)
    assert record.number == identity.strip()
    assert record.label == f"No.{identity.strip()}"
    assert file_faults(_chunks([record])) == []


ids = st.text(st.sampled_from("aA0-_./受é "), min_size=1, max_size=6)


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=12), st.booleans())
def test_different_ids_have_different_record_ids(pairs: list[tuple[str, str]], together: bool) -> None:
    text = _table(("甲", "乙", "本文"), *((one, other, "鍋") for one, other in pairs))
    records, findings = _read(text, id=["甲", "乙"] if together else "甲", text="本文")
    keys = {tuple(map(str.strip, pair[: 2 if together else 1])) for pair in pairs} - {("",), ("", "")}
    apart = {name.upper() if _stands_as_it_is(name) else name for name in map("\x1f".join, keys)}
    assert len({one.record_id.casefold() for one in records}) == len(records) == len(apart)
    assert sum(one.topic == "ID differing in case only" for one in findings) >= len(keys) - len(apart)


def _stands_as_it_is(identity: str) -> bool:
    parts = identity.split("\x1f")
    safe = "[A-Za-z0-9_]+" if len(parts) > 1 else "[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_-])?"
    return all(re.fullmatch(safe, part) for part in parts)


def test_of_ids_that_differ_in_case_only_the_first_is_kept_and_the_other_told() -> None:
    records, findings = _read("番号,本文\nHD-a,鍋\nHD-b,釜\nhd-A,皿\nＨＤ-a,椀\nHD-a,箸\n", id="番号", text="本文")
    assert [one.number for one in records] == ["HD-a", "HD-b", "ＨＤ-a"]
    assert _told(findings) == [("line 4", "ID differing in case only"), ("line 6", "duplicate ID")]
    assert findings[0].kind == "fault"
    assert findings[0].message.startswith("ID hd-A and HD-a (line 2, which is kept) differ in case only")


def test_an_id_of_several_columns() -> None:
    records, findings = _read("店,番,本文\nA,1,鍋\nA,2,釜\nA,1,皿\n,3,椀\n", id=["店", "番"], text="本文")
    assert [one.record_id.removeprefix("csv_rows/desk/") for one in records][:2] == ["A-1", "A-2"]
    assert [one.number for one in records] == ["A-1", "A-2", "3"]
    assert _told(findings) == [("line 4", "duplicate ID")]


def test_without_an_id_column_the_row_itself_is_the_id() -> None:
    text = "品名,区分\nやかん,金属\n皿,陶器\nやかん,金属\n"
    records, findings = _read(text, title="品名", text="区分")
    assert _told(findings) == [("line 4", "duplicate row")]
    again, _ = _read("品名,区分\n新しい行,木\n皿,陶器\n", title="品名", text="区分")
    assert again[1].record_id == records[1].record_id
    assert records[1].label == f"#{records[1].number[:8]}"


def test_a_bad_row_is_told_by_its_id_where_it_has_one() -> None:
    text = "件名,店,番\n釜,A,1,木\n椀,B\n箸,,,竹\n"
    _, findings = _read(text, id=["店", "番"], text="件名")
    assert [one.message.partition(": ")[0] for one in findings] == [
        "ID A-1",
        "2 cells where there are 3 columns; the row is left out",
        "4 cells where there are 3 columns; the row is left out",
    ]
    _, findings = _read(
        "番号,本文\n1\udce3,鍋\n".encode("utf-8", "surrogateescape"), id="番号", text="本文", encoding="utf-8"
    )
    assert [one.message.partition(" ")[0] for one in findings] == ["in"]


# As of


@pytest.mark.parametrize("cell", ["未定", "2026/13/45", "46113", "2025年度", "令和8年2月30日"])
@pytest.mark.parametrize("as_of", ["", "令和8年4月1日現在"])
def test_an_as_of_cell_that_is_no_date_is_told_and_is_no_as_of(cell: str, as_of: str) -> None:
    columns = {"id": "番号", "text": "本文", "as_of_column": "日", "as_of": as_of}
    (record,), (finding,) = _read(_table(("番号", "本文", "日"), ("1", "鍋", cell)), **columns)
    assert (record.as_of.label if record.as_of else "") == as_of
    assert (finding.kind, finding.topic, finding.quote) == ("fault", "unreadable value", cell)
    kept = "the as-of date of the settings" if as_of else "no as-of date"
    assert finding.message == f"ID 1: column 日 is no date; the row is kept with {kept}"


def test_an_as_of_cell_whose_calendars_contradict_each_other_is_told() -> None:
    text = _table(("番号", "本文", "日"), ("1", "鍋", "令和8（2025）年4月1日"))
    (record,), (finding,) = _read(text, id="番号", text="本文", as_of_column="日")
    assert record.as_of is None
    assert finding.message == "ID 1: column 日 names two different days; the row is kept with no as-of date"


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("2026-04-07", "2026-04-07"),
        ("R8.4.7", "2026-04-07"),
        ("H31.4.30", "2019-04-30"),
        ("令8.4.7", "2026-04-07"),
        ("令8・4・7", "2026-04-07"),
        ("R8-4-7", "2026-04-07"),
        ("令和8（2026）年4月7日", "2026-04-07"),
        ("2026年（令和8年）4月", "2026-04-01"),
        ("令和八年四月七日", "2026-04-07"),
        ("令和８年４月", "2026-04-01"),
    ],
)
def test_an_as_of_cell_keeps_its_words_beside_its_date(cell: str, day: str) -> None:
    text = _table(("番号", "本文", "日"), ("1", "鍋", cell))
    (record,), findings = _read(text, id="番号", text="本文", as_of_column="日")
    assert findings == []
    assert record.as_of is not None
    assert (record.as_of.label, str(record.as_of.date)) == (cell, day)


def test_an_as_of_of_the_settings_that_is_no_date_is_shown_as_it_is() -> None:
    records, _ = _read("番号,本文\n1,鍋\n2,釜\n", id="番号", text="本文", as_of="2025年度")
    assert [one.as_of.label for one in records if one.as_of] == ["2025年度", "2025年度"]


# Titles, labels, links


@pytest.mark.parametrize(
    ("title", "titles"),
    [
        ("{品名}（{材質}）", ["やかん（銅）", "ふた"]),
        (["品名", "材質"], ["やかん　銅", "ふた"]),
        ("{材質}／{品名}", ["銅／やかん", "ふた"]),
        ("材質", ["銅", "金属ごみ"]),
        ([], ["金属ごみ", "金属ごみ"]),
    ],
)
def test_titles(title: Any, titles: list[str]) -> None:
    text = "番号,品名,材質,区分\n1,やかん,銅,金属ごみ\n2,ふた,,金属ごみ\n"
    records, _ = _read(text, id="番号", title=title, text="区分")
    assert [one.title for one in records] == titles


def test_a_title_from_a_long_text_is_its_beginning() -> None:
    ((record,), _) = _read(_table(("番号", "本文"), ("1", "とても長い文。" * 50)), id="番号", text="本文")
    assert record.title == ("とても長い文。" * 50)[:39] + "…"


def test_labels_links_and_names() -> None:
    text = "番号,本文,日\n甲 1,鍋,\n2,釜,令和8年4月1日\n"
    columns = {"id": "番号", "text": "本文", "as_of_column": "日", "as_of": "2025年4月"}
    first, second = _read(text, **columns, label="受付{id}番", link="https://desk.example/t/{番号}", document="記録")[0]
    assert (first.label, first.url, first.document) == ("受付甲 1番", "https://desk.example/t/%E7%94%B2%201", "記録")
    assert [one.as_of.label if one.as_of else None for one in (first, second)] == ["2025年4月", "令和8年4月1日"]
    data = text.encode()
    for location, link, expected in [
        ("https://example.org/%E8%A8%98%E9%8C%B2.csv?x=1", "", ("記録", "https://example.org/a")),
        ("C:\\表\\記録.csv", "https://desk.example/", ("記録", "https://desk.example/")),
    ]:
        document = _document(**columns, link=link).model_copy(update={"location": location})
        found = next(read_document(io.BytesIO(data), document, sha256="0" * 64, url="https://example.org/a"))
        assert isinstance(found, Record)
        assert (found.document, found.url) == expected


# No row is mixed with another

words = st.text(st.sampled_from('漢字かなカナ。、,"\n 12aZ'), max_size=60)


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=8), st.integers(50, 200))
def test_a_chunk_holds_words_of_its_row_only(rows: list[tuple[str, str, str]], limit: int) -> None:
    marked = [
        tuple(f"{chr(0x3400 + number)}{cell}" if cell.strip() else "" for cell in row)
        for number, row in enumerate(rows)
    ]
    text = _table(("番号", "甲", "乙", "丙"), *((str(number), *row) for number, row in enumerate(marked)))
    records, _ = _read(text, id="番号", text=["甲", "乙"], long={"c": "丙"})
    for chunk in _chunks(records, Variant(name="v", limit=limit)):
        number = int(chunk.record_id.rpartition("/")[2])
        marks = set(re.findall("[\u3400-\u34ff]", chunk.text))
        assert marks <= {chr(0x3400 + number)}


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(rows: int) -> int:
        path = tmp_path / f"{rows}.csv"
        with path.open("w", encoding="utf-8") as file:
            file.write("番号,件名,本文\n")
            file.writelines(
                f"HD-{number:09d},端末が止まる,{number}番の端末の画面が止まる。{'あ' * 50}\n" for number in range(rows)
            )
        with path.open("rb") as opened:
            tracemalloc.start()
            readings = read_document(opened, _document(id="番号", title="件名", text="本文"), sha256="0" * 64)
            assert sum(1 for _ in readings) == rows
            found = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return found

    peak(4_000)
    # 8,000 IDs alone, kept in memory, would be 500,000 bytes.
    assert peak(12_000) < peak(4_000) + 200_000


# Real documents


def _real(path: Path, **columns: Any) -> tuple[list[Record], list[Finding]]:
    return _read(path.read_bytes(), document="分別表", **columns)


TSU = {
    "id": "ID",
    "title": "品目",
    "text": ["品目", "分別区分", "出し方のポイント"],
    "metadata": {"kana": "50音", "order": {"column": "並び順", "type": "number"}},
}
KANAZAWA = {"title": "{品名}（{大きさ・材質等}）", "text": ["品名", "大きさ・材質等", "ごみの種類", "諸注意"]}


@pytest.mark.realdata
def test_the_same_table_in_two_encodings_gives_the_same_records(realdata: Path) -> None:
    utf8, findings = _real(realdata / "csv/tsu_gomi_original.csv", **TSU)
    cp932, others = _real(realdata / "csv/tsu_gomi_cp932.csv", **TSU)
    assert findings == others == []
    assert len(utf8) == 3984
    excluded = {"origin_sha256"}
    assert [one.model_dump(exclude=excluded) for one in utf8] == [one.model_dump(exclude=excluded) for one in cp932]
    assert utf8[0].origin_sha256 != cp932[0].origin_sha256


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "columns", "delimiter"),
    [("tsu_gomi_original.csv", TSU, ","), ("kanazawa_H27_gomi_jiten.csv", KANAZAWA, "\t")],
)
def test_no_row_of_a_real_table_is_mixed_with_another(
    realdata: Path, name: str, columns: dict[str, Any], delimiter: str
) -> None:
    path = realdata / "csv" / name
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    records, findings = _real(path, **columns)
    assert findings == []
    assert len(records) == len(rows) > 1000
    for record, row in zip(records, rows, strict=True):
        said = "".join(f"{column}{row[column]}" for column in columns["text"] if row[column].strip())
        bodies = "".join(chunk.body for chunk in _chunks([record], Variant(name="v", limit=400)))
        assert re.sub(r"[\s：【】]", "", bodies) == re.sub(r"[\s：【】]", "", said)


@pytest.mark.parametrize(("in_settings", "in_file"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_columns_and_ids_are_the_same_in_either_spelling(in_settings: Form, in_file: Form) -> None:
    text = unicodedata.normalize(in_file, _table(("番号", "ガラス"), ("が-1", "水曜"), ("が-2", "木曜")))
    name = unicodedata.normalize(in_settings, "ガラス")
    records, findings = _read(text, id="番号", title=f"{{{name}}}の日", text=name, metadata={"day": name})
    assert findings == []
    assert [(one.number, one.title, one.attributes) for one in records] == [
        ("が-1", "水曜の日", {"day": "水曜"}),
        ("が-2", "木曜の日", {"day": "木曜"}),
    ]
    again, _ = _read(unicodedata.normalize("NFC", text), id="番号", text="ガラス")
    assert [one.record_id for one in again] == [one.record_id for one in records]
