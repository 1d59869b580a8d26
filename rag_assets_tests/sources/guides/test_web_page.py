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


def test_a_page_without_heading_elements_has_its_headings_by_their_looks() -> None:
    document = web_page(
        "<title>助成の手引き</title><p class=daimidashi>助成の手引き</p><p class=midashi>１　対象</p><p>中小の社。</p>"
        "<p class=midashi>２　額</p><p>十万円。</p><p><b>電話</b></p><p>内線三番。</p>"
        "<p><b>窓口</b></p><p><b>一階</b>の奥。</p>"
    )
    assert document.title == "助成の手引き"
    assert lines(document) == [
        *("## １　対象", "中小の社。", "## ２　額", "十万円。", "### 電話", "内線三番。", "### 窓口", "一階の奥。"),
    ]
    assert topics(document) == ["headings by looks"]


def test_a_page_with_headings_keeps_bold_lines_as_text() -> None:
    document = web_page("<h1>手引き</h1><h2>一</h2><p><b>甲</b></p><p>文。</p><p><b>乙</b></p><p>文。</p>")
    assert lines(document) == ["## 一", "甲", "文。", "乙", "文。"]


def test_terms_above_whole_sections_are_headings_and_others_are_not() -> None:
    sections = (
        "<title>手引き</title><dl><dt>貸出<dd><p>五冊まで。</p><p>二週間。</p><dt>返却<dd><ul><li>窓口へ。</ul></dl>"
    )
    assert lines(web_page(sections)) == ["## 貸出", "五冊まで。", "二週間。", "## 返却", "- 窓口へ。"]
    assert lines(web_page("<title>手引き</title><dl><dt>期限<dd>月末<dt>宛先<dd>総務</dl>")) == [
        *("- 期限", "- 月末", "- 宛先", "- 総務"),
    ]


def test_an_old_page_laid_out_in_tables_and_fonts() -> None:
    document = web_page(
        "<title>就業の手引き</title><table><tr><td><a href=a>総務</a><br><a href=b>経理</a><br><a href=c>人事</a></td>"
        "<td><font size=5><b>就業の手引き</b></font><br><br><font size=4><b>■ 時間</b></font><br>九時に始める。<br>"
        "<font size=4><b>■ 休日</b></font><br>土曜と日曜。"
        "<table border=1><tr><td>記念日</td><td>6月1日</td></tr></table>"
        "</td></tr></table>"
    )
    assert (document.title, lines(document)) == (
        "就業の手引き",
        ["## ■ 時間", "九時に始める。", "## ■ 休日", "土曜と日曜。", "記念日|6月1日"],
    )


def test_a_table_of_data_that_holds_a_table_stays_one() -> None:
    document = web_page(
        "<h1>表</h1><table><tr><td>区分の甲</td><td><table><tr><td>内</td></tr></table></td></tr>"
        "<tr><td>区分の乙</td><td>外</td></tr></table>"
    )
    assert lines(document) == ["区分の甲|内|区分の乙|外"]


def test_what_a_click_opens_is_text_with_the_words_of_its_button() -> None:
    document = web_page(
        "<main><h1>返品</h1><h2><button aria-expanded=false aria-controls=p1>離島では？</button></h2>"
        "<div id=p1 hidden><p>千円かかる。</p></div>"
        "<button aria-expanded=false>食品は？</button><div style='display:none'><p>返せない。</p></div>"
        "<ul role=tablist><li role=tab><a href=#t1>個人</a><li role=tab><a href=#t2>法人</a></ul>"
        "<div id=t1>八日。</div><div id=t2 style='display:none'>二週間。</div>"
        "<div hidden>下書き。</div><button>送信</button></main>"
    )
    assert lines(document) == [
        *("## 離島では？", "千円かかる。", "食品は？", "返せない。", "- 個人", "- 法人", "八日。", "二週間。"),
    ]
    assert [finding.quote for finding in document.findings if finding.topic == "hidden text"] == ["下書き。"]


def test_breadcrumbs_and_links_to_the_head_of_the_page_by_their_words() -> None:
    document = web_page(
        "<title>手引き</title><p><a href=/>ホーム</a> &gt; <a href=/s>政策</a> ＞ 手引き</p><h1>手引き</h1>"
        "<p>ホーム＞設定の順に押す。</p><p><a href=#top>▲ページの先頭へ戻る</a></p><p><a href=#a>別表</a>を見る。</p>"
    )
    assert lines(document) == ["ホーム＞設定の順に押す。", "別表を見る。"]
    assert topics(document) == ["navigation", "navigation"]


def test_a_page_of_frames_is_told_with_the_pages_it_places() -> None:
    document = web_page(
        "<frameset cols='1,4'><frame src=menu.html><frame src=honbun.html>"
        "<noframes><body>枠に対応したもので見る。</body></noframes></frameset>"
    )
    assert (topics(document), lines(document)) == (["frames"], [])
    assert "honbun.html" in document.findings[0].message
