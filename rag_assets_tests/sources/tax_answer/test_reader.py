import re
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest

from rag_assets.corpus.chunking import cut_record, joined
from rag_assets.corpus.headers import header
from rag_assets.corpus.record_text import plain_text, record_text
from rag_assets.japanese.encodings import decode_html
from rag_assets.model import Record, Table, TextBlock
from rag_assets.sources.tax_answer.reader import (
    CATEGORIES,
    INDEX_PATH,
    ArticleLink,
    PageLayoutError,
    is_withdrawn,
    read_article,
    read_index,
)

# The article list.


def _index(*items: str) -> bytes:
    return f"<html><body><a href='/x.htm'>0</a><div id='bodyArea'>{''.join(items)}</div></body></html>".encode()


def _numbers(*items: str) -> list[str]:
    return [link.number for link in read_index(_index(*items))]


def test_an_entry_of_the_index() -> None:
    entry = '<li><a href="/taxes/shiraberu/taxanswer/shotoku/1000.htm">1000　所得税のしくみ</a></li>'
    assert read_index(_index(entry)) == [
        ArticleLink(
            number="1000",
            title="所得税のしくみ",
            category="shotoku",
            path="/taxes/shiraberu/taxanswer/shotoku/1000.htm",
        )
    ]


@pytest.mark.parametrize(
    "href",
    [
        "https://www.nta.go.jp/taxes/shiraberu/taxanswer/gensen/2502.htm",
        "/taxes/shiraberu/taxanswer/gensen/2502.htm?ref=top",
        "/taxes/shiraberu/taxanswer/gensen/2502.htm#a01",
        "../gensen/2502.htm",
        " /taxes/shiraberu/taxanswer/gensen/2502.htm ",
    ],
)
def test_every_way_to_write_an_address_leads_to_the_same_path(href: str) -> None:
    (link,) = read_index(_index(f'<a href="{href}">2502　源泉徴収義務者とは</a>'))
    assert link.path == "/taxes/shiraberu/taxanswer/gensen/2502.htm"
    assert (link.number, link.category, link.title) == ("2502", "gensen", "源泉徴収義務者とは")


def test_an_article_listed_twice_counts_once_at_its_first_mention() -> None:
    first = '<a href="/taxes/shiraberu/taxanswer/shotoku/1200.htm">1200　税額控除</a>'
    second = '<a href="/taxes/shiraberu/taxanswer/shotoku/1000.htm">1000　所得税のしくみ</a>'
    assert _numbers(first, second, first) == ["1200", "1000"]


def test_branch_numbers_are_articles_of_their_own() -> None:
    one = '<a href="/taxes/shiraberu/taxanswer/shotoku/1211-1.htm">1211-1　住宅を新築したとき</a>'
    other = '<a href="/taxes/shiraberu/taxanswer/shotoku/1211.htm">1211　住宅の取得等</a>'
    links = read_index(_index(one, other))
    assert [(link.number, link.title) for link in links] == [
        ("1211-1", "住宅を新築したとき"),
        ("1211", "住宅の取得等"),
    ]


def test_what_is_commented_out_or_no_article_is_not_listed() -> None:
    kept = '<a href="/taxes/shiraberu/taxanswer/shotoku/1000.htm">1000　所得税のしくみ</a>'
    gone = '<!-- <a href="/taxes/shiraberu/taxanswer/shotoku/1001.htm">1001　甲</a> -->'
    others = '<a href="/taxes/shiraberu/taxanswer/code/bunya-shohi.htm">消費税</a><a name="a01">0</a><a href="#">1</a>'
    assert _numbers(kept, gone, others) == ["1000"]


@pytest.mark.parametrize(
    ("path", "number", "category"),
    [
        ("new-cat/9999.htm", "9999", "new-cat"),
        ("Saigai2/9998.htm", "9998", "Saigai2"),
        ("gensen/12345.htm", "12345", "gensen"),
        ("gensen/2503.HTM", "2503", "gensen"),
        ("gensen/1211_1.html", "1211_1", "gensen"),
    ],
)
def test_an_article_in_an_unusual_place_is_listed_and_not_lost(path: str, number: str, category: str) -> None:
    (link,) = read_index(_index(f'<a href="/taxes/shiraberu/taxanswer/{path}">{number}　甲</a>'))
    assert (link.number, link.category, link.title) == (number, category, "甲")


def test_links_outside_the_body_area_are_not_listed() -> None:
    link = '<a href="/taxes/shiraberu/taxanswer/shotoku/{0}.htm">{0}　甲</a>'
    page = f"<div id='menu'>{link.format(1000)}</div><div id='bodyArea'>{link.format(1100)}</div>{link.format(1200)}"
    assert [found.number for found in read_index(page.encode())] == ["1100"]


