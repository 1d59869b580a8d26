import pytest

from rag_assets_tests.sources.guides.guide_texts import lines, markdown, topics


def test_front_matter_tells_title_and_date_and_is_no_text() -> None:
    for text in (
        "---\ntitle: 経費の手引き\nlastmod: 2026-04-01T10:00:00+09:00\nsecret: ひみつ\n---\n本文。\n",
        '+++\ntitle = "経費の手引き"\nlastmod = 2026-04-01T10:00:00+09:00\nsecret = "ひみつ"\n+++\n本文。\n',
    ):
        document = markdown(text)
        assert (document.title, document.dated[:10], lines(document)) == ("経費の手引き", "2026-04-01", ["本文。"])


def test_the_date_of_the_last_change_goes_before_that_of_the_first_edition() -> None:
    assert markdown("---\ndate: 2020-01-01\nlastmod: 2026-04-01\n---\n本文").dated == "2026-04-01"


def test_broken_front_matter_is_told_and_no_text() -> None:
    document = markdown("---\ntitle: [経費\n---\n本文。")
    assert lines(document) == ["本文。"]
    assert topics(document) == ["front matter"]


def test_a_line_under_words_at_the_start_is_no_front_matter() -> None:
    assert lines(markdown("---\nただの文\n---\n本文。")) == ["## ただの文", "本文。"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
def test_encodings_and_line_breaks_of_windows(encoding: str) -> None:
    document = markdown("手引きの題\r\n==\r\n\r\nここが\r\n本文です。\r\n".encode(encoding))
    assert (document.title, lines(document)) == ("手引きの題", ["ここが本文です。"])


def test_the_only_first_level_heading_at_the_start_is_the_title() -> None:
    assert markdown("# 題\n\n## 一\n文").title == "題"
    two = markdown("# 題\n\n文\n\n# 次の題\n\n文")
    assert (two.title, lines(two)) == ("", ["# 題", "文", "# 次の題", "文"])


def test_a_first_heading_that_repeats_the_front_matter_is_not_said_twice() -> None:
    assert lines(markdown("---\ntitle: 題\n---\n# 題\n\n文")) == ["文"]
    assert lines(markdown("---\ntitle: 題\n---\n# ほかの題\n\n文")) == ["# ほかの題", "文"]


def test_anchors_and_attribute_lists() -> None:
    document = markdown('## 宿 {#yado .wide}\n{.h2}\n\n[表](a.md){target="_blank"}を見る。\n\n### 日当 {.x}\n\n文')
    assert lines(document) == ["## 宿 #yado", "表を見る。", "### 日当", "文"]


def test_emphasis_beside_japanese_brackets_and_stops() -> None:
    assert lines(markdown("**「甲」**は*乙*、**（丙）**も。**注意。**次の文。")) == [
        "「甲」は乙、（丙）も。注意。次の文。"
    ]


def test_struck_words_are_left_out_and_told() -> None:
    document = markdown("いまは千円です。~~前は百円です。~~以上。")
    assert lines(document) == ["いまは千円です。以上。"]
    assert topics(document) == ["struck text"]


def test_links_pictures_entities_and_breaks() -> None:
    text = "[申込書](https://example.jp/a?b=c)と![門の絵](a.png)、A&amp;B。  \n次の行\nつづき。<https://example.jp/>"
    assert lines(markdown(text)) == ["申込書と（図：門の絵）、A&B。　次の行つづき。https://example.jp/"]


def test_shortcodes_go_and_what_they_hold_stays() -> None:
    text = (
        '{{% alert title="**ご注意**" color="danger" %}}\n中の文。{{% /alert %}}\n\n'
        '- 一\n\n  {{< details summary="1. くわしく" >}}\n  詳しい文。\n  {{< /details >}}\n\n'
        '{{< figure src="e.png" title="絵の題" caption="絵の説明" >}}\n\n{{< youtube "abc" >}}\n\n'
        '札は{{< label name="公開" color="red" >}}、[規則]({{< ref "kisoku.md" >}})を見る。{{</* 例 */>}}\n'
    )
    assert lines(markdown(text)) == [
        "ご注意",
        "中の文。",
        "- 一",
        "- 1. くわしく",
        "- 詳しい文。",
        "絵の題",
        "絵の説明",
        "札は公開、規則を見る。{{< 例 >}}",
    ]


def test_code_is_kept_line_by_line() -> None:
    text = "文。\n\n```sh\n# 見出しではない\nrun --all\n```\n\n    四つ下げ\n    二行目\n"
    assert lines(markdown(text)) == ["文。", "# 見出しではない", "run --all", "四つ下げ", "二行目"]


def test_html_inside() -> None:
    text = (
        "<!-- 内緒 --><script>alert('x')</script>\n\n"
        "<details><summary>**開く**</summary>\n\n**中**の文\n\n</details>\n\n"
        "<table><tr><th>甲</th><td>乙</td></tr></table>\n\n文<br>行 <span hidden>見えない</span>\n\n"
        '<details markdown="1"\\>\n\n<summary>別</summary>\n\n別の文\n\n</details>\n'
    )
    assert lines(markdown(text)) == ["開く", "中の文", "甲|乙", "文　行", "別", "別の文"]


def test_footnotes_stand_behind_what_refers_to_them() -> None:
    text = "一[^a]と二[^b]、また一[^a]。\n\n## 次\n\n文\n\n[^a]: 初めの注。\n[^b]: あとの注。\n    つづき。\n"
    assert lines(markdown(text)) == [
        "一（注1）と二（注2）、また一（注1）。",
        "! （注1）初めの注。",
        "! （注2）あとの注。つづき。",
        "## 次",
        "文",
    ]


def test_lists_tasks_tables_and_terms() -> None:
    text = "1. 甲\n   - [ ] 未\n   - [x] 済\n2. 乙\n\n| 列 | 値 |\n|---|---|\n| あ | *い* |\n\n用語\n: 説明\n"
    assert lines(markdown(text)) == [
        "- 1 甲",
        "  - ☐ 未",
        "  - ☑ 済",
        "- 2 乙",
        "列|値|あ|い",
        "- 用語",
        "- 説明",
    ]


def test_a_list_of_contents_is_navigation() -> None:
    document = markdown("## 目次\n\n- [甲](#a)\n- [乙](#b)\n  - [丙](#c)\n\n## 甲\n\n文\n\n[[_TOC_]]\n")
    assert lines(document) == ["## 甲", "文"]
    assert topics(document) == ["navigation"]


def test_signs_without_a_blank_make_no_heading_but_are_told() -> None:
    document = markdown("---\ntitle: 題\n---\n##見出し\n\n```\n##見出し\n```\n")
    assert lines(document) == ["##見出し", "##見出し"]
    assert [(finding.topic, finding.place) for finding in document.findings] == [("heading without blank", "line 4")]


def test_containers_and_alerts_of_other_generators() -> None:
    assert lines(markdown(":::note 気をつけて\n文。\n:::\n\n> [!TIP]\n> こつ。\n")) == [
        "気をつけて",
        "文。",
        "Tip",
        "こつ。",
    ]


def test_a_containers_colour_is_no_text() -> None:
    assert lines(markdown(":::message alert\n文。\n:::\n\n:::note warn\n別の文。\n:::\n")) == ["文。", "別の文。"]


def test_indented_admonitions_of_mkdocs() -> None:
    assert lines(markdown('!!! note "注意"\n    使い回さない。\n\n??? tip\n    こつ。\n')) == [
        "注意",
        "使い回さない。",
        "Tip",
        "こつ。",
    ]


def test_links_and_marks_of_wikis_are_their_words() -> None:
    text = "[[利用手引き|手引き]]と[[規程#第2章]]の==重要==な点。`[[a]] ==b==`、1 == 1。\n"
    assert lines(markdown(text)) == ["手引きと規程の重要な点。[[a]] ==b==、1 == 1。"]


def test_tags_and_variables_of_liquid_are_no_text_but_in_code() -> None:
    text = (
        '{% include note.html text="x" %}\n\n{% hint style="info" %}\n**締切**は月末。\n{% endhint %}\n\n'
        "[規程]({{ site.baseurl }}/kitei)を{{page.name}}見る。\n\n`{% raw %}`と書く。\n\n```\n{% if a %}\n```\n"
    )
    assert lines(markdown(text)) == ["締切は月末。", "規程を見る。", "{% raw %}と書く。", "{% if a %}"]


def test_tabs_of_mkdocs_and_docusaurus_keep_their_titles_and_no_program() -> None:
    assert lines(markdown('# 題\n\n=== "社員"\n\n    **紙**で出す。\n\n=== "役員"\n\n    - 口頭\n')) == [
        "社員",
        "紙で出す。",
        "役員",
        "- 口頭",
    ]
    text = (
        "import Tabs from '@theme/Tabs';\nimport {a, b} from \"x\"\n\n<Tabs>\n"
        '<TabItem value="a" label="社員">\n\n**紙**で出す。\n\n</TabItem>\n<TabItem value="役員">\n\n口頭。\n\n'
        "</TabItem>\n</Tabs>\n\n{/* 覚え書き */}\n\nimport は輸入のこと。\n"
    )
    assert lines(markdown(text)) == ["社員", "紙で出す。", "役員", "口頭。", "import は輸入のこと。"]


@pytest.mark.parametrize(
    ("text", "title", "dated"),
    [
        ('{\n  "title": "経費の手引き",\n  "date": "2026-04-01"\n}\n\n本文。', "経費の手引き", "2026-04-01"),
        ("% 経費の手引き\n% みほん 花子\n% 令和8年4月1日\n\n本文。", "経費の手引き", "令和8年4月1日"),
        ("% 経費の手引き\n\n本文。", "経費の手引き", ""),
        (
            "---\ntitle: 経費の手引き\nlast_update:\n  date: 2026-04-01\n  author: 甲\n---\n本文。",
            "経費の手引き",
            "2026-04-01",
        ),
    ],
)
def test_front_matter_of_other_tools(text: str, title: str, dated: str) -> None:
    document = markdown(text)
    assert (document.title, document.dated, lines(document)) == (title, dated, ["本文。"])


def test_braces_and_percent_signs_that_are_no_front_matter() -> None:
    assert lines(markdown("{\n本文。\n}\n\n次。")) == ["{ 本文。 }", "次。"]
    assert lines(markdown("%は百分率の印。\n\n次。")) == ["%は百分率の印。", "次。"]


def test_callouts_of_any_kind_and_inside_each_other() -> None:
    text = "> [!info]+ 出張の前に\n> 申請は要る。\n> > [!example]\n> > 例の文。\n\n> [!question]- 問い\n> 答え。"
    assert lines(markdown(text)) == ["出張の前に", "申請は要る。", "Example", "例の文。", "問い", "答え。"]


def test_what_readers_of_obsidian_do_not_see() -> None:
    text = (
        "%% 内緒 %%\n\n## 宿 ^block-1\n\n決まり。%%ここも%% ^a1b2c3\n\n%%\n長い\n\n覚え書き\n%%\n\n"
        "[[#宿]]と![[宿の図.png|300]]![[宿の図.png|宿の絵]]。100%% と `%%x%%`。\n\n```mermaid\n%% 注\n```"
    )
    assert lines(markdown(text)) == ["## 宿", "決まり。", "宿と宿の絵。100%% と %%x%%。", "%% 注"]


def test_titles_in_tags_of_gitbook_and_components() -> None:
    text = (
        '{% tabs %}\n{% tab title="国内" %}\n一万円。\n{% endtab %}\n'
        '{% tab title="海外" %}\n三万円。\n{% endtab %}\n{% endtabs %}\n\n'
        '<Card title="届の出し方" icon="x">\n\n総務へ。\n\n</Card>\n\n'
        '<TabItem value="a" label="東">\n\n東の文。\n\n</TabItem>\n\n## 宿 <Badge type="tip" text="四月から" />\n\n文。'
    )
    assert lines(markdown(text)) == [
        *("国内", "一万円。", "海外", "三万円。", "届の出し方", "総務へ。", "東", "東の文。", "## 宿 四月から", "文。"),
    ]


def test_tabs_of_hugo_on_one_line() -> None:
    assert lines(markdown('{{< tab "東" >}}東の**文**{{< /tab >}}\n{{< tab "西" >}}西の文{{< /tab >}}\n')) == [
        *("東", "東の文", "西", "西の文"),
    ]


def test_fields_of_the_front_matter_in_the_text() -> None:
    text = "# {{ $frontmatter.title }}\n\n{{ page.title }}と`{{ page.title }}`。{{ page.none }}\n"
    document = markdown(f"---\ntitle: 経費の手引き\n---\n\n{text}")
    assert (document.title, lines(document)) == ("経費の手引き", ["経費の手引きと{{ page.title }}。"])


def test_lists_that_pandoc_numbers_and_spans() -> None:
    document = markdown("#. 申請する。\n#. [届]{.underline}を出す。\n")
    assert lines(document) == ["- 1 申請する。", "- 2 届を出す。"]
    assert topics(document) == []


def test_lists_deeper_than_ten_levels_are_kept() -> None:
    text = "".join(f"{'  ' * depth}- 段{depth}\n" for depth in range(30))
    assert "".join(lines(markdown(text))).count("段") == 30
