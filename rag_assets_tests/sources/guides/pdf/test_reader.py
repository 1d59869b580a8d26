"""What a guide as PDF yields beside its outline: title, contents, articles, lists, tables, notes, refusals."""

import datetime
import io
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from rag_assets.model import Table, TextBlock
from rag_assets.sources.base import DocumentError
from rag_assets.sources.guides.document import BodyBlock, GuideDocument, Heading
from rag_assets.sources.guides.pdf import read_pdf
from rag_assets_tests.conftest import REPOSITORY
from rag_assets_tests.sample_documents.booklet import Block, Down, Frame, Grid, NewPage, Text
from rag_assets_tests.sample_documents.guide_pdf import GUIDE, TITLE, GuideSection
from rag_assets_tests.sources.guides.guide_pages import SENTENCE, block_texts, guide_file, heading_tree
from rag_assets_tests.sources.pdf.pdf_maker import GOTHIC, PdfMaker

_SAMPLE = REPOSITORY / "rag_assets/sample/documents/guides/it_guide.pdf"


def _chapter(words: str, above: float = 14) -> Text:
    return Text(words, size=14, gothic=True, above=above, keep=True)


def _paragraph(words: str = SENTENCE) -> Text:
    return Text(words, first=1)


def _read(*blocks: Block) -> GuideDocument:
    return read_pdf(guide_file(blocks))


def _kinds(guide: GuideDocument) -> list[tuple[str, int, str]]:
    return [
        (part.block.kind, part.block.depth, part.block.text)
        for part in guide.parts
        if isinstance(part, BodyBlock) and isinstance(part.block, TextBlock)
    ]


def test_sample_is_read_as_it_was_written() -> None:
    with _SAMPLE.open("rb") as file:
        guide = read_pdf(file)
    assert guide.title == TITLE
    squeezed = [(level, "".join(words.split())) for level, words in heading_tree(guide)]
    # The framed column is the one heading that the table of contents does not list.
    listed = [each for each in squeezed if not each[1].startswith("コラム")]
    assert listed == [(section.level, "".join(section.words.split())) for section in GUIDE]
    assert len(squeezed) == len(listed) + 1
    texts = block_texts(guide)
    for section in GUIDE:
        assert isinstance(section, GuideSection)
        assert all(block in texts for block in section.blocks if isinstance(block, str))
    [table] = [part.block for part in guide.parts if isinstance(part, BodyBlock) and isinstance(part.block, Table)]
    assert table.caption == "表１　システムごとのパスワードの長さ"
    assert [cell.text for cell in table.cells if cell.heading] == ["システム", "長さ", "変える時期"]
    assert not any("目次" in text or "…" in text for text in texts)
    [finding] = guide.findings
    assert finding.place == "page 2"
    assert "19 of them" in finding.message


def test_title_page_keeps_date_and_sender_as_text() -> None:
    cover = [Text("倉庫作業の手引き", size=24, align="center"), Text("令和７年10月１日改定", size=14, align="center")]
    guide = _read(
        *cover, Text("みほん商会物流課", size=14, align="center"), NewPage(), _chapter("１　目的"), _paragraph()
    )
    assert guide.title == "倉庫作業の手引き"
    assert heading_tree(guide) == [(1, "1　目的")] or heading_tree(guide) == [(1, "１　目的")]
    assert block_texts(guide)[:2] == ["令和７年10月１日改定", "みほん商会物流課"]


def test_title_over_two_lines_is_one() -> None:
    lines = [Text("みほん商会における", size=20, align="center"), Text("倉庫作業の手引き", size=20, align="center")]
    guide = _read(*lines, Down(20), _chapter("１　目的"), _paragraph())
    assert guide.title == "みほん商会における倉庫作業の手引き"


def test_chapter_is_no_title_though_nothing_is_larger() -> None:
    guide = _read(_chapter("第１章　目的"), _paragraph(), _chapter("第２章　範囲"), _paragraph())
    assert guide.title == ""
    assert [level for level, _ in heading_tree(guide)] == [1, 1]


