"""Japanese names and figure formats that the report and the terminal share. Layout belongs to them."""

from collections.abc import Iterable
from typing import NamedTuple

from rag_assets.evaluation.model import HowSearched
from rag_assets.model import Mode, Variant
from rag_assets.sources.registry import SOURCES

MODE_NAMES: dict[Mode, str] = {
    "hybrid": "併用（hybrid）",
    "bm25": "言葉の一致（BM25）",
    "dense": "意味の近さ（dense）",
}
"""Modes in the order they are shown: the one that will be used first."""


class ShareColumn(NamedTuple):
    """A field of `Score` that is a share, with its headings on the page and in a terminal."""

    field: str
    heading: str
    short_heading: str


SHARE_COLUMNS = (
    ShareColumn("hit_at_8", "hit@8", "hit@8"),
    ShareColumn("recall_at_5", "Recall@5", "R@5"),
    ShareColumn("recall_at_10", "Recall@10", "R@10"),
)

_SPLIT_NAMES = {
    "all": "全問",
    "tune": "調整用（tune）",
    "holdout": "確認用（holdout）",
    "unanswerable": "答えのない質問",
}


def split_name(split: str) -> str:
    """What a reader calls a split; an unknown one keeps its own name."""
    return _SPLIT_NAMES.get(split, split)


def source_name(source: str) -> str:
    """What a reader calls a source; `all` is every source together, and an unknown one keeps its own name."""
    return "すべての文書" if source == "all" else SOURCES[source].title if source in SOURCES else source


def source_column_name(source: str) -> str:
    """The same for a narrow column; it may have two lines."""
    if source == "all":
        return "全体"
    return (source in SOURCES and SOURCES[source].column_title) or source_name(source)


def find_main_mode(modes: Iterable[Mode]) -> Mode:
    """The mode that a summary is about: the first in the order of `MODE_NAMES` that was searched.

    A Knowledge Base on S3 Vectors is searched by meaning alone: it has no hybrid search.
    """
    searched = set(modes)
    return next((mode for mode in MODE_NAMES if mode in searched), "hybrid")


def describe_search(searched: HowSearched) -> str:
    """What was searched, with the `search_type` of a Knowledge Base."""
    if searched.search_in == "index":
        return "埋め込みインデックス"
    return f"Knowledge Base（search_type：{searched.settings['search_type']}）"


def describe_variant(variant: Variant) -> str:
    """How a variant prepares the records, in one line."""
    if variant.unit == "document":
        return "文書をもとのファイルのまま置く（検索時は 300 トークンごとの機械的な窓に切られる）。"
    if variant.limit is None:
        cut = "記事 1 本を 1 ファイルのまま置く（検索時は 300 トークンごとの機械的な窓に切られる）"
    else:
        cut = f"記事の構造に沿って、本文 {variant.limit:,} 字以内に切る"
    head = "先頭に文書名・番号・題名などを書く" if variant.header == "full" else "先頭に番号と題名を書く"
    digits = "。漢数字に算用数字を添える" if variant.digits else ""
    words = "。辞書にあるふだんの言い方を足す" if variant.dictionary else ""
    return f"{cut}。{head}{digits}{words}。"


def format_share(count: int, total: int) -> str:
    """A share for a narrow cell: `0` for none at all, never `0.0%` or `100%` for what is not quite that."""
    if count == 0 or total == 0:
        return "0"
    percent = 100 * count / total
    if percent < 0.1:
        return "<0.1%"
    if percent < 9.95:
        return f"{percent:.1f}%"
    return "99%" if 99 <= percent < 100 else f"{percent:.0f}%"


def format_milliseconds(value: float) -> str:
    """A duration with two significant figures: `0.4`, `3.2`, `48`."""
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def format_signed(value: float) -> str:
    """A difference with three decimals and its sign, the minus as wide as the plus."""
    return f"{value:+.3f}".replace("-", "−")


def format_probability(value: float) -> str:
    """A p-value: `p = 0.034`, `p < 0.001`."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
