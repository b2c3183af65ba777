# SPDX-License-Identifier: MIT
"""The members of records by name, and records as columns."""
from __future__ import annotations

from typing import Any, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._library import lib
from ._native import ffi

Array = np.ndarray[Any, Any]


class Member(NamedTuple):
    """A member of a record, and its place in struct spemu_columns and struct spemu_record."""

    member: str
    place: Optional[int]  # index among the members of one name
    dtype: type
    bit: int  # in spemu_record.present; 0 if every record has the member


_ADDRESSES = ('pc', 'target', 'va', 'pa', 'previous_target', 'address5', 'address6', 'address7')
_COUNTERS = ('total', 'issue', 'translation', 'counter3', 'alt_issue', 'counter5', 'counter6', 'counter7')

MEMBERS: Dict[str, Member] = {
    'offset': Member('offset', None, np.uint64, 0),
    'present': Member('present', None, np.uint32, 0),
    **{name: Member('addr', i, np.uint64, lib.SPEMU_RECORD_ADDR0 << i)
       for i, name in enumerate(_ADDRESSES)},
    'events': Member('events', None, np.uint64, lib.SPEMU_RECORD_EVENTS),
    'timestamp': Member('timestamp', None, np.uint64, lib.SPEMU_RECORD_TIMESTAMP),
    **{f'context{i + 1}': Member('context', i, np.uint32, lib.SPEMU_RECORD_CONTEXT0 << i)
       for i in range(2)},
    **{name: Member('counter', i, np.uint16, lib.SPEMU_RECORD_COUNTER0 << i)
       for i, name in enumerate(_COUNTERS)},
    'data_source': Member('data_source', None, np.uint16, lib.SPEMU_RECORD_DATA_SOURCE),
    'op_class': Member('op_class', None, np.uint8, lib.SPEMU_RECORD_OP_TYPE),
    'op_subclass': Member('op_subclass', None, np.uint8, lib.SPEMU_RECORD_OP_TYPE),
}
NAMES: Tuple[str, ...] = tuple(MEMBERS)


class Columns:
    """Records as numpy arrays of equal length, one for each member: columns.pc, columns['pc'].

    The library writes into the arrays, without a copy. Addresses are raw payloads: see virtual_address(). A member
    that a record does not have is 0: see has().
    """

    def __init__(self, arrays: Dict[str, Array]) -> None:
        self._arrays = arrays
        self._native: Any = None

    def native(self) -> Any:
        """Return a struct spemu_columns with pointers into the arrays. It does not own them."""
        if self._native is None:
            self._native = _native(self)
        return self._native

    @property
    def names(self) -> Tuple[str, ...]:
        return tuple(self._arrays)

    def as_dict(self) -> Dict[str, Array]:
        """Return {name: array}, for pandas.DataFrame()."""
        return dict(self._arrays)

    def __len__(self) -> int:
        return len(next(iter(self._arrays.values())))

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __getattr__(self, name: str) -> Array:
        try:
            array: Array = self.__dict__['_arrays'][name]
        except KeyError:
            raise AttributeError(f'no column {name!r}') from None
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def has(self, name: str) -> Array:
        """Return a mask of the records that have the member. Requires the column "present"."""
        bit = np.uint32(MEMBERS[name].bit)
        found: Array = (self['present'] & bit) == bit
        return found

    def part(self, first: int, end: int) -> Columns:
        """Return the records from `first` up to but not including `end`, in the same memory."""
        return Columns({name: array[first:end] for name, array in self._arrays.items()})


def empty(capacity: int, names: Optional[Sequence[str]] = None) -> Columns:
    """Return uninitialized columns for `capacity` records."""
    wanted = NAMES if names is None else tuple(names)
    unknown = [name for name in wanted if name not in MEMBERS]
    if unknown or not wanted:
        raise ValueError(f"no column {', '.join(map(repr, unknown))}; there are {', '.join(NAMES)}")
    return Columns({name: np.empty(capacity, MEMBERS[name].dtype) for name in wanted})


def _native(columns: Columns) -> Any:
    out = ffi.new('struct spemu_columns *')
    out.capacity = len(columns)
    for name in columns:
        member, array = MEMBERS[name], columns[name]
        pointer = ffi.cast(f'{np.dtype(member.dtype).name}_t *', array.ctypes.data)
        if member.place is None:
            setattr(out, member.member, pointer)
        else:
            getattr(out, member.member)[member.place] = pointer
    return out


def virtual_address(payload: Any) -> Any:
    """Return the virtual address of raw address payloads (one or an array), like spemu_addr_va(): without tag,
    Exception level and Security state, and with copies of bit 55 in bits [63:56]."""
    raw = np.asarray(payload, np.uint64)
    top = np.uint64(lib.SPEMU_ADDR_TOP)
    out = np.where(raw >> np.uint64(55) & np.uint64(1), raw | top, raw & ~top)
    return out if out.ndim else np.uint64(out)


def exception_level(payload: Any) -> Any:
    """Return the Exception level in raw payloads of a PC or a branch target, like spemu_addr_el()."""
    raw = np.asarray(payload, np.uint64)
    out = (raw >> np.uint64(lib.SPEMU_ADDR_EL_LSB) & np.uint64(3)).astype(np.uint8)
    return out if out.ndim else np.uint8(out)
