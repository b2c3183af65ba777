#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""C and a manual page from arch/choices.txt: gen_choices.py CHOICES FEATURES [PAGE.in] OUTPUT

What is written follows from the output's name: choice_list.h (a public header, which choices.h
includes), choice_table.c (the table of the library) or spemu-choices.7 (the manual page, whose fixed
text is PAGE.in).
"""
import os
import sys

import arch_data
import choice_data
from choice_data import c_name

NOTE = ('/* SPDX-License-Identifier: MIT */\n'
        '/* Generated from arch/choices.txt by scripts/gen_choices.py. {what} */\n')


def choice_list_h(choices):
    out = [NOTE.format(what='Choices and their options.'),
           '#ifndef SPEMU_CHOICE_LIST_H\n#define SPEMU_CHOICE_LIST_H\n',
           'enum spemu_choice {']
    out += [f'\tSPEMU_CHOICE_{c_name(c.name)}, /* {" ".join(c.rules)}: {c.text} */'
            for c in choices]
    out += ['\tSPEMU_CHOICE_COUNT', '};\n']
    for c in choices:
        prefix = f'SPEMU_{c_name(c.name)}'
        out.append(f'enum spemu_{c_name(c.name).lower()} {{')
        out += [f'\t{prefix}_{c_name(o.name)} = {n}, /* {o.text} */'
                for n, o in enumerate(c.options)]
        out.append('};\n')
    return out + ['#endif']


def feature_id(name):
    return 'SPEMU_' + name.upper()


def option_row(option):
    needs = ', '.join(f'{{{feature_id(name)}, {int(wanted)}}}' for name, wanted in option.needs)
    return (f'\t{{"{option.name}", "{option.text}", "{option.needs_text()}", '
            f'{choice_data.identifier(option.name):#x}, {len(option.needs)}, '
            f'{{{needs or "{0, 0}"}}}}},')


def choice_table_c(choices):
    out = [NOTE.format(what='Table of lib/pe.'), '#include "pe/choice.h"\n']
    for c in choices:
        out.append(f'static const struct choice_option {c_name(c.name).lower()}[] = {{')
        out += [option_row(o) for o in c.options]
        out.append('};')
    out.append('const struct choice_desc spemu__choice_table[SPEMU_CHOICE_COUNT] = {')
    for c in choices:
        feature = feature_id(c.feature) if c.feature else '-1'
        with_it = c.index(c.default_with) if c.feature else 0
        kind = f'SPEMU_CHOICE_KIND_{c.kind.upper()}'
        out.append(f'\t{{"{c.name}", "{" ".join(c.rules)}", "{c.text}", '
                   f'{choice_data.identifier(c.name):#x}, {kind}, {len(c.options)}, '
                   f'{c.index(c.default)}, {with_it}, {feature}, '
                   f'{c_name(c.name).lower()}}},')
    return out + ['};']


def roff(text):
    return text.replace('\\', '\\e')


def needs_words(option):
    with_ = [name for name, wanted in option.needs if wanted]
    without = [name for name, wanted in option.needs if not wanted]
    words = (['with ' + ' and '.join(with_)] if with_ else []) + (
        ['without ' + ' and '.join(without)] if without else [])
    return f'\nOnly {" and ".join(words)}.' if words else ''


def default_words(c):
    if not c.feature:
        return [f'.Cm {c.default} .']
    return [f'.Cm {c.default}', f'without {c.feature},', f'.Cm {c.default_with}', 'with it.']


def man_choices(choices):
    """mdoc; a line per sentence."""
    out = []
    for c in choices:
        out += [f'.Ss {c.name}', f'{", ".join(c.rules)}; {c.kind}.',
                'When', roff(c.text) + ':', '.Bl -tag -width Ds']
        for o in c.options:
            out += [f'.It Cm {o.name}', roff(o.text[0].upper() + o.text[1:]) + '.'
                    + needs_words(o)]
        out += ['.El', '.Pp', 'Default:'] + default_words(c)
    return out


WRITERS = {'choice_list.h': choice_list_h, 'choice_table.c': choice_table_c,
           'spemu-choices.7': man_choices}


def main(argv):
    choices = choice_data.load(argv[1], argv[2])
    path = argv[-1]
    text = '\n'.join(WRITERS[os.path.basename(path)](choices)) + '\n'
    if len(argv) == 5:
        with open(argv[3], encoding='utf-8') as stream:
            text = stream.read().replace('@CHOICES@\n', text)
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write(text)


if __name__ == '__main__':
    try:
        main(sys.argv)
    except arch_data.DataError as error:
        sys.exit(str(error))
