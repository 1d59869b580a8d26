"""A CSV file's bytes as lines of text: which encoding they are in, and bytes that are not in it made visible.

What a line says, and where a row ends, belongs to `table.py`.
"""

import codecs
import io
import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from rag_assets.japanese.composed import compose
from rag_assets.japanese.encodings import BYTE_ORDER_MARKS, NOT_IN_CP932, UndecodableError, decode_text, utf16_codec
from rag_assets.sources.base import DocumentError
from rag_assets.sources.file_kinds import as_csv, file_kind

ENCODINGS = ("utf-8", "cp932", "euc_jp", "iso2022_jp", "utf-16")
"""What a CSV file may be in, by Python's names."""

DAMAGED = re.compile("[\ud800-\udfff]")
"""What stands in a line for bytes that are no text: lone surrogates, which decoded text cannot hold otherwise."""

_BLOCK = 256 * 1024
_MOST_LINE_BYTES = 8 * 1024 * 1024
"""A line longer than this is no line of a table, and would have to be held in memory."""

_FEW = 5
"""Damaged lines up to which a block is not taken for one in another encoding, be they all that it has."""

_NO_CP932 = {0x80: "\udc80", 0xF8F0: "\udca0", 0xF8F1: "\udcfd", 0xF8F2: "\udcfe", 0xF8F3: "\udcff"}
"""What stands in a line for the single bytes of `NOT_IN_CP932`."""


def canonical_encoding(name: str) -> str:
    """One of `ENCODINGS` for a name in any spelling; everything of the Shift_JIS family is CP932.

    Raises:
        ValueError: It is none of them.
    """
    try:
        known = codecs.lookup(name).name
    except LookupError:
        known = name.lower()
    families = {
        "utf-8": ("ascii", "utf-8-sig"),
        "cp932": ("shift_jis", "shift_jis_2004", "shift_jisx0213", "windows-31j", "x-sjis", "sjis-win"),
        "utf-16": ("utf-16-le", "utf-16-be"),
    }
    found = next((name for name, members in families.items() if known in members), known)
    if found not in ENCODINGS:
        raise ValueError(f"encoding {name!r} is none of {', '.join(ENCODINGS)}; leave it empty to have it detected")
    return found


def read_lines(file: BinaryIO, encoding: str = "") -> Iterator[str]:
    """The lines of a file with their ends (LF, CR LF or CR), read block by block, が spelled as one character.

    A byte order mark decides; then the encoding given; then the first block that is not plain ASCII. Bytes that are
    not in the encoding stand in the line as what `DAMAGED` finds, as long as they are few and the encoding is certain:
    UTF-8, or the one given.

    Args:
        file: The file, at its start.
        encoding: One of `ENCODINGS`; empty to have it detected.

    Raises:
        DocumentError: It is no text, or not in the encoding that it began in or that was given.
    """
    kind = file_kind(file)
    if kind is not None and kind.family not in ("table", "text", "xml", "other"):
        raise DocumentError(f"this is {kind.name}, not a CSV file: {as_csv(kind)}")
    head = file.read(_BLOCK)
    codec, start = _detect_opening(head, encoding)
    line = 1
    for block in _read_blocks(file, head[start:], codec):
        found = codec or _detect(block, line)
        if not codec and found != "ascii":
            codec = found
        text = compose(_decode(block, found, line, certain=bool(encoding) or found not in ("cp932", "euc_jp")))
        # Splits at LF, CR LF and CR only, where str.splitlines knows many more.
        lines = list(io.StringIO(text, newline=""))
        line += len(lines)
        yield from lines


def _detect_opening(head: bytes, encoding: str) -> tuple[str, int]:
    """The codec, empty where it has to be detected, and the length of the byte order mark."""
    for mark, codec in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            if encoding and not codec.startswith(encoding):
                raise DocumentError(
                    f"its byte order mark says {codec}, the settings say {encoding}: leave `encoding` out"
                )
            return codec, len(mark)
    if encoding == "utf-16":
        return utf16_codec(head), 0
    if _looks_like_utf16(head):
        raise DocumentError(
            'it has NUL bytes throughout: UTF-16 without a byte order mark (then set encoding = "utf-16"), or no text'
        )
    if encoding in ("cp932", "euc_jp") and _is_utf8(head):
        raise DocumentError(f"its bytes are UTF-8, the settings say {encoding}: leave `encoding` out of the settings")
    return encoding, 0


def _looks_like_utf16(head: bytes) -> bool:
    """Whether NULs stand beside the line breaks; single ones elsewhere are damage in a row."""
    breaks = head.count(b"\n")
    beside = head.count(b"\n\0") + head.count(b"\0\n")
    return beside * 2 >= breaks if breaks and beside else head.count(0) * 10 > len(head)


