"""Where questions begin and end, and what passes for one and is none."""

from rag_assets.sources.base import Finding
from rag_assets.sources.invoice_qa.flow import FlowLine, FlowTable, read_flow
from rag_assets.sources.invoice_qa.marks import Marks, write_number
from rag_assets.sources.invoice_qa.questions import FoundQuestion, Layout, find_questions
from rag_assets.sources.invoice_qa.source import InvoiceQaDocument
from rag_assets_tests.sources.invoice_qa.qa_pages import Book

DEFAULTS = InvoiceQaDocument(key="book", location="book.pdf")


def found(book: Book, settings: InvoiceQaDocument = DEFAULTS) -> Layout:
    marks = Marks(settings.question_marks, settings.answer_marks, settings.chapter_marks, settings.revision_words)
    return find_questions(read_flow(book.pages()), marks)


def matters(layout: Layout) -> list[Finding]:
    """The findings but for the notes on what stands before the questions."""
    return [finding for finding in layout.findings if finding.topic not in ("front matter", "table of contents")]


def numbers(layout: Layout) -> list[str]:
    return [write_number(question.number) for question in layout.questions]


def answer(question: FoundQuestion) -> str:
    return "".join(item.text for item in question.answer if isinstance(item, FlowLine))


def asked(
    book: Book, label: str, *, heading: str = "", words: str = "　どうなりますか。", says: str = "こうなります。"
) -> Book:
    if heading:
        book.heading(heading)
    return book.question(f"{label}{words}").line("【答】").text(says)


def small_book() -> Book:
    """A 目次, two chapters, a branch number, references at line starts, a revision note that breaks."""
    book = Book()
    book.line("店の手引に関するＱ＆Ａ", size=18).line("（令和６年４月改訂）").new_page()
    book.line("目　次").line("Ⅰ　総論", font="Gothic").line("問１　登録の手続………………………… 1")
    book.line("Ⅱ　紙の渡し方", font="Gothic").line("１　時期", font="Gothic").line("問２　渡す時……………… 2")
    book.line("問２－２　渡す場所………… 3").new_page()
    book.chapter("Ⅰ　総論").heading("（登録の手続）")
    book.question("問１　登録はどうするのですか。【令和６年４月改訂】").line("【答】")
    book.text("申請書を出します。詳しくは、").line("問２《渡す時》をご参照ください。")
    book.chapter("Ⅱ　紙の渡し方").chapter("１　時期").heading("（渡す時）")
    book.line("問２　紙はいつ渡すのですか。【令和３年").line("７月追加】【令和４年４月改訂】", 2).line("【答】")
    book.text("求められた時です。").text("１　紙の場合", 0).text("すぐに渡します。")
    book.heading("（渡す場所）").question("問２－２　どこで渡すのですか。").line("【答】").text("店で渡します。")
    return book


def test_every_question_is_found_once_and_the_contents_page_makes_none() -> None:
    layout = found(small_book())
    assert numbers(layout) == ["1", "2", "2-2"]
    assert [question.label for question in layout.questions] == ["問１", "問２", "問２－２"]
    assert [question.heading for question in layout.questions] == ["登録の手続", "渡す時", "渡す場所"]
    assert [question.page for question in layout.questions] == [3, 3, 3]
    assert matters(layout) == []


def test_answers_end_before_the_next_questions_chapter_and_heading() -> None:
    first, second, third = found(small_book()).questions
    assert answer(first) == "申請書を出します。詳しくは、問２《渡す時》をご参照ください。"
    assert answer(second) == "求められた時です。１　紙の場合すぐに渡します。"
    assert answer(third) == "店で渡します。"


def test_chapters_are_paths_and_a_numbered_part_of_an_answer_is_no_chapter() -> None:
    assert [question.chapter for question in found(small_book()).questions] == [
        ("Ⅰ　総論",),
        ("Ⅱ　紙の渡し方", "１　時期"),
        ("Ⅱ　紙の渡し方", "１　時期"),
    ]


