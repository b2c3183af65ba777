#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the seeds of the targets whose inputs are calls: make_call_corpus.py TARGET DIRECTORY

The target of an input reads it from the beginning (see fuzz_value() and others in fuzz.h). Inputs
that a fuzzer found are named after the defect, and this script does not write them.
"""
import os
import sys


def value(number):
    """Encode a number for fuzz_value()."""
    if number < 64:
        return bytes([number])
    if number & (number - 1) == 0:
        return bytes([0x40 | number.bit_length() - 1])
    size = (number.bit_length() + 7) // 8
    return bytes([0xc0 | size - 1]) + number.to_bytes(size, 'little')


# ---- walker: a PE, descriptors, and steps ----

WALKER_REGISTERS = (
    'SCR_EL3 HCR_EL2 HCRX_EL2 SCTLR_EL1 SCTLR_EL2 SCTLR2_EL2 TCR_EL1 TCR_EL2 TCR2_EL1 TCR2_EL2 TTBR0_EL1 '
    'TTBR1_EL1 TTBR0_EL2 TTBR1_EL2 MAIR_EL1 MAIR_EL2 MAIR2_EL1 MAIR2_EL2 PIR_EL1 PIR_EL2 PIRE0_EL1 PIRE0_EL2 '
    'POR_EL1 POR_EL2 S2PIR_EL2 S2POR_EL1 VTCR_EL2 VTTBR_EL2 VSTCR_EL2 VSTTBR_EL2 GPCCR_EL3 GPTBR_EL3').split()
NS, EL2, E2H = 1 << 4, 1 << 3, 1 << 6
REALM = 3 << 4
IPA, PA = 6, 7


def write(register, number):
    return bytes([WALKER_REGISTERS.index(register)]) + value(number)


def translate(form, address, elsewhere=0x123456789abc):
    extra = b'\x04' if form % 8 >= 6 else b''
    return bytes([15, form]) + value(address) + extra + value(elsewhere)


def walker(words, registers, *steps, features=0, aborts=0xff, races=0xff):
    return (bytes([features, len(registers)]) + b''.join(write(r, n) for r, n in registers.items()) +
            bytes([len(words) - 1, aborts, races]) + b''.join(value(w) for w in words) + b''.join(steps))


# All entries of this table have one value: a table if a lower level exists, and a page at the last
# level.
PAGE, BLOCK, NO_FLAG, READ_ONLY_DBM = 0x40000703, 0x40000701, 0x40000303, 1 << 51 | 0x40000783
STAGE1 = {'SCTLR_EL1': 5, 'TCR_EL1': 5 << 32 | 25 << 16 | 0x3500 | 25, 'TTBR0_EL1': 0x10000,
          'TTBR1_EL1': 0x20000, 'MAIR_EL1': 0xff}
HARDWARE = {**STAGE1, 'TCR_EL1': STAGE1['TCR_EL1'] | 3 << 39}
STAGE2 = {**STAGE1, 'HCR_EL2': 1, 'VTCR_EL2': 5 << 16 | 1 << 6 | 0x3500 | 25, 'VTTBR_EL2': 0x30000}
EL20 = {'HCR_EL2': 1 << 34 | 1 << 27, 'SCTLR_EL2': 5, 'TCR_EL2': STAGE1['TCR_EL1'], 'TTBR0_EL2': 0x10000,
        'TTBR1_EL2': 0x20000, 'MAIR_EL2': 0xff}
GPT = {'GPCCR_EL3': 1 << 16 | 5, 'GPTBR_EL3': 0x50}
TWICE = translate(NS, 0x12345678) + translate(NS, 0x12345abc)
UPPER = translate(NS, 0xffffff8012345678)

WALKER = {
    'stage1': walker([PAGE], STAGE1, TWICE, UPPER),
    'stage1-block': walker([BLOCK], STAGE1, TWICE, UPPER),
    'stage1-16k': walker([PAGE], {**STAGE1, 'TCR_EL1': STAGE1['TCR_EL1'] | 2 << 14}, TWICE),
    'stage1-64k': walker([0x40010703], {**STAGE1, 'TCR_EL1': STAGE1['TCR_EL1'] | 1 << 14}, TWICE),
    'two-stages': walker([PAGE], STAGE2, TWICE, translate(NS | IPA, 0x5678)),
    'stage2-no-flag': walker([NO_FLAG], STAGE2, TWICE),
    'flag-is-set': walker([NO_FLAG], HARDWARE, TWICE),
    'flag-is-set-raced': walker([NO_FLAG], HARDWARE, TWICE, races=0),
    'dirty-is-set': walker([READ_ONLY_DBM], HARDWARE, TWICE),
    'dirty-from-two-places': walker([READ_ONLY_DBM, PAGE], HARDWARE, TWICE, UPPER, TWICE),
    'walk-aborts': walker([PAGE], STAGE1, TWICE, aborts=0),
    'el2-host': walker([PAGE], EL20, translate(NS | EL2 | E2H, 0x12345678),
                       translate(NS | EL2 | E2H, 0xffffff8012345678)),
    'el2': walker([PAGE], EL20, translate(NS | EL2, 0x12345678)),
    'physical': walker([PAGE], {}, translate(NS | PA, 0x12345678), translate(NS | PA, 1 << 60)),
    'root-is-refused': walker([PAGE], {}, translate(2 << 4, 0x12345678)),
    'granules': walker([0xf1], {**STAGE1, **GPT}, TWICE, features=0),
    'granules-contiguous': walker([0x9901], {**STAGE1, **GPT}, TWICE),
    'granules-table': walker([0x9999999999999999, 0x60003], {**STAGE1, **GPT}, TWICE),
    'realm': walker([PAGE], STAGE2, translate(REALM, 0x12345678), translate(REALM | IPA, 0x5678)),
    'register-back-again': walker([PAGE], STAGE1, TWICE, bytes([0]) + write('TTBR0_EL1', 0x50000), TWICE,
                                  bytes([0]) + write('TTBR0_EL1', 0x10000), TWICE),
    'choice-changes': walker([PAGE], {**STAGE1, 'TCR_EL1': STAGE1['TCR_EL1'] & ~63 | 8}, TWICE,
                             *[bytes([4, c, 1]) for c in range(12)], TWICE),
    'table-changes': walker([PAGE], STAGE1, TWICE, bytes([2, 0]) + value(0x50000703), TWICE),
    'invalidated': walker([PAGE], STAGE1, TWICE, bytes([3, 3, 1, 1, 0, 0]) + value(0) + value(1 << 40), TWICE),
    '128-bit': walker([PAGE], {**STAGE1, 'TCR2_EL1': 1 << 5, 'HCRX_EL2': 1 << 17 | 1 << 14}, TWICE, features=5),
}

# ---- state: the world, the image and its object, the number of bytes to cut off, and changes ----

PE, SPU, PMU, RAW = 0, 1, 2, 128
STRICT, INJECTED, FAULTS, ENABLED, RANDOM = 1, 4, 32, 8, 16


def state(kind, form, *changes, cut=0, world=0):
    return (bytes([world, kind, form]) + cut.to_bytes(2, 'little') +
            b''.join(at.to_bytes(2, 'little') + bytes([byte]) for at, byte in changes))


STATE = {
    'pe': state(PE, 0),
    'pe-random': state(PE, RANDOM),
    'pe-cut': state(PE, 0, cut=1),
    'pe-magic': state(PE, 0, (0, 0)),
    'pe-later': state(PE, 0, (8, 2)),
    'pe-no-such-register': state(PE, 0, (16, 0xff), (17, 0xff)),
    'pe-registers-twice': state(PE, 0, *[(16 + 10 * n + b, 0x80) for n in range(20) for b in (2, 9)]),
    'spu': state(SPU, ENABLED),
    'spu-strict': state(SPU, STRICT | ENABLED | INJECTED),
    'spu-strict-cut': state(SPU, STRICT | INJECTED, cut=17),
    'spu-strict-off': state(SPU, STRICT, (12, 0)),
    'spu-strict-on': state(SPU, 0, (12, 1)),
    'spu-injected': state(SPU, INJECTED | FAULTS),
    'spu-in-flight': state(SPU, 0, *[(16 + 48 * n, 0xff) for n in range(16)], world=21),
    'spu-one-slot': state(SPU, 0, *[(16 + 48 * n, 1) for n in range(16)]),
    'pmu': state(PMU, 0),
    'pmu-bits': state(PMU, 0, *[(16 + 1056 + n, 0x1f) for n in range(6)]),
    'pmu-other-version': state(PMU, 0, (8, 1)),
    'raw-empty': state(RAW | SPU, 0)[:3],
    'raw-magic': state(RAW | SPU, 0)[:3] + b'spemuSPU\4\0\0\0',
}

# ---- calls: a world, and calls by their weights in fuzz_calls.c ----

CALLS = dict(sample=0, reg_set=24, msr=40, mrs=56, state=68, buffer=80, begin=88, end=96, barrier=104,
             ops=116, branch=120, time=124, inject=128, choice=134, strict=140, software=144, vm_rules=148,
             trust=150, reload=156)
PSB, DSB, ISB, SETTLE = (b'\0', b'\1', b'\2', b'\3')
LOAD = b'\x13'


def call(name, *arguments):
    return bytes([CALLS[name]]) + b''.join(arguments)


def calls(*steps, world=0):
    return bytes([world]) + b''.join(steps)


BUFFER = call('buffer', b'\0\0')
SAMPLE = call('sample', b'\1', LOAD)
SYNCHRONIZE = b''.join(call('barrier', b) for b in (PSB, DSB, ISB))
STRICTLY = call('strict', b'\1')
TRUSTED, HOSTILE = call('trust', b'\0'), call('trust', b'\1')
# Replies of a hostile host, first to translations and second to writes.
FAULTS = SAMPLE + b'\x03\x00\x07'
LIES = SAMPLE + b'\x43' + value(0x123) + b'\x00\x07\x09'

CALL_SEEDS = {
    'new-objects-are-saved': calls(),
    'buffer-fills': calls(BUFFER, SAMPLE * 20, call('reload'), SAMPLE * 60),
    'buffer-fills-unaligned': calls(call('buffer', b'\x07\1'), SAMPLE * 40, world=7),
    'every-layout': calls(BUFFER, SAMPLE * 4, world=14),
    'el1-only': calls(BUFFER, SAMPLE * 4, world=1),
    'in-flight': calls(BUFFER, call('begin', b'\1') * 3, call('reload'), call('end', b'\1', LOAD),
                       call('end', b'\0', LOAD), world=21),
    'collision': calls(BUFFER, call('begin', b'\1') * 3, call('end', b'\0', LOAD)),
    'strict': calls(STRICTLY, BUFFER, SYNCHRONIZE, SAMPLE * 3, call('reload'), SYNCHRONIZE, SAMPLE,
                    call('barrier', SETTLE)),
    'strict-queue-is-full': calls(STRICTLY, BUFFER, SYNCHRONIZE, SAMPLE * 24, call('strict', b'\0')),
    'strict-unsynchronized': calls(STRICTLY, BUFFER, SAMPLE * 4, call('software', b'\0\x7f\0')),
    'host-faults': calls(HOSTILE, BUFFER, FAULTS, SAMPLE),
    'host-lies': calls(HOSTILE, BUFFER, LIES, SAMPLE),
    'write-faults': calls(HOSTILE, BUFFER, SAMPLE + b'\x03\x00\x07\x09', SAMPLE, world=7),
    'write-lies': calls(HOSTILE, BUFFER, SAMPLE + b'\x03\xc0\x07\x09' + value(5) + value(5000), world=7),
    'write-aborts': calls(HOSTILE, BUFFER, SAMPLE + b'\x03\x03\x10\x05', SAMPLE, world=7),
    'every-choice': calls(*[call('choice', bytes([c, 1])) for c in range(75)], BUFFER, SAMPLE * 9),
    'random-choices': calls(call('choice', b'\x4b\x20'), BUFFER, SAMPLE * 40),
    'injected': calls(call('inject', b'\0\0\0\0\0\2\0\0\1\0\7\3'), BUFFER, SAMPLE * 5),
    'time-goes-back': calls(BUFFER, SAMPLE, call('time', b'\0' + value(1 << 40)), SAMPLE),
    'vm-rules': calls(call('vm_rules', b'\3\1\0'), BUFFER, SAMPLE * 3),
    'states': calls(BUFFER, *[call('state', bytes([n])) + SAMPLE for n in range(0, 256, 17)]),
}

# ---- pmu: a world, and calls ----

PMU_ACTS = dict(msr=0, mrs=1, reg_set=2, count=3, capture=4, host=5, external=6, state=7, choice=8, isb=9,
                pe_register=10, reload=15)


def pmu(*steps, world=0):
    return bytes([world]) + b''.join(bytes([PMU_ACTS[s[0]]]) + b''.join(s[1:]) for s in steps)


def encoded(op1, crn, crm, op2):
    return b'\xff' + (3 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2).to_bytes(2, 'little')


PMCR, CNTENSET, INTENSET = encoded(3, 9, 12, 0), encoded(3, 9, 12, 1), encoded(0, 9, 14, 1)
EVTYPER0, EVTYPER1, EVCNTR0 = encoded(3, 14, 12, 0), encoded(3, 14, 12, 1), encoded(3, 14, 8, 0)
PMSSCR, PMECR, CCNTR, CCFILTR = encoded(0, 9, 13, 3), encoded(0, 9, 14, 5), encoded(3, 9, 13, 0), encoded(3, 14, 15, 7)
CYCLES, INSTRUCTIONS = b'\1', b'\0'
ENABLED_COUNTERS = (('reg_set', CCFILTR, value(1 << 27)), ('reg_set', EVTYPER0, value(1 << 27 | 8)),
                    ('reg_set', EVTYPER1, value(1 << 27 | 0x1e)), ('reg_set', CNTENSET, value(0x1_8000_003f)),
                    ('reg_set', PMCR, value(1)))

PMU_SEEDS = {
    'counts': pmu(*ENABLED_COUNTERS, ('count', CYCLES, value(1000)), ('count', INSTRUCTIONS, value(77))),
    'chain': pmu(*ENABLED_COUNTERS, ('reg_set', EVCNTR0, value(0xffffffff)), ('reg_set', INTENSET, value(3)),
                 ('count', INSTRUCTIONS, value(3)), ('reload', b'\0'), ('isb',)),
    'narrow-counters': pmu(*ENABLED_COUNTERS, ('count', INSTRUCTIONS, value(0xfffffffff)), world=2),
    'capture': pmu(*ENABLED_COUNTERS, ('reg_set', PMECR, value(3)), ('count', CYCLES, value(5)), ('capture',),
                   ('msr', PMSSCR, value(1)), ('mrs', PMSSCR), ('isb',), ('mrs', PMSSCR)),
    'capture-is-late': pmu(('choice', b'\x44\1'), ('reg_set', PMECR, value(3)), ('capture',), ('reload', b'\0'),
                           ('host', b'\0')),
    'own-counters': pmu(*ENABLED_COUNTERS, ('host', b'\4', value(1 << 31)), ('msr', EVCNTR0, value(7)), world=14),
    'external': pmu(*[('external', bytes([form]) + (offset & 0xffff).to_bytes(2, 'little') + value(0xff))
                      for offset in (0, 8, 0x600, 0xa00, 0xc00, 0xe04, 0xe30, 0x220) for form in (0, 1, 8, 9)]),
    'external-odd': pmu(('external', b'\xf0\x02\0\3'), ('external', b'\xe0\xfe\x0f'), ('external', b'\xf8\0\0\4\0')),
    'power': pmu(('host', b'\1\0'), ('capture',), ('external', b'\0\0\0'), ('host', b'\1\1')),
    'pc-sample': pmu(('host', b'\2', value(0x400000)), ('external', b'\0\0\2'), ('external', b'\1\0\2')),
    'every-level': pmu(*[step for el in range(4) for step in (('state', bytes([el])), ('mrs', PMCR),
                                                              ('msr', CNTENSET, value(1)), ('mrs', CCNTR))]),
}

# ---- explain: a feature set, the query, and changes of the state ----

SET_REGISTERS = ('SCR_EL3 HCR_EL2 MDCR_EL2 MDCR_EL3 PMSCR_EL1 PMSCR_EL2 PMBSR_EL1 PMBSR_EL2 PMBSR_EL3 PMBLIMITR_EL1 '
                 'PMCR_EL0 PMECR_EL1 HDFGRTR_EL2 HDFGWTR_EL2 HCRX_EL2 PMUSERENR_EL0').split()
MODEL, REMEDY, NO_REMEDY = 0xc0, 0, 4


def field(name, number):
    return bytes([SET_REGISTERS.index(name) << 3 | 4]) + value(number)


def text(line):
    return b'\0' + line + b'\n'


def explain(*changes, form=MODEL | REMEDY, features=0, rest=b'\x24\x07'):
    return bytes([features, form]) + b''.join(changes) + b'\xff' + rest


PROFILING = (field('SCR_EL3', 1), field('MDCR_EL3', 3 << 12), field('MDCR_EL2', 3 << 12),
             field('PMBLIMITR_EL1', 0x10001), field('PMSCR_EL1', 3))

EXPLAIN = {
    'nothing': explain(),
    'enabled': explain(*PROFILING),
    'el1-only': explain(*PROFILING, features=1),
    'remedy-el1': explain(field('SCR_EL3', 1), b'\1\1', form=1),
    'remedy-el2': explain(field('SCR_EL3', 1), field('MDCR_EL3', 3 << 12), b'\1\2', form=2),
    'remedy-never': explain(b'\1\xe3', form=3),
    'stopped': explain(*PROFILING, field('PMBSR_EL1', 1 << 17), field('PMBSR_EL2', 1 << 17)),
    'aarch32': explain(*PROFILING, b'\1\x1c', b'\1\x18'),
    'traps': explain(field('HDFGRTR_EL2', (1 << 63) - 1), field('HCRX_EL2', 0xffff), rest=b'\x09\x05\0\1\2'),
    'choices': explain(*[b'\2' + bytes([c, 1]) for c in range(8)], form=NO_REMEDY),
    'text': explain(text(b'PMSCR_EL1.E1SPE=1'), text(b'scr_el3.ns=0b1'), text(b'PSTATE.EL=EL2'),
                    text(b'PE.state=debug'), text(b'PMSCR_EL2.PCT=VIRTUAL'), form=NO_REMEDY),
    'text-features': explain(text(b'features=v8.4,+FEAT_SPE_FDS'), text(b'features=v9.6,-EL2'), form=NO_REMEDY),
    'text-refused': explain(*[text(t) for t in (b'', b'=', b'x', b'PMSCR_EL1.', b'PMSCR_EL1.X=1', b'PMSCR_EL1=',
                                                b'PMSCR_EL1.E1SPE=2', b'MDCR_EL3=0x1ffffffffffffffff',
                                                b'features=v7', b'features=v8.2,-FEAT_X', b'PSTATE.EL=EL4',
                                                b'PSTATE.nRW=\xff')], form=NO_REMEDY),
}

# ---- recording: a flag for finished recordings, and the actions of a program ----

OVERWRITE, SERVE, ASK = b'\0', b'\1\1', b'\2'
ASK_EVENTS, ASK_TRACE, ASK_SALVAGE = 0, 1, 2
LANES = dict(first=0, second=1, common=7)
FINISHED = 0


def recorded_event(kind, text=0, misc=0, body=b''):
    sizes = {0: 8 + 8 * text, 1: 64 + 8 * text, 2: 24, 3: 24, 4: 8, 5: 24}
    words = (sizes[kind] + 32) // 8  # including the trailer
    return bytes([kind | text << 3]) + misc.to_bytes(2, 'little') + (body + bytes(words))[:words]


def asked(kind, *events, lane='first', about=0):
    return ASK + bytes([LANES[lane], kind | about << 2 | len(events) << 5]) + b''.join(events)


def trace(size, data=b'\1' * 16, **where):
    return asked(ASK_TRACE, **where) + bytes([size]) + data


def overwritten(what, number, lane='first'):
    return OVERWRITE + bytes([LANES[lane], what]) + value(number)


def recording(*steps, form=FINISHED):
    return bytes([form]) + b''.join(steps)


COMM_EVENT, MMAP_EVENT, FORK_EVENT = recorded_event(0, 2), recorded_event(1, 3), recorded_event(2)
RECORDING = {
    'events': recording(asked(ASK_EVENTS, COMM_EVENT, MMAP_EVENT), SERVE, asked(ASK_EVENTS, FORK_EVENT), SERVE),
    'trace': recording(trace(8), SERVE, trace(4, lane='second'), trace(2, lane='common', about=2), SERVE),
    'trace-as-events': recording(asked(ASK_EVENTS, recorded_event(5)), SERVE),
    'event-of-no-size': recording(asked(ASK_EVENTS, bytes([0xe0]) + bytes(12)), SERVE),
    'event-of-another-kind': recording(asked(ASK_EVENTS, bytes([0xc0]) + value(71) + bytes(12)), SERVE),
    'names-a-device': recording(asked(ASK_EVENTS, bytes([0x59]) + bytes(16)), SERVE),
    'size-is-huge': recording(trace(8), overwritten(2, 1 << 63), SERVE, asked(ASK_EVENTS, COMM_EVENT),
                              overwritten(2, 1 << 32), SERVE),
    'lane-is-none': recording(trace(8, lane='common'), overwritten(1, 0xffffffff, 'common'), SERVE),
    'flags-are-none': recording(trace(8), overwritten(3, 1 << 60), SERVE),
    'used-is-huge': recording(overwritten(6, 1 << 62), asked(ASK_SALVAGE, about=0, lane='second'), SERVE),
    'used-is-salvaged': recording(overwritten(6, 100), overwritten(7, 9), form=FINISHED),
    'card-is-changed': recording(overwritten(8, 0xffffffff), trace(8), SERVE),
    'note-is-not-text': recording(overwritten(11, 2)),
    'bells': recording(overwritten(9, (1 << 64) - 1), SERVE, form=1),
}

# ---- options: the command and its words, or a file ----

VM, RECORD, SUPPRESSIONS = 0, 1, 2


def words(what, line):
    return bytes([what]) + b'\0'.join(line.encode().split(b' ')) + b'\0'


OPTIONS = {
    'vm': words(VM, '--spe v1p4 --max-size 256 --align 64 --count-size 16 --min-interval 1024 --strict -- -m 1G'),
    'vm-choose': words(VM, '--choose all=random --choose fault-data-loss=set --layout neoverse,align=64 -- -m 1G'),
    'vm-inject': words(VM, '--machine neoverse-n1 --pmu-snapshot yes --error-exitcode 3 -- -m 1G')[:-8] +
                 b'--inject\0nth=3 buffer full\0--inject\0every 2 stage 2 translation fault level 3\0--\0-m\0',
    'vm-nothing': words(VM, ''),
    'vm-before': words(VM, '-m 1G --'),
    'vm-sizes': words(VM, '--align 2048 --max-size 64 -- -m 1G'),
    'vm-near': words(VM, '--max-siz 64 --choose fault-data-los=set -- -m'),
    'vm-escapes': bytes([VM]) + b'--\x1b[31m\xff\0',
    'record': words(RECORD, '-o x -c 100k --jitter --filter load,store --event-filter mispredicted -m 1M ls'),
    'record-machine': words(RECORD, '--machine neoverse-v2 --uarch l1d.size=32k --layout dense,align=64 -- ls -l'),
    'record-choose': words(RECORD, '--choose store-events=recorded --min-latency 4095 --seed 0x7 ls'),
    'record-empty': bytes([RECORD]) + b'\0',
    'record-bounds': words(RECORD, '-c 4294967041 -m 64M -- ls'),
    'suppressions': bytes([SUPPRESSIONS]) + b'# a comment\npointer-above-limit pc=0x1-0x20 symbol=ma*n\n*\n\n* pc=7',
    'suppressions-wrong': bytes([SUPPRESSIONS]) + b'pointer-above-limi\n',
    'suppressions-range': bytes([SUPPRESSIONS]) + b'* pc=9-8\n',
    'suppressions-bytes': bytes([SUPPRESSIONS]) + b'* symbol=[[:alpha\n\0\x9b\n',
    'report': words(3, '-i x --sort=comm --json --color=never y'),
    'dump-help': words(4, '--help'),
    'run-ambiguous': words(5, '--s 1'),
    'explain': words(6, '-- features=v8.2'),
    'regs-takes-none': words(7, '--json=1'),
}

SEEDS = {'options': OPTIONS, 'recording': RECORDING, 'calls': CALL_SEEDS, 'explain': EXPLAIN, 'pmu': PMU_SEEDS, 'state': STATE, 'walker': WALKER}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SEEDS:
        sys.exit(__doc__.strip() + '\n\nTargets: ' + ' '.join(SEEDS))
    os.makedirs(sys.argv[2], exist_ok=True)
    for name, data in SEEDS[sys.argv[1]].items():
        with open(os.path.join(sys.argv[2], name), 'wb') as f:
            f.write(data)


if __name__ == '__main__':
    main()
