"""Numbers that headings begin with: 第1章, 1.2, (3), ①, ア. They change when a section is added above."""

import re
import unicodedata

_NUMBER = re.compile(
    r"(?:第\s*[0-9一二三四五六七八九十百千]+\s*[編部章節款目条項](?:の[0-9一二三四五六七八九十]+)*"
    r"|[0-9]+(?:[.\-‐][0-9]+)*[.、):]?(?![0-9年月日%円名人件個歳時分種類])|[(][0-9一二三四五六七八九十ア-ンa-zA-Z]{1,3}[)]"
    r"|[①-⑳]|[ア-ンA-Za-z][.、)]|[IVX]{1,5}[.、)]|[一二三四五六七八九十]{1,3}[、.])\s*"
)


def without_number(heading: str) -> str:
    """A heading in NFKC without its number and without blanks; the number alone where there is nothing else."""
    plain = re.sub(r"\s", " ", unicodedata.normalize("NFKC", heading)).strip()
    bare = _NUMBER.sub("", plain, count=1) if _NUMBER.match(plain) else plain
    return re.sub(r"\s", "", bare or plain)
