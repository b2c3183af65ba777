# SPDX-License-Identifier: MIT
"""Print why a machine does not profile, and the writes that would enable it: why_not.py EL NAME=VALUE..."""
import sys

import spemu

el = int(sys.argv[1])
try:
    machine = spemu.Machine(*sys.argv[2:])
except spemu.InvalidError as error:
    raise SystemExit(f'why_not: {error}') from None
print(f"profiling at EL{el} is {'enabled' if machine.decide().enabled[el] else 'disabled'}")
for step in machine.trace('enabled', el):
    if step.decides and not step.holds:
        print(f"it does not hold that {step.text} ({step.rule})")
remedy = machine.remedy(el)
for write in remedy.writes:
    print(f'write {write.field} = {write.value}, at EL{write.el} or above')
if remedy.never_text:
    print(f'no write helps: {remedy.never_text} ({remedy.never_rule})')
