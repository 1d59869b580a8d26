"""Which form of an address may be kept and shown, what tells two documents apart, and what readers may click."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.fetching.addresses import (
    LEFT_OUT,
    address_identity,
    has_user_info,
    link_fault,
    readers_address,
    shown_address,
    without_secrets,
)

_SIGNED = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date={day}T000000Z&X-Amz-Expires=900&X-Amz-Signature={signature}"
_SECRETS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%+=", min_size=8, max_size=40)
_NAMES = st.sampled_from(["token", "X-Amz-Signature", "sig", "id", "k", "access_token", "版", ""])


@pytest.mark.parametrize(
    ("address", "kept", "shown"),
    [
        ("https://h.example.jp/d.csv", [], "https://h.example.jp/d.csv"),
        ("https://h.example.jp/d.csv?id=3&token=x", [], "https://h.example.jp/d.csv"),
        ("https://h.example.jp/d.csv?id=3&token=x", ["id"], "https://h.example.jp/d.csv?id=3"),
        ("https://h.example.jp/d.csv#access_token=x", [], "https://h.example.jp/d.csv"),
        ("http://bob:x@h.example.jp:8080/d.csv", [], "http://h.example.jp:8080/d.csv"),
        ("http://bob:x@[::1]:8080/d.csv", [], "http://[::1]:8080/d.csv"),
        ("https://h.example.jp/a;jsessionid=x/d.csv;v=1", [], "https://h.example.jp/a/d.csv"),
        ("https://h.example.jp/規程.pdf?版=2", ["版"], "https://h.example.jp/規程.pdf?%E7%89%88=2"),
        ("data/a?b=c#d.csv", [], "data/a?b=c#d.csv"),
        ("C:\\data\\a.csv", [], "C:\\data\\a.csv"),
    ],
)
def test_what_is_shown(address: str, kept: Sequence[str], shown: str) -> None:
    assert shown_address(address, kept) == shown


def test_where_something_was_left_out_can_be_marked() -> None:
    assert shown_address("https://h/d?id=3&k=x", left_out=LEFT_OUT) == "https://h/d?…"
    assert shown_address("https://h/d?id=3&k=x", ["id"], left_out=LEFT_OUT) == "https://h/d?id=3&…"
    assert shown_address("https://h/d?id=3", ["id"], left_out=LEFT_OUT) == "https://h/d?id=3"
    assert shown_address("https://h/d", left_out=LEFT_OUT) == "https://h/d"


@given(
    _NAMES, _SECRETS, st.sampled_from(["https://h.jp/d{}", "http://bob{}@h.jp/d", "x://h.jp:80/d{}", "https://h.jp{}"])
)
def test_no_secret_is_shown_or_in_the_identity(name: str, secret: str, where: str) -> None:
    secret = f"secret{secret}"
    address = where.format(f":{secret}" if "bob" in where else f"?a=1&{name}={secret}#{secret}")
    assert "secret" not in shown_address(address, ["a"], left_out=LEFT_OUT)
    assert "secret" not in address_identity(address)
    assert "secret" not in without_secrets(f"Max retries exceeded with url: {address} (Caused by it)")


@pytest.mark.parametrize("query", ["?SECRET", "?token=SECRET", "?a=1&SECRET", "?SECRET/SECRET?SECRET"])
def test_messages_of_libraries_are_told_without_the_query_of_a_path(query: str) -> None:
    told = without_secrets(f"Max retries exceeded with url: /a/d.csv{query} (Caused by SSLError('wrong version'))")
    assert told == "Max retries exceeded with url: /a/d.csv?… (Caused by SSLError('wrong version'))"
    assert without_secrets(told) == told


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("?id=3", "?id=4", False),
        ("?id=3&page=1", "?page=1&id=3", True),
        ("?id=3&token=a", "?token=b&id=3", True),
        ("?3", "?4", False),
        ("", "?id=3", False),
        ("#page=1", "#page=2", True),
        ("?sv=1&se=2026-01-01&sig=a", "?sv=2&se=2026-02-01&sig=b", True),
        ("?se=1", "?se=2", False),
        (";v=1", ";v=2", False),
        (";jsessionid=1", ";jsessionid=2", True),
        (
            f"?{_SIGNED.format(day=20260101, signature='aa')}&versionId=7",
            f"?{_SIGNED.format(day=20260102, signature='bb')}&versionId=7",
            True,
        ),
        ("?Expires=1&Signature=a&Key-Pair-Id=K", "?Expires=2&Signature=b&Key-Pair-Id=L", True),
    ],
)
def test_credentials_alone_make_no_other_document(one: str, other: str, same: bool) -> None:
    here, there = (address_identity(f"https://h.example.jp/d.csv{query}") for query in (one, other))
    assert (here == there) is same


def test_a_fingerprint_serves_for_one_address_only() -> None:
    here, there = (
        address_identity("https://h.example.jp/a?pin=1234"),
        address_identity("https://h.example.jp/b?pin=1234"),
    )
    assert here.partition("#")[2] != there.partition("#")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://bob:pw@h/d", True),
        ("see http://token@h", True),
        ("http://bob:p/w@h/d", True),
        ("http://h/@bob/d", False),
        ("http://h:8080/a@b", False),
        ("http://[::1]:80/a@b", False),
        ("mailto:bob@example.jp", False),
        ("bob@example.jp", False),
        ("http://h/?mail=bob@example.jp", False),
    ],
)
def test_user_info_is_seen(text: str, expected: bool) -> None:
    assert has_user_info(text) is expected


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "JavaScript://h/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://h/d",
        "//h/d",
        "h/d",
        "https://",
        "https://bob:pw@h/d",
        "https://h/d?access_token=x",
        "https://h/d#access_token=x",
        "https://h/d;token=x/e?id=3",
        "https://h/d%3Fsig=x",
        "https://h/規程？id=3＆token=x",
        'https://h/"onclick="x',
        "https://h/\njavascript:x",
    ],
)
def test_what_readers_may_not_click(link: str) -> None:
    assert link_fault(link)
    assert readers_address(link) is None


@pytest.mark.parametrize(
    "link",
    [
        "https://h/d",
        "HTTP://h:80/d?id=3#page=2",
        "https://h/t/{番号}",
        "https://例え.jp/規程",
        "https://h/session/token/a%3Fb=1",
    ],
)
def test_what_readers_may_click(link: str) -> None:
    assert link_fault(link) == ""
    assert readers_address(link) == link


def test_an_address_that_is_not_whole_is_no_link() -> None:
    assert readers_address(shown_address("https://h/d?id=3", left_out=LEFT_OUT)) is None
    assert readers_address(None) is None


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://h/d.pdf%3FX-Amz-Signature=SECRET/1%2B", "https://h/d.pdf"),
        ("https://h/d.pdf？sig=SECRET", "https://h/d.pdf"),
        ("https://h/d.pdf&token=SECRET&page=2", "https://h/d.pdf"),
        ("https://h/a/d.pdf%3fversion=2%26token%3dSECRET", "https://h/a/d.pdf"),
        ("https://h/C%26A/d.pdf", "https://h/C%26A/d.pdf"),
    ],
)
def test_credentials_behind_a_question_mark_that_is_none_are_not_shown(address: str, shown: str) -> None:
    assert shown_address(address) == shown
    assert "SECRET" not in address_identity(address)
