"""The synonym dictionary: everyday words for the words of the documents, edited by people as plain text.

Reading it, applying it, and telling what is wrong with it. Where its files lie is a setting.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from rag_assets.japanese.encodings import UndecodableError, decode_text
from rag_assets.model import Model, Record

COMMON_SHARE = 0.05
"""A headword found in more than this share of the records is told as common: words added to one record in twenty no
longer tell records apart. (Measured on 756 Tax Answer articles: a dictionary with 控除, 給与 and 非課税 as headwords
lowered the MRR of questions it was not made from.)"""

COMMON_AT_LEAST = 10
"""Fewer records than this are never too many: a share of a small corpus says nothing."""

ProblemKind = Literal["malformed", "duplicate", "useless", "unreadable", "no source"]

_SEPARATOR = re.compile(r"[:：]")
_COMMA = re.compile(r"[,，、]")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
"""Line breaks as editors count them; `str.splitlines` knows more, and its numbers would lead to another line."""
_TITLE_OF_ANOTHER = re.compile(r"《[^》\n]*》")
_BLANKS = " \t\u3000\ufeff"


class DictionaryEntry(Model):
    """One headword with its everyday words, and where it is written."""

    headword: str
    words: tuple[str, ...]
    file: str
    line: int


class Problem(Model):
    """Something a person should mend in a dictionary file; `str()` names file, line and remedy.

    `malformed` lines and `unreadable` files add nothing; `duplicate` headwords add the words of all their lines;
    `useless` words are left out; a file with `no source` belongs to no source by its name.
    """

    kind: ProblemKind
    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


class Dictionary(Model):
    """The entries of one source, each headword once, and the problems met while reading them."""

    entries: tuple[DictionaryEntry, ...] = ()
    problems: tuple[Problem, ...] = ()

    def words_for(self, *texts: str) -> tuple[str, ...]:
        """The everyday words of every headword that stands in any of the texts, each once, in dictionary order.

        Widths do not matter: ＮＰＯ in a text is NPO in the dictionary. What stands in 《》 is the title of another
        record that the text refers to, and adds nothing.
        """
        found = self.found_in(_TITLE_OF_ANOTHER.sub("", "\n".join(texts)))
        return _each_once(word for position in found for word in self.entries[position].words)

    def found_in(self, text: str) -> list[int]:
        """Positions of the entries whose headword stands in a text, in dictionary order.

        Only headwords whose beginning the text has are looked for: hundreds of headwords are asked of thousands of
        chunks, and almost none stands in any one of them.
        """
        folded = _folded(text)
        begun = {folded[start : start + 2] for start in range(len(folded))} | set(folded)
        return sorted(
            position
            for beginning in begun & self._by_beginning.keys()
            for position, headword in self._by_beginning[beginning]
            if headword in folded
        )

    @cached_property
    def _by_beginning(self) -> dict[str, list[tuple[int, str]]]:
        """Position and folded headword of the entries, by the headword's first two characters."""
        found: dict[str, list[tuple[int, str]]] = {}
        for position, entry in enumerate(self.entries):
            headword = _folded(entry.headword)
            found.setdefault(headword[:2], []).append((position, headword))
        return found


class HeadwordUse(Model):
    """In how many records and chunks of a corpus a headword stands."""

    headword: str
    words: tuple[str, ...]
    file: str
    line: int
    records: int
    chunks: int
    common: bool


class DictionaryError(ValueError):
    """A dictionary with problems where the settings say that these stop the run; the message lists them all."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(
            f"{len(problems)} problem(s) in the synonym dictionary "
            f"(mend them, or set dictionary_problems to 'warn' to go on without these lines):\n{lines}"
        )
        self.problems = tuple(problems)


def read_dictionary(folder: Path, source: str, sources: Iterable[str] = ()) -> Dictionary:
    """The dictionary of one source: the files `<source>.txt` and `<source>_*.txt` of a folder, in order of name.

    Args:
        folder: The dictionaries folder; an absent file means a dictionary without entries.
        source: Name of the source, such as `tax_answer`.
        sources: All names of sources: a file that begins with a longer name of another source is that source's.

    Raises:
        NotADirectoryError: There is no such folder.
    """
    if not folder.is_dir():
        raise NotADirectoryError(
            f"dictionaries folder {folder} does not exist: create it with a file {source}.txt, "
            "or point the setting 'dictionaries' (--dictionaries) at the folder that holds it"
        )
    files = [path for path in _text_files(folder) if file_source(path.name, {*sources, source}) == source]
    return _merged([_read_file(path) for path in files])


def file_source(name: str, sources: Iterable[str]) -> str | None:
    """The source a dictionary file belongs to by its name: the longest that it equals or begins with."""
    stem = Path(name).stem
    fitting = [source for source in sources if stem == source or stem.startswith((f"{source}_", f"{source}-"))]
    return max(fitting, key=len, default=None)


def stray_files(folder: Path, sources: Iterable[str]) -> list[Problem]:
    """The files of the folder that belong to no source, so that a mistyped name does not go unnoticed."""
    known = sorted(sources)
    return [
        Problem(
            kind="no source",
            file=path.name,
            line=0,
            message=f"belongs to no source; name it <source>.txt, the source one of {', '.join(known)}",
        )
        for path in _text_files(folder)
        if file_source(path.name, known) is None
    ]


def _text_files(folder: Path) -> list[Path]:
    """The files that are meant as dictionaries: `.txt` in either case, as Windows writes it, and not hidden."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() == ".txt" and path.name[0] != ".")