def test_revision_notes_leave_the_question_even_where_they_break() -> None:
    first, second, _ = found(small_book()).questions
    assert (first.text, first.notes) == ("登録はどうするのですか。", ("令和６年４月改訂",))
    assert (second.text, second.notes) == ("紙はいつ渡すのですか。", ("令和３年７月追加", "令和４年４月改訂"))


def test_other_brackets_at_a_questions_end_stay() -> None:
    [question] = found(asked(Book(), "問１", words="　どうなりますか。【紙の場合】")).questions
    assert (question.text, question.notes) == ("どうなりますか。【紙の場合】", ())


def test_another_ministrys_layout_needs_no_settings() -> None:
    book = Book().line("目次").line("問１．だれのためですか。 ____ 3").line("問２．いつからですか。 _____ 4").new_page()
    book.line("○小さな店のきまり", size=12.0, font="Bold").box("問１．だれのためですか。").line("（答）").text(
        "店のためです。"
    )
    book.box("問 10．いつからですか。").line("（答）").text("春からです。")
    layout = found(book)
    assert numbers(layout) == ["1", "10"]
    assert [question.text for question in layout.questions] == ["だれのためですか。", "いつからですか。"]
    assert [question.label for question in layout.questions] == ["問１", "問10"]
    assert [answer(question) for question in layout.questions] == ["店のためです。", "春からです。"]
    assert layout.questions[0].chapter == ("小さな店のきまり",)


def test_letters_stand_for_question_and_answer_where_both_do() -> None:
    book = Book().question("Ｑ１　だれのためですか。").line("Ａ１　店のためです。")
    book.question("Q2. いつからですか。").line("A2. 春からです。").text("Ａ　これは答えの中の項目です。")
    layout = found(book)
    assert numbers(layout) == ["1", "2"]
    assert answer(layout.questions[0]) == "店のためです。"
    assert answer(layout.questions[1]).startswith("春からです。")
    assert "答えの中の項目" in answer(layout.questions[1])


def test_a_letter_at_a_line_start_does_not_answer_a_numbered_question() -> None:
    book = Book().question("問１　次のうちどれですか。").line("Ａ　紙").line("Ｂ　電子").line("【答】").text("紙です。")
    [question] = found(book).questions
    assert question.text == "次のうちどれですか。Ａ　紙Ｂ　電子"
    assert answer(question) == "紙です。"


def test_marks_of_ones_own_can_be_set() -> None:
    settings = InvoiceQaDocument(key="k", location="x", question_marks=("照会",), answer_marks=("≪回答要旨≫",))
    book = Book().question("照会１　だれのためですか。").line("≪回答要旨≫").text("店のためです。")
    assert numbers(found(book, settings)) == ["1"]
    assert numbers(found(book)) == []


def test_chapter_marks_of_ones_own_can_be_set() -> None:
    settings = InvoiceQaDocument(key="k", location="x", chapter_marks=(("テーマ１",), ("その１",)))
    book = asked(Book().chapter("テーマ２　紙").chapter("その３　渡し方"), "問１")
    [question] = found(book, settings).questions
    assert question.chapter == ("テーマ２　紙", "その３　渡し方")


def test_an_answer_on_the_line_of_its_mark_is_kept() -> None:
    [question] = found(
        Book().question("問１　できますか。").line("（答）　できます。").text("紙でもできます。")
    ).questions
    assert answer(question) == "できます。紙でもできます。"


def test_a_reference_at_a_line_start_inside_a_question_is_none() -> None:
    book = asked(Book(), "問１", heading="（紙）")
    book.heading("（電子）").line("問２　次の場合はどうなりますか。")
    book.line("問１　の店が電子で渡すときです。", 2).line("【答】").text("渡せます。")
    layout = found(book)
    assert numbers(layout) == ["1", "2"]
    assert layout.questions[1].text == "次の場合はどうなりますか。問１　の店が電子で渡すときです。"


