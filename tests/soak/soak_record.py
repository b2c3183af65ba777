# SPDX-License-Identifier: MIT
"""Run `spemu record` on one program for the whole time. The single recording is counted at its end
and removed."""
import os
import pathlib
import re
import subprocess
import time

from soak_memory import Sampler
from soak_trace import decoded_records, file_counts

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BOUNDS = {"spemu": 2048, "qemu-aarch64": 2048}  # permitted growth of memory in KiB
PERIOD = 16384
FILE_MOST = 6 << 30  # bytes; a larger recording stops the run and is a failure
THREADS = 2  # besides the first thread, which waits
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def summary(text):
    """Return the numbers in the last line of spemu record, or {}."""
    found = re.search(r"(\d+) samples", text)
    numbers = {"samples": int(found[1])} if found else {}
    for key in ("filtered", "collisions", "lost"):
        found = re.search(rf"(\d+) {key}", text)
        numbers[key] = int(found[1]) if found else None
    found = re.search(r"(\d+)(?:\.(\d+))? ?([kMGT]?) operations", text)
    if found:
        digits = found[2] or ""
        numbers["operations"] = round(float(f"{found[1]}.{digits}0") * UNITS[found[3]])
        numbers["operations_rounding"] = UNITS[found[3]] / 10 ** len(digits) / 2
    return numbers


def check_counts(result, path, spemu):
    problems, model = result["problems"], result["model"]
    counts = file_counts(path)
    decoded, problem = decoded_records(spemu, path)
    result["file"] = dict(counts, records_decoded=decoded)
    if problem:
        problems.append(f"the recording does not decode: {problem[:500]}")
    for what, got in (("in the trace", counts["records_written"]), ("that decode", decoded)):
        if got != model.get("samples"):
            problems.append(f"records {what}: {got}, not {model.get('samples')}")
    if model.get("operations"):
        # Subtract the interval that each thread has not finished. An interval is one period and one operation
        # (D17.3.4).
        taken = sum(model[key] or 0 for key in ("samples", "filtered", "collisions", "lost"))
        most = (model["operations"] + model["operations_rounding"]) / (PERIOD + 1)
        least = (model["operations"] - model["operations_rounding"]) / (PERIOD + 1)
        least -= THREADS + 1
        result["samples_of_operations"] = [int(least), int(most)]
        if not least <= taken <= most:
            problems.append(f"{taken} samples, and the operations make {least:.0f} to {most:.0f}")


def soak(build, folder, seconds, every):
    """Run the test and return its results for the JSON file. "problems" is empty if all is well."""
    program, path = folder / "rounds", folder / "record.data"
    subprocess.run(["aarch64-linux-gnu-gcc", "-O2", "-g", "-static", "-pthread",
                    ROOT / "tests/soak/rounds.c", "-o", program], check=True)
    spemu = build / "tools/spemu"
    command = [spemu, "record", "-o", path, "-c", PERIOD, "--layout", "neoverse", "--", program,
               seconds, THREADS]
    began = time.monotonic()
    too_large = False
    with open(folder / "record.output", "wb") as output, \
            open(folder / "record.errors", "wb") as errors, \
            open(folder / "record.memory.tsv", "w", encoding="ascii") as log, \
            subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=output,
                             stderr=errors) as process:
        sampler = Sampler(process.pid, "spemu", "qemu-aarch64", every, log)
        sampler.start()
        while process.poll() is None and time.monotonic() < began + seconds * 1.25 + 300 and \
                not too_large:
            time.sleep(2)
            too_large = path.exists() and path.stat().st_size > FILE_MOST
        late = process.poll() is None
        if late:
            process.terminate()
        status = process.wait()
        sampler.stop()
    said = (folder / "record.errors").read_text(errors="replace").strip()
    output = (folder / "record.output").read_text(errors="replace").strip()
    result = {"seconds": round(time.monotonic() - began), "status": status, "said": said,
              "printed": output, "problems": [],
              "memory": sampler.judged(BOUNDS), "model": summary(said),
              "bytes": path.stat().st_size if path.exists() else 0}
    if late or status or not re.search(r"^rounds \d+", output):
        result["problems"].append(f"the program did not come to its end: status {status}"
                                  f"{', its recording is too large' if too_large else ''}")
        return result
    check_counts(result, path, spemu)
    os.unlink(path)
    return result
