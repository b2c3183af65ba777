#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The closing line of `make check`: test_summary.py RESULTS_DIR

Counts the checks listed in RESULTS_DIR/passed and failed, and every test case of the JUnit files
that Meson wrote there (each TAP line is one); and as failed every program that ended badly though
none of its cases says so.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def lines(path):
    return path.read_text(encoding='utf-8').split() if path.exists() else []


def main(directory):
    passed = len(lines(directory / 'passed'))
    failed = lines(directory / 'failed')
    skipped = []
    for path in sorted(directory.glob('*.xml')):
        for suite in ElementTree.parse(path).getroot().iter('testsuite'):
            for case in suite.iter('testcase'):
                name = f'{path.stem}: {suite.get("name")}: {case.get("name")}'
                if case.find('failure') is not None or case.find('error') is not None:
                    failed.append(name)
                elif case.find('skipped') is not None:
                    skipped.append(name)
                else:
                    passed += 1
    for path in sorted(directory.glob('*.json')):
        for line in path.read_text(encoding='utf-8').splitlines():
            test = json.loads(line)
            name = test['name'].split(' / ')[-1]
            if test['result'] not in ('OK', 'SKIP') and not any(
                    f.startswith(f'{path.stem}: ') and name in f for f in failed):
                failed.append(f'{path.stem}: {name}: {test["result"]}')
    for name in skipped:
        print(f'skipped  {name}')
    for name in failed:
        print(f'FAILED   {name}')
    tail = f', {len(skipped)} skipped' if skipped else ''
    print(f'{passed} passed, {len(failed)} failed{tail}')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
