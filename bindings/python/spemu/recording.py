# SPDX-License-Identifier: MIT
"""Read perf.data files with Arm SPE data from spemu record, from perf in a guest of spemu vm, or from hardware."""
from __future__ import annotations

import mmap
import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Union

import numpy as np

from ._library import InvalidError, Object, Use, check, lib, text, trace_lib
from ._native import ffi
from .decoder import Decoder

_ANY = 0xffffffff  # cpu or tid of an AUXTRACE event: any


class TimeConversion(NamedTuple):
    """The conversion of timestamps to perf time in ns."""

    shift: int
    mult: int
    zero: int

    def time(self, timestamps: Any) -> Any:
        """Return the perf time of timestamps (one or an array), like spemu_perf_time()."""
        count = np.asarray(timestamps, np.uint64)
        shift, mult = np.uint64(self.shift), np.uint64(self.mult)
        low = count & np.uint64((1 << self.shift) - 1)
        with np.errstate(over='ignore'):  # modulo 2^64, like the library
            out = np.uint64(self.zero) + (count >> shift) * mult + (low * mult >> shift)
        return out if out.ndim else np.uint64(out)


class Attribute(NamedTuple):
    """An attr: a recorded event."""

    type: int
    config: int
    config1: int
    config2: int
    sample_period: int
    sample_type: int
    flags: int
    name: Optional[str]


class Trace(NamedTuple):
    """An AUXTRACE event: trace of one CPU. `data` is memory of the file."""

    cpu: Optional[int]
    tid: Optional[int]
    offset: int
    data: memoryview

    def decoder(self, strict: bool = False) -> Decoder:
        """Return a decoder of the trace. Offsets are those in the stream of the CPU."""
        return Decoder(self.data, self.offset, strict)


class Event(NamedTuple):
    """An event of the file. `fields` are those of its type. pid, tid, time and cpu are None if the file does not have
    them."""

    type: int
    misc: int
    file_offset: int
    pid: Optional[int]
    tid: Optional[int]
    time: Optional[int]
    cpu: Optional[int]
    fields: Dict[str, Any]


def _mapping(native: Any) -> Dict[str, Any]:
    return {'pid': native.pid, 'tid': native.tid, 'start': native.start, 'len': native.len,
            'pgoff': native.pgoff, 'prot': native.prot, 'flags': native.flags,
            'build_id': bytes(native.build_id[0:native.build_id_size]).hex() or None,
            'filename': text(native.filename)}


def _members(*names: str) -> Any:
    return lambda native: {name: getattr(native, name) for name in names}


_TASK = ('task', _members('pid', 'ppid', 'tid', 'ptid', 'time'))
# The member of spemu_perf_event.u of each event type, and its fields in Event.fields.
_FIELDS = {
    lib.SPEMU_PERF_MMAP: ('mmap', _mapping),
    lib.SPEMU_PERF_MMAP2: ('mmap', _mapping),
    lib.SPEMU_PERF_COMM: ('comm', lambda native: {
        'pid': native.pid, 'tid': native.tid, 'exec': native.exec, 'comm': text(native.comm)}),
    lib.SPEMU_PERF_FORK: _TASK,
    lib.SPEMU_PERF_EXIT: _TASK,
    lib.SPEMU_PERF_AUX: ('aux', _members('offset', 'size', 'flags')),
    lib.SPEMU_PERF_LOST: ('lost', _members('id', 'count')),
    lib.SPEMU_PERF_ITRACE_START: ('itrace_start', _members('pid', 'tid')),
    lib.SPEMU_PERF_AUXTRACE: ('auxtrace', _members('offset', 'size', 'reference', 'idx', 'tid', 'cpu')),
    lib.SPEMU_PERF_AUXTRACE_INFO: ('auxtrace_info', _members('type', 'version', 'pmu_type', 'n_cpus')),
    lib.SPEMU_PERF_TIME_CONV: ('time_conv', _members('time_shift', 'time_mult', 'time_zero')),
}


