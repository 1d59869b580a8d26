"""What site generators add to Markdown: Hugo's shortcodes, Liquid, attribute lists, containers, tabs, a 目次.

All of it is taken out before Markdown is read; titles that a reader sees on the site stay.
"""

import re
from collections.abc import Callable, Iterator, Mapping

_QUOTED = r'"(?:\\.|[^"\\])*"|`[^`]*`'
_SHORTCODE = re.compile(
    rf"(?P<indent>^[ \t]*(?:>[ \t]?)*)?\{{\{{(?P<open>[<%])(?P<escaped>/\*)?-?\s*(?P<closing>/?)\s*(?P<name>[\w./-]+)"
    rf"(?P<arguments>(?:{_QUOTED}|(?![%>]\}}\}}).)*?)(?:\*/)?[%>]\}}\}}(?P<rest>[ \t]*$)?",
    re.M | re.S,
)
_ARGUMENT = re.compile(rf"(?:(?P<key>[\w-]+)\s*=\s*)?(?P<value>{_QUOTED}|[^\s\"`=]+)", re.S)

_SEEN = ("header", "title", "heading", "subtitle", "summary", "caption", "label", "text", "attr", "footer")
"""Named arguments that sites show, in the order they show them."""
_NAME_IS_SEEN = frozenset({"tab", "label", "badge", "pill", "button"})
_POSITION_SEEN = {"tab": 0, "details": 0, "expand": 0, "spoiler": 0, "notice": 1, "callout": 1}
"""Which argument without a name is a title."""
_CODE = frozenset({"highlight", "mermaid", "code", "prism"})
_LINKS = frozenset({"ref", "relref"})
_LINK_BEFORE = re.compile(r"""(?:\]\(<?|href=["']?)$""")

_ATTRIBUTES = r"""\{:?[ \t]*(?:(?:[.#][\w:.-]+|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s}"']+))[ \t]*)+\}"""
ATTRIBUTES_BEHIND = re.compile(rf"[ \t]*({_ATTRIBUTES})[ \t]*$")
"""An attribute list at the end of a heading: `{#anchor .class}`."""
ATTRIBUTES_AHEAD = re.compile(_ATTRIBUTES)
ANCHOR = re.compile(r"#([^\s.}]+)")
_ATTRIBUTES_ALONE = re.compile(rf"[ \t]*(?:>[ \t]*)*(?:{_ATTRIBUTES}|\{{:toc\}})[ \t]*")
_CONTENTS_MARK = re.compile(r"[ \t]*(?:\[\[_?toc_?\]\]|\[_?toc_?\]|@\[toc\](?:\([^)]*\))?|\$\{toc\})[ \t]*", re.I)
_CONTAINER = re.compile(r"(?P<indent>[ \t]*):{3,}[ \t]*(?:\{[^}]*\}|(?P<kind>[\w-]*)(?P<title>.*?))[ \t]*")
_STYLES = frozenset({"alert", "warn", "warning", "info", "danger", "error", "success"})
"""Words behind a container's kind that say how it is coloured: `:::message alert`, `:::note warn`."""
_ALERT = re.compile(r"(?P<mark>(?:[ \t]*>)+[ \t]*)\[!(?P<kind>[A-Za-z][\w-]*)(?:\|[^\]]*)?\][+-]?(?P<title>.*)")
"""A callout of GitHub, GitLab or Obsidian, which has kinds of its own and nests them."""
_ESCAPED_TAG = re.compile(r"(?P<tag>[ \t]*</?(?:details|summary|div|table|p)\b[^<>]*)\\>(?P<rest>.*)")
"""What some editors make of a tag: `<details markdown="1"\\>`."""
_SUMMARY = re.compile(r"(?P<before>[ \t]*(?:<details[^>]*>[ \t]*)?<summary>)(?P<inside>.*)(?P<behind></summary>.*)")
_TAB = re.compile(r"(?P<indent>[ \t]*)===[!+]{0,2}[ \t]+(?P<title>\"[^\"]+\")[ \t]*")
"""The title of a tab as MkDocs has it, above indented text: what an admonition looks like but for its sign."""
_COMPONENT = re.compile(
    r"""(?P<indent>[ \t]*)<(?P<name>[A-Z]\w*)\b(?=[^>]*\b(?:label|title|text|value)=)[^>]*>[ \t]*"""
)
"""A component of MDX or Vue on a line of its own: `<TabItem label="…">`, `<Card title="…">`."""
_COMPONENT_INLINE = re.compile(r"""<Badge\b(?=[^>]*\btext=)[^>]*/>""")
_LIQUID_BLOCK = re.compile(r"""(?P<indent>[ \t]*)\{%-?\s*[a-z][\w-]*\b(?=[^%{}]*\btitle=)[^%{}]*%\}[ \t]*""")
"""A tag of GitBook or Jekyll that has a title: `{% tab title="…" %}`."""
_NAMED_WORDS = re.compile(r"""(?<![\w-])(?P<key>label|title|text|value)=(?P<sign>["'])(?P<words>.*?)(?P=sign)""")
_OBSIDIAN_COMMENT = re.compile(r"^%%[ \t]*\n.*?^%%[ \t]*$", re.M | re.S)
_AUTOMATIC_ITEM = re.compile(r"(?P<indent>[ \t]*)#\.(?P<rest>[ \t]+\S.*)")
"""An item that Pandoc numbers."""
_IMPORT = re.compile(r"""import\s+(?:[\w*{][\w*{},\s]*\s+from\s+)?["'][^"']+["'];?[ \t]*""")
_ALONE = (_ATTRIBUTES_ALONE, _CONTENTS_MARK, _IMPORT)
"""Lines of which readers see nothing."""
_UNSEEN_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|\{\{-?\s*(?:page|\$?frontmatter)\.(?P<field>\w+)\s*-?\}\}"
    r"|(?<!\{)\{%-?\s*[a-z]\w*\b[^%{}]*%\}(?!\})|\{\{-?\s*(?:site|page|layout|include)\.[^{}]*\}\}|\{/\*.*?\*/\}"
    r"|(?<![%0-9０-９])%%(?!%)[^%\n`]+%%(?!%)"
)
"""Tags and variables of Liquid (Jekyll, GitBook), comments of MDX and Obsidian; readers see what stands in code, and
the fields of the front matter."""
_FENCE = re.compile(r"[ \t]*(?:>[ \t]?|[-*+][ \t]+|\d+[.)][ \t]+)*(?P<fence>`{3,}|~{3,})(?P<rest>.*)")


