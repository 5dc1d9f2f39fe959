"""Programs: the kernels of a game compiled as one, for this machine, for others, for WebAssembly.

`abi` says how an entry is called from anywhere, `lower` takes kernels to LLVM's language, `build`
to machine code for a `target`, `files` keeps it on disk, `load` brings it into this process. Only
`lower` needs numba, and only where there is nothing compiled yet. `docs/programs.md` has it all.
"""
