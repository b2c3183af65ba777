# SPDX-License-Identifier: MIT
"""Run `spemu vm` under load: `perf record -a` runs in the guest again and again. The host counts
and removes each recording."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

from soak_memory import Sampler
from soak_trace import decoded_records, file_counts, perf_records

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Permitted growth of memory in KiB. QEMU's own memory varies by a few MiB. A leak of 32 bytes for each record would be
# a gigabyte in two hours.
BOUNDS = {"spemu": 2048, "qemu-system-aarch64": 16384}
PERIOD = 16384
WAITING = 4  # number of finished recordings on the disk, at which the guest waits for the host
PERF_EVERY = 10  # perf also counts every tenth round
COMPLAINTS = r".*(?:nobody cared|Call trace|WARNING:|BUG:|rcu.*stall|Unexpected|Out of memory).*"
COLLISION, DATA_LOSS = 1 << 16, 1 << 19  # PMBSR_ELx.{COLL, DL}
ENABLE = 1  # PMBLIMITR_EL1.E


def command(build, folder, guest_mib):
    """Return the command. The guest's memory is allocated at the start, so only QEMU's own memory
    can grow."""
    qemu = build / "qemu-system/bin/qemu-system-aarch64"
    return [build / "tools/spemu", "vm", "--qemu", qemu, "--layout", "neoverse", "--trace",
            folder / "trace.json", "--", "-accel", "tcg,tb-size=64", "-smp", "2", "-m",
            f"{guest_mib}M", "-mem-prealloc", "-nographic", "-nic", "none",
            "-kernel", build / "guest/vmlinuz", "-initrd", build / "guest/initrd", "-virtfs",
            f"local,path={folder}/share,mount_tag=host,security_model=none", "-append",
            'console=ttyAMA0 quiet spemu.share spemu.run="sh /host/guest.sh"']


class Rounds:
    """Count the recordings that the guest has finished, and remove them."""

    def __init__(self, spemu, share):
        self.spemu, self.share = spemu, share
        self.rows, self.problems = [], []
        self.total = collections.Counter()
        self.most_bytes = 0

    def take(self):
        """Process all recordings that are finished now."""
        sizes = [f.stat().st_size for f in self.share.glob("*.data")]
        self.most_bytes = max(self.most_bytes, sum(sizes))
        for done in sorted(self.share.glob("*.done"), key=lambda p: int(p.stem)):
            self.count(done.stem)
            done.unlink()

    def count(self, name):
        path = self.share / f"{name}.data"
        row = {"round": int(name)}
        try:
            row.update(file_counts(path))
            row["records_decoded"], problem = decoded_records(self.spemu, path)
            if problem:
                self.problems.append(f"round {name}: {problem[:500]}")
            if int(name) % PERF_EVERY == 1:
                row["records_of_perf"] = perf_records(path)
                if row["records_of_perf"] != row["records_decoded"]:
                    self.problems.append(f"round {name}: perf counts {row['records_of_perf']} of "
                                         f"{row['records_decoded']} records")
            path.unlink()
        except (OSError, ValueError) as error:
            self.problems.append(f"round {name}: {error}")
        if (errors := self.share / f"{name}.err").exists():
            row["perf_said"] = errors.read_text(errors="replace").strip()
            errors.unlink()
        self.rows.append(row)
        self.total.update({k: v for k, v in row.items() if isinstance(v, int) and k != "round"})
        print(f"vm round {name}: {row.get('records_decoded')} records, "
              f"{row.get('aux_truncated')} truncated, {row.get('aux_collision')} with collisions",
              flush=True)


def trace_counts(path):
    """Return the counts in the trace of spemu vm: the sums of the summaries, the events by PMBSR_ELx, and the restarts
    without room in perf's buffer.

    In a restart without room, the driver writes PMBLIMITR_EL1.E as 0. It also writes 0 when it stops, but then it has
    written PMSCR_EL1 as 0 before.
    """
    counts = collections.Counter()
    stopping = set()  # CPUs that wrote PMSCR_EL1 as 0 after PMBLIMITR_EL1
    with open(path, encoding="utf-8") as f:
        for text in f:
            line = json.loads(text)
            kind = line.pop("type")
            counts[f"lines_{kind}"] += 1
            if kind == "summary":
                line.pop("vcpu")
                counts.update(line)
            elif kind == "access" and line["write"] and line["register"] == "PMSCR_EL1":
                (stopping.discard if int(line["value"], 16) else stopping.add)(line["vcpu"])
            elif kind == "access" and line["write"] and line["register"] == "PMBLIMITR_EL1":
                counts["restart_without_room"] += not (int(line["value"], 16) & ENABLE or
                                                       line["vcpu"] in stopping)
                stopping.discard(line["vcpu"])
            elif kind == "event":
                value = int(line["value"], 16)
                counts[f"event_{line['meaning'].replace(' ', '_')}"] += 1
                counts["event_collision"] += bool(value & COLLISION)
                counts["event_data_loss"] += bool(value & DATA_LOSS)
    return counts


def compare(problems, what, got, expected):
    if got != expected:
        problems.append(f"{what}: {got}, not {expected}")


def check_counts(result, rounds, share):
    """Check that all ways to count agree."""
    total, model, problems = rounds.total, result["model"], result["problems"]
    compare(problems, "records in the trace", total["records_written"],
            model["recorded"])
    compare(problems, "records that decode", total["records_decoded"], model["recorded"])
    compare(problems, "samples by what became of them",
            sum(model[key] for key in ("recorded", "filtered", "collisions", "lost", "discarded")),
            model["samples"])
    told = re.search(r"(\d+) samples on 2 CPUs \((\d+) recorded, (\d+) filtered, (\d+) collisions, "
                     r"(\d+) lost", result["said"])
    keys = ("samples", "recorded", "filtered", "collisions", "lost")
    compare(problems, "the last line of spemu vm", told and [int(n) for n in told.groups()],
            [model[key] for key in keys])
    compare(problems, "AUX events with a collision", total["aux_collision"],
            model["event_collision"])
    compare(problems, "AUX events that are partial", total["aux_partial"], model["event_data_loss"])
    compare(problems, "AUX events that are truncated", total["aux_truncated"],
            model["event_data_loss"] + model["restart_without_room"])
    compare(problems, "events lost by perf", total["lost_events"], 0)
    status = (share / "status").read_text(encoding="ascii").splitlines()
    compare(problems, "rounds", len(status), len(rounds.rows))
    problems += [f"perf record: {line}" for line in status if line.split()[1] != "0"]
    dmesg = (share / "dmesg").read_text(errors="replace")
    problems += [f"kernel: {line}" for line in re.findall(COMPLAINTS, dmesg)]


def prepare(build, folder, settings):
    share = folder / "share"
    share.mkdir()
    shutil.copy(ROOT / "tests/soak/guest.sh", share)
    (share / "settings").write_text("".join(f"{k}={v}\n" for k, v in settings.items()))
    for name in ("qemu-system", "guest"):
        subprocess.run([ROOT / "scripts/fetch", name, build / name], check=True)
    return share


def soak(build, folder, seconds, every):
    """Run the test and return its results for the JSON file. "problems" is empty if all is well."""
    round_seconds = max(20, min(120, seconds // 8))
    share = prepare(build, folder, {"seconds": seconds, "round": round_seconds, "period": PERIOD,
                                    "waiting": WAITING})
    rounds = Rounds(build / "tools/spemu", share)
    began = time.monotonic()
    with open(folder / "vm.console", "wb") as console, open(folder / "vm.errors", "wb") as errors, \
            open(folder / "vm.memory.tsv", "w", encoding="ascii") as log, \
            subprocess.Popen([str(c) for c in command(build, folder, 768)],
                             stdin=subprocess.DEVNULL, stdout=console, stderr=errors) as process:
        sampler = Sampler(process.pid, "spemu", "qemu-system-aarch64", every, log)
        sampler.start()
        limit = began + seconds * 1.25 + 600
        while process.poll() is None and time.monotonic() < limit:
            rounds.take()
            time.sleep(2)
        late = process.poll() is None
        if late:
            process.terminate()
        status = process.wait()
        sampler.stop()
    rounds.take()
    said = (folder / "vm.errors").read_text(errors="replace").strip()
    result = {"seconds": round(time.monotonic() - began), "status": status, "said": said,
              "problems": rounds.problems, "memory": sampler.judged(BOUNDS),
              "rounds": rounds.rows, "total": rounds.total, "most_bytes_of_recordings":
              rounds.most_bytes, "trace_bytes": os.path.getsize(folder / "trace.json"),
              "model": trace_counts(folder / "trace.json")}
    console = (folder / "vm.console").read_text(errors="replace")
    if late or status or "spemu.run: exit status 0" not in console:
        result["problems"].append(f"the guest did not come to its end: status {status}"
                                  f"{', stopped' if late else ''}\n{console[-2000:]}")
        return result
    check_counts(result, rounds, share)
    return result
