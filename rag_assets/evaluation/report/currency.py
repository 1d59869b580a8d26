"""How current the text is, in the report's words: what is old, what is gone, and the dates of the rest.

What is stale is found in `sources/staleness.py`; layout belongs to `report.html.jinja`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from rag_assets.evaluation.labels import source_name
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
"""Record ID to the words that readers know the record by; an ID without a record is given back."""


def currency_notices(stale: Sequence[Staleness], name_of: NameOf) -> list[Notice]:
    """What is old, missing, gone and undated, over all sources, the gravest first; none where all is well."""
    found = [_not_renewed(stale, name_of, served=served) for served in (True, False)]
    return [
        notice for notice in [*_not_asked(stale), *found, _gone(stale, name_of), *_undated(stale, name_of)] if notice
    ]


def as_of_tables(stale: Sequence[Staleness]) -> list[AsOfTable]:
    """As-of dates by year and month: of all sources together where there are several, then of each."""
    each = [_as_of_table(one.source, Counter(one.as_of), len(one.undated), one.records) for one in stale if one.records]
    if len(each) < 2:
        return each
    months: Counter[tuple[int, int]] = Counter()
    for one in stale:
        months.update(one.as_of)
    together = _as_of_table("all", months, sum(len(one.undated) for one in stale), sum(one.records for one in stale))
    return [together, *each]


def _not_asked(stale: Sequence[Staleness]) -> list[Notice]:
    """Sources whose list of articles could not be had: every article of theirs is as old as the visit before."""
    return [
        Notice(
            "old",
            f"{source_name(one.source)}：記事の一覧を取得できなかったか読み取れなかったため、新しい内容があるかどうかを"
            f"確かめていません。以前の文章のまま検索されています（{one.not_asked:,} 件）。",
            (f"{_day(one.list_failure.checked_at)}に確認：{one.list_failure.why}",),
        )
        for one in stale
        if one.list_failure is not None and one.not_asked
    ]


def _not_renewed(stale: Sequence[Staleness], name_of: NameOf, *, served: bool) -> Notice | None:
    names = tuple(
        f"{_name(one, each, name_of)}（{_why(each, unread=each in one.unread)}）"
        for one in stale
        for each in (*one.failed, *one.unread)
        if each.is_served is served
    )
    if not names:
        return None
    if served:
        message = (
            "新しい内容を取得できなかったか読み取れなかったため、"
            f"以前の文章のまま検索されています（{len(names):,} 件）。答えが古いおそれがあります。"
        )
        return Notice("old", message, names)
    message = f"取得できなかったか読み取れなかったため、検索の対象に入っていません（{len(names):,} 件）。"
    return Notice("missing", message, names)


def _gone(stale: Sequence[Staleness], name_of: NameOf) -> Notice | None:
    names = tuple(name_of(f"{one.source}/{key}") for one in stale for key in one.withdrawn)
    if not names:
        return None
    message = f"公開元から取り下げられたか一覧から消えたため、検索の対象から外しました（{len(names):,} 件）。"
    return Notice("gone", message, names)


def _undated(stale: Sequence[Staleness], name_of: NameOf) -> list[Notice]:
    """A notice a source; where none of its records is dated, without their names."""
    notices: list[Notice] = []
    for one in stale:
        if one.undated:
            whole = len(one.undated) == one.records
            names = () if whole else tuple(name_of(record_id) for record_id in one.undated)
            count = f"{len(one.undated):,} 件すべて" if whole else f"{one.records:,} 件のうち {len(one.undated):,} 件"
            message = (
                f"{source_name(one.source)}：いつの時点の内容か（現在法令等、改正日など）が書かれていないか、"
                f"読み取れません（{count}）。"
            )
            notices.append(Notice("undated", message, names))
    return notices


def _name(one: Staleness, each: Unrenewed, name_of: NameOf) -> str:
    return name_of(f"{one.source}/{each.key}")


def _why(each: Unrenewed, *, unread: bool) -> str:
    reason = "取得したが読み取れない" if unread else each.why or "取得できない"
    since = f"{_day(each.fetched_at)}に取得した文章、" if each.fetched_at else ""
    return f"{since}{_day(each.checked_at)}に確認：{reason}"


def _day(moment: datetime) -> str:
    moment = moment.astimezone(_JAPAN)
    return f"{moment.year}年{moment.month}月{moment.day}日"


def _as_of_table(source: str, counts: Counter[tuple[int, int]], undated: int, records: int) -> AsOfTable:
    years = sorted({year for year, _ in counts}, reverse=True)
    rows = tuple(YearRow(year, tuple(counts[year, month] for month in range(1, 13))) for year in years)
    return AsOfTable(source, rows, undated, records)
