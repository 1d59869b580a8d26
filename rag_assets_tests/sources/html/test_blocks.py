"""Blocks of a page: what stands where, each word once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets_tests.sources.html.html_pages import lines_of


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<table><tr><td>甲<td>1円</tr><p>（乙を除く。）</p></table>", ["（乙を除く。）", "甲｜1円"]),
        ("<table>前置き<tr><td>甲</table>", ["前置き", "甲"]),
        ("<table><ul><li>注意</ul><tr><td>甲</table>", ["注意", "甲"]),
        ("<table><tr><td>甲</td><table><tr><td>乙</table></table>", ["乙", "甲"]),
        ("<div><td>甲</td><td>乙</td></div>", ["甲", "乙"]),
        ("<table><td>甲<td><ol><li>子<li>丑</ol></table>", ["甲｜1 子　2 丑"]),
        ("<table><tr><td>10<sup>3</sup><td><del>旧</del>新</table>", ["10³｜新"]),
        ("<h2>率<sup>※</sup></h2><p>甲<table><tr><td>乙</table>丙", ["率※", "甲", "乙", "丙"]),
        ("<details><summary>見出し</summary>中身</details>", ["見出し", "中身"]),
        ("<pre>甲\n乙</pre>", ["甲　乙"]),
        ("<fieldset><legend>区分</legend><input type='radio' checked>甲</fieldset>", ["区分", "◉甲"]),
    ],
)
def test_blocks(html: str, expected: list[str]) -> None:
    assert lines_of(html) == expected


_WRAPPED = st.sampled_from(
    ["<p>{}</p>", "{}", "<tr><td>{}</td></tr>", "<td>{}</td>", "<tr>{}</tr>", "<tbody><tr><td>{}</td></tr></tbody>"]
)


@given(st.lists(_WRAPPED, min_size=1, max_size=8))
def test_every_word_of_a_table_written_against_the_rules_is_there_once(parts: list[str]) -> None:
    words = [f"［{position}］" for position in range(len(parts))]
    html = "".join(part.format(word) for part, word in zip(parts, words, strict=True))
    read = "\n".join(lines_of(f"<table>{html}</table>"))
    assert [read.count(word) for word in words] == [1] * len(words)
