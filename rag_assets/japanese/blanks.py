"""Blanks in a form or model document: white space and placeholders that stand for a value somebody has yet to set.

Text only: a line in, the same line with its blanks marked out. What a blank's record tells of it belongs to its source.

A gap in a line is white space as wide as a character or more. Most gaps are layout: after an item's number, between
the columns of a list, inside a word spaced out as 氏　名. A gap is a blank where the words around it cannot do without
a value: before a unit with no number (採用した日から　か月間), before a particle (事前に　に対し), before a company's
form (、　株式会社), behind 月額 where the sentence goes on, between brackets, colons and 〜 alone. A space of half a
character only parts words, except where nothing else can be meant: alone between brackets, or before units that follow
each other (毎年 月 日) or say a limit ( 日以内).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag_assets.japanese.characters import CLOSING, DIGITS, KANJI_NUMERALS, ONE_TO_TEN, OPENING, SPACES

BLANK = "（空欄：会社で定める）"
"""What stands in the text where a value is to be set: words that nobody takes for a figure."""

_WIDE = "\u3000"
_WHITE = " \u00a0\u3000"
_GAP = re.compile(r"[ \u00a0\u3000]+")
_NUMERAL = f"{DIGITS}{KANJI_NUMERALS}万億数何半幾"

_UNIT = (
    r"(?:"
    r"[かヶカヵケ箇]月|週間?(?![休払日])|時間(?![外帯給単割的数当])|時(?![間差期季給刻点短限効速代事機々折])"
    r"|年間(?!休日|所定|総|を|カ|平均|計画|の)|年(?![間次度末始少齢俸金賞功内収休中長季報号代輩額々])"
    r"|月(?![額給曜末例間次賦初収内平半々割])|日間?(?![曜給額勤数当時中常本々程誌没付祝割直雇])"
    r"|分(?![割娩類担野析煙別離散量岐室配社会業譲母数間限])|分間|秒|[千万億]?円(?![満滑卓])"
    r"|回(?![数答復収覧避転顧線])|番(?![号方組])|[歳才](?![入出能])|割(?![増合引当賦りれ愛安])"
    r"|人(?![事員数件材間物権格])|名(?![前称簿義刺目誉])|件(?![数名])|[%％]|パーセント|倍(?!率)|点(?![検数呼滅])"
    r")(?![" + DIGITS + r"]+[回度])"
)
_PROVISION = r"(?:条(?![件文例項])|項(?!目)|号(?![外令俸]))"
_COMPANY = r"(?:株式|有限|合同|合名|合資)会社"
_PARTICLE = r"(?:が(?!ん|く)|を|に(?!もかかわ)|は(?!じ)|の(?!ち)|へ|から|まで(?!も)|より(?!も)|とする|とし[、て])"
_LIMIT = r"(?:以[上下内]|未満|を超|から|まで|とする)"

_BEFORE_UNIT = re.compile(_UNIT)
_BEFORE_PROVISION = re.compile(_PROVISION)
_BEFORE_COMPANY = re.compile(_COMPANY)
_BEFORE_PARTICLE = re.compile(_PARTICLE)
_BEFORE_LIMIT = re.compile(rf"{_UNIT}{_LIMIT}")
_BEFORE_NAMING = re.compile(r"[（(]以下")
_BEFORE_NAMED = re.compile(rf"[^{_WHITE}（()）、。]{{1,8}}[（(]以下")
"""The end of a name that is told apart by what stands before it: 　　店（以下「会社」という。）."""
_AMOUNT = re.compile(r"(?:[月日年週]額|時給)$")
_AFTER_AMOUNT = re.compile(rf"{_PARTICLE}|で(?!き)|程度|{_LIMIT}|[、。]|[（(]以下")
_NOTHING = re.compile(
    rf"(?:(?<=（)(?=）(?:{_UNIT}|とする))|(?<=[(])(?=[)](?:{_UNIT}|とする))|(?<=「)(?=」とする)"
    r"|(?<=毎年)(?=月日)|(?<=毎年月)(?=日)"
    r"|(?<=令和)(?=年月日)|(?<=令和年)(?=月日)|(?<=令和年月)(?=日))"
)
"""Where a value is missing although there is no white space: a PDF's lines do not keep gaps of half a character."""
_BRACKETS = frozenset(("()", "（）", "「」", "『』", "[]", "［］", "〔〕", "(）", "（)"))
_UNITS_IN_TURN = frozenset(("年月", "月日", "時分"))
_OPEN = "(（「『[［〔:：～〜~／/"
_CLOSE = ")）」』]］〕:：～〜~／/"
_SENTENCE_END = "。！？!?"

