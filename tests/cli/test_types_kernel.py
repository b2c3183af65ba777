# SPDX-License-Identifier: MIT
"""Types of a kernel's data. The kernel is a file with addresses and idioms of Linux: the current task in SP_EL0, copies
of variables for each CPU, and KASLR. Each function accesses members that are written beside it."""
import csv
import io
import os
import re
import subprocess

import pytest

from clilib import COMPILER, make_recording, nm, run, segments, spemu, write

TEXT, LINEAR = 0xffff800008010000, 0xffff000004000000

HEAD = """
struct page { unsigned long flags; void *owner; };
struct mm { long users; struct page *pages; };
struct task_struct { long state; struct mm *mm; int pid; char comm[16]; };
struct counters { long reads, writes; };
struct request { struct request *next; unsigned size; struct task_struct *task; };
struct lock { int owner; int depth; };
extern struct lock table[64], one_lock;
extern unsigned long __per_cpu_offset[8];
extern struct counters counters;
extern struct request *next_request(struct request *r);
static inline unsigned long cpu_offset(void)
{
	unsigned long offset;

	__asm__("mrs %0, tpidr_el1" : "=r"(offset));
	return offset;
}
static inline struct task_struct *get_current(void)
{
	unsigned long sp_el0;

	__asm__("mrs %0, sp_el0" : "=r"(sp_el0));
	return (struct task_struct *)sp_el0;
}
#define COPY(variable, offset) ((__typeof__(variable) *)((char *)&(variable) + (offset)))
"""

# A static key: the kernel replaces NOP by a branch. An alternative: it replaces a branch by NOP.
KEY = r'__asm__ goto("1: nop\n.pushsection __jump_table,\"aw\"\n.long 1b - ., %l[yes] - .\n.quad 0\n.popsection"'
FEATURE = r'''__asm__ goto("1: b %l[no]\n.pushsection .altinstructions,\"a\"\n.long 1b - ., 0\n.hword 0x8001\n.byte 4, 4\n"
                       ".popsection"'''

# Name of the function, and what its loads and stores access. The other unit, which defines the global variables, has no
# samples.
FUNCTIONS = {
    "own_pid": ("struct task_struct pid", "int own_pid(void) { return get_current()->pid; }"),
    "own_users": ("struct task_struct mm; struct mm users",
                  "long own_users(void) { return get_current()->mm->users; }"),
    "count": ("struct counters writes", "void count(void) { COPY(counters, cpu_offset())->writes++; }"),
    "count_of": ("long unsigned int; struct counters reads",
                 "long count_of(long cpu) { return COPY(counters, __per_cpu_offset[cpu])->reads; }"),
    "own_static": ("struct counters reads",
                   "static struct counters hidden; long own_static(void) { return ++hidden.reads; }"),
    "one": ("struct lock depth", "int one(void) { return one_lock.depth; }"),
    "any": ("struct lock owner", "int any(int i) { return table[i].owner; }"),
    "walk": ("struct request task; struct task_struct state; struct request next",
             "long walk(struct request *r) { long n = 0; for (; r; r = r->next) n += r->task->state; return n; }"),
    "keyed": ("struct request task; struct task_struct mm; struct mm users",
              "long keyed(struct request *r) { " + KEY + " : : \"r\"(r->task->mm) : : yes); return 0; "
              "yes: return r->task->mm->users; }"),
    "featured": ("struct request task; struct task_struct mm; struct mm users",
                 "long featured(struct request *r) { " + FEATURE + " : : \"r\"(r->task->mm) : : no); "
                 "return r->task->mm->users; no: return 0; }"),
    "after": ("struct request size; saved",
              "unsigned after(struct request *r) { return next_request(r)->size; }"),
}
OTHER = """
unsigned long __per_cpu_offset[8];
struct counters counters __attribute__((section(".data..percpu")));
struct lock table[64], one_lock;
struct request *next_request(struct request *r) { return r->next; }
"""
TABLES = """.section __jump_table,"aw"
.globl {0}start___jump_table, {0}alt_instructions{1}
{0}start___jump_table:
.section .altinstructions,"a"
{0}alt_instructions{1}:
"""
CLEAR = ".globl _text\n_text:\n.globl clear\n.type clear,%function\nclear: str wzr, [x0]\nret\n.size clear, . - clear\n"


