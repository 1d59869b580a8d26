from pathlib import Path

from rag_assets.store.home import Home

_HOME = Home(Path("data"))


def test_where_scripts_look() -> None:
    assert _HOME.records("tax_answer") == Path("data/records/tax_answer")
    assert _HOME.corpus("raw") == Path("data/corpus/raw")
    assert _HOME.reports == Path("data/reports")


def test_everything_lies_in_a_place_of_its_own_below_the_home_folder() -> None:
    by_variant = [_HOME.chunks, _HOME.corpus, _HOME.quality, _HOME.index, _HOME.results]
    places = [place(name) for place in by_variant for name in ("raw", "vectors", "questions")]
    places += [_HOME.fetched("tax_answer"), _HOME.records("tax_answer"), _HOME.reports, _HOME.dagster]
    assert all(place.is_relative_to("data") for place in places)
    assert len(set(places)) == len(places)


def test_no_variant_can_take_the_place_of_what_all_share() -> None:
    assert _HOME.vectors not in {_HOME.index(name) for name in ("raw", "prepared_400")}
    assert _HOME.questions not in {_HOME.results(name) for name in ("raw", "prepared_400")}
