# SPDX-License-Identifier: MIT
"""The page of `spemu report --html`: it embeds the data of --json, and hostile data cannot break
out of the embedding script element (the island)."""
import base64
import collections
import hashlib
import html.parser
import itertools
import json
import os
import re

import exported
import vision

from clilib import compile_c, make_recording, nm, not_fit, refuses, run, spemu, stack_nodes, write

PROGRAM = r'''
int values[64];
__attribute__((noipa)) int inner(int i)
{
        return values[i & 63];
}
int main(void)
{
        int sum = 0;
        for (int i = 0; i < 100; i++)
                sum += inner(i);
        return sum & 1;
}
'''
TEMPLATE_MOST = 200_000  # far below the 2 MB that a page without data may have


class Page(html.parser.HTMLParser):
    """Parse a page into elements with attributes and text. As for a browser, the text of scripts and styles is not
    markup."""

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.elements, self.text, self.inside = [], text, False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))
        self.inside = True

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.elements[-1][2].append(data)

    def all(self, tag):
        return [(attrs, "".join(text)) for name, attrs, text in self.elements if name == tag]

    def island(self):
        """Return the text of the element with the data, and the page without this text."""
        texts = [text for attrs, text in self.all("script") if attrs.get("type") == "application/json"]
        assert len(texts) == 1, texts
        return texts[0], self.text.replace(texts[0], "")


def page_of(*args):
    result = spemu("report", "--quiet", "--html", "-", *args)
    assert (result.returncode, result.stderr) == (0, ""), result
    return Page(result.stdout)


def data_of(page):
    return json.loads(page.island()[0])


def make_known(folder):
    """Make a recording with 200 samples of inner() and 50 of main(), loads and branches. Return its
    path."""
    program = compile_c(folder, "known", PROGRAM)
    symbols = nm(program)
    path = f"{folder}/known.data"
    lines = [f"create {path} 256", "comm 1 1 10 known exec", f"mmap 1 11 0 0x100000 0 r-x {program}"]
    for i in range(200):
        lines.append(f"rec pc={symbols['inner'] + 4 * (i % 2):#x} tid=1 time={20 + i} class=1 sub=0 ev=0x16 "
                     f"total={5 + i} issue=2 va={0x500000 + 8 * (i % 40):#x}")
    lines.append(f"rec pc={symbols['main']:#x} tid=1 time=900 class=2 sub=1 ev=0x82 total=9 n=50")
    make_recording("\n".join([*lines, "aux 1 1 2000 0 0", "finish"]) + "\n")
    return path


def test_rows(tmp_path):
    path = make_known(tmp_path)
    for options in ((), ("-n", "3"), ("--section", "functions,pages"), ("-s", "sym,srcline", "-F", "+mispred")):
        page = data_of(page_of(path, *options))
        extra = page.pop("page")
        more = {} if "--section" in options else {key: page.pop(key) for key in ("layout", "unknown")}
        report = json.loads(spemu("report", "--json", *(options if "-n" in options else ("-n", "500", *options)),
                                  path).stdout)
        assert page == report, f"the page has the data of --json {options}"
        for table in extra["tables"]:
            rows = (report | more)[table["key"]]
            assert table["title"] and all(list(row) == [c["key"] for c in table["columns"]] for row in rows), \
                f"the columns of table {table['key']} are the members of its rows {options}"
        shown = [t["key"] for t in extra["tables"] if t["key"] not in more]
        assert shown == [key for key, value in report.items() if isinstance(value, list) and
                         key not in ("answer", "command_line")], f"the page shows every section {options}"


LONG = ("_ZNSt3mapISt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS6_EEiSt4lessIS8_E"
        "SaISt4pairIKS8_iEEE2atERSA_")


