"""Bytes to text: which encoding Japanese bytes are in, decided by the bytes before anything declared.

Only the decision and the decoding belong here; unifying characters, and what the text says, do not.
"""

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Encoding = Literal["ascii", "utf-8", "utf-16", "cp932", "euc_jp", "iso2022_jp"]

_LABELS: dict[str, Encoding] = {
    **dict.fromkeys(["ascii", "us-ascii"], "ascii"),
    **dict.fromkeys(["utf-8", "utf8", "utf_8", "utf-8-sig", "unicode-1-1-utf-8"], "utf-8"),
    **dict.fromkeys(["utf-16", "utf16", "utf_16", "utf-16le", "utf-16be"], "utf-16"),
    **dict.fromkeys(["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis"], "cp932"),
    **dict.fromkeys(["windows-31j", "ms932", "cp932"], "cp932"),
    **dict.fromkeys(["euc-jp", "euc_jp", "eucjp", "x-euc-jp", "cseucpkdfmtjapanese"], "euc_jp"),
    **dict.fromkeys(["iso-2022-jp", "iso2022_jp", "iso2022jp", "csiso2022jp"], "iso2022_jp"),
}
"""Labels as the WHATWG Encoding Standard lists them, and as Python and servers write them.

Everything of the Shift_JIS family is CP932, as that standard has it: what Windows writes and calls Shift_JIS.
"""

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Each with Python's name of the codec that it tells."""
NOT_IN_CP932 = re.compile("[\x80\uf8f0-\uf8f3]")
"""What Python reads for single bytes that CP932 leaves undefined."""
_HEAD_BYTES = 4096
"""Where a declaration inside the document is looked for. HTML asks for 1,024 bytes; many stand later."""

