#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tests of the Python package, as TAP: run_pytest.py SOURCE_DIR

The package is made in a folder of its own, of the sources and what cffi makes of declarations.cdef.
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import own_environment  # for what it does

NEEDED = ('cffi', 'numpy', 'pytest')


class Tap:
    """A plugin of pytest: a line for each test when it has ended."""

    def __init__(self):
        self.count = 0
        self.out = open(os.dup(1), 'w', encoding='utf-8')  # pytest has the other one

    def pytest_collectreport(self, report):
        if report.failed:
            self.show(report)

    def pytest_runtest_logreport(self, report):
        if report.when != 'call' and report.passed:
            return
        self.show(report)

    def show(self, report):
        self.count += 1
        name = report.nodeid.split('/')[-1].replace('#', ' ')
        if report.skipped:
            self.out.write(f'ok {self.count} - {name} # SKIP {report.longrepr[2]}\n')
            return
        self.out.write(f"{'ok' if report.passed else 'not ok'} {self.count} - {name}\n")
        for line in report.longreprtext.splitlines() if report.failed else []:
            self.out.write(f'# {line}\n')


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
        tap = Tap()
        with open(os.devnull, 'w', encoding='utf-8') as sys.stdout:
            status = pytest.main(['-p', 'no:cacheprovider', str(source / 'tests')], plugins=[tap])
        tap.out.write(f'1..{tap.count}\n')
    return status


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
