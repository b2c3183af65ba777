#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Manual pages of section 3, made of the public headers: gen_man3.py CHANGELOG OUTPUT_DIR HEADER...

A header is a page, spemu-codec(3) (libspemu(3) of spemu.h): the comment that it begins with, its types and constants as
they are there, and its functions. Functions that no blank line divides are a page, with the types that they take; every
other name of theirs, and the names of inline functions, are links to the page. OUTPUT_DIR is made anew.
"""
import pathlib
import re
import shutil
import sys
import textwrap

import header_text

WIDTH = 78
ITEM = re.compile(r'(-|\d\.) +')
CALL = re.compile(r'([(\[]?)(\w+)\(\)((?:\.\.\.)?)([.,:;)\]?!]*)')
MONTHS = 'January February March April May June July August September October November December'.split()
# groff makes other characters of these.
TEXT = {'\\': '\\e', '`': '\\(ga', '^': '\\(ha', '~': '\\(ti'}
LITERAL = {**TEXT, '-': '\\-', "'": '\\(aq'}


def escaped(text, characters=None):
    return text.translate(str.maketrans(characters or TEXT))


def literal_line(line):
    line = escaped(line.expandtabs(8), LITERAL)
    return '\\&' + line if line.startswith('.') else line


def literal(lines):
    return ['.Bd -literal', *map(literal_line, lines), '.Ed']


def text_lines(text):
    """A sentence begins a line, as mdoc wants it."""
    for sentence in re.split(r'(?<=[\w)"\]][.?]) (?=[A-Z*])', text):
        for line in textwrap.wrap(escaped(sentence), WIDTH, break_long_words=False, break_on_hyphens=False):
            yield '\\&' + line if line.startswith(('.', "'")) else line


class Prose:
    """mdoc of comments on one page: a function that has another page is a reference to it."""

    def __init__(self, pages, own):
        self.pages, self.own = pages, own

    def call(self, found):
        before, name, dots, after = found.groups()
        macro = f'Xr {name} 3' if name in self.pages and name not in self.own else f'Fn {name}'
        before = f'Pf {before} ' if before else ''
        return f".{before}{macro}{''.join(' ' + c for c in after)}{' ...' if dots else ''}"

    def words(self, lines):
        out, line = [], []
        for word in ' '.join(lines).split():
            found = CALL.fullmatch(word)
            if not found:
                line.append(word)
                continue
            out += [*text_lines(' '.join(line)), self.call(found)]
            line = []
        return out + list(text_lines(' '.join(line)))

    def item_list(self, lines):
        items = []
        for line in lines:
            found = ITEM.match(line)
            if found:
                items.append([line[found.end():]])
            else:
                items[-1].append(line)
        kind = 'bullet' if lines[0].startswith('-') else 'enum'
        return [f'.Bl -{kind}', *(row for each in items for row in ['.It', *self.words(each)]), '.El']

    def block(self, lines):
        """A paragraph: words, lists, and what is indented, as it is."""
        out, at = [], 0
        while at < len(lines):
            def run(goes_on):
                end = at + 1
                while end < len(lines) and goes_on(lines[end]):
                    end += 1
                return lines[at:end]
            if ITEM.match(lines[at]):
                taken = run(lambda line: ITEM.match(line) or line.startswith(' '))
                out += self.item_list(taken)
            elif lines[at].startswith('  '):
                taken = run(lambda line: line.startswith('  '))
                out += literal(textwrap.dedent('\n'.join(taken)).split('\n'))
            else:
                taken = run(lambda line: not ITEM.match(line) and not line.startswith('  '))
                out += self.words(taken)
            at += len(taken)
        return out

    def paragraphs(self, text):
        out = []
        for block in re.split(r'\n\s*\n', text):
            if not block.strip():
                continue
            lines = self.block(block.strip('\n').split('\n'))
            if out and not lines[0].startswith(('.Bd', '.Bl')):
                out.append('.Pp')
            out += lines
        return out


def page_of(header):
    return 'libspemu' if header.name == 'spemu.h' else 'spemu-' + header.name.removesuffix('.h')


def about(comment):
    """What a page is about: the beginning of its comment, without a full stop."""
    text = ' '.join(comment.split())
    ends = [found.start() for found in re.finditer(r'(?<=[\w)"\]`])[.:;](?= |$)', text)]
    first = next((text[:end] for end in ends if end > 12 and text.count('(', 0, end) <= text.count(')', 0, end)), text)
    first = first[0].lower() + first[1:] if first[1:2].islower() or first.startswith('A ') else first
    return re.sub(r'(\w+)\(\)', r'\1', first)


def function_parts(chunk):
    """(What it is about, the part) of those that have functions; of the first, what is above it in the chunk."""
    parts = [part for part in chunk.parts if part.of_kind('function')]
    return [(about(chunk.words if part is parts[0] else part.comment), part) for part in parts]


def top(date, names, what):
    return ['.\\" SPDX-License-Identifier: MIT', '.\\" Made of include/spemu by scripts/gen_man3.py.', f'.Dd {date}',
            f'.Dt {names[0].upper()} 3', '.Os', '.Sh NAME', '.Nm ' + ' ,\n.Nm '.join(names), f'.Nd {escaped(what)}']


def prototype(each):
    return [f'.Ft "{each.result}"', f'.Fo {each.name}', *(f'.Fa "{one}"' for one in each.arguments), '.Fc']


def standards(header):
    """What the header's comment says of the Arm ARM."""
    for block in re.split(r'\n\s*\n', header.about):
        found = re.match(r'(?:.*\n)*?Arm ARM: (.*?)(?:\.(?=\s+[A-Z])|\.?$)', block, re.S)
        if found:
            return ['.Sh STANDARDS', 'Arm Architecture Reference Manual for A-profile architecture:',
                    *text_lines(' '.join(found[1].split()) + '.')]
    return []