_KANJI = f"{ONE_TO_TEN}百千"
_MARK = re.compile(
    rf"^(?:第[{DIGITS}{_KANJI}]+条(?:の[{DIGITS}{_KANJI}]+)*|[{DIGITS}]{{1,2}}[.．]?|[①-⑳㋐-㋾]|[⑴-⒇]"
    rf"|[{OPENING}][^{_WHITE}{OPENING}{CLOSING}]{{1,8}}[{CLOSING}]|注[{DIGITS}]*|[ア-ンａ-ｚa-z][.．]?"
    rf"|[・●■◆※○][{DIGITS}]*)"
)
_STARTS_WITH_BLANK = re.compile(
    rf"(?:年(?=[{_WHITE}]+月)|月(?=[{_WHITE}]+日)|時(?=[{_WHITE}]+分)|{_UNIT}(?=から|まで|以[上下内]|未満|を超))"
)
_LONE_UNIT = re.compile(rf"{_UNIT}(?=$|[ \u3000、。）)]|から|まで|以[上下内]|未満|とする)")
_SINGLE = re.compile(rf"(?<![^{_WIDE}（(「])[^{_WIDE} （）()「」](?![^{_WIDE}）)」])")
_LONE_ALLOWED = frozenset("年月日時分秒第条項号円回人名満約計毎各翌前同～〜:：・歳番割")
_WEEK = re.compile(r"(?:[日月火水木金土][ \u3000]+){3,}[日月火水木金土]")
_REPEATED = re.compile(r"(?<!\S)(\S)(?:[ \u3000]+\1){2,}(?!\S)")

_UNDERSCORES = re.compile(r"(?<![A-Za-z0-9/._＿-])(?:＿+|__+)(?![A-Za-z0-9_])")
_RING = "○〇◯"
_SHAPE = "△▲□◇●◎"
_SIGNS = re.compile(
    rf"(?<![{_NUMERAL}])(?:[{_RING}][{_RING}{_SHAPE}×]+|([{_SHAPE}×])\1+"
    rf"|[{_RING}](?=[年月日時分秒円回番歳才割人名件％%倍点週]|[かヶカヵケ箇]月|以[上下]|未満)"
    # Alone, × multiplies: only dates are written with it.
    rf"|[{_SHAPE}](?={_UNIT})|×(?=年×月|月×日|時×分)|(?<=×年)×(?=月)|(?<=×月)×(?=日)|(?<=×時)×(?=分)"
    rf"|(?:[…‥]+|・{{2,}})(?={_UNIT}))(?![{_NUMERAL}])"
)
_BEFORE_BORNE_OUT = re.compile(rf"{_UNIT}(?=$|{_LIMIT}|[{_WHITE}、。）)間前後○〇◯{_SHAPE}]|ごと)")


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
    """Mark every blank of a text by `BLANK`; a marked text stays as it is.

    White space and underscores that stand for a value give way to the mark. Signs that do (○○, △△, ○ before a unit)
    stay before it, since they may tell one blank from another: 「○○（空欄：会社で定める）業務」.

    Args:
        text: One paragraph or one table cell, its gaps as wide spaces.
        signs: Whether signs are looked for too; not in a text where they only stand for any example.
    """
    body = text.lstrip(_WHITE)
    shown = [match.span() for pattern in (_UNDERSCORES, _NOTHING) for match in pattern.finditer(body)]
    marked = body
    for start, end in sorted([*_blank_gaps(body), *shown], reverse=True):
        marked = marked[:start] + BLANK + marked[end:]
    lead = text[: len(text) - len(body)]
    marked = (BLANK if _begins_with_blank(body, lead) else lead) + marked
    return _SIGNS.sub(lambda match: _mark_sign(match, marked), marked) if signs else marked


def find_blanks(marked: str, around: int = 14) -> list[Blank]:
    """The blanks of a text that `mark_blanks` gave, in order."""
    return [
        Blank(match.start(), marked[max(match.start() - around, 0) : match.end() + around].strip(SPACES))
        for match in re.finditer(re.escape(BLANK), marked)
    ]


