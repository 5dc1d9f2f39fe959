"""Deal numbers as short text: delta-coded varints in base64url.

Ascending numbers become differences (the first from 0), each an unsigned LEB128 varint,
the bytes base64url without padding. One list has exactly one text: what has another
spelling of the same numbers is refused.
"""

from __future__ import annotations

import base64
import binascii
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import NotationError

_MAX_BYTES = 9  # 9 * 7 = 63 bits: what an int64 holds
#: Numbers of twenty digits have 67 bits; this is 70.
_MAX_WIDE_BYTES = 10
#: Characters of a wrong text that its error quotes: enough to find it in the file.
_QUOTED = 24


def encode_numbers(numbers: NDArray[Any]) -> str:
    """Encode strictly ascending numbers >= 0: `int64[n]`, or objects where they are larger.

    >>> encode_numbers(np.array([1, 3, 300]))
    'AQKpAg'
    """
    if numbers.dtype == object:
        return _encode_wide(numbers.tolist())
    deltas = np.diff(numbers, prepend=0)
    lengths = np.ones(len(deltas), np.int64)
    for size in range(1, _MAX_BYTES):
        lengths += deltas >= 1 << (7 * size)
    starts = np.cumsum(lengths) - lengths
    data = np.zeros(int(lengths.sum()), np.uint8)
    for size in range(int(lengths.max(initial=0))):
        has = lengths > size
        more = np.where(lengths[has] > size + 1, 0x80, 0)
        data[starts[has] + size] = (deltas[has] >> (7 * size)) & 0x7F | more
    return base64.urlsafe_b64encode(data.tobytes()).decode().rstrip("=")


def _encode_wide(numbers: list[int]) -> str:
    """Encode numbers of any size, one at a time."""
    data = bytearray()
    for before, number in itertools.pairwise([0, *numbers]):
        delta = number - before
        while delta > 0x7F:
            data.append(delta & 0x7F | 0x80)
            delta >>= 7
        data.append(delta)
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def narrowed(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return ascending numbers as `int64[n]` where each has 64 bits, else as they are."""
    small = not len(numbers) or numbers[-1] < 2**63
    return numbers.astype(np.int64, copy=False) if small else numbers


def decode_numbers(text: str) -> NDArray[Any]:
    """Decode what `encode_numbers` wrote; return them strictly ascending.

    They are `int64[n]`, or Python's integers where one has more than 63 bits; at most 2^70 - 1.

    Raises NotationError for any text that it cannot have written.
    """
    data = np.frombuffer(_decode_base64(text), np.uint8).astype(np.int64)
    if not len(data):
        return np.empty(0, np.int64)
    ends = np.flatnonzero(data < 0x80)
    if not len(ends) or ends[-1] != len(data) - 1:
        raise _refused(text, "ends within a number")
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    if lengths.max() > _MAX_WIDE_BYTES:
        raise _refused(text, "has a number above 2^70 - 1")
    if ((lengths > 1) & (data[ends] == 0)).any():
        raise _refused(text, "has a number with needless bytes")
    if lengths.max() > _MAX_BYTES:
        return _decode_wide(text, data.tolist())
    places = np.arange(len(data)) - np.repeat(starts, lengths)
    deltas = np.add.reduceat((data & 0x7F) << (7 * places), starts)
    if (deltas[1:] == 0).any():
        raise _refused(text, "has a number twice")
    numbers = np.cumsum(deltas)
    # A sum that leaves int64 shows as a negative: no difference is above 2^63 - 1.
    return _decode_wide(text, data.tolist()) if (numbers < 0).any() else numbers


def _decode_wide(text: str, data: list[int]) -> NDArray[Any]:
    """Decode the bytes of varints that have their shortest spelling, one at a time."""
    numbers: list[int] = []
    number = delta = shift = 0
    for byte in data:
        delta |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            if not delta and numbers:
                raise _refused(text, "has a number twice")
            number += delta
            numbers.append(number)
            delta = shift = 0
    if number >= 1 << (7 * _MAX_WIDE_BYTES):
        raise _refused(text, "has a number above 2^70 - 1")
    return np.array(numbers, object)


def _decode_base64(text: str) -> bytes:
    """Decode unpadded base64url, strictly."""
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        raise _refused(text, "is not unpadded base64url") from None
    # The library skips foreign characters and ignores spare bits; a round trip does not.
    if base64.urlsafe_b64encode(data).decode().rstrip("=") != text:
        raise _refused(text, "is not unpadded base64url")
    return data


def _refused(text: str, fault: str) -> NotationError:
    """Return the error for a text that is not a list of numbers."""
    shown = text if len(text) <= _QUOTED else text[:_QUOTED] + "..."
    return NotationError(f"number list {shown!r} {fault}", text=text)
