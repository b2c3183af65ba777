#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that a test fails each public function that has outputs: check_results.py TEST INCLUDE_DIR...

<spemu/spemu.h> promises that an output is filled on every return. TEST (tests/unit/test_results.c) has to call each
function that returns an int and has an output: a pointer to something that is not const, and not one of the
OBJECTS, BUFFERS and STATES below.
"""
import pathlib
import re
import sys

import public_api

# What a function works on or changes in place.
OBJECTS = {"spemu", "spemu_pe", "spemu_pmu", "spemu_mmu", "spemu_machine", "spemu_decoder", "spemu_reader", "spemu_shapes",
           "spemu_uarch_shared", "spemu_uarch_core", "spemu_uarch_profile", "spemu_perf_file"}
# Memory with a size, and contexts: what is in them is said by the value returned.
BUFFERS = {"memory", "mem", "buf", "buffer", "ctx", "window", "records"}
# What a caller keeps between calls.
STATES = {"position", "cursor", "pos"}
# A text buffer is output, too.
OUTPUT = re.compile(r"(?:struct |enum )?(\w+) (\*+)(\w+)")


def outputs(declaration):
    """The names of a function's outputs."""
    arguments = declaration[declaration.index("(") + 1:declaration.rindex(")")]
    for argument in re.split(r",\s*(?![^()]*\))", arguments):
        argument = re.sub(r"\s*\[\w*\]$", "", " ".join(argument.split()))
        found = OUTPUT.fullmatch(argument.replace("const char **", "text **"))
        if not found or argument.startswith("const char *") and "**" not in argument:
            continue
        kind, stars, name = found.groups()
        if (len(stars) == 1 and kind in OBJECTS) or name in BUFFERS | STATES:
            continue
        yield name


def main(test, folders):
    called = set(re.findall(r"\b(spemu_\w+)\(", pathlib.Path(test).read_text(encoding="utf-8")))
    text = "\n".join(line for line in public_api.preprocess(folders) if not line.startswith("#"))
    found, missing = 0, []
    for part in public_api.declarations(text):
        name = re.match(r"int (spemu_\w+)\(", part)
        if not name or not list(outputs(part)):
            continue
        found += 1
        if name[1] not in called:
            missing.append(f"{name[1]}() has outputs ({', '.join(outputs(part))}); let it fail in {test}")
    print("\n".join([*missing, f"{found} functions with outputs"]))
    return 1 if missing or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
