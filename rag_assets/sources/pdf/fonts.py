"""Japanese fonts that a PDF names but does not embed, on a machine that has none to stand in: characters get lost.

pdfium then leaves out, without a word, every piece of text whose letters it has no shapes for; a number that is drawn
alone (２ before 年) is such a piece.
"""

import ctypes
import re
from collections.abc import Callable, Iterable
from typing import Any

from rag_assets.sources.pdf.objects import bare

_JAPANESE_NAME = re.compile(
    r"(?i)mincho|(?<!century)(?<!franklin)(?<!copperplate)[- _]?gothic|heisei|ryumin|koz(?:min|go|uka)|meiryo|hiragino"
    r"|hira(?:min|kaku)|ipaex|ipa[mg]|cjk|sim(?:sun|hei)|batang|gulim|msung|mhei|stsong|明朝|ゴシック"
)
_CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_BUILT_IN = "Chrome "
"""What the fonts are called that pdfium brings along; they have Latin letters only."""


def lost_fonts(silent: Iterable[int], text_in: Callable[[str], str]) -> frozenset[str]:
    """Names of the fonts whose characters this machine cannot give in full.

    Args:
        silent: Addresses of the page's text objects that gave no character: blanks, or letters that got lost.
        text_in: What the page says in the font of a name.
    """
    import pypdfium2.raw as raw

    get_font = bare(raw.FPDFTextObj_GetFont, ctypes.c_void_p, ctypes.c_void_p)
    fonts = {font for each in silent if (font := get_font(each))}
    found = set()
    for font in fonts:
        handle = ctypes.cast(font, raw.FPDF_FONT)
        if raw.FPDFFont_GetIsEmbedded(handle) != 0 or not _family(raw, handle).startswith(_BUILT_IN):
            continue
        name = font_name(raw, handle)
        if is_japanese(name) or _CJK.search(text_in(name)):
            found.add(name)
    return frozenset(found)


def is_japanese(name: str) -> bool:
    """Whether a font's name is that of a Japanese, or another East Asian, font."""
    return _JAPANESE_NAME.search(name) is not None


def font_name(raw: Any, font: Any) -> str:
    """A font's name without the prefix of a subset."""
    length = raw.FPDFFont_GetBaseFontName(font, None, 0)
    buffer = ctypes.create_string_buffer(max(length, 1))
    raw.FPDFFont_GetBaseFontName(font, buffer, length)
    try:
        name = buffer.value.decode()
    except UnicodeDecodeError:
        name = buffer.value.decode("cp932", "replace")  # Japanese Windows programs write font names so
    prefix, plus, rest = name.partition("+")
    return rest if plus and len(prefix) == 6 and prefix.isupper() else name


def _family(raw: Any, font: Any) -> str:
    """The font that pdfium draws with."""
    length = raw.FPDFFont_GetFamilyName(font, None, 0)
    buffer = ctypes.create_string_buffer(max(length, 1))
    raw.FPDFFont_GetFamilyName(font, buffer, length)
    return buffer.value.decode("utf-8", "replace")
