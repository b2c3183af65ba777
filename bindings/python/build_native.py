# SPDX-License-Identifier: MIT
"""Makes spemu/_native.py, what cffi knows of libspemu, of declarations.cdef: build_native.py OUTPUT

No compiler is needed: the library is opened when the package is imported (cffi's ABI mode).
"""
import pathlib
import sys

import cffi

ffi = cffi.FFI()
ffi.cdef((pathlib.Path(__file__).resolve().parent / 'declarations.cdef').read_text(encoding='utf-8'))
ffi.set_source('spemu._native', None)

if __name__ == '__main__':
    ffi.emit_python_code(sys.argv[1])
