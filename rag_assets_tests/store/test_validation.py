import pytest
from pydantic import ValidationError

from rag_assets.model import Preparing
from rag_assets.sources.csv_rows.source import CsvRowsDocument
from rag_assets.store.validation import faults_in_words, said


def test_every_fault_is_told_with_its_field() -> None:
    with pytest.raises(ValidationError) as caught:
        Preparing.model_validate({"limit": 0, "headers": "full"})
    told = faults_in_words(caught.value)
    assert told.count("; ") == 1
    assert told.startswith("limit: ")
    assert "headers: there is no such setting" in told
    assert "headers: there is no such setting; did you mean header?" in faults_in_words(caught.value, ["header"])


def test_a_fault_of_several_fields_together_has_none_before_it() -> None:
    with pytest.raises(ValidationError) as caught:
        CsvRowsDocument(key="a", location="a.csv", label="番号")
    assert faults_in_words(caught.value).startswith("label: {id} has to stand in it")


def test_what_pydantic_puts_before_a_message_is_taken_off() -> None:
    assert said({"msg": "Value error, it is no table"}) == "it is no table"
    assert said({"msg": "Field required"}) == "Field required"
