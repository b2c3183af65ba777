# SPDX-License-Identifier: MIT
"""Generate spemu/_native.py, cffi's description of libspemu, from declarations.cdef: build_native.py OUTPUT

It needs no compiler, because the package opens the library when it is imported (cffi's ABI mode).
"""
import pathlib
import sys

import cffi

ffi = cffi.FFI()
ffi.cdef((pathlib.Path(__file__).resolve().parent / 'declarations.cdef').read_text(encoding='utf-8'))
ffi.set_source('spemu._native', None)

if __name__ == '__main__':
    ffi.emit_python_code(sys.argv[1])