@pytest.mark.parametrize("page", [b"", b"<html></html>", _index("<p>1000</p>")])
def test_an_index_without_articles_is_told(page: bytes) -> None:
    with pytest.raises(PageLayoutError, match=r"code/index\.htm.*has no link to an article inside div#bodyArea"):
        read_index(page)


# Withdrawn pages.

_ERROR_PAGE = "<html><head><title>指定されたページを表示できませんでした</title></head><body>{}</body></html>"


@pytest.mark.parametrize("encoding", ["cp932", "utf-8"])
def test_the_error_page_is_a_withdrawn_article(encoding: str) -> None:
    page = f'<meta charset="{encoding}">' + _ERROR_PAGE.format("<h1>指定されたページを表示できませんでした</h1>")
    assert is_withdrawn(page.encode(encoding))


def test_an_article_is_not_withdrawn() -> None:
    quoting = _page("<h2>概要</h2><p>「指定されたページを表示できませんでした」と表示されることがあります。</p>")
    assert not is_withdrawn(quoting)
    assert not is_withdrawn(b"<html><body><p>500 Internal Server Error</p></body></html>")


@pytest.mark.parametrize(
    "before",
    [
        "<!-- <div id='bodyArea'><h1>No.2594 旧</h1></div> -->",
        "<script>var old = '<div id=\"bodyArea\">';</script>",
        "<textarea><div id='bodyArea'></div></textarea>",
        "<div id='bodyArea' style='display:none'><h1>No.2594 旧</h1></div>",
    ],
)
def test_an_error_page_that_only_quotes_an_article_is_withdrawn(before: str) -> None:
    assert is_withdrawn(_ERROR_PAGE.format(f"{before}<h1>指定されたページを表示できませんでした</h1>").encode())


def test_a_page_that_only_quotes_the_error_in_its_code_is_not_withdrawn() -> None:
    page = "<html><body><script>alert('指定されたページを表示できませんでした')</script><p>工事中</p></body></html>"
    assert not is_withdrawn(page.encode())


# The article page.

_HEAD = "<h1>No.2594 食事を支給したとき</h1><p>[令和8年4月1日現在法令等]</p><h2>対象税目</h2><p>源泉所得税</p>"
_URL = "https://www.nta.go.jp/taxes/shiraberu/taxanswer/gensen/2594.htm"


def _page(body: str, head: str = _HEAD) -> bytes:
    menu = "<div class='right-menu'><h2>税について調べる</h2><ul><li>共通メニュー</li></ul></div>"
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"></head><body>{menu}<div id="contents">'
        f'<div class="imp-cnt" id="bodyArea">{head}{body}</div></div>{menu}</body></html>'
    ).encode()


def _read(body: str, head: str = _HEAD) -> Record:
    return read_article(_page(body, head), number="2594", url=_URL, category="gensen").record


def _lines(body: str) -> list[str]:
    return record_text(_read(body)).split("\n")


def test_an_article() -> None:
    found = _read("<h2>概要</h2><p>本文です。</p><h2>根拠法令等</h2><p>所法36、所基通36-24</p>")
    assert found.record_id == "tax_answer/2594"
    assert (found.number, found.label, found.title) == ("2594", "No.2594", "食事を支給したとき")
    assert found.facets[0].values == ("源泉所得税",)
    assert found.as_of is not None
    assert (found.as_of.label, found.as_of.date) == ("令和8年4月1日現在法令等", date(2026, 4, 1))
    assert found.attributes == {"category": "gensen"}
    assert found.remarks == {"根拠法令等": "所法36、所基通36-24"}
    assert found.url == _URL
    assert record_text(found) == "【概要】\n本文です。"


def test_menu_and_footer_stay_outside() -> None:
    assert "共通メニュー" not in record_text(_read("<h2>概要</h2><p>本文です。</p>"))


