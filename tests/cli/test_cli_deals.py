"""Deal numbers as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.deals import Deals, parse_deals, read_deals, read_text
from dealgen.numbering import numbering_of
from solvers.errors import InvalidNumberError, NotationError

MS = numbering_of("ms")
LAST = 2**33 - 1


def deals(*texts, path=None):
    return read_deals(texts, path, MS)


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["617"], [617]),
        (["0617"], [617]),
        (["1-3"], [1, 2, 3]),
        (["5-5"], [5]),
        (["1,5,617"], [1, 5, 617]),
        (["9,1-3", "7"], [9, 1, 2, 3, 7]),
        (["2", "1-3", "2"], [2, 1, 3]),
        (["5-8", "1-10"], [5, 6, 7, 8, 1, 2, 3, 4, 9, 10]),
        ([f"{LAST}"], [LAST]),
    ],
)
def test_numbers_are_answered_once_in_the_order_given(texts, numbers):
    assert list(deals(*texts)) == numbers


@pytest.mark.parametrize(
    "text",
    ["", ",", "1,", "1,,2", "-", "1-", "-1", "1-2-3", "a", "1e3", "1.0", "+1", " 1", "1_0", "١"],
)
def test_what_is_no_number_is_refused_with_examples_of_what_is(text):
    with pytest.raises(NotationError, match=r"is no deal number or range; valid is 617, 1-32000"):
        parse_deals(text, MS)


def test_a_reversed_range_is_refused():
    with pytest.raises(NotationError, match=r"range '9-5' is empty.*valid is 5-9"):
        parse_deals("9-5", MS)


@pytest.mark.parametrize("text", ["0", "0-5", str(2**33), f"1-{2**33}", "9" * 5000])
def test_numbers_outside_the_numbering_are_refused(text):
    with pytest.raises(InvalidNumberError, match=r"out of range; ms has 1\.\.8589934591"):
        parse_deals(text, MS)


def test_all_numbers_there_are_cost_nothing():
    everything = deals(f"1-{LAST}", "5", f"7-{LAST}")
    assert len(everything) == LAST
    assert everything[LAST - 1] == LAST
    assert everything[10**9 : 10**9 + 3] == [10**9 + 1, 10**9 + 2, 10**9 + 3]
    assert everything.digits == 10


ranges = st.lists(
    st.tuples(st.integers(1, 60), st.integers(0, 25)).map(lambda pair: (pair[0], sum(pair))),
    min_size=1,
    max_size=12,
)


@given(ranges)
def test_each_number_once_as_a_naive_list_has_it(given_ranges):
    naive = []
    for first, last in given_ranges:
        naive += [number for number in range(first, last + 1) if number not in naive]
    asked = deals(*(f"{first}-{last}" for first, last in given_ranges))
    assert list(asked) == naive
    assert len(asked) == len(naive)
    assert [asked[place] for place in range(len(asked))] == naive


@given(ranges, st.data())
def test_slices_are_those_of_a_list(given_ranges, data):
    asked = deals(*(f"{first}-{last}" for first, last in given_ranges))
    part = data.draw(st.slices(len(asked)))
    assert asked[part] == list(asked)[part]


def test_a_place_outside_is_an_index_error():
    with pytest.raises(IndexError):
        Deals([(1, 3)])[3]


def test_a_file_of_deals(tmp_path):
    file = tmp_path / "deals.txt"
    file.write_bytes("\ufeff# chosen by hand\r\n617 1-3\t9,8\r\n\r\n11982 # unwinnable\n1".encode())
    assert list(deals("5", path=str(file))) == [5, 617, 1, 2, 3, 9, 8, 11982]


def test_an_error_in_a_file_names_the_line(tmp_path):
    file = tmp_path / "deals.txt"
    file.write_text("1\n2\nthree\n")
    with pytest.raises(NotationError, match=r"deals\.txt, line 3: 'three' is no deal number"):
        deals(path=str(file))


def test_a_file_without_deals_is_refused(tmp_path):
    file = tmp_path / "deals.txt"
    file.write_text("# none yet\n")
    with pytest.raises(NotationError, match=r"deals\.txt: there is no deal number in it"):
        deals(path=str(file))


def test_files_that_are_no_text_are_refused(tmp_path):
    binary = tmp_path / "binary"
    binary.write_bytes(b"1\n\xff\n")
    with pytest.raises(NotationError, match=r"binary, line 2: byte 0xff is no UTF-8"):
        read_text(str(binary), 100)
    with pytest.raises(NotationError, match=r"is larger than 1 MiB"):
        read_text("/dev/zero", 1 << 20)
    with pytest.raises(NotationError, match=r"cannot be read: Is a directory"):
        read_text(str(tmp_path), 100)
    with pytest.raises(NotationError, match=r"cannot be read: .*null"):
        read_text("a\0b", 100)
