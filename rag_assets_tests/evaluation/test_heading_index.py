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
