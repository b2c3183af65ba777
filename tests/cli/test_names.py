# SPDX-License-Identifier: MIT
"""Names of executed code: demangled symbols, PLT entries, kernel functions, modules, stripped and inlined functions.
Also hostile files."""
import bz2
import collections
import gzip
import lzma
import json
import os
import re
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from clilib import COMPILER, address_space, compile_c, make_recording, nm, refuses, run, spemu, write
from named import report, sampled, symbols
from zstd_stream import compressed

# Expected names come from specifications and their tests, never from spemu. The sources are the Itanium C++ ABI 5.1,
# RFC 2603 and rustc-demangle for Rust, and the ABI page and the tests of the demangler for D.
PUBLISHED = {
    "_Z1fv": "f()",
    "_Z3foo3bar": "foo(bar)",
    "_Zrm1XS_": "operator%(X, X)",
    "_ZN1N1TIiiE2mfES0_IddE": "N::T<int, int>::mf(N::T<double, double>)",
    "_Z5firstI3DuoEvS0_": "void first<Duo>(Duo)",
    "_ZNSt6vectorIiSaIiEE9push_backERKi": "std::vector<int, std::allocator<int> >::push_back(int const&)",
    "_RNvC6_123foo3bar": "123foo::bar",
    "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_": "cc::spawn::{closure#0}::{closure#0}",
    "_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9rpositionNCNgNpB9_6memchr7"
    "memrchrs_0E0Bb_":
        "<core::slice::Iter<u8> as core::iter::iterator::Iterator>::rposition::<core::slice::memchr::memrchr::"
        "{closure#1}>::{closure#0}",
    "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE": "core::fmt::Formatter::write_str",
    "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE":
        "<Test + 'static as foo::Bar<Test>>::bar",
    "_D8demangle4testFaZv": "demangle.test(char)",
    "_D8demangle4testFAaZv": "demangle.test(char[])",
    "plain_name": "plain_name",
    "_Znonsense": "_Znonsense",
    "_Rnonsense": "_Rnonsense",
}


def functions_elf(folder, file, names, flags=()):
    """Build a program with a function of 16 bytes for each name, in this order."""
    text = [".text", ".globl _start", "_start: nop"]
    for name in names:
        text += [".balign 16", f'.type "{name}",%function', f'"{name}": .rept 4', "nop", ".endr",
                 f'.size "{name}", 16']
    write(folder, file + ".s", "\n".join(text) + "\n")
    subprocess.run([COMPILER, "-nostdlib", "-static", "-Wl,--build-id=none", *flags, "-o", f"{folder}/{file}",
                    f"{folder}/{file}.s"], check=True)
    return f"{folder}/{file}"


def test_published(tmp_path):
    elf = functions_elf(tmp_path, "published", PUBLISHED)
    address = nm(elf)
    rows = symbols(sampled(tmp_path, elf, [address[n] + 4 for n in PUBLISHED]))
    assert rows == sorted(("published", words) for words in PUBLISHED.values()), "published names, demangled"


