# SPDX-License-Identifier: MIT
"""A minimal host: an SPU that writes to an array, programmed like a driver does, and one sample.

examples/embed.c is the same in C.
"""
import spemu

BUFFER = 0x10000
SIZE = 4096

# A PE with EL1 and EL0 only: it starts at EL1.
pe = spemu.Pe('v8.2,-EL3,-EL2')
spu = spemu.Spu(pe, memory=bytearray(SIZE), base=BUFFER)
for name, value in (('PMBSR_EL1', 0), ('PMBPTR_EL1', BUFFER), ('PMBLIMITR_EL1', BUFFER + SIZE | 1),
                    ('PMSFCR_EL1', 0), ('PMSIRR_EL1', 4 << 8), ('PMSICR_EL1', 0), ('PMSCR_EL1', 1)):
    access = spu.msr(name, value)
    if not access.done:
        raise SystemExit(f'MSR {name} failed: {access.rule}')
pe.set_state(el=0)

print('the sample is operation', spu.until_sample)
spu.sample(spemu.Operation(pc=0x400000, type='load', access_size=8, va=0x7000))
for packet in spu.records().packets():
    print(packet.text)
