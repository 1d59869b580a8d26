import datetime
import io

import pytest

from rag_assets.corpus.headers import header
from rag_assets.sources.base import DocumentError
from rag_assets.sources.guides.edition import date_guide
from rag_assets.sources.guides.reader import read_document
from rag_assets.sources.guides.settings import GuideSettings
from rag_assets_tests.sources.guides.guide_texts import markdown, read

_LONG = "ここには、宿の決まりが長く書いてあります。" * 20
_HANDBOOK = (
    f"---\ntitle: 経費の手引き\ndate: 2026-04-01\n---\n## 2. 出張\n\n### 2.1 宿\n\n{_LONG}\n\n### 2.2 食事\n\n{_LONG}\n"
)


def test_the_header_shows_the_path_of_headings_with_their_numbers() -> None:
    records, _ = read(_HANDBOOK)
    assert [header(record, "full") for record in records] == [
        "経費の手引き＞2. 出張＞2.1 宿［2026-04-01］",
        "経費の手引き＞2. 出張＞2.2 食事［2026-04-01］",
    ]
    assert header(records[1], "title") == "2.2 食事"
    assert records[0].as_of is not None
    assert records[0].as_of.date == datetime.date(2026, 4, 1)


def test_the_name_of_a_folder_stands_before_the_title() -> None:
    records, _ = read(_HANDBOOK, document="社員ハンドブック", path="keihi.md")
    assert header(records[1], "full").startswith("社員ハンドブック＞経費の手引き＞2. 出張＞2.2 食事")


def test_links_lead_to_the_place() -> None:
    def urls(link: str, path: str = "a/keihi.md") -> list[str | None]:
        return [record.url for record in read(_HANDBOOK, link=link, path=path)[0]]

    assert urls("https://example.jp/book")[1] == "https://example.jp/book/a/keihi/#22-%E9%A3%9F%E4%BA%8B"
    assert urls("https://example.jp/blob/{path}")[1] == "https://example.jp/blob/a/keihi.md#22-%E9%A3%9F%E4%BA%8B"
    assert str(urls("https://example.jp/book/", "a/_index.md")[1]).startswith("https://example.jp/book/a/#")
    assert str(urls("https://example.jp/book/", "index.md")[1]).startswith("https://example.jp/book/#")


def test_a_document_without_text_is_told_and_yields_no_record() -> None:
    records, findings = read("---\ntitle: 空\n---\n{{< toc >}}\n")
    assert (records, [finding.topic for finding in findings]) == ([], ["no text"])


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, ".docx"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "OCR"),
        ("番号,件名\n1,甲\n2,乙\n".encode(), "--csv-rows"),
    ],
)
def test_other_files_are_refused_with_what_to_do(data: bytes, named: str) -> None:
    settings = GuideSettings(key="a", location="a.bin")
    with pytest.raises(DocumentError, match=named) as error:
        list(read_document(io.BytesIO(data), settings, sha256="0" * 64))
    assert "a.bin" in str(error.value)


def test_markdown_is_known_by_its_name_where_it_begins_like_something_else() -> None:
    for text in (
        "<div>\n\n## 宿\n\n</div>\n\n文",
        "甲,乙\n丙,丁\n戊,己\n",
        "From: a\nTo: b\nSubject: c\nMessage-ID: d\n",
    ):
        assert read(text)[0]
    assert read("<div>\n\n## 宿\n\n</div>\n\n文")[0][0].title == "宿"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("# 題\n\n令和5年4月1日改訂\n\n文", "令和5年4月1日 改訂"),
        ("# 題\n\n最終更新日：2024年2月3日\n\n文", "2024年2月3日更新"),
        ("# 題\n\n平成30年4月1日制定\n\n令和2年10月1日改正\n\n文", "令和2年10月1日 改正"),
        ("# 題\n\n" + "文。\n\n" * 30 + "附則\n\nこの規程は、令和6年7月1日から施行する。", "令和6年7月1日施行"),
        ("# 題\n\n2020年5月1日に門が建ちました。", ""),
    ],
)
def test_dates_of_head_and_foot(text: str, label: str) -> None:
    as_of, _ = date_guide(markdown(text), datetime.date(2026, 12, 1))
    assert (as_of.label.replace(" ", "") if as_of else "") == label.replace(" ", "")


def test_what_is_to_come_does_not_hold_yet() -> None:
    as_of, findings = date_guide(markdown("# 題\n\n令和9年4月1日改訂\n\n文"), datetime.date(2026, 12, 1))
    assert as_of is None
    assert findings[0].review_on == datetime.date(2027, 4, 1)
