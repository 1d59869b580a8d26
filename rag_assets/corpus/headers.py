"""What stands at the head of a chunk: whose piece it is and what date it speaks for."""

from typing import Literal

from rag_assets.model import Record


def header(record: Record, style: Literal["full", "title"]) -> str:
    """The header of every chunk of a record; what the record does not tell is left out, brackets and all.

    `full`: 「国税庁タックスアンサー No.2594 食事を支給したとき（対象税目：源泉所得税）［令和8年4月1日現在法令等］」,
    for a Q&A with the question on a second line; a title that is only the question's beginning is left out then. So is
    one that only says again whose piece it is, as that of an article without a caption, which goes by its law's name.
    A section of a guide has its path of headings instead: 「社員ハンドブック＞経費＞ホテル」.
    `title`: number and title only, as a raw file begins.
    """
    has_path = _is_found_by_headings(record)
    name = record.title if has_path else f"{record.label} {record.title}"
    if style == "title":
        return name
    if _says_nothing_new(record):
        name = record.label
    chapter = f"（{'＞'.join(record.chapter)}）" if record.chapter else ""
    place = _heading_path(record) if has_path else f"{record.document} {name}{chapter}"
    facets = "".join(f"（{facet.label}：{'、'.join(facet.values)}）" for facet in record.facets)
    as_of = f"［{record.as_of.label}］" if record.as_of else ""
    question = f"\n問：{record.question}" if record.question else ""
    return f"{place}{facets}{as_of}{question}"


def _is_found_by_headings(record: Record) -> bool:
    """Whether the chapters of a record begin with the document itself: it is a section, and has no number."""
    return record.chapter[:1] == (record.document,)


def _heading_path(record: Record) -> str:
    path = (*record.chapter, record.title)
    return "＞".join(words for at, words in enumerate(path) if at == 0 or words != path[at - 1])


def _says_nothing_new(record: Record) -> bool:
    """Whether a title only repeats what stands beside it: document, number, or the beginning of the question."""
    if record.title in (record.document, record.label, f"{record.document}の{record.label}"):
        return True
    return record.question.startswith(record.title.removesuffix("…")) if record.question else False
