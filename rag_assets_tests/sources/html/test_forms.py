"""What a reader sees in form fields."""

import pytest

from rag_assets_tests.sources.html.html_pages import words_of


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("満<input value='60'>歳", "満60歳"),
        ("満<input type='number' value='65'>歳", "満65歳"),
        ("氏名<input value='みほん太郎'>年齢<input value='30'>", "氏名 みほん太郎 年齢30"),
        ("<input value='3'><input value='4'>", "3 4"),
        ("満<input>歳", "満（空欄）歳"),
        ("<input type='hidden' value='秘'>甲", "甲"),
        ("<input type='password' value='ひみつ'>", "（空欄）"),
        ("<input type='submit' value='送る'>甲", "甲"),
        ("<input type='checkbox' checked>する <input type='checkbox'>しない", "☑する ☐しない"),
        ("<input type='radio'>甲 <input type='radio' checked>乙", "○甲 ◉乙"),
        ("<select><option>甲<option selected>乙<option>丙</select>", "乙"),
        ("<select><option>甲<option>乙</select>", "甲"),
        ("<select multiple><option>甲<option selected>乙</select>", "☐甲、☑乙"),
        ("<select></select>", "（空欄）"),
        ("<select><optgroup label='群'><option label='丁'></optgroup></select>", "丁"),
        ("理由<textarea>一つ目\n二つ目</textarea>以上", "理由　一つ目　二つ目　以上"),
        ("<textarea></textarea>", "（空欄）"),
    ],
)
def test_fields_show_their_values(html: str, expected: str) -> None:
    assert words_of(html) == expected