def test_names(tmp_path):
    """The page has the short form of a long symbol. Its data have the whole symbol, as JSON does."""
    source = PROGRAM.replace("int inner(int i)", f'int inner(int) __asm__("{LONG}");\n'
                                                 "__attribute__((noipa)) int inner(int i)")
    program = compile_c(tmp_path, "known", source)
    symbols, path = nm(program), f"{tmp_path}/known.data"
    text = [f"create {path} 256 stacks", "comm 1 1 10 known exec", f"mmap 1 11 0 0x100000 0 r-x {program}"]
    text += [f"rec pc={symbols[name]:#x} tid=1 time=20 class=0 sub=0 ev=2 total=5" for name in (LONG, "main")]
    make_recording("\n".join((*text, "aux 1 1 2000 0 0", "finish")) + "\n")
    whole = run("aarch64-linux-gnu-c++filt", LONG).stdout.strip()
    page = data_of(page_of(path))
    names = page["page"]["names"]
    shown = {"std::map<...>::at(...)": whole, "[.] std::map<...>::at(...)": f"[.] {whole}",
             "std::map<...>::at(...)+0x0": f"{whole}+0x0"}
    assert len(whole) > 100 and {short: name for name, short in names.items()}.items() <= shown.items(), \
        f"the short form of each long symbol\n{names}"
    assert {whole, f"[.] {whole}"} <= set(names), f"functions with and without their level\n{names}"
    assert {f["symbol"] for f in page["functions"]} == {whole, "main"}, "the data have whole symbols"
    assert {f["symbol"] for f in page["page"]["source"]["functions"]} == {whole, "main"}, "the source, too"


def test_left_out(tmp_path):
    page = data_of(page_of(make_known(tmp_path), "-n", "1"))
    tables = {t["key"]: t for t in page["page"]["tables"]}
    assert (len(page["functions"]), tables["functions"]["left_out"]) == (1, 1), \
        "the page counts the rows that the limit omits"


def test_source(tmp_path):
    """The lines of a function add up to the samples of the function, and have the text of the
    source."""
    path = make_known(tmp_path)
    page = data_of(page_of(path))
    functions = {f["symbol"]: f for f in page["page"]["source"]["functions"]}
    assert {name: f["samples"] for name, f in functions.items()} == {"inner": 200, "main": 50}, \
        "the functions and their samples"
    for name, f in functions.items():
        assert sum(line["samples"] for line in f["lines"]) == f["samples"], f"the lines of {name} add up to its samples"
    files = page["page"]["source"]["files"]
    assert [(os.path.basename(f["file"]), f["found"]) for f in files] == [("known.c", True)], "the source file is found"
    text = PROGRAM.split("\n")
    assert files[0]["lines"] and all(line == text[number - 1].rstrip() for number, line in files[0]["lines"]), \
        f"the lines have the text of the source\n{files[0]['lines']}"
    sampled = {line["line"] for f in functions.values() for line in f["lines"]}
    assert sampled <= {number for number, _ in files[0]["lines"]}, "every sampled line has its text"
    os.rename(f"{tmp_path}/known.c", f"{tmp_path}/moved.c")
    assert [(f["found"], f["lines"]) for f in data_of(page_of(path))["page"]["source"]["files"]] == [(False, [])], \
        "a missing source file is reported as missing"
    os.mkdir(f"{tmp_path}/below")
    os.rename(f"{tmp_path}/moved.c", f"{tmp_path}/below/known.c")
    assert [f["found"] for f in data_of(page_of(path, "--source", f"{tmp_path}/below"))["page"]["source"]["files"]] == [True], \
        "--source finds the source file"


def instructions_of(function):
    """Return {address: instruction} of the lines of a function on the page."""
    found = [i for line in function["lines"] for i in line.get("instructions", [])]
    assert len({i["address"] for i in found}) == len(found), "an instruction is on one line"
    return {int(i["address"], 16): i for i in found}


