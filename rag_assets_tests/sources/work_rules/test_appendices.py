"""Headings of 別表, 別紙 and forms, mentions that only look like them, and what a form looks like."""

import pytest

from rag_assets.sources.work_rules.appendices import (
    AppendixHeading,
    appendix_heading,
    form_name,
    is_further_page,
    looks_like_form,
)


@pytest.mark.parametrize(
    ("line", "kind", "label", "title"),
    [
        ("別表第１（第５条関係）", "table", "別表第１", "（第５条関係）"),
        ("別表　手当一覧", "table", "別表", "手当一覧"),
        ("別 表 第 １ の ２　手当一覧", "table", "別表第１の２", "手当一覧"),
        ("（別表第１）", "table", "別表第１", ""),
        ("別紙１", "sheet", "別紙１", ""),
        ("別記（第３条関係）", "sheet", "別記", "（第３条関係）"),
        ("様式第２号", "form", "様式第２号", ""),
        ("様式第１号（第５条関係）", "form", "様式第１号", "（第５条関係）"),
        ("様式第１号（第５条、第６条関係）　休み届", "form", "様式第１号", "（第５条、第６条関係）　休み届"),
        ("別紙様式第１号", "form", "別紙様式第１号", ""),
        ("別　紙　様　式", "form", "別紙様式", ""),
        ("別記様式第1号の2", "form", "別記様式第1号の2", ""),
        ("別記様式（第２条関係）", "form", "別記様式", "（第２条関係）"),
        ("別添様式１－２　出張の届", "form", "別添様式１－２", "出張の届"),
        ("第１号様式（第３条関係）", "form", "第１号様式", "（第３条関係）"),
        ("第１号様式の２（第３条関係）", "form", "第１号様式の２", "（第３条関係）"),
        ("別記第２号様式（第３条関係）", "form", "別記第２号様式", "（第３条関係）"),
        ("(様式1)", "form", "様式1", ""),
        ("（様式第３号）", "form", "様式第３号", ""),
        ("【様式１】　休み届", "form", "様式１", "休み届"),
        ("（様式第１号　第５条関係）", "form", "様式第１号", "（第５条関係）"),
        ("（様式第１号（第５条関係））", "form", "様式第１号", "（第５条関係）"),
        ("様式Ａ　休み届", "form", "様式Ａ", "休み届"),
        ("様式第１号その２", "form", "様式第１号その２", ""),
        ("様式第１号休み届", None, "", ""),
        ("様式第１号休暇届", "form", "様式第１号", "休暇届"),
        ("第３号書式", "form", "第３号書式", ""),
        ("書式１　休み届", "form", "書式１", "休み届"),
        ("様式一", "form", "様式一", ""),
    ],
)
def test_what_heads_an_appendix(line: str, kind: str | None, label: str, title: str) -> None:
    found = appendix_heading(line)
    assert (found and (found.kind, found.label, found.title)) == ((kind, label, title) if kind else None)


@pytest.mark.parametrize(
    "line",
    [
        "別表第１に掲げる者",
        "別表第１　のとおりとする。",
        "別紙様式第１号により届け出る",
        "別紙様式第１号による届けを",
        "様式第１号（以下「休み届」という。）により",
        "様式第１号（以下「休み届」という。）",
        "様式第１号）（以下この条で",
        "様式第１号）を出す",
        "（様式第１号）により、所属の長に",
        "第１号様式により届け出",
        "様式第１号及び様式第２号を",
        "別記様式の届けを",
        "別紙のとおり",
        "様式第１号　　休み届………１２",
        "様式は、別に定め",
        "書式",
    ],
)
def test_a_mention_heads_nothing(line: str) -> None:
    assert appendix_heading(line) is None


@pytest.mark.parametrize(
    ("line", "deleted"),
    [("別表第１　削除", True), ("様式第２号（第５条関係）　削除", True), ("別紙１（削除）", True), ("別表第１", False)],
)
def test_a_deleted_appendix(line: str, deleted: bool) -> None:
    heading = appendix_heading(line)
    assert heading is not None
    assert heading.deleted is deleted


@pytest.mark.parametrize(("title", "further"), [("", True), ("（裏面）", True), ("（続き）", True), ("休み届", False)])
def test_a_heading_that_comes_again_on_a_further_page(title: str, further: bool) -> None:
    assert is_further_page(AppendixHeading("form", "様式第１号", title)) is further


def test_what_a_form_looks_like() -> None:
    assert looks_like_form(["休み届", "令和　　年　　月　　日", "みほん会社　御中"])
    assert looks_like_form(["　　年　　月　　日", "氏　名　　　　　印"])
    assert not looks_like_form(["休みの日数", "令和８年４月１日から", "働く者に次の休みを与える。"])
    assert not looks_like_form(["届書の一覧", "結婚届", "１　氏名を書いて出すこと。"])


def test_what_a_form_calls_itself() -> None:
    assert form_name(["　　年　月　日", "みほん大学長　殿", "休　み　届", "氏　名"]) == "休み届"
    assert form_name(["第　　号", "研　究　員　証"]) == "研究員証"
    assert form_name(["氏名", "次の者は、働いていることを証明する。"]) == ""
