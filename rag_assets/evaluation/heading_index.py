"""Which records a question set means by `path/file.md#見出し`.

Only records with an attribute `path` are found this way; today those are guides.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from difflib import get_close_matches

from rag_assets.model import Record

_MOST_NEAR = 3


class HeadingIndex:
    """Records by the path of their document and the headings they stand under."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records: defaultdict[tuple[str, str], list[tuple[str, frozenset[str]]]] = defaultdict(list)
        self._headings: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for record in records:
            path = record.attributes.get("path")
            if not isinstance(path, str):
                continue
            headings = {
                *record.chapter,
                record.title,
                *re.split("[＞／]", record.title),
                record.number,
                *(heading for section in record.sections for heading in section.headings),
            }
            place = record.source, _plain(path)
            self._records[place].append((record.record_id, frozenset(map(_plain, headings))))
            self._headings[place] |= {_plain(heading): f"{path}#{heading}" for heading in headings - {record.number}}

    def resolve(self, source: str, gold: str) -> str:
        """A gold with the IDs of records in place of the places it names, which ` | ` separates.

        Raises:
            ValueError: No record has such a place; the message names the nearest.
        """
        if not self.is_place(source, gold.partition("|")[0].strip()):
            return gold
        found: list[str] = []
        for one in filter(None, map(str.strip, gold.split("|"))):
            ids = self.find(source, one) if self.is_place(source, one) else [one]
            if not ids:
                near = self.describe_nearest(source, one)
                raise ValueError(
                    f"{one} is no place in a document of {source}{f'; the nearest are {near}' if near else ''}"
                )
            found += ids
        return " ".join(dict.fromkeys(found))

    def is_place(self, source: str, gold: str) -> bool:
        """Whether a gold is a place in a document of the source, and no number or ID of a record."""
        return any(known == source for known, _ in self._records) and (
            "#" in gold or self._path(source, gold) is not None
        )

    def find(self, source: str, gold: str) -> list[str]:
        """IDs of the records of a document that stand under a heading, hold it, or are all there are of it."""
        path, _, heading = gold.partition("#")
        place = self._path(source, path)
        if place is None:
            return []
        wanted = _plain(heading)
        return [record_id for record_id, headings in self._records[place] if not wanted or wanted in headings]

    def describe_nearest(self, source: str, gold: str) -> str:
        """The places of the source whose names are most like a gold that is none."""
        path, _, heading = gold.partition("#")
        place = self._path(source, path)
        if place is None:
            paths = {path: known.partition("#")[0] for path, known in self._paths(source).items()}
            return "、".join(paths[near] for near in get_close_matches(_plain(path), paths, _MOST_NEAR, 0.3))
        known = self._headings[place]
        return "、".join(known[near] for near in get_close_matches(_plain(heading), known, _MOST_NEAR, 0.1))

    def _paths(self, source: str) -> dict[str, str]:
        return {
            path: next(iter(self._headings[known, path].values())) for known, path in self._records if known == source
        }

    def _path(self, source: str, path: str) -> tuple[str, str] | None:
        """The document that a path names, which may leave out the outer folders where no other has it then."""
        wanted = _plain(path).removeprefix("./")
        if (source, wanted) in self._records:
            return source, wanted
        ending = [place for place in self._records if place[0] == source and place[1].endswith(f"/{wanted}")]
        return ending[0] if wanted and len(ending) == 1 else None


def _plain(words: str) -> str:
    """Words as they are compared: a question set is typed by people, from what Markdown looks like."""
    return re.sub(r"[\s*`_\\]|\{#[^}]*\}", "", unicodedata.normalize("NFKC", words)).casefold()
