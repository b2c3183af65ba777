# SPDX-License-Identifier: MIT
"""arch/clauses.tsv: parsed, checked, and its conditions as C and as the fields that they look at.

Refuses a condition that cannot be read, an unknown name, a field that its register lacks, and a clause that is there twice.
"""
import re
from dataclasses import dataclass, field

# Names of a state beside registers, which explain knows.
STATE = ('PSTATE.', 'PE.', 'EDSCR.', 'EL1.nRW', 'EL2.nRW')
ARGUMENTS = ('F', 'REG', 'PATTERN', 'OFFSET', 'KIND')
TOKEN = re.compile(r'\s*([!&|()]|[^\s!&|()]+)')
WORD = re.compile(r'(?P<name>[\w.{},-]+)(=(?P<pattern>[01x]+|PATTERN))?')


class ClauseError(Exception):
    """A condition that cannot be right."""


@dataclass
class Let:
    """A named condition: a tree, or C with the fields that it looks at."""
    tree: object = None
    code: str = ''
    fields: list = field(default_factory=list)


@dataclass
class Clause:
    """One row. The first word of its name may have an argument behind it."""
    word: str
    rule: str
    answer: str
    tree: object
    text: str
    names: dict  # the lets that its condition may ask
    line: int

    def base(self):
        return self.word.partition(':')[0]

    def argument(self):
        return self.word.partition(':')[2]

    def symbol(self):
        """Its name in C: an argument that is not of any kind belongs to it."""
        word = self.base() if self.argument().split(':')[0] in ARGUMENTS else self.word
        return re.sub(r'\W', '_', word).lower()

    def ends(self):
        return self.word.isupper()

    def looks_at(self, write, at_el0=False, argument=''):
        found = []
        for name in leaves(self.tree, self.names):
            found += self.names[name].fields if name in self.names else [directed(name, write)] if '.' in name else []
        found = [f.removeprefix('EL0:') for f in found if at_el0 or not f.startswith('EL0:')]
        return ' '.join(dict.fromkeys(f'{f[:-1]}{argument}' if f.endswith('.F') else f for f in found))

    def holder(self):
        """The register whose field the argument of the clause is."""
        return next(directed(name, False)[:-2] for name in leaves(self.tree, self.names) if name.endswith('.F'))

    def code(self):
        return code_of(self.tree, self.names) if self.tree else 'true'


@dataclass
class Table:
    name: str
    prefix: str
    file: str
    clauses: list = field(default_factory=list)

    def find(self, word):
        """The clause of a word of an access list: the row of that very word, or the one of any argument."""
        exact = [c for c in self.clauses if c.word == word]
        base = word.partition(':')[0]
        any_argument = [c for c in self.clauses if c.base() == base and c.argument().split(':')[0] in ARGUMENTS]
        return (exact + any_argument + [None])[0]


def parse_condition(text):
    """A tree of ('|', trees), ('&', trees), ('!', tree) and (name, pattern); None for "-"."""
    if text == '-':
        return None
    tokens = TOKEN.findall(text)
    tree = parse_list(tokens, '|', lambda: parse_list(tokens, '&', lambda: parse_word(tokens)))
    if tokens:
        raise ClauseError(f'{tokens[0]} is too much: {text}')
    return tree


def parse_list(tokens, operator, parse):
    trees = [parse()]
    while tokens and tokens[0] == operator:
        tokens.pop(0)
        trees.append(parse())
    return (operator, trees) if len(trees) > 1 else trees[0]


def parse_word(tokens):
    token = tokens.pop(0) if tokens else ''
    if token == '!':
        return '!', parse_word(tokens)
    if token == '(':
        tree = parse_list(tokens, '|', lambda: parse_list(tokens, '&', lambda: parse_word(tokens)))
        if not tokens or tokens.pop(0) != ')':
            raise ClauseError('a parenthesis is not closed')
        return tree
    match = WORD.fullmatch(token)
    if not match:
        raise ClauseError(f'a name is expected, not "{token}"')
    return match['name'], match['pattern']


def directed(name, write):
    """A name with {A,B} as an MRS or an MSR asks for it."""
    return re.sub(r'\{(\w+),(\w+)\}', r'\2' if write else r'\1', name)


