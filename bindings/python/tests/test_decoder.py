# SPDX-License-Identifier: MIT
import threading

import numpy as np
import pytest
import spemu
from conftest import branch, load

PC = 0x8000000000400000


def test_columns_have_what_the_packets_say():
    data = load(total=12, va=0x7000) + branch(PC + 4, PC + 0x40) + load(total=300, source=11)
    columns = spemu.decode(data)
    assert len(columns) == 3
    assert columns.names == spemu.NAMES
    assert columns.offset.tolist() == [0, 64, 128]
    assert columns.pc.tolist() == [PC, PC + 4, PC]
    assert columns.va.tolist() == [0x7000, 0, 0x7000]
    assert columns.target.tolist() == [0, PC + 0x40, 0]
    assert columns.total.tolist() == [12, 2, 300]
    assert columns.issue.tolist() == [3, 1, 3]
    assert columns.context2.tolist() == [77, 77, 77]
    assert columns.context1.tolist() == [0, 0, 0]
    assert columns.events.tolist() == [0x16, 2, 0x16]
    assert columns.data_source.tolist() == [8, 0, 11]
    assert columns.op_class.tolist() == [1, 2, 1]
    assert columns.op_subclass.tolist() == [0, 1, 0]
    assert columns.timestamp.tolist() == [0x1122334455, 1, 0x1122334455]
    assert columns.has('target').tolist() == [False, True, False]
    assert columns.has('context1').tolist() == [False] * 3
    assert columns.total.dtype == np.uint16 and columns.pc.dtype == np.uint64


def test_records_say_the_same_as_columns():
    data = b''.join(load(total=i, va=i) if i % 3 else branch(PC + 4 * i, PC) for i in range(700))
    columns = spemu.decode(data)
    with spemu.Decoder(data) as decoder:
        records = list(decoder)
    assert len(records) == len(columns) == 700
    for name in spemu.NAMES:
        assert [getattr(each, name) or 0 for each in records] == columns[name].tolist(), name
    assert records[0].va is None and records[1].va == 1 and records[1].target is None
    assert repr(records[1]).startswith('Record(offset=0x40, ')


def test_batches_are_all_records_in_order():
    data = b''.join(load(total=i) for i in range(1000))
    with spemu.Decoder(data) as decoder:
        batches = list(decoder.batches(rows=300, names=('total', 'offset')))
    assert [len(each) for each in batches] == [300, 300, 300, 100]
    assert np.concatenate([each.total for each in batches]).tolist() == list(range(1000))
    assert batches[0].names == ('total', 'offset')


def test_fill_writes_into_the_arrays_that_it_is_given():
    columns = spemu.empty(4, ['pc', 'total'])
    address = columns.pc.ctypes.data
    with spemu.Decoder(b''.join(load(total=i) for i in range(6))) as decoder:
        assert decoder.fill(columns) == 4
        assert columns.total.tolist() == [0, 1, 2, 3]
        assert decoder.fill(columns) == 2
        assert columns.total.tolist() == [4, 5, 2, 3]
        assert decoder.fill(columns) == 0
    assert columns.pc.ctypes.data == address


def test_records_that_are_smaller_than_what_is_reserved():
    data = b'\x01' * 1000  # records of an End packet each
    assert spemu.decode(data).offset.tolist() == list(range(1000))


def test_names_are_checked():
    with pytest.raises(ValueError, match="no column 'latency'"):
        spemu.decode(load(), ['latency'])
    columns = spemu.decode(load(), ['pc'])
    with pytest.raises(AttributeError):
        columns.total
    with pytest.raises(KeyError):
        columns.has('va')  # needs present


def test_damage_is_skipped_and_counted():
    good = [load(total=i) for i in range(40)]
    data = b''.join(good[:20]) + b'\xff' * 64 + b''.join(good[20:])
    with spemu.Decoder(data) as decoder:
        columns = decoder.columns()
        skipped = decoder.skipped
    whole = [i for i in range(40) if i in columns.total.tolist()]
    assert len(whole) >= 39 and skipped >= 64


