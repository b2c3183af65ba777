# SPDX-License-Identifier: MIT
"""Run examples/embed.c and check its output: one sample, of the operation that follows from
D17.3."""
import os

from clilib import BUILD, run


def test_embed():
    result = run(os.environ.get("SPEMU_EMBED", BUILD / "examples/embed"))
    # PMSIRR_EL1.INTERVAL is 4, so the first sample is taken after 4 * 256 operations (D17.3.3).
    assert ((result.returncode, result.stdout.splitlines()) ==
            (0, ["the sample is operation 1024", "PC 0x400000 el0 ns=1", "VA 0x7000", "LD GP-REG",
                 "EV RETIRED", "END"])), "the output of examples/embed.c"
