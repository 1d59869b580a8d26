import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.chunking import cut_record
from rag_assets.corpus.headers import header
from rag_assets.corpus.quality import BINS, corpus_quality
from rag_assets.corpus.record_text import plain_text, record_text
from rag_assets.corpus.tracing import trace_records
from rag_assets.model import Block, Cell, Chunk, QualityRow, Record, Section, Table, TextBlock, Variant

RAW = Variant(name="raw", header="title")
PREPARED = Variant(name="prepared", limit=400)


def record(
    number: str, title: str, *blocks: Block | str, source: str = "articles", headings: tuple[str, ...] = ("概要",)
) -> Record:
    return Record(
        record_id=f"{source}/{number}",
        source=source,
        document="みほん税務相談",
        number=number,
        label=f"No.{number}",
        title=title,
        origin_sha256="0" * 64,
        sections=(
            Section(
                headings=headings,
                blocks=tuple(TextBlock(text=block) if isinstance(block, str) else block for block in blocks),
            ),
        ),
    )


def table(*rows: Sequence[str], heading_rows: int = 1) -> Table:
    return Table(
        cells=tuple(
            Cell(text=text, row=row, column=column, heading=row < heading_rows)
            for row, texts in enumerate(rows)
            for column, text in enumerate(texts)
        )
    )


def chunk(of: Record, body: str, *, head: str | None = None, context: str = "", name: str = "a") -> Chunk:
    return Chunk(
        chunk_id=f"{of.record_id}/{name}",
        record_id=of.record_id,
        variant="prepared",
        header=header(of, "full") if head is None else head,
        context=context,
        body=body,
    )


def raw_chunk(of: Record) -> Chunk:
    return Chunk(
        chunk_id=of.record_id,
        record_id=of.record_id,
        variant="raw",
        header=header(of, "title"),
        body=plain_text(of),
    )


def never(text: str) -> list[str]:
    raise AssertionError(f"no windows are wanted of {text!r}")


def prepared_row(records: Sequence[Record], *chunks: Chunk, limit: int = 400) -> QualityRow:
    return corpus_quality(records, chunks, Variant(name="prepared", limit=limit), never)[0]


def raw_row(of: Record, *windows: str) -> QualityRow:
    return corpus_quality([of], [raw_chunk(of)], RAW, lambda text: list(windows) or [text])[0]


MEALS = record(
    "2", "食事の支給", "昼の食事は非課税です。夜の食事は（例外を除きます。）課税です。", "届出は要りません。"
)
BUSES = record("3", "通勤の手当", "定期代は非課税です。")


def test_a_whole_record_in_one_chunk_has_no_fault() -> None:
    row = prepared_row([MEALS], chunk(MEALS, record_text(MEALS)))

    assert row.passages == 1
    assert row.examples == {}
    assert sum(row.histogram) == 1


# Several records


def test_text_of_another_record_is_told() -> None:
    mixed = chunk(MEALS, f"{record_text(MEALS)}\n{header(BUSES, 'full')}\n{record_text(BUSES)}")

    row = prepared_row([MEALS, BUSES], mixed, chunk(BUSES, record_text(BUSES)))

    assert row.several_records == 1
    assert row.examples["several_records"] == ("articles/2/a",)


def test_a_record_may_list_others() -> None:
    listing = record("9", "一覧", "No.3 通勤の手当")

    row = prepared_row([listing, BUSES], chunk(listing, record_text(listing)), chunk(BUSES, record_text(BUSES)))

    assert row.several_records == 0


def test_a_longer_title_is_not_taken_for_the_shorter_one_it_begins_with() -> None:
    short = record("6", "試用", "一つ目です。")
    long = short.model_copy(update={"record_id": "articles/6b", "title": "試用期間"})

    row = prepared_row([short, long], chunk(short, record_text(short)), chunk(long, record_text(long)))

    assert row.several_records == 0


# Unnamed