def test_property_tells_the_title_only_where_the_page_does() -> None:
    for told, title in (("倉庫の手引き", "倉庫の手引き"), ("Microsoft Word - 無題1", "")):
        pdf = PdfMaker()
        pdf.canvas.setTitle(told)
        pdf.lines("倉庫の手引き", SENTENCE, SENTENCE, SENTENCE)
        assert read_pdf(pdf.file()).title == title


def test_bookmarks_tell_headings_that_nothing_sets_apart() -> None:
    pdf = PdfMaker()
    for number, (level, words) in enumerate([(0, "受取り"), (1, "数の確認"), (1, "傷の確認"), (0, "棚への並べ方")]):
        top = 100.0 + 90 * number
        pdf.text(80, top, words)
        pdf.canvas.bookmarkPage(str(number))
        pdf.canvas.addOutlineEntry(words, str(number), level)
        pdf.lines("棚の前に立って、伝票と荷物の数が同じであることを確かめてください。", "短い行。", top=top + 18)
    guide = read_pdf(pdf.file())
    assert heading_tree(guide) == [(1, "受取り"), (2, "数の確認"), (2, "傷の確認"), (1, "棚への並べ方")]
    assert "".join(block_texts(guide)).count("短い行。") == 4


def test_contents_tell_headings_their_nesting_and_titles_over_two_lines() -> None:
    long = "棚への並べ方、棚の番号の付け方、番号を書いた札の付け替え方と、それぞれを記録する帳面の書き方について"
    listed = [("受取り", 0), ("数の確認", 1), (long, 1), ("返品", 0)]
    contents = [Text(words, first=2 * indent, rest=2 * indent + 2, leader="3") for words, indent in listed]
    body: list[Block] = []
    for words, _ in listed:
        body += [Text(words, above=10, keep=True), _paragraph()]
    guide = _read(Text("目　次", size=13), *contents, NewPage(), *body)
    assert heading_tree(guide) == [(indent + 1, words) for words, indent in listed]
    assert block_texts(guide) == [SENTENCE] * 4
    [finding] = guide.findings
    assert (finding.topic, finding.place) == ("table of contents", "page 1")
    assert "4 entries" in finding.message


def test_contents_without_page_numbers_end_where_the_text_begins() -> None:
    names = ["第１章　目的", "第２章　範囲", "第３章　罰則"]
    body: list[Block] = []
    for name in names:
        body += [_chapter(name), _paragraph()]
    guide = _read(Text("目次", size=13), *map(Text, names), NewPage(), *body)
    assert [words for _, words in heading_tree(guide)] == names
    assert block_texts(guide) == [SENTENCE] * 3


def test_articles_are_headed_by_number_and_caption_and_their_paragraphs_are_text() -> None:
    guide = _read(
        _chapter("第１章　総則"),
        Text("（目的）", first=1),
        Text(
            "第１条　この規則は、倉庫の鍵の扱いを定めるものとし、鍵を使うすべての者がこれを守らなければならない。",
            rest=1,
        ),
        Text("２　鍵を貸した者は、貸した相手と時刻を帳面に書く。", rest=1),
        Text("第２条（保管）鍵は、事務室の箱に入れておく。前条の規定により定めた者だけが、これを取り出す。", rest=1),
        Text("３　第１条の規定にかかわらず、火事のときは、だれでも鍵を取り出すことができる。", rest=1),
    )
    assert heading_tree(guide) == [(1, "第１章　総則"), (2, "第１条（目的）"), (2, "第２条（保管）")]
    texts = block_texts(guide)
    assert texts[0].startswith("この規則は、")
    assert texts[1].startswith(("２　鍵を", "2　鍵を"))
    assert texts[2].startswith("鍵は、")
    assert len(texts) == 4


def test_numbers_that_begin_again_below_an_annex_are_its_own() -> None:
    blocks: list[Block] = []
    for words in ("１　目的", "２　範囲", "附則", "１　施行期日", "２　経過措置"):
        blocks += [_chapter(words), _paragraph()]
    assert [level for level, _ in heading_tree(_read(*blocks))] == [1, 1, 1, 2, 2]


