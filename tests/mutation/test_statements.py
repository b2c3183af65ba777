# SPDX-License-Identifier: MIT
"""scripts/checks/statements: how it parses a row and a mutant, and its messages for a tree of one function."""
import pytest

import mutator
import statements

LIMIT = 'lib/limit.c below: a < b => a <= b'
ROW = ['D17.4', 'RTWFRY', 'less is below', 'tested', 'unit/limit:less golden/limit', LIMIT]


def refusal(read, *arguments):
    try:
        read(*arguments)
    except statements.RowError as e:
        return str(e)
    return ''


def changed(column, text):
    return '\t'.join(text if n == column else c for n, c in enumerate(ROW, 1))


def test_mutant():
    assert statements.parse_mutant('-') is None, 'no mutant'
    assert statements.parse_mutant(LIMIT) == ('lib/limit.c', 'below', 'a < b', 'a <= b'), 'the four parts of a mutant'
    assert (statements.parse_mutant('arch/sysreg.txt PMEVCNTR<n>_EL0: Field  3 X => Field 4 X') ==
            ('arch/sysreg.txt', 'PMEVCNTR<n>_EL0', 'Field 3 X', 'Field 4 X')), \
                'a mutant of a register, with blanks normalized'
    assert statements.parse_mutant('lib/a.c f: g(s ? a : b); =>')[2:] == ('g(s ? a : b);', ''), \
        'a mutant that removes text'
    assert statements.parse_mutant('lib/a.c f: x => y => z')[2:] == ('x', 'y => z'), \
        'the first arrow separates the texts'
    for text in ('lib/a.c f x => y', 'lib/a.c f: x=>y', 'lib/a.c: x => y', 'lib/a.c f:  => y', ''):
        assert 'FILE WHERE: OLD => NEW' in refusal(statements.parse_mutant, text), f'refused: "{text}"'
    assert 'changes nothing' in refusal(statements.parse_mutant, 'lib/a.c f: x  y => x y'), \
        'refused: a mutant without a change'


def test_row():
    row = statements.parse_row('\t'.join(ROW), 7)
    assert (row.line, row.section, row.place) == (7, 'D17.4', 'RTWFRY'), 'the place of a row'
    assert row.tests == ('unit/limit:less', 'golden/limit'), 'the tests of a row'
    assert statements.parse_row('\t'.join(ROW[:4] + ['vm/linux', '-'])).mutant is None, \
        'a test in a machine may lack a mutant'
    reason = statements.parse_row('\t'.join(ROW[:3] + ['not-observable', 'of the debugger', '-']))
    assert (reason.tests, reason.reason) == ((), 'of the debugger'), 'a row with a reason'
    within = [statements.within(s, 'D17.1') for s in ('D17.1', 'D17.1.2', 'D17.10', 'D17')]
    assert within == [True, True, False, False], \
        'sections within a section'


@pytest.mark.parametrize("line, why", (
    ('\t'.join(ROW[:5]), 'between tabs'), ('\t'.join(ROW + ['more']), 'between tabs'),
    (changed(2, ''), 'between tabs'), (changed(3, 'text '), 'between tabs'), (changed(1, '17.4'), 'not a section'),
    (changed(4, 'not-tested'), 'is not one of'), (changed(4, 'not-modelled'), 'must not have a mutant'),
    (changed(5, 'unit/limit'), 'is not unit/PROGRAM:CASE'), (changed(5, 'limit:less'), 'is not unit/PROGRAM:CASE'),
    (changed(5, 'golden/limit:less'), 'is not unit/PROGRAM:CASE'), (changed(6, '-'), 'is missing'),
    (changed(5, 'vm/linux'), 'without a machine')))
def test_wrong_row(line, why):
    assert why in refusal(statements.parse_row, line), f'refused: {why}\n{refusal(statements.parse_row, line)}'


C = '''
#define LARGE(x) \\
	((x) > 100)
enum color { RED = 1, GREEN };
static const int size[2] = {4, 8};
int below(int a, int b);
/* a < b */
static int
below(int a, int b)
{
	if (a == b)
		return a <
		       b;
	return LARGE(a);
}
int other(int a, int b)
{
	return a < b;
}
'''


def test_scopes():
    scopes = {name: [C[a:b] for a, b in spans] for name, spans in mutator.scopes_of('limit.c', C).items()}
    below = scopes['below'][0]
    assert below.startswith('static int\nbelow') and below.endswith('(a);\n}'), f'the text of a function\n{below}'
    assert scopes['size'] == ['static const int size[2] = {4, 8};'], 'the text of an object'
    assert scopes['LARGE'] == ['#define LARGE(x) \\\n\t((x) > 100)'], 'the text of a macro'
    assert (scopes['GREEN'], scopes['color']) == (['enum color { RED = 1, GREEN }'],) * 2, 'the text of an enumeration'