def leaves(tree, names):
    """The names that a condition asks in the end: those of a let in C, of features and of fields."""
    operator, operand = tree or ('|', [])
    if operator in ('|', '&'):
        return [leaf for inner in operand for leaf in leaves(inner, names)]
    if operator == '!':
        return leaves(operand, names)
    return leaves(names[operator].tree, names) if operator in names and names[operator].tree else [operator]


def value_of(name, names):
    """C for the value of a let or a field, or for whether a feature is there."""
    let = names.get(name)
    if let:
        return f'({code_of(let.tree, names)})' if let.tree else re.sub(r'\bpe\b(?!_)', 'c->pe', let.code)
    if '{' in name:
        return f'(c->write ? {value_of(directed(name, True), names)} : {value_of(directed(name, False), names)})'
    register, _, member = name.partition('.')
    if member == 'F':
        return f'bit_is_set(c->pe->reg[SPEMU_REG_{register}], c->access->bit)'
    if member:
        return f'REG_FIELD(c->pe, {register}, {member})'
    return f'pe_has(c->pe, SPEMU_{name.upper()})'


def code_of(tree, names):
    operator, operand = tree
    if operator in ('|', '&'):
        return f' {operator * 2} '.join(
            f'({code_of(t, names)})' if t[0] in ('|', '&') else code_of(t, names) for t in operand)
    if operator == '!':
        return f'!({code_of(operand, names)})'
    value = value_of(operator, names)
    if not operand:
        return f'({value})' if re.search(r'[=&|?]', value) else value
    if operand == 'PATTERN':
        return f'({value} & c->access->mask) == c->access->value'
    mask, bits = pattern(operand)
    return f'({value} & {mask}) == {bits}'


def pattern(text):
    """The mask and the value of a pattern of 0, 1 and x."""
    return int(re.sub('[01]', '1', text).replace('x', '0'), 2), int(text.replace('x', '0'), 2)


def with_tge(clause):
    """The clause that traps to EL2 what another traps to EL1."""
    trees = clause.tree[1] if clause.tree[0] == '&' else [clause.tree]
    word = clause.word.replace(clause.base(), clause.base() + '-tge', 1)
    return Clause(word, clause.rule, 'trap-el2', ('&', [*trees, ('tge', None)]),
                  clause.text + ', and HCR_EL2.TGE is 1', clause.names, clause.line)


def parse_row(columns, names, number, table):
    word, rule, answer, condition, text = columns
    clause = Clause(word, rule, answer, parse_condition(condition), text, names, number)
    if any(c.word == word for c in table.clauses):
        raise ClauseError(f'{word} is there twice')
    if answer == 'trap-user':
        clause.answer = 'trap-el1'
        table.clauses.append(with_tge(clause))
    table.clauses.append(clause)


def parse(rows):
    """The tables by name, of rows as (number, columns); ClauseError has the number in front."""
    tables, shared, names, file, table = {}, {}, {}, '', None
    for number, columns in rows:
        try:
            if columns[0] == 'file' and len(columns) == 2:
                file, names = columns[1], dict(shared)
            elif columns[0] == 'table' and len(columns) == 3:
                table = tables[columns[1]] = Table(columns[1], columns[2], file)
            elif columns[0] == 'let' and len(columns) in (3, 4):
                let = (Let(parse_condition(columns[2])) if len(columns) == 3 else
                       Let(code=columns[2], fields=columns[3].split() if columns[3] != '-' else []))
                (names if file else shared)[columns[1]] = let
            elif table and len(columns) == 5:
                parse_row(columns, names, number, table)
            else:
                raise ClauseError('expected: file, table, let, or the five columns of a clause')
        except ClauseError as error:
            raise ClauseError(f'{number}: {error}') from error
    return tables


def check(tables, features, regs):
    """Every name of a condition is a let, a feature, or a field that there is."""
    for clause in (c for t in tables.values() for c in t.clauses):
        for name in leaves(clause.tree, clause.names):
            if '.' not in name and name not in clause.names and name not in features:
                raise ClauseError(f'{clause.line}: {clause.word} asks {name}, which is neither a let nor a feature')
        for name in (clause.looks_at(False, True) + ' ' + clause.looks_at(True, True)).split():
            register, _, member = name.partition('.')
            known = register in regs and (member in ('', *(f.name for f in regs[register].fields)))
            if not known and not name.startswith(STATE):
                raise ClauseError(f'{clause.line}: {clause.word} looks at {name}, which does not exist')
