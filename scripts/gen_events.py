#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The codec's table of events, C from arch/events.txt: gen_events.py EVENTS OUTPUT"""
import sys

import arch_data
import event_data


def table(events):
    pairs = [(word, e.bit) for e in events for word in e.words]
    out = ['/* SPDX-License-Identifier: MIT */',
           '/* Generated from arch/events.txt by scripts/gen_events.py. */',
           '#include <spemu/codec.h>', '', '#include "codec/event.h"', '',
           'const char *const spemu_event_names[] = {']
    out += [f'\t"{word}",' for word, _ in pairs] + ['\tNULL,', '};']
    out += ['const uint8_t spemu_event_bits[] = {'] + [f'\t{bit},' for _, bit in pairs] + ['};']
    out.append('const struct event_words spemu__event_words[64] = {')
    out += [f'\t[{e.bit}] = {{"{e.words[0]}", "{e.words[0].upper()}", "{e.meaning}"}},'
            for e in events]
    return out + ['};']


def main(path, output):
    text = '\n'.join(table(event_data.load(path))) + '\n'
    with open(output, 'w', encoding='utf-8') as stream:
        stream.write(text)


if __name__ == '__main__':
    try:
        main(*sys.argv[1:])
    except arch_data.DataError as error:
        sys.exit(str(error))
