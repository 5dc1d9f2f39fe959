from __future__ import annotations
from typing import Any
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj, numpy_support


def local(kind: Any, *shape: int) -> Any:
    array = types.Array(numpy_support.from_dtype(np.dtype(kind)), len(shape), "C")
    itemsize = np.dtype(kind).itemsize

    @intrinsic
    def make(_typing: Any) -> Any:
        def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
            word = context.get_value_type(types.intp)
            count = int(np.prod(shape))
            element = context.get_data_type(array.dtype)
            data = cgutils.alloca_once(builder, element, size=word(count))
            struct = arrayobj.make_array(array)(context, builder)
            strides, step = [], itemsize
            for extent in reversed(shape):
                strides.insert(0, word(step))
                step *= extent
            arrayobj.populate_array(
                struct,
                data=data,
                shape=[word(s) for s in shape],
                strides=strides,
                itemsize=word(itemsize),
                meminfo=None,
            )
            return struct._getvalue()

        return array(), codegen

    return make
