from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.dictionary import (
    Dictionary,
    DictionaryEntry,
    DictionaryError,
    file_source,
    headword_use,
    parse_dictionary,
    read_dictionary,
    stray_files,
)
from rag_assets.model import Record
from rag_assets_tests.strategies import record, section


def _parsed(text: str) -> Dictionary:
    return parse_dictionary(text.encode(), "d.txt")


def _words(found: Dictionary) -> dict[str, tuple[str, ...]]:
    return {entry.headword: entry.words for entry in found.entries}


def _problems(found: Dictionary) -> list[str]:
    return [f"{problem.kind} {problem.file}:{problem.line}" for problem in found.problems]


@pytest.mark.parametrize(
    "line",
    [
        "食事: まかない, 社員食堂",
        "食事：まかない，社員食堂",
        "食事:まかない、社員食堂",
        "食事：まかない、社員食堂　# 昼の話",
        "　食事　：　まかない　、　社員食堂　",
        "食事: まかない, 社員食堂, まかない, , 、",
        "\t食事\t:\tまかない,\t社員食堂\t",
    ],
)
def test_separators_of_either_width_comments_and_blanks(line: str) -> None:
    found = _parsed(line)
    assert _words(found) == {"食事": ("まかない", "社員食堂")}
    assert found.problems == ()


def test_comments_and_empty_lines_are_no_entries() -> None:
    assert _parsed("# 見出し: 言葉\n\n   \n　\n　# 注: 釈\n") == Dictionary()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16", "euc_jp"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_files_as_editors_write_them(encoding: str, line_break: str) -> None:
    text = line_break.join(["# 同義語", "源泉徴収: 天引き", "譲渡　売った", "被相続人：亡くなった人、故人", ""])
    found = parse_dictionary(text.encode(encoding), "d.txt")
    assert _words(found) == {"源泉徴収": ("天引き",), "被相続人": ("亡くなった人", "故人")}
    assert _problems(found) == ["malformed d.txt:3"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("食事 まかない", "no colon in '食事 まかない'"),
        (": まかない", "no headword"),
        ("食事:", "no everyday word behind the colon of '食事'"),
        ("食事: 、,，", "no everyday word"),
        ("食事: # まかない", "no everyday word"),
    ],
)
def test_a_malformed_line_is_told_with_its_number_and_adds_nothing(line: str, said: str) -> None:
    found = _parsed(f"# 一行目\n贈与: もらう\n{line}\n譲渡: 売る")
    assert _words(found) == {"贈与": ("もらう",), "譲渡": ("売る",)}
    assert _problems(found) == ["malformed d.txt:3"]
    assert said in str(found.problems[0])


def test_line_numbers_are_those_of_an_editor() -> None:
    found = _parsed("贈与: もら\u2028う\x0c\x85\n誤り\n")
    assert _problems(found) == ["malformed d.txt:2"]


def test_a_word_that_stands_in_its_headword_is_told_and_left_out() -> None:
    found = _parsed("給与所得: 給与, 給料\nＮＰＯ法人: NPO")
    assert _words(found) == {"給与所得": ("給料",)}
    assert _problems(found) == ["useless d.txt:1", "useless d.txt:2"]


def test_a_file_in_no_encoding_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "tax_answer.txt").write_bytes("食事: まかない\n".encode() + b"\xff\xfe\xfa\x80\x81\x00")
    (tmp_path / "tax_answer_more.txt").write_text("譲渡: 売る", encoding="utf-8")
    (tmp_path / "tax_answer_folder.txt").mkdir()
    found = read_dictionary(tmp_path, "tax_answer")
    assert _words(found) == {"譲渡": ("売る",)}
    assert _problems(found) == ["unreadable tax_answer.txt:0", "unreadable tax_answer_folder.txt:0"]
    assert str(found.problems[0]).startswith("tax_answer.txt: ")
    assert "save it as UTF-8" in str(found.problems[0])
    assert "cannot be read" in str(found.problems[1])


def test_a_headword_written_twice_has_the_words_of_both_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "tax_answer.txt").write_text("NPO: 非営利\n食事: まかない\n食事: 弁当, まかない", encoding="utf-8")
    (tmp_path / "tax_answer_b.txt").write_text("\nＮＰＯ: ボランティア, 非営利", encoding="utf-8")
    found = read_dictionary(tmp_path, "tax_answer")
    assert _words(found) == {"NPO": ("非営利", "ボランティア"), "食事": ("まかない", "弁当")}
    assert _problems(found) == ["duplicate tax_answer.txt:3", "duplicate tax_answer_b.txt:2"]
    assert "stands already in tax_answer.txt:1" in found.problems[1].message


def test_an_absent_file_is_an_empty_dictionary_and_an_absent_folder_an_error(tmp_path: Path) -> None:
    assert read_dictionary(tmp_path, "tax_answer") == Dictionary()
    with pytest.raises(NotADirectoryError, match=r"create it with a file tax_answer\.txt"):
        read_dictionary(tmp_path / "absent", "tax_answer")


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("law.txt", "law"),
        ("law_more.txt", "law"),
        ("law-2.TXT", "law"),
        ("law_qa.txt", "law_qa"),
        ("law_qa_more.txt", "law_qa"),
        ("lawyers.txt", None),
        ("tax_anser.txt", None),
        ("law.txt.txt", None),
    ],
)
def test_a_file_belongs_to_the_longest_source_it_names(name: str, source: str | None) -> None:
    assert file_source(name, ["law", "law_qa"]) == source


