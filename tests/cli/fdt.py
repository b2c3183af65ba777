# SPDX-License-Identifier: MIT
"""Read and write flattened device trees (Devicetree Specification, chapter 5) for the tests.

A node is (properties, children): dictionaries of bytes and of nodes.
"""
import struct

BEGIN, END, PROPERTY, NOP, LAST = 1, 2, 3, 4, 9
MAGIC = 0xd00dfeed


def cells(*values):
    return struct.pack(f">{len(values)}I", *values)


def padded(data):
    return data + b"\0" * (-len(data) % 4)


def write(root):
    strings = bytearray()

    def node(name, this):
        properties, children = this
        out = cells(BEGIN) + padded(name.encode() + b"\0")
        for key, value in properties.items():
            at = len(strings)
            strings.extend(key.encode() + b"\0")
            out += cells(PROPERTY, len(value), at) + padded(value)
        for key, child in children.items():
            out += node(key, child)
        return out + cells(END)

    structure = node("", root) + cells(LAST)
    reserved = b"\0" * 16
    at = 40 + len(reserved)
    size = at + len(structure) + len(strings)
    return (cells(MAGIC, size, at, at + len(structure), 40, 17, 16, 0, len(strings),
                  len(structure)) + reserved + structure + bytes(strings))


def read(data):
    magic, _, at, strings = struct.unpack_from(">4I", data)
    assert magic == MAGIC

    def word():
        nonlocal at
        at += 4
        return struct.unpack_from(">I", data, at - 4)[0]

    def text(start):
        return data[start:data.index(b"\0", start)].decode()

    def node():
        nonlocal at
        properties, children = {}, {}
        while True:
            token = word()
            if token == PROPERTY:
                size, name = word(), word()
                properties[text(strings + name)] = data[at:at + size]
                at += (size + 3) & ~3
            elif token == BEGIN:
                name = text(at)
                at += (len(name) + 4) & ~3
                children[name] = node()
            elif token == END:
                return properties, children
            else:
                assert token == NOP

    assert word() == BEGIN
    at += 4
    return node()