def test_instructions(tmp_path):
    """Each line has its sampled instructions, with the text of objdump, and they add up to the line."""
    path = make_known(tmp_path)
    program, page = f"{tmp_path}/known", data_of(page_of(path))
    code = run("aarch64-linux-gnu-objdump", "-d", program).stdout
    mnemonic = {int(a, 16): word for a, word in re.findall(r"^ *([0-9a-f]+):\t[0-9a-f]{8} \t(\S+)", code, re.M)}
    start = nm(program)
    functions = {f["symbol"]: f for f in page["page"]["source"]["functions"]}
    for f in functions.values():
        for line in f["lines"]:
            for key in ("samples", "cycles"):
                parts = sum(i[key] for i in line["instructions"])
                assert abs(parts - line[key]) < 1e-3, f"the {key} of the instructions add up to the line"
    loads = {n: (sum(5 + i for i in range(n, 200, 2)), "L1 loads") for n in range(2)}
    expected = {start["inner"] + 4 * n: (100, cycles / 100, reason) for n, (cycles, reason) in loads.items()}
    expected[start["main"]] = (50, 9, "mispredicted")
    found = {**instructions_of(functions["inner"]), **instructions_of(functions["main"])}
    assert {a: (i["samples"], i["latency"], i["reason"]) for a, i in found.items()} == expected, \
        "the samples, the mean latency and the reason of each instruction"
    assert {a: i["text"].split()[0] for a, i in found.items()} == {a: mnemonic[a] for a in found}, "the text of objdump"
    os.rename(program, program + ".away")
    moved = {f["symbol"]: f for f in data_of(page_of(path))["page"]["source"]["functions"]}
    assert not any("instructions" in line for f in moved.values() for line in f["lines"]), \
        "code without a symbol has no instructions"
    os.mkdir(f"{tmp_path}/bin")
    os.rename(program + ".away", program)
    result = spemu("report", "--quiet", "--html", "-", path, env={"PATH": f"{tmp_path}/bin"})
    bare = {f["symbol"]: f for f in data_of(Page(result.stdout))["page"]["source"]["functions"]}["inner"]
    assert "objdump was not found; install binutils" in bare["no_disassembly"], \
        "without objdump, the page says what to do"
    assert (instructions_of(bare).keys(), {i["text"] for i in instructions_of(bare).values()}) == \
        (instructions_of(functions["inner"]).keys(), {None}), "the instructions have their counts, but no text"


LOAD, STORE, BRANCH = (1, 0), (1, 1), (2, 1)
# A stack with the outermost function first, operation, events, issue, translation, total, count, and the reason of the
# execution. The shortest issue latency is 2.
STACKS = (
    (("main", "work", "inner"), LOAD, 0x216, 2, 0, 200, 3, "DRAM loads"),
    (("main", "work", "inner"), LOAD, 0x36, 7, 40, 60, 2, "L1 loads"),
    (("main", "work"), BRANCH, 0x82, 2, 0, 5, 4, "mispredicted"),
    (("main", "work", "other", "work", "inner"), LOAD, 0x16, 2, 0, 6, 5, "L1 loads"),
    (("main", "other"), STORE, 0x16, 2, 0, 4, 6, "stores"),
)


def make_stacks(folder):
    """Make a recording with the samples of STACKS. Return its path."""
    program, path = compile_c(folder, "calls", exported.SOURCE), f"{folder}/calls.data"
    code = run("aarch64-linux-gnu-objdump", "-d", program).stdout
    at = {name: int(re.search(rf"^ *([0-9a-f]+):.*mov\s+xzr, #{number}\b", code, re.M)[1], 16)
          for name, number in (("inner", "0x101"), ("work", "0x102"), ("other", "0x103"), ("main", "0x104"))}
    lines, time = [f"create {path} 256 stacks", "comm 1 1 10 calls exec", f"mmap 1 11 0 0x100000 0 r-x {program}"], 20
    for functions, (kind, subclass), events, issue, translation, total, count, _ in STACKS:
        physical = [f for f in functions if f != "inner"]
        pc, callers = at[functions[-1]], [f"{at[f] + 4:#x}" for f in reversed(physical[:-1])]
        for _ in range(count):
            time += 1
            lines += [f"stack 1 1 {time} {pc:#x} {' '.join(callers)}",
                      f"rec pc={pc:#x} tid=1 time={time} class={kind} sub={subclass} ev={events:#x} issue={issue} "
                      f"xlat={translation} total={total}" + (f" va={0x500000 + 64 * time:#x}" if kind == 1 else "")]
    make_recording("\n".join([*lines, "aux 1 1 2000 0 0", "finish"]) + "\n")
    return path


