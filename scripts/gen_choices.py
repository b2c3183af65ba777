#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of arch/choices.txt in C: gen_choices.py CHOICES OUTPUT

"Takes A without FEAT_X, B with it" becomes the feature and both values.
"""
import re
import sys


def blocks(path):
    block = {}
    for line in open(path, encoding='utf-8'):
        words = line.split(None, 1)
        if not words or words[0].startswith('#'):
            continue
        if words[0] == 'Choice' and block:
            yield block
            block = {}
        block[words[0]] = words[1].strip()
    if block:
        yield block


def main(argv):
    out = ['/* SPDX-License-Identifier: MIT */',
           '/* Generated from arch/choices.txt by scripts/gen_choices.py. */',
           '#include "script.h"', '', 'const struct choice choice_table[] = {']
    for b in blocks(argv[1]):
        name = b['Choice'].split()[0]
        takes, feature, takes_with = b['Takes'], '-1', ''
        match = re.fullmatch(r'(\S+) without (FEAT_\w+), (\S+) with it', takes)
        if match:
            takes, takes_with = match[1], match[3]
            feature = 'SPEMU_' + match[2].upper()
        out.append(f'\t{{"{name}", "{b["Options"]}", "{takes}", {feature}, "{takes_with}"}},')
    out += ['};', 'const unsigned choice_count = sizeof(choice_table) / sizeof(*choice_table);']
    with open(argv[2], 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main(sys.argv)
