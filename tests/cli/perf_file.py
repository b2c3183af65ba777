# SPDX-License-Identifier: MIT
"""Find the events and features in the bytes of a perf.data file, from the definition of its
format."""

AUXTRACE = 71


def number(image, at, size):
    return int.from_bytes(image[at:at + size], "little")


def events(image):
    """Yield (type, offset, size of the event, size including the trace after the event) of each
    event."""
    at = number(image, 40, 8)
    end = at + number(image, 48, 8)
    while at < end:
        type_, size = number(image, at, 4), number(image, at + 6, 2)
        whole = size + (number(image, at + 8, 8) if type_ == AUXTRACE else 0)
        yield type_, at, size, whole
        at += whole


def features(image):
    """Yield (number, offset, size) of each feature."""
    at = number(image, 40, 8) + number(image, 48, 8)
    for n in range(256):
        if image[72 + n // 8] >> n % 8 & 1:
            yield n, number(image, at, 8), number(image, at + 8, 8)
            at += 16
