from datetime import UTC, date, datetime

import pytest

from rag_assets.clock import day_in_japan


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 3, 31, 14, 59, 59, tzinfo=UTC), date(2026, 3, 31)),
        (datetime(2026, 3, 31, 15, 0, tzinfo=UTC), date(2026, 4, 1)),
        (datetime(2026, 7, 31, 15, 0, tzinfo=UTC), date(2026, 8, 1)),
    ],
)
def test_the_day_begins_in_japan_nine_hours_earlier(moment: datetime, day: date) -> None:
    assert day_in_japan(moment) == day
