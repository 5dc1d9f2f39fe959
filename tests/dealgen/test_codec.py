import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealgen.codec import decode_numbers, encode_numbers, narrowed
from solvers.errors import NotationError

LARGEST = 2**63 - 1
ascending = st.lists(st.integers(0, LARGEST), unique=True, max_size=60).map(sorted)


def naive_encode(numbers):
    """One number after another, as the format's text says it."""
    data = bytearray()
    before = 0
    for number in numbers:
        rest, before = number - before, number
        while rest >= 128:
            data.append(rest % 128 + 128)
            rest //= 128
        data.append(rest)
    return base64.urlsafe_b64encode(bytes(data)).decode().rstrip("=")


def text_of(*data):
    return base64.urlsafe_b64encode(bytes(data)).decode().rstrip("=")


def test_the_example_of_the_leb128_standard():
    # DWARF 5, section 7.6 and its table: 2, 127, 128, 129, 12857 as unsigned LEB128.
    for number, data in (
        (2, [0x02]),
        (127, [0x7F]),
        (128, [0x80, 0x01]),
        (129, [0x81, 0x01]),
        (12857, [0xB9, 0x64]),
    ):
        assert encode_numbers(np.array([number])) == text_of(*data)


@given(ascending)
def test_round_trip_and_agreement_with_the_naive_encoder(numbers):
    array = np.array(numbers, np.int64)
    text = encode_numbers(array)
    assert text == naive_encode(numbers)
    decoded = decode_numbers(text)
    assert decoded.dtype == np.int64
    assert decoded.tolist() == numbers


@given(st.sets(st.integers(0, 2**70 - 1), min_size=1, max_size=40))
def test_numbers_of_any_size_round_trip(numbers):
    ascending = sorted(numbers)
    text = encode_numbers(np.array(ascending, object))
    decoded = decode_numbers(text)
    assert decoded.tolist() == ascending
    assert (decoded.dtype == np.int64) == (ascending[-1] < 2**63)
    # Where they have 64 bits, both ways of writing them agree.
    assert encode_numbers(narrowed(decoded)) == text
    assert narrowed(np.array(ascending, object)).dtype == decoded.dtype


def test_no_numbers_are_no_text():
    assert encode_numbers(np.empty(0, np.int64)) == ""
    assert decode_numbers("").tolist() == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("AQ==", "base64url"),  # padded
        ("A", "base64url"),  # no whole byte
        ("AR", "base64url"),  # spare bits set
        ("+w", "base64url"),  # the other alphabet
        ("A Q", "base64url"),
        ("AQ\n", "base64url"),
        ("é", "base64url"),
        (text_of(0x80), "within a number"),
        (text_of(0x01, 0xFF), "within a number"),
        (text_of(0x80, 0x00), "needless bytes"),
        (text_of(0x05, 0x00), "twice"),
        (text_of(*[0x80] * 10, 0x01), "above 2\\^70"),
        (text_of(*[0xFF] * 9, 0x7F, 0x01), "above 2\\^70"),  # each fits, the sum does not
        (text_of(*[0xFF] * 9, 0x7F, 0x00), "twice|needless"),
    ],
)
def test_every_other_spelling_is_refused(text, fault):
    with pytest.raises(NotationError, match=fault):
        decode_numbers(text)


def test_the_error_of_a_long_text_is_short():
    with pytest.raises(NotationError) as caught:
        decode_numbers("AQ" * 1000 + "!")
    assert len(str(caught.value)) < 100


@given(st.one_of(st.text(max_size=20), st.binary(max_size=20).map(lambda data: text_of(*data))))
def test_any_text_is_refused_or_the_only_one_of_its_numbers(text):
    try:
        numbers = decode_numbers(text)
    except NotationError:
        return
    assert encode_numbers(numbers) == text
    assert (np.diff(numbers) > 0).all()
