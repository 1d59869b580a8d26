from rag_assets.model import Table
from rag_assets.sources.guides.document import BodyBlock, Heading
from rag_assets_tests.sources.guides.guide_texts import lines, topics, web_page


def test_navigation_is_left_out_and_told() -> None:
    document = web_page(
        "<head><title>経費 | みほん</title></head><body>"
        "<header><a href=/>みほん</a><nav><a href=a>甲</a></nav></header>"
        "<div class=breadcrumb><a href=/>上</a> &gt; 経費</div><main><h1>経費<a href=#x>¶</a></h1>"
        "<nav class=toc><ul><li><a href=#a>一</a></ul></nav><h3 id=a>一</h3><p>文</p><h2>二</h2><p>文</p>"
        "<aside class=hint>こつ</aside></main><aside>関連</aside><footer>© みほん</footer>"
    )
    assert document.title == "経費"
    assert lines(document) == ["### 一 #a", "文", "## 二", "文", "こつ"]
    assert set(topics(document)) == {"navigation"}
    told = " ".join(finding.quote for finding in document.findings)
    assert all(words in told for words in ("甲", "上", "関連", "© みほん"))


def test_a_page_without_main_is_read_as_a_whole() -> None:
    document = web_page(
        "<title>規則 - みほん</title><ul><li><a href=1>表紙</a><li><a href=2>商品</a><li><a href=3>問合せ</a></ul>"
        "<h1>規則</h1><p>文</p><h2>章</h2><ul><li><a href=4>届</a><li><a href=5>願</a><li><a href=6>証</a></ul>"
        "<p>Copyright 2026 みほん</p>"
    )
    assert (document.title, lines(document)) == ("規則", ["文", "## 章", "- 届", "- 願", "- 証"])


def test_what_is_called_content_is_the_text() -> None:
    document = web_page(
        "<h1>手引き</h1><div class=side><p>お知らせ</p></div>"
        "<div id=main-content><h2>一</h2><p>ここが長い本文です。ここが長い本文です。</p></div>"
    )
    assert (document.title, lines(document)) == ("手引き", ["## 一", "ここが長い本文です。ここが長い本文です。"])
    assert topics(document) == ["navigation"]


def test_footnotes_as_pandoc_writes_them() -> None:
    document = web_page(
        '<p>一<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a>。</p>'
        "<h2>次</h2><p>文</p>"
        '<section id="footnotes" class="footnotes" role="doc-endnotes"><hr><ol><li id="fn1"><p>注の文。'
        '<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>'
    )
    assert lines(document) == ["一（注1）。", "! （注1）注の文。", "## 次", "文"]


def test_the_date_of_the_head() -> None:
    assert (
        web_page(
            '<meta name="date" content="2020-01-01"><meta property="article:modified_time" content="2026-04-01">'
            "<p>文</p>"
        ).dated
        == "2026-04-01"
    )


def test_tables_that_place_parts_of_a_page_keep_headings_and_lose_menus() -> None:
    document = web_page(
        "<body><table><tr><td><a href=a>総務</a><br><a href=b>人事</a><br><a href=c>経理</a></td>"
        "<td><h2>申請</h2><p>紙で出す。</p><table><tr><th>区分</th><td>甲</td></tr></table>"
        "<h2>期限</h2><p>月末。</p></td></tr></table></body>"
    )
    headings = [part.text for part in document.parts if isinstance(part, Heading)]
    assert headings == ["申請", "期限"]
    assert "総務" not in "".join(lines(document))
    assert topics(document) == ["navigation"]
    assert [part for part in document.parts if isinstance(part, BodyBlock) and isinstance(part.block, Table)]


def test_a_table_of_data_with_a_heading_cell_stays_a_table() -> None:
    document = web_page("<body><h1>題</h1><table><tr><th><h3>宿泊</h3></th><td>一万円</td></tr></table></body>")
    assert [part for part in document.parts if isinstance(part, BodyBlock) and isinstance(part.block, Table)]
