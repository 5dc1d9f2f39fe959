"""How an entry of a program is called: 64-bit integers in, a 64-bit integer out.

A parameter `i64` is one integer. An array is its address, then its extents: `u8[:,:]` takes
(address, rows, columns), rows contiguous. Nothing else is passed: no handle, no allocator, no
callback. An entry without a result returns 0.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

#: Element types by their names in declarations: the numpy name, LLVM's, C's, and the bytes.
ELEMENTS = {
    "u8": ("uint8", "i8", "uint8_t", 1),
    "i8": ("int8", "i8", "int8_t", 1),
    "bool": ("bool", "i8", "uint8_t", 1),
    "u16": ("uint16", "i16", "uint16_t", 2),
    "i16": ("int16", "i16", "int16_t", 2),
    "i32": ("int32", "i32", "int32_t", 4),
    "u32": ("uint32", "i32", "uint32_t", 4),
    "i64": ("int64", "i64", "int64_t", 8),
}
_TYPE = re.compile(r"(\w+)(?:\[(:(?:,:)*)\])?")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an entry.

    element  a key of ELEMENTS
    ndim     dimensions of an array, 0 for an integer
    """

    name: str
    element: str
    ndim: int

    @property
    def numpy_name(self) -> str:
        """The numpy type of the elements."""
        return ELEMENTS[self.element][0]

    @property
    def words(self) -> list[str]:
        """The names of the 64-bit integers that are passed for it."""
        if not self.ndim:
            return [self.name]
        extents = [f"{self.name}_size", f"{self.name}_width", f"{self.name}_depth"]
        return [self.name, *extents[: self.ndim]]


def parameters_of(types: str, signature: inspect.Signature) -> tuple[Parameter, ...]:
    """Read an entry's types, one for each parameter of its function."""
    texts = [text.strip() for text in re.split(r",(?![^\[]*\])", types)]
    names = list(signature.parameters)
    if len(texts) != len(names):
        raise TypeError(f"{len(texts)} types for the {len(names)} parameters {names}")
    found = []
    for name, text in zip(names, texts, strict=True):
        match = _TYPE.fullmatch(text)
        if match is None or match[1] not in ELEMENTS or (not match[2] and match[1] != "i64"):
            raise TypeError(f"{text!r} is not a type of an entry; see solvers.programs.abi")
        found.append(Parameter(name, match[1], match[2].count(":") if match[2] else 0))
    return tuple(found)


def marshal(name: str, parameters: Sequence[Parameter]) -> Callable[..., list[int]]:
    """Return the function that turns the arguments of a call from Python into integers.

    It raises TypeError for an array of another type or layout: kernels would misread it.
    """
    kinds = [
        None if not each.ndim else (each.name, each.numpy_name, each.ndim) for each in parameters
    ]

    def flatten(*arguments: Any) -> list[int]:
        words: list[int] = []
        for argument, kind in zip(arguments, kinds, strict=True):
            if kind is None:
                words.append(int(argument))
                continue
            label, dtype, ndim = kind
            if argument.dtype != dtype or argument.ndim != ndim or not argument.flags.c_contiguous:
                raise TypeError(
                    f"{name}: {label} is {argument.dtype} of shape {argument.shape}; it must be "
                    f"contiguous {dtype} of {ndim} dimensions"
                )
            words.append(argument.__array_interface__["data"][0])
            words += argument.shape
        return words

    return flatten
