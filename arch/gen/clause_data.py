# SPDX-License-Identifier: MIT
"""Parse and check arch/clauses.tsv, and express its conditions in C and as the fields that they read.

It rejects a condition with a syntax error, an unknown name, a field that its register does not have, and a duplicate
clause.
"""
import re
from dataclasses import dataclass, field, replace

# Names of a state other than registers, which explain accepts.
STATE = ('PSTATE.', 'PE.', 'EDSCR.', 'EL1.nRW', 'EL2.nRW')
ARGUMENTS = ('F', 'REG', 'PATTERN', 'OFFSET', 'KIND')
TOKEN = re.compile(r'\s*([!&|()]|[^\s!&|()]+)')
WORD = re.compile(r'(?P<name>[\w.{},-]+)(=(?P<pattern>[\w-]+))?')


class ClauseError(Exception):
    """A condition that is wrong."""


@dataclass
class Let:
    """A condition: a tree, or C with the fields that it reads."""
    tree: object = None
    code: str = ''
    fields: list = field(default_factory=list)


@dataclass
class Clause:
    """A row. Its name may have an argument after a colon."""
    word: str
    rule: str
    answer: str
    text: str
    line: int
    table: str
    names: dict  # {name: Let} for its condition
    condition: Let
    subject: Let = None

    def base(self):
        return self.word.partition(':')[0]

    def argument(self):
        return self.word.partition(':')[2]

    def symbol(self):
        """Return its name in C. An argument that is not of a kind in ARGUMENTS is part of the name."""
        word = self.base() if self.argument().split(':')[0] in ARGUMENTS else self.word
        return re.sub(r'\W', '_', f'{self.table}_{word}').lower()

    def ends(self):
        return self.word.isupper()

    def leaves(self):
        """Return the leaves of the expression: C conditions, and names of features and fields with their patterns."""
        lets = [self.condition] + ([self.subject] if self.subject else [])
        return [leaf for let in lets for leaf in leaves_of(let, self.names)]

    def looks_at(self, write, at_el0=False, argument=''):
        found = []
        for leaf in self.leaves():
            found += leaf.fields if isinstance(leaf, Let) else [directed(leaf[0], write)] if '.' in leaf[0] else []
        found = [f.removeprefix('EL0:') for f in found if at_el0 or not f.startswith('EL0:')]
        return ' '.join(dict.fromkeys(f'{f[:-1]}{argument}' if f.endswith('.F') else f for f in found))

    def holder(self):
        """Return the register whose field is the argument of the clause."""
        return next(directed(leaf[0], False)[:-2] for leaf in self.leaves()
                    if not isinstance(leaf, Let) and leaf[0].endswith('.F'))

    def code(self):
        holds = code_of_let(self.condition, self.names)
        return f'!({code_of_let(self.subject, self.names)}) || ({holds})' if self.subject else holds


@dataclass
class Table:
    name: str
    prefix: str
    file: str
    clauses: list = field(default_factory=list)

    def find(self, word):
        """Return the clause of a word in an access list: the row of that word, or a row for any argument."""
        exact = [c for c in self.clauses if c.word == word]
        base = word.partition(':')[0]
        any_argument = [c for c in self.clauses if c.base() == base and c.argument().split(':')[0] in ARGUMENTS]
        return (exact + any_argument + [None])[0]


def parse_condition(text):
    """Return a tree of ('|', trees), ('&', trees), ('!', tree) and (name, pattern)."""
    tokens = TOKEN.findall(text)
    tree = parse_any(tokens)
    if tokens:
        raise ClauseError(f'unexpected {tokens[0]}: {text}')
    return tree


def parse_any(tokens):
    return parse_list(tokens, '|', lambda: parse_list(tokens, '&', lambda: parse_word(tokens)))


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
        tree = parse_any(tokens)
        if not tokens or tokens.pop(0) != ')':
            raise ClauseError('a parenthesis is not closed')
        return tree
    match = WORD.fullmatch(token)
    if not match:
        raise ClauseError(f'a name is expected, not "{token}"')
    return match['name'], match['pattern']


def directed(name, write):
    """Return a name after replacing {A,B} by A for an MRS, or by B for an MSR."""
    return re.sub(r'\{(\w+),(\w+)\}', r'\2' if write else r'\1', name)


def leaves_of(let, names):
    return leaves_of_tree(let.tree, names) if let.tree else [let]


def leaves_of_tree(tree, names):
    operator, operand = tree
    if operator in ('|', '&'):
        return [leaf for inner in operand for leaf in leaves_of_tree(inner, names)]
    if operator == '!':
        return leaves_of_tree(operand, names)
    if operator in names:
        return leaves_of(names[operator], names)
    return [] if is_choice(tree, names) else [tree]


