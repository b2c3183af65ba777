# SPDX-License-Identifier: MIT
"""Read arch/statements.tsv with its mutants, and check it for scripts/checks/statements without running a mutant."""
import collections
import functools
import pathlib
import re

import mutator

FILE = 'arch/statements.tsv'
CONFORMANCE = 'conformance/mutants.tsv'
DESIGN = 'docs/explanation/design.md'
STATUS = ('tested', 'not-observable', 'not-modelled')
PARTS = ('D13.9', 'D17', 'D18', 'D24')  # parts with totals
BOUNDED = ('D13.9', 'D17', 'D18')
NOT_MODELLED_MOST = 3  # percent of each part in BOUNDED

Row = collections.namedtuple('Row', 'line section place text status tests reason mutant')
Section = collections.namedtuple('Section', 'line name none rows')
Mutant = collections.namedtuple('Mutant', 'path where old new')

SECTION = re.compile(r'# (D\d+(?:\.\d+)*) \S')
NONE = re.compile(r'# none: \S')
PARAGRAPH = re.compile(r'p\d+(\.\d+)*')
MUTANT = re.compile(r'(\S+) ([^:\t]+): (\S.*?) =>(?: (\S.*))?')
# Files that a mutant may change.
MUTATED = re.compile(r'(lib|include/spemu)/\S+\.[ch]|arch/((sysreg|features|choices|events)\.txt|clauses\.tsv)')
TEST = re.compile(r'(unit)/(\w+):(\w+)|(golden|strict|cli|vm)/(\w+)')


class RowError(Exception):
    pass


def within(section, prefix):
    """Return true if a section is part of another: D17.1.2 is part of D17.1 and D17, but not D17.10 of D17.1."""
    return (section + '.').startswith(prefix.rstrip('.') + '.')


# -- parsing

def parse_mutant(text):
    """Return the mutant of column 6, or None for "-"."""
    if text == '-':
        return None
    m = MUTANT.fullmatch(text)
    if not m:
        raise RowError('the mutant is FILE WHERE: OLD => NEW, or -')
    mutant = Mutant(m[1], m[2].strip(), ' '.join(m[3].split()), ' '.join((m[4] or '').split()))
    if mutant.old == mutant.new:
        raise RowError('the mutant changes nothing')
    return mutant


def parse_row(line, number=0):
    columns = line.split('\t')
    if len(columns) != 6 or not all(c and c == c.strip() for c in columns):
        raise RowError('section, place, text, status, tests or reason, and mutant or - expected, between tabs')
    section, place, text, status, why, mutant = columns
    if not re.fullmatch(r'D\d+(\.\d+)*', section):
        raise RowError(f'{section} is not a section')
    if status not in STATUS:
        raise RowError(f'{status} is not one of {", ".join(STATUS)}')
    tested = status == 'tested'
    tests = tuple(why.split()) if tested else ()
    for test in tests:
        if not TEST.fullmatch(test):
            raise RowError(f'{test} is not unit/PROGRAM:CASE, golden/, strict/, cli/ or vm/NAME')
    mutant = parse_mutant(mutant)
    if mutant and not tested:
        raise RowError(f'a statement that is {status} must not have a mutant')
    if tested and not mutant and tests[0].split('/')[0] in ('unit', 'golden'):
        raise RowError('a mutant that the first test kills is missing')
    if mutant and tests[0].startswith('vm/'):
        raise RowError('a mutant needs a first test that runs without a machine')
    return Row(number, section, place, text, status, tests, '' if tested else why, mutant)


def read(path, problems):
    """Return the sections with their rows. Add a text to `problems` for each line that cannot be parsed."""
    sections = []
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip('\n')
            m = SECTION.match(line)
            if m:
                sections.append(Section(number, m[1], [], []))
            elif NONE.match(line) and sections:
                sections[-1].none.append(line)
            elif not line.startswith('#'):
                try:
                    row = parse_row(line, number)
                    if not sections or row.section != sections[-1].name:
                        raise RowError(f'{row.section} is not the section whose line is above')
                    sections[-1].rows.append(row)
                except RowError as e:
                    problems.append(f'{path}:{number}: {e}')
    return sections