def base62(n):
    """Return a number in the base-62 notation of Rust's v0 names."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if not n:
        return "_"
    text, n = "", n - 1
    while True:
        text, n = digits[n % 62] + text, n // 62
        if not n:
            return text + "_"


def doubling():
    """Return names whose parts each contain the previous part twice, so that they expand to 2^30 characters and more.
    """
    sequence = ["S0_"] + [f"S{'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i]}_" for i in range(1, 34)]
    yield "C++", "_Z1fSt4pairIiiE" + "".join(f"S_I{s}{s}E" for s in sequence)
    rust, last = "INvC1a1b", None
    for _ in range(34):
        at = len(rust)
        rust += "TllE" if last is None else f"TB{base62(last)}B{base62(last)}E"
        last = at
    yield "Rust", f"_R{rust}E"
    yield "D", "_D1a1fFS1b1c" + "".join(f"QbQ{'bcdefghijk'[i % 10]}" for i in range(40)) + "Zv"
    yield "deep C++", "_Z1f" + "P" * 3000 + "i"
    yield "deep C++ expressions", "_Z1fIXL" + "cv" * 1000 + "EEvv"
    yield "nested C++ names", "_ZN" + "1aI" * 900 + "i" + "E" * 901 + "v"
    yield "deep Rust", "_RINvC1a1b" + "R" * 3000 + "lE"
    yield "deep D", "_D1a1fF" + "P" * 2000 + "iZv"
    yield "long C++", "_Z60000" + "x" * 60000 + "v"


def test_hostile_names(tmp_path):
    """A name that would exhaust memory, time or stack is shown, either shortened or unchanged."""
    for what, name in doubling():
        elf = functions_elf(tmp_path, "doubling", [name])
        began = time.monotonic()
        result = spemu("report", sampled(tmp_path, elf, [nm(elf)[name]]), timeout=60, limits=address_space(1 << 30))
        assert result.returncode == 0 and time.monotonic() - began < 10 and "[.] " in result.stdout, (
            f"{what}: the name is shown in time and within 1 GiB of address space\n{result.returncode} {time.monotonic() - began:.1f} s\n"
            f"{result.stderr} {result.stdout[:300]}")


def test_long_d(tmp_path):
    """A name in D of up to 2048 characters is demangled. A longer name is shown unchanged, because
    the demangler's stack grows with the name."""
    for length, translated in ((2048, True), (2049, False)):
        word = "x" * (length - len("_D1a2038FZv"))
        name = f"_D1a{len(word)}{word}FZv"
        elf = functions_elf(tmp_path, "long", [name])
        shown = report(sampled(tmp_path, elf, [nm(elf)[name]]))[0][0]["symbol"]
        assert (len(name), shown.startswith("a.xxx"), shown.startswith("_D1a")) == (length, translated, not translated), \
            f"D: {length} characters"


PLT_SOURCE = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" \
             "int main(int argc, char **argv) { puts(argv[0]); qsort(argv, argc, 8, (void *)strcmp);\n" \
             "return rand() + (int)strlen(argv[0]); }\n"


def plt_entries(elf):
    """Return {name@plt: addresses of its instructions} of a PLT. An entry loads an address from the
    slot of a relocation and branches to it with x17. The names that binutils print are wrong for a
    BTI PLT of 24 bytes in a PIE."""
    relocations = run("aarch64-linux-gnu-readelf", "-rW", elf).stdout
    slots = {int(m[1], 16): m[2] for m in re.finditer(r"^([0-9a-f]{16}).* R_AARCH64_JUMP_SL\S* +[0-9a-f]+ ([^\s@]+)",
                                                      relocations, re.M)}
    code = run("aarch64-linux-gnu-objdump", "-d", "-j", ".plt", elf).stdout
    entries, addresses, page, name = {}, [], 0, None
    for m in re.finditer(r"^ +([0-9a-f]+):\t[0-9a-f]{8} \t(\S+)(?:\t(.*))?$", code, re.M):
        if m[2] != "nop":
            addresses.append(int(m[1], 16))
        if m[2] == "adrp":
            page = int(m[3].split()[1], 16)
        elif m[2] == "ldr":
            offset = re.search(r"#(\d+)", m[3])
            name = slots.get(page + (int(offset[1]) if offset else 0))
        elif m[2] == "br":
            if name:
                entries[name + "@plt"] = addresses
            addresses, name = [], None
    return entries


