"""A report of made-up figures in realistic shape, for the tests of the page and the terminal tables.

Articles, questions and figures are invented; nothing is read and nothing is measured.
"""

import random
from datetime import UTC, datetime

from rag_assets.evaluation.model import Comparison, Question, QuestionResult, RankedHit, Score, Split
from rag_assets.evaluation.report.model import ExamplePassage, RecordLink, Report, ReportDocument, ReportFinding
from rag_assets.model import Mode, QualityRow, Variant
from rag_assets.sources.staleness import Staleness, Unrenewed
from rag_assets_tests.evaluation.results import IN_INDEX

DOCUMENTS = (
    ReportDocument(source="tax_answer", name="見本の税務相談集", location="https://example.jp/taxes/", records=756),
    ReportDocument(source="law", name="見本の法律", location="laws/one.xml", records=40),
)

VARIANTS = (
    Variant(name="prepared_900", limit=900),
    Variant(name="prepared_400", limit=400),
    Variant(name="raw", header="title"),
    Variant(name="prepared_400_dict", limit=400, dictionary=True),
)
"""The baseline is not first, so that the page has to put it there."""

STALE = Staleness(
    source="tax_answer",
    records=756,
    failed=(
        Unrenewed(
            key="1",
            address="https://example.jp/taxes/1.htm",
            why="HTTP 503",
            checked_at=datetime(2026, 11, 2, tzinfo=UTC),
            is_served=True,
            fetched_at=datetime(2026, 4, 10, tzinfo=UTC),
        ),
    ),
    unread=(),
    withdrawn=("9999",),
    undated=tuple(f"tax_answer/{number}" for number in range(100, 125)),
    as_of={(2025, 4): 31, (2026, 4): 700},
)

MODES: tuple[Mode, ...] = ("bm25", "dense", "hybrid")

HOSTILE = "</script><script>window.broken = 1</script><!-- & \"quotes\" 'single' <b>bold</b> \u2028"
"""Text that breaks a page which does not escape it."""

SUBJECTS = (
    (
        "まかない",
        "食事を支給したとき",
        "使用人に支給する食事は、本人が半分以上を負担していれば課税されません。",
    ),
    ("通勤手当", "電車やバスで通う人の手当", "一か月の定期代に当たる額までは課税されません。"),
    ("社宅", "社宅を貸したとき", "家賃の目安より安く貸すと、その差が給与とみなされます。"),
    ("医療費", "医療費を払ったとき", "一年間に払った額が一定の額を超えると、超えた分が引かれます。"),
    (
        "贈与",
        "親から家の資金をもらったとき",
        "決められた期限までに申告すれば、一定の額まで税がかかりません。",
    ),
    ("災害", "災害で家財を失ったとき", "損失の額に応じて税が軽くなる制度が二つあり、有利な方を選べます。"),
    ("印紙", "領収書に貼る印紙", "受け取った金額が五万円以上の領収書に印紙を貼ります。"),
    ("退職金", "退職金を受け取ったとき", "勤めた年数に応じた額を引いた残りの半分に税がかかります。"),
)


