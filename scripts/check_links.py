#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a *.md file points to exists: relative links with their anchors, and paths of the repository.

A path is a word in backticks or in a code block that begins with a folder of the repository, from the root or from the
page; a name in backticks with the suffix of a source, of any file; and a header in angle brackets. `*` stands for what it
does in a shell, `...` for the beginning of a name. build/ is made, so what is there is not looked at. Of the changelog,
which names what is gone, links alone are looked at.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

SUFFIXES = {'.abi', '.build', '.c', '.h', '.in', '.ini', '.map', '.md', '.py', '.sh', '.spemu', '.tsv', '.txt'}
# Of Linux, its perf and QEMU, which pages name as such.
FOREIGN = {'drivers/perf/arm_spe_pmu.c', 'test_arm_spe.sh', 'test_arm_spe_fork.sh',
           'tools/perf/util/arm-spe-decoder/arm-spe-decoder.h', 'tools/perf/util/arm-spe.c', 'target/arm/tcg/cpu64.c'}

BLOCK = re.compile(r'^```.*?^```$', re.MULTILINE | re.DOTALL)
LINK = re.compile(r'\[[^\]]*\]\(([^)\s]+)\)')
SPAN = re.compile(r'`([^`\n]+)`')
HEADER = re.compile(r'<(spemu/\w+\.h)>')
HEADING = re.compile(r'^#+ (.*)$', re.MULTILINE)


class Tree:
    def __init__(self):
        listed = subprocess.run(['git', 'ls-files'], check=True, capture_output=True, text=True)
        self.files = set(listed.stdout.splitlines())
        self.folders = {str(p) for f in self.files for p in pathlib.PurePath(f).parents}
        self.roots = {f.split('/')[0] for f in self.files if '/' in f}
        # The build makes headers too; their rules name them.
        made = pathlib.Path('include/spemu/meson.build').read_text(encoding='utf-8')
        self.files |= {f'include/spemu/{name}' for name in re.findall(r"'(\w+\.h)'", made)}

    def has(self, path):
        path = path.rstrip('/')
        names = self.files | self.folders
        return path in names or bool(fnmatch.filter(names, path))

    def has_name(self, name):
        return any(fnmatch.filter(self.files, pattern) for pattern in (name, f'*/{name}'))


def anchors(page):
    headings = HEADING.findall(BLOCK.sub('', page.read_text(encoding='utf-8')))
    return {re.sub(r'[^\w\- ]', '', h.lower()).strip().replace(' ', '-') for h in headings}


def bad_links(tree, page, prose):
    for link in LINK.findall(prose):
        if re.match(r'[a-z]+:', link):
            continue
        name, _, anchor = link.partition('#')
        target = pathlib.Path(*page.parent.parts, name) if name else page
        target = pathlib.Path(target.resolve().relative_to(pathlib.Path.cwd()))
        if not tree.has(str(target)):
            yield f'link to {link}'
        elif anchor and anchor not in anchors(target):
            yield f'heading of {link}'


def is_there(tree, page, word):
    if word.split('/')[0] in tree.roots and '/' in word:
        return tree.has(word) or tree.has(str(page.parent / word)) or tree.has_name(word)
    return True


def bad_words(tree, page, spans, blocks):
    for text in spans + blocks:
        for word in text.split():
            word = re.sub(r'^\./', '', word.strip('"\'(),;')).removesuffix('.').split(':')[0]
            if word not in FOREIGN and not is_there(tree, page, word):
                yield word
    for span in spans:
        name = re.sub(r'^\.\.\.', '*', span)
        if pathlib.PurePath(name).suffix in SUFFIXES and ' ' not in name and not re.search('[<>=]', name):
            if name not in FOREIGN and not tree.has_name(name):
                yield span


def problems(tree, page):
    text = page.read_text(encoding='utf-8')
    prose = BLOCK.sub('', text)
    found = set(bad_links(tree, page, SPAN.sub('', prose)))
    if page.name != 'CHANGELOG.md':
        found |= set(bad_words(tree, page, SPAN.findall(prose), BLOCK.findall(text)))
        found |= {header for header in HEADER.findall(text) if not tree.has(f'include/{header}')}
    return sorted(found)


def main():
    tree = Tree()
    count = 0
    for name in sorted(f for f in tree.files if f.endswith('.md')):
        for problem in problems(tree, pathlib.Path(name)):
            print(f'{name}: not there: {problem}')
            count += 1
    return 1 if count else 0


if __name__ == '__main__':
    sys.exit(main())
