# SPDX-License-Identifier: MIT
"""tests/mutation/mutate: the mutants that it makes of a file, and runs for a project with a library
and a program."""
import json
import os
import shutil
import subprocess
import sys

import pytest

import mutator
from clilib import ROOT

TINY = '''
#include <stdbool.h>
#define TWICE(x) ((x) * 2)
static const int table[3] = {0x10, 7};

int pick(const int *p, int n)
{
	char room[8];

	for (int i = 0; i < n; i++)
		n += p[i];
	if (n == 3 && !p)
		return -n;
	/* a < b in a comment */
	room[n] = '<';
	free(p);
	rooms_free(p);
	while (room[n])
		TWICE(n);
	return n > room[n] ? n & ~n : n << n;
}

double rate(void)
{
	return 1e6;
}
'''
EXPECTED = '''
rate     return (1e6 + 1);
table    static const int table[3] = {0x11, 7};
table    static const int table[3] = {0xf, 7};
table    static const int table[3] = {0x10, 6};
table    static const int table[3] = {0x10, 8};
pick     for (int i = 1; i < n; i++)
pick     for (int i = 0; i <= n; i++)
pick     for (int i = 0; i >= n; i++)
pick     for (int i = 0; i < n; i--)
pick     ;
pick     n -= p[i];
pick     if (!(n == 3 && !p))
pick     if (n != 3 && !p)
pick     if (n == 2 && !p)
pick     if (n == 4 && !p)
pick     if (n == 3 || !p)
pick     if (n == 3 && p)
pick     ;
pick     return n;
pick     ;
pick     while (!(room[n]))
pick     ;
pick     ;
pick     return n <= room[n] ? n & ~n : n << n;
pick     return n >= room[n] ? n & ~n : n << n;
pick     return n > room[n] ? n << n : n & ~n;
pick     return n > room[n] ? n | ~n : n << n;
pick     return n > room[n] ? n & n : n << n;
pick     return n > room[n] ? n & ~n : n >> n;
rate     ;
'''


def test_operators():
    found = mutator.mutants_of('tiny.c', TINY)
    expected = [tuple(line.split(None, 1)) for line in EXPECTED.strip().splitlines()]
    assert sorted((m.function, m.after) for m in found) == sorted(expected), \
        'each operator makes its mutants, and no others'
    assert all(len(mutator.apply(TINY, m).splitlines()) <= len(TINY.splitlines()) and
               ' '.join(mutator.apply(TINY, m).split()) ==
               ' '.join((TINY[:m.begin] + m.new + TINY[m.end:]).split()) for m in found), 'a mutant is one change'
    assert len({mutator.key(m) for m in found}) == len(found), 'mutants have different keys'
    moved = mutator.mutants_of('tiny.c', '\n\n/* more */\n' + TINY)
    assert [mutator.key(m) for m in moved] == [mutator.key(m) for m in found], 'keys do not depend on line numbers'
    twice = [m for m in mutator.mutants_of('t.c', 'void f(void)\n{\n\tg();\n\tg();\n}\n')]
    assert [(m.line, m.number) for m in twice] == [(3, 1), (4, 2)], 'equal lines are numbered'

    # The test of the library detects changes of min() except for equal numbers. The program is its own test.