def test_plt(tmp_path):
    for what, flags in (("plain", ()), ("with BTI", ("-mbranch-protection=standard", "-Wl,-z,force-bti", "-Wl,-w"))):
        elf = compile_c(tmp_path, "plt", PLT_SOURCE, "-Wl,--build-id=none", *flags)
        entries = plt_entries(elf)
        assert {"puts@plt", "qsort@plt", "rand@plt"} <= set(entries), f"{what}: relocations name entries\n{entries}"
        rows = report(sampled(tmp_path, elf, [a for addresses in entries.values() for a in addresses]))[0]
        assert sorted((f["symbol"], f["samples"]) for f in rows) == sorted((name, len(addresses)) for name, addresses in entries.items()), \
            f"{what}: each instruction of the PLT has the name of its entry"
    # The PLT of a static program serves indirect functions. Each entry leads to the function whose resolver is named by
    # the entry's relocation.
    elf = compile_c(tmp_path, "static", PLT_SOURCE, "-static", "-Wl,--build-id=none")
    relocations = re.findall(r"R_AARCH64_IRELATIV\S*\s+([0-9a-f]+)",
                             run("aarch64-linux-gnu-readelf", "-rW", elf).stdout)
    table = run("aarch64-linux-gnu-readelf", "-SW", elf).stdout
    plt = int(re.search(r" \.plt\s+PROGBITS\s+(\S+)", table)[1], 16)
    names = {}
    for line in run("aarch64-linux-gnu-nm", elf).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "iI":
            names.setdefault(int(words[0], 16), set()).add(words[2])
    rows = symbols(sampled(tmp_path, elf, [plt + 16 * i for i in range(len(relocations))]))
    assert (relocations and len(rows) == len(relocations)
            and all(any(s == f"{n}@plt" for r in relocations for n in names[int(r, 16)]) for _, s in rows)), \
        f"static: entries have the names of indirect functions\n{rows}\n{relocations}\n{names}"


KERNEL_TEXT = 0xffff800008000000
MODULE = 0xffff800001200000
KALLSYMS = f"""{KERNEL_TEXT:016x} T _text
{KERNEL_TEXT + 0x10000:016x} T _stext
{KERNEL_TEXT + 0x10000:016x} t $x
{KERNEL_TEXT + 0x11000:016x} T vfs_read
{KERNEL_TEXT + 0x11100:016x} t __vfs_write
{KERNEL_TEXT + 0x11f00:016x} t _text
{KERNEL_TEXT + 0x12000:016x} T _etext
{MODULE:016x} t nft_lookup\t[nf_tables]
{MODULE + 0x100:016x} t nft_delete\t[nf_tables]
"""


def kernel_recording(folder, name="kernel.data", slide=0, build_id=None, mapped=True):
    """Make a recording with samples in vfs_read (3), in __vfs_write (2), in a module (1) and of an
    idle CPU (4), in the form that perf records."""
    path = f"{folder}/{name}"
    base = KERNEL_TEXT + slide
    lines = [f"create {path} 256", "comm 1 1 10 cat exec"]
    if mapped:
        lines += [f"kmmap {base} {0x2000000} {base} {build_id or '-'} [kernel.kallsyms]_text",
                  f"kmmap {MODULE + slide} 0x4000 0 - /lib/modules/6.1.0/kernel/net/netfilter/nf_tables.ko"]
    for offset, tid, count in ((0x11010, 1, 2), (0x110f0, 1, 1), (0x11104, 1, 2), (0x11020, 0, 4)):
        lines.append(f"rec pc={base + offset} tid={tid} time=20 class=0 sub=0 ev=2 total=5 n={count}")
    lines.append(f"rec pc={MODULE + slide + 0x104} tid=1 time=20 class=0 sub=0 ev=2 total=5")
    make_recording("\n".join((*lines, "aux 1 1 30 0 0", "finish")) + "\n")
    return path


EXPECTED_KERNEL = [("cat", "[kernel.kallsyms]", "__vfs_write", 2), ("cat", "[kernel.kallsyms]", "vfs_read", 3),
                   ("cat", "[nf_tables]", "nft_delete", 1), ("swapper", "[kernel.kallsyms]", "vfs_read", 4)]


def kernel_rows(path, *args):
    rows, errors = report(path, *args)
    return sorted((r["command"], r["object"], r["symbol"], r["samples"]) for r in rows), errors