def _read_file(path: Path) -> Dictionary:
    try:
        return parse_dictionary(path.read_bytes(), path.name)
    except OSError as error:
        return _unreadable(path.name, f"cannot be read ({error.strerror}); mend its permissions or take it away")


def _unreadable(file: str, message: str) -> Dictionary:
    return Dictionary(problems=(Problem(kind="unreadable", file=file, line=0, message=message),))


def parse_dictionary(data: bytes, file: str) -> Dictionary:
    """One dictionary file; UTF-8 with or without BOM, or CP932 as Excel and Notepad write it.

    Args:
        data: The file as it is.
        file: Its name, for messages.
    """
    try:
        text = decode_text(data).text
    except UndecodableError as error:
        return _unreadable(file, f"{error}; save it as UTF-8")
    entries: list[DictionaryEntry] = []
    problems: list[Problem] = []
    for number, line in enumerate(_LINE_BREAK.split(text), start=1):
        written = line.split("#", 1)[0].strip(_BLANKS)
        if not written:
            continue
        parsed = list(_parse_line(written, file, number))
        problems.extend(found for found in parsed if isinstance(found, Problem))
        entries.extend(found for found in parsed if isinstance(found, DictionaryEntry))
    return Dictionary(entries=tuple(entries), problems=tuple(problems))


def headword_use(
    dictionary: Dictionary, records: Sequence[Record], texts_of: dict[str, list[str]]
) -> list[HeadwordUse]:
    """How often each headword is used, most common first; those that hit nothing come last with 0 records.

    Args:
        dictionary: The dictionary of one source.
        records: The records of that source.
        texts_of: The chunk texts of each record, by record ID.
    """
    in_records: Counter[int] = Counter()
    in_chunks: Counter[int] = Counter()
    for record in records:
        texts = texts_of.get(record.record_id, [])
        found = Counter(position for text in texts for position in dictionary.found_in(text))
        found.update({position: len(texts) - found[position] for position in dictionary.found_in(record.title)})
        in_chunks.update(found)
        in_records.update(position for position, chunks in found.items() if chunks)
    uses = [
        HeadwordUse(
            headword=entry.headword,
            words=entry.words,
            file=entry.file,
            line=entry.line,
            records=in_records[position],
            chunks=in_chunks[position],
            common=in_records[position] > max(COMMON_SHARE * len(records), COMMON_AT_LEAST),
        )
        for position, entry in enumerate(dictionary.entries)
    ]
    return sorted(uses, key=lambda use: (-use.records, -use.chunks, use.headword))


def _parse_line(written: str, file: str, number: int) -> Iterator[DictionaryEntry | Problem]:
    def problem(kind: ProblemKind, message: str) -> Problem:
        return Problem(kind=kind, file=file, line=number, message=message)

    headword, *rest = (part.strip(_BLANKS) for part in _SEPARATOR.split(written, maxsplit=1))
    if not rest:
        yield problem("malformed", f"no colon in {written!r}; write 記事の言葉: ふだんの言い方, …")
        return
    words = _each_once(filter(None, (word.strip(_BLANKS) for word in _COMMA.split(rest[0]))))
    if not headword:
        yield problem("malformed", f"no headword before the colon in {written!r}")
        return
    if not words:
        yield problem("malformed", f"no everyday word behind the colon of {headword!r}")
        return
    useless = [word for word in words if _folded(word) in _folded(headword)]
    for word in useless:
        yield problem("useless", f"{word!r} already stands in its headword {headword!r}: it would add nothing")
    useful = tuple(word for word in words if word not in useless)
    if useful:
        yield DictionaryEntry(headword=headword, words=useful, file=file, line=number)


def _merged(parsed: Sequence[Dictionary]) -> Dictionary:
    """The files of one source as one dictionary: a headword written twice is told, and has the words of both."""
    problems = [problem for dictionary in parsed for problem in dictionary.problems]
    merged: dict[str, DictionaryEntry] = {}
    for entry in (entry for dictionary in parsed for entry in dictionary.entries):
        key = _folded(entry.headword)
        first = merged.setdefault(key, entry)
        if first is not entry:
            problems.append(
                Problem(
                    kind="duplicate",
                    file=entry.file,
                    line=entry.line,
                    message=f"{entry.headword!r} stands already in {first.file}:{first.line}; write it once",
                )
            )
            merged[key] = first.model_copy(update={"words": _each_once((*first.words, *entry.words))})
    return Dictionary(entries=tuple(merged.values()), problems=tuple(problems))


def _folded(text: str) -> str:
    """The text by which words are compared: ＮＰＯ and NPO are one word."""
    return unicodedata.normalize("NFKC", text)


def _each_once(words: Iterable[str]) -> tuple[str, ...]:
    """The words in order, each as it is first written, widths folded."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(_folded(word), word)
    return tuple(first.values())