class Manual:
    def __init__(self, headers, date):
        self.headers, self.date = headers, date
        self.types = {each.name: (header, part, each) for header in headers for chunk in header.chunks
                      for part in chunk.parts for each in part.of_kind('type')}
        self.statuses = self.status_words()
        self.page_of_function = {}
        for header in headers:
            for chunk in header.chunks:
                group = chunk.of_kind('function')
                self.page_of_function.update({each.name: group[0].name for each in group})
            self.page_of_function.update({each.name: page_of(header) for each in header.of_kind('inline')})

    def status_words(self):
        """Of enum spemu_status: name -> its comment."""
        if 'spemu_status' not in self.types:
            return {}
        rows = re.findall(r'(SPEMU_ERR_\w+) = -\d+, +/\* (.*?) \*/', self.types['spemu_status'][2].text)
        return dict(rows)

    def types_of(self, chunk):
        """The types that the functions of a chunk take and give: (header, part, type)."""
        group = chunk.of_kind('function')
        named = re.findall(r'\w+', ' '.join(' '.join([each.result, *each.arguments]) for each in group))
        return [self.types[name] for name in dict.fromkeys(named) if name in self.types]

    def type_lines(self, prose, chunk):
        """What is declared beside the functions of a chunk, which its comments are about; then other types, with theirs."""
        beside = chunk.of_kind('type', 'other')
        out = literal([row for each in beside for row in each.text.split('\n')]) if beside else []
        for _, part, each in self.types_of(chunk):
            if part not in chunk.parts:
                out += [*prose.paragraphs(part.comment), *literal(each.text.split('\n'))]
        return ['.Ss Types and constants', *out] if out else []

    def returns(self, words):
        named = [name for name in self.statuses if re.search(rf'\b{name}\b', words)]
        if not named:
            return []
        rows = [row for name in named for row in [f'.It Dv {name}', *text_lines(self.statuses[name])]]
        return ['.Sh RETURN VALUES', 'Of the codes of', '.Xr spemu-status 3', 'these are named above; each is negative:',
                '.Bl -tag -width Ds', *rows, '.El']

    def description(self, prose, chunk):
        parts = [part for part in chunk.parts if part.of_kind('function')]
        out = prose.paragraphs(chunk.note)
        for part in chunk.parts:
            if part in parts and len(parts) > 1:
                names = ' , Fn '.join(each.name for each in part.of_kind('function'))
                out += ['.Bl -tag -width Ds', f'.It Fn {names}', *prose.paragraphs(part.comment), '.El']
            elif part.comment:
                out += ['.Pp'] * bool(out) + prose.paragraphs(part.comment)
        return '\n'.join(out).replace('.El\n.Bl -tag -width Ds\n', '').split('\n')

    def function_page(self, header, chunk):
        group = chunk.of_kind('function')
        names = [each.name for each in group]
        prose = Prose(self.page_of_function, names)
        others = dict.fromkeys([page_of(header), *(page_of(each[0]) for each in self.types_of(chunk)), 'libspemu'])
        what = '; '.join(each for each, _ in function_parts(chunk))
        return [*top(self.date, names, what),
                '.Sh LIBRARY', 'libspemu, linked by', '.Fl lspemu',
                '.Sh SYNOPSIS', f'.In spemu/{header.name}', *(row for each in group for row in prototype(each)),
                '.Sh DESCRIPTION', *self.description(prose, chunk), *self.type_lines(prose, chunk),
                f'.Ss All of spemu/{header.name}', *prose.paragraphs(header.about), *self.returns(f'{chunk.note} {chunk.words}'),
                '.Sh SEE ALSO', *references(others), *standards(header)]

    def declarations(self, prose, header):
        """Types, constants and inline functions, with their comments."""
        out, note = [], ''
        for chunk in header.chunks:
            parts = [part for part in chunk.parts if part.of_kind('type', 'other', 'inline')]
            if parts and chunk.note != note:
                note = chunk.note
                out += ['.Pp', *prose.paragraphs(note)]
            for part in parts:
                shown = [row for each in part.of_kind('type', 'other', 'inline') for row in each.text.split('\n')]
                words = prose.paragraphs(part.comment)
                out += [*(['.Pp', *words] if words else []), *literal(shown)]
        return ['.Ss Types and constants', *out[out[:1] == ['.Pp']:]] if out else []

    def functions(self, header):
        out = []
        for what, part in (each for chunk in header.chunks for each in function_parts(chunk)):
            names = ' , Xr '.join(f'{each.name} 3' for each in part.of_kind('function'))
            out += [f'.It Xr {names}', *text_lines(what)]
        return ['.Ss Functions', '.Bl -tag -width Ds', *out, '.El'] if out else []

    def header_page(self, header):
        inline = [each.name for each in header.of_kind('inline')]
        prose = Prose(self.page_of_function, inline)
        others = [page_of(each) for each in self.headers if each is not header]
        whole = header.name == 'spemu.h'
        listed = others if whole else ['libspemu']
        return [*top(self.date, [page_of(header), *inline], about(header.about)),
                *([] if header.name == 'region.h' else ['.Sh LIBRARY', 'libspemu, linked by', '.Fl lspemu']),
                '.Sh SYNOPSIS', f'.In spemu/{header.name}', '.Sh DESCRIPTION', *prose.paragraphs(header.about),
                *self.functions(header), *self.declarations(prose, header),
                '.Sh SEE ALSO', *references(listed), *standards(header)]

    def pages(self):
        """File name -> lines."""
        out = {}
        for header in self.headers:
            out[f'{page_of(header)}.3'] = self.header_page(header)
            for chunk in header.chunks:
                if chunk.of_kind('function'):
                    out[f"{chunk.of_kind('function')[0].name}.3"] = self.function_page(header, chunk)
        for name, page in self.page_of_function.items():
            out.setdefault(f'{name}.3', [f'.so man3/{page}.3'])
        return out


