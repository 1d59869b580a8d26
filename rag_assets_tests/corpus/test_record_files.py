import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from rag_assets.corpus.record_files import read_all_records, read_records, write_records
from rag_assets.corpus.record_text import plain_text, record_text
from rag_assets.model import Record
from rag_assets.store.lines import StorageError
from rag_assets_tests.strategies import record, records, section, table

_OF = record([section("概要", "本文です。", table("区分｜率", "甲｜1%"))])


def test_a_line_holds_the_record_and_its_full_text(tmp_path: Path) -> None:
    path = tmp_path / "gensen.jsonl"
    assert write_records(path, [_OF], lambda _: "f1")
    (line,) = path.read_text(encoding="utf-8").splitlines()
    found = json.loads(line)
    assert found["text"] == "【概要】\n本文です。\n区分：甲｜率：1%"
    assert found["plain_text"] == plain_text(_OF)
    assert (found["fingerprint"], found["content_hash"]) == ("f1", _OF.digest())
    assert found["record_id"] == "tax_answer/1000"


@settings(max_examples=15)
@given(records())
def test_what_is_written_is_read_and_written_again_as_it_was(of: Record) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        write_records(path, [of], lambda _: "f")
        (read,) = read_records(path, "tax_answer_records")
        assert Record(**{name: getattr(read, name) for name in Record.model_fields}) == of
        assert (read.text, read.content_hash) == (record_text(of), of.digest())
        assert not write_records(path, [read], lambda _: "f")


def test_equal_content_has_an_equal_hash_whatever_bytes_it_was_read_from() -> None:
    other_bytes = _OF.model_copy(update={"origin_sha256": "1" * 64})
    assert other_bytes.digest() == _OF.digest()
    assert _OF.model_copy(update={"title": "別の題"}).digest() != _OF.digest()


def test_records_of_all_sources_in_order_of_source_and_file(tmp_path: Path) -> None:
    for folder, name, number in [("law", "b", "2"), ("law", "a", "3"), ("csv", "z", "1")]:
        of = record([section("概要", "文")], number=number)
        write_records(tmp_path / folder / f"{name}.jsonl", [of], lambda _: "f")
    (tmp_path / "stray.jsonl").write_text("no record")
    assert [found.number for found in read_all_records([tmp_path / "law", tmp_path / "csv"], "records")] == [
        "3",
        "2",
        "1",
    ]
    assert read_all_records([tmp_path / "absent"], "records") == []


def test_a_missing_or_old_file_names_what_makes_it(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="materialize tax_answer_records first"):
        read_records(tmp_path / "x.jsonl", "tax_answer_records")
    (tmp_path / "x.jsonl").write_text(_OF.model_dump_json(), encoding="utf-8")
    with pytest.raises(StorageError, match=r"x\.jsonl:1: content_hash: .*materialize tax_answer_records again"):
        read_records(tmp_path / "x.jsonl", "tax_answer_records")
