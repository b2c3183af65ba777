# SPDX-License-Identifier: MIT
"""Build the package. The build of spemu generates VERSION and declarations.cdef; cffi turns the latter into
spemu/_native.py.
"""
import pathlib
import sys

from setuptools import setup

version = pathlib.Path(__file__).resolve().parent / 'VERSION'
if not version.exists():
    sys.exit('VERSION is missing; build spemu first and install build/bindings/python')
setup(version=version.read_text(encoding='utf-8').strip(), cffi_modules=['build_native.py:ffi'])
