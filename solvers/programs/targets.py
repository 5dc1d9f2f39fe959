"""What programs are compiled for: processors and WebAssembly, and what each needs.

Loads llvmlite's binding, which is quick, and never numba.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from solvers.errors import UnknownNameError

#: WebAssembly features that every browser since 2021 (and Node 16) has.
_WASM_FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"
#: Features that code for x86-64-v3 and x86-64-v2 uses (System V psABI, micro-architecture levels).
_V3 = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V2 = ("cx16", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3")


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of machine.

    triple    LLVM's name of it; None for this machine's
    cpu       LLVM's name of the processor
    features  what is on, in LLVM's spelling; None for all that this processor has
    needs     features that a processor must have to run the code
    """

    name: str
    triple: str | None
    cpu: str
    features: str | None = ""
    needs: tuple[str, ...] = ()

    @property
    def is_wasm(self) -> bool:
        """Whether it is WebAssembly."""
        return self.triple is not None and self.triple.startswith("wasm")


HOST = Target("host", None, "host", None)
WASM = Target("wasm32", "wasm32-unknown-unknown", "generic", _WASM_FEATURES)
#: What wheels carry, the best first.
GENERIC = (
    Target("x86-64-v3", None, "x86-64-v3", needs=_V2 + _V3),
    Target("x86-64-v2", None, "x86-64-v2", needs=_V2),
    Target("aarch64", None, "generic"),
)


def generic_targets() -> tuple[Target, ...]:
    """Return the generic targets of this machine's architecture."""
    architecture = host_triple().partition("-")[0]
    if architecture in ("x86_64", "amd64"):
        return GENERIC[:2]
    return GENERIC[2:] if architecture in ("aarch64", "arm64") else ()


def named(name: str) -> Target:
    """Return a target by its name, or by a triple such as `aarch64-apple-darwin`."""
    for target in (HOST, WASM, *GENERIC):
        if target.name == name:
            return target
    _initialize_all()
    try:
        llvm.Target.from_triple(name)
    except RuntimeError:
        known = [target.name for target in (HOST, WASM, *GENERIC)]
        raise UnknownNameError("target", name, [*known, "any triple that LLVM knows"]) from None
    return Target(name, name, "generic")


@functools.cache
def host_triple() -> str:
    """Return LLVM's name of this machine."""
    return str(llvm.get_process_triple())


@functools.cache
def host_features() -> frozenset[str]:
    """Return the features of this processor."""
    return frozenset(name for name, on in llvm.get_host_cpu_features().items() if on)


def host_identity() -> str:
    """Return what code for the host depends on, so that it is not run on another one."""
    return f"{llvm.get_host_cpu_name()} {' '.join(sorted(host_features()))}"


def runs_here(target: Target) -> bool:
    """Tell whether this processor has what code for a generic target needs."""
    return target in generic_targets() and host_features() >= set(target.needs)


@functools.cache
def _initialize_all() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


@functools.cache
def initialize_native() -> None:
    """Make LLVM ready for code of this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def machine_of(target: Target, *, jit: bool) -> Any:
    """Return LLVM's machine for a target; `jit` for code that this process or another will load."""
    _initialize_all()
    triple = target.triple or host_triple()
    here = target is HOST
    options: dict[str, Any] = {
        "cpu": llvm.get_host_cpu_name() if here else target.cpu,
        "features": llvm.get_host_cpu_features().flatten() if here else target.features,
        "opt": 3,
    }
    if target.is_wasm:
        options |= {"reloc": "static"}
    elif jit:
        options |= {"codemodel": "jitdefault", "jit": True}
    else:
        options |= {"reloc": "pic", "codemodel": "default"}
    return llvm.Target.from_triple(triple).create_target_machine(**options)
