# SPDX-License-Identifier: MIT
"""The names of data sources depend on the core of the recording. As in perf's files, the MIDR
identifies the core."""
import collections
import csv
import io
import json

import pytest

from clilib import make_recording, refuses, spemu

# The values of ARM_SPE_COMMON_DS_* and ARM_SPE_AMPEREONE_* in Linux's
# tools/perf/util/arm-spe-decoder/arm-spe-decoder.h, with the words of --data-source. AmpereOne's 0x0 is a cache of the
# chip or a Device; perf calls it a peer core.
COMMON = {0x0: "L1", 0x8: "L2", 0x9: "peer-core", 0xa: "local-cluster", 0xb: "system-cache", 0xc: "peer-cluster",
          0xd: "remote", 0xe: "DRAM"}
AMPEREONE = {0x0: "peer-core", 0x3: "system-cache", 0x5: "remote", 0x7: "DRAM", 0x8: "L1", 0x9: "L2"}
MEANING = {"L1": "level 1 data cache", "L2": "level 2 cache", "peer-core": "peer core", "local-cluster": "local cluster",
           "system-cache": "system cache", "peer-cluster": "peer cluster", "remote": "remote socket", "DRAM": "memory"}
# The cores of common_ds_encoding_cpus and ampereone_ds_encoding_cpus in tools/perf/util/arm-spe.c, with MIDR_EL1 of any
# revision.
CORES = {"N1": (0x413fd0c1, COMMON), "V1": (0x411fd401, COMMON), "N2": (0x410fd493, COMMON), "V2": (0x410fd4f1, COMMON),
         "X1C": (0x410fd4c0, COMMON), "X3": (0x410fd4e0, COMMON), "A720": (0x410fd811, COMMON),
         "X925": (0x410fd850, COMMON), "A725": (0x410fd870, COMMON), "AmpereOne AC04": (0xc00fac40, AMPEREONE),
         "AmpereOne AC03": (0xc00fac30, {}), "an Arm core unknown": (0x410fd030, {}),
         "N1's part of another implementer": (0xc00fd0c1, {}), "no hardware": (0x000f0000, {})}
PAYLOADS = range(16)
WRITTEN = b"0x00000000413fd0c1"  # the CPUID that make_recording writes


def samples(payload):
    return payload + 1


def make(folder, core):
    """Make a recording with samples(payload) loads of each data source payload."""
    path = f"{folder}/{core.replace(' ', '-')}.data"
    make_recording("\n".join((
        f"create {path} 64", "comm 1 1 10 program exec",
        *(f"rec n={samples(p)} tid=1 time={100 + p} pc=0x1000 va=0x2000 class=1 sub=0 ev=0x2 total=10 src={p}"
          for p in PAYLOADS),
        "aux 1 1 500 0 0", "finish")) + "\n")
    with open(path, "rb") as f:
        data = f.read()
    assert data.count(WRITTEN) == 1, f"{core}: the recording has one CPUID"
    with open(path, "wb") as f:
        f.write(data.replace(WRITTEN, f"0x{CORES[core][0]:016x}".encode()))
    return path


def report(*args):
    return json.loads(spemu("report", "--json", "-n", "0", *args).stdout)


@pytest.mark.parametrize("core", CORES)
def test_section_and_words(tmp_path, core):
    names, path = CORES[core][1], make(tmp_path, core)
    rows = report("--section", "sources", path)["sources"]
    got = {int(r["source"], 16): (r.get("name"), r["samples"]) for r in rows}
    assert got == {p: (MEANING.get(names.get(p)), samples(p)) for p in PAYLOADS}, "--section sources"
    rows = report("-s", "mem", path)["functions"]
    assert {r["mem"]: r["samples"] for r in rows} == {names.get(p, f"0x{p:x}"): samples(p) for p in PAYLOADS}, "--sort mem"


def test_filter(tmp_path):
    for core in ("N2", "AmpereOne AC04"):
        names, path = CORES[core][1], make(tmp_path, core)
        for word in MEANING:
            assert report("--data-source", word, path)["samples"] == sum(samples(p) for p in PAYLOADS if names.get(p) == word), \
                f"{core}: --data-source {word}"
        assert (report("--data-source", "DRAM,2-3", path)["samples"] ==
                sum(samples(p) for p in PAYLOADS if names.get(p) == "DRAM" or p in (2, 3))), \
                    f"{core}: --data-source accepts a word with numbers"
    path = make(tmp_path, "AmpereOne AC03")
    assert report("--data-source", "7", path)["samples"] == samples(7), \
        "an unknown core: --data-source accepts a number"
    for command in (("report",), ("export", "--format", "csv")):
        refuses(f"a core unknown: {command[0]} with a word", 125, "is from a core whose data sources have no known names",
                *command, "--data-source", "DRAM", path)


def test_together(tmp_path):
    """Recordings of two cores in one report. The same payload has a different meaning for each
    core."""
    cores = ("V1", "AmpereOne AC04")
    paths = [make(tmp_path, core) for core in cores]
    both = collections.Counter()
    for core in cores:
        for p in PAYLOADS:
            name = CORES[core][1].get(p)
            both[p, MEANING.get(name)] += samples(p)
    rows = report("--section", "sources", *paths)["sources"]
    assert {(int(r["source"], 16), r.get("name")): r["samples"] for r in rows} == dict(both), "--section sources"
    for word in MEANING:
        assert report("--data-source", word, *paths)["samples"] == sum(n for (_, meaning), n in both.items() if meaning == MEANING[word]), \
            f"--data-source {word}"
    text = spemu("export", "--format", "csv", *paths).stdout
    got = collections.Counter((int(r["source"], 0), MEANING.get(r["source_name"])) for r in csv.DictReader(io.StringIO(text)))
    assert got == both, "export"
    text = spemu("export", "--format", "csv", "--data-source", "L1", *paths).stdout
    got = collections.Counter(int(r["source"], 0) for r in csv.DictReader(io.StringIO(text)))
    assert got == {0x0: samples(0x0), 0x8: samples(0x8)}, "export --data-source L1"
    words = collections.Counter()
    for core in cores:
        for p in PAYLOADS:
            words[CORES[core][1].get(p, f"0x{p:x}")] += samples(p)
    rows = report("-s", "mem", *paths)["functions"]
    assert sorted((r["mem"], r["samples"]) for r in rows) == sorted(words.items()), "--sort mem: a row for each word"
    rows = report("-s", "comm", "-F", "samples,data-source", *paths)["functions"]
    assert [r["data_source"] for r in rows] == [max(words, key=words.get)], "the most frequent data source, by its word"