def test_stacks(tmp_path):
    """The tree of functions has inlined functions, and the cycles of each node by reason."""
    report = data_of(page_of(make_stacks(tmp_path)))
    page, stacks = report["page"], report["page"]["stacks"]
    names = [f[0] for f in stacks["functions"]]
    assert {name: f[1:2] + f[3:] for name, f in zip(names, stacks["functions"])} == \
        {name: ["calls", int(name == "inner")] for name in ("main", "work", "inner", "other")}, \
        "functions have their object, and one is inlined"
    assert len({f[2] for f in stacks["functions"]}) == 4, "functions with different names have different numbers"
    found = {tuple(names[f] for f in path): numbers for path, *numbers in stack_nodes(page)}
    expected = collections.defaultdict(lambda: [0, 0, collections.Counter()])
    for functions, _, events, issue, translation, total, count, reason in STACKS:
        for depth in range(1, len(functions)):
            expected[functions[:depth]][0] += 0
        node = expected[functions]
        node[0] += count
        node[1] += total * count
        penalty = 12 if reason == "mispredicted" else 0
        node[2].update({"issue wait": (issue - 2) * count, "TLB walks": translation * count,
                        reason: (total - issue - translation + 2 + penalty) * count})
    expected = {path: [samples, cycles, dict(+reasons)] for path, (samples, cycles, reasons) in expected.items()}
    assert found == expected, "samples, cycles and reasons of each node"
    totals = collections.Counter()
    for functions, *_, count, _ in STACKS:
        totals.update({name: count for name in set(functions)})
    assert {row["symbol"]: row["total_samples"] for row in report["totals"]} == totals, "totals follow from the tree"


FRAMES_MOST = 20_000


def test_small_frames(tmp_path):
    """The page shows the 20,000 heaviest frames. The others are frames "other", which have all of their samples, also
    where the outermost functions are small."""
    functions = "".join(f".type f{i},%function\nf{i}: nop\n.size f{i}, 4\n" for i in range(300))
    write(tmp_path, "many.s", ".text\n" + functions)
    program = compile_c(tmp_path, "many", "int main(void) { return 0; }\n", f"{tmp_path}/many.s")
    at, path = nm(program), f"{tmp_path}/many.data"
    # {functions of a stack: number of samples}. Each frame of the first ones has two samples, of the others one.
    stacks = {(f"f{i}", f"f{j}"): 2 if i < 100 else 1 for i in range(250) for j in range(150 if i < 100 else 50)}
    stacks.update({(f"f{i}",): 1 for i in range(250, 290)})
    lines, time = [f"create {path} 256 stacks", "comm 1 1 10 many exec", f"mmap 1 11 0 0x100000 0 r-x {program}"], 20
    for functions, count in stacks.items():
        pc, callers = at[functions[-1]], " ".join(f"{at[f] + 4:#x}" for f in reversed(functions[:-1]))
        for _ in range(count):
            time += 1
            lines += [f"stack 1 1 {time} {pc:#x} {callers}",
                      f"rec pc={pc:#x} tid=1 time={time} class=1 sub=0 ev=0x16 issue=2 total=6"]
    make_recording("\n".join([*lines, "aux 1 1 100000 0 0", "finish"]) + "\n")
    page = data_of(page_of(path))["page"]
    names = [f[0] for f in page["stacks"]["functions"]]
    shown, other = {}, {}
    for path, *numbers, reasons in stack_nodes(page):
        assert sum(reasons.values()) == numbers[1], "each frame has its cycles by reason"
        if path[-1] < 0:
            other[tuple(names[f] for f in path[:-1])] = (-path[-1], *numbers)
        else:
            shown[tuple(names[f] for f in path)] = numbers
    frames = {**{functions[:1]: 0 for functions in stacks}, **stacks}
    assert len(shown) == FRAMES_MOST and page["stacks"]["small"] == len(frames) - FRAMES_MOST, "number of frames"
    assert shown == {functions: [frames[functions], 6 * frames[functions]] for functions in shown}, "shown frames"
    assert all(functions in shown for functions, count in stacks.items() if count == 2), "the heaviest are shown"
    expected = collections.Counter(functions[:-1] for functions in frames if functions not in shown)
    assert other == {caller: (n, n, 6 * n) for caller, n in expected.items()} and other[()], \
        "a frame \"other\" has the number and the samples of the frames that are not shown"