# -- the places of mutants

def blocks_of(path, text):
    """Return {name: [(begin, end)]} of a file of arch/: the lines that belong to a name."""
    blocks = {}
    if path.endswith(('sysreg.txt', 'choices.txt')):
        heads = list(re.finditer(r'^(?:Sysreg|Choice)\s+(\S+)', text, re.M))
        for m, following in zip(heads, [*(h.start() for h in heads[1:]), len(text)]):
            blocks[m[1]] = [(m.start(), following)]
        return blocks
    if path.endswith('clauses.tsv'):
        for m in re.finditer(r'^(?:let\t)?([^#\s:]+)\S*\t.*$', text, re.M):
            blocks.setdefault(m[1], []).append(m.span())
        return blocks
    events = path.endswith('events.txt')
    for m in re.finditer(r'^[^#\n].*$', text, re.M):
        words = m[0].split()
        names = [*words[:2], *words[2].split(',')] if events else words[1:2]
        for name in set(names):
            blocks.setdefault(name, []).append(m.span())
    return blocks


class Sources:
    """The texts of the tree, and the places of mutants in them. Each file is read once."""

    def __init__(self, root):
        self.root, self.texts, self.scopes = pathlib.Path(root), {}, {}

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text(encoding='utf-8')
        return self.texts[path]

    def spans(self, path, where):
        if path not in self.scopes:
            of = blocks_of if path.startswith('arch/') else mutator.scopes_of
            self.scopes[path] = of(path, self.text(path))
        return self.scopes[path].get(where, [])

    def place(self, mutant):
        """Return (begin, end) of the text that the mutant replaces."""
        if not MUTATED.fullmatch(mutant.path):
            raise RowError(f'a mutant is of lib/, include/spemu/ or the data of arch/, and not of {mutant.path}')
        if not (self.root / mutant.path).is_file():
            raise RowError(f'there is no {mutant.path}')
        spans = self.spans(mutant.path, mutant.where)
        if not spans:
            raise RowError(f'{mutant.path} has no {mutant.where}')
        pattern = re.compile(r'\s+'.join(map(re.escape, mutant.old.split())))
        found = [m.span() for begin, end in spans for m in pattern.finditer(self.text(mutant.path), begin, end)]
        if len(found) != 1:
            raise RowError(f'"{mutant.old}" is {len(found)} times in {mutant.where} of {mutant.path}, not once')
        return found[0]

    def mutated(self, mutant):
        """Return the text of the file with the mutant."""
        begin, end = self.place(mutant)
        text = self.text(mutant.path)
        return text[:begin] + mutant.new + text[end:]


# -- mutants of the conformance image