PROJECT = {
    'meson.build': '''project('tiny', 'c', default_options: ['werror=true', 'warning_level=3'])
subdir('lib')
subdir('tools')
test('min', executable('test_min', 'test_min.c', link_with: shared), suite: 'unit')
''',
    'meson_options.txt': '''option('plugin', type: 'feature')
option('library', type: 'string')
option('plugin_file', type: 'string')
''',
    'lib/meson.build': '''archive = static_library('spemu', 'min.c', pic: true)
shared = shared_library('spemu-replaceable', objects: archive.extract_all_objects(recursive: false))
''',
    'lib/min.c': '''int min(int a, int b);
int unused(int a);
int loop(int a);

int min(int a, int b)
{
	return a < b ? a : b;
}

int unused(int a)
{
	return !a;
}

int loop(int a)
{
	while (a < 10)
		a++;
	return a;
}
''',
    'tools/meson.build': f'''tiny = executable('tiny', 'tiny.c', 'twice.c')
test('cli_tiny', tiny, suite: 'cli')
test('cli_cases', find_program('{sys.executable}'), args: ['-m', 'pytest', '-q', files('test_cases.py')],
  env: {{'SPEMU': tiny.full_path()}}, depends: tiny, suite: 'cli')
''',
    'tools/test_cases.py': '''import os
import subprocess


def test_nothing():
    pass


def test_thrice():
    subprocess.run([os.environ['SPEMU'], 'thrice'], check=True)
''',
    'tools/twice.h': '''static inline int half(int a)
{
	return a / 2;
}

int twice(int a);
int thrice(int a);
int unused(int a);
''',
    'tools/twice.c': '''#include "twice.h"

int twice(int a)
{
	return a * 2;
}

int thrice(int a)
{
	return a * 3;
}

int unused(int a)
{
	return !a;
}
''',
    'tools/tiny.c': '''#include "twice.h"

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return thrice(2) == 6 ? 0 : 1;
	return twice(0) == 0 && twice(3) == 6 && half(6) == 3 ? 0 : 1;
}
''',
    'test_min.c': '''int min(int a, int b);
int loop(int a);

int main(void)
{
	return min(1, 2) != 1 || min(2, 1) != 1 || loop(3) != 10;
}
''',
}
EQUIVALENT = '''lib/min.c min
- return a < b ? a : b;
+ return a <= b ? a : b;
= equal numbers are the same number
'''


def mutate(folder, *arguments):
    return subprocess.run([sys.executable, os.path.join(folder, 'tests/mutation/mutate'), *arguments],
                          capture_output=True, text=True, check=False)


def project(folder, equivalent):
    files = {**PROJECT, 'tests/mutation/equivalent.txt': equivalent}
    there = os.path.join(folder, 'tests/mutation')
    os.makedirs(there, exist_ok=True)
    for name in ('mutate', 'mutator.py', 'mutation_build.py', 'mutation_tree.py', 'count.c', 'count-cc'):
        shutil.copy(os.path.join(ROOT, 'tests/mutation', name), there)
    for name, text in files.items():
        os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
            f.write(text)


@pytest.mark.parametrize('part', ('lib', 'tools', 'hosts'))
def test_equivalent(part):
    """Each equivalent mutant exists."""
    r = mutate(ROOT, '--part', part, '--list', '--count', '1')
    assert r.returncode == 0 and not r.stderr, r.stderr


def test_library(tmp_path):
    project(tmp_path, EQUIVALENT)
    listing = os.path.join(tmp_path, 'results.json')
    r = mutate(tmp_path, '--count', '0', '--minimum', '50', '--json', listing)
    assert r.returncode == 0 and 'Traceback' not in r.stderr, f'a run above the minimum succeeds\n{r.stderr}'
    with open(listing, encoding='utf-8') as f:
        results = json.load(f)
    status = {(m['function'], m['after']): m['status'] for m in results['mutants']}
    assert status[('min', 'return a >= b ? a : b;')] == 'killed', 'an inverted comparison is killed'
    assert status[('min', 'return a < b ? b : a;')] == 'killed', 'exchanged branches are killed'
    assert status[('unused', 'return a;')] == 'not covered', 'code that no test runs is not covered'
    assert status[('loop', 'a--;')] == 'killed', 'a mutant that takes another path is killed'
    how = {m['after']: m['how'] for m in results['mutants']}
    assert how['while (a >= 10)'] == 'failed', 'a loop that does not begin fails'
    assert how[';'] == 'timeout', 'a mutant that hangs is stopped'
    assert status[('min', ';')] == 'refused', 'a mutant that does not compile is refused'
    assert ('min', 'return a <= b ? a : b;') not in status, f'an equivalent mutant is not run\n{status}'
    with open(os.path.join(tmp_path, 'lib', 'min.c'), encoding='utf-8') as f:
        assert f.read() == PROJECT['lib/min.c'], 'the source is unchanged'
    left = os.listdir(os.path.join(tmp_path, 'build-mutate', 'mutation'))
    assert [name for name in left if name.startswith('job')] == [], 'copies are removed'
    assert mutate(tmp_path, '--count', '0', '--minimum', '99').returncode == 1, 'a run below the minimum fails'
    r = mutate(tmp_path, '--count', '0', '--seconds', '0')
    assert '\n0 mutants: ' in '\n' + r.stdout, f'after the last second, no mutant begins\n{r.stdout}'