@pytest.mark.parametrize(
    ("head", "unnamed"),
    [
        ("", 1),
        ("No.2", 0),
        ("食事の支給について", 0),
        ("No.2を見てください", 0),
        ("No.2-1", 1),
        ("No.2－1", 1),
        ("No.25", 1),
        ("No.2-1とNo.2", 0),
    ],
)
def test_a_passage_names_its_record_by_label_or_title(head: str, unnamed: int) -> None:
    assert prepared_row([MEALS], chunk(MEALS, record_text(MEALS), head=head)).unnamed == unnamed


@pytest.mark.parametrize(("head", "unnamed"), [("第６条", 0), ("第６条の２", 1), ("第６条の一部", 0), ("第６条２", 0)])
def test_an_article_of_law_is_not_its_own_branch(head: str, unnamed: int) -> None:
    article = MEALS.model_copy(update={"label": "第６条", "title": "見出しにない題名"})

    assert prepared_row([article], chunk(article, record_text(article), head=head)).unnamed == unnamed


# Sentences


@pytest.mark.parametrize(
    ("body", "begins", "ends"),
    [
        ("昼の食事は非課税です。", 0, 0),
        ("夜の食事は（例外を除きます。）課税です。", 0, 0),
        ("食事は非課税です。", 1, 0),
        ("昼の食事は非課税", 0, 1),
        ("。夜の食事は", 1, 1),
        # A full stop inside brackets ends no sentence.
        ("夜の食事は（例外を除きます。", 0, 1),
        ("課税です。\n届出は要りません。", 1, 0),
    ],
)
def test_a_body_begins_and_ends_at_a_sentence(body: str, begins: int, ends: int) -> None:
    row = prepared_row([MEALS], chunk(MEALS, body))

    assert (row.begins_mid_sentence, row.ends_mid_sentence) == (begins, ends)


def test_words_that_stand_twice_are_looked_for_behind_the_body_before() -> None:
    twice = record("4", "同じ言葉", "申告します。", "また、申告します。")

    row = prepared_row([twice], chunk(twice, "【概要】\n申告します。\nまた、"), chunk(twice, "申告します。", name="b"))

    assert (row.begins_mid_sentence, row.ends_mid_sentence) == (1, 1)
    assert row.examples["begins_mid_sentence"] == ("articles/4/b",)


RATES = record("5", "税率の表", table(("区分", "税率"), ("普通の法人で大きいもの", "20%"), ("組合", "15%")))


@pytest.mark.parametrize(
    ("body", "begins", "ends"),
    [
        ("区分：普通の法人で大きいもの｜", 0, 0),
        ("区分：普通の法人で大きいもの", 0, 0),
        ("税率：20%", 0, 0),
        ("法人で大きいもの｜税率：20%", 1, 0),
        ("区分：普通の法人", 0, 1),
        ("区分：", 0, 1),
    ],
)
def test_a_row_may_be_cut_between_its_fields(body: str, begins: int, ends: int) -> None:
    row = prepared_row([RATES], chunk(RATES, body))

    assert (row.begins_mid_sentence, row.ends_mid_sentence) == (begins, ends)


def test_raw_windows_are_held_to_the_same_rules() -> None:
    row = raw_row(
        RATES,
        "No.5 税率の表\n概要\n区分 税率\n普通の法人で大きいもの",  # to the end of a cell
        "法人で大きいもの 20%\n組",  # inside a cell, twice
        "20%\n組合",  # a cell to a cell
        "組合 15%",
    )

    assert row.passages == 4
    assert (row.begins_mid_sentence, row.ends_mid_sentence) == (1, 1)
    assert row.examples["begins_mid_sentence"] == ("articles/5#w0002",)


# Telephone numbers

OFFICES = record(
    "7",
    "窓口の一覧",
    "東税務署の相談は平日です。",
    "電話番号は03-1234-5678です。",
    table(("窓口", "電話"), ("西税務署", "０６－１２３４－５６７８"), ("そよかぜ会館", "0120-123-456")),
)