def test_same_functions(tmp_path):
    """An inlined copy has the number of its function. Static functions of one name have different numbers."""
    text = """#define MARK(n) __asm__ volatile("movz xzr, #" #n)
%s void twice(void) { MARK(%s); }
__attribute__((noipa)) void %s(void) { twice(); }
"""
    for name, mark in (("first", "0x101"), ("second", "0x102")):
        with open(f"{tmp_path}/{name}.c", "w", encoding="utf-8") as f:
            f.write("\n" * (name == "second") + text % ("static __attribute__((noinline))", mark, name))
    program = compile_c(tmp_path, "same", """#define MARK(n) __asm__ volatile("movz xzr, #" #n)
void first(void), second(void);
inline __attribute__((always_inline)) void both(void) { MARK(0x103); }
extern inline void both(void);
void (*volatile call)(void) = both;
int main(void) { first(); second(); call(); both(); return 0; }
""", f"{tmp_path}/first.c", f"{tmp_path}/second.c")
    code = run("aarch64-linux-gnu-objdump", "-d", program).stdout
    marks = [int(a, 16) for a in re.findall(r"^ *([0-9a-f]+):.*mov\s+xzr, #0x10[123]\b", code, re.M)]
    assert len(marks) == 4, f"both() is inlined once and exists once\n{code}"
    path = f"{tmp_path}/same.data"
    lines = [f"create {path} 256 stacks", "comm 1 1 10 same exec", f"mmap 1 11 0 0x100000 0 r-x {program}"]
    for time, pc in enumerate(marks, 20):
        lines += [f"stack 1 1 {time} {pc:#x}", f"rec pc={pc:#x} tid=1 time={time} class=0 sub=0 total=3 issue=1"]
    make_recording("\n".join([*lines, "aux 1 1 2000 0 0", "finish"]) + "\n")
    same = collections.defaultdict(set)
    for name, _, number, inlined in data_of(page_of(path))["page"]["stacks"]["functions"]:
        same[name, inlined].add(number)
    assert len(same["both", 0]) == 1 and same["both", 0] == same["both", 1], f"an inlined copy is the same\n{same}"
    assert len(same["twice", 0]) == 2, f"two functions of the same name are not the same\n{same}"


