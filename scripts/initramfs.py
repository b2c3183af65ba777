#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes an archive that Linux unpacks at boot (cpio, "newc"), without root and without cpio.

  scripts/initramfs.py OUTPUT [--root DIR] [--program PATH]... [--module NAME]... [--file DEST=SOURCE]...
      [--link NAME=TARGET]...

DIR holds unpacked Debian packages. A program comes with the libraries that it names, and a module
with those that it depends on, in the order in which they are loaded; one that is built into the
kernel has an empty list. Archives may be put one after
the other: QEMU's -initrd takes the result of `cat`, so a second one adds files to the first.
"""
import argparse
import lzma
import os
import re
import subprocess
import sys

LIBRARIES = "usr/lib/aarch64-linux-gnu"
DIRECTORY, REGULAR, LINK, DEVICE = 0o040755, 0o100000, 0o120777, 0o020600


class Archive:
    """Entries of the newc format: a header of thirteen hexadecimal numbers, a name, the data."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.names = set()

    def entry(self, name, mode, data=b"", device=(0, 0)):
        number = len(self.names) + 1
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
        self.padded(b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0")
        self.padded(data)

    def padded(self, data):
        self.file.write(data + b"\0" * (-len(data) % 4))

    def add(self, name, mode, data=b"", device=(0, 0)):
        """With the folders above it; what is there already stays."""
        name = name.strip("/")
        above = os.path.dirname(name)
        if above:
            self.add(above, DIRECTORY)
        if name not in self.names:
            self.names.add(name)
            self.entry(name, mode, data, device)

    def close(self):
        self.entry("TRAILER!!!", 0)
        self.file.close()


class Root:
    """Unpacked packages, whose absolute links are within it."""

    def __init__(self, path):
        self.path = path

    def file(self, name):
        """The path of a file in the packages, links followed, or None."""
        for _ in range(20):
            name = os.path.normpath(name.lstrip("/"))
            for folder in ("bin", "sbin", "lib"):
                if name.startswith(folder + "/") and not os.path.lexists(f"{self.path}/{name}"):
                    name = "usr/" + name
                elif (name.startswith(f"usr/{folder}/")
                      and not os.path.lexists(f"{self.path}/{name}")):
                    name = name[4:]
            path = f"{self.path}/{name}"
            if not os.path.islink(path):
                return path if os.path.isfile(path) else None
            to = os.readlink(path)
            name = to if to.startswith("/") else f"{os.path.dirname(name)}/{to}"
        return None

    def needed(self, path):
        """The libraries that an ELF file names, and its loader."""
        text = subprocess.run(["readelf", "-ld", path], capture_output=True, text=True,
                              check=True).stdout
        return (re.findall(r"\(NEEDED\).*\[(.*)\]", text),
                re.findall(r"interpreter: (.*)\]", text))

    def modules(self):
        """Every module's file by its name, as modprobe spells it."""
        found = {}
        for folder, _, files in os.walk(self.path):
            for name in files:
                match = re.fullmatch(r"(.*)\.ko(\.xz)?", name)
                if match:
                    found[match[1].replace("-", "_")] = f"{folder}/{name}"
        return found

    def builtin(self):
        """The names of what is in the kernel itself and could be a module."""
        found = set()
        for folder, _, files in os.walk(self.path):
            if "modules.builtin" in files:
                for line in read(f"{folder}/modules.builtin").decode().split():
                    found.add(os.path.basename(line)[:-3].replace("-", "_"))
        return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


def fail(text):
    sys.exit(f"scripts/initramfs.py: {text}")


def add_program(archive, root, name):
    path = root.file(name)
    if not path:
        fail(f"no package has {name}")
    data = read(path)
    archive.add(name, REGULAR | 0o755, data)
    if data[:4] == b"\x7fELF":
        add_libraries(archive, root, path)


def add_libraries(archive, root, path):
    libraries, loaders = root.needed(path)
    for name in [f"{LIBRARIES}/{library}" for library in libraries] + loaders:
        library = root.file(name)
        if not library:  # the loader may be named as a library too
            library = root.file(f"lib/{os.path.basename(name)}")
            name = f"usr/lib/{os.path.basename(name)}"
        if not library:
            fail(f"no package has {name}, which {path} needs")
        name = re.sub(r"^/?lib/", "usr/lib/", name)
        if name not in archive.names:
            archive.add(name, REGULAR | 0o755, read(library))
            add_libraries(archive, root, library)


def add_modules(archive, root, wanted):
    files, builtin = root.modules(), root.builtin()
    loaded = []

    def add(name):
        name = name.replace("-", "_")
        if name in loaded or name in builtin:
            return
        if name not in files:
            fail(f"the kernel's package has no module {name}")
        data = read(files[name])
        if files[name].endswith(".xz"):
            data = lzma.decompress(data)
        depends = re.search(rb"\0depends=([^\0]*)\0", data)
        for other in depends[1].decode().split(",") if depends else []:
            if other:
                add(other)
        loaded.append(name)
        archive.add(f"modules/{name}.ko", REGULAR | 0o644, data)

    for name in wanted:
        start = len(loaded)
        add(name)
        chain = "".join(f"{module}\n" for module in loaded[start:])
        archive.add(f"modules/{name}.load", REGULAR | 0o644, chain.encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--root")
    parser.add_argument("--program", action="append", default=[])
    parser.add_argument("--module", action="append", default=[])
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--link", action="append", default=[])
    args = parser.parse_args()
    archive = Archive(args.output)
    if args.root:
        root = Root(args.root)
        for folder in ("bin", "lib", "sbin"):
            archive.add(folder, LINK, f"usr/{folder}".encode())
        for folder in ("dev", "proc", "sys", "tmp", "root", "usr/bin", "usr/sbin", "usr/lib"):
            archive.add(folder, DIRECTORY)
        archive.add("dev/console", DEVICE, device=(5, 1))
        for name in args.program:
            add_program(archive, root, name)
        add_modules(archive, root, args.module)
    for pair in args.file:
        name, _, path = pair.partition("=")
        archive.add(name, REGULAR | 0o755, read(path))
    for pair in args.link:
        name, _, target = pair.partition("=")
        archive.add(name, LINK, target.encode())
    archive.close()


if __name__ == "__main__":
    main()
