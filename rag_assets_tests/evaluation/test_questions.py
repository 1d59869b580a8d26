import csv
import io
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.evaluation.model import Question
from rag_assets.evaluation.question_files import QuestionError
from rag_assets.evaluation.questions import drop_gone, find_longest_question, load_questions
from rag_assets.retrieval.filters import AllOf, Filter

HEADER = "id,question,gold,split\n"
FILTERED = "id,question,gold,split,filter\n"


def load(
    folder: Path,
    *texts: str,
    known: set[str] | None = None,
    encoding: str = "utf-8",
    sources: tuple[str, ...] = ("tax_answer",),
    lists: frozenset[str] | None = None,
    longest: int | None = None,
) -> tuple[Question, ...]:
    paths = []
    for number, text in enumerate(texts, start=1):
        path = folder / f"set{number}.csv"
        path.write_bytes(text.encode(encoding))
        paths.append(path)
    return load_questions(
        paths,
        sources=sources,
        known_records=None if known is None else {record_id: record_id.rpartition("/")[2] for record_id in known},
        lists=lists,
        longest=longest,
    )


def faults(
    folder: Path, *texts: str, known: set[str] | None = None, sources: tuple[str, ...] = ("tax_answer",)
) -> list[tuple[str, int, str]]:
    with pytest.raises(QuestionError) as caught:
        load(folder, *texts, known=known, sources=sources)
    assert all(str(fault) in str(caught.value) for fault in caught.value.faults)
    return [(Path(fault.file).name, fault.line, fault.message) for fault in caught.value.faults]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
def test_a_set_is_read_in_any_of_the_encodings(tmp_path: Path, encoding: str) -> None:
    text = HEADER + "t1,歯の治療費～は？,1128 1120-2,tune\r\nu1,電話番号は？,,unanswerable\r\n"
    assert load(tmp_path, text, encoding=encoding) == (
        Question(
            question_id="t1",
            text="歯の治療費～は？",
            source="tax_answer",
            gold=("tax_answer/1128", "tax_answer/1120-2"),
            split="tune",
        ),
        Question(question_id="u1", text="電話番号は？", source="tax_answer", split="unanswerable"),
    )


def test_source_and_key_point_are_taken_and_other_columns_left(tmp_path: Path) -> None:
    text = (
        "memo,split,gold,source,question,id,key_point\n"
        "x,holdout,57 57  tax_answer/1,invoice_qa,問い,a,要点\n"
        "y,tune,3,tax_answer,問い,b,\n"
    )
    first, second = load(tmp_path, text, sources=("tax_answer", "invoice_qa"))
    assert (first.source, first.gold, first.key_point) == ("invoice_qa", ("invoice_qa/57", "tax_answer/1"), "要点")
    assert (second.source, second.gold, second.key_point) == ("tax_answer", ("tax_answer/3",), "")


@pytest.mark.parametrize("name", ["law.csv", "law_2.csv", "law_holdout.csv"])
def test_the_source_is_that_of_the_column_or_the_name_of_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("id,question,gold,split,source\na,問い,36,tune,\nb,問い,2594,tune,tax_answer\n", encoding="utf-8")
    first, second = load_questions([path], sources=["tax_answer", "law"])
    assert (first.source, first.gold) == ("law", ("law/36",))
    assert (second.source, second.gold) == ("tax_answer", ("tax_answer/2594",))


def test_a_question_about_no_source_of_the_run_is_told(tmp_path: Path) -> None:
    text = "id,question,gold,split,source\na,問い,1,tune,\nb,問い,1,tune,lwa\n"
    assert faults(tmp_path, text, sources=("tax_answer", "law")) == [
        ("set1.csv", 2, "it does not say which source it is about (tax_answer, law)"),
        ("set1.csv", 3, "source 'lwa' is none of this run"),
    ]


def test_a_number_finds_its_record_in_whatever_document(tmp_path: Path) -> None:
    known = {"law/one/36", "law/one/37", "law/two/36"}
    text = HEADER + "a,問い,37 law/two/36,tune\n"
    (found,) = load(tmp_path, text, known=known, sources=("law",))
    assert found.gold == ("law/one/37", "law/two/36")
    assert faults(tmp_path, HEADER + "a,問い,36,tune\n", known=known, sources=("law",)) == [
        ("set1.csv", 2, "gold 36 is the number of 2 records of law: law/one/36, law/two/36")
    ]


