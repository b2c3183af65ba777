# SPDX-License-Identifier: MIT
"""Mutants of C source: each is a copy of the text with one small fault.

mutants_of(path, text) reads the text without a compiler. It relies on the tree's formatting: blanks around binary
operators and none after unary ones. It mutates

  relational   < <= > >= == !=         arithmetic   + - * / % += -= *= /= ++ --, unary - removed
  logical      && || , ! removed       bitwise      & | ^ << >> &= |= ^= <<= >>=, ~ removed
  constant     a number one up, one down; true and false
  condition    of if, while, for and do negated
  branches     of ?: exchanged
  statement    an expression, return, break, continue or goto removed

in functions, except macros, and in the initializers of objects at file scope. It skips array sizes in declarations,
and calls of free() and of functions whose name ends in _free: no test can observe an extra byte, or memory that stays
allocated until the process ends.
"""
import collections
import hashlib
import re

Mutant = collections.namedtuple('Mutant', 'path function line begin end new before after kind number table')

TOKEN = re.compile(r'''
    (?P<blank>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<text>L?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?)[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
''', re.X | re.S | re.M)
Token = collections.namedtuple('Token', 'kind text begin end')

REPLACED = {
    'relational': {'<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'],
                   '==': ['!='], '!=': ['==']},
    'arithmetic': {'+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'],
                   '+=': ['-='], '-=': ['+='], '*=': ['/='], '/=': ['*=']},
    'logical': {'&&': ['||'], '||': ['&&']},
    'bitwise': {'&': ['|'], '|': ['&'], '^': ['|'], '<<': ['>>'], '>>': ['<<'],
                '&=': ['|='], '|=': ['&='], '^=': ['|='], '<<=': ['>>='], '>>=': ['<<=']},
}
BINARY = {old: new for operators in REPLACED.values() for old, new in operators.items()}
KIND = {operator: kind for kind, operators in REPLACED.items() for operator in operators}
TYPES = {'const', 'static', 'struct', 'union', 'enum', 'unsigned', 'signed', 'int', 'char', 'long', 'short',
         'bool', 'void', 'float', 'double', 'size_t', 'typedef', 'volatile', 'inline'}
NOT_A_VALUE = {'return', 'case', 'sizeof', 'else', 'do', 'goto'}
OPEN = {'(': ')', '[': ']', '{': '}'}


def key(mutant):
    """Return a name of the mutant that does not change when other lines do."""
    return (mutant.path, mutant.function, mutant.before, mutant.after, mutant.number)


def identity(mutant):
    return hashlib.sha256('\0'.join(map(str, key(mutant))).encode()).hexdigest()[:10]


def apply(text, mutant):
    return text[:mutant.begin] + mutant.new + text[mutant.end:]


def tokens_of(text):
    tokens = []
    at = 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            at += 1
            continue
        if m.lastgroup not in ('blank', 'directive'):
            tokens.append(Token(m.lastgroup, m[0], at, m.end()))
        at = m.end()
    return tokens