@pytest.mark.parametrize(
    ("body", "orphans"),
    [
        ("東税務署の相談は平日です。\n電話番号は03-1234-5678です。", 0),
        ("電話番号は03-1234-5678です。", 1),
        ("電話番号は03-1234-56", 0),
        ("窓口：西税務署｜電話：０６－１２３４－５６７８", 0),
        ("電話：０６－１２３４－５６７８", 1),
        ("窓口：そよかぜ会館｜電話：0120-123-456", 0),
        ("電話：0120-123-456", 1),
    ],
)
def test_a_telephone_number_needs_its_owner(body: str, orphans: int) -> None:
    assert prepared_row([OFFICES], chunk(OFFICES, body, head="")).orphan_phone == orphans


def test_a_number_without_owner_needs_the_name_of_its_record() -> None:
    lone = record("8", "お知らせ", "03-1234-5678へどうぞ。")

    assert prepared_row([lone], chunk(lone, "03-1234-5678へどうぞ。", head="")).orphan_phone == 1
    assert prepared_row([lone], chunk(lone, "03-1234-5678へどうぞ。", head="No.8")).orphan_phone == 0


# Table rows


def test_a_raw_row_without_its_headings_is_parted() -> None:
    row = raw_row(RATES, "No.5 税率の表\n概要\n区分 税率\n普通の法人で大きいもの 20%", "20%\n組合 15%")

    assert row.parted_rows == 2  # both rows of the second window
    assert row.examples["parted_rows"] == ("articles/5#w0002",)


def test_a_row_is_parted_when_only_one_cell_lacks_its_heading() -> None:
    assert raw_row(RATES, "区分 税率\n普通の法人").parted_rows == 0
    assert raw_row(RATES, "税率\n普通の法人").parted_rows == 1
    assert raw_row(RATES, "区分 税率").parted_rows == 0


def test_every_heading_of_the_path_is_needed() -> None:
    nested = record(
        "5",
        "表",
        Table(
            cells=(
                Cell(text="区分", row=0, column=0, row_span=2, heading=True),
                Cell(text="時期", row=0, column=1, column_span=2, heading=True),
                Cell(text="以前", row=1, column=1, heading=True),
                Cell(text="以後", row=1, column=2, heading=True),
                Cell(text="組合", row=2, column=0),
                Cell(text="18%", row=2, column=1),
                Cell(text="15%", row=2, column=2),
            )
        ),
    )

    assert prepared_row([nested], chunk(nested, "時期：以前＝18%、以後＝15%")).parted_rows == 0
    assert prepared_row([nested], chunk(nested, "以後＝15%")).parted_rows == 1
    assert prepared_row([nested], chunk(nested, "以後＝15%", context="時期：")).parted_rows == 0
    assert raw_row(nested, "時期\n以前 以後\n組合 18% 15%").parted_rows == 1
    assert raw_row(nested, "区分 時期\n以前 以後\n組合 18% 15%").parted_rows == 0


def test_numbers_and_sentences_set_as_headings_head_nothing() -> None:
    listing = record("5", "書類", table(("1", "計算明細書です。"), ("2", "住民票")))

    assert raw_row(listing, "2 住民票").parted_rows == 0
    assert prepared_row([listing], chunk(listing, "住民票")).parted_rows == 0


def test_a_cell_over_several_columns_needs_only_what_they_share() -> None:
    note = record(
        "5",
        "表",
        Table(
            cells=(
                Cell(text="区分", row=0, column=0, heading=True),
                Cell(text="税率", row=0, column=1, heading=True),
                Cell(text="経過の取扱い", row=1, column=0, column_span=2),
            )
        ),
    )

    assert raw_row(note, "経過の取扱い").parted_rows == 0


# Limit, lost records, lengths


def test_the_limit_counts_context_line_break_and_body() -> None:
    body = record_text(MEALS)
    limit = len(body) + 5

    def over_limit(context: str) -> int:
        return prepared_row([MEALS], chunk(MEALS, body, context=context), limit=limit).over_limit

    assert over_limit("") == 0
    assert over_limit("続き文字") == 0
    assert over_limit("続き文字あ") == 1


def test_a_record_without_a_chunk_is_lost() -> None:
    row = prepared_row([MEALS, BUSES], chunk(MEALS, record_text(MEALS)))

    assert row.lost_records == 1
    assert row.examples["lost_records"] == ("articles/3",)