def test_the_number_of_a_row_is_found_though_its_id_is_ascii(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text(HEADER + "a,問い,問－１ faq/問-2 csv_rows/faq/3,tune\n", encoding="utf-8")
    known = {
        "csv_rows/faq/1--0a": "問-1",
        "csv_rows/faq/2--0b": "問-2",
        "csv_rows/faq/3": "3",
        "csv_rows/x/2--0c": "問-2",
    }
    (found,) = load_questions([path], sources=["csv_rows"], known_records=known)
    assert found.gold == ("csv_rows/faq/1--0a", "csv_rows/faq/2--0b", "csv_rows/faq/3")


def test_every_fault_is_told_with_its_line(tmp_path: Path) -> None:
    one = HEADER + (
        'a,"問い\nの続き",1,tune\n'
        "a,問い,1,tune\n"
        ",問い,1,tune\n"
        "\n"
        "b, ,1,tune\n"
        "c,問い,1,test\n"
        "d,問い,1,unanswerable\n"
        "e,問い,,holdout\n"
        "f,問い,9 2,tune\n"
        "g,問い\n"
        ",,,\n"
    )
    two = HEADER + "b,問い,1,tune\n"
    assert faults(tmp_path, one, two, known={"tax_answer/1", "tax_answer/2", "other/9"}) == [
        ("set1.csv", 4, f"the id a is already that of {tmp_path / 'set1.csv'}:2"),
        ("set1.csv", 5, "the question has no id"),
        ("set1.csv", 7, "the question is empty"),
        ("set1.csv", 8, "unknown split 'test'"),
        ("set1.csv", 9, "an unanswerable question has gold (1)"),
        ("set1.csv", 10, "a holdout question has no gold"),
        ("set1.csv", 11, "gold 9 is the number of no record of tax_answer (2 records)"),
        ("set1.csv", 12, "2 cells where the first line names 4 columns"),
        ("set2.csv", 2, f"the id b is already that of {tmp_path / 'set1.csv'}:7"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column id, question, gold, split; found nothing"),
        ("id,question,split\n", "no column gold; found id, question, split"),
        ("id;question;gold;split\n", "no column id, question, gold, split; found id;question;gold;split"),
        ("id,question,gold,split,gold\n", "column gold is there more than once"),
    ],
)
def test_a_wrong_first_line_is_told(tmp_path: Path, text: str, message: str) -> None:
    assert faults(tmp_path, text) == [("set1.csv", 1, message)]


def test_files_that_cannot_be_read_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_bytes(b"id,question\x81")
    with pytest.raises(QuestionError) as caught:
        load_questions([tmp_path / "broken.csv", tmp_path / "absent.csv"], sources=["s"])
    assert [Path(fault.file).name for fault in caught.value.faults] == ["broken.csv", "absent.csv"]
    assert "neither UTF-8 nor CP932" in str(caught.value)


def test_unknown_gold_is_no_matter_where_records_are_not_known(tmp_path: Path) -> None:
    assert load(tmp_path, HEADER + "a,問い,9,tune\n")[0].gold == ("tax_answer/9",)
    assert len(faults(tmp_path, HEADER + "a,問い,9,tune\n", known=set())) == 1


cells = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=20
)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8, unique_by=lambda row: row[0]))
def test_what_a_spreadsheet_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", "question", "gold", "split"])
    writer.writerows([*row, "1", "tune"] for row in rows)
    questions = load(tmp_path_factory.mktemp("sets"), text.getvalue())
    expected = [(name.strip(), asked.strip()) for name, asked in rows]
    assert [(question.question_id, question.text) for question in questions] == expected


@pytest.mark.realdata
def test_the_real_sets_are_sound(realdata: Path) -> None:
    questions = load_questions([realdata / "questions/tax_answer.csv"], sources=["tax_answer"])
    assert [sum(question.split == split for question in questions) for split in ("tune", "unanswerable")] == [37, 4]
    assert len(load_questions([realdata / "questions/invoice_qa.csv"], sources=["invoice_qa"])) == 15


def cell(text: str) -> str:
    """As a spreadsheet writes it."""
    return '"' + text.replace('"', '""') + '"'


def test_a_question_may_be_asked_of_some_passages_only(tmp_path: Path) -> None:
    law = '{"equals": {"key": "source", "value": "law"}}'
    both = '{"andAll": [' + law + ', {"listContains": {"key": "tags", "value": "緊急"}}]}'
    text = (
        FILTERED + f"a,甲,1,tune,{cell(law)}\nb,乙,1,tune,{cell(both)}\nc,丙,1,tune, \nd,丁,,unanswerable,{cell(law)}\n"
    )
    found = load(tmp_path, text, lists=frozenset({"tags"}))
    is_law = Filter(key="source", value="law")
    urgent = Filter(key="tags", operator="contains", value="緊急")
    assert [question.filter for question in found] == [is_law, AllOf(all_of=(is_law, urgent)), None, is_law]
    assert load(tmp_path, text) == found
    assert [Question.model_validate_json(question.model_dump_json()) for question in found] == list(found)
    kept, _ = drop_gone(found, {"tax_answer/9"})
    assert kept == list(found)


