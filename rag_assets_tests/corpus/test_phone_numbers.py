import pytest

from rag_assets.corpus.phone_numbers import PhoneNumber, phone_numbers, tells_owner
from rag_assets.corpus.text_layout import bare_layout


def found(text: str) -> list[tuple[str, str]]:
    return [(text[number.start : number.end], number.owner) for number in phone_numbers(bare_layout(text))]


@pytest.mark.parametrize(
    "number",
    [
        "03-1234-5678",
        "042-123-4567",
        "0120-123-456",
        "0570-01-5901",
        "090-1234-5678",
        "(03)1234-5678",
        "03(1234)5678",
        "０３－１２３４－５６７８",
        "（０３）１２３４－５６７８",
        "03ー1234ー5678",
        "0000-84-2201",
    ],
)
def test_telephone_numbers_are_found(number: str) -> None:
    assert [phone for phone, _ in found(f"番号は{number}です。")] == [number]


@pytest.mark.parametrize(
    "text",
    [
        "2025-04-01",
        "令和07-04-01",
        "〒100-8978",
        "1,234,567円",
        "昭和49年直審5-11",
        "様式0123-45",
        "10-1234-5678",
        "03-1234-56789",
        "1-03-1234-5678",
        "03-1234-5678-9",
        "口座0312345678",
    ],
)
def test_other_figures_are_none(text: str) -> None:
    assert found(text) == []


def test_digits_without_hyphens_are_a_number_only_where_the_text_says_so() -> None:
    assert found("電話0312345678") == [("0312345678", "")]


@pytest.mark.parametrize(
    ("before", "owner"),
    [
        ("東国税局電話相談センターの番号は", "東国税局電話相談センター"),
        ("東国税局から西税務署に移りました。\n電話は", "西税務署"),
        ("会社の総務課（内線なし）、直通は", "総務課"),
        ("この関係で、一部の教室は", ""),
        ("西税務署" + "あ" * 301, ""),
    ],
)
def test_the_owner_is_the_last_organisation_before(before: str, owner: str) -> None:
    assert found(f"{before}03-1234-5678") == [("03-1234-5678", owner)]


def test_a_name_in_brackets_behind_the_number_is_its_owner() -> None:
    assert found("東税務署ではなく03-1234-5678（西税務署）へ") == [("03-1234-5678", "西税務署")]


@pytest.mark.parametrize(
    ("owner", "text", "named", "told"),
    [
        ("東税務署", "東税務署 03-1234-5678", False, True),
        ("東税務署", "税務署 03-1234-5678", True, False),
        ("法人課税係", "法人課税係 03-1234-5678", False, False),
        ("法人課税係", "法人課税係 03-1234-5678", True, True),
        ("法人課税係", "東国税局 法人課税係 03-1234-5678", False, True),
        ("法人課税係", "税務署へは法人課税係 03-1234-5678", False, False),
        ("東国税局相談窓口", "東国税局相談窓口 03-1234-5678", False, True),
        ("", "03-1234-5678", False, False),
        ("", "03-1234-5678", True, True),
    ],
)
def test_a_reader_is_told_the_owner(owner: str, text: str, named: bool, told: bool) -> None:
    assert tells_owner(text, PhoneNumber(0, 0, owner), named=named) is told
