# SPDX-License-Identifier: MIT
"""scripts/checks/run.sh and the closing lines of `make check`: they count failures, and print a
command for each failure that repeats it. Also the counts of each suite.
"""
import subprocess
import sys

from clilib import ROOT

PROJECT = """project('inner', meson_version: '>=1.0.0')
sh = find_program('sh')
test('good', sh, args: ['-c', 'echo 1..2; echo ok 1 - one; echo ok 2 - two'], protocol: 'tap', suite: 's')
test('bad', sh, args: ['-c', '''
  echo 1..2
  echo ok 1 - one
  if [ $# = 0 ] || [ "$1" = third ]; then
    echo "not ok 2 - test_two.py::third, it's bad"
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
. "$1/scripts/checks/run.sh"
check fine true
check unfit sh -c 'echo no such tool; exit 77'
check quoted sh -c 'echo "it'"'"'s wrong"; exit 1'
configure "$PWD/build" "$PWD/inner"
test_environment='FIRST=1 SECOND=2'
run_tests inner "$PWD/build" --suite s
run_tests missing "$PWD/nowhere" --suite s
python3 "$1/scripts/checks/summary" "$results"
"""


def shell(command, folder, *arguments):
    return subprocess.run(['sh', '-c', command, 'sh', *arguments], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def closing(text):
    """Return the lines of the summary as {name of a failure: command to repeat it}."""
    rows = text.splitlines()
    return {rows[i][len('FAILED   '):]: rows[i + 1].strip()
            for i in range(len(rows)) if rows[i].startswith('FAILED   ')}


def test_failures_can_be_repeated(tmp_path):
    (tmp_path / 'inner').mkdir()
    (tmp_path / 'inner' / 'meson.build').write_text(PROJECT, encoding='utf-8')
    ran = shell(SCRIPT, tmp_path, str(ROOT))
    failures = closing(ran.stdout)
    assert ran.returncode == 1, f'a failure sets the exit status\n{ran.stdout}'
    # Passed: configure-build, fine, and the cases of good. Failed: one case of good, bad and
    # crashed.
    assert ran.stdout.splitlines()[-1] == '6 passed, 3 failed, 2 skipped', 'the closing line'
    assert len(failures) == 3, 'each failure is named'
    assert '\nskipped  unfit: no such tool\n' in ran.stdout, f'the reason why a check was skipped\n{ran.stdout}'
    for name, command in failures.items():
        again = shell(command, tmp_path)
        assert again.returncode != 0, f'{name}: the printed command repeats the failure\n{command}\n{again.stdout}'
    case = next((c for n, c in failures.items() if 'bad' in n), '')
    assert case.startswith('FIRST=1 SECOND=2 meson test') and case.endswith(" bad --test-args='-k third'"), \
        'the command runs the failed case alone'
    other = shell(case.replace('-k third', '-k second'), tmp_path)
    assert other.returncode == 0, f'the command does not run another case\n{other.stdout}'


def summary(path, text):
    """Run scripts/checks/summary on the JUnit file of one run."""
    (path / 'vm.command').write_text('meson test\n', encoding='utf-8')
    (path / 'vm.xml').write_text(f'<testsuites>{text}</testsuites>', encoding='utf-8')
    return subprocess.run([sys.executable, str(ROOT / 'scripts/checks/summary'), '.'], cwd=path, text=True,
                          capture_output=True, check=False)


def test_counts_by_suite(tmp_path):
    two = '<testcase name="n"/><testcase name="m"><skipped/></testcase>'
    ran = summary(tmp_path, ''.join(
        f'<testsuite name="p.p:{suite} / {name}" time="1.7">{two}</testsuite>' for suite, name in ('sa', 'tb', 'sc')))
    assert ([line.split() for line in ran.stdout.splitlines()[:3]] ==
            [['run', 'suite', 'programs', 'cases', 'seconds'], ['vm', 's', '2', '4', '3'], ['vm', 't', '1', '2', '2']]), \
        'the programs, cases and seconds of each suite'


def test_output_of_other_programs(tmp_path):
    """The output of a failed test may contain characters that XML does not allow."""
    ran = summary(tmp_path, '<testsuite name="p.p:s / t"><testcase name="n"><failure>\x1b[K\x00\uffff</failure>'
                  '</testcase><testcase name="m"/></testsuite>')
    assert (ran.stdout.splitlines()[-1], ran.stderr) == ('1 passed, 1 failed', ''), 'the failure is counted'