def test_kallsyms(tmp_path):
    listing = write(tmp_path, "kallsyms", KALLSYMS)
    path = kernel_recording(tmp_path)
    rows, errors = kernel_rows(path, "--kallsyms", listing)
    assert (rows, errors) == (EXPECTED_KERNEL, ""), \
        "--kallsyms: a row for each function, including functions of modules"
    # After a restart, the kernel has another address. Its modules have, too, but their addresses
    # are unknown.
    rows, errors = kernel_rows(kernel_recording(tmp_path, slide=0x5600000), "--kallsyms", listing)
    assert [r for r in rows if r[1] != "[nf_tables]"] == [r for r in EXPECTED_KERNEL if r[1] != "[nf_tables]"], \
        "a list of an earlier boot is adjusted by the recorded symbol"
    assert "nft_" not in str(rows) and "[nf_tables]" in errors, f"modules are not adjusted\n{rows} {errors}"
    rows, errors = kernel_rows(path)
    assert {r[1] for r in rows} == {"[kernel.kallsyms]", "[nf_tables]"}, \
        f"without symbols, objects have perf's names\n{rows}"
    lines = errors.splitlines()
    assert (len(lines) == 2 and "the kernel was not found" in lines[0] and "90%" in lines[0]
            and "--kallsyms FILE" in lines[0] and "nf_tables" in lines[1]), \
        f"a line for each missing file with its remedy, the largest first\n{errors}"
    unmapped = kernel_recording(tmp_path, "unmapped.data", mapped=False)
    rows, errors = kernel_rows(unmapped, "--kallsyms", listing)
    assert [r for r in rows if r[2] == "vfs_read"] == [r for r in EXPECTED_KERNEL if r[2] == "vfs_read"], \
        f"a kernel whose mapping was not recorded\n{rows} {errors}"
    for name, content, cause in (("zero", "0000000000000000 T _text\n0000000000000000 T vfs_read\n",
                                  "its addresses are all 0; read /proc/kallsyms as root"),
                                 ("text", "hello, world\n", "not a list like /proc/kallsyms")):
        refuses(f"--kallsyms: {name}", 125, cause, "report", "--kallsyms", write(tmp_path, name, content), path)
    os.mkfifo(f"{tmp_path}/kallsyms-fifo")
    # Options are never silently ignored, whether the recording has kernel samples or not.
    for option in ("--kallsyms", "--vmlinux"):
        for name in ("kallsyms-fifo", ".", "nowhere"):
            for command in ("report", "annotate", "diff"):
                refuses(f"{command} {option}: {name}", 125, "is not a regular file that can be read", command, option, f"{tmp_path}/{name}",
                        path, timeout=20)


def test_kernels(tmp_path):
    """Recordings of two boots of a kernel, and recordings of two kernels, in one command."""
    listing = write(tmp_path, "kallsyms", KALLSYMS)
    first, second = kernel_recording(tmp_path, "first.data"), kernel_recording(tmp_path, "second.data", slide=0x5600000)
    double = sorted((c, o, s, 2 * n) for c, o, s, n in EXPECTED_KERNEL)
    result = spemu("report", "--json", "-s", "comm,dso,sym", "-n", "0", "--kallsyms", listing, first, second)
    assert sorted((r["command"], r["object"], r["symbol"], r["samples"]) for r in json.loads(result.stdout)["functions"]) == double, \
        "a report of two boots: samples of functions and modules are added"

    def compared(*args):
        result = spemu("diff", "--json", "-s", "dso,sym", "-n", "0", *args)
        assert result.returncode == 0, f"diff succeeds\n{result.stderr}"
        return sorted((r["object"], r["symbol"], r["old_samples"], r["new_samples"])
                      for r in json.loads(result.stdout)["functions"]), result.stderr

    rows = [("[kernel.kallsyms]", "__vfs_write", 2), ("[kernel.kallsyms]", "vfs_read", 7), ("[nf_tables]", "nft_delete", 1)]
    got, errors = compared("--kallsyms", listing, first, second)
    assert (got, errors) == ([(*row, row[2]) for row in rows], ""), "diff --kallsyms: two boots have the same functions"
    ids = ["01" * 20, "02" * 20]
    files = [kernel_elf(tmp_path, f"vmlinux{i}", f"-Wl,--build-id=0x{id_}") for i, id_ in enumerate(ids)]
    first, second = (kernel_recording(tmp_path, f"{i}.data", slide=i << 21, build_id=id_) for i, id_ in enumerate(ids))
    got, errors = compared("--vmlinux", files[0], first, second)
    named = [r for r in got if r[1][0] != "[" and r[0] == "[kernel.kallsyms]"]
    assert named == [(*row, 0) for row in rows[:2]], "two kernels: --vmlinux names the functions of the first kernel"
    assert "another recording, which has a different build-id" in errors, \
        f"a message names the other recording\n{errors}"
    refuses("diff --vmlinux: of the second", 125, r"has changed since .* \(build-id\)", "diff", "--vmlinux", files[1], first,
            second)


