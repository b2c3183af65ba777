#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the seeds of the codec's fuzz corpus: make_codec_corpus.py DIRECTORY

Each file tests one idea. The bytes come from the encodings in the Arm ARM (D18.1, D18.2), not from
the library. Inputs that a fuzzer found are named after the defect, and this script does not write
them.
"""
import os
import sys


def packet(header, value=0, size=0):
    return bytes([header]) + value.to_bytes(size, 'little')


def context(index, value):
    return packet(0x64 | index, value, 4)


def counter(index, value):
    return packet(0x98 | index, value, 2)


def address(index, value):
    return packet(0xb0 | index, value, 8)


END = packet(0x01)
PC = address(0, 0xc0ffba66eda1c2d0)
TIMESTAMP = packet(0x71, 44731163950, 8)
# A load and a branch in the layout of Neoverse N1, 64 bytes each.
N1_LOAD = (PC + bytes(5) + context(1, 0x5f80) + packet(0x49, 0, 1) + packet(0x52, 0x16, 2) +
           counter(1, 4) + counter(0, 12) + address(2, 0xff0e3703096b28) + counter(2, 1) +
           address(3, 0x8000003703096b28) + packet(0x43, 0, 1) + bytes(2) + TIMESTAMP)
N1_BRANCH = (PC + bytes(5) + context(1, 14) + packet(0x4a, 1, 1) + packet(0x52, 0x42, 2) +
             counter(1, 16) + counter(0, 17) + address(1, 0xc0ffba66edefb0e4) + bytes(16) +
             TIMESTAMP)
# A record with all packets that are possible, in the order of the architecture's pseudocode.
DENSE = (context(0, 1) + context(1, 2) + b''.join(counter(i, 0xfff) for i in range(8)) +
         b''.join(address(i, i << 60 | 0x1000) for i in range(8)) + packet(0x53, 0xabcd, 2) +
         packet(0x48, 0x2e, 1) + packet(0x72, 0x8000000003ffffff, 8) + END)
EXTENDED = b''.join(bytes([0x20 | i >> 3]) + address(i & 7, i) + bytes([0x20 | i >> 3]) +
                    counter(i & 7, i) for i in range(32)) + END

# Enough records to learn the layout, followed by damage: changed bytes, missing bytes, and a start
# within a record.
N1_STREAM = (N1_LOAD + N1_BRANCH) * 12
DENSE_LOAD = (context(1, 0x5f80) + counter(0, 12) + counter(1, 4) + counter(2, 1) + PC +
              address(2, 0xff0e3703096b28) + packet(0x49, 0, 1) + packet(0x52, 0x16, 2) + TIMESTAMP)
DENSE_BRANCH = (context(1, 14) + counter(0, 17) + counter(1, 16) + PC +
                address(1, 0xc0ffba66edefb0e4) + packet(0x4a, 1, 1) + packet(0x52, 0x42, 2) +
                TIMESTAMP)
DENSE_STREAM = (DENSE_LOAD + DENSE_BRANCH) * 12


def damaged(stream, at, data):
    return stream[:at] + data + stream[at + len(data):]


SEEDS = {
    'empty': b'',
    'padding': bytes(70),
    'end-only': END,
    'n1-load': N1_LOAD,
    'n1-mix': N1_LOAD + N1_BRANCH + N1_LOAD,
    'n1-cut': N1_LOAD + N1_BRANCH[:61],
    'dense': DENSE + DENSE + bytes(3) + DENSE,
    'extended': EXTENDED,
    'extended-cut': b'\x98\x01\x00\x20',
    'every-header': b''.join(bytes([h]) + bytes(9) for h in range(256)) + END,
    'reserved': (packet(0x63, 1, 4) + packet(0x73, 1, 8) + context(2, 1) + context(3, 1) +
                 packet(0x4b, 0xff, 1) + packet(0x24) + b'\xb0' + bytes(8) + END),
    'longest': b'\x02' + bytes(2046) + END + N1_LOAD,
    'too-long': b'\x02' + bytes(2047) + END + N1_LOAD,
    'damage-timestamp': damaged(N1_STREAM, 12 * 64 + 55, b'\x00'),
    'damage-to-end': damaged(DENSE_STREAM, 10 * len(DENSE_LOAD + DENSE_BRANCH) - 9, b'\x01'),
    'damage-padding': damaged(N1_STREAM, 12 * 64 - 13, b'\x53'),
    'damage-swallows': damaged(N1_STREAM, 13 * 64 - 1, b'\xb0'),
    'damage-random': damaged(DENSE_STREAM, 300, bytes(i * 89 & 255 for i in range(90))),
    'cut-out': DENSE_STREAM[:301] + DENSE_STREAM[377:],
    'begins-inside': N1_STREAM[23:],
    'ends-inside': DENSE_STREAM[:-20],
    'never-ends': b'\x02' * 2100,
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    for name, data in SEEDS.items():
        with open(os.path.join(sys.argv[1], name), 'wb') as f:
            f.write(data)


if __name__ == '__main__':
    main()
