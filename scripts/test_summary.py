#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The closing lines of `make check` and `make check-long`: test_summary.py RESULTS_DIR

Prints the programs, cases and seconds of each suite of each run. Counts the checks listed in RESULTS_DIR/passed, failed and skipped, and every test case of the JUnit files
that Meson wrote there (each TAP line is one); and as failed every program that ended badly though
none of its cases says so. After each failure comes the command that repeats it, to be copied as it is.
"""
import collections
import json
import pathlib
import re
import shlex
import sys
import xml.etree.ElementTree as ElementTree

# What XML has no way to say; it is in what a test says of a failure, if that is another program's output.
NOT_XML = re.compile('[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]')
SUITE = re.compile(r'[^:]*:(\w[\w-]*) / ')
CASE = re.compile(r' \[(SPEMU_TEST_CASE=\w+)\]$')


def lines(path):
    return path.read_text(encoding='utf-8').splitlines() if path.exists() else []


def plain(name):
    """A test's name as `meson test` takes it: of "spemu.spemu:unit / buffer", "buffer"."""
    return name.split(' / ')[-1]


def command(directory, run, test, case=''):
    """What repeats a test of a run, as scripts/check.sh left it, or one case of the test."""
    words = [shlex.quote(test)]
    found = CASE.search(case)
    return ' '.join(([found[1]] if found else []) +
                    lines(directory / f'{run}.command')[0].split() + words)


def programs(path):
    """Return an element of each test program of a run's JUnit file."""
    text = NOT_XML.sub('?', path.read_text(encoding='utf-8', errors='replace'))
    return ElementTree.fromstring(text.encode()).iter('testsuite')


def cases(directory, path):
    """Yield the name, the result and the command of each case of a run."""
    for program in programs(path):
        test = plain(program.get('name'))
        for case in program.iter('testcase'):
            bad = case.find('failure') is not None or case.find('error') is not None
            result = 'failed' if bad else 'passed' if case.find('skipped') is None else 'skipped'
            yield (f'{path.stem}: {program.get("name")}: {case.get("name")}', result,
                   command(directory, path.stem, test, case.get('name')) if bad else '')


def print_counts(paths):
    """Print the table of suites. Programs that were skipped whole are not counted."""
    row = '{:20} {:10} {:>8} {:>8} {:>8}'.format
    print(row('run', 'suite', 'programs', 'cases', 'seconds'))
    for path in paths:
        counts = collections.defaultdict(lambda: [0, 0, 0])
        for program in programs(path):
            named = SUITE.match(program.get('name'))
            if named:
                count = counts[named[1]]
                count[0] += 1
                count[1] += len(list(program.iter('testcase')))
                count[2] += float(program.get('time', 0))
        for suite, (tests, found, seconds) in sorted(counts.items()):
            print(row(path.stem, suite, tests, found, round(seconds)))


def ended_badly(directory, path, failed):
    """Programs of a run's log that failed though no case of theirs did."""
    for line in lines(path):
        test = json.loads(line)
        name = plain(test['name'])
        if test['result'] in ('OK', 'SKIP', 'EXPECTEDFAIL') or any(
                f.startswith(f'{path.stem}: ') and f' / {name}: ' in f for f, _ in failed):
            continue
        yield (f'{path.stem}: {test["name"]}: {test["result"]}',
               command(directory, path.stem, name))


def main(directory):
    passed = len(lines(directory / 'passed'))
    failed = [tuple(line.split('\t')) for line in lines(directory / 'failed')]
    skipped = lines(directory / 'skipped')
    print_counts(sorted(directory.glob('*.xml')))
    for path in sorted(directory.glob('*.xml')):
        for name, result, again in cases(directory, path):
            passed += result == 'passed'
            if result == 'failed':
                failed.append((name, again))
            elif result == 'skipped':
                skipped.append(name)
    for path in sorted(directory.glob('*.json')):
        failed += list(ended_badly(directory, path, failed))
    for name in skipped:
        print(f'skipped  {name}')
    for name, again in failed:
        print(f'FAILED   {name}\n         {again}')
    tail = f', {len(skipped)} skipped' if skipped else ''
    print(f'{passed} passed, {len(failed)} failed{tail}')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
