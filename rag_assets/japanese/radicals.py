"""Characters that look like another one because a PDF's fonts say so: radicals and their kin, each put right.

Narrowly: widths, circled digits, ㈱ and every other compatibility character stay as the document has them.
"""

import unicodedata
from functools import cache

_SUPPLEMENT_RADICALS = (
    "\u2e81\u2e82\u2e83\u2e84\u2e85\u2e86\u2e87\u2e88\u2e89\u2e8a\u2e8b\u2e8c"
    "\u2e8d\u2e8e\u2e8f\u2e90\u2e91\u2e92\u2e93\u2e94\u2e95\u2e96\u2e97\u2e98"
    "\u2e99\u2e9b\u2e9c\u2e9d\u2e9e\u2e9f\u2ea0\u2ea1\u2ea2\u2ea3\u2ea4\u2ea5"
    "\u2ea6\u2ea7\u2ea8\u2ea9\u2eaa\u2eab\u2eac\u2ead\u2eae\u2eaf\u2eb0\u2eb1"
    "\u2eb2\u2eb3\u2eb4\u2eb5\u2eb6\u2eb7\u2eb8\u2eb9\u2eba\u2ebb\u2ebc\u2ebd"
    "\u2ebe\u2ebf\u2ec0\u2ec1\u2ec2\u2ec3\u2ec4\u2ec5\u2ec6\u2ec7\u2ec8\u2ec9"
    "\u2eca\u2ecb\u2ecc\u2ecd\u2ece\u2ecf\u2ed0\u2ed1\u2ed2\u2ed3\u2ed4\u2ed5"
    "\u2ed6\u2ed7\u2ed8\u2ed9\u2eda\u2edb\u2edc\u2edd\u2ede\u2edf\u2ee0\u2ee1"
    "\u2ee2\u2ee3\u2ee4\u2ee5\u2ee6\u2ee7\u2ee8\u2ee9\u2eea\u2eeb\u2eec\u2eed"
    "\u2eee\u2eef\u2ef0\u2ef1\u2ef2\u2ef3"
)
_SUPPLEMENT_CHARACTERS = (
    "厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵旡日月歺母民氵氺灬爫爫丬牛"
    "犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶"
    "辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟"
)
"""CJK Radicals Supplement (U+2E81–U+2EF3), which NFKC leaves alone, and what each is equivalent to.

Source: property Equivalent_Unified_Ideograph of the Unicode Character Database, version 14.0.
"""

_KANGXI = range(0x2F00, 0x2FD6)
_JAPANESE_FORMS = {0x2F3E: "戸", 0x2FCA: "黒"}
"""Radicals whose NFKC is the traditional form (戶, 黑), while Japanese fonts draw them as these.

Source: Adobe-Japan1, character map UniJIS-UTF32-H: the two share their glyph with 戸 and 黒, all others with their
NFKC.
"""

_COMPATIBILITY_IDEOGRAPHS = (range(0xF900, 0xFB00), range(0x2F800, 0x2FA20))
_JAPANESE_ENCODINGS = ("cp932", "euc_jis_2004")

_VERTICAL_FORMS = (range(0xFE10, 0xFE1A), range(0xFE30, 0xFE45), range(0xFE47, 0xFE49))
_FULL_WIDTH = 0xFEE0
"""From an ASCII character to its full-width form."""
_LEADERS = {0xFE19: "…", 0xFE30: "‥"}
"""Vertical forms that NFKC takes apart into full stops."""

_LIGATURES = range(0xFB00, 0xFB07)


def mend_characters(text: str) -> str:
    """The text with stand-ins replaced by the characters that a reader sees.

    - Radicals: ⽤ (U+2F64) by 用, ⻑ (U+2ED1) by 長. Fonts use one glyph for both, and the PDF names the wrong one.
    - CJK compatibility ideographs by their unified one, but not those that a Japanese character set (CP932,
      JIS X 0213) gives a place of their own: 神 (U+FA19) or 﨑 in a name is written so on purpose, while
      車 (U+F902) exists for Korean round trips only, looks like 車, and no Japanese writer can have meant it.
    - Punctuation for vertical lines (︓ U+FE13, ︵ U+FE35) by the full-width character that stands for it in text, and
      Latin ligatures (ﬁ) by their letters.

    Everything else stays: ①, ㈱, ㎡, half and full width.
    """
    if text.isascii():
        return text
    return text.translate(_replacements())


@cache
def _replacements() -> dict[int, str]:
    found = {
        ord(radical): character for radical, character in zip(_SUPPLEMENT_RADICALS, _SUPPLEMENT_CHARACTERS, strict=True)
    }
    found.update((code, unicodedata.normalize("NFKC", chr(code))) for code in (*_KANGXI, *_LIGATURES))
    found.update(_JAPANESE_FORMS)
    for code in (code for block in _COMPATIBILITY_IDEOGRAPHS for code in block):
        unified = unicodedata.normalize("NFKC", chr(code))
        if unified != chr(code) and not _is_japanese(chr(code)):
            found[code] = unified
    found.update((code, _horizontal(chr(code))) for block in _VERTICAL_FORMS for code in block)
    found.update(_LEADERS)
    return found


def _is_japanese(character: str) -> bool:
    for encoding in _JAPANESE_ENCODINGS:
        try:
            character.encode(encoding)
        except UnicodeEncodeError:
            continue
        return True
    return False


def _horizontal(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character)
    return chr(ord(plain) + _FULL_WIDTH) if len(plain) == 1 and plain.isascii() else plain