class Mutator:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.token = tokens_of(text)
        self.partner = self.partners()
        self.function, self.table = '', False  # table: true for an object at file scope
        self.found = []

    def partners(self):
        """Return {index of an opening parenthesis: index of the closing one}."""
        partner, stack = {}, []
        for i, t in enumerate(self.token):
            if t.text in OPEN:
                stack.append(i)
            elif t.text in OPEN.values() and stack:
                partner[stack.pop()] = i
        return partner

    def word(self, i):
        return self.token[i].text if 0 <= i < len(self.token) else ''

    # -- findings

    def add(self, kind, first, last, new):
        """Add the mutant that replaces tokens `first` to `last`, both included."""
        begin, end = self.token[first].begin, self.token[last].end
        start = self.text.rfind('\n', 0, begin) + 1
        stop = self.text.find('\n', end)
        stop = len(self.text) if stop < 0 else stop
        before = ' '.join(self.text[start:stop].split())
        after = ' '.join((self.text[start:begin] + new + self.text[end:stop]).split())
        if before != after:
            self.found.append(Mutant(self.path, self.function, self.text.count('\n', 0, begin) + 1,
                                     begin, end, new, before, after, kind, 1, self.table))

    def span(self, first, last):
        return self.text[self.token[first].begin:self.token[last].end]

    # -- expressions

    def is_binary(self, i):
        t, before = self.token[i], self.token[i - 1]
        if before.kind == 'operator' and before.text not in (')', ']', '++', '--'):
            return False
        if before.text in NOT_A_VALUE:
            return False
        return t.text not in '+-*&' or self.text[t.end:t.end + 1].isspace()

    def operator(self, i):
        t = self.token[i].text
        if t in ('++', '--'):
            self.add('arithmetic', i, i, '--' if t == '++' else '++')
        elif t in '!~' or (t == '-' and not self.is_binary(i)):
            self.add({'!': 'logical', '~': 'bitwise', '-': 'arithmetic'}[t], i, i, '')
        elif t == '?':
            self.exchange(i)
        elif t in BINARY and self.is_binary(i):
            for new in BINARY[t]:
                self.add(KIND[t], i, i, new)

    def exchange(self, i):
        """Add the mutant c ? b : a of c ? a : b."""
        depth, colon, j = 0, None, i + 1
        while j < len(self.token):
            t = self.word(j)
            if t in OPEN:
                j = self.partner[j]
            elif t == '?':
                depth += 1
            elif t == ':' and colon is None:
                if depth == 0:
                    colon = j
                else:
                    depth -= 1
            elif t in (',', ';', ')', ']', '}') or (t == ':' and depth == 0):
                break
            elif t == ':':
                depth -= 1
            j += 1
        if colon is not None:
            a, b = self.span(i + 1, colon - 1), self.span(colon + 1, j - 1)
            if a != b:
                self.add('branches', i + 1, j - 1, b + ' : ' + a)

    def number(self, i):
        t = self.token[i]
        m = re.fullmatch(r'(0[xX](?=[0-9a-fA-F]))?((?<=[xX])[0-9a-fA-F]+|\d+)([uUlL]*)', t.text)
        if not m:
            if re.fullmatch(r'[\d.]+(?:[eE][+-]?\d+)?f?', t.text):
                self.add('constant', i, i, f'({t.text} + 1)')
            return
        base = 16 if m[1] else 8 if m[2].startswith('0') and len(m[2]) > 1 else 10
        value = int(m[2], base)
        form = {16: '{:#x}', 8: '0{:o}', 10: '{}'}[base]
        self.add('constant', i, i, form.format(value + 1) + m[3])
        if value:
            self.add('constant', i, i, form.format(value - 1) + m[3])

    def expression(self, first, last):
        for i in range(first, last + 1):
            t = self.token[i]
            if t.kind == 'number':
                self.number(i)
            elif t.text in ('true', 'false'):
                self.add('constant', i, i, 'false' if t.text == 'true' else 'true')
            elif t.kind == 'operator':
                self.operator(i)

    def condition(self, first, last):
        """Mutate the condition of if, while, for or do. A single comparison or ! is already negated through its
        operator."""
        if last < first:
            return
        words = [self.word(i) for i in range(first, last + 1)]
        joined = '&&' in words or '||' in words
        single = sum(KIND.get(w) == 'relational' for w in words) == 1 or words[0] == '!'
        if joined or not single:
            self.add('condition', first, last, f'!({self.span(first, last)})')
        self.expression(first, last)

    # -- statements

    def end_of_statement(self, i):
        while self.word(i) != ';':
            i = self.partner[i] + 1 if self.word(i) in OPEN else i + 1
            if i >= len(self.token):
                raise ValueError(f'{self.path}: a statement has no end')
        return i

    def is_declaration(self, i):
        t = self.token[i]
        if t.text in TYPES or t.text.startswith('_Static_assert') or re.fullmatch(r'u?int\w*_t', t.text):
            return True
        if t.kind != 'name':
            return False
        follows = self.token[i + 1]
        return follows.kind == 'name' or (follows.text == '*' and not self.is_binary(i + 1))

    def declaration(self, first, last):
        """Mutate the initializers, but not the sizes of arrays before them."""
        if self.word(first) == '_Static_assert':
            return
        i, begun = first, None
        while i <= last:
            t = self.word(i)
            if t in (OPEN if begun is not None else ('[', '(')):
                i = self.partner[i]
            elif begun is None and t == '=':
                begun = i + 1
            elif begun is not None and t in (',', ';'):
                self.expression(begun, i - 1)
                begun = None
            i += 1

    def simple(self, first):
        last = self.end_of_statement(first)
        t = self.word(first)
        if t in ('break', 'continue', 'goto', 'return'):
            self.add('statement', first, last, ';')
            self.expression(first + 1, last - 1)
        elif self.is_declaration(first):
            self.declaration(first, last)
        elif last > first and t != '__attribute__':
            if not re.match(r'(?:free|\w+_free)$', t):
                self.add('statement', first, last, ';')
            self.expression(first, last - 1)
        return last + 1

    def loop_head(self, first, last):
        """Mutate the head of a for loop; tokens first to last are inside the parentheses."""
        parts, i, start = [], first, first
        while i <= last:
            if self.word(i) in OPEN:
                i = self.partner[i]
            elif self.word(i) == ';':
                parts.append((start, i - 1))
                start = i + 1
            i += 1
        parts.append((start, last))
        if parts[0][1] >= parts[0][0]:
            begin = self.declaration if self.is_declaration(first) else self.expression
            begin(parts[0][0], parts[0][1] + 1)
        self.condition(*parts[1])
        self.expression(*parts[2])

    def statement(self, i):
        t = self.word(i)
        if t == '{':
            return self.block(i)
        if t in ('if', 'while', 'switch', 'for'):
            last = self.partner[i + 1]
            if t == 'for':
                self.loop_head(i + 2, last - 1)
            elif t == 'switch':
                self.expression(i + 2, last - 1)
            else:
                self.condition(i + 2, last - 1)
            i = self.statement(last + 1)
            return self.statement(i + 1) if t == 'if' and self.word(i) == 'else' else i
        if t == 'do':
            i = self.statement(i + 1)
            last = self.partner[i + 1]
            self.condition(i + 2, last - 1)
            return last + 2
        if t in ('case', 'default') or (self.word(i + 1) == ':' and self.token[i].kind == 'name'):
            colon = i
            while self.word(colon) != ':':
                colon += 1
            if t == 'case':
                self.expression(i + 1, colon - 1)
            return colon + 1
        return i + 1 if t == ';' else self.simple(i)

    def block(self, i):
        last = self.partner[i]
        i += 1
        while i < last:
            i = self.statement(i)
        return last + 1

    # -- file scope

    def opening(self, closing):
        return next((first for first, last in self.partner.items() if last == closing), None)

    def parameter_list(self, brace):
        """Return the ( of the parameters if the { begins a function, also for FUNCTION(a, b) {, or None."""
        if self.word(brace - 1) != ')':
            return None
        return self.opening(brace - 1)

    def object_name(self, equals):
        i = equals - 1
        while self.word(i) == ']':
            i = self.opening(i) - 1
        return self.word(i)

    def definitions(self):
        """Yield (name, true for an object, first token, last token) of each body and initializer at file scope."""
        i = 0
        while i < len(self.token):
            t = self.word(i)
            if t == '{':
                opening = self.parameter_list(i)
                if opening is not None:
                    yield self.word(opening - 1), False, i, self.partner[i]
                if self.word(i - 1) != '"C"':
                    i = self.partner[i]
            elif t == '=':
                last = self.end_of_statement(i)
                yield self.object_name(i), True, i, last
                i = last
            i += 1

    def run(self):
        for self.function, self.table, first, last in self.definitions():
            if self.table:
                self.expression(first + 1, last - 1)
            else:
                self.block(first)
        return self.numbered()

    def numbered(self):
        """Number equal lines of a function, so that each has a unique key."""
        seen, result = collections.Counter(), []
        for m in sorted(self.found, key=lambda m: (m.begin, m.end, m.new)):
            m = m._replace(number=1)
            seen[key(m)] += 1
            result.append(m._replace(number=seen[key(m)]))
        return result


def mutants_of(path, text):
    return Mutator(path, text).run()


def scopes_of(path, text):
    """Return {name: [(begin, end)]} of functions, of initialized objects at file scope with their declarations, of
    macros, and of enumerations by tag and enumerator."""
    m, scopes = Mutator(path, text), {}
    for name, _, first, last in m.definitions():
        while first and m.word(first - 1) not in (';', '}') and m.word(first - 2) != 'extern':
            first -= 1
        scopes.setdefault(name, []).append((m.token[first].begin, m.token[last].end))
    for found in re.finditer(r'^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n\\]|\\.)*', text, re.M | re.S):
        scopes.setdefault(found[1], []).append(found.span())
    for found in re.finditer(r'\benum\s*(\w*)\s*\{([^}]*)\}', text):
        names = {found[1], *(t.text for t in tokens_of(found[2]) if t.kind == 'name')} - {''}
        for name in names - scopes.keys():
            scopes[name] = [found.span()]
    return scopes
