"""From kernels to LLVM's language, by numba: the only place that loads it.

A kernel that other kernels call is typed and lowered, and left at that (a part): numba would
optimise and emit each of them as if for itself, with all that it calls in turn. What is linked
from parts is optimised once, as a whole. This leans on numba's insides (the library class, the
lowering pass, intrinsic templates); pyproject.toml pins the versions that the suite was run with.
"""

from __future__ import annotations

import inspect
import threading
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NativeLowering
from numba.core.types.misc import unliteral
from numba.extending import intrinsic, typeof_impl
from numba.np import arrayobj, numpy_support

from solvers.jit import Entry, Intrinsic, Kernel, Local, View
from solvers.programs.abi import Parameter

#: Division by zero gives 0, and is not an exception that has to be carried out.
_OPTIONS = {"nogil": True, "error_model": "numpy"}
#: Held while a dispatcher is made: two threads make one.
_LOCK = threading.RLock()


class Part(JITCodeLibrary):
    """A kernel's code for the use of other kernels: typed and lowered, and left at that."""

    def _optimize_functions(self, _module: Any) -> None:
        """Do nothing: what numba does here is for the layout of this machine's records alone."""

    def finalize(self) -> None:
        """Neither link, optimise nor emit machine code: whoever links the parts does it all."""
        self._raise_if_finalized()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Lowers a kernel into a part, and hands its callees' parts on to its callers."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower; see numba's own pass."""
        part = Part(state.targetctx.codegen(), state.func_id.func_qualname)
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


def make_direct(kernel: Kernel) -> Any:
    """Make the dispatcher of a kernel for calls from Python."""
    with _LOCK:
        direct = numba.njit(**_OPTIONS)(kernel.function)
        # By this numba tells that a call is recursive, whichever of the two is at work.
        direct._compiling_counter = kernel.part._compiling_counter
        return direct


def make_part(kernel: Kernel) -> Any:
    """Make the dispatcher of a kernel for calls from other kernels."""
    with _LOCK:
        inline = {"forceinline": True} if kernel.inline else {}
        part = numba.njit(
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=_PartCompiler,
            **_OPTIONS,
            **inline,
        )(kernel.function)
    template_of = part.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        # Numba would compile callees anew for each literal that they are passed.
        plain = tuple(unliteral(arg) for arg in args)
        return template_of(plain, {name: unliteral(arg) for name, arg in kws.items()})

    part.get_call_template = get_call_template
    return part


@typeof_impl.register(Kernel)
def _typeof_kernel(value: Kernel, _context: Any) -> Any:
    """Tell numba what a kernel is inside another one."""
    return types.Dispatcher(value.part)


@typeof_impl.register(Intrinsic)
def _typeof_intrinsic(value: Intrinsic, _context: Any) -> Any:
    """Tell numba what an intrinsic is inside a kernel."""
    count = len(inspect.signature(value.function).parameters) - 2
    result = types.void if value.void else types.int64

    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        made = value.function(context, builder, *args)
        return context.get_dummy_value() if value.void else made

    return _resolved(value, count, result(*[types.int64] * count), codegen)


@typeof_impl.register(Local)
def _typeof_local(value: Local, _context: Any) -> Any:
    """Tell numba what makes a stack frame's array."""
    kind = np.dtype(value.kind)
    array = types.Array(numpy_support.from_dtype(kind), len(value.shape), "C")

    def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        word = context.get_value_type(types.intp)
        size = word(int(np.prod(value.shape)))
        data = cgutils.alloca_once(builder, context.get_data_type(array.dtype), size=size)
        return _array_over(context, builder, array, data, [word(n) for n in value.shape])

    return _resolved(value, 0, array(), codegen)


@typeof_impl.register(View)
def _typeof_view(value: View, _context: Any) -> Any:
    """Tell numba what makes an array of somebody else's memory."""
    array = types.Array(numpy_support.from_dtype(np.dtype(value.kind)), value.ndim, "C")

    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        pointer = context.get_data_type(array.dtype).as_pointer()
        data = builder.inttoptr(args[0], pointer)
        return _array_over(context, builder, array, data, list(args[1:]))

    return _resolved(value, 1 + value.ndim, array(*[types.int64] * (1 + value.ndim)), codegen)


def _array_over(context: Any, builder: Any, array: Any, data: Any, shape: Any) -> Any:
    """Emit the record of a contiguous array that owns nothing."""
    word = context.get_value_type(types.intp)
    size = word(array.dtype.bitwidth // 8)
    strides = [size]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    struct = arrayobj.make_array(array)(context, builder)
    arrayobj.populate_array(
        struct, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None
    )
    return struct._getvalue()


#: Numba's types of what was resolved; an object is resolved once.
_RESOLVED: dict[Any, Any] = {}


def _resolved(value: Any, count: int, signature: Any, codegen: Any) -> Any:
    """Register an intrinsic of `count` parameters with numba; return its type."""
    with _LOCK:
        if value not in _RESOLVED:
            # Numba counts the parameters of what it is given.
            shapes = (
                lambda _context: (signature, codegen),
                lambda _context, _a: (signature, codegen),
                lambda _context, _a, _b: (signature, codegen),
                lambda _context, _a, _b, _c: (signature, codegen),
                lambda _context, _a, _b, _c, _d: (signature, codegen),
            )
            made = intrinsic(shapes[count])
            context = cpu_target.typing_context
            context.refresh()
            _RESOLVED[value] = context.resolve_value_type(made)
        return _RESOLVED[value]


def _type_of(parameter: Parameter) -> Any:
    """Return numba's type of a parameter."""
    element = numpy_support.from_dtype(np.dtype(parameter.numpy_name))
    return types.Array(element, parameter.ndim, "C") if parameter.ndim else element


class Lowered:
    """An entry's code and that of all that it calls.

    symbol   the function's name in `modules`
    result   LLVM's type of what it returns, None for nothing
    modules  LLVM's language, a module a kernel, by name
    """

    def __init__(self, entry: Entry) -> None:
        """Type and lower the entry."""
        signature = tuple(map(_type_of, entry.parameters))
        entry.part.compile(signature)
        compiled = entry.part.overloads[signature]
        returned = compiled.signature.return_type
        if returned not in (types.none, types.int64):
            raise TypeError(f"{entry.name} returns {returned}; an entry returns int64 or nothing")
        self.symbol = compiled.fndesc.llvm_func_name
        self.returns = returned is not types.none
        self.modules = {
            # Parts of one name are told apart by what they define.
            text: text
            for library in (compiled.library, *compiled.library._linking_libraries)
            if library.name != "nrt"
            for text in (str(library._final_module),)
        }
