"""IDs of laws at e-Gov, and the address at which its law API answers for one."""

import re
from urllib.parse import quote

API = "https://laws.e-gov.go.jp"
"""Where e-Gov's law API is."""
_API_PATH = "/api/2/law_data/"

LAW_ID = r"[1-5][0-9]{2}[A-Z][A-Z0-9]{11}"
"""An ID of the e-Gov law search, fifteen characters: era, year, kind, number (405AC0000000088)."""

REVISION_ID = rf"(?P<law_id>{LAW_ID})_(?P<enforced>[0-9]{{8}})_[0-9A-Z]{{15}}"
"""One edition of a law, and the name of its file: law ID, day of enforcement, ID of the amending law."""


def is_law_id(text: str) -> bool:
    """Whether a text is an e-Gov law ID (322AC0000000049), or the ID of one edition (…_20180401_429AC0000000004)."""
    return re.fullmatch(f"{LAW_ID}|{REVISION_ID}", text) is not None


def api_url(law_id: str, base: str = API) -> str:
    """Where a law is fetched: law API version 2, whose response holds the standard XML and the enforcement date.

    Source: the law API's OpenAPI description, `GET /law_data/{law_id_or_num_or_revision_id}`. A law ID gets the
    edition in force today, the ID of an edition that edition.
    """
    return f"{base.rstrip('/')}{_API_PATH}{quote(law_id, safe='')}?response_format=xml&law_full_text_format=xml"