def _map(source: Any) -> Any:
    """Map a file that is not empty, and return its bytes; or return the bytes of an object with a buffer."""
    if not isinstance(source, (str, os.PathLike)):
        return source
    with open(source, 'rb') as file:
        if os.fstat(file.fileno()).st_size == 0:
            return b''
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class Recording(Object):
    """A perf.data file, from a path or from an object with a buffer, without a copy.

    Threads: recordings are independent of each other. Using one recording in two threads at a time is refused.
    Results of traces() stay valid after close(), because the last of them frees the memory of the file. As with every
    mapped file, the process ends with SIGBUS if the file is truncated.
    """

    def __init__(self, source: Union[str, 'os.PathLike[str]', Any]) -> None:
        super().__init__()
        self._native = ffi.NULL
        self._bytes = memoryview(_map(source)).cast('B')
        self._buffer = ffi.from_buffer('uint8_t[]', self._bytes)
        file, where = ffi.new('struct spemu_perf_file **'), ffi.new('uint64_t *')
        status = trace_lib.spemu_perf_open_memory(file, where, self._buffer, len(self._buffer))
        name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else 'recording'
        check(status, f'{name}, offset {where[0]}')
        self._native = ffi.gc(file[0], trace_lib.spemu_perf_close)

    def _free(self) -> None:
        if self._native != ffi.NULL:
            ffi.release(self._native)
        ffi.release(self._buffer)
        del self._native, self._bytes

    def _next(self, event: Any, cursor: Any) -> bool:
        status = trace_lib.spemu_perf_next(self._native, event, cursor)
        if status != lib.SPEMU_ERR_END:
            check(status, f'event at offset {cursor.offset}')
        return bool(status == lib.SPEMU_OK)

    def events(self) -> Iterator[Event]:
        """Yield every event in the order of the file, which is not the order of time. Raise TruncatedError at an
        incomplete event."""
        event, cursor = ffi.new('struct spemu_perf_event *'), ffi.new('struct spemu_perf_cursor *')
        while True:
            with Use(self):
                if not self._next(event, cursor):
                    return
                found = _event(event)
            yield found

    def traces(self) -> Iterator[Trace]:
        """Yield each AUXTRACE event with Arm SPE trace."""
        event, cursor = ffi.new('struct spemu_perf_event *'), ffi.new('struct spemu_perf_cursor *')
        while True:
            with Use(self):
                if not self._next(event, cursor):
                    return
                if event.type != lib.SPEMU_PERF_AUXTRACE:
                    continue
                native = event.u.auxtrace
                at = native.data - self._buffer
                found = Trace(None if native.cpu == _ANY else native.cpu,
                              None if native.tid == _ANY else native.tid,
                              native.offset, self._bytes[at:at + native.size])
            yield found

    @property
    def time_conversion(self) -> Optional[TimeConversion]:
        """The conversion of timestamps, or None if the file has none, or no Arm SPE trace."""
        info, conversion = ffi.new('struct spemu_perf_auxtrace_info *'), ffi.new('struct spemu_perf_time_conv *')
        with Use(self):
            status = trace_lib.spemu_perf_find_spe(self._native, info, conversion)
            if status == lib.SPEMU_ERR_END:
                return None
            check(status)
        if not conversion.time_mult:
            return None
        return TimeConversion(conversion.time_shift, conversion.time_mult, conversion.time_zero)

    @property
    def attributes(self) -> List[Attribute]:
        native = ffi.new('struct spemu_perf_attr *')
        found: List[Attribute] = []
        with Use(self):
            while trace_lib.spemu_perf_attr(self._native, native, len(found)) == lib.SPEMU_OK:
                found.append(Attribute(native.type, native.config, native.config1, native.config2,
                                       native.sample_period, native.sample_type, native.flags,
                                       text(native.name) if native.name else None))
        return found

    def feature(self, name: str) -> Optional[str]:
        """Return a feature of the header that is a string: "HOSTNAME", "OSRELEASE", "VERSION", "ARCH", "CPUDESC" or
        "CPUID". Return None if the file does not have it."""
        number = getattr(lib, f'SPEMU_PERF_FEAT_{name}', None)
        if number is None:
            raise InvalidError(lib.SPEMU_ERR_INVALID, f'no feature {name!r}')
        out = ffi.new('const char **')
        with Use(self):
            status = trace_lib.spemu_perf_feature_string(self._native, out, number)
            if status == lib.SPEMU_ERR_END:
                return None
            check(status, name)
            return text(out[0])

    @property
    def command_line(self) -> List[str]:
        out = ffi.new('const char **')
        found: List[str] = []
        with Use(self):
            while True:
                status = trace_lib.spemu_perf_cmdline(self._native, out, len(found))
                if status == lib.SPEMU_ERR_END:
                    return found
                check(status, 'CMDLINE')
                found.append(text(out[0]))


def _event(native: Any) -> Event:
    valid = native.who.valid
    fields = {}
    if native.type in _FIELDS:
        member, shown = _FIELDS[native.type]
        fields = shown(getattr(native.u, member))

    def who(name: str, bit: int) -> Optional[int]:
        return getattr(native.who, name) if valid & bit else None

    return Event(native.type, native.misc, native.file_offset,
                 who('pid', lib.SPEMU_PERF_SAMPLE_TID), who('tid', lib.SPEMU_PERF_SAMPLE_TID),
                 who('time', lib.SPEMU_PERF_SAMPLE_TIME), who('cpu', lib.SPEMU_PERF_SAMPLE_CPU), fields)
