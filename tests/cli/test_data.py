# SPDX-License-Identifier: MIT
"""The memory sections of a report compared with the known lists: objects, cache-line offsets and
code, and pages."""
import collections
import json

import pytest

from clilib import make_recording, segments, spemu, write
from known import (ATOMIC, BIAS, CHILD, Known, L1, LOAD, PARENT, REFILL, STORE, THREAD, TLB)

WALK, PEER_CORE = 1 << 5, 9
STACK, STACK_SIZE, PAGE = 0x7ffff0000000, 8192, 4096


def make(folder):
    known = Known(folder, "char zeroed[65536];\n")
    a = known.address
    known.samples += [
        (0, PARENT, a["cold"] + 8, a["table"] + 1024, LOAD, L1 | TLB | REFILL | WALK, 60, 15, None, 9),
        (0, PARENT, a["cold"] + 8, STACK + 4096 + 24, LOAD, L1 | TLB | WALK, 30, 11, None, 0),
        (1, THREAD, a["cold"] + 12, STACK + 4096 + 24, STORE, L1 | TLB, 5, 13, None, None),
        (0, PARENT, a["cold"] + 12, 0x7e0000000000, STORE, L1 | TLB | WALK, 7, 3, None, None),
    ]
    known.stacks = [f"mmap {PARENT} 1100 {STACK} {STACK_SIZE} 0 rw- [stack]"]
    known.make(known.path)
    return known


def report(known, *args):
    result = spemu("report", "--json", "-n", "0", *args, known.path)
    assert result.returncode == 0, f"report {' '.join(args)}"
    return json.loads(result.stdout)


def accesses(known):
    return [s for s in known.samples if s[3] is not None]


def object_of(known, address):
    for name in ("pair", "table"):
        start = known.address[name]
        if start <= address < start + known.size[name]:
            return name
    return "[stack]" if STACK <= address < STACK + STACK_SIZE else "[unknown]"


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    made = make(tmp_path_factory.mktemp("known"))
    made.size = {"pair": 16, "table": 4096}
    return made


def test_objects(known):
    samples, cycles, threads = collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for s in accesses(known):
        name = object_of(known, s[3])
        samples[name] += s[7]
        cycles[name] += s[6] * s[7]
        threads[name].add(s[1])
    assert len(samples) == 4, "the lists have two globals, a stack, and unknown addresses"
    rows = {r["data"]: r for r in report(known, "--section", "objects")["objects"]}
    assert {k: r["samples"] for k, r in rows.items()} == dict(samples), "objects: samples"
    assert {k: r["threads"] for k, r in rows.items()} == {k: len(t) for k, t in threads.items()}, "objects: threads"
    whole = sum(s[6] * s[7] for s in known.samples)
    for name, row in rows.items():
        assert abs(row["cycles"] - 100 * cycles[name] / whole) < 0.001, f"objects: cycles of {name}\n{row}"
        assert abs(row["latency"] - cycles[name] / samples[name]) < 0.001, f"objects: latency of {name}\n{row}"
    assert ({k: (r["kind"], r["object"], r["size"]) for k, r in rows.items()} ==
            {"pair": ("global", "known", 16), "table": ("global", "known", 4096), "[stack]": ("stack", None, None),
             "[unknown]": ("unknown", None, None)}), "objects: kinds and sizes"
    walks = sum(s[7] for s in accesses(known) if object_of(known, s[3]) == "table" and s[5] & WALK)
    assert rows["table"]["tlb_refill_count"] == walks, "objects: the table has the columns of other tables"
    one = report(known, "--section", "objects", "--tid", str(THREAD))["objects"]
    assert ({r["data"]: r["samples"] for r in one} ==
            {k: sum(s[7] for s in accesses(known) if s[1] == THREAD and object_of(known, s[3]) == k)
             for k in ("pair", "table", "[stack]")}), "objects: filters apply"