def test_colors(tmp_path):
    """Each reason has its own color or pattern. The color-blind can tell the colors apart, and text on
    them has enough contrast."""
    page = page_of(make_stacks(tmp_path))
    style = "".join(text for _, text in page.all("style"))
    color = {name: vision.linear(value) for name, value in re.findall(r"--k-([a-z0-9]+): (#[0-9a-f]{6});", style)}
    ink = {kind: text for kinds, text in re.findall(r":is\(([^)]*)\) \{ color: (#[0-9a-f]{3});", style)
           for kind in re.findall(r"\.k-([a-z0-9]+)", kinds)}
    assert len(color) >= 12 and color.keys() == ink.keys(), "each color of an area has a color for text on it"
    faint = {kind: vision.contrast(color[kind], vision.linear(ink[kind])) for kind in color}
    assert min(faint.values()) >= 4.5, f"text on a color has enough contrast\n{faint}"
    for kind, other in itertools.combinations(color, 2):
        for sight in vision.SIGHTS:
            apart = vision.distance(color[kind], color[other], sight)
            assert apart > 0.1, f"{kind} and {other} differ for {sight} vision"
    script = "".join(text for attrs, text in page.all("script") if attrs.get("type") != "application/json")
    areas = re.findall(r"'?([\w -]+)'?: '([a-z0-9]+)'", re.search(r"const AREAS = \{(.*?)\};", script, re.DOTALL)[1])
    patterns = re.search(r"const PATTERNS = \[(.*?)\];", script)[1].split(", ")
    reasons = collections.Counter(area for _, area in data_of(page)["page"]["reasons"])
    assert dict(areas).keys() == reasons.keys() and set(dict(areas).values()) == color.keys(), "each area has its color"
    assert max(reasons.values()) <= len(patterns), "each reason of an area has its pattern"


def test_diff(tmp_path):
    """The page has the data of diff --json. For each side it has the data of the side's own
    page."""
    old, new = make_known(tmp_path), f"{tmp_path}/new.data"
    hostile_recording(new, b"</script>")
    result = spemu("diff", "--quiet", "--html", "-", old, new)
    assert (result.returncode, result.stderr) == (0, ""), "diff --html"
    page = data_of(Page(result.stdout))
    extra = page.pop("page")
    assert page == json.loads(spemu("diff", "--quiet", "--json", "-n", "500", old, new).stdout), \
        "the page has the data of --json"
    assert [t["key"] for t in extra["tables"]] == ["functions", "lines", "events"], "the page shows every section"
    own = [data_of(page_of(path)) for path in (old, new)]
    assert extra["names"] == {k: v for side in own for k, v in side["page"].pop("names").items()}, \
        "the page has the short names of both sides"
    assert extra["sides"] == own, "each side has the data of its own page"
    assert extra["note"] in spemu("diff", "--quiet", old, new).stdout.replace("\n# ", " "), \
        f"the change of the total\n{extra['note']}"
    for options in (("-S", "inner"), ("-n", "1")):
        page = data_of(Page(spemu("diff", "--quiet", "--html", "-", *options, old, new).stdout))
        own = data_of(page_of(old, *options))
        del own["page"]["names"]  # the page of a diff has the names of both sides
        assert page["page"]["sides"][0] == own, f"options apply to the sides, too {options}"
    refuses("standard input", 2, "reads each recording twice", "diff", "--html", f"{tmp_path}/x.html", "-", new)
    refuses("a recording as the page of a diff", 125, "is a recording", "diff", "--html", old, old, new)


def cells_of(heat):
    """Return {(time, address): numbers} of the cells of a heat map. Times and addresses are shifted
    to the size of a cell."""
    first, shift = int(heat["first_time"]), heat["address_shift"]
    found = {}
    for area in heat["areas"]:
        numbers = iter(area["cells"])
        for offset, time, *sums in zip(*[numbers] * 6):
            found[(first >> heat["time_shift"]) + time, (int(area["start"], 16) >> shift) + offset] = sums
    return found


def heat_of(accesses, heat):
    """Compute the cells for memory accesses (time, address, is a write, cycles), with the cell size
    of a heat map."""
    expected = {}
    for time, address, write, cycles in accesses:
        sums = expected.setdefault((time >> heat["time_shift"], address >> heat["address_shift"]), [0] * 4)
        for i, n in enumerate((1, write, 1, cycles)):
            sums[i] += n
    return expected


