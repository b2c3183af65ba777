# SPDX-License-Identifier: MIT
"""Read the rows of an Apache Parquet file. The reader follows the specification of the format and covers the subset
that spemu export writes.

It checks all redundant information of a file: sizes, counts, and the least and greatest values.
"""
from zstd_stream import decompressed

INT64, BYTE_ARRAY = 2, 6
RLE, DELTA, DICTIONARY = 3, 5, 8
UTF8, UINT_64 = 0, 14


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, size):
        part = self.data[self.at:self.at + size]
        assert len(part) == size, "the file ends early"
        self.at += size
        return part

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self):
        n = self.varint()
        return n >> 1 ^ -(n & 1)

    # The Thrift compact protocol

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            return self.take(self.varint())
        if kind == 9:
            head = self.number(1)
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        assert kind == 12, f"unexpected Thrift type {kind}"
        return self.struct()

    def struct(self):
        """Return {field number: value} of a structure."""
        fields, last = {}, 0
        while True:
            head = self.number(1)
            if not head:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            assert last not in fields, "no field occurs twice"
            fields[last] = self.value(head & 15)

    # The encodings of values

    def packed(self, count, width):
        bits = int.from_bytes(self.take(count * width // 8), "little")
        return [bits >> i * width & (1 << width) - 1 for i in range(count)]

    def hybrid(self, count, width):
        """Decode `count` values in the RLE/bit-packing hybrid encoding: runs of equal values, and
        groups of packed values."""
        values = []
        while len(values) < count:
            head = self.varint()
            if head & 1:
                values += self.packed(8 * (head >> 1), width)
            else:
                values += [self.number((width + 7) // 8)] * (head >> 1)
        assert len(values) < count + 8 and not any(values[count:]), "the last group is padded with zeros"
        return values[:count]

    def delta(self):
        block, parts, count, last = self.varint(), self.varint(), self.varint(), self.zigzag()
        values = [last] if count else []
        while len(values) < count:
            least = self.zigzag()
            widths = self.take(parts)
            for width in widths:
                if len(values) >= count:
                    assert width == 0, "an unused miniblock has width 0"
                    continue
                for difference in self.packed(block // parts, width):
                    last += least + difference
                    values.append(last)
        return values[:count]


def page(data, at, size):
    """Return (header, contents, offset of the next page, size with header and without compression)
    of the page at `at`."""
    stream = Bytes(data, at)
    header = stream.struct()
    body = decompressed(stream.take(header[3]), header[2])
    assert stream.at <= at + size and len(body) == header[2], "the sizes of a page"
    return header, body, stream.at, stream.at - at - header[3] + header[2]


def as_type(value, converted):
    return value & (1 << 64) - 1 if converted == UINT_64 else (value + (1 << 63)) % (1 << 64) - (1 << 63)


def column(data, chunk, kind, converted):
    """Return the values of a column in a row group; None for a row without a value."""
    meta = chunk[3]
    at, end = chunk[2], chunk[2] + meta[7]
    assert meta[1] == kind and meta[4] == 6 and at == meta.get(11, meta[9]), "the description of a column"
    words, whole = [], 0
    if kind == BYTE_ARRAY:
        header, body, at, size = page(data, at, meta[7])
        whole += size
        assert header[1] == 2 and header[7][2] == 0, "the header of a dictionary page"
        stream = Bytes(body)
        words = [stream.take(stream.number(4)).decode() for _ in range(header[7][1])]
        assert stream.at == len(body) and len(set(words)) == len(words), \
            "a dictionary has distinct values and fills its page"
    assert at == meta[9], "the offset of the data page"
    header, body, at, size = page(data, at, meta[7])
    assert header[1] == 0 and header[5][1] == meta[5] and header[5][3] == header[5][4] == RLE, \
        "the header of a data page"
    assert at == end and whole + size == meta[6], "the sizes of a column"
    assert header[5][2] in meta[2] and RLE in meta[2] and (kind == INT64 or 0 in meta[2]), \
        "the encodings that a column lists"
    stream = Bytes(body)
    levels = Bytes(stream.take(stream.number(4)))
    has = levels.hybrid(meta[5], 1)
    assert levels.at == len(levels.data), "the definition levels fill their part of the page"
    if kind == INT64:
        assert header[5][2] == DELTA
        values = [as_type(n, converted) for n in stream.delta()]
    else:
        assert header[5][2] == DICTIONARY
        values = [words[n] for n in stream.hybrid(sum(has), stream.number(1))]
    assert stream.at == len(body) and len(values) == sum(has), "a value for each row that has one"
    statistics(meta[12], values, len(has), converted)
    values = iter(values)
    return [next(values) if h else None for h in has]


def statistics(told, values, rows, converted):
    assert told[3] == rows - len(values), "the number of rows without a value"
    if not values:
        assert 5 not in told and 6 not in told, "a column without values has no least and greatest value"
        return
    ends = [max(values), min(values)]
    if isinstance(ends[0], str):
        ends = [max(values, key=str.encode), min(values, key=str.encode)]
        ends = [] if max(map(len, ends)) > 256 else [e.encode() for e in ends]
    else:
        ends = [e.to_bytes(8, "little", signed=converted != UINT_64) for e in ends]
    assert [told[n] for n in (5, 6) if n in told] == ends, f"the least and the greatest value: {told} {ends}"


def read(data):
    """Return the rows of a file as {name: [value or None for each row]}, and its file metadata."""
    assert data[:4] == data[-4:] == b"PAR1"
    size = int.from_bytes(data[-8:-4], "little")
    stream = Bytes(data[-8 - size:-8])
    foot = stream.struct()
    assert stream.at == size and foot[1] == 2
    root, *elements = foot[2]
    assert root[5] == len(elements) == len(foot[7]) and all(e[3] == 1 for e in elements), "the schema"
    rows, end = {e[4].decode(): [] for e in elements}, 4
    for group in foot[4]:
        assert len(group[1]) == len(elements) and sum(c[3][6] for c in group[1]) == group[2], \
            "the number of columns and the size of a row group"
        for element, chunk in zip(elements, group[1]):
            assert chunk[3][3] == [element[4]] and chunk[3][5] == group[3] and chunk[2] == end
            rows[element[4].decode()] += column(data, chunk, element[1], element.get(6))
            end += chunk[3][7]
    assert end == len(data) - 8 - size and {len(r) for r in rows.values()} <= {foot[3]}, "the number of rows"
    return rows, foot
