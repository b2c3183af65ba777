# SPDX-License-Identifier: MIT
"""The version is that of the library; cffi makes spemu/_native.py of declarations.cdef."""
import pathlib
import re

from setuptools import setup

project = pathlib.Path(__file__).resolve().parents[2] / 'meson.build'
version = re.search(r"version: '([^']+)'", project.read_text(encoding='utf-8'))[1]
setup(version=version, cffi_modules=['build_native.py:ffi'])