def test_a_missing_as_of_line() -> None:
    found = _read("<h2>概要</h2><p>本文です。</p>", "<h1>No.2594 甲</h1><h2>対象税目</h2><p>源泉所得税</p>")
    assert found.as_of is None
    assert record_text(found) == "【概要】\n本文です。"


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("［令和元年１０月１日現在法令等］", date(2019, 10, 1)),
        ("[平成31年4月1日現在法令等]", date(2019, 4, 1)),
        ("[令和7年2月30日現在法令等]", None),
        ("［令和8（2026）年4月1日現在法令等］", date(2026, 4, 1)),
        ("［2026年（令和8年）4月1日現在法令等］", date(2026, 4, 1)),
        ("〔令和八年四月一日現在法令等〕", date(2026, 4, 1)),
        ("［R8-4-1現在法令等］", date(2026, 4, 1)),
        ("［令8・4・1現在法令等］", date(2026, 4, 1)),
        ("＜令和8年4月1日現在法令等＞", date(2026, 4, 1)),
        ("[令和8年4月1日現在の法令等]", date(2026, 4, 1)),
        ("［令和8年4月現在法令等］", date(2026, 4, 1)),
        ("［令和8（2025）年4月1日現在法令等］", None),
    ],
)
def test_as_of_is_kept_as_printed_and_dated_where_it_can_be(line: str, day: date | None) -> None:
    found = _read("<h2>概要</h2><p>本文です。</p>", f"<h1>No.2594 甲</h1><p>{line}</p>")
    assert found.as_of is not None
    assert (found.as_of.label, found.as_of.date) == (line[1:-1], day)


def test_an_as_of_phrase_in_the_body_is_body_text() -> None:
    found = _read("<h2>概要</h2><p>[令和7年4月1日現在法令等]</p>", "<h1>No.2594 甲</h1>")
    assert found.as_of is None
    assert "現在法令等" in record_text(found)


@pytest.mark.parametrize(
    ("words", "items"),
    [
        ("<p>相続税、贈与税</p>", ("相続税", "贈与税")),
        ("<p>相続税</p><p>贈与税</p>", ("相続税", "贈与税")),
        ("<p>相続税<br>贈与税</p>", ("相続税", "贈与税")),
        ("<ul><li>相続税</li><li>贈与税</li></ul>", ("相続税", "贈与税")),
        ("<p>所得税（配当所得、譲渡所得）</p>", ("所得税（配当所得、譲渡所得）",)),
        ("<p>消費税、消費税</p>", ("消費税",)),
    ],
)
def test_tax_items(words: str, items: tuple[str, ...]) -> None:
    found = _read(f"<h2>対象税目</h2>{words}<h2>概要</h2><p>本文です。</p>", "<h1>No.2594 甲</h1>")
    assert [facet.values for facet in found.facets] == [items]
    assert record_text(found) == "【概要】\n本文です。"


@pytest.mark.parametrize("head", ["<h1>No.2594 甲</h1>", "<h1>No.2594 甲</h1><h2>対象税目</h2><p></p>"])
def test_missing_tax_items(head: str) -> None:
    assert _read("<h2>概要</h2><p>本文です。</p>", head).facets == ()


@pytest.mark.parametrize("level", ["h2", "h3", "h4"])
def test_the_level_of_what_follows_the_opening_section_does_not_matter(level: str) -> None:
    found = _read(f"<h2>概要</h2><p>甲。</p><{level}>食事の価額</{level}><p>乙。</p>")
    assert [section.headings for section in found.sections] == [("概要",), ("食事の価額",)]


def test_deeper_headings_carry_the_path() -> None:
    body = "<h2>手続き</h2><h3>申告先等</h3><p>甲。</p><h4>郵送</h4><p>乙。</p><h2>注意事項</h2><p>丙。</p>"
    found = _read(body)
    assert [section.headings for section in found.sections] == [
        ("手続き", "申告先等"),
        ("手続き", "申告先等", "郵送"),
        ("注意事項",),
    ]


def test_a_heading_with_nothing_under_it_is_not_lost() -> None:
    assert _lines("<h2>概要</h2><h3>甲</h3><p>本文です。</p><h3>乙</h3><h3>丙</h3>") == [
        *("【概要】", "【甲】", "本文です。", "【乙】", "【丙】"),
    ]


def test_a_second_h1_is_a_heading() -> None:
    assert _lines("<h2>概要</h2><p>甲。</p><h1>別表</h1><p>乙。</p>") == ["【概要】", "甲。", "【別表】", "乙。"]


@pytest.mark.parametrize("words", ["（注1）　甲", "（注）甲", "(注2)　甲", "※　甲", "注１　甲", "注）甲"])
def test_notes(words: str) -> None:
    (block,) = _read(f"<h2>概要</h2><p>{words}</p>").sections[0].blocks
    assert isinstance(block, TextBlock)
    assert (block.kind, block.text) == ("note", words)


def test_no_note() -> None:
    (block,) = _read("<h2>概要</h2><p>注意してください。</p>").sections[0].blocks
    assert isinstance(block, TextBlock)
    assert block.kind == "paragraph"


