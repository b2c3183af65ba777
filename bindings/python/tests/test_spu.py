# SPDX-License-Identifier: MIT
import gc

import pytest
import spemu

BUFFER = 0x10000


def programmed(size=4096, features='v8.2,-EL3,-EL2', **options):
    """A PE at EL0 whose EL1 has programmed its SPU, an interval of 1024 operations."""
    pe = spemu.Pe(features)
    spu = spemu.Spu(pe, bytearray(size), BUFFER, **options)
    for name, value in (('PMBSR_EL1', 0), ('PMBPTR_EL1', BUFFER), ('PMBLIMITR_EL1', BUFFER + 4096 | 1),
                        ('PMSFCR_EL1', 0), ('PMSIRR_EL1', 4 << 8), ('PMSICR_EL1', 0),
                        ('PMSCR_EL1', 0x21 if 'counter' in options else 1)):
        assert spu.msr(name, value).done
    pe.set_state(el=0)
    return spu


def test_a_sample_is_what_the_operation_did():
    spu = programmed()
    assert spu.until_sample == 1024
    spu.ops(1000)
    assert spu.until_sample == 24
    result = spu.sample(spemu.Operation(pc=0x400000, type='load', access_size=8, va=0x7000, total_latency=9))
    assert result.outcome == 'recorded' and result.written == len(spu.trace)
    assert bytes(spu.memory[:result.written]) == spu.trace
    record, = spu.records()
    assert spemu.virtual_address(record.pc) == 0x400000 and record.va == 0x7000
    assert record.op_class == spemu.lib.SPEMU_CLASS_LDST and record.op_subclass == 0  # LDR: a load
    assert record.total == 9 and record.events & 1 << spemu.lib.SPEMU_EV_RETIRED
    assert record.timestamp is None and record.target is None
    assert spu.until_sample == 1025  # one operation goes for the reload (D17.3.3)
    spu.clear()
    assert spu.trace == b''


def test_the_counter_of_timestamps():
    spu = programmed(counter=lambda: 0x1234)
    spu.sample(spemu.Operation(pc=4))
    assert [record.timestamp for record in spu.records()] == [0x1234]


def test_what_a_callback_raises_comes_out_of_the_call():
    def fail():
        raise KeyError('no time')
    spu = programmed(counter=fail)
    with pytest.raises(KeyError, match='no time'):
        spu.sample(spemu.Operation(pc=4))


def test_a_callback_must_not_use_the_spu():
    spu = programmed(counter=lambda: spu.until_sample)
    with pytest.raises(RuntimeError, match='own callback'):
        spu.sample(spemu.Operation(pc=4))


def test_events_of_the_pmu():
    events = {}
    spu = programmed(event=lambda event, count: events.update({event: events.get(event, 0) + count}))
    spu.sample(spemu.Operation(pc=4, type='branch', target=8))
    lib = spemu.lib
    assert events[lib.SPEMU_PMU_SAMPLE_POP] == 1024
    assert events[lib.SPEMU_PMU_SAMPLE_FEED] == events[lib.SPEMU_PMU_SAMPLE_FEED_BR] == 1


def test_memory_that_is_not_there_is_a_fault():
    spu = programmed(size=8)
    result = spu.sample(spemu.Operation(pc=4))
    assert result.outcome == 'lost' and result.management_event and spu.interrupt and spu.stopped
    spu.pe.set_state(el=1)
    syndrome = spu.mrs('PMBSR_EL1').value
    assert syndrome >> 26 & 0x3f == spemu.lib.SPEMU_FAULT_STAGE1  # EC
    assert syndrome & 0x3f == 0b000111  # FSC: Translation fault, level 3
    assert spu.until_sample is None
    with pytest.raises(spemu.StateError, match='profiling is disabled'):
        spu.sample(spemu.Operation())


def test_access_is_decided_as_the_architecture_does():
    spu = programmed()
    access = spu.msr('PMSCR_EL1', 0)  # at EL0
    assert not access.done and access.outcome == spemu.lib.SPEMU_ACCESS_UNDEFINED and access.rule
    assert spu.mrs('PMSCR_EL1').value is None
    spu.pe.set_state(el=1)
    assert spu.mrs('PMSCR_EL1').value == spu.pe['PMSCR_EL1']
    assert spu.pe['PMSCR_EL1'] & 0b11 == 0b01  # E1SPE, E0SPE
    with pytest.raises(spemu.InvalidError, match="no register 'PMSCR_EL9'"):
        spu.msr('PMSCR_EL9', 0)


def test_what_is_refused_has_the_librarys_text():
    spu = programmed()
    with pytest.raises(spemu.InvalidError, match='5000 operations: invalid argument'):
        spu.ops(5000)
    with pytest.raises(spemu.StateError):
        spu.sample_begin(0)
    with pytest.raises(spemu.InvalidError, match="'v8.2,nonsense' at 5"):
        spemu.Pe('v8.2,nonsense')
    with pytest.raises(spemu.InvalidError, match='SPU'):
        spemu.Spu(spemu.Pe('v8.2,-FEAT_SPE,-FEAT_SPE_LDS'))
    with pytest.raises(spemu.InvalidError):
        spu.pe.set_state(el=3)
    with pytest.raises(ValueError, match="no type 'jump'"):
        spu.sample(spemu.Operation(type='jump'))


def test_choices():
    pe = spemu.Pe('v9.4')
    pe.choose('all=random')
    with pytest.raises(spemu.InvalidError, match="'none=of-them' at 0"):
        pe.choose('none=of-them')


def test_use_after_close_is_refused():
    spu = programmed()
    spu.close()
    for use in (lambda: spu.until_sample, lambda: spu.ops(1), lambda: spu.trace, lambda: spu.interrupt,
                lambda: spu.mrs('PMSCR_EL1'), spu.clear, lambda: spu.enabled(0)):
        with pytest.raises(ValueError, match='after close'):
            use()
    spu.pe.set_state(el=1)  # the PE still notifies the unit
    spu.pe.isb()
    spu.pe.close()
    for use in (lambda: spu.pe['PMSCR_EL1'], spu.pe.isb, lambda: spu.pe.state, spu.pe.decide):
        with pytest.raises(ValueError, match='after close'):
            use()


def test_a_spu_whose_pe_is_closed_is_refused():
    spu = programmed()
    spu.pe.close()
    gc.collect()
    with pytest.raises(ValueError, match='Pe: used after close'):
        spu.until_sample


def test_each_keeps_the_memory_of_the_other():
    spu = programmed()
    pe = spu.pe
    del spu
    gc.collect()
    pe.set_state(el=1)
    pe['PMSIRR_EL1'] = 7 << 8
    assert pe['PMSIRR_EL1'] == 7 << 8