def kernel_elf(folder, name, *flags):
    """Build an ELF file of a kernel with the functions of KALLSYMS."""
    text = f""".text
.globl _text
_text: .zero 0x10000
.globl _stext
_stext: .zero 0x1000
.globl vfs_read
.type vfs_read,%function
vfs_read: .zero 0x100
.size vfs_read, 0x100
.type __vfs_write,%function
__vfs_write: .zero 0xf00
.size __vfs_write, 0xf00
_etext: nop
"""
    write(folder, name + ".s", text)
    subprocess.run([COMPILER, "-nostdlib", "-static", f"-Wl,-Ttext={KERNEL_TEXT:#x}", "-Wl,-e,_text", *flags,
                    "-o", f"{folder}/{name}", f"{folder}/{name}.s"], check=True)
    return f"{folder}/{name}"


def test_vmlinux(tmp_path):
    build_id = "0123456789abcdef0123456789abcdef01234567"
    right = kernel_elf(tmp_path, "vmlinux", f"-Wl,--build-id=0x{build_id}")
    wrong = kernel_elf(tmp_path, "vmlinux-other", "-Wl,--build-id=0x" + "ab" * 20)
    kernel = [r for r in EXPECTED_KERNEL if r[1] != "[nf_tables]"]
    for slide in (0, 0x200000):
        path = kernel_recording(tmp_path, slide=slide, build_id=build_id)
        rows, _ = kernel_rows(path, "--vmlinux", right)
        assert [r for r in rows if r[1] != "[nf_tables]"] == kernel, f"--vmlinux, moved by {slide:#x}"
        refuses(f"another build-id, moved by {slide:#x}", 125, r"vmlinux-other has changed since .* \(build-id\)",
                "report", "--vmlinux", wrong, path)
    for name, compress in (("gz", gzip.compress), ("xz", lambda data: lzma.compress(data, preset=9)), ("bz2", bz2.compress), ("zst", lambda data: compressed(data, 19))):
        with open(right, "rb") as f:
            packed = write(tmp_path, f"vmlinux.{name}", compress(f.read()))
        rows, _ = kernel_rows(kernel_recording(tmp_path, build_id=build_id), "--vmlinux", packed)
        assert [r for r in rows if r[1] != "[nf_tables]"] == kernel, f"--vmlinux, compressed as {name}"
    home = f"{tmp_path}/home"
    os.makedirs(f"{home}/.debug/.build-id/01")
    os.makedirs(f"{home}/.debug/.build-id/01/{build_id[2:]}")
    for name, content in (("kallsyms", KALLSYMS.encode()), ("vmlinux", open(right, "rb").read())):
        where = f"{home}/.debug/.build-id/01/{build_id[2:]}/{name}"
        with open(where, "wb") as f:
            f.write(content)
        path = kernel_recording(tmp_path, build_id=build_id)
        rows = sorted((r["command"], r["object"], r["symbol"], r["samples"])
                      for r in report(path, env={"HOME": home})[0])
        assert [r for r in rows if r[1] != "[nf_tables]"] == kernel, f"the build-id cache's {name}"
        other = kernel_recording(tmp_path, build_id="ff" * 20)
        assert "vfs_read" not in str(report(other, env={"HOME": home})[0]), f"{name}: only for its own build-id"
        os.unlink(where)
    root = f"{tmp_path}/root"
    os.makedirs(root + "/boot")
    refuses("--vmlinux: missing", 125, "not a regular file", "report", "--vmlinux", f"{tmp_path}/absent",
            kernel_recording(tmp_path))
    for file, found in ((right, True), (wrong, False)):
        with open(file, "rb") as f, open(root + f"/boot/vmlinux-6.1.0-known", "wb") as to:
            to.write(f.read())
        rows = report(kernel_recording(tmp_path, build_id=build_id), "-L", root)[0]
        assert ("vfs_read" in [r["symbol"] for r in rows]) == found, \
            f"a kernel below the sysroot, {os.path.basename(file)}"


