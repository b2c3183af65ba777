# SPDX-License-Identifier: MIT
"""Linux at EL1, at EL2 with FEAT_VHE, and at EL1 under its own hypervisor on a PE without FEAT_VHE,
in strict mode. The driver causes the diagnostics that docs/reference/strict-mode.md explains, and
no others. perf's own tests also run there.
"""
import collections
import re

import pytest

from vmlib import (AUX_TRUNCATED, PERF_TEST, ROOT, aux_flags, boot, check_perf_test, check_strict, compile_c, prepare,
                   ran, records, symbol_of, symbols)

SCRIPT = """
cd /tmp
: >kallsyms
mount --bind kallsyms /proc/kallsyms   # perf reads all of it for each recording
cp /host/busy /host/progress .
dmesg | grep -e arm_spe_pmu -e 'CPU(s) started' >/host/probe
record() { # NAME EVENT ARGUMENT...
	name=$1 event=$2
	shift 2
	perf record -q -B -N -e arm_spe_0/$event -o /host/$name.data "$@" 2>/host/$name.err
	echo "$name $?" >>/host/status
}
rm -f /host/status
record all period=$period,pct_enable=1,pa_enable=1/ -a -m,64 ./busy 2 2 >/dev/null
record progress period=4096/ -m,1024 ./progress 4 3000 >/host/progress.out
"""

# Name, machine, CPU, number of CPUs, Exception level of the kernel, the kernel's message about it, period of the
# recording of all CPUs, options, and a test of perf. test_arm_spe.sh samples at the smallest possible interval.
# test_arm_spe_fork.sh requires that the recorder has work within a second, so the records are large. perf is also
# recorded. With fewer bytes of records per operation, emptying the buffer does not fill it again.
BOOTS = (
    ("EL1", "virt", "neoverse-n1", 1, 1, "EL1", 4096, (), None),
    ("EL2 with FEAT_VHE", "virt,virtualization=on", "max,pauth-impdef=on", 4, 2, "EL2", 4096,
     ("--min-interval", "4096"), "test_arm_spe"),
    ("EL1 and EL2 without FEAT_VHE", "virt,virtualization=on", "cortex-a72", 2, 1, "EL2", 131072,
     ("--max-size", "2048", "--align", "2048"), "test_arm_spe_fork"),
)


def check_boot(guest, program, name, level, said):
    probe = guest.text("probe")
    assert re.search(r"probed (?:SPEv1\.\d )?for CPUs 0", probe) and f"started at {said}" in probe, \
        f"{name}: the driver's probe line\n{probe}"
    assert guest.text("status") == "all 0\nprogress 0\n", f"{name}: the recordings end with 0"
    rows, problem = records(guest.path("all.data"))
    assert rows and not problem, f"{name}: every record decodes\n{problem}"
    assert aux_flags(guest.path("all.data")) & ~AUX_TRUNCATED == 0, f"{name}: no other loss"
    # On a slow host, the trace may be truncated. It may end before the phase of hash_words does, so that earlier code
    # (perf's exec, fill_words) has a larger share. It may even end before the program runs.
    truncated = aux_flags(guest.path("all.data")) & AUX_TRUNCATED
    levels = {r["el"] for r in rows}
    assert levels == ({0, level} if not truncated else levels & {0} | {level}), \
        f"{name}: samples of the kernel are at EL{level}"
    table = symbols(program)
    hot = collections.Counter(symbol_of(table, r["pc"]) for r in rows if r["el"] == 0)
    workers = hot["hash_words"] + hot["sort_words"]
    assert workers >= (0.5 if truncated else 0.8) * hot.total() and (truncated or hot["hash_words"] > workers / 2), \
        f"{name}: the hottest function\n{hot}"
    contexts = {key for r in rows for key in r if key.startswith("context")}
    # At EL2, the kernel writes process identifiers to CONTEXTIDR_EL2. With E2H, it uses the name of the EL1 register.
    assert contexts == {f"context_el{level}"}, f"{name}: records have the context of the kernel's level"
    assert ("wrong" not in guest.text("progress.out") and "exclusives right" in
            guest.text("progress.out")), f"{name}: atomics make progress\n" + guest.text("progress.out")


@pytest.mark.parametrize("name, machine, cpu, smp, level, said, period, options, test", BOOTS, ids=[row[0] for row in BOOTS])
def test_boot(tmp_path, name, machine, cpu, smp, level, said, period, options, test):
    prepare()
    busy = compile_c(tmp_path, ROOT / "examples/busy.c")
    compile_c(tmp_path, ROOT / "tests/vm/linux/progress.c")
    script = f"period={period}\n" + SCRIPT + (PERF_TEST.format(test) if test else "") + "exit 0\n"
    # On cores like these, Linux unmaps the kernel while programs run, and its driver refuses to profile.
    guest = boot(tmp_path, script, machine=machine, cpu=cpu, smp=smp, append="kpti=off", timeout=480,
                 options=["--strict", "--trace", tmp_path / "trace.json", *options])
    ran(guest, name)
    check_boot(guest, busy, name, level, said)
    check_strict(guest, name)
    if test:
        check_perf_test(guest, test, name)
