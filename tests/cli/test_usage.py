#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong usage of every command ends with status 2 and one line on standard error, before anything runs.

usage: test_usage.py SOURCE_ROOT
"""
import os
import pathlib
import sys

from clilib import done, refuses

ROOT = sys.argv[1]
sys.path[:0] = [os.path.join(ROOT, folder) for folder in ("tools/gen", "arch/gen")]
import option_data  # noqa: E402

# What stands for the recording, the program or the guest: usage is wrong before they are looked at.
OPERANDS = {"record": ("--", "/nonexistent/program"), "vm": ("--", "-S"), "diff": ("/nonexistent/a", "/nonexistent/b"),
            "run": ("/nonexistent/scenario",), "pgo": ("/nonexistent/program",), "annotate": ("main",)}


def load():
    folder = pathlib.Path(ROOT, "tools", "options")
    first = [folder / "words.txt", folder / "shared.txt"]
    return option_data.load(os.path.join(ROOT, "arch"), first + sorted(set(folder.glob("*.txt")) - set(first)))[0]


def check_options(command):
    name, operands = command.name, OPERANDS.get(command.name, ())
    refuses(f"{name}: unknown option", 2, f"^spemu {name}: unknown option '--no-such-thing'", name, "--no-such-thing", *operands)
    refuses(f"{name}: a misspelled option", 2, "unknown option '--hellp'; did you mean '--help'", name, "--hellp")
    refuses(f"{name}: unknown letter", 2, f"^spemu {name}: unknown option '-Z'", name, "-Z", *operands)
    for option in command.options:
        if option.argument and not option.optional:
            refuses(f"{name}: --{option.name} without a value", 2, f"^spemu {name}: option '--{option.name}' needs a value", name,
                    f"--{option.name}")
            if option.letter:
                refuses(f"{name}: -{option.letter} without a value", 2, f"^spemu {name}: option '-{option.letter}' needs a value", name,
                        f"-{option.letter}")
        elif not option.argument:
            refuses(f"{name}: --{option.name} with a value", 2, f"^spemu {name}: option '--{option.name}=x' takes no value", name,
                    f"--{option.name}=x", *operands)


refuses("unknown command", 2, "unknown command 'rceord'; did you mean 'record'", "rceord")
refuses("unknown command for help", 2, "unknown command 'reprot'", "help", "reprot")
refuses("option before the command", 2, "before the command", "--frobnicate")
for each in load():
    check_options(each)
done()
