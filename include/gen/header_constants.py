# SPDX-License-Identifier: MIT
"""Find the constants that the public headers define.

The constants are all enumerators, and the macros without parameters whose value is a number, except for the version.
"""
import pathlib
import subprocess
import tempfile

import public_api


def is_number(text):
    return text.strip() and not text.startswith('(') and '"' not in text and '_Pragma' not in text


def values(folders):
    """Return {name: number}, sorted by name."""
    api = public_api.declared(folders)
    names = sorted(api.enumerators | {
        name for name, text in api.macros.items()
        if is_number(text) and not name.startswith(('SPEMU_VERSION', 'SPEMU_BEGIN_', 'SPEMU_END_'))})
    source = ['#include <stdio.h>']
    source += [f'#include <spemu/{path.name}>' for path in public_api.public_headers(folders)]
    source += ['int main(void) {',
               *(f'\tprintf("%d %llu\\n", ({name}) < 0, (unsigned long long)({name}));' for name in names),
               '}']
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / 'constants'
        program.with_suffix('.c').write_text('\n'.join(source), encoding='utf-8')
        subprocess.run([*public_api.COMPILER, *(f'-I{f}' for f in folders), '-o', program,
                        program.with_suffix('.c')], check=True)
        out = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = ([int(word) for word in line.split()] for line in out.splitlines())
    return {name: number - (negative << 64) for name, (negative, number) in zip(names, rows)}
