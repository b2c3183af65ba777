# SPDX-License-Identifier: MIT
"""TAP, for every test in Python: a line for each check, what was wrong after it, and the plan at the end."""
import sys

import own_environment  # for what it does

count = 0
failed = 0
cases = []  # what SPEMU_TEST_CASE may name, where a test has cases


def running_case():
    """" [SPEMU_TEST_CASE=NAME]" for the case that calls this, "" outside of one; scripts/checks/summary reads it."""
    frame = sys._getframe()
    while frame:
        name = frame.f_code.co_name.removeprefix("test_")
        if name in cases and name != frame.f_code.co_name:
            return f" [SPEMU_TEST_CASE={name}]"
        frame = frame.f_back
    return ""


def check(ok, name, detail=""):
    global count, failed
    count += 1
    print(f"ok {count} - {name}" if ok else f"not ok {count} - {name}{running_case()}")
    if not ok:
        failed += 1
        for line in str(detail).splitlines()[:40]:
            print(f"# {line}")
    sys.stdout.flush()
    return ok


def equal(got, expected, name):
    return check(got == expected, name, f"got:      {got!r}\nexpected: {expected!r}")


def note(text):
    print(f"# {text}")
    sys.stdout.flush()


def skip(reason):
    """The whole test is left out."""
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def plan():
    print(f"1..{count}")
