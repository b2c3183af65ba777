# SPDX-License-Identifier: MIT
"""The programs that scripts/benches/pgo optimizes: how a compiler builds each of them, and the work that it does."""
import dataclasses
import pathlib
import shutil
import subprocess
import sys

LINK = ("-no-pie", "-Wl,-q", "-Wl,-z,now", "-Wl,--build-id=sha1")

LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words, seen = {}, {}
for i = 1, 4000 do words[i] = string.format("%s-%d", ("abcdefg"):sub(i % 5 + 1), (i * 7919) % 1009) end
for round = 1, 8 do
	for _, w in ipairs(words) do seen[w] = (seen[w] or 0) + #w:gsub("%d+", function(d) return d + 1 end) end
end
table.sort(words)
local Account = {} Account.__index = Account
function Account.new(b) return setmetatable({ b = b }, Account) end
function Account:add(x) self.b = self.b + x return self end
local a, s = Account.new(0), 0.5
for i = 1, 200000 do a:add(i % 3 == 0 and 2 or -1) s = s * 1.000001 + (i & 7) end
local t = {}
for i = 1, 3000 do t[#t + 1] = coroutine.wrap(function() coroutine.yield(i) return i * 2 end)() end
print(fib(22), words[1], #t, a.b, math.floor(s), seen[words[9]])
"""
SQL = """
create table item(id integer primary key, name text, price real, kind integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)
  insert into item select i, 'item' || (i * 7919 % 6007), i * 1.25, i % 13 from n;
create index by_name on item(name);
create index by_kind on item(kind, price);
select kind, count(*), sum(price), max(name) from item group by kind order by 3 desc;
select count(*) from item a join item b on a.name = 'item' || b.id where b.kind in (1, 3, 5);
select substr(name, 1, 5) p, avg(price) from item where name like '%7%' group by p having count(*) > 2 order by p limit 9;
update item set price = price * 1.1 where kind = 4;
delete from item where id % 7 = 0;
select total(price), count(*) from item where name between 'item2' and 'item5';
select json_group_array(name) from (select name from item order by price desc limit 20);
drop table item;
"""


def run(*command, **more):
    """Run a command and return its output. End this program if the command fails."""
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", **more)
    if done.returncode:
        sys.exit(f"pgo: {' '.join(map(str, command))[:200]}\n{done.stderr[-2000:]}")
    return done


@dataclasses.dataclass(frozen=True)
class Compiler:
    """A compiler for AArch64 and the options of a plain build."""
    name: str
    command: tuple

    def __str__(self):
        return self.name


# BOLT does not know AArch64's jump tables: it optimizes no function that has one.
CLANG = Compiler("clang", ("clang", "--target=aarch64-linux-gnu", "-O2", "-g", "-fdebug-info-for-profiling",
                           "-fno-pie", "-fno-jump-tables", "-w"))
GCC = Compiler("gcc", ("aarch64-linux-gnu-gcc", "-O2", "-g", "-fno-pie", "-w"))


class Program:
    """A program, the options that every build of it needs, and its work."""
    flags, libraries = (), ()

    def __init__(self, source, work):
        self.source, self.work = source, work
        self.prepare()

    def prepare(self):
        """Write the files that builds and work need."""

    def sources(self):
        """Return the C files of the program."""
        raise NotImplementedError

    def build(self, compiler, output, flags=(), link=()):
        """Build the program: `flags` go to the compiler, `link` to the linker.

        Objects have the same paths in each build of the same output: GCC finds its counters by them.
        """
        folder = pathlib.Path(f"{output}.o.d")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        objects = []
        for source in self.sources():
            objects.append(folder / (source.stem + ".o"))
            run(*compiler.command, *self.flags, *flags, "-c", "-o", objects[-1], source)
        run(*compiler.command, *LINK, "-o", output, *objects, *self.libraries, *link)

    def command(self, program):
        """Return the command that is measured."""
        return self.training(program, 1)

    def training(self, program, rounds):
        """Return the command of a training run that does the work `rounds` times."""
        raise NotImplementedError


class Lua(Program):
    libraries = ("-lm",)

    def prepare(self):
        # Debian's rules make this header.
        (self.work / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH "aarch64-linux-gnu"\n',
                                                          encoding="ascii")
        self.flags = ("-DLUA_COMPAT_5_3", "-DLUA_USE_POSIX", f"-I{self.work}")
        (self.work / "work.lua").write_text(LUA, encoding="ascii")
        (self.work / "train.lua").write_text("for _ = 1, tonumber(arg[1]) do dofile(arg[2]) end\n", encoding="ascii")

    def sources(self):
        return [c for c in sorted((self.source / "src").glob("*.c")) if c.name != "luac.c"]

    def command(self, program):
        return [program, self.work / "work.lua"]

    def training(self, program, rounds):
        return [program, self.work / "train.lua", rounds, self.work / "work.lua"]


class Sqlite(Program):
    flags, libraries = ("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"), ("-lm",)

    def prepare(self):
        (self.work / "work.sql").write_text(SQL, encoding="ascii")
        if not (self.work / "amalgamation" / "shell.c").exists():
            (self.work / "amalgamation").mkdir(exist_ok=True)
            run(self.source / "configure", "--disable-tcl", "--disable-readline", cwd=self.work / "amalgamation")
            run("make", "sqlite3.c", "shell.c", cwd=self.work / "amalgamation")

    def sources(self):
        return [self.work / "amalgamation" / c for c in ("sqlite3.c", "shell.c")]

    def training(self, program, rounds):
        return [program, ":memory:", *rounds * [f".read {self.work / 'work.sql'}"]]


class Xz(Program):
    def prepare(self):
        # Text that compresses: words by a rule.
        words = [f"{i * 2654435761 % 9973:x}" for i in range(400)]
        text = " ".join(words[i * i * 31 % 397] for i in range(40000))
        (self.work / "work.txt").write_text(text, encoding="ascii")

    def build(self, compiler, output, flags=(), link=()):
        folder = pathlib.Path(f"{output}.o.d")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        command = list(compiler.command)
        run(self.source / "configure", "--host=aarch64-linux-gnu", "--disable-shared", "--disable-nls",
            "--disable-threads", "--disable-doc", "--disable-scripts", f"CC={' '.join(command[:command.index('-O2')])}",
            f"CFLAGS={' '.join([*command[command.index('-O2'):], *map(str, flags)])}",
            f"LDFLAGS={' '.join([*LINK, *map(str, link)])}", cwd=folder)
        run("make", "-C", folder, "V=1")
        shutil.copy(folder / "src/xz/xz", output)

    def training(self, program, rounds):
        return [program, "-k", "-c", "-5", "--format=xz", *rounds * [self.work / "work.txt"]]


PROGRAMS = {"lua": (Lua, "lua5.4"), "sqlite": (Sqlite, "sqlite3"), "xz": (Xz, "xz-utils")}