def test_the_numbers_of_lists_are_there_for_what_refers_to_them() -> None:
    html = "<ol><li>申込書<li>届出書</ol><ol start='3'><li>住民票</ol><p>（注）2の届出書は写しでもかまいません。</p>"
    assert _lines(f"<h2>概要</h2>{html}") == [
        *("【概要】", "1 申込書", "2 届出書", "3 住民票", "（注）2の届出書は写しでもかまいません。"),
    ]


def test_nested_lists() -> None:
    html = "<ul><li>甲<ul><li>乙<ol><li>丙</li></ol></li></ul>続き</li><li><p>丁</p><p>戊</p></li></ul>"
    blocks = _read(f"<h2>概要</h2>{html}").sections[0].blocks
    assert [(block.kind, block.depth, block.text) for block in blocks if isinstance(block, TextBlock)] == [
        *(("item", 0, "甲"), ("item", 1, "乙"), ("item", 2, "1 丙")),
        *(("item", 0, "続き"), ("item", 0, "丁"), ("item", 0, "戊")),
    ]


def test_lists_written_against_the_rules_lose_nothing() -> None:
    html = "<ul>甲<li>乙</li><ul><li>丙</li></ul><div><p>丁</p></div></ul><li>戊</li><dl><div><dt>己<dd>庚</div></dl>"
    blocks = _read(f"<h2>概要</h2>{html}").sections[0].blocks
    assert [(block.text, block.depth) for block in blocks if isinstance(block, TextBlock)] == [
        *(("甲", 0), ("乙", 0), ("丙", 1), ("丁", 0), ("戊", 0), ("己", 0), ("庚", 0)),
    ]


def test_a_table_inside_a_list_item_stays_a_table() -> None:
    html = "<ul><li>甲<table><tr><th>区分<th>率<tr><td>乙<td>1%</table></li></ul>"
    assert _lines(f"<h2>概要</h2>{html}") == ["【概要】", "甲", "区分：乙｜率：1%"]


def test_forced_line_breaks() -> None:
    assert _lines("<h2>概要</h2><p>甲<br>乙<br/>（丙）<br><br>丁</p>") == ["【概要】", "甲　乙（丙）　丁"]


def test_line_breaks_of_the_source_are_layout() -> None:
    assert _lines("<h2>概要</h2><p>源泉\n      徴収</p>") == ["【概要】", "源泉徴収"]


def test_images() -> None:
    html = '<p><img src="a.gif" alt="しくみの図"></p><p>算式<img src="b.gif" alt=""></p><img src="c.gif">'
    assert _lines(f"<h2>概要</h2>{html}") == [
        *("【概要】", "（図：しくみの図）", "算式（画像：元のページを参照）", "（画像：元のページを参照）"),
    ]


def test_text_straight_under_the_body_area_and_a_stray_closing_tag() -> None:
    html = "<h2>概要</h2>甲。<p>乙。</p></p>丙<a href='x'>丁</a>。<div>戊。<p>己。</p>庚。</div>"
    assert _lines(html) == ["【概要】", "甲。", "乙。", "丙丁。", "戊。", "己。", "庚。"]


def test_blocks_inside_inline_elements() -> None:
    assert _lines("<h2>概要</h2><span>甲。<p>乙。</p></span><b>丙。</b>") == ["【概要】", "甲。", "乙。", "丙。"]


def test_the_text_of_links_is_kept_and_comments_and_scripts_are_not() -> None:
    html = (
        "<p>コード<a href='/x'>2508</a><!-- 旧 --><script>var a = 1;</script>を参照。</p><!-- <p>旧</p> --><?php 旧 ?>"
    )
    assert _lines(f"<h2>概要</h2>{html}") == ["【概要】", "コード2508を参照。"]


def test_a_table_with_blocks_in_its_cells() -> None:
    html = (
        "<table><caption>税率<br>（令和7年分）</caption><thead><tr><th>区分</th><th>説明</th></tr></thead><tbody>"
        "<tr><td>甲</td><td><p>乙。</p><ul><li>丙</li><li>丁</li></ul></td><!-- <td>旧</td> --></tr>"
        "<tr><td>戊</td><td><table><caption>内訳</caption><tr><td>己</td><td>庚</td></tr></table></td></tr>"
        "</tbody></table>"
    )
    assert _lines(f"<h2>概要</h2>{html}") == [
        *("【概要】", "（表）税率（令和7年分）", "区分：甲｜説明：乙。　丙　丁", "区分：戊｜説明：内訳　己　庚"),
    ]


_BOILERPLATE = {"関連リンク", "関連コード", "QAリンク", "根拠リンク", "お問い合わせ先", "◆関連する質疑応答事例"}


