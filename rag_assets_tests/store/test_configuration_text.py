import codecs

import pytest

from rag_assets.store.configuration_text import toml_tables

TEXT = '[document.desk]\r\nlocation = "窓口.csv"\r\n'


@pytest.mark.parametrize("content", [TEXT.encode(), codecs.BOM_UTF8 + TEXT.encode(), TEXT.replace("\r", "").encode()])
def test_settings_are_read_with_and_without_byte_order_mark(content: bytes) -> None:
    assert toml_tables(content) == {"document": {"desk": {"location": "窓口.csv"}}}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (TEXT.encode("utf-16"), "UTF-16.*save it as UTF-8"),
        (TEXT.encode("utf-16-le"), "UTF-16.*save it as UTF-8"),
        (TEXT.encode("cp932"), "line 2 is no UTF-8.*save it as UTF-8"),
    ],
)
def test_other_encodings_are_told_with_the_remedy(content: bytes, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        toml_tables(content)
