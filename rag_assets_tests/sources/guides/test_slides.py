"""Presentations: slides as headings, lists, tables, and what is left out."""

import datetime
import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from rag_assets.model import Table
from rag_assets.sources.base import DocumentError
from rag_assets.sources.guides.document import BodyBlock, GuideDocument, Heading
from rag_assets.sources.guides.slides import read_slides
from rag_assets_tests.sources.guides.word.word_files import lines_of, word_bytes

_OFFICE = "http://schemas.openxmlformats.org"
_NAMESPACES = (
    f'xmlns:p="{_OFFICE}/presentationml/2006/main" xmlns:a="{_OFFICE}/drawingml/2006/main" '
    f'xmlns:r="{_OFFICE}/officeDocument/2006/relationships"'
)


def presentation(*slides: str, notes: str = "", core: str = "") -> GuideDocument:
    """What is read of slides given as their shapes; one that begins with `hidden` is hidden."""
    relations = f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{{}}</Relationships>'
    relation = f'<Relationship Id="{{}}" Type="{_OFFICE}/officeDocument/2006/relationships/{{}}" Target="{{}}"/>'
    numbers = range(len(slides), 0, -1)  # the names of the files do not tell the order
    files = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations.format(relation.format("a", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {_NAMESPACES}><p:sldIdLst>"
        + "".join(f'<p:sldId r:id="s{number}"/>' for number in numbers)
        + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations.format(
            "".join(relation.format(f"s{number}", "slide", f"/ppt/slides/slide{number}.xml") for number in numbers)
        ),
        "docProps/core.xml": (
            '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{core}'
            "</c:coreProperties>"
        ),
    }
    for number, shapes in zip(numbers, slides, strict=True):
        shown = 'show="0"' if shapes.startswith("hidden") else ""
        tree = f"<p:cSld><p:spTree>{shapes.removeprefix('hidden')}</p:spTree></p:cSld>"
        files[f"ppt/slides/slide{number}.xml"] = f"<p:sld {_NAMESPACES} {shown}>{tree}</p:sld>"
    if notes:
        files["ppt/slides/_rels/slide1.xml.rels"] = relations.format(
            relation.format("n", "notesSlide", "../notesSlides/notes1.xml")
        )
        tree = f"<p:cSld><p:spTree>{shape(notes, 'body')}</p:spTree></p:cSld>"
        files["ppt/notesSlides/notes1.xml"] = f"<p:notes {_NAMESPACES}>{tree}</p:notes>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return read_slides(out)


def shape(inside: str, kind: str | None = None) -> str:
    """A shape; what is no XML becomes a paragraph. The kind names its place in the layout."""
    place = "" if kind is None else f'<p:ph type="{kind}"/>'
    paragraphs = inside if inside.startswith("<") else para(inside)
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr id='1'/><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
    )


def para(text: str, properties: str = "", level: int = 0) -> str:
    return f'<a:p><a:pPr lvl="{level}">{properties}</a:pPr>{run(text)}</a:p>'


def run(text: str, attributes: str = "") -> str:
    return f"<a:r><a:rPr {attributes}/><a:t>{text}</a:t></a:r>"


def test_slides_in_the_order_of_the_presentation() -> None:
    core = "<dc:title>PowerPoint プレゼンテーション</dc:title><dcterms:modified>2025-05-01T00:00:00Z</dcterms:modified>"
    document = presentation(
        shape("出張の手引き", "ctrTitle") + shape("総務課", "subTitle"),
        shape("実費を払う", "body") + shape("交通費", "title") + shape("7", "sldNum"),
        shape("宿泊", "title"),
        core=core,
    )
    assert (document.title, document.modified_on) == ("出張の手引き", datetime.date(2025, 5, 1))
    assert lines_of(document) == ["総務課", "# 交通費", "- 実費を払う", "# 宿泊"]


def test_bullets_numbers_and_plain_lines() -> None:
    number = '<a:buAutoNum type="{}"/>'
    body = (
        para("準備")
        + para("申請", number.format("arabicParenBoth"), 1)
        + para("承認", number.format("arabicParenBoth"), 1)
        + para("宿", "<a:buNone/>")
        + para("予約", number.format("circleNumDbPlain"))
    )
    document = presentation(shape("流れ", "title") + shape(body, "body") + shape("箱の文"))
    assert lines_of(document) == [
        *("# 流れ", "- 準備", "  - (1) 申請", "  - (2) 承認", "宿", "- ① 予約", "箱の文"),
    ]