def example_report(questions: int = 16, hits: int = 10, words: int = 3, seed: int = 1) -> Report:
    """A report whose scores fit its hits.

    Args:
        questions: Questions asked; one in eight is unanswerable.
        hits: Hits a question, variant and mode.
        words: Sentences a passage is made of, about 30 characters each.
        seed: Of the made-up ranks.
    """
    rng = random.Random(seed)
    records = [
        RecordLink(
            record_id=f"tax_answer/{1000 + number}",
            label=f"No.{1000 + number}",
            title=f"{SUBJECTS[number % len(SUBJECTS)][1]}（その{number // len(SUBJECTS) + 1}）",
            url=f"https://example.jp/{1000 + number}.htm" if number % 5 else None,
        )
        for number in range(max(40, questions))
    ]
    asked = [_question(number, records) for number in range(questions)]
    results = [
        _result(question, variant, mode, records, hits, words, rng)
        for question in asked
        for variant in VARIANTS
        for mode in MODES
    ]
    scores = [
        score
        for split in ("all", "tune", "holdout")
        for mode in MODES
        for variant in VARIANTS
        if (score := _score(results, variant.name, mode, split))
    ]
    return Report(
        documents=DOCUMENTS,
        findings=(
            ReportFinding(
                document="work_rules/rules", topic="blank", count=12, fault=False, examples=("page 3：採用した日から",)
            ),
            ReportFinding(document="csv_rows/desk", topic="bent row", count=1, fault=True),
        ),
        made_at=datetime(2025, 4, 1, 9, 30, tzinfo=UTC),
        variants=VARIANTS,
        scores=tuple(scores),
        comparisons=tuple(_comparison(results, score) for score in scores if score.variant != "raw"),
        results=tuple(results),
        quality=tuple(quality_row(variant.name) for variant in VARIANTS),
        questions=questions,
        records=tuple(records),
        examples=(
            ExamplePassage(
                variant="raw",
                chunk_id="tax_answer/1003#2",
                text="額を超えると、超えた分が引かれます。この場合の割合は、次の",
            ),
        ),
        dictionary_notes=("dictionaries/tax_answer.txt 12行目：見出し「まかない飯」はどのチャンクにも現れません。",),
        staleness=(STALE,),
        settings={"tax_answer": "sample", "bm25_weight": "0.3", "hybrid": "RRF k=60"},
        command="python -m rag_assets run --tax-answer sample",
        sample=True,
    )


def _question(number: int, records: list[RecordLink]) -> Question:
    word = SUBJECTS[number % len(SUBJECTS)][0]
    splits: tuple[Split, ...] = (
        "tune",
        "tune",
        "holdout",
        "tune",
        "holdout",
        "tune",
        "holdout",
        "unanswerable",
    )
    split = splits[number % 8]
    text = f"{word}を会社から受け取ったら、税金はいくらかかりますか（{number + 1}番目）"
    return Question(
        question_id=f"Q{number + 1:03d}",
        text=f"{HOSTILE} {text}" if number == 0 else text,
        source="tax_answer",
        gold=() if split == "unanswerable" else (records[number].record_id,),
        split=split,
        key_point="本人の負担額" if number % 3 == 0 else "",
    )


def _passage(variant: Variant, record: RecordLink, piece: int, words: int) -> str:
    subject = SUBJECTS[int(record.label.removeprefix("No.")) % len(SUBJECTS)]
    sentences = [f"{subject[2]}（{record.label}の{piece}-{line}）" for line in range(words)]
    if variant.name == "raw":
        return "".join(sentences)[7:]
    header = f"見本の税務相談集 {record.label} {record.title}（対象税目：源泉所得税）［令和7年4月1日現在］"
    keywords = [f"関連する言葉：{subject[0]}、ふだんの言い方"] if variant.dictionary else []
    return "\n".join([header, "【概要】", *sentences, *keywords])


def _result(
    question: Question,
    variant: Variant,
    mode: Mode,
    records: list[RecordLink],
    hits: int,
    words: int,
    rng: random.Random,
) -> QuestionResult:
    skill = {"raw": 0.3, "prepared_900": 0.33, "prepared_400": 0.45, "prepared_400_dict": 0.6}[variant.name]
    right_rank = None
    if question.gold:
        right_rank = next((rank for rank in range(1, hits + 1) if rng.random() < skill), None)
    others = rng.sample([record for record in records if record.record_id not in question.gold], hits)
    found = []
    for rank in range(1, hits + 1):
        correct = rank == right_rank
        record = (
            next(record for record in records if record.record_id in question.gold) if correct else others[rank - 1]
        )
        text = _passage(variant, record, rank % 4, words)
        if question.question_id == "Q001" and rank == 1:
            text = f"{HOSTILE}\n{text}"
        found.append(
            RankedHit(
                question_id=question.question_id,
                variant=variant.name,
                mode=mode,
                rank=rank,
                record_id=record.record_id,
                chunk_id=f"{record.record_id}/{variant.name[:3]}{rank % 4}",
                score=round(1 / (rank + 2), 4),
                correct=correct,
                in_corpus=True,
                text=text,
            )
        )
    return QuestionResult(
        question=question,
        variant=variant.name,
        searched=IN_INDEX,
        mode=mode,
        hits=tuple(found),
        latency_ms=rng.uniform(0.5, 14),
    )


