"""What is proposed to a user whose columns are not configured: pasted as it is, no column is lost."""

import io
import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rag_assets.corpus.headers import header
from rag_assets.corpus.record_text import record_text
from rag_assets.model import Record
from rag_assets.sources.base import DocumentError
from rag_assets.sources.csv_rows.reader import read_document
from rag_assets.sources.csv_rows.source import CsvRowsDocument
from rag_assets.sources.registry import configure_document

BODY = "番号,品名,単価,入荷日\nA-1,鍋,1200,2025/4/3\nA-2,皿,300,2025/4/5\nA-3,椀,500,2025/4/9\n"


def _proposed(data: str | bytes, **settings: object) -> str:
    content = data.encode() if isinstance(data, str) else data
    document = CsvRowsDocument.model_validate({"key": "x", "location": "x.csv"} | settings)
    with pytest.raises(DocumentError) as refused:
        list(read_document(io.BytesIO(content), document, sha256="0" * 64))
    return str(refused.value)


def _pasted(data: str | bytes) -> list[Record]:
    """The records of a file by the table that is proposed for it, pasted as it is."""
    told = _proposed(data)
    table = tomllib.loads(told[told.index("[document.x]") :])["document"]["x"]
    _, settings = configure_document("x", table)
    content = data.encode() if isinstance(data, str) else data
    assert isinstance(settings, CsvRowsDocument)
    found = list(read_document(io.BytesIO(content), settings, sha256="0" * 64))
    return [reading for reading in found if isinstance(reading, Record)]


def _said(record: Record) -> str:
    return f"{header(record, 'full')}\n{record_text(record)}"


@pytest.mark.parametrize(
    "table",
    [
        pytest.param("地区,曜日,瓶\n一丁目,火と金,水\n二丁目,月と木,水\n三丁目,火と金,水\n", id="one value throughout"),
        pytest.param(BODY, id="numbers and dates"),
        pytest.param("id,name,kind,size\n1,a1,x,3\n2,b2,x,4\n3,c3,x,5\n", id="names that are keys"),
        pytest.param("記号,組\nあ,い\nう,え\n", id="single letters only"),
        pytest.param("番号,経緯,区分\n1," + "調べた。" * 60 + ",済\n2,短い。,未\n", id="a long column"),
    ],
)
def test_every_cell_is_said_by_the_records(table: str) -> None:
    rows = [line.split(",") for line in table.splitlines()[1:]]
    records = _pasted(table)
    assert len(records) == len(rows)
    for record, cells in zip(records, rows, strict=True):
        assert [cell for cell in cells if cell not in _said(record)] == []


_WORD = st.text("あいうえお水火木亜0123456789-", min_size=1, max_size=6)


@given(st.lists(st.lists(_WORD, min_size=3, max_size=3), min_size=2, max_size=8))
def test_no_column_of_any_table_is_lost(rows: list[list[str]]) -> None:
    assume(len({tuple(row) for row in rows}) == len(rows))
    table = "\n".join(["甲,乙,丙", *(",".join(row) for row in rows)])
    assume("header_line" not in _proposed(table))
    for record, cells in zip(_pasted(table), rows, strict=True):
        said = _said(record)
        assert [cell for cell in cells if cell not in said] == []


@pytest.mark.parametrize(
    ("table", "identity"),
    [
        pytest.param("施設,所在,電話番号\n北館,1-1,03-0000-0001\n南館,2-2,03-0000-0002\n", "", id="telephone"),
        pytest.param("件名,受付日\n鍵,2026-04-01\n車,2026-04-02\n", "", id="days"),
        pytest.param("区分,令和5年,令和6年\n人口,100,200\n世帯,50,60\n", "", id="figures"),
        pytest.param("ＮＯ．,件名\n1,鍵\n2,車\n", "ＮＯ．", id="a name in full width"),
        pytest.param("年度,件名\n2024,鍵\n2025,車\n", "年度", id="numbers in the first column"),
        pytest.param("件名,記号\n鍵,A-1\n車,A-2\n", "記号", id="letters and numbers"),
    ],
)
def test_what_is_taken_for_an_id_and_that_nothing_it_says_is_lost(table: str, identity: str) -> None:
    told = _proposed(table)
    assert f"\nid = {json.dumps(identity, ensure_ascii=False)}\n" in told if identity else "\nid = " not in told
    text = tomllib.loads(told[told.index("[document.x]") :])["document"]["x"]["text"]
    assert identity in (*text, "ＮＯ．", "")