def is_blank_between(before: str, after: str) -> bool:
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


def _mark_sign(match: re.Match[str], text: str) -> str:
    if text.startswith(BLANK, match.end()) or _is_bullet(match, text):
        return match.group()
    return match.group() + BLANK


def _is_bullet(match: re.Match[str], text: str) -> bool:
    """A single sign at a line's start stands for an item, unless a unit follows that bears out the value.

    ○ is a value before any unit; ● and the like before one that says a limit or ends something: ●年以上, not ●年に一度.
    """
    if match.start() > 0 or len(match.group()) > 1:
        return False
    borne_out = _BEFORE_UNIT if match.group() in _RING else _BEFORE_BORNE_OUT
    return not borne_out.match(text, match.end())


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
    lone = _find_spaced_out(text, begin)
    for gap in _GAP.finditer(text):
        if gap.start() == 0:
            continue
        if gap.end() == len(text):
            # White space at the end of a line is kept only where an underline shows it.
            if text[gap.start() - 1] in ":：" or _AMOUNT.search(text[: gap.start()]):
                yield gap.span()
            continue
        if gap.end() - gap.start() == 1 and gap.group() != _WIDE:
            if not any(start <= gap.start() < end for start, end in layout) and _is_narrow_blank(text, *gap.span()):
                yield gap.span()
            continue
        inside_layout = any(start <= gap.start() and gap.end() <= end for start, end in (*layout, *lone))
        if gap.start() == begin and mark:
            bears_out = _STARTS_WITH_BLANK.match(text, gap.end()) or _LONE_UNIT.match(text, gap.end())
            if bears_out and gap.end() - gap.start() > 1:
                yield gap.start() + 1, gap.end()
        elif not inside_layout and _is_blank(text, gap.start(), gap.end()):
            yield gap.span()


def _find_spaced_out(text: str, begin: int) -> list[tuple[int, int]]:
    """Stretches of characters spaced out one by one: 氏　名, 勤　務　日　数; not 年　月　日, which are units."""
    found: list[tuple[int, int]] = []
    run: list[re.Match[str]] = []
    for single in [*_SINGLE.finditer(text, begin), None]:
        adjoins = run and single and not text[run[-1].end() : single.start()].strip(SPACES)
        if single and (adjoins or not run):
            run.append(single)
            continue
        if len(run) > 1 and any(match.group() not in _LONE_ALLOWED for match in run):
            found.append((run[0].start(), run[-1].end()))
        run = [single] if single else []
    return found


def _is_narrow_blank(text: str, start: int, end: int) -> bool:
    """Whether a single space of half a character is a blank."""
    left, right = text[start - 1], text[end]
    if left + right in _BRACKETS:
        return True
    if left in _SENTENCE_END or re.match(rf"[{_NUMERAL}]", left):
        return False
    if _STARTS_WITH_BLANK.match(text, end) or _BEFORE_LIMIT.match(text, end):
        return True
    return left + right in _UNITS_IN_TURN and start > 1 and text[start - 2] in _WHITE


def _is_blank(text: str, start: int, end: int) -> bool:
    left, right = text[start - 1], text[end]
    if left in _SENTENCE_END:
        return False
    wide = end - start > 1
    if left in _OPEN and right in _CLOSE:
        return True
    if left in ":：" and ((wide and right in "（(、。") or _BEFORE_NAMING.match(text, end)):
        return True
    if _BEFORE_COMPANY.match(text, end):
        return left in _OPEN or left == "、" or bool(re.match(r"[ぁ-ん]", left))
    if re.search(rf"{_COMPANY}$", text[:start]) and wide:
        return bool(_BEFORE_PARTICLE.match(text, end)) or bool(_BEFORE_NAMING.match(text, end))
    if left == "第" and _BEFORE_PROVISION.match(text, end):
        return True
    if _BEFORE_UNIT.match(text, end):
        return left != right and not re.match(rf"[{_NUMERAL}]", left)
    if not wide:
        return False
    if _AMOUNT.search(text[:start]) and _AFTER_AMOUNT.match(text, end):
        return True
    if _BEFORE_NAMED.match(text, end):
        return left not in "、：:）)"
    return bool(re.match(r"[ぁ-ん、]", left)) and bool(_BEFORE_PARTICLE.match(text, end))