def build(folder, padding=0):
    """Build the kernel, with `padding` bytes before the functions of the table."""
    write(folder, "sampled.c", HEAD + "\n".join(text for _, text in FUNCTIONS.values()))
    write(folder, "other.c", HEAD + OTHER)
    write(folder, "clear.s", TABLES.format("__", "") + ".text\n" + CLEAR + f".zero {padding}\n")
    write(folder, "end.s", TABLES.format("__", "_end").replace("start___", "stop___"))
    path = f"{folder}/vmlinux"
    subprocess.run([COMPILER, "-g", "-O2", "-ffreestanding", "-fno-pie", "-falign-functions=4", "-fno-align-loops",
                    "-fno-align-jumps", "-nostdlib", "-static", f"-Wl,-Ttext={TEXT:#x}", "-Wl,-e,count", "-Wl,--build-id=none", "-o", path,
                    *(f"{folder}/{name}" for name in ("clear.s", "sampled.c", "other.c", "end.s"))], check=True)
    return path


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("kernel"))


def accesses(kernel):
    """Return {function: addresses of its loads and stores}."""
    found, name = {}, None
    for line in run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", kernel).stdout.splitlines():
        if m := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            name = m[1]
        elif m := re.match(r" *([0-9a-f]+):\t(ld|st)\w+\t.*\[", line):
            found.setdefault(name, []).append(int(m[1], 16))
    return found


def answer_of(row):
    """Return the type, or else its source, and the member of a row of the export."""
    return f"{row['data_type'] or row['type_source']} {row['data_member']}".strip()


def types(kernel, folder, slide, length):
    """Record each load and store of the kernel, and the call of clear(). Return {function: types and members}."""
    path, symbols, base = f"{folder}/kernel.data", nm(kernel), TEXT + slide
    lines = [f"create {path} 256", "comm 1 1 10 cat exec", f"kmmap {base} {length} {base} - [kernel.kallsyms]_text"]
    # clear() has no debugging information, and comes before the code that declares the variable.
    records = [(symbols["clear"], symbols["table"] + slide + 8 * 5 + 4)]
    records += [(pc, LINEAR + 64 * i) for name in FUNCTIONS for i, pc in enumerate(accesses(kernel)[name])]
    lines += [f"rec pc={pc + slide} va={va} tid=1 time=20 class=1 sub=0 ev=2 total=5" for pc, va in records]
    make_recording("\n".join((*lines, "aux 1 1 30 0 0", "finish")) + "\n")
    result = spemu("export", "--format", "csv", "--vmlinux", kernel, path)
    assert (result.returncode, result.stderr) == (0, "")
    found = {}
    for row in csv.DictReader(io.StringIO(result.stdout)):
        found.setdefault(row["symbol"], set()).add(answer_of(row))
    return found


@pytest.mark.parametrize("slide", (0, 0x5600000))
@pytest.mark.parametrize("whole", (True, False), ids=("whole", "text"))
def test_kernel(kernel, tmp_path, slide, whole):
    """perf records a mapping of the whole upper half of the addresses, or one that ends before .bss."""
    ends = [vaddr + size for _, vaddr, size, _, flags in segments(kernel) if "E" in flags]
    got = types(kernel, tmp_path, slide, 0x7f0000000000 if whole else max(ends) - TEXT)
    wanted = {name: set(text.split("; ")) for name, (text, _) in FUNCTIONS.items()}
    assert got == {**wanted, "clear": {"struct lock depth"}}


MODULE_TEXT = 0xffff800001200000
MODULE = {
    "first": ("struct request size",
              "__attribute__((section(\".text.first\"))) unsigned first(struct request *r) { return r->size; }"),
    "own_static": ("struct counters writes",
                   "static struct counters shared[4]; long own_static(int i) { return shared[i].writes++; }"),
    "other_static": ("struct lock depth", "int other_static(int i) { return table[i].depth; }"),
    "other_call": ("struct request task; struct task_struct pid; saved",
                   "int other_call(struct request *r) { return next_request(r)->task->pid; }"),
    "last": ("struct counters reads", "void last(void) { COPY(counters, cpu_offset())->reads = 0; }"),
}


