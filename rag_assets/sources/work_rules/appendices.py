"""What stands behind the rules and is headed with a kind of its own: 別表, 別紙, and forms (様式) to fill in.

Single headings by their words, and what a form looks like; which passages belong to one is decided in `outline`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rag_assets.japanese.characters import GAP, SPACES, remove_spaces
from rag_assets.japanese.whitespace import close_spaced, one_line
from rag_assets.sources.work_rules.headings import NUMBER, has_leaders, is_deleted

AppendixKind = Literal["table", "sheet", "form"]
BARE_FORM = "様式"
"""The label of a form that has none."""

_OPEN, _CLOSE = r"[（(【［\[〔＜<]", r"[）)】］\]〕＞>]"
_COUNT = (
    rf"(?:第{GAP})?(?:{NUMBER}|[A-ZＡ-Ｚ]){GAP}号?"
    rf"(?:{GAP}の{GAP}{NUMBER}|[-－―‐−]{NUMBER}|{GAP}その{GAP}{NUMBER})*"
)
_SHEET = rf"別{GAP}(?:紙|記|添|図)"
_FORM = (
    rf"(?:{_SHEET}|参考|届出)?{GAP}"
    rf"(?:様{GAP}式{GAP}(?:{_COUNT})?|書{GAP}式{GAP}{_COUNT}"
    rf"|第{GAP}{NUMBER}{GAP}号(?:{GAP}の{GAP}{NUMBER})?{GAP}(?:様{GAP}式|書{GAP}式)"
    rf"(?:{GAP}の{GAP}{NUMBER})*)"
)
_LABEL = rf"(?:(?P<form>{_FORM})|(?P<sheet>{_SHEET}{GAP}(?:{_COUNT})?)|(?P<table>別{GAP}表{GAP}(?:{_COUNT})?))"
_HEADING = re.compile(rf"^{_LABEL}(?P<title>(?:[ \u3000（(【［\[〔：:].*)?)$")
_CLOSE_HEADING = re.compile(rf"^(?P<form>{_FORM})(?<=[号式0-9０-９])(?P<title>[^ぁ-ん、。（）()　 0-9０-９]{{2,24}})$")
"""A form's number with its name straight behind it: 様式第１号休暇届."""
_IN_BRACKETS = re.compile(
    rf"^{_OPEN}{GAP}{_LABEL}(?P<inside>[^（）()]*(?:[（(][^（）()]*[）)])?){_CLOSE}(?P<title>.*)$"
)
_BRACKETS = re.compile(r"^[ \u3000]*(?P<inside>[（(][^（）()]*[）)])")
_MENTION = re.compile(
    r"^(?:[をにはがのとへもでや、。」』）)]|から|まで|より|又は|及び|並びに|若しくは|による|により)|以下|[「」]|という"
)
"""What goes on with a sentence that names an appendix: 様式第１号（以下「申請書」という。）により."""
_PARTS = re.compile(r"裏|表面|続|つづ|その|[0-9０-９]{1,2}[/／]|枚目|頁|ページ")
"""What a heading says that comes again on a form's further pages."""

_NAME_OF_FORM = re.compile(
    r"^[^。、：:「」]{1,30}(?:届け?|願い?|書|証|票|簿|表|状|録|帳|辞令|カード|シート|用紙)(?:[（(【][^（）()]*[）)】])?$"
)
_ADDRESSEE = re.compile(r"(?:殿|御中|様|宛て?)$")
_WRITTEN = ("氏名", "住所", "所属", "職名", "電話")
_SIGNALS = (
    re.compile(r"(?:印|㊞)[）)]?$"),
    re.compile(r"(?<![0-9０-９〇一二三四五六七八九十元])[ \u3000＿_]*年[ \u3000＿_]+月[ \u3000＿_]+日"),
    _ADDRESSEE,
    re.compile(rf"^(?:.{{0,8}}[ \u3000])?(?:{'|'.join(map(GAP.join, _WRITTEN))})(?:[ \u3000：:（(].*)?$"),
    re.compile(r"^記$"),
    re.compile(r"(?:届|願|申請書|申込書|届出書|報告書|誓約書|同意書|承諾書|請求書|証明書|許可書|通知書|確認書)$"),
)
"""What forms have and rules do not; two of them make a form of a 別紙."""
_LOOKED_AT = 40


@dataclass(frozen=True, slots=True)
class AppendixHeading:
    """The line that heads an appendix.

    Attributes:
        kind: `table` for 別表, `form` for 様式 and 書式, `sheet` for 別紙, 別記, 別添 and 別図, which hold anything.
        label: As printed, without blanks inside: 別紙様式第１号.
        title: What stands behind it, with the articles it belongs to: （第５条関係）　休暇届.
    """

    kind: AppendixKind
    label: str
    title: str

    @property
    def deleted(self) -> bool:
        """Whether all it says is that it is deleted, with or without the articles it belonged to."""
        return is_deleted(_BRACKETS.sub("", self.title)) or is_deleted(self.title)


def appendix_heading(text: str) -> AppendixHeading | None:
    """The heading of a line that begins an appendix; None for a mention: 様式第１号により, 別表第１に掲げる者."""
    if has_leaders(text) or text.endswith(("、", "。")):
        return None
    # Fields of a form are long, and the width of their blanks says nothing here.
    text = re.sub(r"[ \u3000]{2,}", "\u3000", text)
    match = _HEADING.match(text) or _IN_BRACKETS.match(text) or _CLOSE_HEADING.match(text)
    if match is None:
        return None
    found = match.groupdict()
    title = f"{_behind_label(found.get('inside') or '')}{found['title']}".strip(" \u3000：:")
    brackets = _BRACKETS.match(title)
    words = title[brackets.end() :].strip(SPACES) if brackets else title
    if _MENTION.search(words) or (brackets and re.search("以下|[「」。]", brackets["inside"])):
        return None
    kind: AppendixKind = "form" if found.get("form") else "sheet" if found.get("sheet") else "table"
    label = found.get("form") or found.get("sheet") or found.get("table") or ""
    return AppendixHeading(kind, remove_spaces(label), title)


def _behind_label(inside: str) -> str:
    """What stands behind a label inside its brackets: （様式第１号　第５条関係）."""
    words = inside.strip(" \u3000：:、")
    return f"（{words}）" if words and not words.startswith(("（", "(")) else words


def is_further_page(heading: AppendixHeading) -> bool:
    """Whether a heading that comes again says that it is a further page's: （裏面）, （続き）, その２."""
    return not heading.title or _PARTS.search(heading.title) is not None


def looks_like_form(lines: Iterable[str], enough: int = 2) -> bool:
    """Whether an appendix is a form to fill in: a blank date, a seal, an addressee, a name to write, 記."""
    texts = [line.strip(SPACES) for line in lines][:_LOOKED_AT]
    return sum(any(signal.search(text) for text in texts) for signal in _SIGNALS) >= enough


def form_name(lines: Iterable[str]) -> str:
    """What a form calls itself below its heading: 研究員証交付申請書; empty where no line is a name."""
    names = (close_spaced(one_line(line)) for line in [*lines][:_LOOKED_AT])
    return next((name for name in names if _NAME_OF_FORM.match(name) and not _ADDRESSEE.search(name)), "")
