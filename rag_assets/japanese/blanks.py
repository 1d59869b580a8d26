"""Blanks in a form or model document: white space and placeholders that stand for a value somebody has yet to set.

Text only: a line in, the same line with its blanks marked out. What a blank's record tells of it belongs to its source.

A gap in a line is white space as wide as a character or more. Most gaps are layout: after an item's number, between
the columns of a list, inside a word spaced out as 氏　名. A gap is a blank where the words around it cannot do without
a value: before a unit with no number (採用した日から　か月間), before a particle (事前に　に対し), before a company's
form (、　株式会社), between brackets, colons and 〜 alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

BLANK = "（空欄：会社で定める）"
"""What stands in the text where a value is to be set: words that nobody takes for a figure."""

_WIDE = "\u3000"
_WHITE = " \u00a0\u3000"
_GAP = re.compile(r"[ \u00a0]*(?:\u3000|[ \u00a0]{2})[ \u00a0\u3000]*")
_DIGIT = "0-9０-９"
_NUMERAL = f"{_DIGIT}一二三四五六七八九十百千万億〇数何半幾"

_UNIT = (
    r"(?:"
    r"[かヶカヵケ箇]月|週間?(?![休払日])|時間(?![外帯給単割的数当])|時(?![間差期季給刻点短限効速代事機々折])"
    r"|年間(?!休日|所定|総|を|カ|平均|計画|の)|年(?![間次度末始少齢俸金賞功内収休中長季報号代輩額々])"
    r"|月(?![額給曜末例間次賦初収内平半々割])|日間?(?![曜給額勤数当時中常本々程誌没付祝割直雇])"
    r"|分(?![割娩類担野析煙別離散量岐室配社会業譲母数間限])|分間|秒|[千万億]?円(?![満滑卓])"
    r"|回(?![数答復収覧避転顧線])|番(?![号方組])|[歳才](?![入出能])|割(?![増合引当賦りれ愛安])"
    r"|人(?![事員数件材間物権格])|名(?![前称簿義刺目誉])|件(?![数名])|[%％]|パーセント|倍(?!率)|点(?![検数呼滅])"
    r")(?![" + _DIGIT + r"]+[回度])"
)
_PROVISION = r"(?:条(?![件文例項])|項(?!目)|号(?![外令俸]))"
_COMPANY = r"(?:株式|有限|合同|合名|合資)会社"
_PARTICLE = r"(?:が(?!ん|く)|を|に(?!もかかわ)|は(?!じ)|の(?!ち)|へ|から|まで(?!も)|より(?!も))"

_BEFORE_UNIT = re.compile(_UNIT)
_BEFORE_PROVISION = re.compile(_PROVISION)
_BEFORE_COMPANY = re.compile(_COMPANY)
_BEFORE_PARTICLE = re.compile(_PARTICLE)
_OPEN = "(（「『[［〔:：～〜~／/"
_CLOSE = ")）」』]］〕:：～〜~／/"
_SENTENCE_END = "。！？!?"

_MARK = re.compile(
    rf"^(?:第[{_DIGIT}]+条(?:の[{_DIGIT}]+)*|[{_DIGIT}]{{1,2}}[.．]?|[①-⑳㋐-㋾]|[⑴-⒇]"
    rf"|[（(](?:[{_DIGIT}]{{1,2}}|[ア-ンa-zａ-ｚ])[）)]|[ア-ンａ-ｚa-z][.．]?|[・●■◆※○][{_DIGIT}]*)"
)
_STARTS_WITH_BLANK = re.compile(
    rf"^(?:年(?={_WIDE}+月)|月(?={_WIDE}+日)|時(?={_WIDE}+分)|(?:{_UNIT})(?=(?:から|まで|以[上下内]|未満|を超)))"
)
_LONE_UNIT = re.compile(rf"^{_UNIT}(?=$|[ \u3000、。）)]|から|まで|以[上下内]|未満|とする)")
_SINGLE = re.compile(rf"(?<![^{_WIDE}（(「])[^{_WIDE} （）()「」](?![^{_WIDE}）)」])")
_LONE_ALLOWED = frozenset("年月日時分秒第条項号円回人名満約計毎各翌前同～〜:：・歳番割")
_WEEK = re.compile(r"(?:[日月火水木金土][ \u3000]+){3,}[日月火水木金土]")
_REPEATED = re.compile(r"(?<!\S)(\S)(?:[ \u3000]+\1){2,}(?!\S)")

_UNDERSCORES = re.compile(r"(?<![A-Za-z0-9/._＿-])(?:＿+|__+)(?![A-Za-z0-9_])")
_RING = "○〇◯"
_SIGN = f"{_RING}△▲□◇●◎"
_SIGNS = re.compile(
    rf"(?<![{_NUMERAL}])(?:[{_RING}][{_SIGN}×]+|([△□◇●◎])\1+"
    rf"|[{_RING}](?=[年月日時分秒円回番歳才割人名件％%倍点週]|[かヶカヵケ箇]月|以[上下]|未満))(?![{_NUMERAL}])"
)


@dataclass(frozen=True, slots=True)
class Blank:
    """One blank of a text.

    Attributes:
        start: Where its mark begins in the marked text.
        around: The marked text around it, for a person who looks for it.
    """

    start: int
    around: str


def mark_blanks(text: str, *, signs: bool = True) -> str:
    """The text with every blank marked by `BLANK`; what a marked text marks again is the same text.

    White space and underscores that stand for a value give way to the mark. Signs that do (○○, △△, ○ before a unit)
    stay before it, since they may tell one blank from another: 「○○（空欄：会社で定める）業務」.

    Args:
        text: One paragraph or one table cell, its gaps as wide spaces.
        signs: Whether signs are looked for too; not in a text where they only stand for any example.
    """
    body = text.lstrip(_WHITE)
    gaps = [*_blank_gaps(body), *((match.start(), match.end()) for match in _UNDERSCORES.finditer(body))]
    marked = _replaced(body, sorted(gaps))
    lead = text[: len(text) - len(body)]
    marked = (BLANK if _begins_with_blank(body, lead) else lead) + marked
    return _SIGNS.sub(lambda match: _sign_marked(match, marked), marked) if signs else marked


def blanks_in(marked: str, around: int = 14) -> list[Blank]:
    """The blanks of a text that `mark_blanks` gave, in order."""
    return [
        Blank(match.start(), marked[max(match.start() - around, 0) : match.end() + around].strip(" \u3000"))
        for match in re.finditer(re.escape(BLANK), marked)
    ]


def blank_between(before: str, after: str) -> bool:
    """Whether white space where two lines of one paragraph meet is a blank.

    Args:
        before: The upper line.
        after: The lower line. Either it begins further in than running text does, or the upper one ends before it
            has to.
    """
    if not re.search(r"[ぁ-ん、（(「～〜：]$", before):
        return False  # 休|日 and 翌|月 are words that the line break parts
    whole = f"{before}{_WIDE * 3}{after}"
    return (len(before), len(before) + 3) in set(_blank_gaps(whole))


def _sign_marked(match: re.Match[str], text: str) -> str:
    if text.startswith(BLANK, match.end()) or _is_bullet(match, text):
        return match.group()
    return match.group() + BLANK


def _is_bullet(match: re.Match[str], text: str) -> bool:
    """A single sign at a line's start that no unit follows stands for an item, not for a value."""
    return match.start() == 0 and len(match.group()) == 1 and not _BEFORE_UNIT.match(text, match.end())


