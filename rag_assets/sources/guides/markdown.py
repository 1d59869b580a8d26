"""Guides in Markdown: CommonMark with tables, front matter, footnotes, shortcodes and HTML inside.

Markdown is rendered as HTML, and that is read as a web page is: one reader for words, lists and tables.
"""

import datetime
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, BinaryIO

import yaml
from bs4 import BeautifulSoup, Tag
from markdown_it import MarkdownIt
from markdown_it.common.utils import isWhiteSpace
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter, Scanned
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from rag_assets.japanese.encodings import UndecodableError, decode_text
from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.guides.document import GuideDocument, Heading
from rag_assets.sources.guides.html_parts import Parts, quote, read_parts
from rag_assets.sources.guides.shortcodes import (
    ANCHOR,
    ATTRIBUTES_AHEAD,
    ATTRIBUTES_BEHIND,
    lines_with_code,
    take_marks_out,
    take_shortcodes_out,
)

_YAML = re.compile(r"---[ \t]*\n(?P<inside>.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_TOML = re.compile(r"\+\+\+[ \t]*\n(?P<inside>.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.S)
_JSON = re.compile(r"(?P<inside>\{[ \t]*\n.*?\n\})[ \t]*(?:\n|\Z)", re.S)
_PANDOC = re.compile(r"%[ \t]+(?P<title>\S.*)\n(?:%[ \t]*.*\n(?:%[ \t]*(?P<date>.*)\n)?)?(?=[ \t]*\n)")
"""Title, authors and date, as Pandoc has them at the head of a document."""
_WIKI_LINK = re.compile(
    r"(?P<embeds>!?)\[\[(?P<page>[^\[\]|#]*)(?:#(?P<place>[^\[\]|]*))?(?:\|(?P<words>[^\[\]]+))?\]\]"
)
_PICTURE_NAME = re.compile(r".*\.(?:png|jpe?g|gif|webp|svg|bmp|avif)", re.I)
_PICTURE_SIZE = re.compile(r"\d+(?:x\d+)?")
_SPAN = re.compile(rf"\[(?P<words>[^\[\]]+)\](?:{ATTRIBUTES_AHEAD.pattern})")
"""Words with attributes, as Pandoc writes them: `[words]{.underline}`."""
_BLOCK_NAME = re.compile(r"(?<=\S)[ \t]+\^[A-Za-z0-9-]{4,}$")
"""The name that Obsidian puts behind a block, which readers do not see."""
_HIGHLIGHT = re.compile(r"==(?=\S)([^=\n]+?)(?<=\S)==")
_FIELD_LINE = re.compile(r"^[\w-]+[ \t]*:", re.M)
_DATES = (
    *("lastmod", "last_modified", "last_modified_at", "last_updated", "lastupdated", "last_update", "updated"),
    *("updated_at", "modified", "revised", "revision_date", "改訂日", "改定日", "更新日", "最終更新日", "最終更新"),
    *("effective_date", "施行日", "date", "日付", "作成日", "published", "published_at", "created", "created_at"),
)
"""Front matter that tells what date a document speaks for, the likeliest first."""
_TITLES = ("title", "タイトル", "題名", "表題")
_NO_HEADING = re.compile(r" {0,3}#{1,6}(?!\.[ \t])[^\s#]")
_DEEPEST_NESTING = 100
"""Blocks in blocks; a list takes two. What is deeper is lost, and the usual 20 are 10 lists."""
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def read_markdown(file: BinaryIO) -> GuideDocument:
    """A Markdown document.

    Raises:
        DocumentError: Its bytes are no text.
    """
    try:
        text = decode_text(file.read()).text
    except UndecodableError as error:
        raise DocumentError(f"{error}; save it in UTF-8") from error
    whole = re.sub(r"\r\n?", "\n", text).replace("\0", "\ufffd")
    matter, text, findings = _split_front_matter(whole)
    findings += _find_lost_headings(text, lines_above=whole.count("\n") - text.count("\n"))
    markdown = _markdown()
    fields = {name: _first(matter, (name,)) for name in matter}
    text = take_marks_out(take_shortcodes_out(text, markdown.renderInline), markdown.renderInline, fields)
    page = BeautifulSoup(f"<html><body>{markdown.render(text)}</body></html>", "lxml")
    body = page.body
    assert isinstance(body, Tag)
    parts, left_out = read_parts(page, body)
    title, below = split_title(parts)
    given = _first(matter, _TITLES)
    if not given or given == title:
        parts = below
    return GuideDocument(
        parts=tuple(parts), title=given or title, dated=_first(matter, _DATES), findings=tuple(findings + left_out)
    )


def split_title(parts: Parts) -> tuple[str, Parts]:
    """The title, where the document begins with its only heading of the highest level, and the parts without it."""
    headings = [part for part in parts if isinstance(part, Heading)]
    top = min((heading.level for heading in headings), default=0)
    if headings and parts[0] is headings[0] and top == 1 and [heading.level for heading in headings].count(top) == 1:
        return headings[0].text, parts[1:]
    return "", parts


def _split_front_matter(text: str) -> tuple[Mapping[str, Any], str, list[Finding]]:
    """What the front matter says, the text below it, and what is wrong with it."""
    if titled := _PANDOC.match(text):
        return {"title": titled["title"], "date": titled["date"] or ""}, text[titled.end() :], []
    for pattern, load in ((_YAML, _load_yaml), (_TOML, tomllib.loads), (_JSON, json.loads)):
        found = pattern.match(text)
        if found is None:
            continue
        inside = found["inside"] or ""
        try:
            said = load(inside)
        except (yaml.YAMLError, tomllib.TOMLDecodeError, ValueError) as error:
            if pattern is _JSON or (pattern is _YAML and not _FIELD_LINE.search(inside)):
                break
            return {}, text[found.end() :], [_broken_front_matter(error)]
        if isinstance(said, Mapping):
            return {str(key).lower(): value for key, value in said.items()}, text[found.end() :], []
        if not inside.strip():
            return {}, text[found.end() :], []
    return {}, text, []


def _load_yaml(text: str) -> Any:
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _broken_front_matter(error: Exception) -> Finding:
    return Finding(
        kind="note",
        topic="front matter",
        place="line 1",
        message=f"the front matter cannot be read, so its title and date are not known ({quote(str(error))}): mend it",
    )


def _first(matter: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = matter.get(name)
        if isinstance(value, Mapping):
            value = value.get("date")  # Docusaurus: `last_update: {date: …, author: …}`
        if isinstance(value, datetime.datetime | datetime.date):
            return value.isoformat()
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""


def _find_lost_headings(text: str, lines_above: int) -> list[Finding]:
    """Lines that were meant as headings and are none: `##見出し`, with no blank behind the signs."""
    return [
        Finding(
            kind="note",
            topic="heading without blank",
            place=f"line {number}",
            message="Markdown asks for a blank behind #, so readers see this line as text: write a blank if it is one",
            quote=quote(line),
        )
        for number, (line, in_code) in enumerate(lines_with_code(text), start=lines_above + 1)
        if not in_code and _NO_HEADING.match(line) and _WIDE.search(line)
    ]


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": _DEEPEST_NESTING}).enable(
        ["table", "strikethrough"]
    )
    markdown.use(footnote_plugin).use(deflist_plugin).use(tasklists_plugin).use(admon_plugin)
    markdown.inline.ruler.at("emphasis", _read_emphasis)
    markdown.inline.ruler.at("strikethrough", _read_strikethrough)
    markdown.core.ruler.push("attribute_lists", _take_attributes_out)
    markdown.core.ruler.push("wiki_marks", _read_wiki_marks)
    return markdown


def _read_wiki_marks(state: StateCore) -> None:
    """Leaves the words of links as wikis write them (`[[page|words]]`), of `==highlights==` and `[spans]{.class}`."""
    for token in state.tokens:
        children = token.children or []
        for child in children:
            if child.type == "text" and ("[" in child.content or "==" in child.content):
                linked = _SPAN.sub(r"\g<words>", _WIKI_LINK.sub(_read_wiki_link, child.content))
                child.content = _HIGHLIGHT.sub(r"\1", linked)
        if children and children[-1].type == "text":
            children[-1].content = _BLOCK_NAME.sub("", children[-1].content)


def _read_wiki_link(link: re.Match[str]) -> str:
    """Its words, or what it leads to; a picture without words shows none."""
    words = link["words"] or ""
    is_picture = link["embeds"] and _PICTURE_NAME.fullmatch(link["page"])
    if is_picture:
        return "" if _PICTURE_SIZE.fullmatch(words) else words
    return words or link["page"] or link["place"] or ""


def _take_attributes_out(state: StateCore) -> None:
    """Attribute lists behind headings, links, pictures and code; a heading's own name stays as its anchor."""
    for position, token in enumerate(state.tokens):
        children = token.children or []
        if token.type != "inline":
            continue
        for before, behind in pairwise(children):
            if behind.type == "text" and before.type in ("link_close", "image", "code_inline", "strong_close"):
                listed = ATTRIBUTES_AHEAD.match(behind.content)
                behind.content = behind.content[listed.end() :] if listed else behind.content
        opening = state.tokens[position - 1]
        if opening.type != "heading_open" or not children or children[-1].type != "text":
            continue
        found = ATTRIBUTES_BEHIND.search(children[-1].content)
        if found:
            children[-1].content = children[-1].content[: found.start()]
            if named := ANCHOR.search(found[1]):
                opening.attrSet("id", named[1])


def _read_emphasis(state: StateInline, silent: bool) -> bool:
    """Emphasis as markdown-it reads it, but Japanese brackets and stops do not keep it from opening or closing.

    CommonMark leaves the signs of `**「甲」**は` as they are, since 」 is punctuation and は a letter.
    """
    marker = state.src[state.pos]
    if silent or marker not in ("_", "*"):
        return False
    scanned = _scan_delimiters(state, can_split_word=marker == "*")
    for _ in range(scanned.length):
        _push_delimiter(state, marker, scanned, length=scanned.length)
    state.pos += scanned.length
    return True


def _read_strikethrough(state: StateInline, silent: bool) -> bool:
    """`~~…~~`, likewise."""
    if silent or state.src[state.pos] != "~":
        return False
    scanned = _scan_delimiters(state, can_split_word=True)
    if scanned.length < 2:
        return False
    if scanned.length % 2:
        state.push("text", "", 0).content = "~"
    for _ in range(scanned.length // 2):
        _push_delimiter(state, "~~", scanned, length=0)
    state.pos += scanned.length
    return True


def _push_delimiter(state: StateInline, signs: str, scanned: Scanned, *, length: int) -> None:
    state.push("text", "", 0).content = signs
    state.delimiters.append(
        Delimiter(
            marker=ord(signs[0]),
            length=length,
            token=len(state.tokens) - 1,
            end=-1,
            open=scanned.can_open,
            close=scanned.can_close,
        )
    )


def _scan_delimiters(state: StateInline, *, can_split_word: bool) -> Scanned:
    scanned = state.scanDelims(state.pos, can_split_word)
    before = state.src[state.pos - 1] if state.pos > 0 else " "
    end = state.pos + scanned.length
    behind = state.src[end] if end < state.posMax else " "
    if not can_split_word or not (_WIDE.match(before) or _WIDE.match(behind) or _is_wide_sign(before + behind)):
        return scanned
    opens = not isWhiteSpace(ord(behind)) and (not _is_closing_sign(behind) or isWhiteSpace(ord(before)))
    closes = not isWhiteSpace(ord(before)) and (not _is_opening_sign(before) or isWhiteSpace(ord(behind)))
    return Scanned(scanned.can_open or opens, scanned.can_close or closes, scanned.length)


def _is_wide_sign(characters: str) -> bool:
    return any("\u3000" <= character <= "\u303f" or character >= "\uff00" for character in characters)


def _is_closing_sign(character: str) -> bool:
    return character in "」』）】］〕》〉、。，．！？)]},.!?:;："


def _is_opening_sign(character: str) -> bool:
    return character in "「『（【［〔《〈([{"


def github_anchors(headings: Iterator[Heading]) -> Iterator[str]:
    """The names under which GitHub and Hugo link to headings; a name that the heading itself has goes before."""
    seen: dict[str, int] = {}
    for heading in headings:
        plain = re.sub(r"[^\w\- ]", "", heading.text.lower()).strip().replace(" ", "-")
        name = heading.anchor or plain
        count = seen.get(name, 0)
        seen[name] = count + 1
        yield f"{name}-{count}" if count and not heading.anchor else name
