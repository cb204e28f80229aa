from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed
from xun.frontends.tui.transcript.heights import Heights

CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 9), st.just(0)),
        st.tuples(st.just("set"), st.integers(1, 9), st.integers(0, 30)),
        st.tuples(st.just("truncate"), st.just(0), st.integers(0, 30)),
    ),
    max_size=60,
)


@given(st.lists(st.integers(1, 9), max_size=20), CHANGES)
@settings(max_examples=fuzzed(150))
def test_sums_are_those_of_a_list(values: list[int], changes: list[tuple[str, int, int]]) -> None:
    heights = Heights(values)
    plain = list(values)
    for kind, value, place in changes:
        if kind == "append":
            heights.append(value)
            plain.append(value)
        elif kind == "truncate":
            heights.truncate(place)
            del plain[place:]
        elif place < len(plain):
            heights[place] = value
            plain[place] = value
        assert len(heights) == len(plain)
        assert heights.total == sum(plain)
        assert [heights.before(index) for index in range(len(plain))] == [sum(plain[:i]) for i in range(len(plain))]
    owners = [(index, row) for index, value in enumerate(plain) for row in range(value)]
    assert [heights.find(row) for row in range(len(owners))] == owners
    if plain:
        assert heights.find(len(owners) + 2) == (len(plain) - 1, plain[-1] + 2)
