# SPDX-License-Identifier: MIT
"""Names and lines of stripped programs: separate debugging information at every place where packages and
.gnu_debuglink put it, MiniDebugInfo, and supplementary files of dwz."""
import lzma
import os
import shutil
import subprocess
import zlib

import pytest

from clilib import address_space, compile_c, nm, run, spemu, write
from named import report, sampled

OBJCOPY, STRIP = "aarch64-linux-gnu-objcopy", "aarch64-linux-gnu-strip"
BUILD_ID = "ab" + "cd" * 19
DEBUG = "usr/lib/debug"

# f() is local, so that only .symtab and DWARF have its name. Its only statement is in line 2.
SOURCE = """static __attribute__((noinline)) int f(volatile int *p) {
	return *p * 3;
}
int main(int c, char **v) { (void)v; return f(&c); }
"""


class Program:
    """A stripped program with its debugging information, and a recording of a sample in f()."""

    def __init__(self, folder, build_id=BUILD_ID, link=None, mapped=None):
        self.folder = folder
        self.elf = compile_c(folder, "program", SOURCE, f"-Wl,--build-id={'0x' + build_id if build_id else 'none'}")
        self.address = nm(self.elf)["f"]
        self.debug = f"{folder}/made/{link or 'program.debug'}"
        os.makedirs(f"{folder}/made")
        run(OBJCOPY, "--only-keep-debug", self.elf, self.debug)
        run(STRIP, self.elf)
        if link:
            run(OBJCOPY, f"--add-gnu-debuglink={self.debug}", self.elf)
        self.data = sampled(folder, self.elf, [self.address], mapped=mapped)

    def put(self, place):
        """Copy the debugging information to `place`."""
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(self.debug, place)

    def names(self, *args):
        """Return the name and line of the sample, and the messages."""
        (row,), errors = report(self.data, "-s", "sym,srcline", *args)
        return row["symbol"], row["line"], errors


FOUND = ("f", 2, "")


def test_build_id_below_sysroot(tmp_path):
    """Debug packages of another architecture are unpacked into the sysroot."""
    p = Program(tmp_path)
    root, place = f"{tmp_path}/root", f"{DEBUG}/.build-id/ab/{BUILD_ID[2:]}.debug"
    os.makedirs(root)
    name, _, errors = p.names("-L", root)
    assert name != "f" and f"{root}/{place}" in errors and "dbgsym" in errors, \
        f"the message has the path of the missing file, and the kind of package\n{errors}"
    assert f" /{place}" in p.names()[2], "without a sysroot, the path begins at the root"
    p.put(f"{root}/{place}")
    assert p.names("-L", root) == FOUND, "debugging information by build-id, below the sysroot"
    assert p.names()[0] != "f", "only below the sysroot that was given"


def test_another_build_id(tmp_path):
    """A file of another build is not used, even at the place of the build-id."""
    p = Program(tmp_path)
    other = compile_c(tmp_path, "other", SOURCE, "-Wl,--build-id=0x" + "12" * 20)
    root, place = f"{tmp_path}/root", f"{DEBUG}/.build-id/ab/{BUILD_ID[2:]}.debug"
    p.debug = other
    p.put(f"{root}/{place}")
    name, _, errors = p.names("-L", root)
    assert name != "f" and "is stripped" in errors, f"debugging information of another build\n{errors}"


@pytest.mark.parametrize("build_id", (None, BUILD_ID))
def test_debuglink(tmp_path, build_id):
    """.gnu_debuglink names a file next to the program, in .debug, or below /usr/lib/debug of the sysroot. A file for a
    program without build-id must have the CRC of the link."""
    root = f"{tmp_path}/root"
    os.makedirs(f"{root}/usr/bin")
    p = Program(tmp_path, build_id=build_id, link="link.debug", mapped="/usr/bin/recorded")
    shutil.move(p.elf, f"{root}/usr/bin/recorded")
    for place in ("usr/bin/link.debug", "usr/bin/.debug/link.debug", f"{DEBUG}/usr/bin/link.debug"):
        assert p.names("-L", root)[0] != "f", f"before the file is at {place}"
        p.put(f"{root}/{place}")
        assert p.names("-L", root) == FOUND, f"the file of the link at {place}"
        with open(f"{root}/{place}", "ab") as f:
            f.write(b"\0")
        assert (p.names("-L", root)[0] == "f") == bool(build_id), f"another CRC at {place}"
        os.unlink(f"{root}/{place}")
    os.mkfifo(f"{root}/usr/bin/link.debug")
    assert p.names("-L", root)[0] != "f", "a FIFO is not opened"


def test_debuglink_to_itself(tmp_path):
    """Some distributions give debugging information the name of the program. The program is not its own debugging
    information."""
    p = Program(tmp_path, link="program")
    root = f"{tmp_path}/root"
    p.put(f"{root}/{DEBUG}{tmp_path}/program")
    assert p.names("-L", root) == FOUND, "the link has the name of the program"


