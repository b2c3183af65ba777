# SPDX-License-Identifier: MIT
"""Compress data with libzstd, in the form that perf record -z uses."""
import ctypes
import ctypes.util


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


class Zstd:
    """A compressed stream for a file, flushed after each piece."""

    def __init__(self):
        self.lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
        self.lib.ZSTD_createCCtx.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.lib.ZSTD_createCCtx())

    def piece(self, data):
        room = ctypes.create_string_buffer(len(data) + 4096)
        out = Buffer(ctypes.cast(room, ctypes.c_char_p), len(room), 0)
        in_ = Buffer(data, len(data), 0)
        assert self.lib.ZSTD_compressStream2(self.context, ctypes.byref(out), ctypes.byref(in_), 1) == 0
        return room.raw[:out.pos]


def compressed(data, level):
    """Return the data as a single compressed frame."""
    lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    lib.ZSTD_compress.restype = lib.ZSTD_compressBound.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(lib.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    got = lib.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), level)
    return room.raw[:got]


def decompressed(data, size):
    """Return the contents of a single frame of `size` bytes."""
    lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(size + 1)
    got = lib.ZSTD_decompress(room, ctypes.c_size_t(size + 1), data, ctypes.c_size_t(len(data)))
    return room.raw[:got] if got <= size + 1 else b""