def test_program(tmp_path):
    """Mutants of the program are made in a copy of the source tree."""
    project(tmp_path, EQUIVALENT)
    listing = os.path.join(tmp_path, 'results.json')
    r = mutate(tmp_path, '--part', 'tools', '--count', '0', '--minimum', '50', '--json', listing)
    assert r.returncode == 0 and 'Traceback' not in r.stderr, f'a run for the program succeeds\n{r.stderr}'
    with open(listing, encoding='utf-8') as f:
        results = json.load(f)
    status = {(m['path'], m['function'], m['after']): m['status'] for m in results['mutants']}
    assert status[('tools/twice.c', 'twice', 'return a / 2;')] == 'killed', "the program's test kills a mutant"
    assert status[('tools/twice.c', 'unused', 'return a;')] == 'not covered', \
        'code that the program does not run is not covered'
    assert status[('tools/twice.h', 'half', 'return a / 3;')] == 'killed', \
        'a mutant of a header affects each file that includes it'
    assert status[('tools/twice.c', 'twice', ';')] == 'refused', 'a mutant that does not compile is refused'
    test = {m['after']: m['test'] for m in results['mutants']}
    assert test['return a * 4;'] == 'cli_cases:test_thrice', 'the case that runs the line is run'
    assert all(path.startswith('tools/') for path, *_ in status), f'the library is another part\n{status}'
    with open(os.path.join(tmp_path, 'build-mutate', 'tree', 'tree', 'tools', 'twice.c'), encoding='utf-8') as f:
        assert f.read() == PROJECT['tools/twice.c'], 'the copy is restored'
    with open(os.path.join(tmp_path, 'tools', 'twice.c'), 'w', encoding='utf-8') as f:
        f.write(PROJECT['tools/twice.c'].replace('a * 2', 'a + a'))
    r = mutate(tmp_path, '--part', 'tools', '--count', '0', '--json', listing)
    with open(listing, encoding='utf-8') as f:
        results = json.load(f)
    assert [m['status'] for m in results['mutants'] if m['after'] == 'return a - a;'] == ['killed'], \
        'a change of the source reaches the copy'
    assert mutate(tmp_path, '--part', 'tools', '--jobs', '2').returncode == 2, '--jobs is rejected for the program'


def test_wrong_lists(tmp_path):
    project(tmp_path, EQUIVALENT + '+ return a >= b ? a : b;\n= wrong\n')
    r = mutate(tmp_path, '--list')
    assert r.returncode == 2 and 'not understood' in r.stderr, f'a pair without its first line is rejected\n{r.stderr}'
    project(tmp_path, EQUIVALENT.replace('a < b', 'a > b'))
    r = mutate(tmp_path, '--list')
    assert r.returncode == 1 and 'no such mutant' in r.stderr, f'an entry that matches nothing is reported\n{r.stderr}'
    project(tmp_path, EQUIVALENT.replace('a <= b', 'a >= b'))
    r = mutate(tmp_path, '--equivalent')
    assert r.returncode == 1 and 'a test kills it' in r.stderr, \
        f'an entry that is not equivalent is reported\n{r.stderr}'