def test_a_period_is_not_proposed_as_a_date() -> None:
    told = _proposed("件名,期間\n鍵,2026年4月1日～2026年9月30日\n車,2026年5月1日～31日\n")
    assert "date" not in told
    assert "as_of_column" not in told


@pytest.mark.parametrize(
    "data",
    [
        "区分,2023,2024,2025\n北,多い,少ない,並\n南,並,多い,少ない\n",
        "施設,2026/4/1,2026/4/2,2026/4/3\n北館,空き,満,休み\n南館,空,休館,満室\n",
        "区分,2025,2024,2023\n北,甲,乙,丙\n南,乙,丙,甲\n",
    ],
)
def test_years_and_days_that_follow_each_other_are_names(data: str) -> None:
    assert "header_line" not in _proposed(data)
    assert "header_line = 2\n" in _proposed("みほんの一覧\n" + data)


def test_columns_that_no_setting_can_name_are_told() -> None:
    told = _proposed("番号,品名,,備考,備考\n1,鍋,百円,a,b\n2,皿,二百円,c,d\n")
    assert "# in nothing: columns 4 and 5 are both named 備考" in told
    assert "# in nothing: column 3 (「百円」 …) has no name" in told


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (f"備品一覧\n{BODY}", 2),
        (f"備品一覧\n作成　令和7年5月2日\n\n{BODY}", 4),
        (f"備品一覧,,,\n作成日,2025/5/2,,\n,,,\n{BODY}", 4),
        (f"備品一覧\n※単価は、税抜きです。\n担当：総務課,内線12\n{BODY}", 4),
        (f'"備品一覧\n（総務課）"\n{BODY}', 3),
        ("備品一覧\n作成\t2025/5/2\n\n" + BODY.replace(",", "\t"), 4),
        ("備品一覧\n\n" + BODY.replace(",", ";"), 3),
        ("sep=;\n備品一覧\n" + BODY.replace(",", ";"), 3),
        (f"備品一覧\n担当：総務課,内線12\n{BODY}".encode("cp932"), 3),
        (f"備品一覧\n\n{BODY}".encode("utf-16"), 3),
        (f"備品一覧,,,\n備品,,価格,\n{BODY}", 3),
    ],
)
def test_lines_above_the_names_are_seen_and_the_line_proposed(data: str | bytes, line: int) -> None:
    told = _proposed(data)
    assert f"Line {line} seems to hold the column names, 「番号」、「品名」、「単価」、「入荷日」" in told
    assert f"\nheader_line = {line}\n" in told
    assert [record.title for record in _pasted(data)] == ["鍋", "皿", "椀"]


@pytest.mark.parametrize("data", [BODY, f"\n\n{BODY}", "文\n鍋は、棚です。\n皿は、台です。\n", "甲,乙\n一,二\n三\n"])
def test_names_in_the_first_row_are_left_there(data: str) -> None:
    told = _proposed(data)
    assert "header_line" not in told


def test_a_line_that_the_settings_name_is_not_guessed() -> None:
    assert "seems to hold" not in _proposed(f"備品一覧\n{BODY}", header_line=1)


def test_columns_that_stand_further_down_are_told_with_their_line() -> None:
    told = _proposed(f"備品一覧\n作成日,2025/5/2\n{BODY}", text=("品名",))
    assert "line 1: there is no column '品名'" in told
    assert "Line 3 seems to hold the column names" in told
    assert told.endswith("set header_line = 3")


@pytest.mark.realdata
def test_the_reported_tables(realdata: Path) -> None:
    cases = realdata.parent / "cases"
    if not cases.is_dir():
        pytest.skip("the reported cases (../shared/cases beside the checkout) are not here")
    dropped = (cases / "template_drops_a_column.csv").read_bytes()
    assert all("プラ類：水" in record_text(record) for record in _pasted(dropped))
    above = (cases / "lines_above_header.csv").read_bytes()
    assert "header_line = 4" in _proposed(above)
    assert [record.number for record in _pasted(above)] == ["T-01", "T-02", "T-03"]
