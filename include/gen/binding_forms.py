# SPDX-License-Identifier: MIT
"""Print the declarations of the public headers of libspemu for the bindings, in one of these forms.

python: the declarations that cffi reads (declarations.cdef).
rust: types, constants and functions of the crate spemu-sys (generated.rs).
layout: a C program that prints the compiler's sizes, offsets, signs and constants, one "NAME NUMBER" per line. The
tests of both bindings compare their own numbers with these.
layout-rust: the same rows as a Rust expression, for the macros of tests/bindings/layout.rs.
"""
import header_constants
import c_interface

HEAD = 'Made by include/gen/gen-bindings of the headers in include/spemu, which say what everything means.'
RUST_TYPES = {
    'void': 'c_void', 'char': 'c_char', 'int': 'c_int', 'unsigned int': 'c_uint', 'unsigned': 'c_uint',
    '_Bool': 'bool', 'bool': 'bool', 'size_t': 'usize', 'ptrdiff_t': 'isize',
    **{f'{sign}int{bits}_t': f'{short}{bits}' for sign, short in (('', 'i'), ('u', 'u'))
       for bits in (8, 16, 32, 64)},
}
RUST_KEYWORDS = {'type', 'where', 'match', 'move', 'ref', 'in', 'fn', 'impl', 'use', 'mod', 'loop', 'priv', 'self'}


def rust_name(name):
    return name + '_' if name in RUST_KEYWORDS else name


def rust_function(kind):
    arguments = ', '.join(f'{rust_name(name or f"arg{i}")}: {rust_argument(each)}'
                          for i, (name, each) in enumerate(kind.arguments))
    answer = '' if kind.result == c_interface.Name('void') else f' -> {rust_type(kind.result)}'
    return f'({arguments}){answer}'


def rust_type(kind):
    if isinstance(kind, c_interface.Pointer):
        if isinstance(kind.to, c_interface.Function):
            return f'Option<unsafe extern "C" fn{rust_function(kind.to)}>'
        return f"*{'const' if kind.const else 'mut'} {rust_type(kind.to)}"
    if isinstance(kind, c_interface.Array):
        return f'[{rust_type(kind.of)}; {kind.length or 0}]'
    return RUST_TYPES.get(kind.name, kind.name)


def rust_argument(kind):
    """Return the type of an argument: an array becomes a pointer."""
    if isinstance(kind, c_interface.Array):
        kind = c_interface.Pointer(kind.of, kind.const)
    return rust_type(kind)


def rust_compound(each):
    if each.members is None:
        return f'#[repr(C)]\npub struct {each.name} {{\n    _private: [u8; 0],\n}}'
    members = ''.join(f'    pub {rust_name(name)}: {rust_type(kind)},\n' for name, kind in each.members)
    return (f'#[repr(C)]\n#[derive(Clone, Copy)]\npub {each.keyword} {each.name} {{\n{members}}}')


def rust_constant(name, value, kind):
    if kind is None:
        kind = 'i32' if value < 0 else 'u32' if value < 1 << 32 else 'u64'
    return f'pub const {name}: {kind} = {value};'


def rust(interface):
    yield f'// SPDX-License-Identifier: MIT\n// {HEAD}\n'
    for each in interface.enums:
        yield f"pub type {each.name} = {'c_int' if each.signed else 'c_uint'};"
    for name, value in interface.constants.items():
        yield rust_constant(name, value, interface.enum_of.get(name))
    for name, kind in interface.typedefs.items():
        yield f'pub type {name} = {rust_type(kind)};'
    for each in interface.compounds:
        yield rust_compound(each)
    yield 'extern "C" {'
    for name, kind in interface.variables.items():
        yield f'    pub static {name}: {rust_type(kind)};'
    for name, kind in interface.functions.items():
        yield f'    pub fn {name}{rust_function(kind)};'
    yield '}'


def python(interface):
    yield f'/* SPDX-License-Identifier: MIT */\n/* {HEAD} */'
    for name, value in interface.constants.items():
        if name not in interface.enumerators:
            yield f'#define {name} {value}'
    yield from interface.texts


def rows(interface):
    """Yield each name of the layout, with the C and Rust expressions for its number."""
    for each in interface.compounds:
        if each.members is None or each.nested:
            continue
        c = f'{each.keyword} {each.name}'
        yield f'sizeof {each.name}', f'sizeof({c})', f'size_of::<{each.name}>()'
        yield f'alignof {each.name}', f'_Alignof({c})', f'align_of::<{each.name}>()'
        for path, rust_path in interface.paths(each, rust_name):
            yield (f'offset {each.name}.{path}', f'offsetof({c}, {path})',
                   f'offset!({each.name}, {rust_path})')
            yield (f'size {each.name}.{path}', f'sizeof((({c} *)0)->{path})',
                   f'size!({each.name}, {rust_path})')
    for each in interface.enums:
        yield f'enum-sizeof {each.name}', f'sizeof(enum {each.name})', f'size_of::<{each.name}>()'
        yield f'enum-signed {each.name}', f'(enum {each.name})-1 < 0', f'signed!({each.name})'
    for name in interface.constants:
        yield f'constant {name}', name, name


def layout(interface):
    yield '#include <stddef.h>\n#include <stdio.h>'
    yield from (f'#include <spemu/{name}>' for name in interface.headers)
    yield '#define SHOW(name, x) ((x) < 0 ? printf("%s %lld\\n", name, (long long)(x)) : \\\n' \
          '\tprintf("%s %llu\\n", name, (unsigned long long)(x)))\nint main(void) {'
    yield from (f'\tSHOW("{name}", {c});' for name, c, _ in rows(interface))
    yield '}'


def layout_rust(interface):
    yield f'// SPDX-License-Identifier: MIT\n// {HEAD}\nvec!['
    yield from (f'    ("{name}", {expression} as i128),' for name, _, expression in rows(interface))
    yield ']'


FORMS = {'python': python, 'rust': rust, 'layout': layout, 'layout-rust': layout_rust}


def read(folders):
    return c_interface.read(folders, header_constants.values(folders))


def made(form, interface):
    return '\n'.join(FORMS[form](interface)) + '\n'
