# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import spemu
from conftest import dumped


def test_records_are_those_of_spemu_dump(recording):
    expected = dumped(recording, '--records')
    with spemu.Recording(recording) as file:
        columns = [trace.decoder().columns() for trace in file.traces()]
    assert len(columns) == 2 and len(expected) == 4
    for name in ('offset', 'total', 'issue', 'op_class', 'timestamp'):
        got = np.concatenate([each[name] for each in columns]).tolist()
        assert got == [each[name] for each in expected], name
    pcs = spemu.virtual_address(np.concatenate([each.pc for each in columns]))
    assert pcs.tolist() == [int(each['pc'], 0) for each in expected] == [0x400010] * 3 + [0x400020]
    assert columns[0].va.tolist() == [0x7010] * 3


def test_events(recording):
    lib = spemu.lib
    with spemu.Recording(recording) as file:
        events = list(file.events())
    comm = [each for each in events if each.type == lib.SPEMU_PERF_COMM]
    assert [(each.fields['comm'], each.fields['exec'], each.time) for each in comm] == [('known', True, 1000)]
    mapping = next(each for each in events if each.type == lib.SPEMU_PERF_MMAP2)
    assert mapping.fields['filename'] == '/bin/known' and mapping.fields['start'] == 0x400000
    assert mapping.pid == 10 and mapping.fields['len'] == 0x1000
    aux = [each for each in events if each.type == lib.SPEMU_PERF_AUX]
    assert [(each.pid, each.time, each.fields['flags']) for each in aux] == [(10, 3000, 0), (10, 5000, 1)]
    assert aux[1].fields['offset'] == aux[0].fields['size']


def test_header(recording):
    with spemu.Recording(recording) as file:
        assert file.command_line == ['spemu', 'record', './known']
        assert file.attributes[0].sample_period == 4096
        assert file.attributes[0].name == 'arm_spe_0//'
        assert file.feature('ARCH') == 'aarch64'
        with pytest.raises(spemu.InvalidError):
            file.feature('NOTHING')


def test_time_as_the_library_computes_it(recording):
    with spemu.Recording(recording) as file:
        conversion = file.time_conversion
    trace_lib, ffi = spemu.trace_lib, spemu._library.ffi
    for shift, mult, zero in (tuple(conversion), (31, 2 ** 32 - 1, 5), (0, 7, 2 ** 64 - 3), (10, 3, 0)):
        native = ffi.new('struct spemu_perf_time_conv *', (shift, mult, zero))
        stamps = [0, 1, 12345678901, 2 ** 40 + 3, 2 ** 63 + 1, 2 ** 64 - 1]
        expected = [trace_lib.spemu_perf_time(native, each) for each in stamps]
        times = spemu.TimeConversion(shift, mult, zero).time(np.array(stamps, np.uint64))
        assert times.tolist() == expected
        assert spemu.TimeConversion(shift, mult, zero).time(7) == trace_lib.spemu_perf_time(native, 7)


def test_trace_is_the_files_memory_and_outlives_the_recording(recording):
    file = spemu.Recording(recording)
    traces = list(file.traces())
    generator = file.events()
    file.close()
    assert traces[0].cpu == 0 and traces[0].offset == 0
    assert bytes(traces[0].data) in recording.read_bytes()
    assert traces[0].decoder().columns().total.tolist() == [20] * 3
    for use in (lambda: next(generator), lambda: next(file.traces()), lambda: file.attributes,
                lambda: file.time_conversion, lambda: file.command_line, lambda: file.feature('ARCH')):
        with pytest.raises(ValueError, match='after close'):
            use()


def test_from_memory(recording):
    with spemu.Recording(recording.read_bytes()) as file:
        assert sum(len(trace.decoder().columns()) for trace in file.traces()) == 4


def test_what_is_no_recording(tmp_path):
    path = tmp_path / 'perf.data'
    path.write_bytes(b'')
    with pytest.raises(spemu.Error, match=str(path)):
        spemu.Recording(path)
    path.write_bytes(b'#!/bin/sh\n' * 100)
    with pytest.raises(spemu.InvalidError, match='invalid argument'):
        spemu.Recording(path)
    with pytest.raises(FileNotFoundError):
        spemu.Recording(tmp_path / 'none')


def test_a_cut_or_damaged_recording_is_an_error_and_never_more(recording):
    whole = recording.read_bytes()
    for size in range(0, len(whole), 97):
        read_all(whole[:size])
    for at in range(0, len(whole), 61):
        read_all(whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])


def read_all(data):
    try:
        with spemu.Recording(data) as file:
            assert file.time_conversion is None or file.time_conversion.mult
            list(file.events())
            for trace in file.traces():
                trace.decoder().columns()
    except spemu.Error as error:
        assert error.status in (spemu.lib.SPEMU_ERR_INVALID, spemu.lib.SPEMU_ERR_TRUNCATED,
                                spemu.lib.SPEMU_ERR_CORRUPT, spemu.lib.SPEMU_ERR_NOT_SUPPORTED)