def _replaced(text: str, gaps: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in gaps:
        pieces.extend((text[done:start], BLANK))
        done = end
    return "".join((*pieces, text[done:]))


def _begins_with_blank(text: str, lead: str) -> bool:
    """Whether a text begins with a unit that has no number: its blank is the white space at the margin.

    Where that white space has been taken off, only units that the next gap bears out (月　日, 時　分) tell of it.
    """
    if _WEEK.match(text):
        return False
    return bool(_STARTS_WITH_BLANK.match(text)) or (len(lead) > 1 and bool(_LONE_UNIT.match(text)))


def _blank_gaps(text: str) -> Iterator[tuple[int, int]]:
    mark = _MARK.match(text)
    begin = mark.end() if mark else 0
    layout = [match.span() for pattern in (_WEEK, _REPEATED) for match in pattern.finditer(text)]
    lone = _spaced_out(text, begin)
    for gap in _GAP.finditer(text):
        if gap.start() == 0 or gap.end() == len(text):
            continue
        inside_layout = any(start <= gap.start() and gap.end() <= end for start, end in (*layout, *lone))
        if gap.start() == begin and mark:
            if _STARTS_WITH_BLANK.match(text[gap.end() :]) and gap.end() - gap.start() > 1:
                yield gap.start() + 1, gap.end()
        elif not inside_layout and _is_blank(text, gap.start(), gap.end()):
            yield gap.span()


def _spaced_out(text: str, begin: int) -> list[tuple[int, int]]:
    """Stretches of characters spaced out one by one: 氏　名, 勤　務　日　数; not 年　月　日, which are units."""
    found: list[tuple[int, int]] = []
    run: list[re.Match[str]] = []
    for single in [*_SINGLE.finditer(text, begin), None]:
        adjoins = run and single and not text[run[-1].end() : single.start()].strip(" \u3000")
        if single and (adjoins or not run):
            run.append(single)
            continue
        if len(run) > 1 and any(match.group() not in _LONE_ALLOWED for match in run):
            found.append((run[0].start(), run[-1].end()))
        run = [single] if single else []
    return found


def _is_blank(text: str, start: int, end: int) -> bool:
    left, right = text[start - 1], text[end]
    if left in _SENTENCE_END:
        return False
    if left in _OPEN and right in _CLOSE:
        return True
    if _BEFORE_COMPANY.match(text, end):
        return left in _OPEN or left == "、" or bool(re.match(r"[ぁ-ん]", left))
    if re.search(rf"{_COMPANY}$", text[:start]) and end - start > 1:
        return bool(_BEFORE_PARTICLE.match(text, end)) or text.startswith(("（以下", "(以下"), end)
    if left == "第" and _BEFORE_PROVISION.match(text, end):
        return True
    if _BEFORE_UNIT.match(text, end):
        return left != right and not re.match(rf"[{_NUMERAL}]", left)
    wide = end - start > 1
    return wide and bool(re.match(r"[ぁ-ん、]", left)) and bool(_BEFORE_PARTICLE.match(text, end))
