import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.work_rules.headings import (
    alternative_heading,
    article_heading,
    caption_line,
    chapter_heading,
    commentary_heading,
    has_leaders,
    item_mark,
    numbers_in,
    supplement_heading,
)


@pytest.mark.parametrize(
    ("line", "number", "caption", "rest"),
    [
        ("第６条　見習い", (6,), "", "見習い"),
        ("第6条（見習い）　本文", (6,), "見習い", "本文"),
        ("第６条（見習い（夜勤を除く））本文", (6,), "見習い（夜勤を除く）", "本文"),
        ("第６条　（以下「本条」という。）本文", (6,), "", "（以下「本条」という。）本文"),
        ("第６条　（１）見習い", (6,), "", "（１）見習い"),
        ("第百二十三条の四　本文", (123, 4), "", "本文"),
        ("第一〇条　本文", (10,), "", "本文"),
        ("第６条", (6,), "", ""),
    ],
)
def test_articles(line: str, number: tuple[int, ...], caption: str, rest: str) -> None:
    heading = article_heading(line)
    assert heading is not None
    assert (heading.number, heading.caption, heading.rest) == (number, caption, rest)


@pytest.mark.parametrize(
    "line",
    [
        "第６条の規定",
        "第６条第２項",
        "第６条及び第７条",
        "第６条）。",
        "第６条、第７条",
        "第６章　見習い",
        "６条　見習い",
    ],
)
def test_mentions_are_no_articles(line: str) -> None:
    assert article_heading(line) is None
    assert article_heading(line, below_caption=True) is None


@pytest.mark.parametrize(
    ("line", "label", "title"),
    [
        ("第１章　総則", "第１章", "総則"),
        ("第２章　採用、異動等", "第２章", "採用、異動等"),
        ("第10章安全衛生", "第10章", "安全衛生"),
        ("第２節　夜勤", "第２節", "夜勤"),
    ],
)
def test_chapters(line: str, label: str, title: str) -> None:
    heading = chapter_heading(line)
    assert heading is not None
    assert (heading.label, heading.title) == (label, title)


@pytest.mark.parametrize(
    "line", ["第２章に定める者", "第１章　総則………１０", "第２章　休みの定めによる。", "第２章及び第３章"]
)
def test_no_chapters(line: str) -> None:
    assert chapter_heading(line) is None


def test_alternatives() -> None:
    assert alternative_heading("［例１］　週休二日とする場合")
    assert alternative_heading("〔例２〕週休一日とする場合")
    assert alternative_heading("[例 3] 交替で休む場合")
    assert not alternative_heading("〔例２〕は、週に一日休む例です。")
    assert not alternative_heading("例えば、週休二日とする場合")


@pytest.mark.parametrize(
    ("line", "labels", "caption"),
    [
        ("【第６条　見習い】", ("第６条",), "見習い"),
        ("【第10条の2】", ("第10条の2",), ""),
        ("【第４条・第５条　手当】", ("第４条", "第５条"), "手当"),
        ("＜第６条の解説＞", ("第６条",), ""),
        ("【解説】", (), ""),
        ("（解　説）", (), ""),
        ("留意点", (), ""),
    ],
)
def test_commentary(line: str, labels: tuple[str, ...], caption: str) -> None:
    heading = commentary_heading(line)
    assert heading is not None
    assert (heading.labels, heading.caption) == (labels, caption)


@pytest.mark.parametrize(
    "line", ["【参考】", "第６条　見習い", "解説します。", "【第６条については、次のとおりです。】"]
)
def test_no_commentary(line: str) -> None:
    assert commentary_heading(line) is None


def test_supplements() -> None:
    assert supplement_heading("附　則") == ""
    assert supplement_heading("付則（令和３年４月１日）") == "令和３年４月１日"
    assert supplement_heading("附則第２条による") is None


def test_captions_leaders_and_items() -> None:
    assert caption_line("（見習い）") == "見習い"
    assert caption_line("(休日 )") == "休日"
    assert caption_line("（見習い）を置く") == ""
    assert has_leaders("第１章　総則………１０")
    assert not has_leaders("妊娠２３週まで・・・・・・・・４週に１回")
    assert item_mark("２　見習いの間も")
    assert item_mark("（ア）見習い")
    assert not item_mark("（１）から（３）まで")
    assert not item_mark("２週間を見習いとする")


@given(st.integers(1, 999), st.sampled_from(["ascii", "wide", "kanji"]))
def test_numbers_of_any_writing(number: int, writing: str) -> None:
    assert numbers_in(f"第{written(number, writing)}条") == (number,)


def written(number: int, writing: str) -> str:
    digits = str(number)
    if writing == "ascii":
        return digits
    if writing == "wide":
        return digits.translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    ones = "〇一二三四五六七八九"
    hundreds, rest = divmod(number, 100)
    tens, units = divmod(rest, 10)
    parts = [(hundreds, "百"), (tens, "十")]
    said = "".join(("" if count == 1 else ones[count]) + unit for count, unit in parts if count)
    return said + (ones[units] if units else "")


@pytest.mark.parametrize(
    ("line", "title", "beside"),
    [
        ("第１章　総　則　　　　　就業規則　2024年7月１日　制定", "総則", "就業規則　2024年7月１日　制定"),
        ("第１章　総則　令和6年4月1日改正", "総則", "令和6年4月1日改正"),
        ("第３章　休み（令和6年4月1日改正）", "休み", "（令和6年4月1日改正）"),
        ("第４章　規則の変更", "規則の変更", ""),
        ("第５章　経過措置（平成30年3月31日以前に入った者）", "経過措置（平成30年3月31日以前に入った者）", ""),
        ("第６章", "", ""),
    ],
)
def test_what_of_the_documents_head_stands_beside_a_chapter(line: str, title: str, beside: str) -> None:
    heading = chapter_heading(line)
    assert heading is not None
    assert (heading.title, heading.beside) == (title, beside)