def test_a_heading_over_two_lines_is_one() -> None:
    book = asked(Book(), "問１", heading="（" + "あ" * 60 + "）")
    assert found(book).questions[0].heading == "あ" * 60


def test_a_bracketed_sentence_that_ends_an_answer_is_no_heading() -> None:
    book = asked(Book(), "問１", says="できます。").text("（電子の場合も同じです。）", 0)
    layout = found(asked(book, "問２"))
    assert [question.heading for question in layout.questions] == ["", ""]
    assert answer(layout.questions[0]) == "できます。（電子の場合も同じです。）"


def test_a_question_without_answer_is_told_and_not_lost() -> None:
    book = (
        asked(Book(), "問１", heading="（紙）")
        .heading("（電子）")
        .question("問２　電子ではどうですか。")
        .text("できます。")
    )
    layout = found(asked(book, "問３", heading="（写し）"))
    assert numbers(layout) == ["1", "3"]
    assert [(finding.kind, finding.topic, finding.place) for finding in layout.findings] == [
        ("fault", "question without answer", "page 1"),
    ]
    assert "問２" in layout.findings[0].message
    assert "answer_marks" in layout.findings[0].message
    assert "電子ではどうですか。" in answer(layout.questions[0])


def test_a_gap_between_numbers_is_told() -> None:
    layout = found(asked(asked(asked(Book(), "問１"), "問１－２"), "問４"))
    [finding] = matters(layout)
    assert (finding.kind, finding.topic) == ("fault", "missing question")
    assert "問１－２" in finding.message
    assert "問４" in finding.message


def test_a_gap_that_the_contents_page_has_too_is_none() -> None:
    book = Book().line("問１　紙…… 1").line("問３　電子…… 2").line("問４　写し…… 3").new_page()
    assert matters(found(asked(asked(asked(book, "問１"), "問３"), "問４"))) == []


def test_what_the_contents_page_lists_and_the_book_lacks_is_told() -> None:
    book = Book().line("問１　紙…… 1").line("問２　電子…… 2").line("問３　写し…… 3").new_page()
    layout = found(asked(asked(book, "問１"), "問３"))
    [finding] = matters(layout)
    assert "問２" in finding.message
    assert finding.place == "page 1"


def test_text_under_a_chapter_before_its_first_question_is_left_out_and_told() -> None:
    book = (
        Book().line("Ⅰ　紙").line("問１　紙…… 1").line("問２　紙…… 1").line("Ⅱ　電子").line("問３　電子…… 2").new_page()
    )
    asked(asked(book.chapter("Ⅰ　紙"), "問１"), "問２")
    book.chapter("Ⅱ　電子").text("この章では電子について述べます。")
    layout = found(asked(book, "問３"))
    assert answer(layout.questions[1]) == "こうなります。"
    [finding] = matters(layout)
    assert (finding.kind, finding.topic) == ("note", "text outside questions")


def test_a_table_in_a_question_is_kept_apart_from_its_answer() -> None:
    book = (
        Book()
        .question("問１　次の紙でよいですか。")
        .grid([["品名", "額"], ["茶", "110円"]])
        .line("【答】")
        .text("よいです。")
    )
    [question] = found(book).questions
    assert [type(item) for item in question.shown] == [FlowTable]
    assert question.text == "次の紙でよいですか。"


def test_numbers_may_restart_by_chapter() -> None:
    book = asked(Book().chapter("第１章　紙"), "問１")
    layout = found(asked(book.chapter("第２章　電子"), "問１"))
    assert [(question.chapter_count, question.number) for question in layout.questions] == [(1, (1, 0)), (2, (1, 0))]


def test_a_document_without_questions_has_none() -> None:
    layout = found(Book().text("これは通達です。").text("問１《紙》をご参照ください。"))
    assert layout.questions == ()