def spaced(lines):
    """With a blank line between a display or a list and the words after it."""
    for before, line in zip(['', *lines], lines):
        if before in ('.Ed', '.El') and not line.startswith(('.S', '.B', '.It', '.El', '.Pp')):
            yield '.Pp'
        yield line


def references(names):
    return ' ,\n'.join(f'.Xr {name} 3' for name in sorted(names)).split('\n')


def silent(headers):
    """Functions of which no comment above them says anything."""
    for header in headers:
        for chunk in header.chunks:
            for each in chunk.of_kind('function'):
                if not chunk.words or each.text.rstrip().endswith('*/'):
                    yield f'include/spemu/{header.name}: {each.name}() needs a comment above it, which becomes its manual page'


def main(arguments):
    changelog, folder = map(pathlib.Path, arguments[:2])
    year, month, day = re.search(r'^## \S+ \((\d+)-(\d+)-(\d+)\)', changelog.read_text(encoding='utf-8'), re.M).groups()
    headers = [header_text.read(pathlib.Path(path)) for path in arguments[2:]]
    problems = list(silent(headers))
    if problems:
        sys.exit('\n'.join(problems))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, lines in Manual(headers, f'{MONTHS[int(month) - 1]} {int(day)}, {year}').pages().items():
        (folder / name).write_text('\n'.join(spaced(lines)) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main(sys.argv[1:])