def test_numbered_list_in_the_text_is_no_heading() -> None:
    items = [Text(f"{number}　倉庫の{name}を、朝と夕方の２回、確かめる。") for number, name in enumerate("鍵窓灯戸", 1)]
    short = [Text(f"({number}) {name}の点検", first=1) for number, name in enumerate("鍵窓灯戸", 1)]
    guide = _read(_chapter("第１章　点検"), _paragraph(), *items, _chapter("第２章　当番"), _paragraph(), *short)
    assert len(heading_tree(guide)) == 2
    kinds = [kind for kind, _, _ in _kinds(guide)]
    assert kinds == ["paragraph", *["item"] * 4, "paragraph", *["item"] * 4]


def test_untitled_paragraph_among_numbered_headings_is_headed_by_its_number() -> None:
    blocks: list[Block] = []
    for words in ("１　受取り", "２　並べ方", "３　返品"):
        blocks += [Text(words, above=14, keep=True), _paragraph()]
    guide = _read(*blocks, Text(f"４　{SENTENCE}", above=14, rest=1))
    assert [words[0] for _, words in heading_tree(guide)] == ["１", "２", "３", "４"] or [
        words for _, words in heading_tree(guide)
    ][3] in ("４", "4")
    assert block_texts(guide)[-1] == SENTENCE


def test_items_have_depth_and_notes_are_notes() -> None:
    guide = _read(
        _chapter("第１章　点検"),
        _paragraph("次のものを点検する。"),
        Text("① 鍵の数と場所", first=1),
        Text("・事務室の鍵", first=3),
        Text("② 窓の閉め忘れ", first=1),
        Text("※ 夜の当番が確かめる。", first=1),
        Text("（注）休みの日は行わない。", first=1),
    )
    assert [(kind, depth) for kind, depth, _ in _kinds(guide)] == [
        ("paragraph", 0),
        ("item", 0),
        ("item", 1),
        ("item", 0),
        ("note", 1) if _kinds(guide)[4][1] else ("note", 0),
        ("note", _kinds(guide)[5][1]),
    ]


_ROWS = [
    ("行き先", "一泊の上限の金額（税込み）", "予約のしかたと申込先の係の名"),
    ("みほん市", "九千円まで", "自分で申し込むこと"),
    ("そのほか", "一万円まで", "総務係が申し込むこと"),
]


def test_rows_of_a_table_without_rules_stay_apart() -> None:
    rows = [f"{one}{gap}{two}{gap}{three}" for gap in ["　" * 11] for one, two, three in _ROWS]
    guide = _read(_chapter("第１章　宿"), _paragraph(), *(Text(row) for row in rows), _paragraph())
    texts = ["".join(text.split()) for text in block_texts(guide)]
    assert [text for text in texts if text in {"".join(row.split()) for row in rows}] == [
        "".join(row.split()) for row in rows
    ]


def test_paragraph_and_table_go_on_over_the_page() -> None:
    rows = [["番号", "品名"], *([str(number), f"品物の名前{number}"] for number in range(1, 60))]
    guide = _read(_chapter("第１章　品物"), *[_paragraph()] * 19, _paragraph(SENTENCE * 5), Grid((6, 20), rows))
    tables = [part for part in guide.parts if isinstance(part, BodyBlock) and isinstance(part.block, Table)]
    assert len(tables) == 1
    assert isinstance(tables[0].block, Table)
    assert sum(cell.column == 1 for cell in tables[0].block.cells) == 60
    assert block_texts(guide)[-1] == SENTENCE * 5


