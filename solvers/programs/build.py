"""From the kernels of a program to machine code: linked, cleaned, optimised as one, checked.

Owns the text work on LLVM's language and every check of it. What is kept has no symbol from
outside, no address of this process, and nothing that could raise: the build fails otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import llvmlite.binding as llvm

from solvers.errors import ProgramError
from solvers.jit import Entry
from solvers.programs.abi import ELEMENTS
from solvers.programs.targets import Target, machine_of

#: Symbols that LLVM may call and every C library has; WebAssembly has instructions for them.
_LIBRARY = frozenset(("memcpy", "memmove", "memset"))
_WASM_LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"

_DEFINE = re.compile(r"^define (?:(?!@)[^@\n])*?@", re.MULTILINE)
_LINKAGE = re.compile(
    r"\b(?:linkonce_odr|linkonce|weak_odr|weak|internal|private|external|available_externally|"
    r"dso_local|hidden)\s+"
)
#: Numba's per-function environments, which only its exceptions and objects need.
_ENVIRONMENT = re.compile(r"^(@_ZN08NumbaEnv\S+) = .*$", re.MULTILINE)
#: Reference counts of arrays: those of programs are views of memory that somebody else owns.
_COUNTS = re.compile(r"^declare void @(NRT_incref|NRT_decref)\(.*$", re.MULTILINE)
#: What ties functions to the machine they were lowered on.
_HOST_ATTRIBUTES = re.compile(r'"(?:target-cpu|target-features|tune-cpu|probe-stack)"="[^"]*"')
_EMPTY_GROUP = re.compile(r"^(attributes #\d+ = \{)\s*\}", re.MULTILINE)
_ADDRESS = re.compile(r"inttoptr \(i64 (\d+)")
_PICKLED = re.compile(r"@\.?const\.(?:pickle|picklebuf)\S*|numba\.dynamic\.globals")


def symbol_of(entry: Entry) -> str:
    """Return the name under which an entry is exported."""
    return f"winnable_{entry.program}_{entry.name.strip('_')}"


def link(entries: Sequence[Entry]) -> str:
    """Return all code of some entries in LLVM's language, with their plain functions."""
    from solvers.programs.lower import Lowered

    lowered = {entry: Lowered(entry) for entry in entries}
    modules: dict[str, None] = {}
    for each in lowered.values():
        modules |= dict.fromkeys(each.modules)
    linked = llvm.parse_assembly(next(iter(modules)))
    for text in list(modules)[1:]:
        linked.link_in(llvm.parse_assembly(text))
    text = str(linked)
    plain = [_plain_function(entry, each.symbol, each.returns) for entry, each in lowered.items()]
    return _clean(text) + "\n" + "\n".join(plain)


def _plain_function(entry: Entry, symbol: str, returns: bool) -> str:
    """Write the function of an entry's plain calling convention around numba's own.

    Numba's takes places for its result and an exception, and arrays as records: owner and parent
    (none), items, bytes of an item, address, extents, strides. Its status is not looked at: `check`
    makes sure that nothing raises.
    """
    words = [word for each in entry.parameters for word in each.words]
    lines = [
        "%result = alloca i64, align 8",
        "%exception = alloca ptr, align 8",
        "store i64 0, ptr %result",
    ]
    passed = ["ptr %result", "ptr %exception"]
    for index, each in enumerate(entry.parameters):
        if not each.ndim:
            passed.append(f"i64 %{each.name}")
            continue
        size = ELEMENTS[each.element][3]
        address, *extents = (f"%{word}" for word in each.words)
        lines.append(f"%at.{index} = inttoptr i64 {address} to ptr")
        strides, items = [str(size)], extents[-1]
        for place, extent in enumerate(reversed(extents[:-1])):
            lines.append(f"%stride.{index}.{place} = mul i64 {items}, {size}")
            lines.append(f"%items.{index}.{place} = mul i64 {items}, {extent}")
            strides.insert(0, f"%stride.{index}.{place}")
            items = f"%items.{index}.{place}"
        passed += ["ptr null", "ptr null", f"i64 {items}", f"i64 {size}", f"ptr %at.{index}"]
        passed += [f"i64 {word}" for word in (*extents, *strides)]
    lines += [
        f"%status = call i32 @{symbol}({', '.join(passed)})",
        "%value = load i64, ptr %result" if returns else "%value = add i64 0, 0",
        "ret i64 %value",
    ]
    head = f"define i64 @{symbol_of(entry)}({', '.join(f'i64 %{word}' for word in words)})"
    return "\n".join([f"{head} nounwind {{", *(f"  {line}" for line in lines), "}"])


