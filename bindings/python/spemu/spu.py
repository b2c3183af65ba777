# SPDX-License-Identifier: MIT
"""A PE and its Statistical Profiling Unit: registers, operations and their records."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ._library import InvalidError, Object, StateError, Use, allocate, check, lib, text
from ._native import ffi
from .decoder import Decoder
from .machine import Explained


class Access(NamedTuple):
    """The result of an MSR or MRS: `outcome` is enum spemu_access_outcome, `rule` the deciding rule (None: the access
    was carried out)."""

    outcome: int
    rule: Optional[str]
    iss: int
    nvmem_offset: int
    value: Optional[int] = None  # of an MRS that was performed

    @property
    def done(self) -> bool:
        return bool(self.outcome == lib.SPEMU_ACCESS_OK)


class SampleResult(NamedTuple):
    """The outcome of a sample: "recorded", "filtered", "discarded", "lost", "collided", ..."""

    outcome: str
    written: int
    filters: int
    management_event: bool


_OUTCOMES = {
    lib.SPEMU_SAMPLE_STARTED: 'started',
    lib.SPEMU_SAMPLE_COLLIDED: 'collided',
    lib.SPEMU_SAMPLE_RECORDED: 'recorded',
    lib.SPEMU_SAMPLE_FILTERED: 'filtered',
    lib.SPEMU_SAMPLE_DISCARDED: 'discarded',
    lib.SPEMU_SAMPLE_LOST: 'lost',
    lib.SPEMU_SAMPLE_PENDING: 'pending',
}
TYPES = {
    'other': lib.SPEMU_OP_OTHER,
    'other-sve': lib.SPEMU_OP_OTHER_SVE,
    'other-sme': lib.SPEMU_OP_OTHER_SME,
    'load': lib.SPEMU_OP_LOAD,
    'store': lib.SPEMU_OP_STORE,
    'load-atomic': lib.SPEMU_OP_LOAD_ATOMIC,
    'branch': lib.SPEMU_OP_BRANCH,
}
# Members of Operation that may be unknown, and the bit of each that marks it as known.
_VALID = {
    'va': lib.SPEMU_OPV_VA,
    'pa': lib.SPEMU_OPV_PA,
    'target': lib.SPEMU_OPV_TARGET,
    'total_latency': lib.SPEMU_OPV_TOTAL_LATENCY,
    'issue_latency': lib.SPEMU_OPV_ISSUE_LATENCY,
    'translation_latency': lib.SPEMU_OPV_TRANSLATION_LATENCY,
    'data_source': lib.SPEMU_OPV_DATA_SOURCE,
}


@dataclass
class Operation:
    """An operation, like struct spemu_op. Members that are None are unknown."""

    pc: int = 0
    type: str = 'other'
    ldst: int = 0
    access_size: int = 0
    flags: int = 0
    va: Optional[int] = None
    pa: Optional[int] = None
    target: Optional[int] = None
    total_latency: Optional[int] = None
    issue_latency: Optional[int] = None
    translation_latency: Optional[int] = None
    data_source: Optional[int] = None
    events: int = 0
    retired: bool = True
    exception: bool = False
    cond_pass: bool = True

    def native(self) -> Any:
        op = ffi.new('struct spemu_op *')
        if self.type not in TYPES:
            raise ValueError(f"no type {self.type!r}; there are {', '.join(TYPES)}")
        op.kind.type, op.kind.ldst = TYPES[self.type], self.ldst
        op.kind.access_size, op.kind.flags = self.access_size, self.flags
        for name in ('pc', 'events', 'retired', 'exception', 'cond_pass'):
            setattr(op, name, getattr(self, name))
        for name, bit in _VALID.items():
            value = getattr(self, name)
            if value is not None:
                setattr(op, name, value)
                op.valid |= bit
        return op


def encoding(name: str) -> int:
    """Return the encoding of a register in MSR and MRS."""
    found = lib.spemu_reg_encoding(name.encode())
    if found < 0:
        raise InvalidError(lib.SPEMU_ERR_INVALID, f'no register {name!r}')
    return int(found)


class Pe(Explained):
    """A PE: features ("v9.4", "v8.2,+FEAT_SPEv1p2"), state, System registers, choices.

    It starts at its highest Exception level. Fields that reset to UNKNOWN values get pseudo-random values from the
    seed. Threads: use a PE and its Spu in one thread at a time. Other PEs are independent.
    """

    def __init__(self, features: str = 'v9.6', seed: int = 0, pa_bits: int = 0) -> None:
        super().__init__()
        config = ffi.new('struct spemu_pe_config *', {
            'size': ffi.sizeof('struct spemu_pe_config'), 'pa_bits': pa_bits, 'seed': seed})
        at = ffi.new('size_t *')
        check(lib.spemu_features_parse(ffi.addressof(config, 'features'), at, features.encode()),
              f'features {features!r} at {at[0]}')
        rule = ffi.new('const char **')
        status = lib.spemu_features_check(ffi.addressof(config, 'features'), rule)
        check(status, text(rule[0]) if rule[0] else '')
        self._memory, place = allocate(lib.spemu_pe_size())
        out = ffi.new('struct spemu_pe **')
        check(lib.spemu_pe_init(out, place, lib.spemu_pe_size(), config), features)
        self._native = out[0]
        self._attached: Any = None

    def _free(self) -> None:
        del self._native, self._memory, self._attached

    def _pe(self) -> Any:
        return self._native

    @staticmethod
    def _reg(name: str) -> int:
        number = lib.spemu_reg_by_name(name.encode())
        if number < 0:
            raise InvalidError(lib.SPEMU_ERR_INVALID, f'no register {name!r}')
        return int(number)

    def __getitem__(self, name: str) -> int:
        """Return the value of a register, without access rules."""
        value = ffi.new('uint64_t *')
        with Use(self):
            check(lib.spemu_reg_get(self._native, value, self._reg(name)), name)
        return int(value[0])

    def __setitem__(self, name: str, value: int) -> None:
        """Set a register without access rules, as a host does with its own registers."""
        with Use(self):
            check(lib.spemu_reg_set(self._native, self._reg(name), value), name)

    @property
    def state(self) -> Dict[str, int]:
        """The members of struct spemu_pe_state: el, aarch32, debug, edscr_sdd, pm, streaming, el_aarch32."""
        native = ffi.new('struct spemu_pe_state *')
        with Use(self):
            lib.spemu_pe_get(self._native, native)
        return {name: int(getattr(native, name)) for name in _STATE}

    def set_state(self, **members: int) -> None:
        """Change members of the state: exception entry and return, Debug state, PSTATE writes."""
        native = ffi.new('struct spemu_pe_state *')
        with Use(self):
            lib.spemu_pe_get(self._native, native)
            for name, value in members.items():
                if name not in _STATE:
                    raise ValueError(f"no member {name!r}; there are {', '.join(_STATE)}")
                setattr(native, name, value)
            check(lib.spemu_pe_set(self._native, native))

    def isb(self) -> None:
        """Perform a Context synchronization event."""
        with Use(self):
            lib.spemu_pe_isb(self._native)

    def choose(self, choice: str) -> None:
        """Set a choice that the architecture leaves open: "NAME=OPTION", "NAME=random" or "all=random"."""
        which, option, at = (ffi.new(f'{kind} *') for kind in ('enum spemu_choice', 'unsigned', 'size_t'))
        with Use(self):
            check(lib.spemu_choice_parse(which, option, at, choice.encode()), f'{choice!r} at {at[0]}')
            check(lib.spemu_choice_set(self._native, which[0], option[0]), choice)


_STATE = ('el', 'aarch32', 'debug', 'edscr_sdd', 'pm', 'streaming', 'el_aarch32')


class Spu(Object):
    """The SPU of a PE, with separate memory: writes to the Profiling Buffer from address `base` go to memory[0],
    memory[1], ...

    msr() and mrs() program it like a driver does. ops() and sample() run operations. `trace` is the data written since
    the last clear(). `counter`, if given, returns the time of timestamps; `event` receives the events that a PMU would
    count. A callback must not use the Spu or its PE. Its exceptions are raised by the call that runs it.
    """

    def __init__(self, pe: Pe, memory: Optional[Any] = None, base: int = 0,
                 counter: Optional[Callable[[], int]] = None,
                 event: Optional[Callable[[int, int], None]] = None, layout: str = 'dense') -> None:
        super().__init__()
        self.pe, self.base = pe, base
        self.memory: Any = bytearray(64 * 1024) if memory is None else memory
        self._view = memoryview(self.memory).cast('B')
        self._trace = bytearray()
        self._counter, self._event = counter, event
        self._raised: List[BaseException] = []
        config = ffi.new('struct spemu_spu_config *', {'size': ffi.sizeof('struct spemu_spu_config')})
        at = ffi.new('size_t *')
        check(lib.spemu_layout_parse(ffi.addressof(config, 'layout'), at, layout.encode()),
              f'layout {layout!r} at {at[0]}')
        host = self._host()
        self._own, place = allocate(lib.spemu_spu_size())
        out = ffi.new('struct spemu_spu **')
        with Use(pe):
            check(lib.spemu_spu_init(out, place, lib.spemu_spu_size(), pe._native, config, host), 'SPU')
            # They call each other, so the memory of both lives as long as one of them.
            pe._attached = (self._own, self._callbacks)
            self._pe_memory = pe._memory
        self._native = out[0]

    def _host(self) -> Any:
        self._callbacks = {
            'buffer_write': ffi.callback('int(void *, struct spemu_fault *, const struct '
                                         'spemu_buffer_write *, const void *, size_t)', self._write,
                                         error=-1, onerror=self._caught)}
        if self._counter:
            self._callbacks['counter'] = ffi.callback('uint64_t(void *)', lambda _: self._counter(),
                                                      onerror=self._caught)
        if self._event:
            self._callbacks['pmu_event'] = ffi.callback(
                'void(void *, uint16_t, uint64_t)', lambda _, event, count: self._event(event, count),
                onerror=self._caught)
        return ffi.new('struct spemu_spu_host *', {'size': ffi.sizeof('struct spemu_spu_host'), **self._callbacks})

    def _caught(self, kind: Any, error: BaseException, trace: Any) -> None:
        self._raised.append(error)

    def _write(self, _: Any, fault: Any, access: Any, data: Any, size: int) -> int:
        """Handle buffer_write: an address outside the memory is a Translation fault at stage 1, level 3."""
        at = access.address - self.base
        inside = max(0, min(size, len(self._view) - at)) if at >= 0 else 0
        if inside:
            self._view[at:at + inside] = ffi.buffer(data, inside)
            self._trace += ffi.buffer(data, inside)
        if inside == size:
            return 0
        fault.kind, fault.written = lib.SPEMU_FAULT_STAGE1, inside
        fault.fsc = lib.spemu_fsc(lib.SPEMU_FT_TRANSLATION, 3)
        return -1

    def _free(self) -> None:
        del self._native

    def _call(self, function: Any, *arguments: Any, what: str = '') -> int:
        """Call the library with the SPU, which also uses its PE. Raise the exception of a callback."""
        with Use(self), Use(self.pe):
            status = function(self._native, *arguments)
        if self._raised:
            error, self._raised = self._raised[0], []
            raise error
        return check(status, what)

    def msr(self, name: str, value: int) -> Access:
        """Execute an MSR at the current Exception level."""
        result = ffi.new('struct spemu_access_result *')
        self._call(lib.spemu_spu_msr, result, encoding(name), value, what=name)
        return _access(result)

    def mrs(self, name: str) -> Access:
        """Execute an MRS at the current Exception level. The value is None if it is not performed."""
        result, value = ffi.new('struct spemu_access_result *'), ffi.new('uint64_t *')
        self._call(lib.spemu_spu_mrs, result, value, encoding(name), what=name)
        access = _access(result)
        return access._replace(value=int(value[0])) if access.done else access

    def _ask(self, function: Any, *arguments: Any) -> Any:
        with Use(self), Use(self.pe):
            return function(self._native, *arguments)

    @property
    def until_sample(self) -> Optional[int]:
        """The number of operations up to and including the next sample, or None while profiling is disabled."""
        count = self._ask(lib.spemu_spu_ops_until_sample)
        return None if count == 2 ** 64 - 1 else int(count)

    def ops(self, count: int) -> None:
        """Run `count` operations before the next sample."""
        self._call(lib.spemu_spu_ops, count, what=f'{count} operations')

    def sample_begin(self, pc: int) -> str:
        """Start the chosen operation. Return "started" or "collided"."""
        return _OUTCOMES[self._call(lib.spemu_spu_sample_begin, pc, what='sample')]

    def sample_end(self, operation: Operation) -> SampleResult:
        """Finish the operation that has been in flight longest."""
        native, op = ffi.new('struct spemu_sample_result *'), operation.native()
        self._call(lib.spemu_spu_sample_end, native, op, what='sample')
        return SampleResult(_OUTCOMES[native.outcome], native.written, native.filters,
                            native.management_event)

    def sample(self, operation: Operation) -> SampleResult:
        """Run up to the next sample, and sample the operation there."""
        left = self.until_sample
        if left is None:
            raise StateError(lib.SPEMU_ERR_STATE, 'profiling is disabled')
        if left > 1:
            self.ops(left - 1)
        self.sample_begin(operation.pc)
        return self.sample_end(operation)

    @property
    def trace(self) -> bytes:
        """The bytes written to the buffer since the last clear()."""
        with Use(self):
            return bytes(self._trace)

    def clear(self) -> None:
        with Use(self):
            self._trace.clear()

    def records(self) -> Decoder:
        """Return a decoder of the trace."""
        return Decoder(self.trace)

    @property
    def interrupt(self) -> bool:
        """The level of PMBIRQ."""
        return bool(self._ask(lib.spemu_spu_pmbirq))

    @property
    def stopped(self) -> bool:
        return self.pe.decide().stopped

    def enabled(self, el: int) -> bool:
        """Return true if profiling is enabled at an Exception level."""
        return bool(self._ask(lib.spemu_spu_profiling_enabled, el))


def _access(result: Any) -> Access:
    return Access(result.outcome, text(result.rule) if result.rule else None, result.iss,
                  result.nvmem_offset)
