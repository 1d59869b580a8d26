"""Word files that another program made: every heading and every visible character of their Markdown, in order."""

import io
import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from rag_assets.model import Table
from rag_assets.sources.guides.document import BodyBlock, GuideDocument, Heading
from rag_assets.sources.guides.word import read_word
from rag_assets.sources.html.lists import written_number

_INVISIBLE = re.compile(r"[\s\u200b-\u200d\u2060\ufeff\u00ad]")
_STYLES = {"LowerRoman": "lower-roman", "LowerAlpha": "lower-alpha", "UpperAlpha": "upper-alpha"}
_IN_BRACKETS = {"OneParen": "{})", "TwoParens": "({})"}
_QUOTES = {"SingleQuote": "‘{}’", "DoubleQuote": "“{}”"}


@pytest.fixture(scope="module")
def pandoc() -> str:
    program = shutil.which("pandoc")
    if program is None:
        pytest.skip("pandoc, which makes the Word files, is not here")
    return program


def run(*command: str, given: bytes = b"") -> bytes:
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def without_pictures(node: Any) -> Any:
    """pandoc's tree of a document with what describes a picture in its place: the files are not at hand."""
    if isinstance(node, dict):
        return {name: without_pictures(value) for name, value in node.items()}
    if not isinstance(node, list):
        return node
    kept: list[Any] = []
    for each in node:
        is_picture = isinstance(each, dict) and each.get("t") == "Image"
        kept.extend(without_pictures(each["c"][1]) if is_picture else [without_pictures(each)])
    return kept


class Expected:
    """The headings and visible characters of a document as pandoc reads its Markdown."""

    def __init__(self, tree: dict[str, Any]) -> None:
        self.headings: list[tuple[int, str]] = []
        self.text = visible(self._blocks(tree["blocks"]))

    def _blocks(self, blocks: list[Any]) -> str:
        return "".join(self._block(block["t"], block.get("c")) for block in blocks)

    def _block(self, kind: str, content: Any) -> str:
        match kind:
            case "Para" | "Plain":
                return inline(content)
            case "Header":
                level, _, words = content
                self.headings.append((level, visible(inline(words))))
                return inline(words)
            case "BulletList":
                return "".join(map(self._blocks, content))
            case "OrderedList":
                (start, style, delimiter), items = content
                return "".join(
                    list_number(number, style["t"], delimiter["t"]) + self._blocks(item)
                    for number, item in enumerate(items, start=start)
                )
            case "DefinitionList":
                return "".join(inline(term) + "".join(map(self._blocks, meanings)) for term, meanings in content)
            case "CodeBlock" | "Div":
                return content[1] if kind == "CodeBlock" else self._blocks(content[1])
            case "BlockQuote":
                return self._blocks(content)
            case "Table":
                _, caption, _, head, bodies, foot = content
                rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
                return self._blocks(caption[1]) + "".join(self._blocks(cell[4]) for row in rows for cell in row[1])
            case "RawBlock" | "HorizontalRule" | "Null":
                return ""
        raise NotImplementedError(kind)


def inline(nodes: list[Any]) -> str:
    return "".join(_inline(node["t"], node.get("c")) for node in nodes)


def _inline(kind: str, content: Any) -> str:
    match kind:
        case "Str":
            return str(content)
        case "Code" | "Math":
            return str(content[1])
        case "Emph" | "Strong" | "Superscript" | "Subscript" | "SmallCaps" | "Underline":
            return inline(content)
        case "Quoted":
            return _QUOTES[content[0]["t"]].format(inline(content[1]))
        case "Link" | "Span" | "Cite":
            return inline(content[1])
        case "Space" | "SoftBreak" | "LineBreak" | "RawInline" | "Strikeout":
            return ""
    raise NotImplementedError(kind)


def list_number(number: int, style: str, delimiter: str) -> str:
    written = written_number(number, _STYLES.get(style, "decimal"))
    return _IN_BRACKETS.get(delimiter, "{}.").format(written)


def visible(text: str) -> str:
    return _INVISIBLE.sub("", text)


def text_of(document: GuideDocument) -> str:
    return visible("".join(words for part in document.parts for words in _words_of(part)))


def _words_of(part: Heading | BodyBlock) -> list[str]:
    if isinstance(part, Heading):
        return [part.text]
    if isinstance(part.block, Table):
        return [part.block.caption, *(cell.text for cell in part.block.cells)]
    return [part.block.text]


def assert_all_is_read(tree: dict[str, Any], document: GuideDocument) -> None:
    expected = Expected(tree)
    headings = [(part.level, visible(part.text)) for part in document.parts if isinstance(part, Heading)]
    assert headings == expected.headings
    found = text_of(document)
    at = next((at for at, (one, other) in enumerate(zip(found, expected.text, strict=False)) if one != other), None)
    assert at is None, (found[at - 20 : at + 20], expected.text[at - 20 : at + 20])
    assert len(found) == len(expected.text)


def word_of(pandoc: str, tree: dict[str, Any]) -> bytes:
    return run(pandoc, "-f", "json", "-t", "docx", "-o", "-", given=json.dumps(tree).encode())


def test_a_page_with_lists_tables_and_code(pandoc: str) -> None:
    page = """
# 手引き

## はじめに

*大切な* `cmd` と **太い** 文

1. 一つ目
2. 二つ目
    - 中の項目

        続きの段落

(@) 例

## 表

| 区分 | 額 |
|---|---|
| 一般 | 九千円 |

: 宿泊費

> 引用した文

```
code  block
```
"""
    tree = json.loads(run(pandoc, "-t", "json", given=page.encode()))
    document = read_word(io.BytesIO(word_of(pandoc, tree)))
    assert document.title == "手引き"
    tree["blocks"] = tree["blocks"][1:]
    assert_all_is_read(tree, document)
    [found] = [part.block for part in document.parts if isinstance(part, BodyBlock) and isinstance(part.block, Table)]
    assert found.caption == "宿泊費"
    assert [cell.text for cell in found.cells if cell.heading] == ["区分", "額"]
    anchors = [part.anchor for part in document.parts if isinstance(part, Heading)]
    assert anchors == ["はじめに", "表"]


@pytest.mark.realdata
def test_all_pages_of_the_handbook_in_one_document(pandoc: str, realdata: Path) -> None:
    pages = sorted(map(str, (realdata / "handbook").rglob("*.md")))
    assert len(pages) > 100
    tree = without_pictures(json.loads(run(pandoc, "--file-scope", "-t", "json", *pages)))
    tree["meta"] = {}
    file = io.BytesIO(word_of(pandoc, tree))
    begun = time.process_time()
    document = read_word(file)
    assert time.process_time() - begun < 10, "it takes 1.5 s"
    assert_all_is_read(tree, document)
