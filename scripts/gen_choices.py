#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""C and a manual page from arch/choices.txt: gen_choices.py CHOICES FEATURES OUTPUT...

What is written follows from each output's name: choice.h (a public header) or choice_table.c (the
table behind it) or spemu-choices.7 (the manual page).
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
    return f' Only {" and ".join(words)}.' if words else ''


def default_words(c):
    if not c.feature:
        return [f'.Cm {c.default} .']
    return [f'.Cm {c.default}', f'without {c.feature},', f'.Cm {c.default_with}', 'with it.']


MAN_HEAD = r"""\" SPDX-License-Identifier: MIT
.\" Generated from arch/choices.txt by scripts/gen_choices.py.
.Dd November 21, 2026
.Dt SPEMU-CHOICES 7
.Os
.Sh NAME
.Nm spemu-choices
.Nd what the architecture leaves open, and what the model can do
.Sh DESCRIPTION
The Arm architecture leaves some behavior open: it is IMPLEMENTATION DEFINED, CONSTRAINED
UNPREDICTABLE or UNKNOWN.
Each such place is a choice of the model, with one option for each thing that is permitted.
An option is set by
.Fn spemu_choice_set
of
.In spemu/choices.h ,
by the command
.Cm choose
of
.Xr spemu-scenario 5 ,
and by
.Fl -choose Ar name Ns = Ns Ar option
of
.Xr spemu-run 1 ,
.Xr spemu-record 1
and
.Xr spemu-explain 1 .
.Pp
A choice is of one of two kinds:
.Bl -tag -width unpredictable
.It Cm impdef
A property of the implementation: the same for the life of an object.
.It Cm unpredictable
CONSTRAINED UNPREDICTABLE or UNKNOWN: it may differ each time.
.El
.Pp
The option
.Cm random
is drawn from the seed, among the options that the features have:
for an impdef choice once, when it is set;
for an unpredictable one again each time that it may have been used, that is after every MSR and MRS
and after every finished sample.
.Cm all Ns = Ns Cm random
makes every choice random.
The same seed gives the same run.
.Sh CHOICES"""


def man_page(choices):
    """mdoc; a line per sentence."""
    out = ['.' + MAN_HEAD]
    for c in choices:
        out += [f'.Ss {c.name}', f'{", ".join(c.rules)}; {c.kind}.',
                'When', roff(c.text) + ':', '.Bl -tag -width Ds']
        for o in c.options:
            out += [f'.It Cm {o.name}', roff(o.text[0].upper() + o.text[1:]) + '.'
                    + needs_words(o)]
        out += ['.El', '.Pp', 'Default:'] + default_words(c)
    return out + ['.Sh SEE ALSO', '.Xr spemu 1 ,', '.Xr spemu-explain 1 ,',
                  '.Xr spemu-record 1 ,', '.Xr spemu-run 1 ,',
                  '.Xr spemu-scenario 5', '.Pp',
                  'Arm Architecture Reference Manual, DDI 0487 M.a.']


WRITERS = {'choice.h': choice_h, 'choice_table.c': choice_table_c, 'spemu-choices.7': man_page}


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
