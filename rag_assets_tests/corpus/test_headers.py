from datetime import date

from hypothesis import given

from rag_assets.corpus.headers import header
from rag_assets.model import AsOf, Facet, Record
from rag_assets_tests.strategies import record, records, section

_FULL = record([section("概要", "本文です。")], number="2594").model_copy(
    update={
        "facets": (Facet(key="tax_items", label="対象税目", values=("源泉所得税", "法人税")),),
        "as_of": AsOf(label="令和8年4月1日現在法令等", date=date(2026, 4, 1)),
    }
)


def test_full_header() -> None:
    assert header(_FULL, "full") == (
        "国税庁タックスアンサー No.2594 食事を支給したとき（対象税目：源泉所得税、法人税）［令和8年4月1日現在法令等］"
    )


def test_what_is_unknown_is_left_out_brackets_and_all() -> None:
    bare = _FULL.model_copy(update={"facets": (), "as_of": None})
    assert header(bare, "full") == "国税庁タックスアンサー No.2594 食事を支給したとき"


def test_title_only() -> None:
    assert header(_FULL, "title") == "No.2594 食事を支給したとき"


def test_chapter_and_question() -> None:
    of = _FULL.model_copy(update={"chapter": ("Ⅰ 概要", "１ 通則"), "question": "登録は必要ですか。", "facets": ()})
    assert header(of, "full") == (
        "国税庁タックスアンサー No.2594 食事を支給したとき（Ⅰ 概要＞１ 通則）［令和8年4月1日現在法令等］\n"
        "問：登録は必要ですか。"
    )


@given(records())
def test_a_header_names_the_record_and_nothing_empty(of: Record) -> None:
    full = header(of, "full")
    assert of.label in full
    assert of.title in full or of.title == f"{of.document}の{of.label}"
    assert not any(empty in full for empty in ("（）", "［］", "：）", "None"))


def test_a_title_that_is_the_beginning_of_the_question_is_not_said_twice() -> None:
    question = "登録は必要ですか。いつまでにすればよいですか。"
    for title in (question, "登録は必要ですか。いつ…"):
        of = _FULL.model_copy(update={"title": title, "question": question})
        assert header(of, "full").count("登録は必要ですか。") == 1
        assert header(of, "full").endswith(f"\n問：{question}")
        assert header(of, "title") == f"{of.label} {title}"


def test_a_title_that_only_names_document_and_number_is_not_said_again() -> None:
    of = _FULL.model_copy(update={"document": "見本法", "label": "附則", "facets": (), "as_of": None})
    for title in ("見本法", "附則", "見本法の附則"):
        assert header(of.model_copy(update={"title": title}), "full") == "見本法 附則"
        assert header(of.model_copy(update={"title": title}), "title") == f"附則 {title}"
    assert header(of.model_copy(update={"title": "見本法の施行"}), "full") == "見本法 附則 見本法の施行"
