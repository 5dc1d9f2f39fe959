"""How kernels are compiled: flags in one place, and a cache that is never stale.

Numba's cache looks at a function's own file only: change a callee in another file and
the cached caller keeps the old answer. So the cache folder is named by a hash of all
sources of `solvers` and `dealgen` and of the flags that numba leaves out of its key. It
lies under the user's cache directory, or under NUMBA_CACHE_DIR where that is set. The
folder is set around our own decorations only, so that a host program's kernels keep
their own.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from numba.core.types.misc import unliteral

#: Whether kernels check array and arena bounds (NUMBA_BOUNDSCHECK=1); about 3 times slower.
BOUNDSCHECK = bool(numba.config.BOUNDSCHECK)

#: Every kernel, for the test that each has been compiled for one signature alone.
KERNELS: list[Any] = []

_KEPT_FOLDERS = 4
_PREFIX = "winnable-"


def _source_hash() -> str:
    """Hash the package sources and the flags that change what they compile to."""
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for package in ("solvers", "dealgen"):
        for path in sorted((root / package).rglob("*.py")):
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(path.read_bytes())
    flags = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR"
    )
    digest.update("\0".join([numba.__version__, *flags]).encode())
    return digest.hexdigest()[:20]


def _cache_root() -> Path:
    """Return the folder that holds the cache folders of all source states."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    if asked:
        return Path(asked)
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(user) / "winnable"


def _prepare_cache() -> str | None:
    """Create this source state's folder, drop old ones; return it, or None if unwritable."""
    root = _cache_root()
    folder = root / f"{_PREFIX}{_source_hash()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    # Another process may be removing the same folders; what is gone is gone.
    with contextlib.suppress(OSError):
        old = sorted(root.glob(f"{_PREFIX}*"), key=lambda path: path.stat().st_mtime)
        for path in old[:-_KEPT_FOLDERS]:
            shutil.rmtree(path, ignore_errors=True)
    return str(folder)


_CACHE_FOLDER = _prepare_cache()


def _without_literals(compiled: Any) -> Any:
    """Have calls with literal integers use the int64 version, and note the kernel.

    Numba would compile a callee once more for every literal that a caller passes it.
    """
    original = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        plain = tuple(unliteral(arg) for arg in args)
        return original(plain, {name: unliteral(arg) for name, arg in kws.items()})

    compiled.get_call_template = get_call_template
    KERNELS.append(compiled)
    return compiled


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function in nopython mode, without the GIL, cached on disk.

    Integer kernels only: no fast-math, no parallel sections (threads run whole chunks).
    """
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _CACHE_FOLDER or before
    try:
        compiled = numba.njit(nogil=True, cache=_CACHE_FOLDER is not None)(function)
    finally:
        numba.config.CACHE_DIR = before
    return _without_literals(compiled)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function whose code LLVM copies into every caller.

    LLVM's own threshold leaves functions of a dozen lines as calls, with their results passed
    through memory. Large functions swell the compile of every caller: keep to small ones.
    """
    return _without_literals(numba.njit(nogil=True, forceinline=True)(function))


class _CompileListener(event.Listener):
    """Calls back at the first real compilation; loading from the cache is none."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def on_start(self, event: Any) -> None:
        """Call back once."""
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()

    def on_end(self, event: Any) -> None:
        """Nothing to do at the end of a compilation."""


def call_at_first_compile(callback: Callable[[], None]) -> None:
    """Have `callback` called when a kernel is compiled that is not in the cache, once."""
    event.register("numba:compile", _CompileListener(callback))
