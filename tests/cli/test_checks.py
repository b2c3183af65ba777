# SPDX-License-Identifier: MIT
"""scripts/check.sh and the closing lines of `make check`: what failed is counted, and each command
that is printed after a failure repeats it; and the counts of docs/testing.md.

usage: test_checks.py SOURCE_ROOT
"""
import pathlib
import subprocess
import sys

from clilib import Folder, check, done, equal, select_case

SOURCE = pathlib.Path(sys.argv[1])
PROJECT = """project('inner', meson_version: '>=1.0.0')
sh = find_program('sh')
test('good', sh, args: ['-c', 'echo 1..2; echo ok 1 - one; echo ok 2 - two'], protocol: 'tap', suite: 's')
test('bad', sh, args: ['-c', '''
  echo 1..2
  echo ok 1 - one
  if [ -z "${SPEMU_TEST_CASE+x}" ] || [ "$SPEMU_TEST_CASE" = third ]; then
    echo "not ok 2 - two, it's bad [SPEMU_TEST_CASE=third]"
  else
    echo ok 2
  fi'''], protocol: 'tap', suite: 's')
test('crashed', sh, args: ['-c', 'echo 1..1; echo ok 1 - one; exit 3'], protocol: 'tap', suite: 's')
test('needs', sh, args: ['-c', 'echo 1..1; echo "ok 1 - one # SKIP no network"'], protocol: 'tap', suite: 's')
test('other', sh, args: ['-c', 'exit 1'], suite: 't')
"""
SCRIPT = """
set -u
results=$PWD/results
mkdir "$results"
. "$1/scripts/check.sh"
check fine true
check unfit sh -c 'echo no such tool; exit 77'
check quoted sh -c 'echo "it'"'"'s wrong"; exit 1'
configure "$PWD/build" "$PWD/inner"
test_environment='FIRST=1 SECOND=2'
run_tests inner "$PWD/build" --suite s
run_tests missing "$PWD/nowhere" --suite s
python3 "$1/scripts/test_summary.py" "$results"
"""


def shell(command, folder, *arguments):
    return subprocess.run(['sh', '-c', command, 'sh', *arguments], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def closing(text):
    """The lines of the summary: names that failed, each with the command after it."""
    rows = text.splitlines()
    return {rows[i][len('FAILED   '):]: rows[i + 1].strip()
            for i in range(len(rows)) if rows[i].startswith('FAILED   ')}


def test_failures_can_be_repeated():
    with Folder() as folder:
        path = pathlib.Path(folder.path)
        (path / 'inner').mkdir()
        (path / 'inner' / 'meson.build').write_text(PROJECT, encoding='utf-8')
        ran = shell(SCRIPT, path, str(SOURCE))
        failures = closing(ran.stdout)
        check(ran.returncode == 1, 'the exit status says that something failed', ran.stdout)
        # configure-build, fine; one, two of good; one of bad; one of crashed.
        equal(ran.stdout.splitlines()[-1], '6 passed, 3 failed, 2 skipped', 'the closing line')
        equal(len(failures), 3, 'what failed is named')
        check('\nskipped  unfit: no such tool\n' in ran.stdout, 'and why a check was skipped', ran.stdout)
        for name, command in failures.items():
            again = shell(command, path)
            check(again.returncode != 0, f'{name}: the command fails', f'{command}\n{again.stdout}')
        case = next((c for n, c in failures.items() if 'bad' in n), '')
        check(case.startswith('SPEMU_TEST_CASE=third FIRST=1 SECOND=2 meson test'),
              'one case alone, with its environment', case)
        other = shell(case.replace('=third', '=second'), path)
        check(other.returncode == 0, 'and not another', other.stdout)


def counted(path, rows, skipped=False):
    """What scripts/check_testing.py says where suite s has 2 programs with 20 cases each; rows: the page's."""
    (path / 'docs').mkdir(exist_ok=True)
    (path / 'docs' / 'testing.md').write_text(
        '| suite | what | programs | cases |\n|---|---|---|---|\n' + rows, encoding='utf-8')
    case = '<testcase name="n">' + ('<skipped/>' if skipped else '') + '</testcase>'
    suites = ''.join(f'<testsuite name="p.p:s / t{n}">{case * 20}</testsuite>' for n in range(2))
    (path / 'gcc.xml').write_text(f'<testsuites>{suites}</testsuites>', encoding='utf-8')
    ran = subprocess.run([sys.executable, str(SOURCE / 'scripts' / 'check_testing.py'), '.'], cwd=path,
                         text=True, capture_output=True, check=False)
    return ran.returncode, ran.stdout


def test_counts_of_the_page():
    with Folder() as folder:
        path = pathlib.Path(folder.path)
        equal(counted(path, '| `s` | x | 2 | 40 |\n'), (0, ''), 'the counts that are there')
        equal(counted(path, '| `s` | x | 2 | 30 |\n'), (0, ''), 'a quarter less')
        equal(counted(path, '| `s` | x | 2 | 29 |\n'),
              (1, 'docs/testing.md: suite s has 40 cases, not 29\n'), 'more than that')
        equal(counted(path, '| `s` | x | 2 | 5 1 |\n'),
              (1, 'docs/testing.md: suite s has 40 cases, not 51\n'), 'and too many')
        equal(counted(path, '| `s` | x | 1 | 40 |\n'),
              (1, 'docs/testing.md: suite s has 2 programs, not 1\n'), 'programs too')
        equal(counted(path, '| `s` | x | 2 | 100 |\n', skipped=True), (0, ''),
              'a suite that could not run whole is not counted')
        equal(counted(path, '| `s` | x | 2 | 40 |\n| `t` | x | 1 | 1 |\n'),
              (1, 'docs/testing.md: suite t is not run\n'), 'a suite that is gone')
        equal(counted(path, ''), (1, 'docs/testing.md: suite s is not in the table\n'
                                     'docs/testing.md: no table of suites\n'), 'one that is new')


def test_output_of_other_programs():
    """A failure that quotes a terminal has characters that no XML has."""
    with Folder() as folder:
        path = pathlib.Path(folder.path)
        (path / 'vm.command').write_text('meson test\n', encoding='utf-8')
        (path / 'vm.xml').write_text('<testsuites><testsuite name="p.p:s / t"><testcase name="n"><failure>\x1b[K\x00\uffff</failure>'
                                     '</testcase><testcase name="m"/></testsuite></testsuites>', encoding='utf-8')
        ran = subprocess.run([sys.executable, str(SOURCE / 'scripts' / 'test_summary.py'), '.'], cwd=path, text=True,
                             capture_output=True, check=False)
        equal((ran.stdout.splitlines()[-1], ran.stderr), ('1 passed, 1 failed', ''), 'is counted as any other')


select_case(globals())
test_failures_can_be_repeated()
test_counts_of_the_page()
test_output_of_other_programs()
done()
