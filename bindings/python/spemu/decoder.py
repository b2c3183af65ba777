# SPDX-License-Identifier: MIT
"""Records and packets from memory."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence

from . import columns as _columns
from ._library import CorruptError, Object, TruncatedError, Use, check, lib, text, trace_lib
from ._native import ffi
from .columns import MEMBERS, Columns

_ROWS = 256  # records that an iteration reads from the library at a time
_LEAST = 24  # bytes: records of this size or more fit into the first arrays of columns()


class Record:
    """A sample record, with members named like the columns. A member that it does not have is None."""

    __slots__ = ('size', *MEMBERS)

    size: int
    offset: int
    present: int

    def __init__(self, native: Any) -> None:
        self.size = native.size
        for name, (member, index, _, bit) in MEMBERS.items():
            value = None
            if native.present & bit == bit:
                value = getattr(native, member)
                if index is not None:
                    value = value[index]
            setattr(self, name, value)

    def __repr__(self) -> str:
        shown = ((name, getattr(self, name)) for name in MEMBERS)
        return f"Record({', '.join(f'{name}={value:#x}' for name, value in shown if value is not None)})"


@dataclass(frozen=True)
class Packet:
    """A packet: enum spemu_packet_type, INDEX or CLASS, the raw payload, and the text of
    spemu_packet_describe()."""

    offset: int
    type: int
    index: int
    payload: int
    size: int
    text: str


def event_name(bit: int) -> Optional[str]:
    """Return the name of a bit of the Events packet, or None."""
    name = trace_lib.spemu_event_name(bit)
    return text(name) if name else None


def describe(packet: Any) -> str:
    size = trace_lib.spemu_packet_describe(ffi.NULL, 0, packet) + 1
    buffer = ffi.new('char[]', size)
    trace_lib.spemu_packet_describe(buffer, size, packet)
    return text(buffer)


class Decoder(Object):
    """A decoder of the records in an object with a buffer (bytes, mmap, memoryview, numpy array).

    Iterating yields a Record at a time. batches() and columns() return numpy arrays, which is a hundred times as
    fast. packets() yields the packets of the records. Read a decoder in only one of these ways, because iteration
    reads ahead.

    The data are not copied, and are referenced while the decoder is open. `base` is the stream offset of the first
    byte. Damage is skipped: `skipped` is the number of bytes outside records, and `rest` the number of bytes at the
    end of the data that begin a record. With strict=True, damage raises CorruptError, after which reading can
    continue, and an incomplete record at the end raises TruncatedError.

    Threads: decoders are independent of each other, and other threads can run while the library decodes. Using one
    decoder in two threads at a time raises RuntimeError.
    """

    def __init__(self, data: Any, base: int = 0, strict: bool = False) -> None:
        super().__init__()
        self._buffer = ffi.from_buffer('uint8_t[]', data)
        self._native = ffi.new('struct spemu_decoder *')
        self._shapes = ffi.new('struct spemu_shapes *')
        self._strict = strict
        self._pending = lib.SPEMU_OK
        self.rest = 0
        trace_lib.spemu_decoder_init(self._native, self._buffer, len(self._buffer), base)

    def _free(self) -> None:
        ffi.release(self._buffer)
        del self._native

    @property
    def skipped(self) -> int:
        """The number of bytes outside records so far, without padding between records."""
        with Use(self):
            return int(self._native.skipped)

    def _goes_on(self, status: int) -> bool:
        """Return true if records may follow after a call with this status."""
        native = self._native
        if status == lib.SPEMU_ERR_CORRUPT:
            if self._strict:
                raise CorruptError(status, f'{native.skip_size} bytes at offset {native.skip_offset}')
            return True
        if status == lib.SPEMU_ERR_TRUNCATED:
            self.rest = native.end - native.pos
            if self._strict:
                raise TruncatedError(status, f'a record at offset '
                                     f'{native.base + (native.pos - native.begin)}')
            return False
        return status != lib.SPEMU_ERR_END and check(status) == 0

    def fill(self, columns: Columns) -> int:
        """Read the next records into existing columns (see empty()), from element 0. Return their number, or 0 at the
        end of the data."""
        done, count = 0, ffi.new('size_t *')
        with Use(self):
            pending, self._pending = self._pending, lib.SPEMU_OK
            more = len(columns) > 0 and (pending == lib.SPEMU_OK or self._goes_on(pending))
            while more and done < len(columns):
                rest = columns.part(done, len(columns)) if done else columns
                status = trace_lib.spemu_decoder_batch(self._native, count, rest.native())
                done += count[0]
                if done and self._strict:
                    self._pending = status  # return the records before it first
                    break
                more = self._goes_on(status)
        return done

    def batches(self, rows: int = 8192, names: Optional[Sequence[str]] = None) -> Iterator[Columns]:
        """Yield new columns of up to `rows` records each. `names` selects columns; the default is all."""
        while True:
            columns = _columns.empty(rows, names)
            count = self.fill(columns)
            if not count:
                return
            yield columns.part(0, count)

    def columns(self, names: Optional[Sequence[str]] = None) -> Columns:
        """Decode all remaining records into new columns."""
        with Use(self):
            left = int(self._native.end - self._native.pos)
        columns, done = _columns.empty(left // _LEAST + 1, names), 0
        while True:
            count = self.fill(columns.part(done, len(columns)))
            done += count
            if not count:
                return columns.part(0, done)
            if done == len(columns):
                columns = _grown(columns)

    def __iter__(self) -> Iterator[Record]:
        records = ffi.new('struct spemu_record[]', _ROWS)
        count = ffi.new('size_t *')
        more = True
        while more:
            with Use(self):
                status = trace_lib.spemu_decoder_records(self._native, count, records, _ROWS, self._shapes)
                rows = [Record(records[i]) for i in range(count[0])]
            yield from rows
            with Use(self):
                more = self._goes_on(status)

    def packets(self) -> Iterator[Packet]:
        """Yield the remaining packets, including padding."""
        packet = ffi.new('struct spemu_packet *')
        while True:
            with Use(self):
                native = self._native
                offset = native.base + (native.pos - native.begin)
                size = trace_lib.spemu_decoder_next_packet(native, packet)
                if size < 0:
                    if self._goes_on(size):
                        continue
                    return
                found = Packet(offset, packet.type, packet.index, packet.payload, size, describe(packet))
            yield found


def _grown(columns: Columns) -> Columns:
    """Return columns of twice the length that begin with these."""
    longer = _columns.empty(2 * len(columns), columns.names)
    for name in columns:
        longer[name][:len(columns)] = columns[name]
    return longer


def decode(data: Any, names: Optional[Sequence[str]] = None, strict: bool = False) -> Columns:
    """Decode all records of the data into columns."""
    decoder = Decoder(data, strict=strict)
    try:
        return decoder.columns(names)
    finally:
        decoder.close()
