"""Deal numbers as people write them."""

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import deals as module
from cli.deals import Deals, parse_deals, read_board, read_deals
from cli.drawing import wants_colour
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
    [
        "",
        ",",
        "1,",
        "1,,2",
        "-",
        "1-",
        "-1-2",
        "-2--1",
        "1-2-3",
        "a",
        "1e3",
        "1.0",
        "+1",
        " 1",
        "1_0",
        "١",
    ],
)
def test_what_is_no_number_is_refused_with_examples_of_what_is(text):
    with pytest.raises(NotationError, match=r"is not a deal number or range; valid is 617, 1-"):
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
    with pytest.raises(NotationError, match=r"deals\.txt, line 3: 'three' is not a deal number"):
        deals(path=str(file))


def test_a_file_without_deals_is_refused(tmp_path):
    file = tmp_path / "deals.txt"
    file.write_text("# none yet\n")
    with pytest.raises(NotationError, match=r"deals\.txt: there is no deal number in it"):
        deals(path=str(file))


@pytest.mark.parametrize("read", [read_board, lambda path: deals(path=path)])
def test_files_that_are_not_text_are_refused(tmp_path, read):
    binary = tmp_path / "binary"
    binary.write_bytes(b"1\n\xff\n")
    with pytest.raises(NotationError, match=r"binary, line 2: byte 0xff is not UTF-8"):
        read(str(binary))
    binary.write_bytes(b"1\n2 # caf\xc3")
    with pytest.raises(NotationError, match=r"binary, line 2: byte 0xc3 is not UTF-8"):
        read(str(binary))
    with pytest.raises(NotationError, match=r"cannot be read: Is a directory"):
        read(str(tmp_path))
    with pytest.raises(NotationError, match=r"cannot be read: .*null"):
        read("a\0b")


def test_what_has_no_end_is_refused():
    with pytest.raises(NotationError, match=r"/dev/zero: is larger than 64 KiB, too large for a b"):
        read_board("/dev/zero")
    with pytest.raises(NotationError, match=r"/dev/zero, line 1: '.*…' is not a deal n") as told:
        deals(path="/dev/zero")
    assert len(str(told.value)) < 500


def test_a_list_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LARGEST_LIST_MIB", 1)
    file = tmp_path / "deals.txt"
    file.write_bytes(b"617\n" * (1 << 18))
    assert list(deals(path=str(file))) == [617]
    file.write_bytes(b"617\n" * (1 << 18) + b"1")
    with pytest.raises(NotationError, match=r"deals\.txt: is larger than 1 MiB, too large for a l"):
        deals(path=str(file))


# A list as a stream.

words = st.one_of(
    st.integers(1, 99).map(str),
    st.lists(st.integers(1, 99).map(str), min_size=2, max_size=30).map(",".join),
    st.tuples(st.integers(1, 50), st.integers(0, 30)).map(lambda pair: f"{pair[0]}-{sum(pair)}"),
    st.sampled_from(["# 4 5\n", "7#8\n", "\n", "\r\n", "\r", "# ♠, x\r\n", "\t"]),
)


def listed(folder, text):
    """Write a list of deals; return its name."""
    file = folder / "deals.txt"
    file.write_bytes(text.encode())
    return str(file)


@given(st.lists(words, min_size=1, max_size=40), st.integers(5, 40))
def test_a_list_is_read_alike_in_blocks_of_any_size(tmp_path_factory, given_words, size):
    text = " ".join([*given_words, "\n5"])
    naive = []
    for line in text.splitlines():
        for item in line.partition("#")[0].replace(",", " ").split():
            first, _, last = item.partition("-")
            numbers = range(int(first), int(last or first) + 1)
            naive += [number for number in numbers if number not in naive]
    path = listed(tmp_path_factory.mktemp("list"), text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", size)
        assert list(deals(path=path)) == naive


@given(
    st.lists(st.sampled_from(["1", "23", "\n", "4,5", "6-7", "# x\n"]), max_size=20),
    st.sampled_from(["8,,9", ",8", "8,", "8-", "9-8", "x", "0", "9" * 5000]),
)
def test_an_error_in_blocks_of_any_size_names_its_line(tmp_path_factory, given_words, wrong):
    line = given_words.count("\n") + given_words.count("# x\n") + 1
    path = listed(tmp_path_factory.mktemp("list"), " ".join([*given_words, wrong, "10"]))
    for size in (5, 8, 1 << 16):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_BLOCK", size)
            with pytest.raises(NotationError, match=rf"line {line}: "):
                deals(path=path)


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(0, 40)), max_size=80))
def test_a_set_of_ranges_says_what_is_new(pairs):
    known, numbers = set(), module._Numbers(wide=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BOUNDARIES", 4)
        for first, more in pairs:
            parts = numbers.add(first, first + more)
            new = [number for begin, end in parts for number in range(begin, end + 1)]
            assert new == [n for n in range(first, first + more + 1) if n not in known]
            known.update(new)


def read_traced(path):
    """Read a list; return how many deals it has, and the most memory that took, MiB."""
    tracemalloc.start()
    asked = deals(path=path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return len(asked), peak / (1 << 20)


@pytest.mark.parametrize("separator", ["\n", ","])
def test_a_list_takes_memory_for_its_ranges_and_not_for_its_length(tmp_path, separator):
    # 3 MB, in which the numbers are given again and again.
    text = separator.join(map(str, [*range(1, 4000), *range(1, 4000, 2)] * 100))
    numbers, peak = read_traced(listed(tmp_path, text))
    assert numbers == 3999
    assert peak < 5


def test_a_long_list_in_any_order_takes_some_bytes_a_number(tmp_path):
    numbers = list(range(1, 300_000, 2))
    random.Random(1).shuffle(numbers)
    count, peak = read_traced(listed(tmp_path, " ".join(map(str, numbers))))
    assert count == len(numbers)
    # Two machine integers where it was given, two where it is looked up, and what is free there.
    assert peak * (1 << 20) < 70 * len(numbers) + (5 << 20)


def test_a_picture_is_of_one_deal(run) -> None:
    drawn = run("deal", "freecell", "617", "--format", "svg")
    assert drawn.code == 0
    assert drawn.out.startswith("<svg ")
    assert "<title>FreeCell 617 (ms)</title>" in drawn.out
    refused = run("deal", "freecell", "617,618", "--format", "svg")
    assert (refused.code, refused.out) == (2, "")
    assert "--format svg draws one deal; there are 2" in refused.err


def test_colours_are_for_terminals_that_want_them(monkeypatch) -> None:
    class Terminal:
        def isatty(self):
            return True

    assert not wants_colour()
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_colour()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour()
