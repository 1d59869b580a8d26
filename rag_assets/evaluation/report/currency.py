"""Notices of currency: what is old, missing or gone, and the as-of dates of the rest.

What is stale is found in `sources/staleness.py`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from rag_assets.evaluation.labels import source_name
from rag_assets.evaluation.report.model import Report
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.sources.staleness import Staleness, Unrenewed

_JAPAN = ZoneInfo("Asia/Tokyo")
SHOWN_NAMES = 20
"""Names that a reader sees at once; the others are folded away."""


class Notice(NamedTuple):
    """One thing a reader has to know of the text that was prepared.

    Attributes:
        kind: `old`: old text is still searched; `missing`: nothing of it is; `gone`: the publisher has withdrawn it;
            `undated`: no as-of date could be read.
        message: What it is, with the count.
        names: What it is true of.
    """

    kind: Literal["old", "missing", "gone", "undated"]
    message: str
    names: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """The names seen at once."""
        return self.names[:SHOWN_NAMES]

    @property
    def folded(self) -> tuple[str, ...]:
        """The others."""
        return self.names[SHOWN_NAMES:]


class YearRow(NamedTuple):
    """How many records have their as-of date in each month of a year."""

    year: int
    months: tuple[int, ...]

    @property
    def total(self) -> int:
        """Of the whole year."""
        return sum(self.months)


class AsOfTable(NamedTuple):
    """The as-of dates of a source, or of all (`all`), the newest year first."""

    source: str
    years: tuple[YearRow, ...]
    undated: int
    records: int


NameOf = Callable[[str], str]
"""Record ID to the name that readers know; an ID without a record is given back."""


def list_notices(report: Report) -> list[Notice]:
    """The notices of a report, with records and articles by the names that readers know."""
    names = {record.record_id: record.name for record in report.records}

    def find_name(record_id: str) -> str:
        source, _, key = record_id.partition("/")
        return names.get(record_id) or (f"No.{key}" if source == TAX_ANSWER else record_id)

    return find_notices(report.staleness, find_name)


def find_notices(stale: Sequence[Staleness], name_of: NameOf) -> list[Notice]:
    """What is old, missing, gone and undated, over all sources, the gravest first; none where all is well."""
    return [
        *_find_unchecked(stale),
        *_find_unrenewed(stale, name_of),
        *_find_gone(stale, name_of),
        *_find_undated(stale, name_of),
    ]


def make_as_of_tables(stale: Sequence[Staleness]) -> list[AsOfTable]:
    """As-of dates by year and month: of all sources together where there are several, then of each."""
    dated = [(one.source, Counter(one.as_of), len(one.undated), one.records) for one in stale if one.records]
    if len(dated) > 1:
        _, months, undated, records = zip(*dated, strict=True)
        dated.insert(0, ("all", sum(months, Counter()), sum(undated), sum(records)))
    return [_make_as_of_table(*each) for each in dated]


def _find_unchecked(stale: Sequence[Staleness]) -> Iterator[Notice]:
    """Sources whose list of articles could not be read: each of their articles is as old as the visit before."""
    for one in stale:
        if one.list_failure is not None and one.not_asked:
            message = (
                f"{source_name(one.source)}：記事の一覧を取得できなかったか読み取れなかったため、新しい内容があるかどうかを"
                f"確かめていません。以前の文章のまま検索されています（{one.not_asked:,} 件）。"
            )
            checked = f"{_format_day(one.list_failure.checked_at)}に確認：{one.list_failure.why}"
            yield Notice("old", message, (checked,))


def _find_unrenewed(stale: Sequence[Staleness], name_of: NameOf) -> Iterator[Notice]:
    def list_names(served: bool) -> tuple[str, ...]:
        return tuple(
            f"{name_of(f'{one.source}/{each.key}')}（{_describe_failure(each, unread=each in one.unread)}）"
            for one in stale
            for each in (*one.failed, *one.unread)
            if each.is_served is served
        )

    if names := list_names(True):
        message = (
            "新しい内容を取得できなかったか読み取れなかったため、"
            f"以前の文章のまま検索されています（{len(names):,} 件）。答えが古いおそれがあります。"
        )
        yield Notice("old", message, names)
    if names := list_names(False):
        message = f"取得できなかったか読み取れなかったため、検索の対象に入っていません（{len(names):,} 件）。"
        yield Notice("missing", message, names)


def _find_gone(stale: Sequence[Staleness], name_of: NameOf) -> Iterator[Notice]:
    if names := tuple(name_of(f"{one.source}/{key}") for one in stale for key in one.withdrawn):
        message = f"公開元から取り下げられたか一覧から消えたため、検索の対象から外しました（{len(names):,} 件）。"
        yield Notice("gone", message, names)


def _find_undated(stale: Sequence[Staleness], name_of: NameOf) -> Iterator[Notice]:
    """A notice a source; where none of its records is dated, without their names."""
    for one in stale:
        if one.undated:
            whole = len(one.undated) == one.records
            names = () if whole else tuple(name_of(record_id) for record_id in one.undated)
            count = f"{len(one.undated):,} 件すべて" if whole else f"{one.records:,} 件のうち {len(one.undated):,} 件"
            message = (
                f"{source_name(one.source)}：いつの時点の内容か（現在法令等、改正日など）が書かれていないか、"
                f"読み取れません（{count}）。"
            )
            yield Notice("undated", message, names)


def _describe_failure(each: Unrenewed, *, unread: bool) -> str:
    reason = "取得したが、読み取れる文章がない" if unread else each.why or "取得できない"
    since = f"{_format_day(each.fetched_at)}に取得した文章、" if each.fetched_at else ""
    return f"{since}{_format_day(each.checked_at)}に確認：{reason}"


def _format_day(moment: datetime) -> str:
    moment = moment.astimezone(_JAPAN)
    return f"{moment.year}年{moment.month}月{moment.day}日"


def _make_as_of_table(source: str, counts: Mapping[tuple[int, int], int], undated: int, records: int) -> AsOfTable:
    years = sorted({year for year, _ in counts}, reverse=True)
    rows = tuple(YearRow(year, tuple(counts.get((year, month), 0) for month in range(1, 13))) for year in years)
    return AsOfTable(source, rows, undated, records)
