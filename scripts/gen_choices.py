#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""C and a manual page from arch/choices.txt: gen_choices.py CHOICES FEATURES OUTPUT...

What is written follows from each output's name: choice.h (a public header) or choice_table.c (the
table behind it).
"""
import os
import sys

import arch_data
import choice_data
from choice_data import c_name

NOTE = ('/* SPDX-License-Identifier: MIT */\n'
        '/* Generated from arch/choices.txt by scripts/gen_choices.py. {what} */\n')


def choice_h(choices):
    out = [NOTE.format(what='Choices and their options.'),
           '#ifndef SPEMU_CHOICE_H\n#define SPEMU_CHOICE_H\n',
           'enum spemu_choice {']
    out += [f'\tSPEMU_CHOICE_{c_name(c.name)}, /* {" ".join(c.rules)}: {c.text} */'
            for c in choices]
    out += ['\tSPEMU_CHOICE_COUNT', '};\n',
            '/* In the place of an option: drawn from the seed. */',
            '#define SPEMU_CHOICE_RANDOM 0xff\n']
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
    out.append('const struct choice_desc choice_table[SPEMU_CHOICE_COUNT] = {')
    for c in choices:
        feature = feature_id(c.feature) if c.feature else '-1'
        with_it = c.index(c.default_with) if c.feature else 0
        kind = f'SPEMU_CHOICE_KIND_{c.kind.upper()}'
        out.append(f'\t{{"{c.name}", "{" ".join(c.rules)}", "{c.text}", '
                   f'{choice_data.identifier(c.name):#x}, {kind}, {len(c.options)}, '
                   f'{c.index(c.default)}, {with_it}, {feature}, '
                   f'{c_name(c.name).lower()}}},')
    return out + ['};']


WRITERS = {'choice.h': choice_h, 'choice_table.c': choice_table_c}


def main(argv):
    choices = choice_data.load(argv[1], argv[2])
    for path in argv[3:]:
        text = '\n'.join(WRITERS[os.path.basename(path)](choices)) + '\n'
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text)


if __name__ == '__main__':
    try:
        main(sys.argv)
    except arch_data.DataError as error:
        sys.exit(str(error))