def test_heat(tmp_path):
    """The cells contain every recorded sample, whatever their size, and their number is bounded."""
    path, times = f"{tmp_path}/heat.data", {}
    # In "near", all times are within 500 ticks. So only the addresses become coarser.
    for what, count, spread, begin, span in (("few", 50, 10, 1000, 1 << 40), ("many", 40000, 30000, 1000, 1 << 40),
                                             ("near", 40000, 30000, 1000000, 500)):
        accesses = [(begin + 700 * i % span, 0x500000 + 64 * (i * 7919 % spread), i % 3 == 0, 5 + i % 90) for i in range(count)]
        make_recording("\n".join([f"create {path} 256", "comm 1 1 10 heat exec",
                                  *(f"rec pc=0x10004 tid=1 time={time} class=1 sub={int(write)} ev=0x16 total={cycles} va={address:#x}"
                                    for time, address, write, cycles in accesses),
                                  f"aux 1 1 {max(accesses)[0] + 1} 0 0", "finish"]) + "\n")
        heat = data_of(page_of(path, "--section", "answer"))["page"]["heat"]
        times[what] = heat["time_shift"]
        cells = cells_of(heat)
        assert (cells == heat_of(accesses, heat)) is True, \
            f"{what} accesses are in the cells of their times and addresses"
        assert (heat["without_time"], sum(sums[0] for sums in cells.values())) == (0, count), \
            f"{what}: no access is missing"
        assert len(cells) <= 16384, f"{what}: at most 16384 cells"
    assert times["few"] == 0, "a few accesses keep their exact times"
    assert times["many"] > 0, "many accesses have coarser times"
    assert times["near"] == 0, "times within a short span stay exact"


def test_heat_of_several(tmp_path):
    """The areas of different recordings are separate. They are in the order of the recordings and
    addresses."""
    paths = [f"{tmp_path}/heat{n}.data" for n in range(3)]
    for n, path in enumerate(paths):
        make_recording("\n".join([f"create {path} 256", "comm 1 1 10 heat exec",
                                  *(f"rec pc=0x10004 tid=1 time={1000 + i} class=1 sub=0 ev=0x16 total=5 va={(n + 1) * 0x500000 + 64 * i:#x}"
                                    for i in range(40)), "aux 1 1 5000 0 0", "finish"]) + "\n")
    areas = data_of(page_of(*paths, "--section", "answer"))["page"]["heat"]["areas"]
    assert [(area["input"], sum(area["cells"][2::6])) for area in areas] == [(0, 40), (1, 40), (2, 40)], \
        "an area for each recording"


def test_heat_names(tmp_path):
    """An access has the name of its mapping, even if its cell begins before the mapping."""
    # The accesses are 12 KiB apart. They need more than the permitted 16384 cells until a cell has
    # 16 KiB.
    base, step, count, path = 0x50000000, 0x3000, 20000, f"{tmp_path}/names.data"
    make_recording("\n".join([f"create {path} 256", "comm 1 1 10 heat exec",
                              f"mmap 1 11 {base + 0x5000:#x} 0x3000 0 rw- /second",
                              *("rec pc=0x10004 tid=1 time=1000 class=1 sub=0 ev=0x16 total=5 "
                                f"va={base + step * i:#x}" for i in range(count)),
                              "aux 1 1 5000 0 0", "finish"]) + "\n")
    heat = data_of(page_of(path, "--section", "answer"))["page"]["heat"]
    assert heat["address_shift"] == 14, "a cell has 16 KiB"
    # The first cell contains accesses 0 and 1. Access 2 is alone in the second cell, and the others
    # are in no mapping.
    assert ([(area["name"], area["start"], sum(area["cells"][2::6])) for area in heat["areas"]] ==
            [("[unknown]", hex(base), 2), ("second", hex(base + 0x4000), 1),
             ("[unknown]", hex(base + 0x8000), count - 3)]), \
                 "a mapping keeps its name, although its cell begins before it"