def _is_utf8(head: bytes) -> bool:
    cut = _find_last_line_end(head, "") or len(head)
    try:
        return not head[:cut].decode("utf-8").isascii()
    except UnicodeDecodeError:
        return False


def _read_blocks(file: BinaryIO, first: bytes, codec: str) -> Iterator[bytes]:
    """The rest of the file in blocks of whole lines, so that no character is cut."""
    rest = b""
    for data in chain([first], iter(lambda: file.read(_BLOCK), b"")):
        rest += data
        cut = _find_last_line_end(rest, codec)
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > _MOST_LINE_BYTES:
            raise DocumentError(
                f"a line of more than {_MOST_LINE_BYTES:,} bytes: is this a CSV file, and is `encoding` right?"
            )
    if rest:
        yield rest


def _find_last_line_end(data: bytes, codec: str) -> int:
    """Where the last whole line ends; 0 where none does. A CR at the very end may be half of CR LF."""
    if not codec.startswith("utf-16"):
        return max(data.rfind(b"\n"), data.rfind(b"\r", 0, max(len(data) - 1, 0))) + 1
    found = (_rfind_aligned(data, mark.encode(codec), end) for mark, end in (("\n", len(data)), ("\r", len(data) - 2)))
    at = max(found)
    return at + 2 if at >= 0 else 0


def _rfind_aligned(data: bytes, mark: bytes, end: int) -> int:
    at = data.rfind(mark, 0, max(end, 0))
    while at % 2 and at > 0:
        at = data.rfind(mark, 0, at + len(mark) - 1)
    return at


def _detect(block: bytes, line: int) -> str:
    """The encoding of a block; NUL bytes, which no encoding explains, are left to the row that has them."""
    data = block.replace(b"\0", b"") if b"\0" in block else block
    try:
        return decode_text(data).encoding
    except UndecodableError as error:
        if _is_mostly_utf8(data):
            return "utf-8"
        raise DocumentError(
            f"from line {line} on: {error}; mend the bytes, or set `encoding` (one of {', '.join(ENCODINGS)}) "
            "to have the rows with such bytes told and left out"
        ) from error


def _is_mostly_utf8(data: bytes) -> bool:
    lines = [line for line in data.splitlines() if not line.isascii()]
    good = sum(1 for line in lines if "\ufffd" not in line.decode("utf-8", "replace"))
    return good * 2 > len(lines)


def _decode(block: bytes, codec: str, line: int, *, certain: bool) -> str:
    if codec == "iso2022_jp":
        return _decode_iso2022(block, line)
    text = _decode_euc(block) if codec == "euc_jp" else _decode_plain(block, codec)
    if not DAMAGED.search(text):
        return text
    lines = list(io.StringIO(text, newline=""))
    beyond = [position for position, words in enumerate(lines) if not words.isascii()]
    damaged = [position for position in beyond if DAMAGED.search(lines[position])]
    if certain and len(damaged) <= max(_FEW, len(beyond) // 2):
        return text
    line += damaged[0]
    others = ", ".join(name for name in ENCODINGS if name != codec)
    if certain:
        raise DocumentError(f"line {line} and most others near it are not {codec}: set `encoding` to one of {others}")
    raise DocumentError(
        f"line {line} is not {codec}, which the lines before looked like: set `encoding` to the right one ({others}); "
        f'or, if it is {codec} with damage, mend the line or set encoding = "{codec}" to have its row told and left out'
    )


def _decode_plain(block: bytes, codec: str) -> str:
    if codec.startswith("utf-16"):
        # A lone surrogate passes as it is; half a character at the end of the file stands as one.
        text = block[: len(block) & ~1].decode(codec, "surrogatepass")
        return text if len(block) % 2 == 0 else f"{text}\udc00"
    text = block.decode(codec, "surrogateescape")
    return text.translate(_NO_CP932) if codec == "cp932" and NOT_IN_CP932.search(text) else text


def _decode_euc(block: bytes) -> str:
    """EUC-JP with vendor characters (①, ㈱), which Python's codec does not know."""
    try:
        return block.decode("euc_jp")
    except UnicodeDecodeError:
        return "".join(_decode_euc_line(line) for line in block.splitlines(keepends=True))


def _decode_euc_line(line: bytes) -> str:
    try:
        read = decode_text(line, "euc_jp")
    except UndecodableError:
        read = None
    return read.text if read and read.encoding == "euc_jp" else line.decode("euc_jp", "surrogateescape")


def _decode_iso2022(block: bytes, line: int) -> str:
    try:
        read = decode_text(block)
    except UndecodableError as error:
        raise DocumentError(f"from line {line} on: {error}; save the file as UTF-8") from error
    if read.encoding not in ("iso2022_jp", "ascii"):
        raise DocumentError(f"from line {line} on it is {read.encoding}, before it was iso2022_jp: save it as UTF-8")
    return read.text