def test_offsets(known):
    expected = collections.defaultdict(lambda: collections.Counter())
    line_samples, line_threads = collections.Counter(), collections.defaultdict(set)
    for s in accesses(known):
        line = (CHILD if s[1] == CHILD else PARENT, s[3] & ~63)
        e = expected[line + (s[3] & 63, s[2] - BIAS)]
        e["samples"] += s[7]
        e["cycles"] += s[6] * s[7]
        e["loads"] += s[7] * (s[4] == LOAD)
        e["stores"] += s[7] * (s[4] == STORE)
        e["atomics"] += s[7] * (s[4] == ATOMIC)
        e["l1d_refills"] += s[7] * bool(s[5] & REFILL)
        e["peer"] += s[7] * (s[9] == PEER_CORE)
        line_samples[line] += s[7]
        line_threads[line].add(s[1])
    rows = report(known, "--section", "offsets")["offsets"]
    got = {}
    for r in rows:
        symbol, _, plus = r["symbol"].partition("+")
        pc = known.symbols[symbol] + int(plus or "0", 16)
        key = (r["pid"], int(r["line"], 16), int(r["offset"], 16), pc)
        assert key not in got, f"offsets: no two rows for the same line, offset and code\n{r}"
        got[key] = r
    assert set(got) == set(expected), "offsets: a row for each line, offset and code"
    for key, e in expected.items():
        r = got[key]
        for name in ("samples", "loads", "stores", "atomics", "l1d_refills", "peer"):
            assert r[name] == e[name], f"offsets: {name} of {key}"
        assert abs(r["latency"] - e["cycles"] / e["samples"]) < 0.001, f"offsets: latency\n{r}"
        assert abs(r["share"] - 100 * e["samples"] / line_samples[key[:2]]) < 0.001, f"offsets: share of the line\n{r}"
    pair = (PARENT, known.address["pair"])
    assert ([(r["sharing"], r["tids"], r["data"]) for k, r in sorted(got.items()) if k[:2] == pair] ==
            [("FALSE", str(THREAD), "pair"), ("FALSE", str(PARENT), "pair+0x8")]), "offsets: who writes which part of a falsely shared line"
    lines = [(r["pid"], r["line"]) for r in rows]
    contended = [r["sharing"] is not None for r in rows]
    assert contended == sorted(contended, reverse=True), "offsets: lines of several threads are first"
    assert len([1 for i, li in enumerate(lines) if i == 0 or li != lines[i - 1]]) == len(set(lines)), "offsets: rows of a line are together"


def test_pages(tmp_path, known):
    samples, walks, lines = collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for s in accesses(known):
        page = (CHILD if s[1] == CHILD else PARENT, s[3] & ~(PAGE - 1))
        samples[page] += s[7]
        walks[page] += s[7] * bool(s[5] & WALK)
        lines[page].add(s[3] & ~63)
    rows = report(known, "--section", "pages")["pages"]
    got = {(r["pid"], int(r["page"], 16)): r for r in rows}
    assert len(got) == len(rows), "pages: a row for each page"
    assert {k: r["samples"] for k, r in got.items()} == dict(samples), "pages: samples"
    assert {k: r["walks"] for k, r in got.items()} == dict(walks), "pages: TLB walks"
    assert {k: r["lines"] for k, r in got.items()} == {k: len(v) for k, v in lines.items()}, "pages: lines"
    assert [r["walks"] for r in rows] == sorted(walks.values(), reverse=True), "pages: most walks first"
    stack = got[PARENT, STACK + 4096]
    assert (stack["threads"], stack["data"], round(stack["walk_rate"], 3)) == (2, "[stack]", round(100 * 11 / 24, 3)), \
        "pages: the row of the stack"
    path = f"{tmp_path}/lines.data"
    make_recording("\n".join([f"create {path} 256", "comm 1 1 10 a exec",
                              *(f"rec pc={pc} tid=1 time=20 class=1 sub=0 ev=2 va={0x5000 + 16 * line}"
                                for pc in (4, 8) for line in (0, 1, 63, 64, 65, 255)), "aux 1 1 30 0 0", "finish"]) + "\n")
    rows = json.loads(spemu("report", "--json", "--section", "pages", "--line-size", "16", path).stdout)["pages"]
    assert [r["lines"] for r in rows] == [6], "pages: of 256 lines, each counts once"