def test_module_file(tmp_path):
    """Without a list of symbols, the module's file names its functions. The loader puts code first,
    aligns each section, and places .init separately."""
    write(tmp_path, "m.s", '''.section .init.text,"ax"\n.type boot,%function\nboot: .zero 64\n.size boot,64\n
.text\n.type first,%function\nfirst: .zero 20\n.size first,20\n
.section .text.two,"ax"\n.balign 64\n.zero 16\n.type second,%function\nsecond: .zero 8\n.size second,8\n''')
    subprocess.run([COMPILER, "-c", "-o", f"{tmp_path}/a-module.ko", f"{tmp_path}/m.s"], check=True)
    path = f"{tmp_path}/module.data"
    lines = [f"create {path} 256", "comm 1 1 10 cat exec", f"kmmap {MODULE} 0x4000 0 - {tmp_path}/a-module.ko"]
    lines += [f"rec pc={MODULE + at} tid=1 time=20 class=0 sub=0 ev=2 total=5 n={n}"
              for at, n in ((16, 5), (68, 1), (80, 3), (300, 2))]
    make_recording("\n".join((*lines, "aux 1 1 30 0 0", "finish")) + "\n")
    assert (sorted((r["object"], r["symbol"], r["samples"]) for r in report(path)[0]) ==
            [("[a_module]", "[a_module]", 3), ("[a_module]", "first", 5), ("[a_module]", "second", 3)]), \
        "functions of a module's file"
    # The same with the build-id cache. The recorded name of the module does not exist.
    build_id, home = "89" * 20, f"{tmp_path}/modules-home"
    linked = f"{tmp_path}/linked.ko"
    subprocess.run(["aarch64-linux-gnu-ld", "-r", f"--build-id=0x{build_id}", "-o", linked, f"{tmp_path}/a-module.ko"], check=True)
    os.makedirs(f"{home}/.debug/.build-id/89/{build_id[2:]}")
    os.rename(linked, f"{home}/.debug/.build-id/89/{build_id[2:]}/elf")
    lines[2] = f"kmmap {MODULE} 0x4000 0 {build_id} /nowhere/a-module.ko"
    make_recording("\n".join((*lines, "aux 1 1 30 0 0", "finish")) + "\n")
    rows = [(r["object"], r["symbol"], r["samples"]) for r in report(path, env={"HOME": home})[0]]
    assert ("[a_module]", "first", 5) in rows, f"functions of a module's file in the build-id cache\n{rows}"


def test_sections_alone(tmp_path):
    """perf inject -j makes ELF files without program headers. The sections define their
    addresses."""
    elf = functions_elf(tmp_path, "jitted.so", ["compiled_one", "compiled_two"])
    address = nm(elf)
    with open(elf, "rb") as f:
        image = bytearray(f.read())
    image[32:40] = bytes(8)  # e_phoff
    image[56:58] = bytes(2)  # e_phnum
    write(tmp_path, "jitted.so", bytes(image))
    rows = symbols(sampled(tmp_path, elf, [address["compiled_one"], address["compiled_two"] + 8]))
    assert rows == [("jitted.so", "compiled_one"), ("jitted.so", "compiled_two")], \
        "functions of a file without program headers"


