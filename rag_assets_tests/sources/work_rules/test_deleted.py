"""Lines that only say that something is deleted."""

import pytest

from rag_assets.sources.work_rules.deleted import deleted_part
from rag_assets.sources.work_rules.headings import article_heading, deleted_range


@pytest.mark.parametrize(
    ("line", "what", "label"),
    [
        ("別表第１　削除", "appendix", "別表第１"),
        ("別表第一　削　除", "appendix", "別表第一"),
        ("別表第１（第５条関係）　削除", "appendix", "別表第１"),
        ("別表第１（削除）", "appendix", "別表第１"),
        ("別表第１及び別表第２　削除", "appendix", "別表第１及び別表第２"),
        ("別表第１から第３まで　削除", "appendix", "別表第１から第３まで"),
        ("様式第２号　削除", "appendix", "様式第２号"),
        ("様式第２号及び第３号　削除", "appendix", "様式第２号及び第３号"),
        ("第２号様式　〔削除〕", "appendix", "第２号様式"),
        ("別紙様式第２号　削除（令和３年４月１日）", "appendix", "別紙様式第２号"),
        ("附則第３項　削除", "supplement", "附則第３項"),
        ("附則第２項及び第３項　削除", "supplement", "附則第２項及び第３項"),
        ("附則第２条から第４条まで　削除", "supplement", "附則第２条から第４条まで"),
        ("附　則　削除", "supplement", "附則"),
        ("第３章　削除", "chapter", "第３章"),
        ("第三章　削　除", "chapter", "第三章"),
        ("第２節（削除）", "chapter", "第２節"),
    ],
)
def test_a_deleted_part(line: str, what: str, label: str) -> None:
    found = deleted_part(line)
    assert found is not None
    assert (found.what, found.label) == (what, label)


@pytest.mark.parametrize(
    "line", ["別表第１（略）", "様式第１号（第５条関係）（省略）", "別紙様式　略", "（様式第２号　略）"]
)
def test_an_appendix_that_this_edition_omits(line: str) -> None:
    found = deleted_part(line)
    assert found is not None
    assert (found.what, found.omitted) == ("appendix", True)


def test_several_chapters() -> None:
    found = deleted_part("第３章から第５章まで　削除")
    assert found is not None
    assert (found.level, found.numbers) == (1, (3, 4, 5))
    found = deleted_part("第２節及び第３節　削除")
    assert found is not None
    assert (found.level, found.numbers) == (2, (2, 3))


@pytest.mark.parametrize(
    "line",
    [
        "別表第１",
        "別表第１　削除の手続",
        "第３章　記録の削除",
        "附則第３項を削除する。",
        "別表第１を削除する。",
        "様式第２号は削除",
        "第４条　削除",
        "附則",
        "削除",
        "様式第２号　略歴書",
        "別表第１　経営戦略",
    ],
)
def test_what_says_more_is_not_deleted(line: str) -> None:
    assert deleted_part(line) is None


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("第５条から第７条まで　削除", ("第５条", "第７条")),
        ("第５条～第７条　削除", ("第５条", "第７条")),
        ("第５条－第７条（削除）", ("第５条", "第７条")),
        ("第５条及び第６条　削除", ("第５条", "第６条")),
        ("第５条、第６条及び第７条　削　除", ("第５条", "第７条")),
        ("第五条から第七条まで削除", ("第五条", "第七条")),
        ("第５条から第７条までを削除する。", None),
    ],
)
def test_a_range_of_deleted_articles(line: str, labels: tuple[str, str] | None) -> None:
    assert deleted_range(line) == labels


@pytest.mark.parametrize(
    "line",
    [
        "第４条　削除",
        "第４条 （削除）",
        "第４条（削除）",
        "第４条削除",
        "第４条　〈削除〉",
        "第４条　削除（令和３年４月１日）",
        "第４条　（令和３年４月１日削除）",
        "第４条　欠番",
    ],
)
def test_a_deleted_article(line: str) -> None:
    heading = article_heading(line)
    assert heading is not None
    assert heading.deleted


@pytest.mark.parametrize("line", ["第４条　削除された記録は、戻さない。", "第４条（記録の削除）　記録を消す。"])
def test_an_article_on_deleting_is_none(line: str) -> None:
    heading = article_heading(line)
    assert heading is not None
    assert not heading.deleted