def hostile_recording(path, name):
    """Make a recording whose program path is `name`, which may be any bytes. The thread has the
    first 12 bytes as its name."""
    stand_in, thread = "n" * len(name), "t" * len(name[:12])
    make_recording("\n".join((f"create {path} 256", f"comm 1 1 10 {thread} exec",
                              f"mmap 1 11 0x10000 0x10000 0 r-x /{stand_in}",
                              "rec pc=0x10004 tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008 n=3",
                              "aux 1 1 30 0 0", "finish")) + "\n")
    with open(path, "rb") as f:
        image = f.read().replace(stand_in.encode(), name).replace(thread.encode(), name[:12])
    with open(path, "wb") as f:
        f.write(image)


def test_hostile(tmp_path):
    plain = f"{tmp_path}/plain.data"
    hostile_recording(plain, b"name")
    frame = page_of(plain).island()[1]
    names = [b"</script>", b"<!--<script>", b"<b>&amp;\"'", b"\xe2\x80\xa8\xe2\x80\xa9", b"]]>", b"a\\u003c/script",
             *(bad + b"name" for bad in (b"\x1b[31m", b"\n", b"\xff", b"\xe2\x80\xae")), b"a".join(not_fit())]
    for name in names:
        path = f"{tmp_path}/hostile.data"
        hostile_recording(path, name)
        page = page_of(path)
        island, around = page.island()
        assert not re.search("[<>&\u2028\u2029\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", island), \
            f"no markup and no control character is in the island: {name!r}\n{island[:300]}"
        assert around == frame, f"the page around the island is unchanged: {name!r}"
        data = json.loads(island)
        for key in ("page", "layout", "unknown"):
            data.pop(key)
        assert data == json.loads(spemu("report", "--json", "-n", "500", path).stdout), \
            f"the island has all data: {name!r}"


def test_policy(tmp_path):
    """The page runs only its own script and loads nothing."""
    plain = f"{tmp_path}/plain.data"
    hostile_recording(plain, b"name")
    page = page_of(plain)
    policies = [attrs["content"] for attrs, _ in page.all("meta") if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1, "the page has a content security policy"
    policy = dict((rule.split()[0], rule.split()[1:]) for rule in policies[0].split(";"))

    def hash_of(text):
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
    scripts = [text for attrs, text in page.all("script") if attrs.get("type") != "application/json"]
    styles = [text for _, text in page.all("style")]
    assert policy == {"default-src": ["'none'"], "script-src": [hash_of(t) for t in scripts],
                      "style-src": [hash_of(t) for t in styles], "base-uri": ["'none'"], "form-action": ["'none'"]}, \
        "the policy only allows the page's script and style, by their hashes"
    around = page.island()[1]
    assert len(around) < TEMPLATE_MOST, f"the page without its data is small: {len(around)}"
    assert "://" not in around and not re.search(r"(src|srcset|action|data|poster)\s*=\s*[\"']", around), \
        "the page refers to no other address"
    assert not re.search("innerHTML|outerHTML|insertAdjacentHTML|document.write|eval|new Function", around), \
        "names enter the page as text only"


def test_files(tmp_path):
    path = make_known(tmp_path)
    out = f"{tmp_path}/page.html"
    assert spemu("report", "--html", out, path).returncode == 0, "--html writes a page to a file"
    with open(out, encoding="utf-8") as f:
        assert f.read() == spemu("report", "--html", "-", path).stdout, "the file equals the page on standard output"
    assert spemu("report", "--html", out, path).returncode == 0, "--html replaces another page"
    refuses("a full disk", 125, "^spemu report: cannot write /dev/full: No space left on device; make room$",
            "report", "--html", "/dev/full", path)
    refuses("a folder that is not there", 125, "^spemu report: cannot write .*: No such file or directory$",
            "report", "--html", f"{tmp_path}/none/page.html", path)
    refuses("--html and --json", 2, "exclude each other", "report", "--html", out, "--json", path)
    with open(path, "rb") as f:
        before = f.read()
    refuses("a recording as the page", 125, "is a recording, and would be overwritten", "report", "--html", path)
    refuses("one of two recordings", 125, "is a recording", "report", "--html", path, out)
    with open(path, "rb") as f:
        assert f.read() == before, "the recording is unchanged"
