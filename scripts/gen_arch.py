#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""C from the architecture data: gen_arch.py ARCH_DIR OUTPUT...

What is written follows from each output's name: feature_list.h, sysreg_list.h (public headers, which
feature.h and sysreg.h include) or arch_tables.c (the tables of the library).
"""
import os
import re
import sys

import arch_data

NOTE = ('/* SPDX-License-Identifier: MIT */\n'
        '/* Generated from arch/ by scripts/gen_arch.py. {what} */\n')


def c_name(name):
    return re.sub(r'[^A-Za-z0-9]', '_', name).upper()


def feature_id(name):
    return 'SPEMU_' + c_name(name)


def storage_regs(regs):
    return [r for r in regs.values() if not r.storage and not r.array]


def described_regs(regs):
    return [r for r in regs.values() if not r.storage]


def plain(name):
    """PMEVCNTR<n>_EL0 in identifiers: PMEVCNTRn_EL0."""
    return name.replace('<n>', 'n')


def feature_list_h(features, _regs, _id_registers):
    out = [NOTE.format(what='Architecture features (Arm ARM A2).'),
           '#ifndef SPEMU_FEATURE_LIST_H\n#define SPEMU_FEATURE_LIST_H\n',
           'enum spemu_feature {']
    out += [f'\t{feature_id(name)},' for name in features]
    out += ['\tSPEMU_FEATURE_COUNT', '};\n', '#endif']
    return out


def sysreg_list_h(_features, regs, _id_registers):
    out = [NOTE.format(what='System registers (Arm ARM D24).'),
           '#ifndef SPEMU_SYSREG_LIST_H\n#define SPEMU_SYSREG_LIST_H\n']
    for reg in regs.values():
        args = ', '.join(str(n) for n in reg.encoding)
        if reg.array > 1:
            out.append(f'#define SPEMU_SYSREG_{plain(reg.name)}(n) (SPEMU_SYSREG({args}) + (n))')
        else:
            out.append(f'#define SPEMU_SYSREG_{reg.name} SPEMU_SYSREG({args})')
    out += ['', '/* Registers that have a value of their own. */', 'enum spemu_reg {']
    out += [f'\tSPEMU_REG_{reg.name}, /* {reg.doc} */' for reg in storage_regs(regs)]
    out += ['\tSPEMU_REG_COUNT', '};', '',
            '/* Fields: least significant bit and width. */']
    for reg in described_regs(regs):
        name = plain(reg.name)
        for f in reg.fields:
            out.append(f'#define SPEMU_{name}_{f.name}_LSB {f.lo}')
            out.append(f'#define SPEMU_{name}_{f.name}_WIDTH {f.hi - f.lo + 1}')
            out += [f'#define SPEMU_{name}_{f.name}_{label} {value:#x}'
                    for value, label in f.enums]
    return out + ['\n#endif']


def guard(text):
    if text == '-':
        return '{GUARD_ALWAYS, 0, {0}}'
    names = re.split(r'[+|]', text)
    mode = 'GUARD_ANY' if '|' in text else 'GUARD_ALL'
    return f'{{{mode}, {len(names)}, {{{", ".join(feature_id(n) for n in names)}}}}}'


# What a clause with a bit of its own also looks at.
EL2_ENABLED = ' SCR_EL3.NS SCR_EL3.EEL2'
SDD = ' PE.state EDSCR.SDD'
LOOKS_AT = {'fgt': ' SCR_EL3.FGTEn' + EL2_ENABLED, 'fgt-n': ' SCR_EL3.FGTEn' + EL2_ENABLED,
            'fgt2-n': ' SCR_EL3.FGTEn2' + EL2_ENABLED, 'fgt-w': ' SCR_EL3.FGTEn' + EL2_ENABLED,
            'fgt2-w': ' SCR_EL3.FGTEn2' + EL2_ENABLED, 'el3': '', 'el3-set': '',
            'hfgt': ' SCR_EL3.FGTEn' + EL2_ENABLED, 'scr': '', 'sdd-el3': SDD, 'sdd-el3-set': SDD,
            'sdd-scr': SDD}


def looked_at(name, argument, at_el0):
    """What MRS and MSR look at, for a clause whose fields follow from its argument."""
    base = name.removesuffix('-tge')
    holder = arch_data.HOLDERS[base]
    if base.startswith('user'):
        tge = ' HCR_EL2.TGE' + EL2_ENABLED if name.endswith('-tge') else ''
        fields = 'PMUSERENR_EL0.UEN PMUSERENR_EL0.EN'
        if argument != 'EN':
            fields += f' PMUSERENR_EL0.{argument}'
        return f'"{fields}{tge}", "{fields}{tge}"'
    host = ' HCR_EL2.E2H HCR_EL2.TGE' if at_el0 and 'fgt' in name else ''
    letters = ('WTR', 'WTR') if name in ('fgt-w', 'fgt2-w') else ('RTR', 'WTR')
    return ', '.join(f'"{holder.replace("RTR", letter)}.{argument}{LOOKS_AT[name]}{host}"'
                     for letter in letters)


def clause(name, argument, regs, at_el0):
    """One struct access_clause: {id, bit, offset, mask, value, reg, fields, word}."""
    ident = 'ACCESS_' + c_name(name)
    base = name.removesuffix('-tge')
    bit = offset = mask = value = 0
    reg = -1
    fields = 'NULL, NULL'
    if base in arch_data.HOLDERS:
        bit = next(f.lo for f in regs[arch_data.HOLDERS[base]].fields if f.name == argument)
        fields = looked_at(name, argument, at_el0)
    elif name == 'vm-control':
        fields = f'"HCR_EL2.TRVM{EL2_ENABLED}", "HCR_EL2.TVM{EL2_ENABLED}"'
    elif name in ('counter', 'hpmn', 'hpmn-undefined'):
        value = 'COUNTER_' + argument.upper()
    elif name == 'nv':
        pattern, offset = argument.split(':')
        mask = int(''.join('0' if c == 'x' else '1' for c in pattern), 2)
        value = int(pattern.replace('x', '0'), 2)
    elif name == 'nv-pmbsr':
        offset = argument
    elif name in ('alias', 'alias-exc'):
        reg = f'SPEMU_REG_{argument}'
    word = f'{name}:{argument}' if argument else name
    return f'{{{ident}, {bit}, {offset}, {mask}, {value}, {reg}, {{{fields}}}, "{word}"}}'


def register_tables(reg, regs):
    out = []
    name = plain(reg.name)
    for f in reg.fields:
        if f.enums:
            values = ', '.join(f'{{{v:#x}, "{n}"}}' for v, n in f.enums)
            out.append(f'static const struct sysreg_enum {name}_{f.name}_enums[] = '
                       f'{{{values}}};')
    if reg.fields:
        out.append(f'static const struct sysreg_field {name}_fields[] = {{')
        for f in reg.fields:
            enums = f'{name}_{f.name}_enums, {len(f.enums)}' if f.enums else 'NULL, 0'
            value, _, highest = f.reset.replace('UNKNOWN', '0').partition('@EL')
            known = f.reset == value
            out.append(f'\t{{"{f.name}", {f.hi}, {f.lo}, {int(known)}, {highest or 0}, {value}, '
                       f'{guard(f.guard)}, {enums}, "{guard_text(f.guard)}"}},')
        out.append('};')
    if reg.res0_without:
        rows = ', '.join(f'{{{hi}, {lo}, {guard(g)}}}' for hi, lo, g in reg.res0_without)
        out.append(f'static const struct res0_without {name}_res0_without[] = {{{rows}}};')
    for el, clauses in reg.access.items():
        body = ', '.join(clause(n, a, regs, el == 'EL0') for n, a in clauses)
        out.append(f'static const struct access_clause {name}_{el}[] = {{{body}}};')
    return out


NAME_SLOTS = 2048  # a power of two, as lib/sysreg/tables.h has it


def name_hash(name):
    """FNV-1a, 32 bits, of the upper-case name; lib/sysreg/sysreg.c computes the same."""
    value = 0x811c9dc5
    for byte in name.upper().encode():
        value = (value ^ byte) * 0x01000193 & 0xffffffff
    return value


def name_table(regs):
    """An open-addressed hash table over REG and REG.FIELD."""
    slots = [None] * NAME_SLOTS
    for index, reg in enumerate(regs.values()):
        if reg.array:
            continue  # no value that a state could name
        names = [(reg.name, -1)]
        names += [(f'{reg.name}.{f.name}', i)
                  for i, f in enumerate(regs[reg.storage or reg.name].fields)]
        for name, number in names:
            place = name_hash(name) % NAME_SLOTS
            while slots[place]:
                if slots[place][0].upper() == name.upper():
                    raise arch_data.DataError(f'{name} differs from another name by case alone')
                place = (place + 1) % NAME_SLOTS
            slots[place] = (name, index, number)
    if slots.count(None) < NAME_SLOTS // 2:
        raise arch_data.DataError('NAME_SLOTS is too small')
    out = ['const struct sysreg_name spemu__sysreg_names[SYSREG_NAME_SLOTS] = {']
    out += [f'\t[{place}] = {{"{slot[0]}", {len(slot[0])}, {slot[1]}, {slot[2]}}},'
            for place, slot in enumerate(slots) if slot]
    return out + ['};', '']


def guard_text(text):
    return '' if text == '-' else text


def id_table(features, id_registers):
    """A row for each Id; those of one field stand together."""
    rows = [(id_registers[i.register], i, f) for f in features.values() for i in f.ids]
    rows.sort(key=lambda row: (row[0], row[1].lo))
    out = ['const struct feature_id spemu__feature_ids[] = {']
    out += [f'\t{{"{i.register}", "{i.name}", {encoding:#x}, {feature_id(f.name)}, {i.hi}, {i.lo}, '
            f'{i.least}, {i.most}, {i.other}}},' for encoding, i, f in rows]
    return out + ['};', f'const unsigned spemu__feature_ids_size = {len(rows)};']


def version(text):
    """struct version of lib/sysreg/tables.h"""
    if text == '-':
        return '{VERSION_NONE, 0}'
    return f'{{{arch_data.level_index(text)}, {int(text.startswith("v9"))}}}'


def arch_tables_c(features, regs, id_registers):
    out = [NOTE.format(what='Tables of lib/sysreg and lib/pe.'),
           '#include <stddef.h>\n#include "sysreg/tables.h"\n']
    for reg in regs.values():
        out += register_tables(reg, regs)
    out.append('const struct sysreg_desc spemu__sysreg_table[] = {')
    for reg in regs.values():
        name = plain(reg.name)
        fields = f'{name}_fields, {len(reg.fields)}' if reg.fields else 'NULL, 0'
        access = ', '.join(f'{name}_EL{n}' if f'EL{n}' in reg.access else 'NULL' for n in range(4))
        encoding = f'SPEMU_SYSREG_{name}' + ('(0)' if reg.array > 1 else '')
        res0_without = (f'{name}_res0_without, {len(reg.res0_without)}' if reg.res0_without
                        else 'NULL, 0')
        storage = f'SPEMU_REG_{reg.storage or reg.name}' if not reg.array else '-1'
        out.append(f'\t{{"{reg.name}", "{reg.doc}", {encoding}, '
                   f'{storage}, {int(bool(reg.storage))}, '
                   f'{int(reg.readonly)}, {int(reg.writeonly)}, {int(reg.partial)}, {int(reg.host_owned)}, '
                   f'UNIT_{reg.unit or "SPU"}, {max(reg.array, 1)}, {guard(reg.guard)}, {fields}, '
                   f'{{{access}}}, "{guard_text(reg.guard)}", {res0_without}}},')
    out += ['};', f'const unsigned spemu__sysreg_table_size = {len(regs)};', '']
    order = sorted(range(len(regs)), key=lambda i: list(regs.values())[i].number())
    out += ['const uint8_t spemu__sysreg_order[] = {' + ', '.join(map(str, order)) + '};', '']
    places = [list(regs).index(reg.name) for reg in storage_regs(regs)]
    out += ['const uint8_t spemu__sysreg_of_reg[SPEMU_REG_COUNT] = {' +
            ', '.join(map(str, places)) + '};', '']
    out += name_table(regs)
    out.append('const struct feature_desc spemu__feature_table[SPEMU_FEATURE_COUNT] = {')
    for f in features.values():
        implied = guard('+'.join(f.implied_by) or '-')
        requires = [guard('|'.join(alternatives)) for alternatives in f.requires]
        body = ', '.join(requires or [guard('-')])
        text = ', '.join(' or '.join(alternatives) for alternatives in f.requires) or 'nothing'
        out.append(f'\t{{"{f.name}", {version(f.preset)}, {version(f.implied_from)}, {implied}, '
                   f'{len(requires)}, {{{body}}}, "{f.name} requires {text}", "{f.no_id}"}},')
    return out + ['};'] + id_table(features, id_registers)


WRITERS = {'feature_list.h': feature_list_h, 'sysreg_list.h': sysreg_list_h,
           'arch_tables.c': arch_tables_c}


def main(argv):
    data = arch_data.load(argv[1])
    for path in argv[2:]:
        text = '\n'.join(WRITERS[os.path.basename(path)](*data)) + '\n'
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text)


if __name__ == '__main__':
    try:
        main(sys.argv)
    except arch_data.DataError as error:
        sys.exit(str(error))
