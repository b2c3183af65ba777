# SPDX-License-Identifier: MIT
"""Read the text of the public headers: comments, and the declarations that each comment describes.

include/gen/public_api.py and include/gen/c_interface.py read the output of the preprocessor, which drops comments. This
module reads what a person sees. A comment describes the declarations below it, up to the next blank line. A comment
with a blank line below it describes everything up to the next such comment.
"""
import dataclasses
import re
import textwrap

TOKEN = re.compile(r'/\*.*?\*/|#(?:\\\n|[^\n])*|[^\s#/]', re.S)
INSIDE = re.compile(r'/\*.*?\*/|[{}();]', re.S)
COMMENT = re.compile(r'/\*.*?\*/', re.S)
FUNCTION = re.compile(r'((?:const )?[\w ]+?[ *]+)(\w+)\((.*)\)')
TYPE = re.compile(r'(?:(?:struct|union|enum) (\w+) \{|typedef .*?\(\*(\w+)\)\()', re.S)


@dataclasses.dataclass
class Declaration:
    text: str  # with the comments inside it
    name: str  # of a function or a type; '' for everything else
    kind: str  # function, inline, type or other
    result: str = ''  # of a function
    arguments: tuple = ()


@dataclasses.dataclass
class Part:
    """A comment, without its marks, and the declarations below it."""

    comment: str
    declarations: list

    def of_kind(self, *kinds):
        return [each for each in self.declarations if each.kind in kinds]


@dataclasses.dataclass
class Chunk:
    """Declarations without a blank line between them; note is their comment, or ''."""

    note: str
    parts: list

    def of_kind(self, *kinds):
        return [each for part in self.parts for each in part.of_kind(*kinds)]

    @property
    def words(self):
        return '\n\n'.join(part.comment for part in self.parts if part.comment)


@dataclasses.dataclass
class Header:
    name: str  # codec.h
    about: str  # the first comment, which describes the header
    chunks: list

    def of_kind(self, *kinds):
        return [each for chunk in self.chunks for each in chunk.of_kind(*kinds)]


def plain(comment):
    """Return the words of a comment, with its inner indentation."""
    first, *lines = comment.removeprefix('/*').removesuffix('*/').split('\n')
    rest = textwrap.dedent('\n'.join(re.sub(r'^\s*\* ?', '', line).expandtabs(8) for line in lines))
    return f'{first.strip()}\n{rest}'.strip('\n ')


def split_arguments(text):
    out, depth, part = [], 0, ''
    for c in text:
        depth += (c in '([') - (c in ')]')
        if c == ',' and depth == 0:
            out.append(part)
            part = ''
        else:
            part += c
    return tuple(' '.join(each.split()) for each in [*out, part])


def declaration(text):
    bare = ' '.join(COMMENT.sub('', text).split())
    inline = bare.startswith('static inline')
    head = bare.removeprefix('static inline ').split(' {')[0] if inline else bare.removesuffix(';')
    function = None if bare.startswith(('#', 'typedef', 'extern')) else FUNCTION.fullmatch(head)
    if function:
        return Declaration(text, function[2], 'inline' if inline else 'function', function[1].strip(),
                           split_arguments(function[3]))
    named = TYPE.match(bare)
    return Declaration(text, (named[1] or named[2]) if named else '', 'type' if named else 'other')


def end_of(text, start):
    """Return the end of the declaration that begins at `start`."""
    depth, inline = 0, text.startswith('static', start)
    for token in INSIDE.finditer(text, start):
        depth += (token[0] in '{(') - (token[0] in '})')
        if depth == 0 and (token[0] == ';' or inline and token[0] == '}'):
            same_line = re.compile(r'[ \t]*/\*.*?\*/(?=\s*\n)', re.S).match(text, token.end())
            return same_line.end() if same_line else token.end()
    raise ValueError(f'no end: {text[start:start + 60]!r}')


def pieces(text):
    """Yield comments, lines of the preprocessor and declarations as (text, begins after a blank line)."""
    at = 0
    while found := TOKEN.search(text, at):
        end = found.end() if found[0].startswith(('/*', '#')) else end_of(text, found.start())
        yield text[found.start():end], text.count('\n', at, found.start()) > 1
        at = end


def chunks(text):
    out, note = [], ''
    for piece, apart in pieces(text):
        if apart or not out:
            out.append(Chunk('', []))
        if piece.startswith('/*'):
            out[-1].parts.append(Part(plain(piece), []))
        else:
            if not out[-1].parts:
                out[-1].parts.append(Part('', []))
            out[-1].parts[-1].declarations.append(declaration(piece))
    for each in out:
        if len(each.parts) == 1 and not each.parts[0].declarations:
            note = each.parts[0].comment
        else:
            each.note = note
    return out


def read(path):
    text = path.read_text(encoding='utf-8')
    about = COMMENT.findall(text)[1]
    body = text[text.index(about) + len(about):].rstrip().removesuffix('#endif')
    body = re.sub(r'^#ifndef (\w+_H)\n#define \1$|^#include .*$|^SPEMU_(BEGIN|END)_DECLS$', '', body, flags=re.M)
    return Header(path.name, plain(about), chunks(body))
