# SPDX-License-Identifier: MIT
"""The shared libraries, and their status codes as exceptions."""
from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any, Optional, Tuple, Type

from ._native import ffi

_FOLDER = os.environ.get('SPEMU_LIB_DIR', '')
try:
    lib: Any = ffi.dlopen(os.path.join(_FOLDER, 'libspemu.so.0'))  # the model
    trace_lib: Any = ffi.dlopen(os.path.join(_FOLDER, 'libspemu-trace.so.0'))  # records and perf.data files
except OSError as _error:
    raise ImportError(f'{_error}; install libspemu0 and libspemu-trace0, or name their folder in SPEMU_LIB_DIR') \
        from None


def text(pointer: Any) -> str:
    """Return a constant text of the library."""
    return str(ffi.string(pointer), 'utf-8', 'backslashreplace')


class Error(Exception):
    """A call that the library refused. The text is the library's; `status` is enum spemu_status."""

    status: int

    def __init__(self, status: int, what: str = '') -> None:
        said = text(lib.spemu_strerror(status))
        super().__init__(f'{what}: {said}' if what else said)
        self.status = status


class InvalidError(Error, ValueError):
    """SPEMU_ERR_INVALID: an argument is out of its documented range."""


class TruncatedError(Error):
    """SPEMU_ERR_TRUNCATED: the input ends in the middle of an item."""


class CorruptError(Error):
    """SPEMU_ERR_CORRUPT: the input is damaged."""


class NotSupportedError(Error):
    """SPEMU_ERR_NOT_SUPPORTED: correct, but not supported by this version."""


class StateError(Error):
    """SPEMU_ERR_STATE: not allowed in the current state of the object."""


_ERRORS = {
    lib.SPEMU_ERR_INVALID: InvalidError,
    lib.SPEMU_ERR_TRUNCATED: TruncatedError,
    lib.SPEMU_ERR_CORRUPT: CorruptError,
    lib.SPEMU_ERR_NOT_SUPPORTED: NotSupportedError,
    lib.SPEMU_ERR_STATE: StateError,
}


def check(status: int, what: str = '') -> int:
    """Return the status, or raise its exception if it is an error. `what` names the object of the message."""
    if status < 0:
        raise _ERRORS.get(status, Error)(status, what)
    return status


_ALIGNMENT = 16  # at least that of max_align_t


def allocate(size: int) -> Tuple[Any, Any]:
    """Allocate memory for an object of the library. Return the owner of the memory, and the pointer."""
    owner = ffi.new('uint8_t[]', size + _ALIGNMENT)
    return owner, owner + -int(ffi.cast('uintptr_t', owner)) % _ALIGNMENT


def version() -> str:
    """Return the version of the loaded library."""
    return text(lib.spemu_version())


class Object:
    """An object that one thread uses at a time, until close()."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._closed = False

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Free the object's memory. Later calls other than close() are refused."""
        with Use(self, closing=True):
            if not self._closed:
                self._closed = True
                self._free()

    @property
    def closed(self) -> bool:
        return self._closed

    def _free(self) -> None:
        """Free the object for close()."""


class Use:
    """A use of an object. Entering it fails if the object is closed, or if another thread or the caller of a callback
    uses the object."""

    def __init__(self, used: Object, closing: bool = False) -> None:
        self._used, self._closing = used, closing

    def __enter__(self) -> None:
        used = self._used
        if not used._turn.acquire(blocking=False):
            raise RuntimeError(f'{type(used).__name__}: used by two threads at a time, or by its own '
                               'callback')
        if used._closed and not self._closing:
            used._turn.release()
            raise ValueError(f'{type(used).__name__}: used after close()')

    def __exit__(self, *_: object) -> None:
        self._used._turn.release()
