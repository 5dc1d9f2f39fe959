"""Kernels: what is compiled, and how it is called from Python. Loads no compiler itself.

`@kernel` marks a function for the use of other kernels, `@inlined` a small one that is copied into
its callers, `@entry` one that Python calls, with the types of its parameters. Entries of one game
make up a program (`solvers.programs`), which is compiled as a whole, kept on disk and loaded in
milliseconds. Any other kernel can be called from Python as well, for tests and studies: numba
compiles it then, and keeps nothing.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any

#: Whether kernels check array and arena bounds (NUMBA_BOUNDSCHECK=1); about 3 times slower.
BOUNDSCHECK = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")

#: Every kernel, for the test of one signature each.
KERNELS: list[Kernel] = []


class Kernel:
    """A function that is compiled when it is first called, from Python or by another kernel."""

    def __init__(self, function: Callable[..., Any], *, inline: bool = False) -> None:
        """Note what to compile; `inline` copies it into every caller."""
        functools.update_wrapper(self, function)
        self.name = function.__name__
        self.function = function
        self.inline = inline
        KERNELS.append(self)

    def __call__(self, *args: Any) -> Any:
        """Call the function as numba compiles it for these arguments."""
        return self.direct(*args)

    @functools.cached_property
    def direct(self) -> Any:
        """Numba's dispatcher for calls from Python; keeps nothing on disk."""
        from solvers.programs.lower import make_direct

        return make_direct(self)

    @functools.cached_property
    def part(self) -> Any:
        """Numba's dispatcher for calls from other kernels: typed and lowered, not optimised."""
        from solvers.programs.lower import make_part

        return make_part(self)

    @property
    def signatures(self) -> list[Any]:
        """What it has been compiled for in this process, from Python and by other kernels."""
        made = (self.__dict__.get(name) for name in ("direct", "part"))
        return list({signature for each in made if each for signature in each.signatures})


class Entry(Kernel):
    """A kernel that Python calls through its program.

    program     its name
    types       of the parameters, as `solvers.programs.abi` reads them
    """

    def __init__(self, function: Callable[..., Any], types: str) -> None:
        """Note the kernel in its program."""
        super().__init__(function)
        from solvers.programs.abi import parameters_of

        self.program = _program_of(function.__module__)
        self.parameters = parameters_of(types, inspect.signature(function))

    @functools.cached_property
    def call(self) -> Callable[..., int]:
        """The compiled function in its program, taking what `parameters` say."""
        if BOUNDSCHECK:
            return self.direct
        from solvers.programs.load import call_of

        return call_of(self)

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function; arrays must have the very types that are declared."""
        return self.call(*args)


def _program_of(module: str) -> str:
    """Return the program of a module's entries: its game's, or `deals` for what games share."""
    package, *rooms = module.split(".")
    if package == "solvers" and len(rooms) == 2 and rooms[0] != "search":
        return rooms[0]
    return "deals" if package in ("solvers", "dealgen") else module.replace(".", "_")


class Intrinsic:
    """A few instructions written into the calling kernel.

    function  emit(context, builder, *values), values int64; returns an int64, or nothing if `void`
    """

    def __init__(self, function: Callable[..., Any], *, void: bool = False) -> None:
        """Note what to emit."""
        self.__doc__ = function.__doc__
        self.function = function
        self.void = void


class Local:
    """Makes an array in the calling kernel's stack frame, its contents unspecified.

    Arrays of a fixed size cost nothing this way, and need no allocator where there is none. One
    call in a kernel gives the same memory every time.
    """

    def __init__(self, kind: Any, *shape: int) -> None:
        """Note the numpy type and the shape."""
        self.kind = kind
        self.shape = shape

    def __call__(self) -> Any:
        """Kernels alone call it."""
        raise NotImplementedError("a stack frame's array exists in kernels only")


class View:
    """Makes an array of memory that somebody else owns: `view(address, extent, ...)` in kernels.

    Rows are contiguous. Whoever owns the memory keeps it alive; bounds are checked like those of
    any array where bounds are checked.
    """

    def __init__(self, kind: Any, ndim: int = 1) -> None:
        """Note the numpy type and the number of dimensions."""
        self.kind = kind
        self.ndim = ndim

    def __call__(self, _address: int, *_extents: int) -> Any:
        """Kernels alone call it."""
        raise NotImplementedError("views of an arena exist in kernels only")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function in nopython mode, without the GIL.

    Integer kernels only: no fast-math, no parallel sections (threads run whole chunks), no
    allocation, no exception.
    """
    return Kernel(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function whose code LLVM copies into every caller.

    LLVM's own threshold leaves functions of a dozen lines as calls, with their results passed
    through memory. Large functions swell the compile of every caller: keep to small ones.
    """
    return Kernel(function, inline=True)


def entry(types: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as a part of its game's program, for calls from Python and elsewhere.

    types  of the parameters in order: `i64`, or arrays such as `u8[:]` and `i64[:,:]`

    It returns an int64, or nothing.
    """
    return functools.partial(Entry, types=types)


def intrinsic(function: Callable[..., Any]) -> Any:
    """Emit instructions instead of a call; they give an int64."""
    return Intrinsic(function)


def effect(function: Callable[..., Any]) -> Any:
    """Emit instructions instead of a call; they give nothing."""
    return Intrinsic(function, void=True)