def test_units(tmp_path):
    """Lines of a program with many units of one function each. Line tables have one of two forms,
    and are plain or compressed."""
    names = [f"unit{i}" for i in range(20)]
    for i, name in enumerate(names):
        write(tmp_path, f"{name}.c", "\n" * i + f"int {name}(int *p) {{ return *p + {i}; }}\n")
    write(tmp_path, "start.s", ".globl _start\n_start: nop\n")
    for flags in (("-gdwarf-4",), ("-gdwarf-5",), ("-gdwarf-5", "-gz")):
        elf = f"{tmp_path}/units"
        subprocess.run([COMPILER, *flags, "-O1", "-nostdlib", "-static", "-Wl,--build-id=none", "-o", elf, f"{tmp_path}/start.s",
                        *(f"{tmp_path}/{name}.c" for name in names)], check=True)
        at = nm(elf)
        rows = report(sampled(tmp_path, elf, [at[name] for name in names]), "-s", "sym,srcline")[0]
        assert (sorted((r["symbol"], os.path.basename(r["file"] or "none"), r["line"]) for r in rows) ==
                sorted((name, f"{name}.c", i + 1) for i, name in enumerate(names))), f"lines of {len(names)} units, {' '.join(flags)}"


def without_section_headers(elf):
    """Remove the section headers of a 64-bit ELF file, as sstrip does: e_shoff, e_shnum and e_shstrndx are 0."""
    with open(elf, "rb+") as f:
        for offset, size in ((0x28, 8), (0x3c, 2), (0x3e, 2)):
            f.seek(offset)
            f.write(bytes(size))


@pytest.mark.parametrize("pie", ("-no-pie", "-pie"))
@pytest.mark.parametrize("headers", (True, False))
def test_stripped(tmp_path, pie, headers):
    """The functions of a stripped program are the ranges of .eh_frame; other code is one row."""
    write(tmp_path, "bare.s", ".text\nbare: .rept 8\nnop\n.endr\n.globl bare\n.size bare, 32\n.type bare,%function\n")
    elf = compile_c(tmp_path, "stripped", "static __attribute__((noinline)) int f(int x) { return x * 3; }\n"
                                          "static __attribute__((noinline)) int g(int x) { return x * 5 + 1; }\n"
                                          "void bare(void);\n"
                                          "int main(int c, char **v) { (void)v; bare(); return f(c) + g(c); }\n",
                    f"{tmp_path}/bare.s", pie)
    address = nm(elf)
    path = sampled(tmp_path, elf, [address["f"], address["f"] + 4, address["g"] + 4, address["main"],
                                   address["bare"] + 4, address["bare"] + 8])
    subprocess.run(["aarch64-linux-gnu-strip", elf], check=True)
    if not headers:
        without_section_headers(elf)
    names = {name: f"fn_{address[name]:x}" for name in ("f", "g", "main")}
    rows, message = report(path)
    expected = {names["f"]: 2, names["g"]: 1, names["main"]: 1, "[stripped]": 2}
    assert {row["symbol"]: row["samples"] for row in rows} == expected, \
        "each function, and code without unwind information, is one row"
    assert re.search(r"no symbols for 100% of the samples: \S+stripped is stripped; install .*DEBUGINFOD_URLS",
                     message), f"a stripped program: a message names the remedy\n{message}"
    note = " ".join(spemu("report", "--section", "answer", path).stdout.replace("#", "").split())
    assert re.search(r"note: fn_[0-9a-f]+ is a function without a symbol, named by its address in stripped ", note), \
        f"the summary explains such names\n{note}"
    for operand in (names["g"], hex(address["g"] + 4)):
        shown = json.loads(spemu("annotate", "--json", "-i", path, operand).stdout)["functions"]
        assert [f["symbol"] for f in shown] == [names["g"]], f"annotate {operand}: the function"
    shown = json.loads(spemu("annotate", "--json", "-i", path).stdout)["functions"]
    assert [f["symbol"] for f in shown] == [names["f"]], "annotate: the function with the most cycles"


