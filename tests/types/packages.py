# SPDX-License-Identifier: MIT
"""Programs of Debian's source packages: how each is built for AArch64, and its work.

`scripts/fetch types-sources` unpacks the sources. Lua, SQLite and xz are built as in scripts/benches/pgo_programs.py.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/benches"))
from pgo_programs import GCC, Lua, Program, Sqlite, Xz, run  # noqa: E402


def text(count):
    """Return text that compresses."""
    words = [f"{i * 2654435761 % 9973:x}" for i in range(400)]
    return " ".join(words[(i * i * 31 + i // 397 * (i % 7)) % 397] for i in range(count))


class Zlib(Program):
    flags = ("-DZ_HAVE_UNISTD_H", "-DHAVE_HIDDEN")

    def prepare(self):
        (self.work / "zlib.txt").write_text(text(400000), encoding="ascii")

    def sources(self):
        return [*sorted(self.source.glob("*.c")), self.source / "test/minigzip.c"]

    def build(self, compiler, output, flags=(), link=()):
        super().build(compiler, output, (*flags, f"-I{self.source}"), link)

    def training(self, program, rounds):
        return [program, "-c", self.work / "zlib.txt"]  # the program closes the output after one file


class Bzip2(Program):
    def prepare(self):
        (self.work / "bzip2.txt").write_text(text(60000), encoding="ascii")

    def sources(self):
        names = ("blocksort", "bzlib", "compress", "crctable", "decompress", "huffman", "randtable", "bzip2")
        return [self.source / f"{name}.c" for name in names]

    def training(self, program, rounds):
        return [program, "-k", "-c", *rounds * [self.work / "bzip2.txt"]]


class Tcc(Program):
    """A C compiler that compiles generated functions."""
    libraries = ("-lm", "-ldl")

    def prepare(self):
        (self.work / "config.h").write_text('#define TCC_VERSION "0"\n', encoding="ascii")
        run("cc", "-w", "-DC2STR", "-o", self.work / "c2str", self.source / "conftest.c")
        run(self.work / "c2str", self.source / "include/tccdefs.h", self.work / "tccdefs_.h")
        self.flags = ("-DONE_SOURCE=1", "-DTCC_TARGET_ARM64", '-DCONFIG_TCCDIR="/usr/lib/tcc"', f"-I{self.work}")
        (self.work / "work.c").write_text("struct s { int a, b; struct s *next; };\n" + "".join(
            f"int f{i}(struct s *s, int n)\n{{\n\tint sum = {i};\n\tfor (int k = 0; k < n; k++, s = s->next)\n"
            f"\t\tsum += s->a * k + (s->b >> {i % 7});\n\treturn sum;\n}}\n" for i in range(3000)), encoding="ascii")

    def sources(self):
        return [self.source / "tcc.c"]

    def training(self, program, rounds):
        return [program, "-c", "-nostdinc", "-o", self.work / "work.o", self.work / "work.c"]


# name: class, source package, rounds of work
PACKAGES = {"lua": (Lua, "lua5.4", 1), "sqlite": (Sqlite, "sqlite3", 2), "xz": (Xz, "xz-utils", 4),
            "zlib": (Zlib, "zlib", 1), "bzip2": (Bzip2, "bzip2", 1), "tcc": (Tcc, "tcc", 1)}


def build(name, sources, work):
    """Build a program in the folder `work`. Return its path and the command that does its work."""
    class_, source, rounds = PACKAGES[name]
    program = class_(pathlib.Path(sources) / source, pathlib.Path(work))
    path = pathlib.Path(work) / name
    program.build(GCC, path)
    return path, program.training(path, rounds)
