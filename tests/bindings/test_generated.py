#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the bindings declare is what the headers say: test_generated.py SOURCE_DIR BINDINGS_DIR INCLUDE_DIR...

Sizes, offsets and constants as cffi and the C compiler have them are compared.
"""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

from tap import check, plan, skip

NEEDED = ('pycparser', 'cffi')


def compiler_says(source):
    """The rows of the layout program: name -> number."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / 'layout'
        program.with_suffix('.c').write_text(source, encoding='utf-8')
        subprocess.run([*public_api.COMPILER, *(f'-I{each}' for each in folders), '-o', program,
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


missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if missing:
    skip(f"{sys.executable} has no {', '.join(missing)}")
import cffi  # noqa: E402

root, packages, folders = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
sys.path.insert(0, str(root / 'include/gen'))
import binding_forms  # noqa: E402
import public_api  # noqa: E402

interface = binding_forms.read(folders)
ffi = cffi.FFI()
ffi.cdef((packages / 'python/declarations.cdef').read_text(encoding='utf-8'))
constants = ffi.dlopen(None)
said = compiler_says(binding_forms.made('layout', interface))
different = [f'{row}: {number}, cffi has {cffi_says(row)}' for row, number in said.items()
             if cffi_says(row) != number]
check(len(said) > 3000, 'there are sizes, offsets and constants to compare', str(len(said)))
check(not different, 'cffi has the same sizes, offsets and constants', '\n'.join(different[:20]))
plan()