def test_a_row_for_all_and_one_a_source() -> None:
    other = record("1", "規則", "一つだけです。", source="rules")
    chunks = [chunk(MEALS, "昼の食事は非課税"), chunk(MEALS, "です。", name="b"), chunk(other, record_text(other))]

    rows = corpus_quality([MEALS, other], chunks, PREPARED, never)

    assert [(row.source, row.passages, row.ends_mid_sentence) for row in rows] == [
        ("all", 3, 1),
        ("articles", 2, 1),
        ("rules", 1, 0),
    ]


def test_a_chunk_of_an_unknown_record_is_refused() -> None:
    with pytest.raises(ValueError, match="articles/3/a belongs to articles/3"):
        prepared_row([MEALS], chunk(MEALS, record_text(MEALS)), chunk(BUSES, record_text(BUSES)))


def test_a_window_that_is_no_slice_is_refused() -> None:
    with pytest.raises(ValueError, match="window 1 of articles/2 is no slice"):
        raw_row(MEALS, "別の言葉")


def test_a_short_last_window_is_looked_for_at_the_end() -> None:
    repeated = record("4", "末尾", "一部は除きます。", "残りは含み、また除きます。")

    row = raw_row(repeated, "No.4 末尾\n概要\n一部は", "除きます。")

    assert (row.begins_mid_sentence, row.ends_mid_sentence) == (1, 1)


@given(st.lists(st.integers(min_value=1, max_value=2500), min_size=1, max_size=30))
def test_lengths_are_of_the_whole_passage(lengths: list[int]) -> None:
    long = record("1", "長い", "あ" * 2500)
    chunks = [chunk(long, "あ" * length, head="", name=str(number)) for number, length in enumerate(lengths)]

    row = prepared_row([long], *chunks)

    assert row.length_max == max(lengths)
    assert row.length_p5 in lengths
    assert sum(length <= row.length_p50 for length in lengths) * 2 >= len(lengths)
    assert sum(length < row.length_p50 for length in lengths) * 2 < len(lengths)
    assert row.length_p5 <= row.length_p50 <= row.length_p95 <= row.length_max
    assert len(row.histogram) == BINS
    assert sum(row.histogram) == len(lengths)
    assert row.histogram[-1] == sum(length >= 2000 for length in lengths)


SENTENCES = st.lists(
    st.sampled_from(["課税です。", "非課税（例外。）です。", "届け出ます。", "注意！"]), min_size=1, max_size=12
)


@given(st.lists(SENTENCES, min_size=1, max_size=6), st.integers(min_value=60, max_value=200))
def test_chunks_cut_at_sentences_have_no_fault(paragraphs: list[list[str]], limit: int) -> None:
    whole = record("1", "題名", *("".join(sentences) for sentences in paragraphs))
    cuttings = cut_record(whole, limit)
    chunks = [
        chunk(whole, cutting.body, context=cutting.context, name=str(position))
        for position, cutting in enumerate(cuttings)
    ]

    row = prepared_row([whole], *chunks, limit=limit)

    assert row.examples == {}
    assert row.passages == len(cuttings)


def test_three_thousand_windows_take_less_than_two_seconds() -> None:
    rows = table(("区分", "税率"), *((f"区分の{number}番", f"{number}%") for number in range(20)))
    words = "".join(f"長い文の{number}番目が続きます。" for number in range(60))
    records = [record(str(number), f"題名その{number}", words, rows) for number in range(600)]
    chunks = [raw_chunk(one) for one in records]

    def windows(text: str) -> list[str]:
        return [text[start : start + 255] for start in range(0, len(text), 204)]

    start = time.process_time()
    row = corpus_quality(records, chunks, RAW, windows)[0]

    assert row.passages > 3000
    assert time.process_time() - start < 2


