#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parse and check the architecture data under arch/, which gen-arch turns into C.

It rejects gaps, overlaps, enumeration values wider than their field, unknown features and clauses, and duplicate names
and encodings.
"""
import re
import sys
from dataclasses import dataclass, field

import clause_data

COUNTER_KINDS = ('n', 'snapshot', 'sel', 'sel31')
UNITS = ('PMU',)
FLAGS = {'ReadOnly': 'readonly', 'WriteOnly': 'writeonly', 'Partial': 'partial', 'HostOwned': 'host_owned'}


class DataError(Exception):
    """A line of the architecture data that is wrong."""


@dataclass
class Feature:
    name: str
    preset: str
    requires: list  # lists of alternatives; one of each is required
    implied_from: str = '-'  # the version from which implied_by implies it
    implied_by: list = field(default_factory=list)  # features that imply it together
    ids: list = field(default_factory=list)  # each IdField alone implies it
    no_id: str = ''  # the reason why ids is empty


@dataclass
class IdField:
    """A field of an ID register, with the values that imply a feature."""
    register: str
    name: str
    hi: int
    lo: int
    least: int
    most: int
    other: int  # the value of the field without a feature


@dataclass
class Field:
    hi: int
    lo: int
    name: str
    guard: str
    reset: str
    enums: list = field(default_factory=list)  # (value, name)


def encoding_number(encoding):
    op0, op1, crn, crm, op2 = encoding
    return op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2


@dataclass
class Sysreg:
    name: str
    encoding: tuple
    guard: str
    line: int
    doc: str = ''
    readonly: bool = False
    writeonly: bool = False
    unit: str = ''
    array: int = 0  # number of values in the unit, with successive encodings
    partial: bool = False
    host_owned: bool = False
    storage: str = ''
    fields: list = field(default_factory=list)
    res0: list = field(default_factory=list)  # (hi, lo)
    res0_without: list = field(default_factory=list)  # (hi, lo, guard)
    access: dict = field(default_factory=dict)  # el -> [(clause_data.Clause, word)]

    def number(self):
        return encoding_number(self.encoding)


def lines(path):
    """Yield the number and the words of each line with words, without comments."""
    with open(path, encoding='utf-8') as stream:
        for number, text in enumerate(stream, 1):
            words = text.split('#', 1)[0].split()
            if words:
                yield number, words


def text_lines(path):
    """Yield the number and the text of each line, except blank lines and lines that begin with "#"."""
    with open(path, encoding='utf-8') as stream:
        for number, text in enumerate(stream, 1):
            if text.strip() and not text.startswith('#'):
                yield number, text.rstrip()


def fail(path, number, why):
    raise DataError(f'{path}:{number}: {why}')


def level_index(version):
    """Return the position of an architecture version, or None for another word. v9.n has the position of v8.(n+5)."""
    match = re.fullmatch(r'v([89])\.(\d)', version)
    return int(match[2]) + (5 if match[1] == '9' else 0) if match else None


def checked_version(path, number, version):
    if level_index(version) is None:
        fail(path, number, f'no such version: {version}')
    return version


def c_name(name):
    return re.sub(r'[^A-Za-z0-9]', '_', name).upper()


def feature_id(name):
    return 'SPEMU_' + c_name(name)


def fnv1a(text):
    """Return the 32-bit FNV-1a hash of a text, which the library computes in the same way."""
    value = 0x811c9dc5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xffffffff
    return value


def parse_feature(path, number, words, features):
    if len(words) < 3:
        fail(path, number, 'expected: Feature NAME preset requires...')
    _, name, preset, *requires = words
    if name in features:
        fail(path, number, f'{name} is there twice')
    if preset != '-':
        checked_version(path, number, preset)
    features[name] = Feature(name, preset, [r.split('|') for r in requires])


def parse_implied(path, number, words, features):
    if len(words) < 4 or not all(name in features for name in words[1:2] + words[3:]):
        fail(path, number, 'expected: Implied NAME version features..., all of them known')
    feature = features[words[1]]
    if feature.implied_by:
        fail(path, number, f'{feature.name} is implied twice')
    feature.implied_from = checked_version(path, number, words[2])
    feature.implied_by = words[3:]


def parse_id(path, number, words, features):
    if len(words) < 3 or words[1] not in features:
        fail(path, number, f'{words[0]} names an unknown feature')
    feature = features[words[1]]
    if words[0] == 'NoId':
        feature.no_id = ' '.join(words[2:])
        return
    match = re.fullmatch(r'(\d+)(?:-(\d+))?', words[5] if len(words) > 5 else '')
    if not match or len(words) > 7 or (len(words) == 7 and not words[6].startswith('else=')):
        fail(path, number, 'expected: Id NAME REGISTER FIELD HI:LO VALUES [else=N]')
    hi, lo = parse_range(path, number, words[4])
    greatest = (1 << (hi - lo + 1)) - 1
    least, most = int(match[1]), int(match[2]) if match[2] else greatest
    other = int(words[6][5:]) if len(words) == 7 else 0
    if not 0 <= least <= most <= greatest or other > greatest:
        fail(path, number, f'{words[5]} does not fit into bits {words[4]}')
    feature.ids.append(IdField(words[2], words[3], hi, lo, least, most, other))


def parse_features(path):
    features = {}
    for number, words in lines(path):
        if words[0] == 'Feature':
            parse_feature(path, number, words, features)
        elif words[0] == 'Implied':
            parse_implied(path, number, words, features)
        elif words[0] in ('Id', 'NoId'):
            parse_id(path, number, words, features)
        elif words[0] != 'IdRegister':
            fail(path, number, f'unknown keyword: {words[0]}')
    for feature in features.values():
        for alternatives in feature.requires:
            for other in alternatives:
                if other not in features:
                    fail(path, 0, f'{feature.name} requires the unknown {other}')
    return features


def parse_id_registers(path, regs):
    """Return the encodings of all ID registers, including those that arch/sysreg.txt does not have."""
    registers = {reg.name: reg.number() for reg in regs.values()}
    for number, words in lines(path):
        if words[0] != 'IdRegister':
            continue
        if len(words) != 7 or words[1] in registers:
            fail(path, number, 'expected: IdRegister NAME op0 op1 CRn CRm op2, once')
        registers[words[1]] = encoding_number(int(word) for word in words[2:])
    return registers


def check_ids(path, features, regs, registers):
    for feature in features.values():
        if bool(feature.ids) == bool(feature.no_id):
            fail(path, 0, f'{feature.name} needs Id or NoId')
        for known in feature.ids:
            if known.register not in registers:
                fail(path, 0, f'{feature.name}: unknown ID register {known.register}')
            for f in regs[known.register].fields if known.register in regs else []:
                if f.name == known.name and (f.hi, f.lo) != (known.hi, known.lo):
                    fail(path, 0, f'{known.register}.{known.name} is bits {f.hi}:{f.lo}')


def parse_range(path, number, text):
    match = re.fullmatch(r'(\d+)(?::(\d+))?', text)
    hi, lo = (int(match[1]), int(match[2] or match[1])) if match else (-1, 0)
    if not 63 >= hi >= lo >= 0:
        fail(path, number, f'not a bit range: {text}')
    return hi, lo


def check_guard(path, number, guard, features):
    if guard == '-':
        return
    if '+' in guard and '|' in guard:
        fail(path, number, f'a guard is all of (+) or any of (|), not both: {guard}')
    for name in re.split(r'[+|]', guard):
        if name not in features:
            fail(path, number, f'unknown feature: {name}')


def parse_field(path, number, words, features):
    kind, bits, name, guard, *rest = words
    hi, lo = parse_range(path, number, bits)
    check_guard(path, number, guard, features)
    reset = 'UNKNOWN'
    if rest and rest[0].startswith('reset='):
        reset = rest.pop(0)[6:]
        if not re.fullmatch(r'(0x[0-9a-f]+|\d+)(@EL[123])?|UNKNOWN', reset):
            fail(path, number, f'a reset value is N, N@ELn or UNKNOWN: {reset}')
    result = Field(hi, lo, name, guard, reset)
    for word in rest:
        value, _, label = word.partition('=')
        if kind != 'Enum' or not label:
            fail(path, number, f'unexpected: {word}')
        if int(value, 0) >> (hi - lo + 1):
            fail(path, number, f'{word} is wider than bits {bits}')
        if any(int(value, 0) == v or label == n for v, n in result.enums):
            fail(path, number, f'{word} is there twice')
        result.enums.append((int(value, 0), label))
    if kind == 'Enum' and not result.enums:
        fail(path, number, f'{name} lists no values')
    return result


def parse_access(path, number, words, reg, table):
    el = words[1]
    if el not in ('EL0', 'EL1', 'EL2', 'EL3') or el in reg.access:
        fail(path, number, f'Access {el}: once each for EL1, EL2, EL3, and EL0')
    clauses = []
    for position, word in enumerate(words[2:], 3):
        base, _, argument = word.partition(':')
        clause = table.find(word)
        if not clause:
            fail(path, number, f'unknown clause: {word}')
        if bool(argument) != bool(clause.argument()):
            fail(path, number, f'{base} takes {"an" if clause.argument() else "no"} argument')
        if clause.ends() != (position == len(words)):
            fail(path, number, f'the last clause, and only it, is RW, RO or UNDEFINED: {word}')
        twin = word.replace(base, base + '-tge', 1)
        if table.find(twin):
            clauses.append((table.find(twin), twin))
        clauses.append((clause, word))
    reg.access[el] = clauses


def parse_sysregs(path, features, table):
    regs = {}
    reg = None
    for number, words in lines(path):
        key = words[0]
        if key == 'Sysreg':
            if len(words) != 8:
                fail(path, number, 'expected: Sysreg NAME op0 op1 CRn CRm op2 GUARD')
            check_guard(path, number, words[7], features)
            reg = Sysreg(words[1], tuple(int(w) for w in words[2:7]), words[7], number)
            if reg.name in regs:
                fail(path, number, f'{reg.name} is there twice')
            limits = (3, 7, 15, 15, 7)
            if any(v > limit for v, limit in zip(reg.encoding, limits)):
                fail(path, number, 'encoding out of range')
            regs[reg.name] = reg
        elif reg is None:
            fail(path, number, 'before the first Sysreg')
        elif key == 'Doc':
            reg.doc = ' '.join(words[1:])
        elif key in FLAGS:
            setattr(reg, FLAGS[key], True)
        elif key == 'Unit' and words[1] in UNITS:
            reg.unit = words[1]
        elif key == 'Array' and 1 <= int(words[1]) <= 64:
            reg.array = int(words[1])
        elif key == 'Res0Without':
            check_guard(path, number, words[2], features)
            reg.res0_without.append((*parse_range(path, number, words[1]), words[2]))
        elif key == 'Storage':
            reg.storage = words[1]
        elif key == 'Access':
            parse_access(path, number, words, reg, table)
        elif key in ('Field', 'Enum'):
            reg.fields.append(parse_field(path, number, words, features))
        elif key == 'Res0':
            reg.res0.append(parse_range(path, number, words[1]))
        else:
            fail(path, number, f'unknown keyword: {key}')
    check_sysregs(path, regs)
    return regs


def check_sysregs(path, regs):
    seen = {}
    for reg in regs.values():
        if not reg.doc:
            fail(path, reg.line, f'{reg.name} has no Doc')
        if set(reg.access) - {'EL0'} != (set() if reg.host_owned else {'EL1', 'EL2', 'EL3'}):
            fail(path, reg.line, f'{reg.name} needs Access for EL1, EL2 and EL3, or HostOwned')
        for number in range(reg.number(), reg.number() + max(reg.array, 1)):
            other = seen.setdefault(number, reg.name)
            if other != reg.name:
                fail(path, reg.line, f'{reg.name} has the encoding of {other}')
        if ('<n>' in reg.name) != (reg.array > 1) or (reg.array and not reg.unit):
            fail(path, reg.line, f'{reg.name}: an array has <n> in its name, and a unit')
        if reg.storage:
            if reg.storage not in regs or reg.fields:
                fail(path, reg.line, f'{reg.name}: an alias names a register and has no fields')
            continue
        check_coverage(path, reg)
        for clauses in reg.access.values():
            check_arguments(path, reg, clauses, regs)
            if clauses[-1][1] != 'UNDEFINED' and (clauses[-1][1] == 'RO') != reg.readonly:
                fail(path, reg.line, f'{reg.name}: RO ends the lists of ReadOnly registers')


def check_coverage(path, reg):
    covered = 0
    names = set()
    ranges = [(f.hi, f.lo, f.name) for f in reg.fields] + [(h, l, 'Res0') for h, l in reg.res0]
    for hi, lo, name in ranges:
        mask = ((1 << (hi - lo + 1)) - 1) << lo
        if covered & mask:
            fail(path, reg.line, f'{reg.name}.{name} overlaps another field')
        covered |= mask
        if name != 'Res0' and name in names:
            fail(path, reg.line, f'{reg.name}.{name} is there twice')
        names.add(name)
    if not reg.partial and covered != (1 << 64) - 1:
        fail(path, reg.line, f'{reg.name} has a gap: {(~covered) & ((1 << 64) - 1):#x}')


def check_arguments(path, reg, clauses, regs):
    for clause, word in clauses:
        kind, argument = clause.argument(), word.partition(':')[2]
        if kind == 'REG' and argument not in regs:
            fail(path, reg.line, f'{reg.name}: {word} of an unknown register')
        if kind == 'F' and argument not in [f.name for f in regs[clause.holder()].fields]:
            fail(path, reg.line, f'{reg.name}: {clause.holder()} has no field {argument}')
        if kind == 'KIND' and argument not in COUNTER_KINDS:
            fail(path, reg.line, f'{reg.name}: {word} does not name a kind of counter')
        if kind == 'PATTERN:OFFSET' and not re.fullmatch(r'[01x]{3}:0x[0-9a-f]+', argument):
            fail(path, reg.line, f'{reg.name}: PATTERN:OFFSET expected, not {argument}')


def load(directory):
    """Return the features, the tables of clauses, the registers, and the encodings of the ID registers."""
    path, clauses = f'{directory}/features.txt', f'{directory}/clauses.tsv'
    features = parse_features(path)
    try:
        tables = clause_data.parse([(n, line.split('\t')) for n, line in text_lines(clauses)])
        regs = parse_sysregs(f'{directory}/sysreg.txt', features, tables['access'])
        clause_data.check(tables, features, regs)
    except clause_data.ClauseError as error:
        raise DataError(f'{clauses}:{error}') from error
    registers = parse_id_registers(path, regs)
    check_ids(path, features, regs, registers)
    return features, tables, regs, registers


def write(path, lines):
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(lines) + '\n')


def generate(main):
    """Run a generator with the program's arguments. An error in the data ends the program with a message."""
    try:
        main(*sys.argv[1:])
    except DataError as error:
        sys.exit(str(error))
