#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Dependencies go one way: checks every #include "..." and <spemu/...> of the tree.

A folder of lib/ may include its own headers and those of the folders below it; tools/, hosts/,
bench/ and examples/ see include/spemu and their own folder, and what SHARED lists; no file name
occurs twice among the sources; within a folder of lib/, hosts/ and tools/ no files include each
other in a circle, where a .c file and its header are one.
"""
import pathlib
import re
import sys

# Which folders of lib/ each one may use beside itself.
BELOW = {
    'base': set(),
    'codec': {'base'},
    'a64': {'base'},
    'uarch': {'base'},
    'perfdata': {'base'},
    'sysreg': {'base'},
    'pe': {'base', 'sysreg'},
    'spu': {'base', 'sysreg', 'pe'},
    'mmu': {'base', 'sysreg', 'pe'},
    'pmu': {'base', 'sysreg', 'pe'},
    'explain': {'base', 'sysreg', 'pe', 'spu', 'pmu'},
}
# Folders outside lib/ whose headers others may include, and the files that may, by how their paths
# begin.
SHARED = {
    'hosts/recording': ('hosts/qemu-user/', 'tools/record', 'bench/bench_codec.c'),
    'hosts/qemu': ('hosts/qemu-user/', 'hosts/qemu-system/'),
}
# Folders that still have circles.
CIRCLES = set()
PUBLIC_ONLY = ('tools', 'hosts', 'bench', 'examples')
# What a library without heap, stdio, clock and threads does not include (lib/perfdata may).
FORBIDDEN = re.compile(r'#\s*include\s*<(stdio|stdlib|time|unistd|pthread|errno|sys/.*)\.h>')
QUOTED = re.compile(r'#\s*include\s*"([^"]+)"')


def check_lib(path, text, problems):
    folder = path.parts[1]
    if folder not in BELOW:
        problems.append(f'{path}: lib/{folder} is not in the layering of this script')
        return
    for name in QUOTED.findall(text):
        used = name.split('/')[0] if '/' in name else folder
        if used != folder and used not in BELOW[folder]:
            problems.append(f'{path}: lib/{folder} must not use "{name}"')
    if folder != 'perfdata' and FORBIDDEN.search(text):
        problems.append(f'{path}: includes <{FORBIDDEN.search(text)[1]}.h>')


def shared(path, name):
    return any(str(path).startswith(users) and (pathlib.Path(folder) / name).exists()
               for folder, users in SHARED.items())


def check_outside(path, text, problems):
    for name in QUOTED.findall(text):
        if not (path.parent / name).exists() and not shared(path, name):
            problems.append(f'{path}: "{name}" is not for it; use <spemu/...> only')


def folder_uses(texts):
    """Of each folder the files without their endings, and which of them each one includes."""
    uses = {}
    for path in texts:
        uses.setdefault(path.parent, {}).setdefault(path.stem, set())
    for path, text in texts.items():
        inside = uses[path.parent]
        for name in QUOTED.findall(text):
            used = pathlib.Path(name)
            if used.parent.name in ('', path.parent.name) and used.stem in inside:
                inside[path.stem].add(used.stem)
    return uses


def circle(uses):
    """Files of one folder in the order in which each includes the next, the last the first; or []."""
    done = set()

    def walk(name, way):
        if name in way:
            return way[way.index(name):]
        if name not in done:
            for used in sorted(uses[name] - {name}):
                found = walk(used, way + [name])
                if found:
                    return found
            done.add(name)
        return []

    for name in sorted(uses):
        found = walk(name, [])
        if found:
            return found
    return []


def check_circles(texts, problems):
    for folder, uses in folder_uses(texts).items():
        found = circle(uses)
        if found and str(folder) not in CIRCLES:
            problems.append(f'{folder}: files include each other: {" -> ".join(found + found[:1])}')
        if not found and str(folder) in CIRCLES:
            problems.append(f'{folder} has no circle any more: CIRCLES of this script')


def main():
    problems = []
    seen = {}
    texts = {}
    for path in sorted(pathlib.Path('.').glob('*/**/*.[ch]')):
        top = path.parts[0]
        if top.startswith('build'):
            continue
        text = path.read_text(encoding='utf-8')
        if top in ('lib', 'hosts', 'tools'):
            texts[path] = text
        if top == 'lib':
            check_lib(path, text, problems)
        elif top in PUBLIC_ONLY:
            check_outside(path, text, problems)
        if path.suffix == '.c' and top in ('lib', 'tools', 'hosts'):
            other = seen.setdefault(path.name, path)
            if other != path:
                problems.append(f'{path}: {other} has the same name')
    check_circles(texts, problems)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
