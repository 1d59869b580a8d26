"""Signs that Word takes from fonts of signs (Wingdings, Symbol), as characters of their own."""

from rag_assets.sources.guides.office_package import Element
from rag_assets.sources.guides.word.names import W

_PRIVATE = 0xF000
_WINGDINGS = {
    0x28: "☎",
    0x2A: "✉",
    0x4A: "☺",
    0x6C: "●",
    0x6E: "■",
    0x6F: "□",
    0x71: "❑",
    0x72: "❒",
    0x74: "◆",
    0x75: "◆",
    0x76: "❖",
    0x77: "◆",
    0x9F: "•",
    0xA1: "○",
    0xA4: "◉",
    0xA7: "▪",
    0xA8: "☐",
    0xAB: "★",
    0xD8: "➢",
    0xDF: "←",
    0xE0: "→",
    0xE1: "↑",
    0xE2: "↓",
    0xE8: "➔",
    0xF0: "⇨",
    0xFB: "✗",
    0xFC: "✓",
    0xFD: "☒",
    0xFE: "☑",
    **{0x81 + place: chr(0x2460 + place) for place in range(10)},
    **{0x8C + place: chr(0x2776 + place) for place in range(10)},
}
_SYMBOL = {
    **dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)),
    **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    0xA3: "≤",
    0xA5: "∞",
    0xAB: "↔",
    0xAC: "←",
    0xAD: "↑",
    0xAE: "→",
    0xAF: "↓",
    0xB0: "°",
    0xB1: "±",
    0xB3: "≥",
    0xB4: "×",
    0xB7: "•",
    0xB9: "≠",
    0xBB: "≈",
    0xD6: "√",
    0xE5: "∑",
}
_WINGDINGS_2 = {
    0x50: "✓",
    0x51: "☒",
    0x52: "☑",
    0x53: "☒",
    0x54: "☒",
    0xA3: "☐",
    0x4F: "✗",
    **{0x6A + place: chr(0x2460 + place) for place in range(10)},
}
_FONTS = {"wingdings": _WINGDINGS, "symbol": _SYMBOL, "wingdings 2": _WINGDINGS_2}


def find_sign(symbol: Element) -> str:
    """The character of a `w:sym`; empty where its font has one that no other has."""
    try:
        code = int(symbol.get(W + "char", ""), 16)
    except ValueError:
        return ""
    signs = _FONTS.get(symbol.get(W + "font", "").lower())
    if signs is not None:
        return signs.get(code - _PRIVATE if code >= _PRIVATE else code, "")
    is_private = 0xE000 <= code <= 0xF8FF or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or code < 0x20
    return "" if is_private else chr(code)
