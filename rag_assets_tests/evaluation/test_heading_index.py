import pytest

from rag_assets.evaluation.heading_index import HeadingIndex
from rag_assets_tests.sources.guides.guide_texts import read

_LONG = "ここには、宿の決まりが長く書いてあります。" * 20
_HANDBOOK = f"# 経費の手引き\n\n## 2. 出張\n\n### 2.1 宿\n\n{_LONG}\n\n### 2.2 食事\n\n{_LONG}\n"


def test_gold_names_a_heading_with_all_below_it() -> None:
    records, _ = read(_HANDBOOK, path="a/keihi.md")
    index = HeadingIndex(records)
    first, second = (record.record_id for record in records)
    assert index.resolve("guides", "a/keihi.md#2. 出張") == f"{first} {second}"
    assert index.resolve("guides", "keihi.md#２.２ 食事") == second
    assert index.resolve("guides", "a/keihi.md#") == f"{first} {second}"
    assert index.resolve("guides", f"a/keihi.md#2.2 食事 | {first}") == f"{second} {first}"
    assert index.resolve("guides", first) == first
    assert index.resolve("law", "322#36") == "322#36"


def test_an_unknown_heading_is_told_with_the_nearest() -> None:
    index = HeadingIndex(read(_HANDBOOK, path="a/keihi.md")[0])
    with pytest.raises(ValueError, match=r"2\.2 食事"):
        index.resolve("guides", "a/keihi.md#食事代")
    with pytest.raises(ValueError, match=r"a/keihi\.md"):
        index.resolve("guides", "b/keihi.md#2.2 食事")


@pytest.mark.parametrize(
    "written",
    [
        "宿",
        "２.１　宿",
        "出張＞宿",
        "2. 出張 > 2.1 宿",
        "%E5%AE%BF",
        "21-宿",
        "## 2.1 宿",
    ],
)
def test_headings_are_found_as_people_write_them(written: str) -> None:
    records, _ = read(_HANDBOOK, path="a/keihi.md")
    assert HeadingIndex(records).resolve("guides", f"a\\keihi.md#{written}") == records[0].record_id


def test_a_path_of_headings_tells_those_of_one_name_apart() -> None:
    text = f"# 題\n\n## 貸出\n\n### 準備\n\n{_LONG}{_LONG}\n\n## 返却\n\n### 準備\n\n{_LONG}{_LONG}\n"
    records, _ = read(text, path="keihi.md")
    index = HeadingIndex(records)
    assert index.resolve("guides", "keihi.md#準備").split() == [record.record_id for record in records]
    assert index.resolve("guides", "keihi.md#返却＞準備") == records[1].record_id
    with pytest.raises(ValueError, match="準備"):
        index.resolve("guides", "keihi.md#廃棄＞準備")


def test_a_form_that_two_headings_share_is_no_name() -> None:
    records, _ = read(f"# 題\n\n## C の書き方\n\n{_LONG}{_LONG}\n\n## C++ の書き方\n\n{_LONG}{_LONG}\n", path="a.md")
    index = HeadingIndex(records)
    assert index.resolve("guides", "a.md#C++ の書き方") == records[1].record_id
    with pytest.raises(ValueError, match="の書き方"):
        index.resolve("guides", "a.md#C# の書き方")
    with pytest.raises(ValueError, match=r"2\.1 宿"):
        HeadingIndex(read(_HANDBOOK, path="a/keihi.md")[0]).resolve("guides", "keihi.md#3.1 宿")