def test_replaced(tmp_path, known):
    """When two programs are mapped at one address in turn, zeroed data belong to the program that
    was mapped last."""
    with open(known.elf, "rb") as f:
        other = write(tmp_path, "other", f.read().replace(b"\0zeroed\0", b"\0change\0"))
    offset, page = next((offset & ~(PAGE - 1), vaddr & ~(PAGE - 1))
                        for offset, vaddr, _, _, flags in segments(known.elf) if "W" in flags)
    path, address = f"{tmp_path}/replaced.data", BIAS + known.symbols["zeroed"] + 4 * PAGE
    lines = [f"create {path} 256", "comm 1 1 10 known exec"]
    for time, elf in ((20, known.elf), (30, other)):
        lines += [f"mmap 1 {time} {BIAS + page} {PAGE} {offset} rw- {elf}",
                  f"rec pc=4 tid=1 time={time + 1} class=1 sub=0 ev=2 va={address + time} n={time}"]
    make_recording("\n".join((*lines, "aux 1 1 50 0 0", "finish")) + "\n")
    rows = json.loads(spemu("report", "--json", "--section", "objects", path).stdout)["objects"]
    assert {row["data"]: row["samples"] for row in rows} == {"zeroed": 20, "change": 30}, "zeroed data of the last mapping"


def test_image(tmp_path, known):
    """Linux maps the image of a position-independent program as code, and then its data over it. perf records only the
    first mapping."""
    end = max(vaddr + size for _, vaddr, _, size, _ in segments(known.elf))
    path, names = f"{tmp_path}/image.data", ("pair", "table", "zeroed")
    lines = [f"create {path} 256", "comm 1 1 10 known exec",
             f"mmap 1 20 {BIAS} {end + PAGE & ~(PAGE - 1)} 0 r-x {known.elf}"]
    lines += [f"rec pc={known.address['hot']} tid=1 time=30 class=1 sub=0 ev=2 n={n} "
              f"va={BIAS + known.symbols[name] + 8}" for n, name in enumerate(names, 2)]
    make_recording("\n".join((*lines, "aux 1 1 50 0 0", "finish")) + "\n")
    told = json.loads(spemu("report", "--json", "--section", "objects,members", path).stdout)
    assert {row["data"]: row["samples"] for row in told["objects"]} == {"pair": 2, "table": 3, "zeroed": 4}
    assert ("b", 8, 2) in {(row["data_member"], row["type_offset"], row["samples"]) for row in told["members"]}


CONTENTION_CYCLES = 70  # the time to fetch a line from another core: each write of a thread costs the other one as much


def test_contention(tmp_path):
    """The cycles of contention are the same whether or not sections about data are shown, also on lines that many
    instructions access."""
    path, time, cycles, private = f"{tmp_path}/contended.data", 20, 0, 0
    lines = [f"create {path} 256", "comm 1 1 10 a exec", "fork 1 1 2 1 11"]
    for tid in 1, 2:
        for i in range(60):  # instructions
            line, count = i % 4, i % 7 + 1
            own = 0x10000 * tid * (line == 3)  # each thread has its own line 3
            for address in (64 * line + 32 * (tid - 1) + own, 64 * line + 32 * (tid - 1) + 8 + own):
                time += 1
                lines.append(f"rec pc={0x1000 + 4 * i} tid={tid} time={time} class=1 sub=1 ev=6 issue=2 total={5 + i} "
                             f"va={0x100000 + address:#x} n={count}")
                if own:
                    private += count * (5 + i)
                else:
                    cycles += count * (5 + i + CONTENTION_CYCLES)
        lines.append(f"aux 1 {tid} {time} {tid} 0")
    make_recording("\n".join([*lines, "finish"]) + "\n")
    whole = json.loads(spemu("report", "--json", path).stdout)
    for section in "reasons", "functions", "operations":
        alone = json.loads(spemu("report", "--json", "--section", section, path).stdout)
        assert alone[section] == whole[section] and "answer" not in alone, f"--section {section}"
    found = {row["area"]: row["cycles"] for row in whole["reasons"]}
    assert found["contention"] == cycles and sum(found.values()) == cycles + private, \
        "cycles of contention, and of lines that one thread has"


def test_sections(known):
    """Sections that were not requested are absent and cost nothing."""
    got = report(known, "--section", "pages")
    assert "pages" in got and "objects" not in got and "offsets" not in got, f"--section pages\n{list(got)}"
    assert {"objects", "offsets", "pages"} <= set(report(known)), "without --section, the report has all sections"