@pytest.mark.realdata
def test_preparation_mends_the_real_pages(realdata: Path) -> None:
    from rag_assets.sources.tax_answer.reader import INDEX_PATH, is_withdrawn, read_article, read_index

    site = realdata / "taxanswer_site"
    pages = {
        listed.number: (site / listed.path.lstrip("/")).read_bytes()
        for listed in read_index((site / INDEX_PATH.lstrip("/")).read_bytes())[::8]
    }
    records = [
        read_article(page, number=number, url=f"https://example.jp/{number}").record
        for number, page in pages.items()
        if not is_withdrawn(page)
    ]
    cut = [
        chunk(one, cutting.body, context=cutting.context, name=str(position))
        for one in records
        for position, cutting in enumerate(cut_record(one, 400))
    ]

    prepared = corpus_quality(records, cut, PREPARED, never)[0]
    raw = corpus_quality(
        records,
        [raw_chunk(one) for one in records],
        RAW,
        lambda text: [text[start : start + 255] for start in range(0, max(len(text) - 51, 1), 204)],
    )[0]

    assert (prepared.unnamed, prepared.several_records, raw.several_records) == (0, 0, 0)
    assert prepared.begins_mid_sentence < 0.02 * prepared.passages
    assert raw.begins_mid_sentence > 0.7 * raw.passages
    assert raw.unnamed > 0.7 * raw.passages
    assert prepared.parted_rows is not None
    assert raw.parted_rows is not None
    assert prepared.parted_rows < 0.1 * raw.parted_rows


def _seconds(of: Record) -> float:
    chunks = [raw_chunk(of)]
    begun = time.process_time()
    corpus_quality([of], chunks, RAW)
    return time.process_time() - begun


@pytest.mark.parametrize(
    "sentence",
    [
        "前年の届出を出した人は、次の日までに届け出る。",
        "みほん税務署は電話03-1234-5678にかける。",
        "（かっこが閉じない。",
        "区切りのない語",
    ],
)
def test_time_is_linear_in_the_length_of_a_paragraph(sentence: str) -> None:
    short, long = (record("1", "題", sentence * (20_000 * times // len(sentence))) for times in (2, 16))
    quadratic = 8
    assert min(_seconds(long) for _ in range(2)) < quadratic * 2 * max(_seconds(short), 0.02)


def test_time_is_linear_where_every_line_names_another_record() -> None:
    others = [record(str(number), f"題{number}", "本文です。") for number in range(2, 2000)]
    index = record("1", "一覧", *[f"{other.label} {other.title}" for other in others])
    begun = time.process_time()
    rows = corpus_quality([index, *others], [raw_chunk(of) for of in (index, *others)], RAW)
    assert rows[0].several_records == 0
    assert time.process_time() - begun < 5


def test_progress_is_told_up_to_the_last_passage() -> None:
    told: list[tuple[int, int]] = []
    of = record("1", "題", "前年の届出を出した人は、届け出る。" * 100)
    [row, _] = corpus_quality([of], [raw_chunk(of)], RAW, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, row.passages) for done in range(1, row.passages + 1)]


AS_IS = Variant(name="as_is", unit="document")


def test_windows_of_a_document_tell_mixture_and_page_furniture() -> None:
    pair = [
        record(number, title, words).model_copy(update={"record_id": f"law/act/{number}", "source": "law"})
        for number, title, words in (
            ("1", "食事", "食事を支給したときは課税されません。"),
            ("2", "印紙", "印紙税には過怠税があります。"),
        )
    ]
    first, second = pair
    text = f"目次\nNo.1 食事\n{plain_text(first)}\n- 1 -\nNo.2 印紙\n{plain_text(second)}"
    whole = Chunk(chunk_id="law/act", record_id="law/act", variant="as_is", body=text, spans=trace_records(text, pair))
    at = text.index("No.2")

    def row(*windows: str) -> QualityRow:
        return corpus_quality(pair, [whole], AS_IS, lambda _: list(windows))[0]

    assert [(one.several_records, one.page_furniture) for one in (row(text), row(text[at:]), row(text[at - 6 :]))] == [
        (1, 1),
        (0, 0),
        (0, 1),
    ]
    apart = row(text[:at], text[at:])
    assert (apart.passages, apart.several_records, apart.page_furniture, apart.unnamed) == (2, 0, 1, 0)
    assert (apart.parted_rows, apart.unkeyed_figures, apart.lost_records) == (None, None, 0)
    assert corpus_quality(pair, [whole.model_copy(update={"spans": ()})], AS_IS)[0].lost_records == 2