def take_shortcodes_out(text: str, read_inline: Callable[[str], str]) -> str:
    """Markdown without shortcodes: what stands between a pair stays, and so do titles.

    Args:
        text: The Markdown, with one kind of line break.
        read_inline: Markdown of one line to HTML.
    """
    return _SHORTCODE.sub(lambda found: _replace_shortcode(found, read_inline), text) if "{{" in text else text


def take_marks_out(text: str, read_inline: Callable[[str], str], fields: Mapping[str, str]) -> str:
    """Markdown without the lines that other generators read: attribute lists, containers, tags, marks for a 目次.

    Args:
        text: The Markdown, with one kind of line break.
        read_inline: Markdown of one line to HTML.
        fields: What the front matter says, which pages may show.
    """
    lines = []
    for line, in_code in lines_with_code(_take_comments_out(text)):
        if in_code:
            lines.append(line)
            continue
        if found := _LIQUID_BLOCK.fullmatch(line):
            lines.append(_title_block(found["indent"], read_inline(_shown_words(line))))
            continue
        if "{" in line or "%%" in line:
            line = _UNSEEN_INLINE.sub(lambda found: found["code"] or fields.get(found["field"] or "", ""), line)
        line = _COMPONENT_INLINE.sub(lambda found: _shown_words(found[0]), line)
        if any(pattern.fullmatch(line) for pattern in _ALONE):
            lines.append("")
        elif found := _TAB.fullmatch(line):
            lines.append(f"{found['indent']}!!! tab {found['title']}")
        elif found := _COMPONENT.fullmatch(line):
            lines.append(_title_block(found["indent"], read_inline(_shown_words(line))))
        elif found := _AUTOMATIC_ITEM.fullmatch(line):
            lines.append(f"{found['indent']}1.{found['rest']}")
        elif found := _CONTAINER.fullmatch(line):
            title = (found["title"] or "").strip().removeprefix("[").removesuffix("]")
            lines.append(_title_block(found["indent"], read_inline(title)) if title and title not in _STYLES else "")
        elif found := _ALERT.fullmatch(line):
            title = found["title"].strip() or found["kind"].capitalize()
            lines += [f"{found['mark']}{title}", found["mark"]]
        elif found := _ESCAPED_TAG.fullmatch(line):
            lines.append(f"{found['tag']}>{found['rest']}")
        elif found := _SUMMARY.fullmatch(line):
            # Sites with `markdown="1"` read Markdown here, and it is meant as such elsewhere too.
            lines.append(found["before"] + read_inline(found["inside"].strip()) + found["behind"])
        else:
            lines.append(line)
    return "\n".join(lines)