def conformance_rows(root):
    """Yield (number of the line, place, verdict, reason, mutant) of each row of CONFORMANCE."""
    with open(pathlib.Path(root) / CONFORMANCE, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            if line.startswith('#'):
                continue
            place, verdict, reason, text = line.rstrip('\n').split('\t')
            if verdict not in ('caught', 'missed', 'beyond') or not reason:
                raise RowError(f'{CONFORMANCE}:{number}: caught, missed or beyond, and a reason')
            yield number, place, verdict, reason, parse_mutant(text)


def check_conformance(root):
    """Yield (line, text) of each problem in the rows of CONFORMANCE."""
    sources = Sources(root)
    for number, _, _, _, mutant in conformance_rows(root):
        try:
            sources.place(mutant)
        except RowError as e:
            yield number, str(e)


# -- the existence of tests

class Tests:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.text = functools.cache(self.text)
        self.cases = functools.cache(self.cases)
        self.listed = functools.cache(self.listed)

    def text(self, path):
        file = self.root / path
        return file.read_text(encoding='utf-8') if file.is_file() else ''

    def cases(self, path):
        """Return the functions that a unit test passes to cmocka."""
        return set(re.findall(r'\b(?:cmocka_unit_test\w*|[A-Z]+_TEST)\((\w+)', self.text(path)) +
                   re.findall(r'\b[A-Z]+_TEST_IF\([^,]*, *(\w+)', self.text(path)))

    def listed(self, suite):
        """Return the tests that the meson.build of tests/SUITE names."""
        pages = sorted((self.root / 'tests' / suite).glob('**/meson.build'))
        return {name for p in pages for name in re.findall(r"'(\w+)'", self.text(p.relative_to(self.root)))}

    def problem(self, test):
        m = TEST.fullmatch(test)
        suite, name = m[1] or m[4], m[2] or m[5]
        if suite == 'unit':
            source = f'tests/unit/test_{name}.c'
            if m[3] not in self.cases(source):
                return f'{source} does not run {m[3]}'
            return '' if name in self.listed('unit') else f'tests/unit/meson.build does not list {name}'
        if suite in ('golden', 'strict'):
            scenario = f'tests/{suite}/{name}.spemu'
            if not (self.root / scenario).is_file():
                return f'there is no {scenario}'
        if suite == 'strict':
            runs = name.endswith(('_right', '_wrong')) or f'{name}.spemu' in self.text('tests/cli/test_strict.py')
            return '' if runs else f'tests/cli/test_strict.py does not run {name}'
        bare = name.removeprefix(suite + '_')
        if not {bare, f'{suite}_{bare}'} & self.listed(suite):
            return f'tests/{suite}/meson.build does not list {name}'
        return ''


# -- the whole file

def place_order(place):
    """Return a key that orders paragraphs, so that p3 comes before p3.2, or None for another place."""
    return [int(n) for n in place[1:].split('.')] if PARAGRAPH.fullmatch(place) else None


def check_order(sections):
    seen = set()
    names = [[int(n) for n in s.name[1:].split('.')] for s in sections]
    for before, after, section in zip(names, names[1:], sections[1:]):
        if before >= after:
            yield section.line, f'{section.name} is not in order'
    for section in sections:
        last = []
        for row in section.rows:
            if row.place in seen:
                yield row.line, f'{row.section} {row.place} is there twice'
            seen.add(row.place)
            order = place_order(row.place)
            if order and order < last:
                yield row.line, f'{row.place} comes after a later paragraph'
            last = order or last
        seen.clear()
        if not section.rows and not section.none:
            yield section.line, (f'{section.name} has no row; add one, or "# none: REASON" below its line if it says '
                                 'nothing normative')
        if section.rows and section.none:
            yield section.line, f'{section.name} has rows, and says that it has none'


def check_row(row, sources, tests, design):
    for test in row.tests:
        problem = tests.problem(test)
        if problem:
            yield problem
    if row.mutant:
        try:
            sources.place(row.mutant)
        except RowError as e:
            yield str(e)
    if row.status == 'not-modelled':
        named = re.compile(rf'(?<![\w.]){re.escape(row.section)}(?![\w.]*\w)(?=.*(?<!\w){re.escape(row.place)}(?!\w))')
        if not any(named.search(line) for line in design):
            yield f'no line of {DESIGN} names {row.section} and {row.place}'


def check(root, sections):
    """Yield the line and the text of each problem."""
    sources, tests = Sources(root), Tests(root)
    design = (pathlib.Path(root) / DESIGN).read_text(encoding='utf-8').splitlines()
    yield from check_order(sections)
    for section in sections:
        for row in section.rows:
            for problem in check_row(row, sources, tests, design):
                yield row.line, f'{row.section} {row.place}: {problem}'


def count(sections, prefix=''):
    """Return {status: number of rows} for the sections that are part of the prefix."""
    tally = dict.fromkeys(STATUS, 0)
    for section in sections:
        if not prefix or within(section.name, prefix):
            for row in section.rows:
                tally[row.status] += 1
    return tally


def percent(tally, status):
    total = sum(tally.values())
    return 100 * tally[status] / total if total else 0.0
