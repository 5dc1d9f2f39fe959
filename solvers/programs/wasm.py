"""Programs as WebAssembly modules: linked by `wasm-ld`, described by a manifest.

A module imports nothing. It has its entries, its memory, and `__heap_base`, from which on the
memory is the caller's. The manifest says what a caller must know: the entries' parameters, the
sizes of packed forms, the names of methods and profiles' rules.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import llvmlite

from solvers import games
from solvers.errors import ProgramError
from solvers.programs.build import compile_object, symbol_of
from solvers.programs.load import entries_of
from solvers.programs.targets import WASM
from solvers.search import status

_LINKERS = ("wasm-ld", "wasm-ld-14", "wasm-ld-15", "wasm-ld-16", "wasm-ld-19")
#: Bytes of the stack, which lies below everything else: the deepest call takes a fifth.
_STACK = 1 << 20


def build_module(program: str) -> bytes:
    """Return the WebAssembly module of a game's program.

    Raises ProgramError where no linker is installed, or it refuses.
    """
    linker = next((found for name in _LINKERS if (found := shutil.which(name))), None)
    if linker is None:
        raise ProgramError("wasm-ld is not installed; it is in the package lld of most systems")
    entries = entries_of(program)
    with tempfile.TemporaryDirectory() as folder:
        code, module = Path(folder, "program.o"), Path(folder, "program.wasm")
        code.write_bytes(compile_object(entries, WASM, jit=False))
        done = subprocess.run(
            [
                linker,
                "--no-entry",
                "-O2",
                "--strip-all",
                "-z",
                f"stack-size={_STACK}",
                "--stack-first",
                "--export=__heap_base",
                *(f"--export={symbol_of(entry)}" for entry in entries),
                str(code),
                "-o",
                str(module),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ProgramError(f"wasm-ld: {done.stderr.strip() or done.returncode}")
        return module.read_bytes()


def manifest(program: str, module: bytes) -> dict[str, Any]:
    """Return what a caller must know of a module, ready for JSON."""
    game = games.load(program)
    layout = importlib.import_module(f"solvers.{program}.layout")
    packed = layout.empty_packed(1)
    return {
        "format": "winnable-program-1",
        "game": program,
        "bytes": len(module),
        "sha256": hashlib.sha256(module).hexdigest(),
        "compiler": f"llvmlite {llvmlite.__version__}",
        "entries": {
            entry.name: {
                "symbol": symbol_of(entry),
                "parameters": [
                    {"name": each.name, "element": each.element, "dimensions": each.ndim}
                    for each in entry.parameters
                ],
            }
            for entry in entries_of(program)
        },
        "packed": {"element": packed.dtype.name, "size": packed.shape[1]},
        "profiles": {
            name: layout.pack_profile(profile).tolist() for name, profile in game.profiles.items()
        },
        "methods": list(game.methods),
        "limits": {
            "max_nodes": game.default_limits.max_nodes,
            "memory_mib": game.default_limits.memory_mib,
        },
        "statuses": {
            name: getattr(status, name)
            for name in ("OPEN", "WON", "LOST", "OUT_OF_NODES", "OUT_OF_MEMORY", "REJECTED")
        },
    }


def files_of(program: str) -> dict[str, bytes]:
    """Return a program's module and manifest by their file names."""
    module = build_module(program)
    text = json.dumps(manifest(program, module), indent=1, sort_keys=True)
    return {
        f"winnable-{program}.wasm": module,
        f"winnable-{program}.json": f"{text}\n".encode(),
    }


def main(folder: Path, *, check: bool) -> int:
    """Write all modules to a folder, or tell whether those there are what would be written."""
    stale = []
    for program in games.NAMES:
        for name, data in files_of(program).items():
            path = folder / name
            if not check:
                path.write_bytes(data)
            elif not path.is_file() or path.read_bytes() != data:
                stale.append(name)
    if stale:
        print(f"{folder}: not what the sources make: {', '.join(stale)}; 'make wasm' renews them")
    return 1 if stale else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(main(Path(arguments[-1]), check="--check" in arguments))