DATA = '''Sysreg ONE 3 0
Field 3 A -

Sysreg TWO<n> 3 1
Field 3 A -
'''
CLAUSES = 'let\ton\tA | B\nel3:F\tD24.3\ttrap\tEL3 & !REG.F\tit is 0\nel3-set:F\tD24.3\ttrap\tEL3 & REG.F\tit is 1\n'
FEATURES = 'Feature A v8.2\nFeature AB v8.3\nId A REG A 3:0 1\n'
EVENTS = '7  mispred  mispredicted,wrong  not as predicted\n8  other  -  another\n'
TREE = {
    'lib/limit.c': C, 'arch/clauses.tsv': CLAUSES, 'arch/sysreg.txt': DATA, 'arch/features.txt': FEATURES,
    'arch/events.txt': EVENTS,
    'tests/unit/test_limit.c': 'cmocka_unit_test(less)', 'tests/unit/meson.build': "'limit',",
    'tests/golden/limit.spemu': '', 'tests/golden/meson.build': "'limit',", 'tests/golden/unlisted.spemu': '',
    'tests/strict/linux.spemu': '', 'tests/strict/x_wrong.spemu': '', 'tests/cli/test_strict.py': '',
    'tests/cli/meson.build': "'run',", 'tests/vm/selftest/meson.build': "{'vm_selftest':",
    'docs/explanation/design.md': '| D17.4 p3 | has no test |\n',
}
HEAD = '# D17.4 Enabling'


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """A source tree with one function."""
    folder = tmp_path_factory.mktemp('tree')
    for name, text in TREE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
    return folder


def test_sources(folder):
    sources = statements.Sources(folder)

    def replaced(text):
        mutant = statements.parse_mutant(text)
        begin, end = sources.place(mutant)
        return sources.mutated(mutant)[begin - 4:begin + len(mutant.new) + 1], sources.text(mutant.path)[begin:end]

    assert replaced(LIMIT) == ('urn a <= b;', 'a <\n\t\t       b'), 'the text of the function, across lines'
    assert replaced('arch/sysreg.txt TWO<n>: 3 A => 4 A')[1] == '3 A', 'the text of a register'
    assert replaced('arch/clauses.tsv el3: EL3 & =>')[1] == 'EL3 &', 'the text of a clause'
    assert replaced('arch/clauses.tsv on: A | B => A')[1] == 'A | B', 'the text of a shared condition'
    assert replaced('arch/features.txt A: v8.2 => v8.3')[1] == 'v8.2', 'the text of a feature'
    assert replaced('arch/features.txt A: 3:0 => 7:4')[1] == '3:0', 'the other line of a feature'
    assert replaced('arch/events.txt wrong: not as => as')[1] == 'not as', 'the text of an event by its second word'
    for text, why in (
            ('lib/limit.c below: b => c', 'is 4 times'), ('lib/limit.c below: a > b => c', 'is 0 times'),
            ('lib/limit.c above: b => c', 'has no above'), ('lib/none.c f: b => c', 'there is no'),
            ('arch/features.txt AB: v8.2 => v8.3', 'is 0 times'), ('tests/a.c f: a => b', 'a mutant is of lib/'),
            ('arch/sysreg.txt ONE: Sysreg TWO => Sysreg', 'is 0 times')):
        assert why in refusal(replaced, text), f'refused: {text}\n{refusal(replaced, text)}'


def test_tests(folder):
    tests = statements.Tests(folder)
    for test, why in (
            ('unit/limit:less', ''), ('unit/limit:les', 'does not run les'), ('unit/no:less', 'does not run less'),
            ('golden/limit', ''), ('golden/unlisted', 'does not list'), ('golden/none', 'there is no'),
            ('strict/x_wrong', ''), ('strict/linux', 'does not run linux'), ('cli/run', ''), ('cli/cli_run', ''),
            ('cli/none', 'does not list'), ('vm/selftest', ''), ('vm/none', 'does not list')):
        problem = tests.problem(test)
        assert why in problem and bool(why) == bool(problem), f'{test}: {why or "is there"}\n{problem}'


def test_file(folder):
    def problems(*lines):
        path, found = folder / 'rows.tsv', []
        with open(path, 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines) + '\n')
        sections = statements.read(path, found)
        return sections, found + [text for _, text in statements.check(folder, sections)]

    def lines_of(*places, status='not-modelled', section='D17.4'):
        return [f'{section}\t{p}\ttext\t{status}\treason\t-' for p in places]

    sections, found = problems('# about', HEAD, *lines_of('p3'), '\t'.join(ROW), '# D17.10 Other', '# none: examples')
    assert (found, statements.count(sections, 'D17')) == ([], {'tested': 1, 'not-observable': 0, 'not-modelled': 1}), \
        'the tree has no problems'
    for lines, why in (
            ([HEAD], 'has no row'), ([HEAD, '# none: x', *lines_of('p3')], 'says that it has none'),
            ([HEAD, *lines_of('p3', 'p3')], 'is there twice'), ([HEAD, *lines_of('p4', 'p3')], 'after a later'),
            ([HEAD, *lines_of('p3.2', 'p3.1')], 'after a later'), ([HEAD, *lines_of('p1')], 'names D17.4 and p1'),
            (['# D17.5 Other', *lines_of('p3')], 'is not the section'),
            ([HEAD, *lines_of('p3'), '# D17.3 Earlier', '# none: x'], 'is not in order'),
            (['# D17.40 Other', *lines_of('p3', section='D17.40')], 'names D17.40 and p3')):
        found = problems(*lines)[1]
        assert any(why in p for p in found), f'found: {why}\n{found}'
