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
