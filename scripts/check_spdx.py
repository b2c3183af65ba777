#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every source file names its license in its first lines, and the right one for its folder."""
import pathlib
import subprocess
import sys

SUFFIXES = {'.c', '.cpp', '.h', '.py', '.build', '.S', '.ini'}


def main():
    names = subprocess.run(['git', 'ls-files'], check=True, capture_output=True, text=True).stdout
    problems = 0
    for name in names.split('\n'):
        path = pathlib.Path(name)
        in_scope = path.suffix in SUFFIXES or name == 'Makefile' or name.startswith('scripts/')
        if not name or not in_scope or not path.is_file():
            continue
        head = path.read_text(encoding='utf-8')[:300]
        gpl = name.startswith('hosts/qemu') or name == 'bench/branch_trace.c'  # QEMU loads them
        wanted = f'SPDX-License-Identifier: {"GPL-2.0-or-later" if gpl else "MIT"}'
        if wanted not in head:
            print(f'{name}: "{wanted}" is missing')
            problems += 1
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
