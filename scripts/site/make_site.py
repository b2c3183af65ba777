#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documentation as static HTML: make_site.py BUILD_DIR

Collects README.md and its like, docs/, the manual pages (by mandoc) and the files of the repository that pages name, and
has Sphinx make BUILD_DIR/site of them. In the collected pages a file's name in backticks is a link to the file, and
what names a manual page or a function of the library to its manual page.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import check_links  # noqa: E402

# Debian's modules are those of Debian's interpreter, which need not be the first one.
PYTHON = '/usr/bin/python3' if pathlib.Path('/usr/bin/python3').exists() else sys.executable
CHAPTERS = [
    ('Use it', ['docs/howto-*']),
    ('What it models', ['docs/strict-mode', 'docs/history', 'docs/uarch', 'docs/performance', 'docs/qemu-*']),
    ('The project', ['docs/glossary', 'docs/design', 'docs/testing', 'docs/security', 'docs/*', 'CONTRIBUTING', 'SECURITY',
                     'CHANGELOG']),
    ('Notes', ['docs/notes/*']),
]
LANGUAGES = {'.c': 'c', '.h': 'c', '.cpp': 'cpp', '.py': 'python', '.sh': 'sh', '.rs': 'rust', '.js': 'js', '.css': 'css'}
SECTIONS = {'1': 'Commands', '3': 'The library', '5': 'File formats', '7': 'Overviews'}
MANUAL = re.compile(r'(?<![\w/-])([a-z][\w-]+)\((\d)\)')
CALL = re.compile(r'`(\w+)\(\)`')


class Manual:
    """The pages that man finds: name and section -> file, and the page that a link leads to."""

    def __init__(self, build):
        folders = [build / 'tools', SOURCE / 'docs' / 'man', build / 'include' / 'spemu' / 'man3']
        found = sorted(path for folder in folders for path in folder.iterdir() if re.search(r'\.[1-8]$', path.name))
        linked = {path.name: re.match(r'\.so man\d/(\S+)', path.read_text(encoding='utf-8')) for path in found}
        self.target = {name: link[1] if link else name for name, link in linked.items()}
        self.files = {path.name: path for path in found if not linked[path.name]}

    def html(self, page):
        """Its body, by mandoc, with headings below the page's own."""
        made = subprocess.run(['mandoc', '-Thtml', '-Ofragment,man=@%N.%S@', self.files[page]], check=True,
                              capture_output=True, encoding='utf-8').stdout
        made = re.sub(r'<(/?)h2\b', r'<\1h3', made)
        made = re.sub(r'<(/?)h1\b', r'<\1h2', made)
        return re.sub(r'<a class="Xr" href="@(.*?)@">(.*?)</a>', self.reference, made)

    def reference(self, found):
        target = self.target.get(found[1])
        return f'<a class="Xr" href="{target}.html">{found[2]}</a>' if target else found[2]

    def about(self, page):
        text = self.files[page].read_text(encoding='utf-8')
        return re.sub(r'\\(e|\(..|&)', '', re.search(r'^\.Nd (.*)', text, re.M)[1])