def test_a_slide_without_a_title() -> None:
    document = presentation(shape("まとめ") + shape("終わり"), shape("項目だけ", "body"))
    assert lines_of(document) == ["# まとめ", "終わり", "- 項目だけ"]


def test_groups_pictures_line_breaks_and_raised_figures() -> None:
    raised, struck = run("3", 'baseline="30000"'), run("消", 'strike="sngStrike"')
    words = f"<a:p>{run('10')}{raised}<a:br/>{struck}{run('次')}</a:p>"
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="2" descr="申請の流れ"/></p:nvPicPr></p:pic>'
    document = presentation(shape("題", "title") + f"<p:grpSp>{shape(words)}{picture}</p:grpSp>")
    assert lines_of(document) == ["# 題", "10³　次", "（図：申請の流れ）"]


def test_a_table_with_merged_cells() -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody>{para(text)}</a:txBody></a:tc>"

    rows = (
        cell("区分", 'rowSpan="2"') + cell("上限", 'gridSpan="2"') + cell("", 'hMerge="1"'),
        cell("", 'vMerge="1"') + cell("国内") + cell("海外"),
        cell("役員") + cell("一万円") + cell("二万円"),
    )
    table = f'<a:tbl><a:tblPr firstRow="1"/>{"".join(f"<a:tr>{each}</a:tr>" for each in rows)}</a:tbl>'
    document = presentation(shape("表", "title") + f"<p:graphicFrame>{table}</p:graphicFrame>")
    [found] = [part.block for part in document.parts if isinstance(part, BodyBlock)]
    assert isinstance(found, Table)
    assert [(each.text, each.row, each.column, each.row_span, each.column_span) for each in found.cells] == [
        ("区分", 0, 0, 2, 1),
        ("上限", 0, 1, 1, 2),
        ("国内", 1, 1, 1, 1),
        ("海外", 1, 2, 1, 1),
        ("役員", 2, 0, 1, 1),
        ("一万円", 2, 1, 1, 1),
        ("二万円", 2, 2, 1, 1),
    ]
    assert [each.text for each in found.cells if each.heading] == ["区分", "上限"]


def test_hidden_slides_and_notes_are_left_out_and_told() -> None:
    document = presentation("hidden" + shape("下書き", "title"), shape("本番", "title"), notes="話すこと")
    assert lines_of(document) == ["# 本番"]
    assert [finding.topic for finding in document.findings] == ["hidden slide", "speaker's notes"]


@pytest.mark.parametrize(
    ("data", "facts"),
    [(b"%PDF-1.7", ["PDF", ".pptx"]), (b"", ["empty"]), (word_bytes("<w:p/>"), ["Word", ".pptx"])],
)
def test_another_kind_of_file(data: bytes, facts: list[str]) -> None:
    with pytest.raises(DocumentError) as told:
        read_slides(io.BytesIO(data))
    assert all(fact in str(told.value) for fact in facts)


def test_a_presentation_without_text() -> None:
    with pytest.raises(DocumentError, match="no text"):
        presentation("<p:pic/>")


def test_slides_of_pandoc(tmp_path: Path) -> None:
    pandoc = shutil.which("pandoc")
    if pandoc is None:
        pytest.skip("pandoc, which makes the presentation, is not here")
    page = "% 手引き\n\n# 交通費\n\n- 実費\n    - 領収書\n\n# 宿泊\n\n| 区分 | 額 |\n|---|---|\n| 一般 | 九千円 |\n"
    made = tmp_path / "made.pptx"
    subprocess.run([pandoc, "-o", made], input=page.encode(), check=True)
    document = read_slides(made.open("rb"))
    assert document.title == "手引き"
    assert lines_of(document) == ["# 交通費", "- 実費", "  - 領収書", "# 宿泊", "| 区分 | 額", "| 一般 | 九千円"]
    assert [part.level for part in document.parts if isinstance(part, Heading)] == [1, 1]