def _take_comments_out(text: str) -> str:
    """Without Obsidian's comments over several lines; `%%` inside code is code."""
    if "\n%%" not in f"\n{text}":
        return text
    in_code = [in_code for _, in_code in lines_with_code(text)]

    def replace(found: re.Match[str]) -> str:
        first = text.count("\n", 0, found.start())
        return found[0] if in_code[first] else "\n" * found[0].count("\n")

    return _OBSIDIAN_COMMENT.sub(replace, text)


def _shown_words(tag: str) -> str:
    """What a component or tag shows of its arguments; the value of a tab is only shown where it has no label."""
    words = {each["key"]: each["words"] for each in _NAMED_WORDS.finditer(tag)}
    is_tab = tag.lstrip().startswith("<Tab")
    return next(
        filter(None, (words.get(key, "") for key in ("label", "title", "text", *(("value",) if is_tab else ())))), ""
    )


def lines_with_code(text: str) -> Iterator[tuple[str, bool]]:
    """Every line, and whether it is part of a fenced code block."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line)
        if fence:
            yield line, True
            if found and found["fence"].startswith(fence) and not found["rest"].strip():
                fence = ""
        elif found and not (found["fence"][0] == "`" and "`" in found["rest"]):
            fence = found["fence"]
            yield line, True
        else:
            yield line, False


def _replace_shortcode(found: re.Match[str], read_inline: Callable[[str], str]) -> str:
    name = found["name"].rpartition("/")[2]
    indent = found["indent"] or ""
    is_alone = found["indent"] is not None and found["rest"] is not None
    if found["escaped"]:
        return found[0].replace("/*", "", 1).replace("*/", "", 1)
    if name in _CODE:
        return f"{indent}```\n" if not found["closing"] else f"\n{indent}```\n"
    if found["closing"]:
        # The blank line ends a block of HTML, which Markdown would read on.
        return f"{indent}\n" if is_alone else indent + (found["rest"] or "")
    arguments = [(each["key"] or "", _unquoted(each["value"])) for each in _ARGUMENT.finditer(found["arguments"])]
    if name in _LINKS:
        before = found.string[: found.start()] + indent
        path = next((value for key, value in arguments if key in ("", "path")), "")
        return indent + (path if _LINK_BEFORE.search(before[-8:]) else "") + (found["rest"] or "")
    titles = [read_inline(title) for title in _titles(name, arguments)]
    if not is_alone and found["indent"] is not None and name in _POSITION_SEEN:
        # `{{< tab "東" >}}words{{< /tab >}}`: the title stands above the words.
        return "".join(f"{_title_block(indent, title)}\n{indent}" for title in titles)
    if is_alone:
        return "\n".join(_title_block(indent, title) for title in titles) or f"{indent}\n"
    return indent + "　".join(f"<span>{title}</span>" for title in titles) + (found["rest"] or "")


def _titles(name: str, arguments: list[tuple[str, str]]) -> Iterator[str]:
    named = dict(arguments)
    seen = ("name", *_SEEN) if name in _NAME_IS_SEEN else _SEEN
    told = [named[key] for key in seen if named.get(key, "").strip()]
    if not told and named.get("alt", "").strip():
        told = [named["alt"]]
    without_name = [value for key, value in arguments if not key]
    position = _POSITION_SEEN.get(name)
    if position is not None and len(without_name) > position:
        told.append(without_name[position])
    yield from dict.fromkeys(told)


def _unquoted(value: str) -> str:
    if value[:1] == '"':
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value.strip("`")


def _title_block(indent: str, title: str) -> str:
    return f"{indent}<div>{title}</div>\n{indent}"
