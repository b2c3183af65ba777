# SPDX-License-Identifier: MIT
"""Convert the declarations of the public headers to types for other languages. pycparser, which cffi uses too, parses
the output of public_api.preprocess().
"""
import copy
import dataclasses
import re
import typing

from pycparser import c_ast, c_generator, c_parser

import public_api

# Types of the C library that the headers use; pycparser only needs their names.
FOREIGN = ['bool', 'size_t', 'ptrdiff_t', *(f'{sign}int{bits}_t' for sign in ('', 'u')
                                            for bits in (8, 16, 32, 64))]


@dataclasses.dataclass(frozen=True)
class Name:
    name: str


@dataclasses.dataclass(frozen=True)
class Pointer:
    to: typing.Any
    const: bool  # the target is const


@dataclasses.dataclass(frozen=True)
class Array:
    of: typing.Any
    length: int  # 0 if not given
    const: bool


@dataclasses.dataclass(frozen=True)
class Function:
    result: typing.Any
    arguments: tuple  # (name, type)


@dataclasses.dataclass
class Compound:
    keyword: str  # struct or union
    name: str
    members: typing.Any  # (name, type); None if opaque
    nested: bool  # has no tag in C


@dataclasses.dataclass
class Enum:
    name: str
    signed: bool


class Interface:
    """All declarations of the headers, in order."""

    def __init__(self, headers, constants):
        self.headers, self.constants = headers, constants
        self.enums, self.compounds, self.texts = [], [], []
        self.typedefs, self.functions, self.variables = {}, {}, {}
        self.enumerators, self.enum_of = set(), {}

    def value(self, node):
        """Return the value of a constant expression: an enumerator, a number, or operators on these."""
        if isinstance(node, c_ast.Constant):
            return int(node.value.rstrip('uUlL'), 0)
        if isinstance(node, c_ast.ID):
            return self.constants[node.name]
        left, right = self.value(node.left), self.value(node.right)
        return {'+': left + right, '-': left - right, '*': left * right}[node.op]

    def is_const(self, node):
        return 'const' in getattr(node, 'quals', [])

    def type(self, node, owner=''):
        if isinstance(node, c_ast.PtrDecl):
            return Pointer(self.type(node.type, owner), self.is_const(node.type))
        if isinstance(node, c_ast.ArrayDecl):
            return Array(self.type(node.type, owner), self.value(node.dim) if node.dim else 0,
                         self.is_const(node.type))
        if isinstance(node, c_ast.FuncDecl):
            arguments = node.args.params if node.args else []
            return Function(self.type(node.type), tuple(
                (each.name, self.type(each.type)) for each in arguments
                if each.name or self.type(each.type) != Name('void')))
        if isinstance(node, (c_ast.TypeDecl, c_ast.Typename)):
            return self.type(node.type, owner)
        if isinstance(node, (c_ast.Struct, c_ast.Union)):
            return Name(self.add_compound(node, owner))
        if isinstance(node, c_ast.Enum):
            self.add_enum(node)
            return Name(node.name)
        return Name(' '.join(node.names))

    def add_compound(self, node, owner=''):
        name = node.name or owner
        known = next((each for each in self.compounds if each.name == name), None)
        if not known:
            known = Compound(type(node).__name__.lower(), name, None, node.name is None)
            self.compounds.append(known)
        if node.decls:
            known.members = [(each.name, self.type(each.type, f'{name}_{each.name}'))
                             for each in node.decls]
        return name

    def add_enum(self, node):
        for each in node.values.enumerators if node.values else []:
            self.enumerators.add(each.name)
            if node.name:
                self.enum_of[each.name] = node.name
        if node.name and node.values:
            names = [each.name for each in node.values.enumerators]
            self.enums.append(Enum(node.name, any(self.constants[name] < 0 for name in names)))

    def add(self, node):
        if isinstance(node, c_ast.FuncDef):
            return  # an inline function, which the library does not export
        kind = self.type(node.type)
        if isinstance(node, c_ast.Typedef):
            self.typedefs[node.name] = kind
        elif isinstance(kind, Function):
            self.functions[node.name] = kind
        elif node.name:
            self.variables[node.name] = kind
        self.texts.append(self.text(node))

    def text(self, node):
        """Return the declaration in C, with every constant expression replaced by its value."""
        node, constant = copy.deepcopy(node), lambda n: c_ast.Constant('int', str(n))
        stack = [node]
        while stack:
            each = stack.pop()
            if isinstance(each, c_ast.Enumerator):
                each.value = constant(self.constants[each.name])
            elif isinstance(each, c_ast.ArrayDecl) and each.dim:
                each.dim = constant(self.value(each.dim))
            stack += [child for _, child in each.children()]
        return c_generator.CGenerator().visit(node) + ';'

    def paths(self, compound, rename):
        """Yield every member of a struct by its name in C and in another language, including the members of anonymous
        members."""
        by_name = {each.name: each for each in self.compounds}
        for name, kind in compound.members:
            inner = by_name.get(getattr(kind, 'name', None))
            yield name, rename(name)
            if inner and inner.nested:
                for path, other in self.paths(inner, rename):
                    yield f'{name}.{path}', f'{rename(name)}.{other}'


def read(folders, constants):
    """Return the interface of the headers below folders. constants is header_constants.values() of these headers."""
    interface = Interface([path.name for path in public_api.public_headers(folders)], constants)
    lines = (line for line in public_api.preprocess(folders) if not re.match(r'\s*(#|_Pragma)', line))
    foreign = ''.join(f'typedef int {name};\n' for name in FOREIGN)
    tree = c_parser.CParser().parse(foreign + '\n'.join(lines))
    for node in tree.ext[len(FOREIGN):]:
        interface.add(node)
    return interface
