# SPDX-License-Identifier: MIT
"""Read the declarations of C headers with the compiler's preprocessor, and the definitions of compiled files with nm.

Scripts and tests use this to compare libspemu with its public headers.
"""
import os
import pathlib
import re
import shlex
import subprocess
import types

COMPILER = shlex.split(os.environ.get('CC', 'cc'))


def public_headers(folders):
    """Return the paths of all headers in the folders that <spemu/...> is searched in."""
    return [path for folder in folders
            for path in sorted((pathlib.Path(folder) / 'spemu').glob('*.h'))]


def preprocess(folders, umbrella=None):
    """Return the lines of the public headers after the preprocessor, with the definitions of macros. System headers are
    left out. With `umbrella`, return the lines of this header and of those that it includes."""
    headers = public_headers(folders)
    source = ''.join(f'#include <spemu/{path.name}>\n' for path in headers if umbrella in (None, path.name))
    flags = [f'-I{folder}' for folder in folders]
    out = subprocess.run([*COMPILER, '-std=c11', '-E', '-dD', *flags, '-x', 'c', '-'],
                         input=source, check=True, stdout=subprocess.PIPE, text=True).stdout
    own = {os.path.realpath(path) for path in headers}
    lines, inside = [], False
    for line in out.splitlines():
        marker = re.match(r'# \d+ "([^"]+)"', line)
        if marker:
            inside = os.path.realpath(marker[1]) in own
        elif inside:
            lines.append(line)
    return lines


def declarations(text):
    """Return the parts of text that end, outside all brackets, with a semicolon or the body of a function."""
    depth = start = 0
    for i, c in enumerate(text):
        depth += (c in '{([') - (c in '})]')
        body_ends = c == '}' and text[start:i].lstrip().startswith('static')
        if depth == 0 and (c == ';' or body_ends):
            yield text[start:i].strip()
            start = i + 1


def enumerators(text):
    for body in re.findall(r'\benum\b[^{};()]*\{([^}]*)\}', text):
        while '(' in body:
            body = re.sub(r'\([^()]*\)', '', body)
        yield from (item.split('=')[0].strip() for item in body.split(',') if item.strip())


def declared(folders, umbrella=None):
    """Return the sets of functions, variables, enumerators and types (tags and typedef names), and the macros, each
    with the text after its name: "(n) ..." with parameters, " 1" without."""
    lines = preprocess(folders, umbrella)
    text = '\n'.join(line for line in lines if not line.startswith('#'))
    api = types.SimpleNamespace(functions=set(), variables=set(), enumerators=set(enumerators(text)))
    api.macros = {m[1]: m[2] for m in map(re.compile(r'#define (\w+)(.*)').match, lines) if m}
    api.types = set(re.findall(r'\b(?:struct|union|enum)\s+(\w+)\s*\{', text))
    for part in declarations(text):
        if part.startswith('typedef'):
            name = re.search(r'\(\*(\w+)\)|(\w+)$', part)
            api.types.add(name[1] or name[2])
        elif '{' in part or part.startswith('static') or re.fullmatch(r'\w+\s+\w+', part):
            continue
        elif '(' in part:
            api.functions.add(re.search(r'(\w+)\s*\(', part)[1])
        else:
            api.variables.add(re.search(r'(\w+)\s*(\[.*)?$', part, re.S)[1])
    return api


def defined(path, *flags):
    """Return the global names that an object, an archive or (with --dynamic) a shared library defines."""
    out = subprocess.run(['nm', '--extern-only', '--defined-only', '--format=posix', *flags,
                          str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
    # nm prints "name type value size" per line, and a line for each member of an archive. A version has type A and its
    # own name.
    rows = [line.split() for line in out.splitlines()]
    return {row[0].split('@')[0] for row in rows if len(row) >= 2 and row[1] != 'A'}