def test_footnotes_stand_behind_the_paragraph_that_ends_their_page() -> None:
    pdf = PdfMaker()
    pdf.text(80, 100, "第１章　鍵", 14, GOTHIC)
    full = "鍵を借りる人は帳面に名前と時刻を書きまた返すときにも同じように書き入れてから箱に戻"
    for number in range(33):
        pdf.text(80, 130 + 18 * number, full + ("。" if number == 4 else "し"))
    pdf.text(80, 745, "1 箱は事務室の壁にあります。", 8)
    pdf.text(80, 757, "2 帳面は箱の横にあります。", 8)
    pdf.page_break()
    pdf.text(80, 100, "終わりの行です。")
    pdf.text(80, 136, "第２章　窓", 14, GOTHIC)
    pdf.text(80, 166, "窓を閉めます。")
    kinds = _kinds(read_pdf(pdf.file()))
    assert [(kind, text[-10:]) for kind, _, text in kinds][-4:] == [
        ("paragraph", "終わりの行です。"[-10:])
        if kinds[-4][2] == "終わりの行です。"
        else ("paragraph", kinds[-4][2][-10:]),
        ("note", "1 箱は事務室の壁にあります。"[-10:]),
        ("note", "2 帳面は箱の横にあります。"[-10:]),
        ("paragraph", "窓を閉めます。"),
    ]
    assert kinds[-4][2].endswith("終わりの行です。")


def test_box_is_opened_and_its_head_is_a_heading() -> None:
    frame = Frame([Text("コラム：鍵の話", gothic=True, align="center", keep=True), _paragraph()])
    guide = _read(_chapter("第１章　鍵"), _paragraph(), frame, _chapter("第２章　窓"), _paragraph())
    assert heading_tree(guide) == [(1, "第１章　鍵"), (2, "コラム：鍵の話"), (1, "第２章　窓")]
    assert block_texts(guide) == [SENTENCE] * 3


def test_changed_date_is_that_of_the_file() -> None:
    with _SAMPLE.open("rb") as file:
        assert read_pdf(file).modified_on == datetime.date(2000, 1, 1)


def test_scans_and_damaged_files_are_refused() -> None:
    with pytest.raises(DocumentError, match="PDF"):
        read_pdf(io.BytesIO(b"no such thing"))
    pdf = PdfMaker()
    pdf.picture(0, 0, 595, 842)
    with pytest.raises(DocumentError, match="page 1"):
        read_pdf(pdf.file())
    pdf = PdfMaker(password="geheim")
    pdf.lines(SENTENCE)
    with pytest.raises(DocumentError, match="password"):
        read_pdf(pdf.file())


def _letters(text: str) -> Counter[str]:
    return Counter(re.sub(r"[\s.…]", "", unicodedata.normalize("NFKC", text)))


def _all_words(guide: GuideDocument) -> str:
    words = [guide.title]
    for part in guide.parts:
        if isinstance(part, Heading):
            words.append(part.text)
        elif isinstance(part.block, Table):
            words += [part.block.caption, *(cell.text for cell in part.block.cells)]
        else:
            words.append(part.block.text)
    return "".join(words)


@pytest.mark.parametrize(
    ("name", "levels", "contents"),
    [
        ("cloud_policy_20210910.pdf", {1: 12, 2: 22, 3: 20}, (3, 4)),
        ("keshouhin-standard.pdf", {1: 9, 2: 7}, ()),
        ("model_shugyo_kisoku_R4-11.pdf", {1: 16, 2: 81, 3: 12, 4: 82}, (6, 7, 8, 9)),
    ],
)
def test_real_guides_keep_every_character(
    realdata: Path, name: str, levels: dict[int, int], contents: tuple[int, ...]
) -> None:
    import pypdfium2

    path = realdata / "pdf" / name
    with path.open("rb") as file:
        guide = read_pdf(file)
    assert Counter(level for level, _ in heading_tree(guide)) == levels
    with pypdfium2.PdfDocument(path) as document:
        pages = [page.get_textpage().get_text_range() for page in document]
    printed = _letters("".join(text for number, text in enumerate(pages, 1) if number not in contents))
    read = _letters(_all_words(guide))
    missing = printed - read
    # Page numbers, and the headings of columns that a table repeats on its next page.
    assert sum(count for letter, count in missing.items() if not re.fullmatch(r"[0-9/i-]", letter)) <= 4
    assert sum((read - printed).values()) <= 0.001 * sum(read.values())