INLINED = """
static inline __attribute__((always_inline)) long probe(const volatile long *p, long i) { return p[i * 3 & 7] + i; }
__attribute__((noinline)) long one(const volatile long *p)
{
	long s = 0;

	for (int i = 0; i < 9; i++)
		s += probe(p, i);
	return s;
}
__attribute__((noinline)) long two(const volatile long *p) { return probe(p, 1) ^ probe(p, 5); }
long data[8];
int main(void) { return (int)(one(data) + two(data)); }
"""


def test_inlined(tmp_path):
    """A sample of inlined code belongs to the inlined function, wherever it is inlined. addr2line names the
    functions."""
    elf = compile_c(tmp_path, "inlined", INLINED)
    out = run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", elf).stdout
    addresses = {name: [int(a, 16) for a in re.findall(r"^ +([0-9a-f]+):", re.search(
        rf"^[0-9a-f]+ <{name}>:\n(.*?)\n\n", out, re.M | re.S)[1], re.M)] for name in ("one", "two")}
    everything = [a for name in addresses for a in addresses[name]]
    innermost = [run("aarch64-linux-gnu-addr2line", "-f", "-i", "-e", elf, hex(a)).stdout.split()[0]
                 for a in everything]
    path = sampled(tmp_path, elf, everything)

    def rows(*args):
        return {r["symbol"]: r["samples"] for r in report(path, "-s", "sym", *args)[0]}

    assert rows() == collections.Counter(innermost) and innermost.count("probe") > 4, "a row for each innermost function"
    assert rows("--no-inline") == {name: len(found) for name, found in addresses.items()}, "--no-inline: the functions"
    assert rows("--symbol", "probe") == {"probe": innermost.count("probe")}, "--symbol takes the inlined function"
    assert sum(rows("--symbol", "two").values()) == len(addresses["two"]), "--symbol takes the function that contains it"
    shown = json.loads(spemu("annotate", "--json", "-i", path, "probe").stdout)["functions"]
    assert sorted(f["symbol"] for f in shown) == ["one", "two"], "annotate shows where the function is inlined"


class Server(BaseHTTPRequestHandler):
    asked = []
    files = {}

    def do_GET(self):
        self.asked.append(self.path)
        data = self.files.get(self.path)
        self.send_response(200 if data else 404)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, *_):
        pass


def test_debuginfod(tmp_path):
    """Files come from a server that DEBUGINFOD_URLS names. Without it, no server is asked."""
    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    build_id = "cd" * 20
    elf = compile_c(tmp_path, "served", "int main(void) { return 0; }\n", f"-Wl,--build-id=0x{build_id}")
    address = nm(elf)
    path = sampled(tmp_path, elf, [address["main"]])
    with open(elf, "rb") as f:
        Server.files[f"/buildid/{build_id}/executable"] = f.read()
    os.unlink(elf)
    url = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}", "HOME": tmp_path,
           "DEBUGINFOD_CACHE_PATH": f"{tmp_path}/cache", "no_proxy": "127.0.0.1"}
    assert ([s for _, s in symbols(path, env={"HOME": tmp_path})] == ["main"]) is False, \
        "without a server, the program is not found"
    assert Server.asked == [], "without DEBUGINFOD_URLS, no server is asked"
    rows = symbols(path, env=url)
    if f"/buildid/{build_id}/executable" in Server.asked:  # if a debuginfod client is installed
        assert rows == [("served", "main")], "the server provides the program by its build-id"
    elf = compile_c(tmp_path, "unserved", "int main(void) { return 0; }\n", "-Wl,--build-id=0x" + "ef" * 20)
    path = sampled(tmp_path, elf, [nm(elf)["main"]])
    os.unlink(elf)
    assert report(path, env=url) == report(path, env={"HOME": tmp_path}), \
        "a file that no server has gives the same report as without a server"
    server.shutdown()
