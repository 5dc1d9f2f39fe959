"""How kernels are compiled: flags in one place, and a cache that is never stale.

Numba's cache looks at a function's own file only: change a callee in another file and
the cached caller keeps the old answer. So the cache folder is named by a hash of all
sources of `solvers` and `dealgen` and of the flags that numba leaves out of its key. It
lies under the user's cache directory, or under NUMBA_CACHE_DIR where that is set. The
folder is set around our own decorations only, so that a host program's kernels keep
their own. A cache that is full, damaged or unwritable costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import event, types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.types.misc import unliteral
from numba.extending import typeof_impl

#: Whether kernels check array and arena bounds (NUMBA_BOUNDSCHECK=1); about 3 times slower.
BOUNDSCHECK = bool(numba.config.BOUNDSCHECK)

#: Every kernel, for the test of one signature each.
KERNELS: list[Kernel] = []
#: Held while a compiler is made: two threads make one.
_LOCK = threading.Lock()

_KEPT_FOLDERS = 4
_PREFIX = "winnable-"
#: What `_source_hash` makes of it; other folders are not ours to remove.
_FOLDER_NAME = re.compile(_PREFIX + "[0-9a-f]{20}")


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


def _cache_root() -> Path | None:
    """Return the folder that holds the cache folders of all source states; None where none may.

    A user without a home, as containers and services have them, gets one among the temporary
    files.
    """
    asked = os.environ.get("NUMBA_CACHE_DIR")
    if asked:
        return Path(asked)
    user = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(user):
        return Path(user) / "winnable"
    home = _home()
    return _temporary_root() if home is None else home / ".cache" / "winnable"


def _home() -> Path | None:
    """Return the user's home folder; None for nobody's: none, a relative one, or the root."""
    home = os.environ.get("HOME")
    if not home:
        with contextlib.suppress(KeyError, ImportError):  # unknown to the system; not on Unix
            import pwd

            home = pwd.getpwuid(os.getuid()).pw_dir
    if not home:
        home = os.path.expanduser("~")  # elsewhere than on Unix
    return Path(home) if os.path.isabs(home) and home.strip("/") else None


def _temporary_root() -> Path | None:
    """Return this user's cache folder among the temporary files; None where it is not safe.

    What lies in it is run: nobody else may own it, write to it or have made it a link.
    """
    try:
        folder = Path(tempfile.gettempdir()) / f"winnable-{os.getuid()}"
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except (AttributeError, OSError):  # no user numbers outside Unix
        return None
    private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    return folder if private and found.st_uid == os.getuid() else None


def _prepare_cache() -> str | None:
    """Create this source state's folder, drop old ones; return it, or None if unwritable."""
    root = _cache_root()
    if root is None:
        return None
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
        ours = [path for path in root.iterdir() if _FOLDER_NAME.fullmatch(path.name)]
        ours.sort(key=lambda path: path.stat().st_mtime)
        for path in ours[:-_KEPT_FOLDERS]:
            shutil.rmtree(path, ignore_errors=True)
    return str(folder)


_CACHE_FOLDER = _prepare_cache()


class _Cache(FunctionCache):
    """Numba's cache on disk, which may fail without failing the program."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code; None where there is none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        # Blind on purpose: damaged bytes unpickle to any exception there is.
        except Exception:  # noqa: BLE001
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, if there is room."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _Part(JITCodeLibrary):
    """Library of a kernel for other kernels: lowered to IR, never optimised or emitted alone."""

    def finalize(self) -> None:
        """Neither link, optimise nor emit machine code: the kernel that is called does it all."""
        self._raise_if_finalized()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Lowers a kernel into a part, and hands its callees' parts on to its callers."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower; see numba's own pass."""
        part = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state["library"] = part
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        # Callers look the code up by an entry point, which has to be a builtin; none is called.
        key: Any = [].append
        state.targetctx.insert_user_function(key, lowered.fndesc, [part, *part._linking_libraries])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class _PartCompiler(CompilerBase):
    """Numba's pipeline, ending in a part."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's pipeline with the lowering exchanged."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (_PartLowering if step is NativeLowering else step, text)
            for step, text in manager.passes
        ]
        manager.finalize()
        return [manager]


class Kernel:
    """A function that numba compiles when it is first called, from Python or by another kernel.

    Numba would optimise and emit every function that a kernel calls as if for itself, with all
    that it calls in turn, and once more in each caller: half a minute where this takes ten
    seconds. So there are two compilers, made when they are needed: numba's own for calls from
    Python, and one that makes a part for calls from other kernels.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        """Note what to compile, and how."""
        functools.update_wrapper(self, function)
        self.function = function
        self.options = {"nogil": True, **options}
        KERNELS.append(self)

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function."""
        return self.entry(*args)

    @functools.cached_property
    def entry(self) -> Any:
        """The compiler for calls from Python; its code is cached on disk."""
        with _LOCK:
            if "entry" in self.__dict__:
                return self.__dict__["entry"]
            before = numba.config.CACHE_DIR
            numba.config.CACHE_DIR = _CACHE_FOLDER or before
            try:
                entry = numba.njit(**self.options)(self.function)
                if _CACHE_FOLDER is not None:
                    entry._cache = _Cache(self.function)
            finally:
                numba.config.CACHE_DIR = before
            # By this numba tells that a call is recursive, whichever of the two is at work.
            entry._compiling_counter = self.part._compiling_counter
            return self.__dict__.setdefault("entry", entry)

    @functools.cached_property
    def part(self) -> Any:
        """The compiler for calls from other kernels."""
        part = numba.njit(
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=_PartCompiler,
            **self.options,
        )(self.function)
        template_of = part.get_call_template

        def get_call_template(args: Any, kws: Any) -> Any:
            # Numba would compile callees anew for each literal that they are passed.
            plain = tuple(unliteral(arg) for arg in args)
            return template_of(plain, {name: unliteral(arg) for name, arg in kws.items()})

        part.get_call_template = get_call_template
        return part

    def llvm(self) -> list[str]:
        """Return LLVM's language, not optimised, of what it has been compiled for."""
        compiled = self.__dict__.get("part")
        overloads = compiled.overloads.values() if compiled else ()
        return [str(overload.library._final_module) for overload in overloads]

    @property
    def signatures(self) -> list[Any]:
        """What it has been compiled for in this process, from Python and by other kernels."""
        made = (self.__dict__.get(name) for name in ("entry", "part"))
        return list({signature for each in made if each for signature in each.signatures})


@typeof_impl.register(Kernel)
def _typeof_kernel(value: Kernel, _context: Any) -> Any:
    """Tell numba what a kernel is inside another one."""
    return types.Dispatcher(value.part)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function in nopython mode, without the GIL, cached on disk.

    Integer kernels only: no fast-math, no parallel sections (threads run whole chunks).
    """
    return Kernel(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function whose code LLVM copies into every caller.

    LLVM's own threshold leaves functions of a dozen lines as calls, with their results passed
    through memory. Large functions swell the compile of every caller: keep to small ones.
    """
    return Kernel(function, forceinline=True)


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
