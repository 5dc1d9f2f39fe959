"""Compiled programs on disk: found by what they were made from, never run when in doubt.

Each is one file: a line of JSON that names program, target, sources, compiler and processor, and
the checksum of the object code that follows. A file whose line does not say exactly what is asked
for, or whose checksum is wrong, does not exist as far as anybody is told. A folder that cannot be
written costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

import llvmlite

from solvers.programs.targets import HOST, Target, host_identity

_MAGIC = "winnable-program-1"
_ROOT = Path(__file__).resolve().parents[2]
#: Objects that come with the package, for processors of any make.
PACKAGED = Path(__file__).resolve().parent / "objects"
_KEPT_FOLDERS = 4
_PREFIX = "programs-"
#: What `source_hash` makes of it; other folders are not ours to remove.
_FOLDER_NAME = re.compile(_PREFIX + "[0-9a-f]{20}")


@functools.cache
def source_hash() -> str:
    """Return the hash of everything that is compiled."""
    digest = hashlib.sha256()
    for package in ("solvers", "dealgen"):
        for path in sorted((_ROOT / package).rglob("*.py")):
            digest.update(f"{path.relative_to(_ROOT).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _heading(program: str, target: Target, data: bytes) -> bytes:
    """Return the line before an object's code."""
    line = {
        "format": _MAGIC,
        "program": program,
        "target": target.name,
        "sources": source_hash(),
        # Code for the host depends on the compiler and the processor; other code runs as it is.
        "compiler": llvmlite.__version__ if target is HOST else None,
        "processor": host_identity() if target is HOST else None,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    return json.dumps(line, sort_keys=True).encode() + b"\n"


def name_of(program: str, target: Target) -> str:
    """Return the name of a program's file."""
    return f"{program}-{target.name}.o"


def read(path: Path, program: str, target: Target) -> bytes | None:
    """Return the object code of a file, or None unless it is all that is asked for."""
    try:
        heading, newline, data = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return data if heading + newline == _heading(program, target, data) else None


def write(path: Path, program: str, target: Target, data: bytes) -> bool:
    """Write object code as a whole or not at all; tell whether there was room."""
    draft = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            draft = Path(file.name)
            file.write(_heading(program, target, data) + data)
        os.replace(draft, path)
    except OSError:
        if draft is not None:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
        return False
    return True


def folder() -> Path | None:
    """Return the folder of this source state's objects in the user's cache, None without one."""
    root = cache_root()
    return None if root is None else root / f"{_PREFIX}{source_hash()}"


def cache_root() -> Path | None:
    """Return the folder that holds the folders of all source states; None where none may.

    It is WINNABLE_CACHE_DIR where that is set, or lies in the user's cache folder. A user without a
    home, as containers and services have them, gets one among the temporary files.
    """
    asked = os.environ.get("WINNABLE_CACHE_DIR")
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


def clear_old() -> None:
    """Remove the folders of all but the latest source states."""
    root, ours = cache_root(), folder()
    if root is None or ours is None:
        return
    # Another process may be removing the same folders; what is gone is gone.
    with contextlib.suppress(OSError):
        os.utime(ours)
        old = [path for path in root.iterdir() if _FOLDER_NAME.fullmatch(path.name)]
        old.sort(key=lambda path: path.stat().st_mtime)
        for path in old[:-_KEPT_FOLDERS]:
            shutil.rmtree(path, ignore_errors=True)