@pytest.mark.parametrize("level", ["h2", "h3"])
@pytest.mark.parametrize("heading", sorted(_BOILERPLATE))
def test_boilerplate_sections_are_out_at_any_level(level: str, heading: str) -> None:
    html = (
        f"<h2>概要</h2><p>甲。</p><{level}>{heading}</{level}><p>乙。</p><ul><li>丙</li></ul><table><tr><td>丁</table>"
    )
    assert _lines(html + "<h2>注意事項</h2><p>戊。</p>") == ["【概要】", "甲。", "【注意事項】", "戊。"]


@pytest.mark.parametrize("level", ["h2", "h3"])
def test_the_legal_basis_is_a_remark_at_any_level(level: str) -> None:
    found = _read(f"<h2>概要</h2><p>甲。</p><{level}>根拠法令等</{level}><p>所法36</p><ul><li>所基通36-24</li></ul>")
    assert found.remarks == {"根拠法令等": "所法36　所基通36-24"}
    assert record_text(found) == "【概要】\n甲。"


def test_an_unknown_address_and_category_are_left_out() -> None:
    found = read_article(_page("<h2>概要</h2><p>甲。</p>"), number="2594").record
    assert (found.url, found.attributes) == (None, {})


def test_widgets_of_the_page_are_out() -> None:
    html = (
        '<p class="skip">飛ばす</p><ol class="breadcrumb"><li>ホーム</li></ol><h2>概要</h2><p>甲。</p>'
        '<div class="contents-feedback"><div>お役にたちましたか？</div><p>はい</p></div>'
        '<p class="page-top-link">先頭へ</p>'
    )
    assert _lines(html) == ["【概要】", "甲。"]


def test_shift_jis_with_vendor_characters() -> None:
    text = _page("<h2>概要</h2><p>①　髙島屋㈱の№2～3。</p>").decode().replace("utf-8", "Shift_JIS")
    found = read_article(text.encode("cp932"), number="2594", url=_URL).record
    assert "①　髙島屋㈱の№2～3。" in record_text(found)


def test_a_branch_number_and_a_full_width_number() -> None:
    page = _page("<h2>概要</h2><p>甲。</p>", "<h1>Ｎｏ．１２１１－１　住宅を新築したとき</h1>")
    found = read_article(page, number="1211-1", url=_URL).record
    assert (found.label, found.title) == ("No.1211-1", "住宅を新築したとき")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (b"", "no div#bodyArea"),
        (b"<html><body><h1>No.2594 \xe7\x94\xb2</h1></body></html>", "no div#bodyArea: this is not an article page"),
        (_page("<h2>概要</h2><p>甲。</p>", ""), "no h1 inside div#bodyArea"),
        (
            _page("<p>甲。</p>", "<h1>食事を支給したとき</h1>"),
            "the h1 '食事を支給したとき' is not 'No.<number> <title>'",
        ),
        (_page("<p>甲。</p>", "<h1>No.2594</h1>"), "the h1 'No.2594' is not 'No.<number> <title>'"),
        (_page("<p>甲。</p>", "<h1>No.2508 甲</h1>"), "the page says No.2508 but is listed as 2594"),
        (_page(""), "no body text"),
        (_page("<h2>概要</h2><p></p>"), "no body text"),
        (_page("<h2>根拠法令等</h2><p>所法36</p><h2>関連リンク</h2><p>甲</p>"), "no body text"),
        (_page("<h2>概要</h2><table><tr><td></td></tr></table>"), "no body text"),
    ],
)
def test_a_page_that_is_not_understood_says_what_is_missing(page: bytes, message: str) -> None:
    with pytest.raises(PageLayoutError, match=re.escape(message)):
        read_article(page, number="2594", url=_URL)


# The live element, among others that are quoted, hidden or void.

_OLD = '<div id="bodyArea"><h1>No.2594 旧</h1><h2>概要</h2><p>むかしの文です。</p></div>'


