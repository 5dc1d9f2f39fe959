"""Programs in this process: found on disk or compiled, loaded, and called through ctypes.

A call releases the interpreter's lock. Entries of a program are compiled together and loaded
together, at the first call of one of them.
"""

from __future__ import annotations

import ctypes
import importlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from solvers.jit import BOUNDSCHECK, KERNELS, Entry
from solvers.programs import files
from solvers.programs.abi import marshal
from solvers.programs.targets import HOST, Target, generic_targets, initialize_native, runs_here

#: The modules that declare each program's entries.
MODULES = {
    "deals": ("dealgen.numbering_kernel", "solvers.search.decks"),
    "freecell": ("solvers.freecell.session",),
    "pyramid": ("solvers.pyramid.session",),
    "plot": ("solvers.plot.session",),
}

_LOCK = threading.RLock()
_LOADED: dict[str, _Loaded] = {}
_announce: Callable[[], None] | None = None


class _Loaded:
    """A program whose code is in memory."""

    def __init__(self, data: bytes) -> None:
        """Hand the object code to LLVM's loader."""
        initialize_native()
        machine = llvm.Target.from_default_triple().create_target_machine(
            opt=3, codemodel="jitdefault", jit=True
        )
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        self._engine.finalize_object()

    def function(self, symbol: str, words: int) -> Any:
        """Return an entry's plain function."""
        address = self._engine.get_function_address(symbol)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * words)(address)


def announce(callback: Callable[[], None]) -> None:
    """Have `callback` called before a program is compiled, once."""
    global _announce
    _announce = callback


def entries_of(program: str) -> list[Entry]:
    """Return the entries of a program in a fixed order."""
    for module in MODULES.get(program, ()):
        importlib.import_module(module)
    found = [
        kernel for kernel in KERNELS if isinstance(kernel, Entry) and kernel.program == program
    ]
    return sorted(found, key=lambda entry: (entry.__module__, entry.name))


def call_of(entry: Entry) -> Callable[..., int]:
    """Return the function that calls an entry's compiled code."""
    from solvers.programs.build import symbol_of

    parameters = entry.parameters
    flatten = marshal(entry.name, parameters)
    words = sum(len(each.words) for each in parameters)
    function = _loaded(entry.program).function(symbol_of(entry), words)

    def call(*arguments: Any) -> int:
        result: int = function(*flatten(*arguments))
        return result

    return call


def load(*programs: str) -> None:
    """Load programs now, not at the first call: in the main thread an interrupt is noticed."""
    if not BOUNDSCHECK:
        for program in programs:
            _loaded(program)


def _loaded(program: str) -> _Loaded:
    """Return a program, loading it at first."""
    with _LOCK:
        if program not in _LOADED:
            _LOADED[program] = _Loaded(_found(program) or compiled(program))
        return _LOADED[program]


def places(program: str) -> list[tuple[Path, Target]]:
    """Return where a program's object may be, the best first."""
    own = files.folder()
    found = [] if own is None else [(own / files.name_of(program, HOST), HOST)]
    return found + [
        (files.PACKAGED / files.name_of(program, target), target)
        for target in generic_targets()
        if runs_here(target)
    ]


def _found(program: str) -> bytes | None:
    """Return object code that was compiled before."""
    for path, target in places(program):
        data = files.read(path, program, target)
        if data is not None:
            return data
    return None


def compiled(program: str) -> bytes:
    """Compile a program for this very machine, and keep it."""
    global _announce
    from solvers.programs.build import compile_object

    callback, _announce = _announce, None
    if callback is not None:
        callback()
    data = compile_object(entries_of(program), HOST)
    own = files.folder()
    if own is not None and files.write(own / files.name_of(program, HOST), program, HOST, data):
        files.clear_old()
    return data


def is_kept(program: str) -> bool:
    """Tell whether this machine's own object of a program is on disk."""
    own = files.folder()
    return own is not None and (
        files.read(own / files.name_of(program, HOST), program, HOST) is not None
    )
