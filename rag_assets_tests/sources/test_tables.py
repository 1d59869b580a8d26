from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.tables import GridPlace, place_cells

_ROWS = st.lists(st.lists(st.tuples(st.text(max_size=2), st.integers(1, 4), st.integers(1, 4)), max_size=5), max_size=5)


def _covered(place: GridPlace) -> set[tuple[int, int]]:
    return {
        (place.row + down, place.column + right) for down in range(place.row_span) for right in range(place.column_span)
    }


@given(_ROWS)
def test_every_cell_stands_in_its_row_and_covers_a_place_of_its_own(rows: list[list[tuple[str, int, int]]]) -> None:
    placed = list(place_cells(rows))
    assert [(text, place.row) for text, place in placed] == [
        (text, number) for number, row in enumerate(rows) for text, _, _ in row
    ]
    assert all(not _covered(one) & _covered(other) for (_, one), (_, other) in combinations(placed, 2))


def test_cells_stand_behind_what_reaches_down_and_cover_only_what_is_free() -> None:
    rows = [[("甲", 2, 1), ("乙", 1, 1), ("丙", 2, 1)], [("丁", 1, 3), ("戊", 1, 1)]]
    assert [tuple(place) for _, place in place_cells(rows)] == [
        (0, 0, 2, 1),
        (0, 1, 1, 1),
        (0, 2, 2, 1),
        (1, 1, 1, 1),
        (1, 3, 1, 1),
    ]