def test_files_of_no_source_are_told_and_other_files_are_none_of_ours(tmp_path: Path) -> None:
    for name in ("law.TXT", "tax_anser.txt", "README.md", ".law.txt.swp", "._law.txt"):
        (tmp_path / name).write_text("規程: 決まり", encoding="utf-8")
    (stray,) = stray_files(tmp_path, ["law", "tax_answer"])
    assert str(stray) == "tax_anser.txt: belongs to no source; name it <source>.txt, the source one of law, tax_answer"
    assert _words(read_dictionary(tmp_path, "law")) == {"規程": ("決まり",)}


def test_the_error_lists_every_problem() -> None:
    problems = _parsed("一\n二\n給与: 給与").problems
    message = str(DictionaryError(problems))
    assert message.startswith("3 problem(s) in the synonym dictionary")
    assert "dictionary_problems" in message
    assert all(f"\n  d.txt:{line}: " in message for line in (1, 2, 3))


_DICTIONARY = _parsed("食事: まかない, 弁当\nＮＰＯ: 非営利\n給食: 弁当, ランチ\n譲渡: 売る")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("食事を支給したとき", "", "本文"), ("まかない", "弁当")),
        (("題", "", "食事と食事と給食"), ("まかない", "弁当", "ランチ")),
        (("給食", "食事"), ("まかない", "弁当", "ランチ")),
        (("NPO法人",), ("非営利",)),
        (("ＮＰＯ法人",), ("非営利",)),
        (("食", "事"), ()),
        ((), ()),
    ],
)
def test_a_headword_in_any_text_adds_its_words_once_in_dictionary_order(
    texts: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert _DICTIONARY.words_for(*texts) == words


def test_a_headword_in_half_width_kana_or_either_width_of_digits_is_the_same() -> None:
    found = _parsed("ﾊﾟｰﾄ: アルバイト\n６０歳: 還暦")
    assert found.words_for("パートの60歳") == ("アルバイト", "還暦")


def test_a_word_of_two_widths_is_added_once() -> None:
    assert _parsed("非営利活動: ＮＰＯ, NPO\n法人: NPO").words_for("非営利活動法人") == ("ＮＰＯ",)


_word = st.text(st.sampled_from("食事税金売買親子住宅ＡBcｱ１2"), min_size=1, max_size=5)


@given(st.lists(st.tuples(_word, st.lists(_word, min_size=1, max_size=4)), max_size=8))
def test_what_is_written_is_read(lines: list[tuple[str, list[str]]]) -> None:
    found = _parsed("\n".join(f"{headword}： {'、'.join(words)}" for headword, words in lines))
    assert {problem.kind for problem in found.problems} <= {"useless"}
    for entry in found.entries:
        headword, words = lines[entry.line - 1]
        assert entry.headword == headword
        assert set(entry.words) <= set(words)
    told = {problem.line for problem in found.problems}
    assert all(number in told for number in range(1, len(lines) + 1) if number not in {e.line for e in found.entries})


@given(st.text())
def test_no_text_breaks_the_reader_and_no_line_vanishes_unsaid(text: str) -> None:
    found = parse_dictionary(text.encode(errors="replace"), "d.txt")
    for entry in found.entries:
        assert entry.headword.strip()
        assert all(word.strip() for word in entry.words)
    named = {entry.line for entry in found.entries} | {problem.line for problem in found.problems}
    if 0 not in named:
        for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
            assert number in named or not line.split("#")[0].strip(" \t\u3000\ufeff")


def _records() -> list[Record]:
    texts = ["食事の支給", "給食の食事", "譲渡", "その他"]
    return [record([section("概要", text)], number=str(number)) for number, text in enumerate(texts, start=1)]


def test_use_of_headwords_is_counted_in_records_and_chunks() -> None:
    records = [of.model_copy(update={"title": "題"}) for of in _records()]
    records[3] = records[3].model_copy(update={"title": "ＮＰＯの題"})
    texts = {
        "tax_answer/1": ["食事", "ほか", "食事"],
        "tax_answer/2": ["給食の食事"],
        "tax_answer/3": ["別"],
        "tax_answer/4": ["甲", "乙"],
    }
    uses = {use.headword: (use.records, use.chunks, use.common) for use in headword_use(_DICTIONARY, records, texts)}
    assert uses == {
        "食事": (2, 3, False),
        "ＮＰＯ": (1, 2, False),
        "給食": (1, 1, False),
        "譲渡": (0, 0, False),
    }
    assert list(uses) == ["食事", "ＮＰＯ", "給食", "譲渡"]


@pytest.mark.parametrize(
    ("having", "of", "common"), [(20, 400, False), (21, 400, True), (10, 30, False), (11, 30, True)]
)
def test_a_headword_in_more_than_one_record_of_twenty_and_ten_at_least_is_common(
    having: int, of: int, common: bool
) -> None:
    records = [record([section("概要", "本文")], number=str(number), title="題") for number in range(of)]
    texts = {one.record_id: ["食事" if number < having else "ほか"] for number, one in enumerate(records)}
    only = Dictionary(entries=(DictionaryEntry(headword="食事", words=("昼",), file="d.txt", line=1),))
    assert headword_use(only, records, texts)[0].common is common


@pytest.mark.parametrize("folder", ["dictionaries", "rag_assets/sample/dictionaries"])
def test_bundled_dictionaries_lose_no_line(folder: str) -> None:
    found = read_dictionary(Path(__file__).resolve().parents[2] / folder, "tax_answer")
    assert found.entries
    assert {problem.kind for problem in found.problems} <= {"useless"}


def test_the_title_of_another_record_adds_no_words(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("自動販売機: 自販機\n振込手数料: 振込みの手数料\n", encoding="utf-8")
    dictionary = read_dictionary(tmp_path, "s")
    text = "振込手数料については、問47《自動販売機による販売》をご覧ください。"
    assert dictionary.words_for(text) == ("振込みの手数料",)
