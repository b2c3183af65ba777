#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What packets look like is told in include/spemu/packet.h alone.

The files that make, read or describe packets have no hexadecimal number and no shift of an address's
top byte: headers, masks and fields have names. A file belongs to them if it is of lib/codec, or if it
names a member of struct spemu_record or a constant of packet.h that concerns bits.
"""
import pathlib
import re
import sys

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.S)
USES_BITS = re.compile(r'\bop_subclass\b|\bSPEMU_(HEADER|SUBCLASS|FORMAT|PACKET_SIZE)_|'
                       r'\bspemu_(addr|subclass|header)_\w+\(')
# A number by its bits, or a shift to or from the top byte of an address.
BITS = re.compile(r'\b0[xX][0-9a-fA-F]+\w*|(?:<<|>>)\s*(?:5[6-9]|6[0-3])\b')
# Counts and sizes that are no bits of packets.
ALLOWED = {'tools/report/report_recent.h': {'0x9e3779b97f4a7c15', '0xd6e8feb86659fd93'},  # multipliers of a hash
           'lib/codec/shape.h': {'0x9e3779b1'},  # a multiplier of a hash
           'lib/codec/describe.c': {'>> 63'},     # the sign of a number
           'lib/spu/operation.c': {'>> 63'}}      # the last bit of a mask


def main():
    problems = []
    for top in ('lib', 'tools', 'hosts'):
        for path in sorted(pathlib.Path(top).glob('**/*.[ch]')):
            text = COMMENT_OR_STRING.sub(lambda m: '\n' * m[0].count('\n'),
                                         path.read_text(encoding='utf-8'))
            if path.parts[:2] != ('lib', 'codec') and not USES_BITS.search(text):
                continue
            for number, line in enumerate(text.splitlines(), 1):
                for found in BITS.findall(line):
                    if found not in ALLOWED.get(str(path), ()):
                        problems.append(f'{path}:{number}: {found}: '
                                        'give it a name in include/spemu/packet.h')
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