@pytest.mark.parametrize(
    "before",
    [
        f"<!-- {_OLD} -->",
        f"<!--[if IE]>{_OLD}<![endif]-->",
        f"<!-- {_OLD} --!>",
        "<script>var old = '<div id=\"bodyArea\"><h1>No.2594 旧</h1>';</script>",
        f"<template>{_OLD}</template>",
        f"<noscript>{_OLD}</noscript>",
        f"<textarea>{_OLD}</textarea>",
        f"<xmp>{_OLD}</xmp>",
        f"<![CDATA[{_OLD}]]>",
        "<p title='<div id=\"bodyArea\">'></p>",
        f"<div hidden>{_OLD}</div>",
        f"<del>{_OLD}</del>",
        _OLD.replace("<div", "<div style='display: none'"),
        _OLD.replace("<div", "<div class='gone'"),
        _OLD.replace("2594", "2508"),
        "<div id='bodyArea'></div>",
        f"<!-- {_OLD} --><script>'{_OLD}'</script><template>{_OLD}</template>",
    ],
)
def test_the_element_that_a_reader_sees_is_read(before: str) -> None:
    live = _page("<h2>概要</h2><p>いまの文です。</p>").decode()
    page = live.replace("</head>", "<style>.gone { display: none }</style></head>").replace("<body>", f"<body>{before}")
    article = read_article(page.encode(), number="2594")
    assert record_text(article.record) == "【概要】\nいまの文です。"
    assert article.record.as_of is not None
    assert article.findings == ()
    assert not is_withdrawn(page.encode())


def test_a_page_whose_only_article_is_commented_out_is_no_article() -> None:
    with pytest.raises(PageLayoutError, match="no div#bodyArea"):
        read_article(f"<html><body><!-- {_OLD} --></body></html>".encode(), number="2594")


def test_two_visible_articles_of_one_number_are_told() -> None:
    page = _page("<h2>概要</h2><p>甲。</p>").decode().replace("</body>", f"{_OLD}</body>")
    article = read_article(page.encode(), number="2594")
    assert record_text(article.record) == "【概要】\n甲。"
    assert [finding.topic for finding in article.findings] == ["second body"]


def test_struck_and_hidden_text_is_left_out_and_told_with_the_number_of_its_article() -> None:
    html = "<h2>概要</h2><p>税率は<del>20％</del>15％です。<span hidden>旧規定</span></p>"
    article = read_article(_page(html), number="2594")
    assert record_text(article.record) == "【概要】\n税率は15％です。"
    told = [(finding.kind, finding.topic, finding.place, finding.quote) for finding in article.findings]
    assert told == [
        ("note", "struck text", "No.2594", "20％"),
        ("note", "hidden text", "No.2594", "旧規定"),
    ]


def test_a_struck_as_of_line_and_a_struck_word_of_the_title_do_not_hold() -> None:
    head = (
        "<h1>No.2594 <s>昼食</s>食事の<ruby>支給<rt>しきゅう</rt></ruby></h1>"
        "<p><s>[令和5年4月1日現在法令等]</s></p><p>[令和8年4月1日現在法令等]</p>"
    )
    found = _read("<h2>概要</h2><p>甲。</p>", head)
    assert found.title == "食事の支給"
    assert found.as_of is not None
    assert found.as_of.date == date(2026, 4, 1)


def test_hidden_words_of_the_sites_own_widgets_are_nobodys_concern() -> None:
    html = "<div class='page-header'><span hidden>甲</span></div><h2>概要</h2><p>乙。</p>"
    assert read_article(_page(html), number="2594").findings == ()


_CASES = {
    "01-html-sup-exponent": "面積は1×10³平方メートル以下、価額に1/2を乗じます。",
    "03-commented-body": "いまの税率は15％です。",
    "04-ruby": "瑕疵の責任と権利を定めます。",
    "05-table-without-cells": "次の表のとおりです。\n（ただし、乙は対象外です。）\n甲｜10円\n丙｜5,000円",
    "07-struck-and-hidden": "税率は15％です。",
}


@pytest.mark.realdata
@pytest.mark.parametrize("name", _CASES)
def test_the_cases_beside_the_checkout(cases: Path, name: str) -> None:
    (path,) = (cases / name).glob("site/taxes/shiraberu/taxanswer/*/[0-9]*.htm")
    found = read_article(path.read_bytes(), number=path.stem).record
    assert record_text(found) == f"【概要】\n{_CASES[name]}"
    assert found.as_of is not None
    assert found.as_of.date == date(2026, 4, 1)


# Whole sites, against an independent reading of the same bytes.

_NO_BODY_TEXT = {"対象税目", "根拠法令等", "関連リンク", "関連コード", "QAリンク", "根拠リンク", "お問い合わせ先"}
_AS_OF_LINE = re.compile(r"[\[［].*現在法令等[\]］]")
_INVISIBLE = re.compile(r"[\s\u200b-\u200d\u2060\ufeff\u00ad]")