def _clean(text: str) -> str:
    """Free linked code of numba and of the machine that it was lowered on."""
    text = _DEFINE.sub(lambda found: "define internal " + _bare(found[0][len("define ") :]), text)
    text = _ENVIRONMENT.sub(r"\1 = internal global ptr null", text)
    text = _COUNTS.sub(
        r"define internal void @\1(ptr %owner) alwaysinline nounwind { ret void }", text
    )
    text = _HOST_ATTRIBUTES.sub("", text)
    text = re.sub(r"\b(?:optnone|noinline)\b", "", text)
    return _EMPTY_GROUP.sub(r"\1 nounwind }", text)


def _bare(head: str) -> str:
    """Return a function's head without its linkage."""
    return _LINKAGE.sub("", head)


def optimise(text: str, target: Target, *, jit: bool) -> tuple[Any, Any]:
    """Return linked code as LLVM's module, optimised for a target, and the target's machine."""
    machine = machine_of(target, jit=jit)
    triple = target.triple or str(machine.triple)
    layout = _WASM_LAYOUT if target.is_wasm else str(machine.target_data)
    text = re.sub(r"^target triple = .*$", f'target triple = "{triple}"', text, flags=re.MULTILINE)
    text = re.sub(
        r"^target datalayout = .*$", f'target datalayout = "{layout}"', text, flags=re.MULTILINE
    )
    module = llvm.parse_assembly(text)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    check(str(module))
    return module, machine


def check(text: str) -> None:
    """Raise ProgramError for code that could not run anywhere else."""
    outside = [
        name
        for name in re.findall(r"^declare [^@\n]*@\"?([\w.$]+)", text, re.MULTILINE)
        if not name.startswith("llvm.") and name not in _LIBRARY
    ]
    if outside:
        raise ProgramError(f"unresolved symbols are left: {', '.join(sorted(outside))}")
    addresses = [number for number in _ADDRESS.findall(text) if int(number) >= 1 << 16]
    if addresses:
        raise ProgramError(f"addresses of this process are left: {', '.join(addresses[:5])}")
    raised = _PICKLED.search(text)
    if raised:
        raise ProgramError(f"something that raises is left: {raised[0]}")


def compile_object(entries: Sequence[Entry], target: Target, *, jit: bool = True) -> bytes:
    """Return the object file of a program's entries for a target."""
    return emit(link(entries), target, jit=jit)


def emit(text: str, target: Target, *, jit: bool = True) -> bytes:
    """Return the object file of linked code for a target."""
    module, machine = optimise(text, target, jit=jit)
    return bytes(machine.emit_object(module))


def header(program: str, entries: Sequence[Entry]) -> str:
    """Return the C header of a program."""
    guard = f"WINNABLE_{program.upper()}_H"
    lines = [
        f"/* Entries of the program {program} of winnable {metadata.version('winnable')}. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "#include <stdint.h>",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
    ]
    for entry in entries:
        doc = (entry.__doc__ or "").strip().partition("\n")[0]
        words = ", ".join(f"int64_t {word}" for each in entry.parameters for word in each.words)
        arrays = ", ".join(
            f"{each.name}: {ELEMENTS[each.element][2]}" for each in entry.parameters if each.ndim
        )
        lines += ["", f"/* {doc}", f"   Arrays: {arrays or 'none'}. */"]
        lines.append(f"int64_t {symbol_of(entry)}({words or 'void'});")
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "#endif", ""]
    return "\n".join(lines)
