# SPDX-License-Identifier: MIT
"""`make site`: every page exists and can be reached from the first page, and all internal links
work. In a browser (headless Chromium), the pages are readable in light and dark mode, at 360
pixels, without a network.
"""
import html.parser
import os
import pathlib
import shutil
import subprocess
import urllib.parse

import browser

import pytest
from clilib import BUILD, ROOT, run

SITE = BUILD / "site"
# For each kind of page, one with the widest elements: tables, listings, long names.
SEEN = ["index", "docs/explanation/design", "docs/reference/history", "docs/reference/strict-mode", "man/spemu_decoder_batch.3", "man/spemu-record.1",
        "man/spemu-packet.3", "man/section3", "source/examples/embed.c", "CHANGELOG"]


missing = browser.missing() or (None if shutil.which("mandoc") else "mandoc")
if missing or subprocess.run(["/usr/bin/python3", "-c", "import myst_parser, sphinx"], capture_output=True, check=False).returncode:
    pytest.skip(f"{missing or 'python3-myst-parser'} is not installed", allow_module_level=True)


class Page(html.parser.HTMLParser):
    """Parse a page into its anchors, links, loaded resources and words."""

    def __init__(self, path):
        super().__init__()
        self.path, self.anchors, self.links, self.loads, self.words = path, {""}, [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.add(values.get("id"))
        if tag == "a" and values.get("href") is not None:
            self.links.append(values["href"])
        self.loads += [values[name] for name in ("src", "href") if tag != "a" and values.get(name)]

    def handle_data(self, data):
        self.words.append(data)

    def targets(self, links):
        """Return (file, anchor) for each link within the site."""
        for link in links:
            parts = urllib.parse.urlsplit(link)
            if not parts.scheme and not parts.netloc:
                path = self.path.parent / urllib.parse.unquote(parts.path) if parts.path else self.path
                yield pathlib.Path(os.path.normpath(path)), urllib.parse.unquote(parts.fragment)


def tracked(*patterns):
    return run("git", "ls-files", *patterns, cwd=ROOT).stdout.split()


def manual_names():
    """Return the manual pages that are not links to another page."""
    folders = [BUILD / "tools", ROOT / "docs" / "man", BUILD / "include" / "spemu" / "man3"]
    return [path.name for folder in folders for path in folder.glob("*.[1-8]")
            if not path.read_text(encoding="utf-8").startswith(".so ")]


@pytest.fixture(scope="module", autouse=True)
def made():
    out = run(ROOT / "docs/site/make-site", BUILD, cwd="/", timeout=900)
    assert (out.returncode, out.stdout.strip(), out.stderr) == (0, str(SITE / "index.html"), ""), \
        "the site is built without a warning"


@pytest.fixture(scope="module")
def pages():
    return {path: Page(path) for path in SITE.rglob("*.html")}


@pytest.fixture(scope="module")
def reader(pages):
    """A browser for all tests. At the end, check that no page reported an error or requested
    anything outside the site."""
    window = browser.Browser()
    yield window
    said = window.log("browser")
    seen = window.requests()
    window.close()
    assert not said
    assert seen and not [url for url in seen if not url.startswith((SITE.as_uri(), "about:", "data:"))]


def test_links(pages):
    """All links within the site work, including anchors, and pages load only files of the site."""
    broken, foreign = [], []
    for page in pages.values():
        for target, anchor in [*page.targets(page.links), *page.targets(page.loads)]:
            there = anchor in pages[target].anchors if target in pages else target.is_file() and SITE in target.parents
            if not there:
                broken.append(f"{page.path.relative_to(SITE)}: {target}#{anchor}")
        foreign += [f"{page.path.relative_to(SITE)}: {load}" for load in page.loads if urllib.parse.urlsplit(load).netloc]
    count = sum(len(page.links) for page in pages.values())
    assert count > 5000, f"enough links: {count}"
    assert broken == [], "no link is broken"
    assert foreign == [], "nothing is loaded from elsewhere"


def test_found(pages):
    """Every page can be reached from the first page by links."""
    start = SITE / "index.html"
    found, new = {start}, [start]
    while new:
        page = pages[new.pop()]
        near = {target for target, _ in page.targets(page.links) if target in pages} - found
        found |= near
        new += near
    wanted = [pathlib.Path(name).with_suffix(".html") for name in tracked("docs/*.md", "*.md") if name.count("/") < 3
              and (name.startswith("docs/") or "/" not in name) and name != "README.md"]
    wanted += [pathlib.Path("man", f"{name}.html") for name in manual_names()]
    assert len(wanted) > 100, f"enough pages: {len(wanted)}"
    assert [str(name) for name in wanted if SITE / name not in found] == [], "every page can be reached"


def test_kept(pages):
    """Links between pages of the repository are links of the site. Names of files and functions
    also become links."""
    first = {target.relative_to(SITE).as_posix() for target, _ in pages[SITE / "index.html"].targets(
        pages[SITE / "index.html"].links)}
    for name in ("docs/howto/profile.html", "SECURITY.html", "source/examples/embed.c.html", "source/packages.txt.html",
                 "man/spemu-choices.7.html"):
        assert name in first, f"the first page leads to {name}\n{sorted(first)}"
    history = pages[SITE / "docs" / "reference" / "history.html"]
    assert (SITE / "man" / "spemu-scenario.5.html", "") in set(history.targets(history.links)), \
        "a link to the source of a manual page leads to the page"
    embed = pages[SITE / "docs" / "howto" / "embed.html"]
    assert (SITE / "man" / "spemu_spu_msr.3.html", "") in set(embed.targets(embed.links)), \
        "the name of a function leads to its page"
    lines = (ROOT / "examples" / "embed.c").read_text(encoding="utf-8").splitlines()
    shown = "".join(pages[SITE / "source" / "examples" / "embed.c.html"].words)
    assert [line for line in lines if line.expandtabs(8).strip() not in shown.expandtabs(8)] == [], \
        "the page of a source file has all lines"


def test_seen(reader):
    """No page is wider than the window, and text has enough contrast (WCAG 2)."""
    wide, faint = [], []
    for name in SEEN:
        for width, theme in ((360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")):
            reader.size(width, 800, theme)
            reader.open((SITE / f"{name}.html").as_uri())
            reader.settle()
            got = reader.run("return document.scrollingElement.scrollWidth")
            if got > width:
                wide.append(f"{name} {width}: {got}")
            if width == 360:
                faint += [f"{name} {theme}: {line}" for line in reader.contrast("div.related *, div.body *, div.sphinxsidebar *")]
            if pictures := os.environ.get("SPEMU_TEST_PICTURES"):
                reader.screenshot(f"{pictures}/{name.replace('/', '_')}-{width}-{theme}.png")
    assert wide == [], "nothing is wider than the window"
    assert faint[:20] == [], "text has enough contrast"
    grounds = []
    for theme in ("light", "dark"):
        reader.size(1280, 800, theme)
        grounds.append(reader.run("return getComputedStyle(document.body).backgroundColor"))
    assert len(set(grounds)) == 2, f"light and dark mode have different backgrounds\n{grounds}"


def test_navigation(reader):
    reader.size(1280, 800)
    reader.open((SITE / "docs" / "explanation" / "design.html").as_uri())
    box = reader.run("const b = document.querySelector('div.sphinxsidebar').getBoundingClientRect();"
                     "return [b.left, b.right, document.querySelector('div.body').getBoundingClientRect().left];")
    assert box[0] >= 0 and box[1] > 200 and box[1] <= box[2], f"the list of pages is left of the text\n{box}"
    reader.click("div.sphinxsidebar a[href$='history.html']")
    assert (reader.run("return document.querySelector('h1').firstChild.data") ==
            (ROOT / "docs" / "reference" / "history.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")), \
                "the list leads to the pages"


def search_results(reader, wanted):
    """Return the links that the search page shows. Wait up to ten seconds for a link that contains
    `wanted`."""
    return reader.run("""return new Promise(done => {
        const look = n => {
            const found = [...document.querySelectorAll('ul.search li a')].map(a => a.getAttribute('href'));
            found.some(link => link.includes(arguments[0])) || n > 100 ? done(found) : setTimeout(look, 100, n + 1);
        };
        look(0);
    });""", wanted)


def test_search(reader):
    """Search for a word of a manual page, without a server. The results appear one by one."""
    reader.open((SITE / "search.html").as_uri() + "?q=spemu_columns")
    found = search_results(reader, "spemu_decoder_batch.3")
    assert any("spemu_decoder_batch.3" in link for link in found), f"the search finds the page\n{found}"


def test_search_box(reader):
    """Type two words into the search box of the first page."""
    reader.size(1280, 800)
    reader.open((SITE / "index.html").as_uri())
    reader.click("div.sphinxsidebar input[name='q']")
    reader.keys(*"false sharing")
    reader.click("div.sphinxsidebar input[type='submit']")
    found = search_results(reader, "docs/howto/profile")
    assert any("docs/howto/profile" in link for link in found), f"the search finds the guide\n{found}"