class _Words(HTMLParser):
    """The words of div#bodyArea, block by block with white space removed, read by the standard library's parser."""

    _VOID = frozenset({"br", "img", "hr", "meta", "link", "input", "area", "base", "col", "embed", "source", "wbr"})
    _INLINE = frozenset({"a", "span", "b", "strong", "i", "em", "u", "s", "sup", "sub", "font", "small", "br", "img"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[tuple[int, str]] = []
        self._open: list[str] = []
        self._body: int | None = None
        self._out: int | None = None
        self._heading = 0
        self._words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag not in self._INLINE:
            self._end_block()
        if tag in self._VOID:
            return
        self._open.append(tag)
        if dict(attrs).get("id") == "bodyArea":
            self._body = len(self._open)
        elif self._body is not None and self._out is None:
            if tag in ("h1", "script", "style") or {"contents-feedback", "breadcrumb"} & set(classes):
                self._out = len(self._open)
            elif re.fullmatch("h[2-6]", tag):
                self._heading = int(tag[1])

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        if tag not in self._INLINE:
            self._end_block()
        while self._open.pop() != tag:
            pass
        if re.fullmatch("h[2-6]", tag):
            self._heading = 0
        if self._out is not None and len(self._open) < self._out:
            self._out = None
        if self._body is not None and len(self._open) < self._body:
            self._body = None

    def handle_data(self, data: str) -> None:
        if self._body is not None and self._out is None:
            self._words.append(data)

    def close(self) -> None:
        super().close()
        self._end_block()

    def _end_block(self) -> None:
        words = _INVISIBLE.sub("", "".join(self._words))
        self._words = []
        if words:
            self.blocks.append((self._heading, words))


def _visible_blocks(data: bytes) -> list[str]:
    """Every block of a page that belongs to its body text."""
    parser = _Words()
    parser.feed(decode_html(data).text)
    parser.close()
    kept: list[str] = []
    outside = 0
    for level, words in parser.blocks:
        if level and (not outside or level <= outside):
            outside = level if words in _NO_BODY_TEXT or words.startswith("◆") else 0
        if not outside and not _AS_OF_LINE.fullmatch(words):
            kept.append(words)
    return kept


def _assert_nothing_is_lost(data: bytes, found: Record) -> None:
    readable, plain = (_INVISIBLE.sub("", text) for text in (record_text(found), plain_text(found)))
    blocks = _visible_blocks(data)
    assert blocks, found.record_id
    for words in blocks:
        assert words in readable, (found.record_id, words[:80])
        assert words in plain, (found.record_id, words[:80])


def _read_site(root: Path) -> tuple[dict[str, tuple[bytes, Record]], list[str]]:
    """Every listed page of a site's tree, and the numbers of those withdrawn."""
    found: dict[str, tuple[bytes, Record]] = {}
    withdrawn: list[str] = []
    for link in read_index((root / INDEX_PATH.lstrip("/")).read_bytes()):
        data = (root / link.path.lstrip("/")).read_bytes()
        if is_withdrawn(data):
            withdrawn.append(link.number)
        else:
            url = f"https://www.nta.go.jp{link.path}"
            found[link.number] = (data, read_article(data, number=link.number, url=url, category=link.category).record)
    return found, withdrawn


def test_every_page_of_the_sample_is_read_in_full_or_withdrawn(sample_site: Path) -> None:
    found, withdrawn = _read_site(sample_site)
    assert withdrawn == ["5206"]
    assert len(found) >= 30
    assert {record.attributes["category"] for _, record in found.values()} == set(CATEGORIES)
    for data, record in found.values():
        _assert_nothing_is_lost(data, record)
        for limit in (400, 900):
            assert joined(cut_record(record, limit)) == record_text(record)


_Site = tuple[dict[str, tuple[bytes, Record]], list[str]]


@pytest.fixture(scope="module")
def real_site(realdata: Path) -> _Site:
    return _read_site(realdata / "taxanswer_site")


@pytest.fixture(scope="module")
def real_records(real_site: _Site) -> dict[str, Record]:
    return {number: record for number, (_, record) in real_site[0].items()}


@pytest.mark.realdata
def test_every_real_page_is_read_or_withdrawn(real_site: _Site) -> None:
    found, withdrawn = real_site
    assert len(found) == 756
    assert sorted(withdrawn) == ["4512", "5207", "5209", "5435", "5437", "6950"]
    assert sum(record.as_of is None for _, record in found.values()) in (98, 99)
    assert all(record.as_of.date for _, record in found.values() if record.as_of)


@pytest.mark.realdata
def test_real_text_is_japanese(real_records: dict[str, Record]) -> None:
    for number, record in real_records.items():
        text = record.title + record_text(record)
        assert "\ufffd" not in text, number
        # Half-width katakana and C1 controls are what wrongly read bytes turn into.
        assert not re.search(r"[\u0080-\u009f]|[\uff66-\uff9f]{4}", text), number
        assert len(re.findall(r"[ぁ-んァ-ヴ]", text)) >= 0.1 * len(text), number
        assert len(re.findall(r"[ぁ-んァ-ヴー一-鿿]", text)) >= 0.5 * len(text), number


@pytest.mark.realdata
@pytest.mark.parametrize("number", ["5281", "5900"])
def test_the_shift_jis_pages_are_japanese(real_records: dict[str, Record], number: str) -> None:
    text = record_text(real_records[number])
    assert len(re.findall(r"[ぁ-ん]", text)) >= 0.3 * len(text)


@pytest.mark.realdata
def test_nothing_of_a_real_page_is_lost(real_site: _Site) -> None:
    for data, record in real_site[0].values():
        _assert_nothing_is_lost(data, record)


@pytest.mark.realdata
@pytest.mark.parametrize(("limit", "published"), [(400, 3625), (900, 1806)])
def test_real_chunks_are_as_many_as_published_and_lose_nothing(
    real_records: dict[str, Record], limit: int, published: int
) -> None:
    count = 0
    for number, record in real_records.items():
        cuttings = cut_record(record, limit)
        assert joined(cuttings) == record_text(record), number
        # Not one real token is over the limit by itself.
        assert all(len(c.body) + (len(c.context) + 1 if c.context else 0) <= limit for c in cuttings), number
        count += len(cuttings)
    assert count == pytest.approx(published, rel=0.1)


@pytest.mark.realdata
def test_the_first_chunk_of_no_2594(real_records: dict[str, Record]) -> None:
    record = real_records["2594"]
    assert header(record, "full") == (
        "国税庁タックスアンサー No.2594 食事を支給したとき（対象税目：源泉所得税）［令和8年4月1日現在法令等］"
    )
    first = cut_record(record, 400)[0]
    assert first.context == ""
    assert first.body.startswith("【概要】\n役員や使用人に支給する食事は、")
    assert first.body.endswith("。")


@pytest.mark.realdata
def test_the_rate_of_cooperatives_is_read_off_one_row_of_no_5759(real_records: dict[str, Record]) -> None:
    rows = [line for line in record_text(real_records["5759"]).split("\n") if "協同組合等（注3）" in line]
    over = next(row for row in rows if "年800万円超" in row and "19%" in row)
    assert over.startswith("区分：協同組合等（注3）／年800万円超の部分｜")
    assert "令7.4.1以後＝19%" in over
    under = next(row for row in rows if "年800万円以下" in row and "平28.4.1以後＝15%" in row)
    assert "令7.4.1以後＝15%（17%（注7））" in under


@pytest.mark.realdata
def test_the_byte_copies_of_the_live_site_hold_tables_with_spans(real_records: dict[str, Record]) -> None:
    spans = [
        cell
        for section in real_records["5759"].sections
        for block in section.blocks
        if isinstance(block, Table)
        for cell in block.cells
        if cell.row_span > 1 or cell.column_span > 1
    ]
    assert len(spans) > 10


@pytest.mark.parametrize("heading", ["対象税目", "根拠法令等"])
def test_what_follows_a_section_about_the_article_under_a_deeper_heading_is_body_text(heading: str) -> None:
    lines = _lines(f"<h2>概要</h2><p>一。</p><h2>{heading}</h2><p>甲</p><h3>注意</h3><p>二。</p><h2>後</h2><p>三。</p>")
    assert lines == ["【概要】", "一。", "【注意】", "二。", "【後】", "三。"]


def test_what_stands_deeper_under_links_is_links() -> None:
    lines = _lines("<h2>概要</h2><p>一。</p><h2>関連リンク</h2><p>甲</p><h3>手引き</h3><p>乙</p>")
    assert lines == ["【概要】", "一。"]


def test_a_page_nested_too_deeply_is_told_as_such() -> None:
    with pytest.raises(PageLayoutError, match="nested too deeply"):
        _read("<h2>概要</h2>" + "<ul><li>" * 3000 + "甲")


@pytest.mark.parametrize("prefix", ["m:", "mml:", ""])
def test_formulas_of_pages_written_as_xhtml(prefix: str) -> None:
    half = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
    formula = f"<math>{half}</math>".replace("<m", f"<{prefix}m").replace("</m", f"</{prefix}m")
    assert _lines(f"<h2>概要</h2><p>価額に{formula}を乗じます。</p>") == ["【概要】", "価額に1/2を乗じます。"]
