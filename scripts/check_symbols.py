#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One namespace: check_symbols.py ARCHIVE INCLUDE_DIR...

Every global symbol of the archive is spemu_x, and then a public header declares it, or spemu__x,
which only the library itself calls, and then none does; every function and variable of the public
headers is in the archive; and what else the headers name is SPEMU_X (macros, enumerators) or
spemu_x (tags, types). INCLUDE_DIR is a folder with a folder spemu; several, where some are generated.
"""
import re
import sys

import public_api

PUBLIC = re.compile(r'spemu_[a-z0-9]')
PRIVATE = re.compile(r'spemu__[a-z0-9]')


def symbol_problems(symbols, api):
    objects = api.functions | api.variables
    for name in symbols - objects:
        if PUBLIC.match(name):
            yield f'{name}: is in the archive, but no public header declares it; private is spemu__'
        elif not PRIVATE.match(name):
            yield f'{name}: a global symbol of the archive without the prefix spemu_ or spemu__'
    for name in objects - symbols:
        yield f'{name}: a public header declares it, but the archive does not have it'


def header_problems(api):
    for name in api.functions | api.variables | api.types:
        if not PUBLIC.match(name):
            yield f'{name}: a public header declares it without the prefix spemu_'
    for name in {*api.macros, *api.enumerators}:
        if not name.startswith('SPEMU_'):
            yield f'{name}: a public header defines it without the prefix SPEMU_'


def main(archive, folders):
    api = public_api.declared(folders)
    symbols = public_api.defined(archive)
    if not symbols or not api.functions:
        sys.exit(f'{archive}: no symbols, or no functions in {folders}')
    problems = sorted({*symbol_problems(symbols, api), *header_problems(api)})
    for problem in problems:
        print(problem)
    print(f'{len(symbols)} symbols, {len(api.functions)} public functions, {len(api.macros)} macros, '
          f'{len(api.enumerators)} enumerators: {len(problems)} problems')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2:]))
