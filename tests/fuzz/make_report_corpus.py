#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the seeds of fuzz_report: make_report_corpus.py DIRECTORY

Each seed has two parts. The first is a perf.data file, in the layout of make_perfdata_corpus.py.
The second is the file that its mapping names: an AArch64 ELF file (ELF for the Arm 64-bit
Architecture), or a list of symbols in the format of /proc/kallsyms. Inputs that a fuzzer found are
named after the defect, and this script does not write them.
"""
import os
import struct
import sys

from make_codec_corpus import END, address, context, counter, packet
from make_perfdata_corpus import copy, event, features, image, spe_info, string, trailer

MAPPED = b'/proc/self/fd/1000'
NAMES = b'\0main\0_ZN3foo3barEi\0table\0\x1b[31mred\0puts\0$x\0'
SECTIONS = b'\0.text\0.symtab\0.strtab\0.shstrtab\0.plt\0.rela.plt\0.dynsym\0'
VADDR = 0x400000


def symbol(name, kind, section, value, size):
    return struct.pack('<IBBHQQ', NAMES.index(name), kind, 0, section, value, size)


def elf(machine=183, phdr_offset=64, entsize=24):
    symbols = (bytes(24) + symbol(b'main', 0x12, 1, VADDR + 0x100, 0x40) +
               symbol(b'_ZN3foo3barEi', 0x12, 1, VADDR + 0x140, 0x40) +
               symbol(b'table', 0x11, 1, VADDR + 0x800, 0x100) +
               symbol(b'\x1b[31mred', 0x12, 1, VADDR + 0x180, 0) + symbol(b'$x', 0x10, 1, VADDR, 0))
    dynamic = bytes(24) + symbol(b'puts', 0x12, 0, 0, 0)
    rela = struct.pack('<QQq', VADDR + 0x900, 1 << 32 | 1026, 0)
    head = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', 2, machine, 1, VADDR, phdr_offset, 0x400, 0, 64, 56, 1, 64,
                       8, 4)
    load = struct.pack('<IIQQQQQQ', 1, 5, 0, VADDR, VADDR, 0x1000, 0x1000, 0x1000)
    parts = {1: (1, 6, 0x100, 0x80, 0, 0, 0), 2: (2, 0, 0x200, symbols, 3, 5, 24), 3: (3, 0, 0x300, NAMES, 0, 0, 0),
             4: (3, 0, 0x340, SECTIONS, 0, 0, 0), 5: (1, 6, 0x380, 48, 0, 0, 0),
             6: (4, 0, 0x3b0, rela, 7, 5, entsize), 7: (11, 0, 0x3d0, dynamic, 3, 1, 24)}
    names = [b'', b'.text', b'.symtab', b'.strtab', b'.shstrtab', b'.plt', b'.rela.plt', b'.dynsym']
    data, table = bytearray((head + load).ljust(0x400, b'\0')), bytes(64)
    for n, (kind, flags, at, content, link, info, size) in parts.items():
        length = content if isinstance(content, int) else len(content)
        if not isinstance(content, int):
            data[at:at + length] = content
        table += struct.pack('<IIQQQQIIQQ', SECTIONS.index(names[n] + b'\0') if n else 0, kind, flags, VADDR + at, at,
                             length, link, info, 8, size)
    return bytes(data[:0x400]) + table


def sample(pc, tid=7, data=None):
    return (address(0, pc) + context(1, tid) + (address(2, data) if data else b'') + counter(0, 20) + counter(1, 4) +
            packet(0x49, 0, 1) + packet(0x52, 0x16, 2) + packet(0x71, 3, 8))


def branch(pc, to):
    return (address(0, pc) + context(1, 7) + address(1, to) + counter(0, 9) + packet(0x4a, 1, 1) +
            packet(0x52, 0x82, 2) + packet(0x71, 4, 8))


TRACE = (sample(0x10100) + sample(0x10150, data=0x10820) + branch(0x10180, 0x10100) + sample(0x10390) +
         sample(0x99999999) + sample(0xffffffc000000100, tid=8, data=0x20000)) + sample(0x10104) + END


def recording(trace=TRACE, name=MAPPED, comm=b'prog', parts=None, extra=b''):
    trace += bytes(-len(trace) % 8)
    body = (event(79, 0, struct.pack('<6Q', 2, 40, 1000, 0, 2**64 - 1, 1)) + spe_info(1) +
            event(3, 1 << 13, struct.pack('<II', 7, 7) + comm.ljust(8, b'\0') + trailer(1)) +
            event(10, 2, struct.pack('<IIQQQIIQQII', 7, 7, 0x10000, 0x1000, 0, 8, 1, 42, 0, 5, 2) +
                  name + bytes(8 - len(name) % 8) + trailer(2)) +
            event(7, 0, struct.pack('<IIIIQ', 8, 7, 8, 7, 2) + trailer(2)) + extra +
            event(71, 0, struct.pack('<QQQIIII', len(trace), 0, 0, 0, 2**32 - 1, 0, 0)) + trace)
    return image(body, features() if parts is None else parts)


def seed(form, perf, mapped=b''):
    return bytes([form]) + struct.pack('<H', len(perf)) + perf + mapped


TEXT, JSON = 0, 1
KALLSYMS = (b'ffffffc000000000 T _text\nffffffc000000100 t schedule\nffffffc000000200 D jiffies\n'
            b'ffffffc000000300 W weak\t[module]\n0000000000010100 T \x1b]0;x\x07\n')
KERNEL_MAPPING = event(1, 1, struct.pack('<IIQQQ', 2**32 - 1, 0, 0xffffffc000000000, 0x1000, 0) +
                       MAPPED + bytes(6) + trailer(1))
INTEL_PT = event(70, 0, struct.pack('<QQQ', 1, 11, 1))


def heap(start, size, number, time, name=b'malloc 0x10100', total=0):
    """Return an event of spemu record --heap (hosts/qemu-user/heap_objects.h)."""
    text = b'[heap] ' + name + b'\0'
    return event(10, 2 | 1 << 13, struct.pack('<IIQQQIIQQII', 7, 7, start, size, 0x10100, 0, 0, number, total, 3, 0x22) +
                 text + bytes(-len(text) % 8) + trailer(time))


HEAP = (heap(0x10800, 64, 1, 2) + heap(0x10800, 64, 1, 9, b'free') + heap(0x10000, 2**60, 2, 1) +
        heap(2**64 - 8, 64, 3, 1) + heap(0x10800, 64, 9, 1, b'free') + heap(0, 0, 5, 8, total=320) +
        heap(0, 0, 1, 8, b'new 0x99', 2**64 - 1) + heap(0x10810, 1, 4, 3, b''))

JIT_MAP = copy(0, 7, 0, b'10100 40 first\n') + copy(0, 7, 15, b'0x10150 0x20 other name\n')
JITDUMP = (event(10, 2, struct.pack('<IIQQQIIQQII', 7, 7, 0x20000, 0x1000, 0, 8, 1, 43, 0, 5, 2) +
                 b'/x/jit-7.dump'.ljust(16, b'\0') + trailer(3)) +
           copy(1, 7, 0, struct.pack('<6I2Q', 0x4a695444, 1, 40, 183, 0, 7, 0, 0) +
                struct.pack('<2IQ2I4Q', 0, 56 + 6 + 8, 4, 7, 7, 0x10100, 0x10100, 8, 1) + b'first\0' + bytes(8) +
                struct.pack('<2IQ2I5Q', 1, 64, 5, 7, 7, 0x10150, 0, 0x10150, 8, 1)))

SEEDS = {
    'elf': seed(TEXT, recording(), elf()),
    'elf-json': seed(JSON, recording(), elf()),
    'elf-other-machine': seed(TEXT, recording(), elf(machine=62)),
    'elf-cut': seed(TEXT, recording(), elf()[:0x420]),
    'elf-segments-outside': seed(TEXT, recording(), elf(phdr_offset=2**63)),
    'elf-plt-of-nothing': seed(TEXT, recording(), elf(entsize=1)),
    'kallsyms': seed(TEXT, recording(extra=KERNEL_MAPPING), KALLSYMS),
    'kallsyms-all-zero': seed(TEXT, recording(), b'0000000000000000 T _text\n' * 4),
    'not-a-list': seed(TEXT, recording(), b'hello\n'),
    'device': seed(TEXT, recording(name=b'/dev/zero')),
    'directory': seed(TEXT, recording(name=b'/proc/self/fd')),
    'anonymous': seed(JSON, recording(name=b'//anon')),
    'escapes': seed(TEXT, recording(name=b'/\x1b[2J\xc2\x9b\xff', comm=b'\x9b\xe2\x80\xae')),
    'escapes-json': seed(JSON, recording(name=b'/\x1b[2J\xc2\x9b\xff', comm=b'\x9b\xe2\x80\xae')),
    'another-trace': seed(TEXT, recording(extra=INTEL_PT)),
    'cpuid-is-long': seed(TEXT, recording(parts={**features(), 9: string('0x' + '0' * 2000)})),
    'no-features': seed(TEXT, recording(parts={}), elf()),
    'damaged-trace': seed(TEXT, recording(trace=TRACE[:100] + b'\xb0\1\2' + TRACE), elf()),
    'forks-in-a-circle': seed(TEXT, recording(extra=event(7, 0, struct.pack('<IIIIQ', 7, 8, 7, 8, 3) + trailer(3)))),
    'heap': seed(TEXT, recording(extra=HEAP), elf()),
    'heap-json': seed(JSON, recording(extra=HEAP)),
    'heap-after-exec': seed(TEXT, recording(extra=heap(0x10800, 64, 1, 0)), elf()),
    'jit-map': seed(JSON, recording(name=b'//anon', extra=JIT_MAP)),
    'jitdump': seed(TEXT, recording(name=b'//anon', extra=JITDUMP)),
    'empty': seed(TEXT, b''),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, data in SEEDS.items():
        with open(os.path.join(sys.argv[1], name), 'wb') as f:
            f.write(data)


if __name__ == '__main__':
    main()
