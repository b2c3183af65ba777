#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`pip install` of the Python package without a network: test_pip.py BINDINGS_DIR VERSION"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tap import check, plan, skip

NEEDED = ('cffi', 'numpy', 'pip', 'setuptools', 'wheel')


def run(*command, **environment):
    return subprocess.run([sys.executable, *map(str, command)], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment})


source, version = pathlib.Path(sys.argv[1]), sys.argv[2]
missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if missing:
    skip(f"{sys.executable} has no {', '.join(missing)}")
with tempfile.TemporaryDirectory() as folder:
    # pip builds beside the sources.
    copy, installed = pathlib.Path(folder) / 'source', pathlib.Path(folder) / 'installed'
    shutil.copytree(source / 'python', copy)
    done = run('-m', 'pip', 'install', '--no-build-isolation', '--no-index', '--no-deps', '--target', installed,
               copy)
    check(done.returncode == 0, 'pip installs the package without a network', done.stdout)
    names = {path.name for path in (installed / 'spemu').glob('*')}
    check({'py.typed', '_native.py', 'decoder.py'} <= names, 'with its types and what cffi made', str(names))
    check((installed / f'spemu-{version}.dist-info').is_dir(), "its version is the library's",
          str(sorted(path.name for path in installed.iterdir())))
    done = run(source / 'python/examples/embed.py', PYTHONPATH=str(installed))
    expected = subprocess.run([os.environ['SPEMU_EMBED']], check=True, stdout=subprocess.PIPE, text=True).stdout
    check(done.stdout == expected, 'an example runs with it', done.stdout)
    done = run('-c', 'import spemu', PYTHONPATH=str(installed), SPEMU_LIB_DIR='/nowhere')
    check(done.returncode != 0 and 'install libspemu0 and libspemu-trace0, or name their folder in SPEMU_LIB_DIR' in done.stdout,
          'a library that is not there is an error with its remedy', done.stdout)
plan()