class Site:
    def __init__(self, build):
        self.stage, self.manual = build / 'site-source', Manual(build)
        self.tree = check_links.Tree()
        self.named = set()  # files that pages name
        shutil.rmtree(self.stage, ignore_errors=True)

    def write(self, name, text):
        path = self.stage / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')

    def file_of(self, page, name):
        """The file of the repository that a page means, from the root or from the page."""
        for path in (name, os.path.normpath(page.parent / name)):
            if path in self.tree.files and (SOURCE / path).is_file():
                return path
        return None

    def to(self, page, name):
        """A link from a page to another one."""
        return os.path.relpath(name, page.parent)

    def span(self, page, text):
        call, file = CALL.fullmatch(text), self.file_of(page, text.strip('`'))
        if call and f'{call[1]}.3' in self.manual.target:
            return f"[{text}]({self.to(page, f'man/' + self.manual.target[f'{call[1]}.3'])}.md)"
        if file and not file.endswith('.md'):
            self.named.add(file)
            return f"[{text}]({self.to(page, f'source/{file}.md')})"
        return text

    def link(self, page, found):
        """Of a link in a page, its target here."""
        name, hash_sign, anchor = found[2].partition('#')
        path = os.path.normpath(page.parent / name)
        if re.match(r'[a-z]+:', name) or not name:
            return found[0]
        if path == 'README.md':
            name = self.to(page, 'index.md')
        elif path.startswith('docs/man/'):
            name = self.to(page, f"man/{pathlib.PurePath(path).name.removesuffix('.in')}.md")
        elif not path.endswith('.md'):
            self.named.add(path)
            name = self.to(page, f'source/{path}.md')
        return f'[{found[1]}]({name}{hash_sign}{anchor})'

    def prose(self, page, text):
        def manual(found):
            target = self.manual.target.get(f'{found[1]}.{found[2]}')
            return f"[{found[0]}]({self.to(page, f'man/{target}.md')})" if target else found[0]
        return MANUAL.sub(manual, text)

    def page(self, page):
        """A page of the repository, with its links as they are here."""
        text = (SOURCE / page).read_text(encoding='utf-8')
        # Links first, whose text may have backticks; what is in one stays.
        kept = []

        def keep(made):
            kept.append(made)
            return f'\0{len(kept) - 1}\0'
        blocks = re.sub(r'^```.*?^```$', lambda found: keep(found[0]), text, flags=re.M | re.S)
        blocks = re.sub(r'(?<!`)\[([^\]]*)\]\(([^)\s]+)\)', lambda found: keep(self.link(page, found)), blocks)
        blocks = re.sub(r'^#.*$', lambda found: keep(found[0]), blocks, flags=re.M)
        blocks = re.sub(r'`[^`\n]+`', lambda found: keep(self.span(page, found[0])), blocks)
        made = self.prose(page, blocks)
        while '\0' in made:
            made = re.sub('\0(\\d+)\0', lambda found: kept[int(found[1])], made)
        return made

    def chapters(self, pages):
        left = [str(page.with_suffix('')) for page in pages if page.name != 'README.md']
        for title, patterns in CHAPTERS:
            taken = [name for pattern in patterns for name in left if pathlib.PurePath(name).match(pattern)]
            taken = list(dict.fromkeys(taken))
            left = [name for name in left if name not in taken]
            yield title, taken

    def contents(self, title, names):
        rows = '\n'.join(names)
        return f'\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{rows}\n```\n'

    def add_pages(self):
        pages = sorted(pathlib.PurePath(name) for name in self.tree.files
                       if re.fullmatch(r'(docs/(notes/)?)?[\w-]+\.md', name))
        for page in pages:
            if page.name != 'README.md':
                self.write(page, self.page(page))
        tables = ''.join(self.contents(*each) for each in self.chapters(pages))
        manuals = self.contents('Manual pages', [f'man/section{number}' for number in SECTIONS])
        self.write('index.md', self.page(pathlib.PurePath('README.md')) + tables + manuals)

    def add_manual(self):
        for name in self.manual.files:
            stem, _, section = name.rpartition('.')
            self.write(f'man/{name}.html.inc', f'<div class="manual">\n{self.manual.html(name)}</div>\n')
            self.write(f'man/{name}.md', f'---\norphan: true\n---\n# {stem}({section})\n\n'
                                         f'```{{raw}} html\n:file: {name}.html.inc\n```\n')
        for number, title in SECTIONS.items():
            rows = [f"| [{name.rpartition('.')[0]}]({name}.md) | {self.manual.about(name)} |".replace('<', '\\<')
                    for name in self.manual.files if name.endswith(f'.{number}')]
            self.write(f'man/section{number}.md', f'# Section {number}: {title}\n\n| page | about |\n|---|---|\n'
                                                  + '\n'.join(rows) + '\n')

    def add_sources(self):
        for name in sorted(self.named):
            language = LANGUAGES.get(pathlib.PurePath(name).suffix, 'none')
            path = os.path.relpath(SOURCE / name, (self.stage / 'source' / name).parent)
            self.write(f'source/{name}.md', f'---\norphan: true\n---\n# {name}\n\n```{{literalinclude}} {path}\n'
                                            f':language: {language}\n:linenos:\n```\n')

    def add_styles(self):
        """Settings and looks; colors of source code at night are one of Pygments' styles."""
        self.write('conf.py', (HERE / 'conf.py').read_text(encoding='utf-8'))
        self.write('_site/site.css', (HERE / 'site.css').read_text(encoding='utf-8'))
        style = 'from pygments.formatters import HtmlFormatter as F; print(F(style="github-dark").get_style_defs(".highlight"))'
        made = subprocess.run([PYTHON, '-c', style], check=True, capture_output=True, encoding='utf-8').stdout
        made = '\n'.join(line for line in made.splitlines() if 'highlight' in line)
        self.write('_site/dark.css', f'@media (prefers-color-scheme: dark) {{\n{made}\n}}\n')

    def make(self, out):
        self.add_styles()
        self.add_pages()
        self.add_manual()
        self.add_sources()
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([PYTHON, '-m', 'sphinx', '-q', '-W', '--keep-going', '-b', 'html', '-d', self.stage / '.doctrees',
                        self.stage, out], check=True)
        shutil.copyfile(out / 'index.html', out / 'README.html')


def missing():
    if subprocess.run([PYTHON, '-c', 'import myst_parser, pygments, sphinx'], capture_output=True, check=False).returncode:
        return 'python3-myst-parser'
    return None if shutil.which('mandoc') else 'mandoc'


def main(arguments):
    build = pathlib.Path(arguments[0]).resolve()
    lacking = missing()
    if lacking:
        sys.exit(f'site: {lacking} is missing: run scripts/setup packages-long.txt')
    os.chdir(SOURCE)
    Site(build).make(build / 'site')
    print(build / 'site' / 'index.html')


if __name__ == '__main__':
    main(sys.argv[1:])