_META = re.compile(rb"""<meta\b[^>]*?charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.IGNORECASE)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.IGNORECASE)

_ESCAPES: dict[bytes, bytes | None] = {
    # What each ISO-2022-JP character set is in EUC-JP: None is single-byte ASCII, else a prefix a character.
    b"(B": None,
    b"(J": None,
    b"(I": b"\x8e",
    b"$@": b"",
    b"$B": b"",
    b"$(D": b"\x8f",
}
_ESCAPE = re.compile(rb"\x1b(\([BJI]|\$[@B]|\$\(D)")

_SURE_KANA_SHARE = 0.1
"""Share of kana and punctuation from which a reading as EUC-JP is taken for real.

Running Japanese has about half; bytes that are not EUC-JP give kanji at random.
"""


class UndecodableError(ValueError):
    """The bytes are no text in any encoding that was tried; the message names them."""


@dataclass(frozen=True)
class Decoded:
    """Text, and how it was read.

    Attributes:
        text: Without a byte order mark.
        encoding: Python's name of the encoding it was read as.
    """

    text: str
    encoding: Encoding


def decode_html(data: bytes, content_type: str | None = None) -> Decoded:
    """Decode a page.

    Args:
        data: The bytes as fetched.
        content_type: The `Content-Type` header they came with. It counts before the page's own `meta`, and
            neither counts against the bytes.

    Raises:
        UndecodableError: See `decode_text`.
    """
    header = _HEADER.search(content_type or "")
    meta = _META.search(data[:_HEAD_BYTES])
    declared = [header[1]] if header else []
    declared += [meta[1].decode("ascii")] if meta else []
    known = (name for name in declared if name.lower() in _LABELS)
    return decode_text(data, next(known, None))


def decode_text(data: bytes, declared: str | None = None) -> Decoded:
    """Decode Japanese text: a byte order mark, else what the bytes can only be, else what was declared.

    1. A byte order mark decides.
    2. Seven-bit bytes are ISO-2022-JP if they hold its escape sequences, else ASCII.
    3. Bytes that are strictly UTF-8 are UTF-8.
    4. The rest is CP932 or EUC-JP: whichever can hold the bytes, and where both can, what reads as Japanese.
       Only where that too is open does the declaration count; without one, CP932.

    EUC-JP and ISO-2022-JP are read with the vendor characters (①, ㈱) that mail and Windows put there.
    Nothing is replaced or left out: U+FFFD is in the text only if the bytes spell it.

    Args:
        data: The bytes.
        declared: A name of an encoding, in any spelling; unknown names count as none.

    Raises:
        UndecodableError: No encoding tried can hold the bytes, or they are UTF-8 with damage, which must not
            pass for something else; the message names what was tried and the first byte each failed at.
    """
    claim = _LABELS.get(declared.strip().lower()) if declared else None
    for mark, codec in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return Decoded(_decode_marked(data, mark, codec), "utf-8" if codec == "utf-8" else "utf-16")
    if b"\0" in data:
        if claim != "utf-16":
            raise UndecodableError(
                f"no text: byte {data.index(0)} is NUL (a binary file, or UTF-16 without its byte order mark)"
            )
        return Decoded(_decode_marked(data, b"", utf16_codec(data)), "utf-16")
    return _decode_seven_bit(data) if data.isascii() else _decode_eight_bit(data, claim)


def utf16_codec(data: bytes) -> str:
    """The codec of UTF-16 without a byte order mark: zero high bytes of line breaks and digits tell the byte order."""
    return "utf-16-le" if data[1::2].count(0) >= data[::2].count(0) else "utf-16-be"


def _decode_marked(data: bytes, mark: bytes, codec: str) -> str:
    try:
        return data[len(mark) :].decode(codec)
    except UnicodeDecodeError as error:
        raise UndecodableError(f"marked as {codec}, but not so at byte {len(mark) + error.start}") from error


def _decode_seven_bit(data: bytes) -> Decoded:
    if not _ESCAPE.search(data):
        return Decoded(data.decode("ascii"), "ascii")
    try:
        return Decoded(_decode_euc(_iso2022_as_euc(data)), "iso2022_jp")
    except UnicodeDecodeError as error:
        raise UndecodableError("has the escape sequences of iso2022_jp, but is not in it") from error


def _decode_eight_bit(data: bytes, claim: str | None) -> Decoded:
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        faults = [f"utf-8 (byte {error.start})"]
    if _is_damaged_utf8(data):
        raise UndecodableError(f"utf-8 that is damaged: tried {faults[0]}")
    readings: dict[Encoding, str] = {}
    decoders: dict[Encoding, Callable[[bytes], str]] = {"cp932": _decode_cp932, "euc_jp": _decode_euc}
    for encoding, decode in decoders.items():
        try:
            readings[encoding] = decode(data)
        except UnicodeDecodeError as error:
            faults.append(f"{encoding} (byte {error.start})")
    if not readings:
        raise UndecodableError(f"no text in any encoding tried: {', '.join(faults)}")
    encoding = _likelier(readings, claim) if len(readings) == 2 else next(iter(readings))
    return Decoded(readings[encoding], encoding)


def _is_damaged_utf8(data: bytes) -> bool:
    """Whether the bytes are UTF-8 but for a few. As CP932, such bytes can pass as rubbish (縺ゅ＞)."""
    text = data.decode("utf-8", errors="replace")
    return text.count("\ufffd") * 4 < len(re.findall("[\u0800-\ufffc\U00010000-\U0010ffff]", text))


def _decode_cp932(data: bytes) -> str:
    """CP932 without the single bytes that it leaves undefined and Python lets through."""
    text = data.decode("cp932")
    undefined = NOT_IN_CP932.search(text)
    if undefined:
        start = len(text[: undefined.start()].encode("cp932"))
        raise UnicodeDecodeError("cp932", data, start, start + 1, "undefined byte")
    return text


def _decode_euc(data: bytes) -> str:
    """EUC-JP, with the vendor characters (NEC and IBM rows) that the standard leaves free."""
    try:
        return data.decode("euc_jp")
    except UnicodeDecodeError:
        pass
    pieces: list[str] = []
    offset = 0
    # Line by line, so that many vendor characters do not mean decoding the whole rest for each.
    for line in data.splitlines(keepends=True):
        start = 0
        while start < len(line):
            try:
                pieces.append(line[start:].decode("euc_jp"))
                break
            except UnicodeDecodeError as error:
                fault = start + error.start
                pieces.append(line[start:fault].decode("euc_jp"))
                pieces.append(_vendor_character(data, offset + fault))
                start = fault + 2
        offset += len(line)
    return "".join(pieces)


def _vendor_character(data: bytes, at: int) -> str:
    """One EUC character as CP932 has it: Shift_JIS is the same row and cell, laid out anew."""
    pair = data[at : at + 2]
    if len(pair) == 2 and min(pair) >= 0xA1 and max(pair) <= 0xFE:
        row, cell = pair[0] - 0xA1, pair[1] - 0xA1
        lead = row // 2 + (0x81 if row < 62 else 0xC1)
        trail = cell + 0x9F if row % 2 else cell + (0x40 if cell < 63 else 0x41)
        try:
            return bytes((lead, trail)).decode("cp932")
        except UnicodeDecodeError:
            pass
    raise UnicodeDecodeError("euc_jp", data, at, at + 1, "no such character")


def _iso2022_as_euc(data: bytes) -> bytes:
    """The same characters in EUC-JP, so that one decoder serves both."""
    first, *rest = _ESCAPE.split(data)
    pieces = [first]
    for escape, run in zip(rest[::2], rest[1::2], strict=True):
        prefix = _ESCAPES[escape]
        if prefix is None:
            pieces.append(run)
            continue
        width = 1 if prefix == b"\x8e" else 2
        # A line must end in ASCII, but writers forget: line breaks stand for themselves.
        for part in re.split(rb"([\r\n]+)", run):
            if part[:1] in (b"\r", b"\n"):
                pieces.append(part)
            else:
                high = bytes(byte | 0x80 for byte in part)
                pieces += [prefix + high[at : at + width] for at in range(0, len(high), width)]
    return b"".join(pieces)


def _likelier(readings: Mapping[Encoding, str], claim: str | None) -> Encoding:
    """Tell CP932 from EUC-JP where the bytes fit both.

    Ordinary CP932 has lead bytes that EUC-JP does not know. So bytes that fit both are half-width kana, if
    CP932 at all; or else they are kanji one way, and kanji strewn with half-width kana the other, wrong, way.
    """
    half_cp932, half_euc = (_half_width_share(readings[name]) for name in ("cp932", "euc_jp"))
    tie: Encoding = "euc_jp" if claim == "euc_jp" else "cp932"
    if half_cp932 < 1:
        return tie if half_cp932 == half_euc else "cp932" if half_cp932 < half_euc else "euc_jp"
    beyond = re.findall(r"[^\x00-\x7f]", readings["euc_jp"])
    kana = re.findall(r"[\u3041-\u30ff、。]", readings["euc_jp"])
    return "euc_jp" if len(kana) >= _SURE_KANA_SHARE * len(beyond) else tie


def _half_width_share(text: str) -> float:
    beyond = re.findall(r"[^\x00-\x7f]", text)
    return len(re.findall(r"[\uff61-\uff9f]", text)) / len(beyond)