@pytest.mark.parametrize("named", ("path", "name", "folder of debugging information"))
def test_module(tmp_path, named):
    """The kernel puts the code of a module together. Data are found by relocations: variables of the module, and those
    of the kernel by their names."""
    recorded, root = "/lib/modules/6.1.0-known/kernel/a-module.ko", f"{tmp_path}/root"
    folder = f"{root}/{'usr/lib/debug' if named.startswith('folder') else ''}/lib/modules/6.1.0-known/kernel"
    os.makedirs(folder)
    write(tmp_path, "module.c", HEAD + "\n".join(text for _, text in MODULE.values()))
    subprocess.run([COMPILER, "-g", "-O2", "-ffreestanding", "-fno-pie", "-fno-unwind-tables",
                    "-fno-asynchronous-unwind-tables", "-c", "-o", f"{folder}/a-module.ko", f"{tmp_path}/module.c"],
                   check=True)
    # .text is the first section, and .text.first the next one with code.
    headers = run("aarch64-linux-gnu-readelf", "-SW", f"{folder}/a-module.ko").stdout
    size, align = re.search(r" \.text +PROGBITS +\S+ \S+ (\S+) .* (\d+)$", headers, re.M).groups()
    assert int(align) <= 16
    place = {".text": 0, ".text.first": int(size, 16) + 15 & ~15}
    lines = [f"create {tmp_path}/module.data 256", "comm 1 1 10 cat exec",
             f"kmmap {MODULE_TEXT} 0x4000 0 - {'[a_module]' if named == 'name' else recorded}"]
    listing = run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", f"{folder}/a-module.ko").stdout
    for line in listing.splitlines():
        if m := re.match(r"Disassembly of section (\S+):", line):
            start = MODULE_TEXT + place[m[1]]
        elif m := re.match(r" *([0-9a-f]+):\t(ld|st)\w+\t.*\[", line):
            lines.append(f"rec pc={start + int(m[1], 16)} va={LINEAR} tid=1 time=20 class=1 sub=0 ev=2 total=5")
    make_recording("\n".join((*lines, "aux 1 1 30 0 0", "finish")) + "\n")
    result = spemu("export", "--format", "csv", "-L", root, f"{tmp_path}/module.data")
    assert (result.returncode, result.stderr) == (0, "")
    got, files = {}, set()
    for row in csv.DictReader(io.StringIO(result.stdout)):
        got.setdefault(row["symbol"], set()).add(answer_of(row))
        files.add((row["object"], os.path.basename(row["file"])))
    assert got == {name: set(text.split("; ")) for name, (text, _) in MODULE.items()}
    assert files == {("[a_module]", "module.c")}, "lines of a module"


def test_published_bytes(tmp_path):
    """The published records of a Neoverse N1 server, which runs its kernel at EL2: a load at PC from VA, and a branch.
    The load is own_pid()'s in a kernel that is built to match."""
    pc, va, text = 0xffffba66eda1c2d0, 0xffff0e3703096b28, 0xffffba66eda00000
    load = ("b0d0c2a1ed66baffc00000000000" "65805f00004900521600990400980c00b2286b0903370eff00" "9a0100" + "00" * 9 +
            "430000" "00712e652f6a0a000000")
    branch = ("b0e0b0efed66baffc00000000000" "650e0000004a0152420099100098" "1100b1e4b0efed66baffc0" + "00" * 16 +
              "718d652f6a0a000000")
    kernel = build(tmp_path)
    kernel = build(tmp_path, pc - text + TEXT - accesses(kernel)["own_pid"][0])
    assert accesses(kernel)["own_pid"] == [pc - text + TEXT]
    path = f"{tmp_path}/published.data"
    make_recording(f"create {path} 256\nkmmap {text} 0x1000000 {text} - [kernel.kallsyms]_text\n"
                   f"bytes {load}\nbytes {branch}\naux 1 1 30 0 0\nfinish\n")
    result = spemu("export", "--format", "csv", "--vmlinux", kernel, path)
    assert (result.returncode, result.stderr) == (0, "")
    row = next(csv.DictReader(io.StringIO(result.stdout)))
    assert (row["symbol"], int(row["va"], 16), row["tid"]) == ("own_pid", va, str(0x5f80)), "the sample"
    assert (row["data_type"], row["data_member"], row["type_source"]) == ("struct task_struct", "pid", "register")
    assert int(row["data_base"], 16) == va - 16, "the task begins 16 bytes before its member pid"
