# SPDX-License-Identifier: MIT
"""Write a flattened device tree (Devicetree Specification 0.4, chapter 5), and look up a property.

A node is a dictionary of properties and nodes. A property is bytes, text, a number (a cell of 32
bits), a list of these, or True for an empty property.
"""
import struct

MAGIC, VERSION, COMPATIBLE = 0xd00dfeed, 17, 16
BEGIN_NODE, END_NODE, PROPERTY, END = 1, 2, 3, 9
HEADER_SIZE, RESERVED_SIZE = 40, 16


def cells(*numbers):
    return struct.pack(f">{len(numbers)}I", *numbers)


def padded(data):
    return data + b"\0" * (-len(data) % 4)


def encoded(value):
    if value is True:
        return b""
    if isinstance(value, int):
        return cells(value)
    if isinstance(value, str):
        return value.encode() + b"\0"
    if isinstance(value, list):
        return b"".join(encoded(one) for one in value)
    return value


def node(name, content, strings):
    """Return the structure of a node. Add the names of its properties to `strings`, {name:
    offset}."""
    out = cells(BEGIN_NODE) + padded(name.encode() + b"\0")
    for key, value in content.items():
        if not isinstance(value, dict):
            data = encoded(value)
            offset = strings.setdefault(key, sum(len(s) + 1 for s in strings))
            out += cells(PROPERTY, len(data), offset) + padded(data)
    for key, value in content.items():
        if isinstance(value, dict):
            out += node(key, value, strings)
    return out + cells(END_NODE)


def blob(root):
    strings = {}
    structure = node("", root, strings) + cells(END)
    text = b"".join(s.encode() + b"\0" for s in strings)
    at = HEADER_SIZE + RESERVED_SIZE
    header = cells(MAGIC, at + len(structure) + len(text), at, at + len(structure), HEADER_SIZE, VERSION, COMPATIBLE, 0,
                   len(text), len(structure))
    return header + b"\0" * RESERVED_SIZE + structure + text


def properties(data):
    """Yield (node, name, value) for each property of a device tree blob."""
    structure, strings = struct.unpack_from(">2I", data, 8)
    path = []
    while True:
        token, = struct.unpack_from(">I", data, structure)
        structure += 4
        if token == BEGIN_NODE:
            name = data[structure:data.index(b"\0", structure)]
            path.append(name.decode())
            structure += len(padded(name + b"\0"))
        elif token == END_NODE:
            path.pop()
        elif token == PROPERTY:
            size, offset = struct.unpack_from(">2I", data, structure)
            name = data[strings + offset:data.index(b"\0", strings + offset)].decode()
            yield "/".join(path) or "/", name, data[structure + 8:structure + 8 + size]
            structure += 8 + len(padded(b"." * size))
        elif token == END:
            return
