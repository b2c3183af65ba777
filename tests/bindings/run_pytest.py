#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the tests of the Python package and print TAP: run_pytest.py SOURCE_DIR

The package is built in a separate folder, from the sources and the module that cffi generates from
declarations.cdef.
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import own_environment  # for what it does
from pytest_tap import Tap

NEEDED = ('cffi', 'numpy', 'pytest')


def main(source):
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"1..0 # SKIP {sys.executable} has no {', '.join(missing)}")
        return 0
    import pytest
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / 'spemu'
        shutil.copytree(source / 'spemu', package, ignore=shutil.ignore_patterns('_native.py', '__pycache__'))
        subprocess.run([sys.executable, source / 'build_native.py', package / '_native.py'], check=True,
                       stdout=subprocess.DEVNULL)
        sys.path.insert(0, folder)
        os.environ['PYTHONPATH'] = folder
        return pytest.main(['-p', 'no:cacheprovider', str(source / 'tests')], plugins=[Tap()])


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
