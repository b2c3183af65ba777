# SPDX-License-Identifier: MIT
"""The declarations of the bindings agree with the headers: the sizes, offsets and constants of cffi
are compared with those of the C compiler.
"""
import pathlib
import subprocess
import sys
import tempfile

import pytest

from clilib import BUILD, ROOT

pytest.importorskip('pycparser')
cffi = pytest.importorskip('cffi')
sys.path.insert(0, str(ROOT / 'include/gen'))
import binding_forms  # noqa: E402
import public_api  # noqa: E402

FOLDERS = [ROOT / 'include', BUILD / 'include']
ffi = cffi.FFI()
ffi.cdef((BUILD / 'bindings/python/declarations.cdef').read_text(encoding='utf-8'))
constants = ffi.dlopen(None)


def compiler_says(source):
    """Return {name: number}, the output of the layout program."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / 'layout'
        program.with_suffix('.c').write_text(source, encoding='utf-8')
        subprocess.run([*public_api.COMPILER, *(f'-I{each}' for each in FOLDERS), '-o', program,
                        program.with_suffix('.c')], check=True)
        out = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: int(value) for name, value in (line.rsplit(' ', 1) for line in out.splitlines())}


def cffi_says(row):
    kind, name = row.split(' ')
    if kind == 'constant':
        return getattr(constants, name)
    if kind == 'enum-sizeof':
        return ffi.sizeof(f'enum {name}')
    if kind == 'enum-signed':
        return int(int(ffi.cast(f'enum {name}', -1)) < 0)
    tag, *path = name.split('.')
    if kind in ('sizeof', 'alignof'):
        return getattr(ffi, kind)(f'struct {tag}')
    if kind == 'offset':
        return ffi.offsetof(f'struct {tag}', *path)
    inner = ffi.typeof(f'struct {tag}')
    for member in path:
        inner = dict(inner.fields)[member].type
    return ffi.sizeof(inner)


def test_layout():
    """Sizes, offsets and constants are equal in cffi and in C."""
    said = compiler_says(binding_forms.made('layout', binding_forms.read(FOLDERS)))
    different = [f'{row}: {number}, cffi has {cffi_says(row)}' for row, number in said.items() if cffi_says(row) != number]
    assert len(said) > 3000, 'enough sizes, offsets and constants'
    assert not different, 'cffi has the same sizes, offsets and constants\n' + '\n'.join(different[:20])
