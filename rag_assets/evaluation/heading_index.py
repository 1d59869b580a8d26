"""Which records a question set means by `path/file.md#見出し`.

Only records with an attribute `path` are found this way; today those are guides.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from difflib import get_close_matches
from urllib.parse import unquote

from rag_assets.japanese.heading_numbers import without_number
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
        wanted = self._match_headings(place, heading)
        return [record_id for record_id, headings in self._records[place] if wanted <= headings]

    def _match_headings(self, place: tuple[str, str], written: str) -> frozenset[str]:
        """The headings that a gold names, as they are compared: one, or a path of them (`経費＞宿`).

        A heading as it is written goes first. Then others count if only one heading of the document has that form:
        its number left out, an address of the web, the words without any signs.
        """
        known = {*self._headings[place], *(heading for _, headings in self._records[place] for heading in headings)}
        if not _plain(written) or _plain(written) in known:
            return frozenset(filter(None, (_plain(written),)))
        wanted = _plain(unquote(written))
        for is_like in (str.__eq__, _is_like_but_for_a_number, _has_same_letters):
            like = {heading for heading in known if is_like(heading, wanted)}
            if len(like) == 1:
                return frozenset(like)
        parts = [part for part in re.split("[＞>]", written) if part.strip()]
        if len(parts) < 2:
            return frozenset({_plain(written)})
        return frozenset().union(*(self._match_headings(place, part) for part in parts))

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
        wanted = _plain(unquote(path).replace("\\", "/")).removeprefix("./")
        if (source, wanted) in self._records:
            return source, wanted
        ending = [place for place in self._records if place[0] == source and place[1].endswith(f"/{wanted}")]
        return ending[0] if wanted and len(ending) == 1 else None


def _plain(words: str) -> str:
    """Words as they are compared: a question set is typed by people, from what Markdown looks like."""
    return re.sub(r"[\s*`_\\]|\{#[^}]*\}|^#+\s", "", unicodedata.normalize("NFKC", words)).casefold()


def _is_like_but_for_a_number(heading: str, wanted: str) -> bool:
    """Whether one of two has a number before it, and they are the same without."""
    return without_number(heading) == wanted or without_number(wanted) == heading


def _has_same_letters(heading: str, wanted: str) -> bool:
    """Whether letters and figures are the same: sites make anchors of headings by leaving the signs out."""
    letters, wanted_letters = (re.sub(r"[\W_]", "", each) for each in (heading, wanted))
    return bool(letters) and letters == wanted_letters
