# SPDX-License-Identifier: MIT
import pytest
import spemu

# EL1 owns the Non-secure buffer, which is enabled; EL0 is not.
OWNED = ('features=v8.2,-EL3,-EL2', 'PMBLIMITR_EL1.E=1', 'PSTATE.EL=1')


def test_decisions():
    machine = spemu.Machine(*OWNED, 'PMSCR_EL1.E1SPE=1')
    decisions = machine.decide()
    assert decisions.enabled == (False, True, False, False)
    assert decisions.available == (True, True, False, False)
    assert decisions.buffer_enabled and not decisions.stopped and decisions.owner_el == 1
    machine.set('PMBSR_EL1.S=1')
    assert machine.decide().enabled == (False,) * 4 and machine.decide().stopped
    assert 'PMBSR_EL1' in machine.stopped_text()


def test_the_trace_shows_what_decides():
    steps = spemu.Machine(*OWNED).trace('enabled', 0)
    deciding = [step for step in steps if step.decides and not step.holds]
    assert any(field.name == 'PMSCR_EL1.E0SPE' and field.value == 0 and field.width == 1
               for step in deciding for field in step.fields)
    with pytest.raises(ValueError, match="no topic 'weather'"):
        spemu.Machine().trace('weather')
    with pytest.raises(spemu.InvalidError):
        spemu.Machine().trace('enabled', 7)


def test_a_remedy_enables_profiling():
    machine = spemu.Machine(*OWNED)
    remedy = machine.remedy(0)
    assert [(each.field, each.value, each.el) for each in remedy.writes] == [('PMSCR_EL1.E0SPE', 1, 1)]
    for write in remedy.writes:
        machine.set(f'{write.field}={write.value}')
    assert machine.decide().enabled[0] and machine.remedy(0).writes == ()
    never = spemu.Machine(*OWNED, 'EL1.nRW=1').remedy(0)
    assert never.writes == () and never.never_text and never.never_rule
    with pytest.raises(ValueError, match='no Exception level 4'):
        machine.remedy(4)


def test_what_is_refused_is_named():
    machine = spemu.Machine(*OWNED)
    before = machine.get('PMSCR_EL1').value
    for setting, part, why in (('PMSCR_EL1', 'PMSCR_EL1', 'not NAME=VALUE'),
                               ('PMSCR_EL9=1', 'PMSCR_EL9', 'no such register'),
                               ('PMSCR_EL1.E9SPE=1', 'E9SPE', 'has no such field'),
                               ('PMSCR_EL1.E0SPE=2', '2', 'wider than the field'),
                               ('PMSCR_EL1.E0SPE=x', 'x', 'not a number'),
                               ('features=v8.2,+NONE', 'NONE', 'unknown word')):
        with pytest.raises(spemu.InvalidError, match=why) as caught:
            machine.set(setting)
        assert part in str(caught.value)
    assert machine.get('PMSCR_EL1').value == before
    with pytest.raises(spemu.InvalidError):
        machine.get('NOTHING')


def test_fields():
    machine = spemu.Machine(*OWNED, 'PMSIRR_EL1.INTERVAL=0x12')
    field = machine.get('PMSIRR_EL1.INTERVAL')
    assert (field.value, field.width, field.exists) == (0x12, 24, True)


def test_the_machine_of_a_pe_that_runs():
    pe = spemu.Pe('v8.2,-EL3,-EL2')
    for name in ('PMBSR_EL1', 'PMSCR_EL1'):
        pe[name] = 0
    pe['PMBLIMITR_EL1'] = 1
    assert [each.field for each in pe.remedy(1).writes] == ['PMSCR_EL1.E1SPE']
    pe['PMSCR_EL1'] = 2
    assert pe.decide().enabled[1]


def test_use_after_close_is_refused():
    machine = spemu.Machine()
    machine.close()
    for use in (machine.decide, machine.stopped_text, lambda: machine.set('PSTATE.EL=1'),
                lambda: machine.get('PSTATE.EL'), lambda: machine.remedy(0), lambda: machine.trace('buffer')):
        with pytest.raises(ValueError, match='after close'):
            use()