def test_gaps_that_a_pdf_lost_behind_numbers_are_not_needed() -> None:
    book = Book().line("Ⅰ紙", font="Gothic").line("１時期", font="Gothic").line("問１渡す時…… 1").line("問２渡す所…… 1")
    book.line("問３写し…… 1").new_page().chapter("Ⅰ紙").chapter("１時期")
    asked(
        asked(book, "問１", heading="（渡す時）", words="はいつ渡すのですか。"),
        "問２",
        heading="（渡す所）",
        words="どこですか。",
    )
    layout = found(asked(book, "問３", heading="（写し）", words="やめてもよいですか。"))
    assert [question.text for question in layout.questions] == [
        "はいつ渡すのですか。",
        "どこですか。",
        "やめてもよいですか。",
    ]
    assert layout.questions[0].chapter == ("Ⅰ紙", "１時期")
    assert matters(layout) == []


def test_a_reference_in_the_middle_of_an_answer_is_none() -> None:
    book = asked(Book(), "問１").line("問２もご参照ください。").line("問１及び問３のとおりです。")
    layout = found(asked(book, "問２"))
    assert numbers(layout) == ["1", "2"]
    assert matters(layout) == []


def test_a_last_question_without_answer_is_told() -> None:
    book = (
        asked(Book(), "問１", heading="（紙）")
        .heading("（電子）")
        .question("問２　電子ではどうですか。")
        .text("できます。")
    )
    [finding] = found(book).findings
    assert (finding.topic, finding.place) == ("question without answer", "page 1")
    assert "問２" in finding.message


def outside(layout: Layout) -> list[tuple[str, str, str]]:
    return [(finding.topic, finding.place, finding.quote) for finding in layout.findings]


def test_what_stands_before_the_first_question_is_told() -> None:
    book = Book().line("店の手引", size=18).new_page().line("はじめに", size=14).text("この手引は店のためのものです。")
    book.new_page().line("目　次").line("Ⅰ　紙").line("問１　紙…… 1").line("問２　電子…… 2").line("問３　写し…… 3")
    book.line("参考資料……4").new_page().line("読み方", size=14).text("問ごとに読めます。").new_page()
    for label in ("問１", "問２", "問３"):
        asked(book, label)
    assert outside(found(book)) == [
        ("front matter", "pages 1-2", "店の手引 / はじめに / この手引は店のためのものです。"),
        ("table of contents", "page 3", "目　次 / Ⅰ　紙 / 問１　紙…… 1"),
        ("front matter", "page 4", "読み方 / 問ごとに読めます。"),
    ]


def test_a_book_that_begins_with_its_first_question_has_nothing_to_tell() -> None:
    assert found(asked(asked(Book(), "問１"), "問２")).findings == ()


def test_what_follows_the_last_answer_is_no_part_of_it_and_told() -> None:
    listed = Book().line("問１　紙…… 1").line("問２　電子…… 2").line("問３　写しは", 0).line("要りますか…… 3")
    listed.line("お問合せ先…… 4").new_page()
    for label in ("問１", "問２", "問３"):
        asked(listed, label)
    listed.new_page().line("お問合せ先").text("店の窓口です。")
    larger = asked(asked(Book(), "問１"), "問２").new_page().line("付録", size=14).text("古い紙の見本です。")
    for book, quote in ((listed, "お問合せ先 / 店の窓口です。"), (larger, "付録 / 古い紙の見本です。")):
        layout = found(book)
        assert answer(layout.questions[-1]) == "こうなります。"
        assert outside(layout)[-1][::2] == ("text outside questions", quote)


def test_a_heading_of_the_texts_size_in_the_last_answer_stays() -> None:
    book = asked(asked(Book(), "問１"), "問２").line("【紙の場合】", font="Gothic").text("渡します。")
    layout = found(book)
    assert answer(layout.questions[-1]) == "こうなります。【紙の場合】渡します。"
    assert layout.findings == ()