def test_symbols_alone(tmp_path):
    """Debugging information of a program that was compiled without -g has symbols only."""
    p = Program(tmp_path)
    run(STRIP, "-g", p.debug)
    root = f"{tmp_path}/root"
    p.put(f"{root}/{DEBUG}/.build-id/ab/{BUILD_ID[2:]}.debug")
    name, line, errors = p.names("-L", root)
    assert (name, line, errors) == ("f", None, ""), "a file with symbols but without DWARF"


def add_minidebuginfo(p, packed):
    run(OBJCOPY, f"--add-section=.gnu_debugdata={write(p.folder, 'mini.xz', packed)}", p.elf)


def test_minidebuginfo(tmp_path):
    """Fedora's programs contain the names of their local functions, as a compressed ELF file."""
    p = Program(tmp_path)
    mini = f"{tmp_path}/mini"
    run(OBJCOPY, "-S", "--remove-section=.comment", "--keep-symbol=f", p.debug, mini)
    with open(mini, "rb") as f:
        add_minidebuginfo(p, lzma.compress(f.read()))
    assert p.names() == ("f", None, ""), "MiniDebugInfo names a local function, and nothing is missing"


@pytest.mark.parametrize("packed", (lzma.compress(bytes(256 << 20)), lzma.compress(bytes(256 << 20), lzma.FORMAT_ALONE),
                                    lzma.compress(lzma.compress(bytes(256 << 20)))), ids=("xz", "lzma", "twice"))
def test_large_minidebuginfo(tmp_path, packed):
    """MiniDebugInfo that would fill memory is refused."""
    p = Program(tmp_path)
    add_minidebuginfo(p, packed)
    (row,), errors = report(p.data, limits=address_space(256 << 20))
    assert row["symbol"] != "f" and "has compressed sections of more than 32 times its size" in errors, errors



def test_old_compression(tmp_path):
    """Sections in the older format of compression, .zdebug, are bounded, too."""
    p = Program(tmp_path)
    packed = b"ZLIB" + (256 << 20).to_bytes(8, "big") + zlib.compress(bytes(256 << 20), 9)
    run(OBJCOPY, "--remove-section=.debug_str", f"--add-section=.zdebug_str={write(tmp_path, 'str', packed)}", p.debug)
    root = f"{tmp_path}/root"
    p.put(f"{root}/{DEBUG}/.build-id/ab/{BUILD_ID[2:]}.debug")
    rows, errors = report(p.data, "-L", root, limits=address_space(256 << 20))
    assert rows[0]["symbol"] != "f" and "is stripped" in errors, f"debugging information that is too large\n{errors}"


SHARED = """
static inline __attribute__((always_inline)) int inlined_from_shared_header(volatile int *p)
{
	struct description { int number_of_the_description, another_member; } d = { *p, *p };
	return d.number_of_the_description * d.another_member;
}
"""


@pytest.mark.skipif(not shutil.which("dwz"), reason="dwz is not installed")
@pytest.mark.parametrize("name", ("/usr/lib/debug/.dwz/aarch64-linux-gnu/shared.debug", "../../.dwz/shared.debug"))
def test_supplement(tmp_path, name):
    """dwz moves what several files have in common into a supplementary file. Debian's packages name it by its absolute
    path, Fedora's by a relative one."""
    root = f"{tmp_path}/root"
    write(tmp_path, "shared.h", SHARED)
    places = []
    for n, program in enumerate(("one", "two")):
        build_id = f"{n + 1:02x}" * 20
        source = '#include "shared.h"\n__attribute__((noinline)) int outer(volatile int *p)\n{\n' \
                 f"\treturn inlined_from_shared_header(p) + {n};\n}}\n" \
                 "int main(int c, char **v) { return outer(&c); }\n"
        elf = compile_c(tmp_path, program, source, "-gdwarf-4", f"-Wl,--build-id=0x{build_id}")
        places.append(f"{root}/{DEBUG}/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
        os.makedirs(os.path.dirname(places[-1]))
        run(OBJCOPY, "--only-keep-debug", elf, places[-1])
    address = nm(f"{tmp_path}/one")["outer"]
    run(STRIP, f"{tmp_path}/one")
    shared = f"{tmp_path}/shared.debug"
    subprocess.run(["dwz", "-m", shared, "-M", name, *places], check=True)
    found = run("aarch64-linux-gnu-readelf", "-wk", "--debug-dump=no-follow-links", places[0]).stdout
    assert name in found, f"dwz made a link to the supplementary file\n{found}"
    data = sampled(tmp_path, f"{tmp_path}/one", [address, address + 4, address + 8])

    def frames():
        """Return the call stacks. Inlined functions are frames."""
        return spemu("export", "--format", "folded", "-L", root, data).stdout

    assert "inlined_from_shared_header" not in frames(), "the name is in the supplementary file alone"
    place = root + name if name[0] == "/" else os.path.normpath(f"{os.path.dirname(places[0])}/{name}")
    os.makedirs(os.path.dirname(place))
    shutil.copy(shared, place)
    assert "inlined_from_shared_header" in frames(), f"the supplementary file at {name}"
    other = compile_c(tmp_path, "three", SOURCE, "-Wl,--build-id=0x" + "12" * 20)
    shutil.copy(other, place)
    assert "inlined_from_shared_header" not in frames(), "a supplementary file of another build is not used"
