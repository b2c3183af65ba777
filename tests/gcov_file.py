# SPDX-License-Identifier: MIT
"""Read the profiles that GCC accepts with -fauto-profile (.afdo)."""
import struct


def of_gcov(data, unit=1):
    """Parse an .afdo file into its header, tags, functions as {name: node}, and the number of bytes that follow.

    A node has "lines", {(offset, discriminator): [count, {callee: count}]}, and "in", {(offset,
    discriminator, name): node}. A node that is not inlined also has "head". `unit` is the unit of
    the text lengths: 4 in files for GCC before 12.
    """
    position = 0

    def take(form):
        nonlocal position
        values = struct.unpack_from(form, data, position)
        position += struct.calcsize(form)
        return values if len(values) > 1 else values[0]

    def counter():
        return take("<I") | take("<I") << 32

    def function():
        name, places, inlined = take("<3I")
        node = {"lines": {}, "in": {}}
        for _ in range(places):
            place, calls = take("<2I")
            count = counter()
            found = {}
            for _ in range(calls):
                take("<I")
                callee = names[counter()]
                found[callee] = counter()
            node["lines"][place >> 16, place & 0xffff] = [count, found]
        for _ in range(inlined):
            place = take("<I")
            inner_name, inner = function()
            node["in"][place >> 16, place & 0xffff, inner_name] = inner
        return names[name], node
    header, (tag, _, count) = take("<3I"), take("<3I")
    names = [take(f"<{unit * take('<I')}s") for _ in range(count)]
    names = [(name[:-1] if unit == 1 else name.rstrip(b"\0")).decode() for name in names]
    tags, count = (tag, take("<2I")[0]), take("<I")
    functions = {}
    for _ in range(count):
        head = counter()
        name, functions[name] = function()
        functions[name]["head"] = head
    return header, tags, functions, len(data) - position
