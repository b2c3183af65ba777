#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/mutation/mutate: which mutants it makes of a file, and runs over a project of a library and a program.

usage: test_mutate.py SOURCE_ROOT
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'cli'))

import mutator  # noqa: E402
from clilib import check, done, equal  # noqa: E402

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
found = mutator.mutants_of('tiny.c', TINY)
equal(sorted((m.function, m.after) for m in found),
      sorted(tuple(line.split(None, 1)) for line in EXPECTED.strip().splitlines()),
      'each operator, and nothing else')
check(all(len(mutator.apply(TINY, m).splitlines()) <= len(TINY.splitlines()) and
          ' '.join(mutator.apply(TINY, m).split()) ==
          ' '.join((TINY[:m.begin] + m.new + TINY[m.end:]).split()) for m in found), 'a mutant is one change')
equal(len({mutator.key(m) for m in found}), len(found), 'keys are different')
moved = mutator.mutants_of('tiny.c', '\n\n/* more */\n' + TINY)
equal([mutator.key(m) for m in moved], [mutator.key(m) for m in found], 'keys do not move with lines')
twice = [m for m in mutator.mutants_of('t.c', 'void f(void)\n{\n\tg();\n\tg();\n}\n')]
equal([(m.line, m.number) for m in twice], [(3, 1), (4, 2)], 'equal lines are numbered')

# The library's test notices what min() returns, though not for equal numbers; the program is its own test.
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
    'tools/meson.build': '''tiny = executable('tiny', 'tiny.c', 'twice.c')
test('cli_tiny', tiny, suite: 'cli')
test('cli_cases', find_program('cases.py'), args: tiny, suite: 'cli')
''',
    'tools/cases.py': '''#!/usr/bin/env python3
import os
import subprocess
import sys


def select_case(names):
    if 'SPEMU_TEST_CASE' in os.environ:
        names['test_' + os.environ['SPEMU_TEST_CASE']]()


def test_nothing():
    pass


def test_thrice():
    sys.exit(subprocess.run([sys.argv[1], 'thrice']).returncode)


select_case(globals())
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
    os.chmod(os.path.join(folder, 'tools/cases.py'), 0o755)


for part in ('lib', 'tools', 'hosts'):
    r = mutate(ROOT, '--part', part, '--list', '--count', '1')
    check(r.returncode == 0 and not r.stderr, f'each equivalent mutant of {part}/ exists', r.stderr)

with tempfile.TemporaryDirectory(prefix='spemu-mutate-') as folder:
    project(folder, EQUIVALENT)
    listing = os.path.join(folder, 'results.json')
    r = mutate(folder, '--count', '0', '--minimum', '50', '--json', listing)
    check(r.returncode == 0 and 'Traceback' not in r.stderr, 'a run above the minimum', r.stderr)
    with open(listing, encoding='utf-8') as f:
        results = json.load(f)
    status = {(m['function'], m['after']): m['status'] for m in results['mutants']}
    equal(status[('min', 'return a >= b ? a : b;')], 'killed', 'the other comparison is noticed')
    equal(status[('min', 'return a < b ? b : a;')], 'killed', 'exchanged branches are noticed')
    equal(status[('unused', 'return a;')], 'not covered', 'what no test runs is told apart')
    equal(status[('loop', 'a--;')], 'killed', 'a mutant that takes a different way is noticed')
    how = {m['after']: m['how'] for m in results['mutants']}
    equal(how['while (a >= 10)'], 'failed', 'a loop that does not begin is noticed')
    equal(how[';'], 'timeout', 'a mutant that hangs is stopped')
    equal(status[('min', ';')], 'refused', 'what does not compile does not count')
    check(('min', 'return a <= b ? a : b;') not in status, 'an equivalent mutant is not run', str(status))
    with open(os.path.join(folder, 'lib', 'min.c'), encoding='utf-8') as f:
        equal(f.read(), PROJECT['lib/min.c'], 'the source is as before')
    equal([n for n in os.listdir(os.path.join(folder, 'build-mutate', 'mutation')) if n.startswith('job')], [],
          'copies are removed')
    equal(mutate(folder, '--count', '0', '--minimum', '99').returncode, 1, 'a run below the minimum')
    r = mutate(folder, '--count', '0', '--seconds', '0')
    check('\n0 mutants: ' in '\n' + r.stdout, 'after the last second none begins', r.stdout)
    # Of the program, made of a copy of the tree.
    r = mutate(folder, '--part', 'tools', '--count', '0', '--minimum', '50', '--json', listing)
    check(r.returncode == 0 and 'Traceback' not in r.stderr, 'a run over the program', r.stderr)
    with open(listing, encoding='utf-8') as f:
        results = json.load(f)
    status = {(m['path'], m['function'], m['after']): m['status'] for m in results['mutants']}
    equal(status[('tools/twice.c', 'twice', 'return a / 2;')], 'killed', "the program's test notices")
    equal(status[('tools/twice.c', 'unused', 'return a;')], 'not covered', 'what the program does not run is told apart')
    equal(status[('tools/twice.h', 'half', 'return a / 3;')], 'killed', 'a mutant of a header is in each file')
    equal(status[('tools/twice.c', 'twice', ';')], 'refused', 'what does not compile is not linked')
    test = {m['after']: m['test'] for m in results['mutants']}
    equal(test['return a * 4;'], 'cli_cases:thrice', 'the case that runs the line is run')
    check(all(path.startswith('tools/') for path, *_ in status), 'the library is another part', str(status))
    with open(os.path.join(folder, 'build-mutate', 'tree', 'tree', 'tools', 'twice.c'), encoding='utf-8') as f:
        equal(f.read(), PROJECT['tools/twice.c'], 'the copy is as before')
    with open(os.path.join(folder, 'tools', 'twice.c'), 'w', encoding='utf-8') as f:
        f.write(PROJECT['tools/twice.c'].replace('a * 2', 'a + a'))
    r = mutate(folder, '--part', 'tools', '--count', '0', '--json', listing)
    with open(listing, encoding='utf-8') as f:
        results = json.load(f)
    equal([m['status'] for m in results['mutants'] if m['after'] == 'return a - a;'], ['killed'],
          'a change of the source comes into the copy')
    equal(mutate(folder, '--part', 'tools', '--jobs', '2').returncode, 2, 'the program has one build')
    project(folder, EQUIVALENT + '+ return a >= b ? a : b;\n= wrong\n')
    r = mutate(folder, '--list')
    check(r.returncode == 2 and 'not understood' in r.stderr, 'a pair without its first line', r.stderr)
    project(folder, EQUIVALENT.replace('a < b', 'a > b'))
    r = mutate(folder, '--list')
    check(r.returncode == 1 and 'no such mutant' in r.stderr, 'an entry that matches nothing', r.stderr)
    project(folder, EQUIVALENT.replace('a <= b', 'a >= b'))
    r = mutate(folder, '--equivalent')
    check(r.returncode == 1 and 'a test kills it' in r.stderr, 'an entry that is not equivalent', r.stderr)
done()
