# SPDX-License-Identifier: MIT
"""What the tests of the command line share: TAP, running spemu, and programs to profile.

Paths come from the environment: SPEMU, SPEMU_PLUGIN, SPEMU_MAKE_RECORDING.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SPEMU = os.environ["SPEMU"]
MAKE_RECORDING = os.environ["SPEMU_MAKE_RECORDING"]
COMPILER = "aarch64-linux-gnu-gcc"

# What the child sees: no colours, no language, nothing of the tester's own settings.
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if not k.startswith(("LC_", "QEMU_")) and k not in ("NO_COLOR", "LD_LIBRARY_PATH")}
ENVIRONMENT["LC_ALL"] = "C"

count = 0
failed = 0


def check(ok, name, detail=""):
    global count, failed
    count += 1
    print(f"{'ok' if ok else 'not ok'} {count} - {name}")
    if not ok:
        failed += 1
        for line in str(detail).splitlines()[:30]:
            print(f"# {line}")
    sys.stdout.flush()
    return ok


def equal(got, expected, name):
    return check(got == expected, name, f"got:      {got!r}\nexpected: {expected!r}")


def done():
    print(f"1..{count}")
    sys.exit(0)


def run(*command, env=None, cwd=None, stdin=subprocess.DEVNULL, timeout=120, text=True):
    """subprocess.run with everything captured."""
    full = dict(ENVIRONMENT, **(env or {}))
    return subprocess.run([str(c) for c in command], env=full, cwd=cwd, stdin=stdin,
                          capture_output=True, text=text, timeout=timeout)


def spemu(*args, **kwargs):
    return run(SPEMU, *args, **kwargs)


def refuses(name, status, pattern, *args, **kwargs):
    """spemu ends with status and one line on standard error that matches pattern."""
    result = spemu(*args, **kwargs)
    lines = result.stderr.splitlines()
    check(result.returncode == status and len(lines) == 1 and re.search(pattern, lines[0])
          and not result.stdout, name,
          f"status {result.returncode}, expected {status}\npattern {pattern}\n"
          f"{result.stderr}{result.stdout}")


def compile_c(folder, name, source, *flags):
    path = os.path.join(folder, name)
    with open(path + ".c", "w") as f:
        f.write(source)
    subprocess.run([COMPILER, "-g", "-O1", "-o", path, path + ".c", *flags], check=True)
    return path


def make_recording(text):
    subprocess.run([MAKE_RECORDING], input=text, text=True, check=True)


def nm(path):
    """name -> address, by binutils."""
    out = run("aarch64-linux-gnu-nm", path).stdout
    return {w[2]: int(w[0], 16) for w in (line.split() for line in out.splitlines())
            if len(w) == 3}


def segments(path):
    """(offset, vaddr, file size, memory size, flags) of each LOAD, by binutils."""
    out = run("aarch64-linux-gnu-readelf", "-lW", path).stdout
    found = re.findall(r"^\s+LOAD\s+(\S+)\s+(\S+)\s+\S+\s+(\S+)\s+(\S+)\s+(R..)", out, re.M)
    return [tuple(int(x, 16) for x in f[:4]) + (f[4],) for f in found]


class Folder:
    """A temporary folder, removed at the end."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="spemu-cli-")
        return self

    def __exit__(self, *exc):
        shutil.rmtree(self.path)

    def __call__(self, name):
        return os.path.join(self.path, name)

    def write(self, name, data, mode=None):
        path = self(name)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        if mode is not None:
            os.chmod(path, mode)
        return path
