import re

import pytest

from rag_assets.japanese.characters import DIGITS, GAP, HYPHENS, clip, remove_spaces


@pytest.mark.parametrize(
    ("text", "most", "expected"), [("", 1, ""), ("就業規則", 4, "就業規則"), ("就業規則集", 4, "就業規…")]
)
def test_a_text_is_clipped_to_a_length(text: str, most: int, expected: str) -> None:
    assert clip(text, most) == expected
    assert len(clip(text, most)) <= most


def test_spaces_of_both_widths_are_removed() -> None:
    assert remove_spaces("第 ６　条\n") == "第６条\n"


def test_classes_stand_in_patterns() -> None:
    assert re.fullmatch(rf"[{DIGITS}]{GAP}[{HYPHENS}]{GAP}[{DIGITS}]", "６　－9") is None
    assert re.fullmatch(rf"[{DIGITS}]{GAP}[{HYPHENS}]{GAP}[{DIGITS}]", "６　−9")
