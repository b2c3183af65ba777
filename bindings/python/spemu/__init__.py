# SPDX-License-Identifier: MIT
"""Arm's Statistical Profiling Extension: decode records, read recordings, run and explain an SPU.

    columns = spemu.decode(data)                   # numpy arrays: columns.pc, columns.total, ...
    for trace in spemu.Recording('perf.data').traces(): ...
    spemu.Machine('features=v9.4').remedy(0)       # what would enable profiling at EL0
    spemu.Spu(spemu.Pe('v9.4')).msr('PMSCR_EL1', 1)

Objects own their memory and are independent of each other. Only one thread can use an object at a time, and none after
close(); other uses are refused. Failures raise Error or one of its subclasses, with the text of the library. `lib` and
`trace_lib` are the libraries. Constants of the headers are members of lib, like lib.SPEMU_EV_RETIRED.
"""
from ._library import (CorruptError, Error, InvalidError, NotSupportedError, StateError, TruncatedError, lib,
                       trace_lib, version)
from .columns import NAMES, Columns, empty, exception_level, virtual_address
from .decoder import Decoder, Packet, Record, decode, event_name
from .machine import Decisions, Field, Machine, Remedy, Step, Write
from .recording import Attribute, Event, Recording, TimeConversion, Trace
from .spu import Access, Operation, Pe, SampleResult, Spu, encoding

__version__ = version()
__all__ = [
    'Access', 'Attribute', 'Columns', 'CorruptError', 'Decisions', 'Decoder', 'Error', 'Event', 'Field',
    'InvalidError', 'Machine', 'NAMES', 'NotSupportedError', 'Operation', 'Packet', 'Pe', 'Record', 'Recording',
    'Remedy', 'SampleResult', 'Spu', 'StateError', 'Step', 'TimeConversion', 'Trace', 'TruncatedError', 'Write',
    'decode', 'empty', 'encoding', 'event_name', 'exception_level', 'lib', 'trace_lib', 'version', 'virtual_address',
]
