# SPDX-License-Identifier: MIT
"""examples/embed.c does what its text says: the one sample, at the operation that D17.3 gives."""
import os

from clilib import BUILD, run


def test_embed():
    result = run(os.environ.get("SPEMU_EMBED", BUILD / "examples/embed"))
    # PMSIRR_EL1.INTERVAL is 4: 4 * 256 operations to the first sample (D17.3.3).
    assert ((result.returncode, result.stdout.splitlines()) ==
            (0, ["the sample is operation 1024", "PC 0x400000 el0 ns=1", "VA 0x7000", "LD GP-REG",
                 "EV RETIRED", "END"])), "examples/embed.c"