def test_damage_is_an_error_where_asked_for():
    good = [load(total=i) for i in range(40)]
    data = b''.join(good[:20]) + b'\xff' * 64 + b''.join(good[20:])
    with spemu.Decoder(data, strict=True) as decoder:
        columns = spemu.empty(100)
        first = decoder.fill(columns)
        assert 0 < first <= 20
        with pytest.raises(spemu.CorruptError, match='bytes at offset .*: input is corrupt') as caught:
            decoder.fill(columns)
        assert caught.value.status == spemu.lib.SPEMU_ERR_CORRUPT
        assert decoder.fill(columns) >= 19


def test_the_end_inside_a_record():
    data = load() + load()[:30]
    with spemu.Decoder(data) as decoder:
        assert len(decoder.columns()) == 1
        assert decoder.rest == 30
    with spemu.Decoder(data, strict=True) as decoder:
        with pytest.raises(spemu.TruncatedError, match='offset 64: input ends too early'):
            list(decoder)


def test_no_data():
    assert len(spemu.decode(b'')) == 0
    with spemu.Decoder(b'') as decoder:
        assert list(decoder) == [] and list(decoder.packets()) == []


def test_packets_in_words():
    with spemu.Decoder(load(), base=0x100) as decoder:
        packets = list(decoder.packets())
    assert packets[0].offset == 0x100 and packets[0].payload == PC and packets[0].size == 9
    assert packets[0].type == spemu.lib.SPEMU_PKT_ADDRESS
    words = [each.text for each in packets if each.type != spemu.lib.SPEMU_PKT_PADDING]
    # perf's words for these packets.
    assert words == ['PC 0x400000 el0 ns=1', 'CONTEXT 0x4d el2', 'LD GP-REG', 'EV RETIRED L1D-ACCESS TLB-ACCESS',
                     'LAT 3 ISSUE', 'LAT 12 TOT', 'VA 0x7000', 'DATA-SOURCE 8', 'TS 73588229205']
    assert sum(each.size for each in packets) == 64


def test_every_kind_of_buffer_and_none_is_copied():
    data = load()
    for source in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)):
        assert spemu.decode(source, ['total']).total.tolist() == [12]
    growing = bytearray(data)
    with spemu.Decoder(growing):
        with pytest.raises(BufferError):
            growing.append(0)  # the decoder holds the memory
    growing.append(0)
    with pytest.raises(TypeError):
        spemu.Decoder('text')


def test_use_after_close_is_refused():
    decoder = spemu.Decoder(load())
    records = iter(decoder)
    decoder.close()
    decoder.close()
    assert decoder.closed
    for use in (lambda: decoder.fill(spemu.empty(1)), decoder.columns, lambda: decoder.skipped,
                lambda: next(records), lambda: next(decoder.packets())):
        with pytest.raises(ValueError, match='after close'):
            use()


def test_columns_outlive_the_decoder_and_its_data():
    data = bytearray(load(total=9) * 100)
    columns = spemu.decode(data)
    data[:] = bytes(len(data))
    del data
    assert columns.total.tolist() == [9] * 100


def test_threads_with_decoders_of_their_own():
    data = b''.join(load(total=i) for i in range(1000)) * 20
    expected = spemu.decode(data).total.sum()
    sums = []
    threads = [threading.Thread(target=lambda: sums.append(spemu.decode(data).total.sum()))
               for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sums == [expected] * 4


def test_one_decoder_in_two_threads_is_refused():
    decoder = spemu.Decoder(load() * 10)
    with decoder._turn:  # as another thread's call holds it
        with pytest.raises(RuntimeError, match='two threads'):
            decoder.columns()
    assert len(decoder.columns()) == 10


def test_addresses():
    raw = np.array([0xa000000000400000, 0xffff800008000000, 0x56007fff00001234], np.uint64)
    assert spemu.virtual_address(raw).tolist() == [0x400000, 0xffff800008000000, 0x7fff00001234]
    assert spemu.exception_level(raw).tolist() == [1, 3, 2]
    assert spemu.virtual_address(0x80ff800008000000) == 0xffff800008000000


def test_event_names():
    assert spemu.event_name(spemu.lib.SPEMU_EV_MISPREDICTED) == 'mispred'
    assert spemu.event_name(60) is None