def _of(results: list[QuestionResult], variant: str, mode: Mode, split: str) -> list[QuestionResult]:
    splits = ("tune", "holdout") if split == "all" else (split,)
    return [
        result
        for result in results
        if result.variant == variant and result.mode == mode and result.question.split in splits
    ]


def _reciprocal(result: QuestionResult) -> float:
    return 1 / result.first_correct_rank if result.first_correct_rank else 0.0


def _within(results: list[QuestionResult], rank: int) -> float:
    return sum((result.first_correct_rank or rank + 1) <= rank for result in results) / len(results)


def _score(results: list[QuestionResult], variant: str, mode: Mode, split: str) -> Score | None:
    chosen = _of(results, variant, mode, split)
    if not chosen:
        return None
    mrr = sum(map(_reciprocal, chosen)) / len(chosen)
    spread = 0.8 / len(chosen) ** 0.5
    return Score(
        variant=variant,
        mode=mode,
        split=split,
        source="all",
        questions=len(chosen),
        chunks={"raw": 5939, "prepared_900": 1806}.get(variant, 3625),
        mrr=mrr,
        mrr_low=max(0.0, mrr - spread),
        mrr_high=min(1.0, mrr + spread),
        hit_at_8=_within(chosen, 8),
        recall_at_5=_within(chosen, 5),
        recall_at_10=_within(chosen, 10),
        latency_p50_ms=3.2,
        latency_p95_ms=14.8,
    )


def _comparison(results: list[QuestionResult], score: Score) -> Comparison:
    ours = [_reciprocal(result) for result in _of(results, score.variant, score.mode, score.split)]
    base = [_reciprocal(result) for result in _of(results, "raw", score.mode, score.split)]
    difference = (sum(ours) - sum(base)) / len(ours)
    return Comparison(
        variant=score.variant,
        baseline="raw",
        mode=score.mode,
        split=score.split,
        source=score.source,
        questions=len(ours),
        difference=difference,
        low=difference - 0.1,
        high=difference + 0.1,
        p_value=0.004 if abs(difference) > 0.1 else 0.41,
        better=sum(mine > its for mine, its in zip(ours, base, strict=True)),
        worse=sum(mine < its for mine, its in zip(ours, base, strict=True)),
        verdict="noise" if abs(difference) <= 0.1 else "better" if difference > 0 else "worse",
    )


def quality_row(variant: str, source: str = "all") -> QualityRow:
    """Made-up faults of one variant: many for `raw`, next to none for the others."""
    raw = variant == "raw"
    return QualityRow(
        variant=variant,
        source=source,
        passages=5939 if raw else 1806 if "900" in variant else 3625,
        several_records=0,
        unnamed=3711 if raw else 0,
        begins_mid_sentence=4402 if raw else 3,
        ends_mid_sentence=4518 if raw else 3,
        orphan_phone=41 if raw else 0,
        parted_rows=1204 if raw else 0,
        unkeyed_figures=12 if raw else 0,
        over_limit=0 if raw else 1,
        lost_records=0,
        length_p5=180 if raw else 120,
        length_p50=255 if raw else 720 if "900" in variant else 356,
        length_p95=270 if raw else 980 if "900" in variant else 480,
        length_max=310 if raw else 1104 if "900" in variant else 560,
        histogram=(60, 420, 5300, 159, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        if raw
        else (20, 60, 120, 150, 160, 190, 220, 260, 330, 240, 50, 6, 0)
        if "900" in variant
        else (90, 310, 620, 1205, 1300, 100, 0, 0, 0, 0, 0, 0, 0),
        examples={"begins_mid_sentence": ("tax_answer/1003#2", "tax_answer/1008#1")} if raw else {},
    )
