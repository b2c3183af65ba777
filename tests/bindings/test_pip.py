# SPDX-License-Identifier: MIT
"""`pip install` of the Python package without a network."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys

import pytest

from clilib import BUILD

MISSING = [name for name in ('cffi', 'numpy', 'pip', 'setuptools', 'wheel') if importlib.util.find_spec(name) is None]
if MISSING:
    pytest.skip(f"{sys.executable} has no {', '.join(MISSING)}", allow_module_level=True)
VERSION = json.loads((BUILD / 'meson-info/intro-projectinfo.json').read_text(encoding='utf-8'))['version']


def run(*command, **environment):
    return subprocess.run([sys.executable, *map(str, command)], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**os.environ, 'SPEMU_LIB_DIR': str(BUILD / 'lib'), **environment})


def test_pip(tmp_path):
    # pip builds beside the sources.
    copy, installed = tmp_path / 'source', tmp_path / 'installed'
    shutil.copytree(BUILD / 'bindings/python', copy)
    done = run('-m', 'pip', 'install', '--no-build-isolation', '--no-index', '--no-deps', '--target', installed,
               copy)
    assert done.returncode == 0, f'pip installs the package without a network\n{done.stdout}'
    names = {path.name for path in (installed / 'spemu').glob('*')}
    assert {'py.typed', '_native.py', 'decoder.py'} <= names, f'with its types and what cffi made\n{names}'
    assert (installed / f'spemu-{VERSION}.dist-info').is_dir(), \
        f"its version is the library's\n{sorted(path.name for path in installed.iterdir())}"
    done = run(BUILD / 'bindings/python/examples/embed.py', PYTHONPATH=str(installed))
    expected = subprocess.run([BUILD / 'examples/embed'], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert done.stdout == expected, f'an example runs with it\n{done.stdout}'
    done = run('-c', 'import spemu', PYTHONPATH=str(installed), SPEMU_LIB_DIR='/nowhere')
    assert done.returncode != 0 and 'install libspemu0 and libspemu-trace0, or name their folder in SPEMU_LIB_DIR' in done.stdout, \
        f'a library that is not there is an error with its remedy\n{done.stdout}'
