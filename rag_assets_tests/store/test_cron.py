"""What passes as a cron expression passes with Dagster, and what people write passes."""

import dagster as dg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_assets.store.cron import is_cron_expression

NUMBERS = st.integers(0, 62).map(str)
NAMES = st.sampled_from(
    ["jan", "FEB", "dec", "sun", "Mon", "sat", "foo", "l", "L5", "?", "*", "h", "05", "-1", "", "７"]
)
VALUES = NUMBERS | NAMES
ITEMS = st.one_of(
    VALUES,
    st.tuples(VALUES, VALUES).map("-".join),
    st.tuples(VALUES, NUMBERS).map("/".join),
    st.tuples(VALUES, VALUES, NUMBERS).map(lambda parts: "{}-{}/{}".format(*parts)),
    st.tuples(VALUES, NUMBERS).map("#".join),
)
EXPRESSIONS = st.lists(st.lists(ITEMS, min_size=1, max_size=3).map(",".join), min_size=4, max_size=6).map(" ".join)


def passes_with_dagster(cron: str) -> bool:
    try:
        dg.ScheduleDefinition(name="trial", job_name="trial", cron_schedule=cron)
    except dg.DagsterInvalidDefinitionError:
        return False
    return True


@given(EXPRESSIONS)
@example("0 0 30,30 2 *")
@example("0 0 31/1 feb *")
@example("0 0 30 2/11 *")
@example("0 0 30 2-1/20 *")
@example("0 0 ? * 2#6")
@example(" @daily")
def test_what_passes_passes_with_dagster(cron: str) -> None:
    assert not is_cron_expression(cron) or passes_with_dagster(cron)


FIELDS = [
    st.sampled_from(["*", "0", "59", "*/5", "5/10", "0,30", "10-20", "10-20/5", "55-5"]),
    st.sampled_from(["*", "0", "23", "*/2", "9-17", "22-6", "22-6/2", "6,12,18", "05"]),
    st.sampled_from(["*", "?", "1", "31", "L", "1-7", "1,15", "*/2", "28-3"]),
    st.sampled_from(["*", "1", "12", "jan", "MAR-may", "4-9/2", "nov-feb", "jan,7"]),
    st.sampled_from(["*", "?", "0", "7", "mon", "Mon-FRI", "1-5", "fri-mon", "mon#1", "l5", "sat,sun", "2#1,2#3"]),
]


@given(st.tuples(*FIELDS).map(" ".join) | st.sampled_from(["@daily", "@Hourly", "@weekly", "@annually"]))
def test_what_people_write_passes(cron: str) -> None:
    assert is_cron_expression(cron)
    assert passes_with_dagster(cron)


@pytest.mark.parametrize("cron", ["", "daily", "@reboot", "61 5 * * *", "0 5 * *", "0 5 * * * *", "0 0 30 feb *"])
def test_what_is_none_is_refused(cron: str) -> None:
    assert not is_cron_expression(cron)
