#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From tools/options/*.txt: gen_options.py ARCH OUTPUT INPUT...

What is written follows from OUTPUT's name: option_table.h and option_table.c (what tools/base/options.c
parses by, with the text of --help); completion for bash (spemu), zsh (_spemu) and fish (spemu.fish); or
a manual page: then one INPUT is its template, OUTPUT.in, in which .\\" OPTIONS becomes the list of
options and .\\" EVENTS the events of arch/events.txt.
"""
import os
import re
import sys
import textwrap

import arch_data
import completion
import event_data
import option_data

WIDTH = 79
TEXT_COLUMN = 28  # of --help: where a longer option gets a line of its own
NOTE = 'Generated from tools/options by scripts/gen_options.py.'


def quote(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


def option_id(command, option):
    return f'{command.name}_{option.name}'.upper().replace('-', '_')


def help_row(option, column):
    left = '  ' + (option.spec if option.letter else '    ' + option.spec)
    lines = textwrap.wrap(option.help, WIDTH - column, break_on_hyphens=False,
                          break_long_words=False)
    rows = [' ' * column + line for line in lines]
    if len(left) + 2 <= column:
        rows[0] = left.ljust(column) + lines[0]
        return rows
    return [left] + rows


def help_text(command):
    def fill(text):
        return textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)

    widest = max(len(o.spec) + (0 if o.letter else 4) for o in command.options)
    column = min(widest + 4, TEXT_COLUMN)
    out = fill(f'usage: spemu {command.name} {command.usage}') + ['']
    for paragraph in command.about:
        out += fill(paragraph)
    out.append('')
    for option in command.options:
        out += help_row(option, column)
    if command.closing:
        out += [''] + fill(command.closing)
    return out


def option_table_h(commands):
    out = ['/* SPDX-License-Identifier: MIT */', f'/* {NOTE} */', '#ifndef TOOLS_OPTION_TABLE_H',
           '#define TOOLS_OPTION_TABLE_H', '']
    for c in commands:
        out.append(f'/* What next_option() returns of {c.name}_options. */')
        out += [f'enum {c.name}_option {{'] + [f'\t{option_id(c, o)},' for o in c.options] + ['};']
    out += [''] + [f'extern const struct option_table {c.name}_options;' for c in commands]
    return out + ['', '#endif']


def option_table_c(commands):
    out = ['/* SPDX-License-Identifier: MIT */', f'/* {NOTE} */', '#include "base/options.h"']
    for c in commands:
        out += ['', f'static const struct option_row {c.name}_rows[] = {{']
        for o in c.options:
            kind = ('optional' if o.optional else 'required' if o.argument else 'no') + '_argument'
            letter = f"'{o.letter}'" if o.letter else '0'
            out.append(f'\t[{option_id(c, o)}] = {{{quote(o.name)}, {letter}, {kind}}},')
        out += ['};', '', f'const struct option_table {c.name}_options = {{',
                f'\t.command = {quote(c.name)},', f'\t.summary = {quote(c.summary)},',
                f'\t.rows = {c.name}_rows,', f'\t.count = {len(c.options)},',
                f'\t.stops = {"true" if c.operands == "command" else "false"},', '\t.help = (const char *const[]){']
        out += [f'\t\t{quote(line)[:-1]}\\n",' for line in help_text(c)]
        out += ['\t\tNULL},', '};']
    return out




def man_argument(text):
    """NAME=VALUE -> Ar name Ns = Ns Ar value; NAME[@VALUE] -> Ar name Ns Op @ Ns Ar value"""
    if text.endswith(',...'):
        return man_argument(text[:-4]) + ' Ns Op , Ns Ar ...'
    optional = re.fullmatch(r'(.*)\[(.*)\]', text)
    if optional:
        return f'{man_argument(optional[1])} Ns Op {man_argument(optional[2])}'
    out = []
    for piece in re.findall(r'ELn|[A-Z]+|[^A-Z]+', text):
        word = f'Ar {piece if piece == "ELn" else piece.lower()}' if piece[0].isupper() else piece
        out.append(word)
    return ' Ns '.join(out)


def man_item(option):
    letter = f'{option.letter} , ' if option.letter else ''
    head = f'.It Fl {letter}-{option.name}'
    if option.optional:
        head += f' Ns Op = Ns {man_argument(option.argument)}'
    elif option.argument:
        head += f' {man_argument(option.argument)}'
    return [head] + option.manual


def man_options(command):
    out = ['.Bl -tag -width Ds']
    for option in command.options:
        out += man_item(option)
    return out + ['.El']


def man_events(arch):
    out = ['.Bl -column "sve-partial-pred, partial-pred" "Bit" "data snooped from another cache"']
    out.append('.It Em Event Ta Em Bit Ta Em Meaning')
    out += [f'.It {", ".join(e.words)} Ta {e.bit} Ta {e.meaning}'
            for e in event_data.load(os.path.join(arch, 'events.txt'))]
    return out + ['.El']


def man_page(commands, template, arch):
    name = re.fullmatch(r'spemu-(\w+)\.1\.in', os.path.basename(template))[1]
    command = next(c for c in commands if c.name == name)
    out = []
    with open(template, encoding='utf-8') as stream:
        for line in stream.read().splitlines():
            if line == '.\\" OPTIONS':
                out += man_options(command)
            elif line == '.\\" EVENTS':
                out += man_events(arch)
            else:
                out.append(line)
    out.insert(1, f'.\\" {NOTE}')
    return out


def main(arch, output, *inputs):
    templates = [path for path in inputs if path.endswith('.in')]
    commands, choices = option_data.load(arch, [p for p in inputs if p not in templates])
    name = os.path.basename(output)
    if templates:
        text = man_page(commands, templates[0], arch)
    elif name.startswith('option_table'):
        text = {'option_table.h': option_table_h, 'option_table.c': option_table_c}[name](commands)
    else:
        text = completion.WRITERS[name](commands, choices, NOTE)
    with open(output, 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(text) + '\n')


if __name__ == '__main__':
    try:
        main(*sys.argv[1:])
    except arch_data.DataError as error:
        sys.exit(str(error))
