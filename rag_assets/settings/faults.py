"""What is wrong with settings taken together: places that do not exist, settings that contradict each other.

What one setting takes by itself is said by its type, in `options.py` and `values.py`.
"""

import ipaddress
from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path

from rag_assets.corpus.variants import VARIANTS
from rag_assets.settings.model import Settings
from rag_assets.settings.table import SETTINGS
from rag_assets.settings.values import is_true
from rag_assets.sources.fetching.addresses import LEFT_OUT, host_of, is_url, link_fault, shown_address, without_secrets
from rag_assets.sources.registry import BY_NAME
from rag_assets.store.cron import is_cron_expression


def find_faults(settings: Settings) -> Iterator[str]:
    """Everything that is wrong, a line each, by the name of the setting."""
    searches = (
        _find_home_faults,
        _find_contact_faults,
        _find_site_faults,
        _find_document_faults,
        _find_address_faults,
        _find_file_faults,
        _find_variant_faults,
        _find_target_faults,
        _find_cron_faults,
    )
    return chain.from_iterable(search(settings) for search in searches)


def _find_home_faults(settings: Settings) -> Iterator[str]:
    if {"?", "%"} & set(str(settings.home.absolute())):
        yield f"home: {settings.home.absolute()}: '?' and '%' may not stand in its path (Dagster's database)"
    if settings.home.exists() and not settings.home.is_dir():
        yield f"home: {settings.home} is a file; name a folder, it is made where it does not exist"


def _find_contact_faults(settings: Settings) -> Iterator[str]:
    if not settings.contact.isascii() or not settings.contact.isprintable():
        yield "contact: goes into an HTTP header: ASCII letters, digits and signs only"
    hosts = [host_of(address) for address in _list_addresses(settings)]
    if not settings.contact.strip() and any(host and not _is_this_machine(host) for host in hosts):
        yield (
            "contact: a live site has to be told who is asking: set a mail address or URL "
            "(--contact, RAG_ASSETS_CONTACT)"
        )


def _list_addresses(settings: Settings) -> Iterator[str]:
    """Every path and URL that is read."""
    yield settings.tax_answer
    for source, documents in settings.chosen_documents().items():
        yield from (BY_NAME[source].address_of(document) for document in documents)


def _find_site_faults(settings: Settings) -> Iterator[str]:
    if is_url(settings.tax_answer):
        told = shown_address(settings.tax_answer, left_out=LEFT_OUT)
        if not host_of(settings.tax_answer):
            yield f"tax_answer: {told!r} is no base URL such as https://www.nta.go.jp"
        elif {"?", "#"} & set(settings.tax_answer):
            yield f"tax_answer: {told!r} has more than a base URL such as https://www.nta.go.jp has"
    elif settings.tax_answer and not settings.is_sample_site:
        folder, told = Path(settings.tax_answer), without_secrets(settings.tax_answer)
        if not settings.tax_answer.strip() or not is_true(folder.is_dir):
            yield (
                f"tax_answer: {told!r} is neither 'sample', nor an existing folder, "
                "nor a base URL such as https://www.nta.go.jp"
            )
        elif not (folder / "taxes").is_dir():
            yield (
                f"tax_answer: {told!r} has no folder 'taxes': it has to be the root of the site's tree, "
                "with taxes/shiraberu/taxanswer/code/index.htm below it"
            )


def _find_document_faults(settings: Settings) -> Iterator[str]:
    for source, documents in settings.chosen_documents().items():
        for document in documents:
            address = BY_NAME[source].address_of(document)
            if is_url(address):
                if not host_of(address):
                    told = shown_address(address, left_out=LEFT_OUT)
                    yield f"{source}: {told!r} is no URL such as https://www.example.jp/document.pdf"
            elif not is_true(Path(address).is_file) and not (
                BY_NAME[source].takes_folders and is_true(Path(address).is_dir)
            ):
                state = "is no file" if is_true(Path(address).exists) else "does not exist"
                what = BY_NAME[source].names_in_words
                # The scheme may have been forgotten: what looks like a query is not shown.
                told = without_secrets(str(Path(address).absolute()))
                yield f"{source}: {told} {state}; name {what}, or its URL, or the key of a [document.<key>] table"
        keys = [document.key for document in documents]
        for key in sorted({key for key in keys if keys.count(key) > 1}):
            yield (
                f"{source}: two documents would have the key {key!r}; give them keys of their own as "
                f"[document.<key>] tables of the settings file"
            )


def _find_address_faults(settings: Settings) -> Iterator[str]:
    """Addresses that are shown as they are."""
    if settings.tax_answer_links and (fault := link_fault(settings.tax_answer_links)):
        yield f"tax_answer_links: {fault}"
    for name in ("tax_answer_links", "s3_endpoint", "bedrock_endpoint", "contact"):
        given: str = getattr(settings, name)
        if without_secrets(given) != given:
            yield f"{name}: an address in it may have no query and no fragment (? and #): it is kept and shown"


def _find_file_faults(settings: Settings) -> Iterator[str]:
    for path in settings.questions:
        if not is_true(path.is_file):
            state = "is no file" if is_true(path.exists) else "does not exist"
            yield f"questions: {without_secrets(str(path))} {state}"
    if not is_true(settings.dictionary_folder().is_dir):
        yield f"dictionaries: {without_secrets(str(settings.dictionary_folder()))} is no folder"


def _find_variant_faults(settings: Settings) -> Iterator[str]:
    for variant in VARIANTS:
        if variant.name in settings.variant:
            yield f"variant.{variant.name}: there is a variant of this name already; choose another name"
    known = settings.known_variants()
    unknown = [name for name in settings.variants if name not in known]
    if unknown:
        yield f"variants: {', '.join(unknown)} unknown; known are {', '.join(known)}"


def _find_target_faults(settings: Settings) -> Iterator[str]:
    known = settings.known_variants()
    for name in settings.target:
        if name not in known:
            yield f"target.{name}: there is no such variant; known are {', '.join(known)}"
    for (one, place), (other, another) in combinations(settings.target.items(), 2):
        if place.overlaps(another):
            yield (
                f"target.{one} and target.{other} lie in one place ({place.uri}): each would delete what the other "
                "put there; give each a prefix of its own"
            )
        elif place.data_source_id and place.data_source_id == another.data_source_id:
            yield (
                f"target.{one} and target.{other} have one data source ({place.data_source_id}), which reads one "
                "prefix: give each the data source that was made for it"
            )
    if not settings.target and "sync" in settings.model_fields_set and settings.sync != "off":
        yield (
            f"sync: it is set to {settings.sync}, but no variant has a place in AWS: set target.<variant>, or leave it "
            "out"
        )
    if settings.search_in == "knowledge_base":
        for variant in settings.chosen_variants():
            target = settings.target.get(variant.name)
            if target is None or not target.knowledge_base_id:
                yield (
                    f"search_in: {variant.name} has no Knowledge Base: set target.{variant.name} with its "
                    "knowledge_base_id, or choose other variants (--variants)"
                )


def _find_cron_faults(settings: Settings) -> Iterator[str]:
    cron = settings.refresh_cron
    if not is_cron_expression(cron):
        yield (
            f"refresh_cron: {cron!r} is no cron expression such as '0 5 * * *' "
            f"({SETTINGS['refresh_cron'].variable}, or refresh_cron in the settings file)"
        )


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