def test_filters_that_cannot_be_asked_are_told_with_file_line_and_remedy(tmp_path: Path) -> None:
    def one(number: int) -> str:
        return '{"equals": {"key": "n", "value": ' + str(number) + "}}"

    def group(name: str, *parts: str) -> str:
        return '{"' + name + '": [' + ", ".join(parts) + "]}"

    fives = [group("andAll", *(one(10 * tens + number) for number in range(5))) for tens in range(5)]
    bad = [
        "source = law",
        '{"equal": {"key": "source", "value": "law"}}',
        '{"equals": {"key": "tags", "value": "緊急"}}',
        '{"listContains": {"key": "source", "value": "law"}}',
        group("orAll", *fives),
    ]
    lines = [f"q{number},問い,1,tune,{cell(text)}\n" for number, text in enumerate(bad)]
    text = FILTERED + "".join(lines) + f"x,問い,,tune,{cell(bad[0])}\n"
    with pytest.raises(QuestionError) as caught:
        load(tmp_path, text, lists=frozenset({"tags"}))
    told = [(fault.line, fault.message) for fault in caught.value.faults]
    assert [line for line, _ in told] == [2, 3, 4, 5, 6, 7, 7]
    for (_, message), said in zip(
        told,
        (
            "filter: it is no JSON",
            "filter: there is no operator 'equal'; did you mean equals?",
            "filter: equals on tags: its values are lists: ask listContains",
            "filter: listContains on source: its values are no lists: ask stringContains",
            # Five groups of five are a filter, but leave no room for the variant beside them.
            "filter: these conditions are too many",
            "a tune question has no gold",
            "filter: it is no JSON",
        ),
        strict=True,
    ):
        assert message.startswith(said)
    first = str(caught.value.faults[0])
    assert first.startswith(f"{tmp_path / 'set1.csv'}:2: filter: ")
    assert '{"equals": {"key": "source", "value": "law"}}' in first


def test_a_filter_whose_quotes_are_not_doubled_is_told(tmp_path: Path) -> None:
    text = FILTERED + 'a,問い,1,tune,{"equals": {"key": "source", "value": "law"}}\n'
    assert faults(tmp_path, text) == [("set1.csv", 2, "6 cells where the first line names 5 columns")]


def test_a_question_that_is_too_long_for_a_knowledge_base_is_told_with_file_line_and_id(tmp_path: Path) -> None:
    longest = find_longest_question("knowledge_base")
    assert (longest, find_longest_question("index")) == (1000, None)
    # As it is searched for: ㌔ is two characters, and a question mark at the end none.
    text = HEADER + f"a,{'あ' * 1000}？,1,tune\nb,{'い' * 1001},1,tune\nc,{'う' * 999}㌔,,unanswerable\n"
    with pytest.raises(QuestionError) as caught:
        load(tmp_path, text, longest=longest)
    assert [(fault.line, fault.message) for fault in caught.value.faults] == [
        (line, f"the question {name} has 1,001 characters, and a Knowledge Base takes at most 1,000")
        for line, name in ((3, "b"), (4, "c"))
    ]
    assert "search_in: index" in caught.value.faults[0].remedy
    assert len(load(tmp_path, text)) == 3


def test_gold_may_be_written_in_full_width(tmp_path: Path) -> None:
    (question,) = load(
        tmp_path, HEADER + "t1,歯は？,１１２０－２　１１２８,tune\n", known={"tax_answer/1120-2", "tax_answer/1128"}
    )
    assert question.gold == ("tax_answer/1120-2", "tax_answer/1128")


def test_gold_that_is_gone_counts_no_more_and_is_told(tmp_path: Path) -> None:
    questions = load(
        tmp_path, HEADER + "a,甲は？,1 2,tune\nb,乙は？,2,holdout\nc,丙は？,,unanswerable\nd,丁は？,3,tune\n"
    )
    kept, told = drop_gone(questions, {"tax_answer/2"})
    assert [(question.question_id, question.gold) for question in kept] == [
        ("a", ("tax_answer/1",)),
        ("c", ()),
        ("d", ("tax_answer/3",)),
    ]
    assert told == [
        "question a: tax_answer/2 is not there any more; it is asked without",
        "question b: tax_answer/2 is not there any more; the question is left out",
    ]


def test_names_in_a_question_set_are_the_same_in_either_spelling(tmp_path: Path) -> None:
    text = "id,question,gold,split\nが1,びんはいつ,が-1,tune\n"
    path = tmp_path / "csv_rows.csv"
    path.write_text("\ufeff" + unicodedata.normalize("NFD", text), encoding="utf-8")
    (question,) = load_questions([path], sources=("csv_rows",), known_records={"csv_rows/desk/1--aa": "が-1"})
    assert (question.question_id, question.gold) == ("が1", ("csv_rows/desk/1--aa",))
