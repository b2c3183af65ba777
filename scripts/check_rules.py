#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The map from rule to code to test holds: checks arch/rules.tsv and arch/choices.txt.

Every row names code whose header says "Implements: ... RULE" and a test function that exists; a text
without a rule ID goes by its section. Every register of SPE and every rule that a header claims has a row; every choice that a header names is in choices.txt and back.
"""
import pathlib
import re
import sys

import arch_data
import choice_data

REGISTER = re.compile(r'PM[A-Z]+(<n>|\d)?_EL\d+')
RULE = re.compile(r'\b[RID][B-DF-HJ-NP-TV-Z]{5}\b')
SECTION = re.compile(r'D17(\.\d+)+')
SOURCES = [p for p in sorted(pathlib.Path('lib').glob('**/*.[ch]'))]


def header_list(path, key):
    """The words after "key:" in the header block of a file, with continuation lines."""
    head = path.read_text(encoding='utf-8').split('\n#')[0]
    match = re.search(rf'\* {key}:(.*?)(?=\n \* \w+:|\n \*\n|\n \*/|\Z)', head, re.S)
    return re.sub(r'\n \*', ' ', match[1]) if match else ''


def check_rules(problems):
    rows = {}
    for number, line in enumerate(open('arch/rules.tsv', encoding='utf-8'), 1):
        if line.startswith('#'):
            continue
        columns = line.rstrip('\n').split('\t')
        register = REGISTER.fullmatch(columns[0]) is not None
        if len(columns) != 5 or not (
                register or RULE.fullmatch(columns[0]) or SECTION.fullmatch(columns[0])):
            problems.append(f'arch/rules.tsv:{number}: rule, section, text, code, tests expected')
            continue
        rule, _, text, code, tests = columns
        if rule in rows:
            problems.append(f'arch/rules.tsv:{number}: {rule} is there twice')
        rows[rule] = set(code.split())
        if not text or not code or not tests:
            problems.append(f'arch/rules.tsv:{number}: {rule} lacks its text, code or test')
        for name in code.split():
            path = pathlib.Path(name)
            if register:
                if not path.exists():
                    problems.append(f'{rule}: there is no {name}')
            elif not path.exists() or rule not in re.split(
                    r'[^\w.]+', header_list(path, 'Implements').replace('. ', ' ')):
                problems.append(f'{rule}: {name} does not say that it implements it')
        for test in tests.split():
            name, _, function = test.partition(':')
            path = pathlib.Path('tests/unit') / name
            if not path.exists() or f'cmocka_unit_test({function})' not in path.read_text():
                problems.append(f'{rule}: there is no test {test}')
    for line in open('arch/sysreg.txt', encoding='utf-8'):
        words = line.split()
        if words[:1] == ['Sysreg'] and REGISTER.fullmatch(words[1]) and words[1] not in rows:
            problems.append(f'arch/sysreg.txt: {words[1]} has no row in arch/rules.tsv')
    for path in SOURCES:
        for rule in RULE.findall(header_list(path, 'Implements')):
            if str(path) not in rows.get(rule, set()):
                problems.append(f'{path}: implements {rule}, which arch/rules.tsv does not say')
    return len(rows)


def check_choices(problems):
    choices = {}
    try:
        choices = {c.name: c
                   for c in choice_data.load('arch/choices.txt', 'arch/features.txt')}
    except arch_data.DataError as error:
        problems.append(str(error))
    for name, choice in choices.items():
        for path in map(pathlib.Path, choice.where):
            if not path.exists():
                problems.append(f'{name}: there is no {path}')
                continue
            if name not in header_list(path, 'Choices'):
                problems.append(f'{path}: does not name the choice {name}')
        symbol = re.compile(rf'\bSPEMU_CHOICE_{choice_data.c_name(name)}\b')
        asked = {str(p) for p in SOURCES if symbol.search(p.read_text(encoding='utf-8'))}
        for path in sorted(asked ^ set(choice.where)):
            problems.append(f'{path}: asks for {name} or is Where of it, and not both')
    for path in SOURCES:
        for item in re.split(r'[,;.]', header_list(path, 'Choices')):
            name = item.split(':')[0].split('(')[0].strip()
            if re.fullmatch(r'[a-z0-9]+(-[a-z0-9]+)+', name) and name not in choices:
                problems.append(f'{path}: the choice {name} is not in arch/choices.txt')
    return len(choices)


def main():
    problems = []
    rules = check_rules(problems)
    choices = check_choices(problems)
    for problem in problems:
        print(problem)
    print(f'{rules} rules, {choices} choices, {len(problems)} problems')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
