"""Records in an arena, declared once: each field by name, width and meaning.

A field is declared where its record is, and read and written by the two functions that its
declaration returns. They compile to the one load or store that a literal offset would, and
are checked under NUMBA_BOUNDSCHECK=1 like every access of an arena. No offset, shift or mask
is written anywhere else.

    STATE = Record()
    get_lengths, set_lengths = STATE.word("lengths", "cards in each column, a byte a column")
    get_place, set_place = STATE.array(8, 52, "place", "where each card lies")

    get_lengths(arena, state), set_place(arena, state, card, value)     # in kernels

A record that an arena has once has a fixed place, and its functions take no record:

    SEARCH = Record(at=HEADER)
    get_budget, set_budget = SEARCH.word("budget", "nodes that the search may expand")

    get_budget(arena)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from solvers.jit import effect, intrinsic
from solvers.search.arena import emit_load, emit_store


class Accessors(NamedTuple):
    """The two functions of a field, for kernels."""

    get: Any
    set: Any


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record.

    offset  bytes from the record's start, or from the arena's where the record has a place
    bits    width of a value
    count   values, side by side
    """

    name: str
    offset: int
    bits: int
    count: int
    text: str


class Record:
    """Fields one after another, each on a multiple of its width."""

    def __init__(self, at: int | None = None) -> None:
        """Begin without fields; `at` is the place of a record that an arena has once."""
        self.fields: dict[str, Field] = {}
        self._fixed = at is not None
        self._end = at or 0

    def word(self, name: str, text: str) -> Accessors:
        """Declare a field of 64 bits; return its functions."""
        return self.field(64, name, text)

    def field(self, bits: int, name: str, text: str) -> Accessors:
        """Declare a field of 8, 16, 32 or 64 bits; return its functions.

        What is read is unsigned below 64 bits; what is written is cut to the width.
        """
        offset = self._take(bits, 1, name, text)
        return _accessors(offset, bits, () if self._fixed else (1,))

    def array(self, bits: int, count: int, name: str, text: str) -> Accessors:
        """Declare `count` values of a width; their functions also take an index.

        The index is checked against the arena alone, and only where bounds are checked.
        """
        offset = self._take(bits, count, name, text)
        return _accessors(offset, bits, (bits // 8,) if self._fixed else (1, bits // 8))

    def block(self, size: int, name: str, text: str, *, align: int = 8) -> int:
        """Reserve `size` bytes for something with a layout of its own; return their offset."""
        self._align(align)
        offset = self._end
        self.fields[name] = Field(name, offset, 8, size, text)
        self._end += size
        return offset

    def at(self, name: str) -> int:
        """Return a field's offset in bytes, for what fills records from Python."""
        return self.fields[name].offset

    def size(self, multiple_of: int = 8) -> int:
        """Return the record's size, or where a record with a place ends, rounded up."""
        return -(-self._end // multiple_of) * multiple_of

    def _take(self, bits: int, count: int, name: str, text: str) -> int:
        if name in self.fields:
            raise ValueError(f"field {name!r} is declared twice")
        self._align(bits // 8)
        offset = self._end
        self.fields[name] = Field(name, offset, bits, count, text)
        self._end += count * bits // 8
        return offset

    def _align(self, size: int) -> None:
        self._end = self.size(size)


class Bits:
    """Fields within one 64-bit word, lowest first.

    Each has a function that takes its value out of a word, and one that puts a value into its
    place, to be joined with others by `|`, or added where the field is to grow by it. Values must
    fit: none is cut.
    """

    def __init__(self, width: int = 64) -> None:
        """Begin without fields; the word has `width` bits."""
        self.fields: dict[str, Field] = {}
        self._width = width
        self._end = 0

    def field(self, width: int, name: str, text: str) -> Accessors:
        """Declare an unsigned field of `width` bits; return its functions."""
        shift = self._end
        if name in self.fields or shift + width > self._width:
            raise ValueError(f"field {name!r} is declared twice, or does not fit")
        self.fields[name] = Field(name, shift, width, 1, text)
        self._end += width
        mask = (1 << width) - 1

        @intrinsic
        def get(_context: Any, builder: Any, word: Any) -> Any:
            value = builder.lshr(word, word.type(shift)) if shift else word
            return value if width == 64 - shift else builder.and_(value, word.type(mask))

        @intrinsic
        def put(_context: Any, builder: Any, value: Any) -> Any:
            return builder.shl(value, value.type(shift)) if shift else value

        return Accessors(get, put)

    def pack(self, **values: int) -> int:
        """Return the word of some fields' values, in Python; the others are 0."""
        word = 0
        for name, value in values.items():
            field = self.fields[name]
            if not 0 <= value < 1 << field.bits:
                raise ValueError(f"{name} is {value}; valid is 0..{(1 << field.bits) - 1}")
            word |= value << field.offset
        return word

    def unpack(self, word: int) -> dict[str, int]:
        """Return every field's value by name, in Python."""
        return {
            name: word >> field.offset & (1 << field.bits) - 1
            for name, field in self.fields.items()
        }


def _accessors(offset: int, bits: int, strides: tuple[int, ...]) -> Accessors:
    """Make the functions of a field whose address is offset + sum(argument * stride)."""

    def load(context: Any, builder: Any, arena: Any, *steps: Any) -> Any:
        return emit_load(context, builder, arena, place(builder, arena, steps), bits)

    def store(context: Any, builder: Any, arena: Any, *steps_and_value: Any) -> None:
        *steps, value = steps_and_value
        emit_store(context, builder, arena, place(builder, arena, steps), value, bits)

    def place(builder: Any, arena: Any, steps: Any) -> Any:
        at = arena.type(offset)
        for step, stride in zip(steps, strides, strict=True):
            at = builder.add(at, step if stride == 1 else builder.mul(step, arena.type(stride)))
        return at

    # An intrinsic has as many parameters as its function.
    @intrinsic
    def get_fixed(context: Any, builder: Any, arena: Any) -> Any:
        return load(context, builder, arena)

    @intrinsic
    def get_one(context: Any, builder: Any, arena: Any, at: Any) -> Any:
        return load(context, builder, arena, at)

    @intrinsic
    def get_two(context: Any, builder: Any, arena: Any, at: Any, index: Any) -> Any:
        return load(context, builder, arena, at, index)

    @effect
    def set_fixed(context: Any, builder: Any, arena: Any, value: Any) -> None:
        store(context, builder, arena, value)

    @effect
    def set_one(context: Any, builder: Any, arena: Any, at: Any, value: Any) -> None:
        store(context, builder, arena, at, value)

    @effect
    def set_two(context: Any, builder: Any, arena: Any, at: Any, index: Any, value: Any) -> None:
        store(context, builder, arena, at, index, value)

    return (
        Accessors(get_fixed, set_fixed),
        Accessors(get_one, set_one),
        Accessors(get_two, set_two),
    )[len(strides)]
