# SPDX-License-Identifier: MIT
"""scripts/checks/symbols finds each kind of mistake, in small libraries with one mistake each."""
import os
import subprocess
import sys

import pytest

from clilib import ROOT

CHECK = ROOT / 'scripts/checks/symbols'
HEADER = '''#define SPEMU_MACRO 1
enum spemu_kind { SPEMU_KIND_A, SPEMU_KIND_B = (1 << 2), };
struct spemu_thing { enum { SPEMU_NESTED } kind; int (*call)(void *thing, int size); };
typedef int (*spemu_fn)(void);
struct spemu_opaque;
static inline int spemu_inline(void) { return SPEMU_MACRO; }
extern const char *const spemu_table[2];
int spemu_one(struct spemu_thing *thing,
              spemu_fn fn);
'''
SOURCE = '''#include <spemu/x.h>
const char *const spemu_table[2];
int spemu_one(struct spemu_thing *t, spemu_fn f) { return t && f; }
int spemu__two(void) { return 2; }
static int own(void) { return 3; }
int (*spemu__three)(void) = own;
'''


def check(folder, header, source):
    """Run the check for a library with this header and source. Return its status and output."""
    os.mkdir(f'{folder}/spemu')
    for name, text in (('spemu/x.h', header), ('x.c', source)):
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as f:
            f.write(text)
    subprocess.run(['cc', '-c', f'-I{folder}', '-o', f'{folder}/x.o', f'{folder}/x.c'], check=True)
    subprocess.run(['ar', 'rc', f'{folder}/x.a', f'{folder}/x.o'], check=True)
    return subprocess.run([sys.executable, CHECK, f'{folder}/x.a', 'x.h', folder],
                          stdout=subprocess.PIPE, text=True, check=False)


CASES = (  # the mistake, additional text of the header and of the source, the reported name
    ('nothing', '', '', None),
    ('a foreign symbol', '', 'int check_write(void) { return 0; }', 'check_write'),
    ('a foreign variable', '', 'int limit = 1;', 'limit'),
    ('a prefix that only looks right', '', 'int spemux(void) { return 0; }', 'spemux'),
    ('a public symbol without a header', '', 'int spemu_new(void) { return 0; }', 'spemu_new'),
    ('a function without a definition', 'void spemu_gone(void);', '', 'spemu_gone'),
    ('a variable without a definition', 'extern int spemu_gone[];', '', 'spemu_gone'),
    ('a private function in a header', 'int spemu__two(void);', '', 'spemu__two'),
    ('a foreign macro', '#define LIMIT 1', '', 'LIMIT'),
    ('a macro in lower case', '#define spemu_limit 1', '', 'spemu_limit'),
    ('a foreign enumerator', 'enum spemu_e { SPEMU_X, OTHER = 4 };', '', 'OTHER'),
    ('a foreign tag', 'struct thing { int x; };', '', 'thing'),
    ('a foreign typedef', 'typedef unsigned word;', '', 'word'),
)


@pytest.mark.parametrize("header, source, name", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_symbols(tmp_path, header, source, name):
    result = check(tmp_path, f'{HEADER}{header}\n', f'{SOURCE}{source}\n')
    complaints = [line.split(':')[0] for line in result.stdout.splitlines()[:-1]]
    assert (result.returncode, complaints) == ((1, [name]) if name else (0, [])), result.stdout