def is_choice(tree, names):
    """Return true for an option of a choice. The compiler checks its name."""
    return tree[1] and tree[0] not in names and '.' not in tree[0]


def symbol_of(*words):
    return '_'.join(['SPEMU', *words]).upper().replace('-', '_')


def code_of_let(let, names):
    return code_of(let.tree, names) if let.tree else re.sub(r'(?<!->)\bpe\b', 'c->pe', let.code)


def value_of(name, names):
    """Return C for the value of a let or a field, or for the presence of a feature."""
    if name == '-':
        return 'true'
    if name in names:
        code = code_of_let(names[name], names)
        return code if re.fullmatch(r'[\w>.()-]+', code) else f'({code})'
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
    if is_choice(tree, names):
        return f'pe_choice(c->pe, {symbol_of("choice", operator)}) == {symbol_of(operator, operand)}'
    value = value_of(operator, names)
    if not operand:
        return value
    if operand == 'PATTERN':
        return f'({value} & c->access->mask) == c->access->value'
    mask, bits = pattern(operand)
    return f'({value} & {mask}) == {bits}'


def pattern(text):
    """Return the mask and the value of a pattern of 0, 1 and x."""
    if not re.fullmatch('[01x]+', text):
        raise ClauseError(f'{text} is not a pattern of 0, 1 and x')
    return int(re.sub('[01]', '1', text).replace('x', '0'), 2), int(text.replace('x', '0'), 2)


def with_tge(clause):
    """Return the clause that traps to EL2 an access that `clause` traps to EL1."""
    tree = clause.condition.tree
    trees = tree[1] if tree[0] == '&' else [tree]
    word = clause.word.replace(clause.base(), clause.base() + '-tge', 1)
    return replace(clause, word=word, answer='trap-el2', text=clause.text + ', and HCR_EL2.TGE is 1',
                   condition=Let(('&', [*trees, ('tge', None)])))


def parse_let(columns):
    """Return a Let: a single column is a condition; two columns are C and its fields."""
    if len(columns) == 1:
        return Let(parse_condition(columns[0]))
    return Let(code=columns[0], fields=columns[1].split() if columns[1] != '-' else [])


def parse_row(columns, names, number, table):
    word, rule, answer, condition, *fields, text = columns
    subject, arrow, rest = condition.partition(' -> ')
    clause = Clause(word, rule, answer, text, number, table.name, names,
                    parse_let([rest if arrow else condition, *fields]), parse_let([subject]) if arrow else None)
    if any(c.word == word for c in table.clauses):
        raise ClauseError(f'{word} is there twice')
    if answer == 'trap-user':
        clause.answer = 'trap-el1'
        table.clauses.append(with_tge(clause))
    table.clauses.append(clause)


def parse(rows):
    """Return {name: table} of rows (number, columns). The text of a ClauseError begins with the number."""
    tables, shared, names, file, table = {}, {}, {}, '', None
    for number, columns in rows:
        try:
            if columns[0] == 'file' and len(columns) == 2:
                file, names = columns[1], dict(shared)
            elif columns[0] == 'table' and len(columns) in (3, 4):
                first = [c for name in columns[3:] for c in tables[name].clauses]
                table = tables[columns[1]] = Table(columns[1], columns[2], file, first)
            elif columns[0] == 'let' and len(columns) in (3, 4):
                (names if file else shared)[columns[1]] = parse_let(columns[2:])
            elif table and len(columns) in (5, 6):
                parse_row(columns, names, number, table)
            else:
                raise ClauseError('expected: file, table, let, or the columns of a clause')
        except ClauseError as error:
            raise ClauseError(f'{number}: {error}') from error
    return tables


def check_leaf(name, bits, features, regs):
    """Check that a name without a let is a feature or a field, and that a pattern is as wide as its field."""
    register, _, member = directed(name, False).partition('.')
    if not member and name not in ('-', *features):
        raise ClauseError(f'{name} is neither a let nor a feature')
    found = [f for f in regs[register].fields if f.name == member] if member and register in regs else []
    if bits and found and len(bits) != found[0].hi - found[0].lo + 1:
        raise ClauseError(f'{name}={bits} is not as wide as the field')


def check(tables, features, regs):
    """Check that every name of a condition is a let, a feature, or an existing field."""
    for clause in (c for t in tables.values() for c in t.clauses):
        try:
            for leaf in clause.leaves():
                if not isinstance(leaf, Let):
                    check_leaf(*leaf, features, regs)
            for name in (clause.looks_at(False, True) + ' ' + clause.looks_at(True, True)).split():
                register, _, member = name.partition('.')
                known = register in regs and (member in ('', *(f.name for f in regs[register].fields)))
                if not known and not name.startswith(STATE):
                    raise ClauseError(f'there is no {name}')
            clause.code()
        except ClauseError as error:
            raise ClauseError(f'{clause.line}: {clause.word}: {error}') from error
