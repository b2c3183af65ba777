#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The counts of docs/testing.md against what ran: check_testing.py RESULTS_DIR [RUN]

Of the table whose first column is "suite", the columns "programs" and "cases" of each suite are held against
the tests of one run (gcc) of `make check`: each may be a quarter away, so that a page need not change with
every test, and no suite may be missing on either side. A suite that could not run whole is not counted.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

PAGE = pathlib.Path('docs/testing.md')
SUITE = re.compile(r'[^:]*:(\w[\w-]*) / ')


def stated(text):
    """{suite: (programs, cases)} of the page."""
    counts, header = {}, None
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip('|').split('|')] if line.startswith('|') else None
        if not cells:
            header = None
        elif header is None:
            header = cells
        elif header[0] == 'suite' and not cells[0].startswith('-'):
            row = dict(zip(header, cells))
            counts[row['suite'].strip('`')] = tuple(
                int(row[c].replace(' ', '')) for c in ('programs', 'cases'))
    return counts


def ran(path):
    """{suite: [programs, cases]} of a JUnit file, and the suites of which something was skipped."""
    counts, partly = collections.defaultdict(lambda: [0, 0]), set()
    for test in ElementTree.parse(path).getroot().iter('testsuite'):
        cases = list(test.iter('testcase'))
        named = SUITE.match(test.get('name'))
        if not named:  # a program that was skipped as a whole is a case of a suite without a name
            partly.update(SUITE.match(c.get('name'))[1] for c in cases)
            continue
        suite = named[1]
        counts[suite][0] += 1
        counts[suite][1] += len(cases)
        if any(c.find('skipped') is not None for c in cases):
            partly.add(suite)
    return counts, partly


def problems(page, results):
    counts, partly = results
    for suite in sorted(set(page) ^ set(counts)):
        yield f'{PAGE}: suite {suite} is {"not in the table" if suite in counts else "not run"}'
    for suite in sorted(set(page) & set(counts) - partly):
        for word, says, has in zip(('programs', 'cases'), page[suite], counts[suite]):
            if abs(says - has) * 4 > has:
                yield f'{PAGE}: suite {suite} has {has} {word}, not {says}'


def main(directory, run='gcc'):
    page = stated(PAGE.read_text(encoding='utf-8'))
    found = list(problems(page, ran(pathlib.Path(directory) / f'{run}.xml')))
    for problem in found:
        print(problem)
    if not page:
        print(f'{PAGE}: no table of suites')
    return 1 if found or not page else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
