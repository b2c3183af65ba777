# SPDX-License-Identifier: MIT
"""Explanations of a PE that is described as text: its decisions, their steps, and the remedies."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

from ._library import InvalidError, Object, Use, allocate, check, lib, text
from ._native import ffi

_REFUSED = {
    lib.SPEMU_REFUSED_FORM: 'not NAME=VALUE',
    lib.SPEMU_REFUSED_NAME: 'no such register or other name',
    lib.SPEMU_REFUSED_FIELD: 'the register has no such field',
    lib.SPEMU_REFUSED_VALUE: "not a number, nor a name of one of the field's values",
    lib.SPEMU_REFUSED_WIDTH: 'wider than the field',
    lib.SPEMU_REFUSED_FEATURE: 'an unknown word in features=',
    lib.SPEMU_REFUSED_MACHINE: 'there is no such machine',
}
_TOPICS = {
    'stopped': lib.SPEMU_TOPIC_STOPPED,
    'buffer': lib.SPEMU_TOPIC_BUFFER,
    'enabled': lib.SPEMU_TOPIC_ENABLED,
    'owner-security': lib.SPEMU_TOPIC_OWNER_SECURITY,
    'owner-el': lib.SPEMU_TOPIC_OWNER_EL,
    'capture': lib.SPEMU_TOPIC_CAPTURE,
}


class Decisions(NamedTuple):
    """struct spemu_decisions. `enabled` and `available` have an element for each of EL0 to EL3."""

    stopped: bool
    buffer_enabled: bool
    owner_security: str
    owner_el: int
    regime: str
    enabled: Tuple[bool, ...]
    available: Tuple[bool, ...]
    capture: str


class Field(NamedTuple):
    """A field or register that a clause reads, with its current value."""

    name: str
    value: int
    width: int
    exists: bool
    label: Optional[str]


class Step(NamedTuple):
    """A clause of a decision."""

    rule: str
    text: str
    holds: bool
    decides: bool
    value: int
    fields: Tuple[Field, ...]


class Write(NamedTuple):
    """A write of a remedy: `field` must become `value`. `el` is the lowest Exception level that can write it with the
    register name `reg`, or 0 if none can."""

    field: str
    value: int
    width: int
    el: int
    reg: Optional[str]


class Remedy(NamedTuple):
    """The smallest set of writes that enables profiling, or the clause that no write changes."""

    writes: Tuple[Write, ...]
    never_rule: Optional[str]
    never_text: Optional[str]


def _maybe(pointer: Any) -> Optional[str]:
    return text(pointer) if pointer else None


def _span(pointer: Any, length: int) -> str:
    return str(ffi.unpack(pointer, length), 'utf-8')


def _field(native: Any) -> Field:
    return Field(_span(native.name, native.length), native.value, native.width, native.exists,
                 _maybe(native.label))


def decide(pe: Any) -> Decisions:
    """Return the decisions for a const struct spemu_pe *."""
    native = ffi.new('struct spemu_decisions *')
    lib.spemu_explain_decide(pe, native)
    return Decisions(native.stopped, native.buffer_enabled,
                     text(lib.spemu_security_name(native.owner.security)), native.owner.el,
                     text(native.regime), tuple(native.enabled), tuple(native.available),
                     text(native.capture_name))


def trace(pe: Any, topic: str, el: int) -> List[Step]:
    if topic not in _TOPICS:
        raise ValueError(f"no topic {topic!r}; there are {', '.join(_TOPICS)}")
    question = ffi.new('struct spemu_question *', {'topic': _TOPICS[topic], 'el': el})
    step, position = ffi.new('struct spemu_trace_step *'), ffi.new('unsigned *')
    steps: List[Step] = []
    while True:
        status = lib.spemu_explain_trace(pe, step, position, question)
        if status == lib.SPEMU_ERR_END:
            return steps
        check(status, topic)
        steps.append(Step(text(step.rule), text(step.text), step.holds, step.decides, step.value,
                          tuple(_field(step.field[i]) for i in range(step.field_count))))


def remedy(pe: Any, el: int) -> Remedy:
    if not 0 <= el <= 3:
        raise ValueError(f'no Exception level {el}')
    native = ffi.new('struct spemu_remedy *')
    lib.spemu_explain_remedy(pe, native, el)
    writes = (native.write[i] for i in range(native.count))
    return Remedy(tuple(Write(_span(each.field, each.length), each.value, each.width, each.el,
                              _maybe(each.name)) for each in writes),
                  _maybe(native.never_rule), _maybe(native.never_text))


def stopped_text(pe: Any) -> str:
    buffer = ffi.new('char[]', lib.SPEMU_STOPPED_TEXT_MAX)
    lib.spemu_explain_stopped(buffer, len(buffer), pe)
    return text(buffer)


class Explained(Object):
    """An object with a PE whose state can be explained."""

    def _pe(self) -> Any:
        raise NotImplementedError

    def decide(self) -> Decisions:
        """Return the decisions of D17.4 and D17.7.5."""
        with Use(self):
            return decide(self._pe())

    def trace(self, topic: str, el: int = 0) -> List[Step]:
        """Return the steps of a decision: the clauses of "stopped", "buffer", "enabled" (at el), "owner-security",
        "owner-el" or "capture"."""
        with Use(self):
            return trace(self._pe(), topic, el)

    def remedy(self, el: int) -> Remedy:
        """Return the smallest set of writes that enables profiling at `el`."""
        with Use(self):
            return remedy(self._pe(), el)

    def stopped_text(self) -> str:
        """The reason why profiling is stopped, as text, or ""."""
        with Use(self):
            return stopped_text(self._pe())


class Machine(Explained):
    """A PE that is described as text: Machine("features=v9.4", "PMSCR_EL1.E0SPE=1").

    Threads: machines are independent of each other. Using one machine in two threads at a time is refused.
    """

    def __init__(self, *settings: str) -> None:
        super().__init__()
        size = lib.spemu_machine_size()
        self._memory, place = allocate(size)
        out = ffi.new('struct spemu_machine **')
        check(lib.spemu_machine_init(out, place, size))
        self._native = out[0]
        for setting in settings:
            self.set(setting)

    def _free(self) -> None:
        del self._native, self._memory

    def _pe(self) -> Any:
        return lib.spemu_machine_pe(self._native)

    def set(self, setting: str) -> None:
        """Apply one NAME=VALUE; see spemu_machine_set(). A refused setting raises InvalidError, which names the wrong
        part, and leaves the machine unchanged."""
        detail, raw = ffi.new('struct spemu_refusal_detail *'), setting.encode()
        with Use(self):
            status = lib.spemu_machine_set(self._native, detail, raw, len(raw))
        if status != lib.SPEMU_OK:
            part = raw[detail.offset:detail.offset + detail.length].decode('utf-8', 'backslashreplace')
            why = text(detail.rule) if detail.rule else _REFUSED[detail.kind]
            raise InvalidError(status, f'{setting}: {part or setting}: {why}')

    def get(self, name: str) -> Field:
        """Return a register, a field or another name that set() accepts."""
        native, raw = ffi.new('struct spemu_field_value *'), name.encode()
        with Use(self):
            check(lib.spemu_explain_value(self._pe(), native, raw, len(raw)), name)
            return Field(name, native.value, native.width, native.exists, _maybe(native.label))
