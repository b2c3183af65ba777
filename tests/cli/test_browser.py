# SPDX-License-Identifier: MIT
"""The page of `spemu report --html` in headless Chromium: its behavior for a reader, and the
requests and errors that it must not cause.

The symbol table of the program gives its function inner() a name that is HTML markup.
"""
import collections
import json
import os
import pathlib
import re
import subprocess

import browser

import pytest
from clilib import compile_c, make_recording, nm, page_data, run, spemu, stack_nodes, write

if browser.missing():
    pytest.skip(f"{browser.missing()} is not installed", allow_module_level=True)

PROGRAM = r'''
static int values[1 << 16];
__attribute__((noipa)) int inner(unsigned i)
{
        return values[i * 40503 & 65535];
}
__attribute__((noipa)) int left(unsigned n)
{
        int sum = 0;
        while (n--)
                sum += inner(n);
        return sum;
}
__attribute__((noipa)) int right(unsigned n)
{
        int sum = 0;
        while (n--)
                values[n & 1023] = sum++;
        return sum + left(n & 7);
}
static inline __attribute__((always_inline)) int step(unsigned n)
{
        int sum = 0;
        while (n--)
                sum += values[n * 7 & 65535];
        return sum;
}
__attribute__((noipa)) int odd(unsigned n);
__attribute__((noipa)) int even(unsigned n)
{
        return step(60) + (n ? odd(n - 1) : 0);
}
__attribute__((noipa)) int odd(unsigned n)
{
        return step(90) + (n ? even(n - 1) : 1);
}
__attribute__((noipa)) int down(unsigned n)
{
        return step(40) + (n ? down(n - 1) : inner(n));
}
int main(void)
{
        int sum = left(60000) + right(60000);
        for (int i = 0; i < 60; i++)
                sum += even(12) + down(9);
        return sum & 1;
}
'''
MARKUP = "<img src=x onerror=document.title=1>\"'&amp;"
SIZES = (360, 780), (1280, 900), (2000, 1200)
THEMES = "light", "dark"
ROWS = "return [...document.querySelectorAll('table.data tbody tr')].map(r => [...r.cells].map(c => c.textContent));"


def make_pages(folder):
    """Return four things: the page of one recording, the page of a pair in which one recording has
    no call stacks, the page of a pair of different programs, and the data of the first page."""
    program = compile_c(folder, "program", PROGRAM)
    subprocess.run(["aarch64-linux-gnu-objcopy", "--redefine-sym", f"inner={MARKUP}", program], check=True)
    data, page = f"{folder}/page.data", f"{folder}/page.html"
    result = spemu("record", "-g", "-c", "256", "-o", data, "--", program)
    assert result.returncode <= 1, result
    other, both = f"{folder}/other.data", f"{folder}/both.html"
    result = spemu("record", "-c", "256", "-o", other, "--", program)
    assert result.returncode <= 1, result
    os.mkdir(f"{folder}/later")
    later, change = f"{folder}/later.data", f"{folder}/change.html"
    program = compile_c(f"{folder}/.", "later/program", PROGRAM.replace("right(60000)", "right(150000)").replace("left(60000)", "left(40000)"))
    subprocess.run(["aarch64-linux-gnu-objcopy", "--redefine-sym", f"inner={MARKUP}", program], check=True)
    result = spemu("record", "-g", "-c", "256", "-o", later, "--", program)
    assert result.returncode <= 1, result
    for args in (("report", "--html", page, data), ("diff", "--html", both, other, data), ("diff", "--html", change, data, later)):
        result = spemu(args[0], "--quiet", "-d", "program", *args[1:])
        assert result.returncode == 0, result
    with open(page, encoding="utf-8") as f:
        return page, both, change, page_data(f.read())


class Reader(browser.Browser):
    def __init__(self, *pages):
        super().__init__()
        self.page, self.both, self.change = (pathlib.Path(page).as_uri() for page in pages)
        self.size(*SIZES[1])

    def view(self, name, page=None):
        self.open(f"{page or self.page}#{name}")
        self.settle()

    def views(self):
        return self.run("return [...document.querySelectorAll('nav a')].map(a => a.hash.slice(1));")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent;", selector)

    def unnamed(self):
        """Return the controls that have no accessible name."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "link", "searchbox", "textbox", "checkbox", "combobox", "treeitem", "table", "image", "figure"}
        return [node["role"]["value"] for node in nodes if not node.get("ignored")
                and node.get("role", {}).get("value") in roles - {"figure"}
                and not node.get("name", {}).get("value")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return make_pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def data(pages):
    return pages[-1]


@pytest.fixture(scope="module")
def reader(pages):
    """A browser for all tests. At the end, check that no page reported an error or requested
    anything except itself, and that no name became an HTML element."""
    window = Reader(*pages[:-1])
    yield window
    said = window.log("browser")
    seen = {url.split("#")[0] for url in window.requests()}
    elements = window.run("return document.querySelectorAll('img, iframe, object, embed, link').length;")
    window.close()
    assert not said
    assert seen and seen - {"about:blank"} <= {window.page, window.both, window.change}
    assert elements == 0


SECTIONS = {"overview", "functions", "flame", "lines", "source", "heat", "cache-lines", "latency", "sources"}


def look_at_all(reader, page, sections, windows):
    """Check every section at these sizes and in these themes. Nothing is wider than the page or too
    faint, and every control has a name."""
    reader.view("", page)
    names = reader.views()
    assert sections <= set(names), f"the page has these sections\n{names}"
    for (width, height), themes in windows:
        for theme in themes:
            reader.size(width, height, theme)
            wide, faint, unnamed, empty = [], [], [], []
            for name in names:
                reader.view(name, page)
                inside = reader.run("return [document.documentElement.scrollWidth, document.querySelector('main h2').textContent,"
                                    " document.querySelector('main section').textContent.length];")
                wide += [name] if inside[0] > width else []
                wide += [f"{name}: {line}" for line in reader.scrolling()]
                empty += [name] if inside[2] <= len(inside[1]) else []
                faint += [f"{name}: {line}" for line in reader.contrast("main *, nav a, header *")]
                unnamed += [f"{name}: {role}" for role in reader.unnamed()]
            where = f"at {width} pixels, {theme}"
            assert not wide, f"nothing is wider than the page {where}\n" + "\n".join(wide)
            assert empty == [], f"no section is empty {where}"
            assert not faint, f"text has enough contrast {where}\n" + "\n".join(faint)
            assert not unnamed, f"every control has a name {where}\n" + "\n".join(unnamed)


def test_views(reader):
    look_at_all(reader, reader.page, SECTIONS, [(size, THEMES) for size in SIZES])


def test_both(reader):
    """The page of two recordings shows the change, and each section of both. One recording has no
    call stacks."""
    look_at_all(reader, reader.change, {"changed-flame"}, [(SIZES[0], ["dark"]), (SIZES[1], ["light"])])
    look_at_all(reader, reader.both, SECTIONS | {"changes", "changed-functions", "changed-lines", "changed-events"},
                list(zip(SIZES, (["light"], ["dark"], ["light"]))))
    assert reader.run("return [...document.querySelectorAll('.sides > section')].length;") == 2, \
        "the two recordings are side by side"
    reader.view("flame", reader.both)
    assert [len(side) > 0 for side in reader.run("return [...document.querySelectorAll('.sides > section')].map("
                                                 "s => [...s.querySelectorAll('.frame')].map(f => f.textContent));")] == [False, True], \
        "a flame graph of the recording with call stacks"
    reader.size(*SIZES[1])


def test_tables(reader, data):
    """Tables sort and filter like Python sorts and filters the same rows."""
    reader.size(*SIZES[2])
    reader.view("functions")
    names = [row["name"] for row in data["functions"]]
    assert [row[-1] for row in reader.run(ROWS)] == names, "rows are in the order of the report"
    assert any(MARKUP in name for name in names), "a name that is markup is shown as text"
    for clicks, sort, reverse in ((1, "descending", True), (2, "ascending", False)):
        reader.click("th button[data-key=samples]")
        expected = sorted((row["samples"] for row in data["functions"]), reverse=reverse)
        at = reader.run("return [...document.querySelectorAll('table.data th')].findIndex(h => h.ariaSort !== 'none');")
        assert [int(row[at].replace(",", "")) for row in reader.run(ROWS)] == expected, f"sorted by samples, click {clicks}"
        assert reader.run("return document.querySelectorAll('table.data th')[arguments[0]].ariaSort;", at) == sort, \
            "the header states the order"
    reader.click("th button[data-key=samples]")
    assert [row[-1] for row in reader.run(ROWS)] == names, "the third click goes back to the order of the report"
    median = sorted(row["samples"] for row in data["functions"])[len(names) // 2]
    for typed, keep in (("left", lambda row: "left" in json.dumps(list(row.values()))),
                        ("-left", lambda row: "left" not in json.dumps(list(row.values()))),
                        (f"samples>{median}", lambda row: row["samples"] > median),
                        (f"program -main samples<={median}", lambda row: "main" not in json.dumps(list(row.values()))
                         and row["samples"] <= median)):
        reader.view("functions")
        reader.keys("/", *typed)
        found = [row[-1] for row in reader.run(ROWS) if len(row) > 1]
        assert found == [row["name"] for row in data["functions"] if keep(row)], f"filter '{typed}'"
    reader.keys("Escape")
    assert len(reader.run(ROWS)) == len(names), "Escape clears the filter"
    assert f"{len(names)} rows" in reader.text("[role=status]"), "the status shows the number of rows"
    rows = len(data["offsets"])
    reader.view("offsets")
    assert (rows > 200, len([row for row in reader.run(ROWS) if len(row) > 1])) == (True, 200), \
        "a long table shows its first 200 rows"
    reader.click("td.empty button")
    assert len(reader.run(ROWS)) == rows, "a click shows all rows"
    reader.view("functions")
    before = reader.run("return document.querySelectorAll('table.data th').length;")
    reader.click("details.columns summary")
    reader.click("details.columns label:first-child input")
    assert reader.run("return document.querySelectorAll('table.data th').length;") == before - 1, "a column can be hidden"
    reader.size(*SIZES[1])


LONG = "_ZN5first6second4walkINS0_4PairIlmEENS2_IchEEEElPKll"
NAME_CELL = "const c = document.querySelector('table.data tbody tr').cells; return [...c].at(-1)"


def test_long_names(tmp_path):
    """A table shows the short form of a long symbol, with the whole one as title. An open row shows
    the whole one."""
    source = (f'int f(int) __asm__("{LONG}");\nint f(int x)\n{{\n\treturn x;\n}}\n'
              "int main(void) { return f(0); }\n")
    program = compile_c(tmp_path, "long", source)
    data, page = f"{tmp_path}/long.data", f"{tmp_path}/long.html"
    make_recording("\n".join((
        f"create {data} 256", "comm 1 1 10 long exec", f"mmap 1 11 0 0x100000 0 r-x {program}",
        f"rec pc={nm(program)[LONG]:#x} tid=1 time=20 class=0 sub=0 ev=2 total=5",
        "aux 1 1 30 0 0", "finish")) + "\n")
    assert spemu("report", "--quiet", "--html", page, data).returncode == 0
    whole = "[.] " + run("aarch64-linux-gnu-c++filt", LONG).stdout.strip()
    window = Reader(page, page, page)
    try:
        window.view("functions")
        texts = []
        for _ in range(3):
            texts.append(window.run(f"{NAME_CELL}.textContent;"))
            window.run("document.querySelector('table.data tbody tr').cells[0].click();")
        assert texts == ["[.] first::second::walk<...>(...)", whole, "[.] first::second::walk<...>(...)"], \
            "the short form in a closed row, the whole symbol in an open one"
        assert window.run(f"{NAME_CELL}.querySelector('.short').title;") == whole, "the whole symbol is the title"
        window.view("source")
        assert window.text(".picks .name") == "first::second::walk<...>(...)", \
            "the list of functions has the short form"
        assert not window.log("browser")
    finally:
        window.close()


def test_narrow(reader, data):
    reader.size(*SIZES[0])
    reader.view("functions")
    assert reader.run("return [...document.querySelectorAll('table.data th button')].map(b => b.dataset.key);")[::-1][0] == "name", \
        "a narrow screen keeps the column of names"
    names = reader.run("""return [...document.querySelectorAll('table.data .short')].map(s => {
        const [start, end] = s.children, cell = s.closest('td').getBoundingClientRect();
        return [s.title, start.textContent + end.textContent, start.scrollWidth > start.clientWidth,
                end.getBoundingClientRect().right <= cell.right];
    });""")
    assert all(title == text and ends for title, text, _, ends in names), \
        f"a name has its title, and its end is visible\n{names}"
    assert [cut for title, _, cut, _ in names if MARKUP in title] == [True], "a long name is cut in its middle"
    reader.view("overview")
    first = reader.run("const c = document.querySelector('main .card'); return [c.querySelector('h3').textContent,"
                       " c.querySelector('.causes li').getBoundingClientRect().top];")
    assert first[0] == "Summary" and first[1] < SIZES[0][1], f"the page begins with the first cause\n{first}"
    causes = reader.run("return [...document.querySelectorAll('main .causes li')].map(c => c.textContent);")
    for text, cause in zip(causes, data["answer"]["causes"]):
        error = cause["model_error"]
        assert (f" cycles (model error {error} %)" if error is not None else " samples") in text, \
            f"the model's error is beside the cycles\n{text}"
    listed = "return document.getElementById('links').checkVisibility();"
    assert reader.run(listed) is False, "the list of sections is closed"
    reader.click("#sections")
    reader.click("nav a[href='#functions']")
    assert (reader.run("return location.hash;"), reader.run(listed)) == ("#functions", False), \
        "a click on a section opens it, and closes the list"
    reader.size(*SIZES[1])


def test_keyboard(reader, data):
    reader.view("functions")
    reader.keys("t", "ArrowDown")
    assert reader.run("return document.activeElement.rowIndex;") == 2, \
        "key t selects the first row, and Down the next one"
    reader.keys("k", "Enter")
    assert reader.run("return location.hash;").split("/")[0] == "#source", "Enter shows the source of the row"
    assert data["page"]["source"]["functions"][0]["symbol"] in reader.text("main .note"), \
        "the source section shows the function of the row"
    views = reader.views()
    reader.keys("]")
    assert reader.run("return location.hash;") == f"#{views[views.index('source') + 1]}", "key ] opens the next section"
    reader.keys("[", "[")
    assert reader.run("return location.hash;") == f"#{views[views.index('source') - 1]}", \
        "key [ opens the previous section"
    assert reader.run("return document.querySelector('nav [aria-current]').hash;") == f"#{views[views.index('source') - 1]}", \
        "the list of sections marks the open one"
    reader.keys("1")
    assert reader.run("return location.hash;") == "#overview", "key 1 opens the first section"
    reader.keys("?")
    assert reader.run("return document.getElementById('shortcuts').open;") is True, "key ? opens the list of keys"
    reader.keys("Escape")
    assert reader.run("return document.getElementById('shortcuts').open;") is False, "Escape closes the list of keys"
    for word in ("light", "dark", None):
        reader.keys("d")
        assert reader.run("return document.documentElement.dataset.theme || null;") == word, \
            f"key d switches the colors to {word}"


FRAMES = '''return [...document.querySelectorAll('.frame')].map(f =>
	[f.textContent, f.getBoundingClientRect().width, f.getBoundingClientRect().top, f.getAttribute('aria-label')]);'''
# The looks of the frames and of the words of the legend: background color and pattern.
LOOK = '''function look(e) {
	const style = getComputedStyle(e);
	return style.backgroundColor + style.getPropertyValue('--pattern');
}
'''
FRAME_LOOKS = LOOK + '''return [...document.querySelectorAll('.frame')].map(f =>
	[f.getAttribute('aria-label'), look(f), f.style.getPropertyValue('--stripe')]);'''
LEGEND = LOOK + '''return [...document.querySelectorAll('.flame-legend li')].map(l =>
	[l.textContent, look(l.firstChild)]);'''


def totals_of(page, column):
    """Return the samples (1) or cycles (2) below each function, counted once per stack, and the total."""
    found, nodes = collections.Counter(), stack_nodes(page)
    for node in nodes:
        found.update({name: node[column] for name in {page["stacks"]["functions"][f][0] for f in node[0]}})
    return found, sum(node[column] for node in nodes)


def folded(path, same):
    """Return a stack without recursion. Where a function appears again, everything since its first
    appearance is left out."""
    short = {}
    for f in path:
        if same[f] in short:
            seen = list(short)
            short = {number: short[number] for number in seen[:seen.index(same[f]) + 1]}
        else:
            short[same[f]] = f
    return tuple(short.values())


def tree_of(page, fold):
    """Return {names of a stack: (cycles with callees, own cycles, {reason: cycles with callees})}."""
    same, names = [f[2] for f in page["stacks"]["functions"]], [f[0] for f in page["stacks"]["functions"]]
    found = collections.defaultdict(lambda: [0, 0, collections.Counter()])
    for path, _, cycles, reasons in stack_nodes(page):
        path = tuple(names[f] for f in (folded(path, same) if fold else path))
        found[path][1] += cycles
        for depth in range(len(path) + 1):
            found[path[:depth]][0] += cycles
            found[path[:depth]][2].update(reasons)
    return found


def test_flame(reader, data):
    page = data["page"]
    for button, column in ((None, 2), ("[aria-label=Width] button:last-child", 1)):
        reader.view("flame")
        if button:
            reader.click(button)
        found, whole = totals_of(page, column)
        frames = reader.run(FRAMES)
        width = {text: w for text, w, _, _ in frames}
        for name in ("left", "right"):
            expected = width["all"] * found[name] / whole
            seen = sum(w for text, w, _, _ in frames if text == name)
            assert abs(seen - expected) < 4, f"the width of the frames of {name} is its share\n{(seen, expected)}"
    assert MARKUP in width, f"a name that is markup is shown as text\n{list(width)}"
    top = {text: t for text, _, t, _ in frames}
    assert top["left"] < top["main"] < top["all"], "flame graph: callers are below"
    reader.click("[aria-label=Direction] button:last-child")
    top = {text: t for text, _, t, _ in reader.run(FRAMES)}
    assert top["left"] > top["main"] > top["all"], "icicle graph: callers are above"
    reader.run("[...document.querySelectorAll('.frame')].find(f => f.textContent === 'right').click();")
    reader.settle()
    zoomed = {text: w for text, w, _, _ in reader.run(FRAMES)}
    assert abs(zoomed["right"] - zoomed["all"]) < 2, f"a click widens a function to the full width\n{zoomed}"
    assert reader.run("return document.activeElement.textContent;") == "right", "the clicked function keeps the focus"
    reader.keys("ArrowUp")
    assert reader.run("return document.activeElement.textContent;") == "main", "Up moves to the caller"
    reader.keys("ArrowDown", "Escape")
    assert (reader.run("return document.querySelector('.frame[tabindex=\"0\"]').textContent;") == "all"
            and reader.run(FRAMES)[0][0] == "all"), "Escape shows the whole graph"
    reader.keys("/", *"left")
    found, whole = totals_of(page, 1)
    share = 100 * found["left"] / whole
    assert reader.text(".controls .status") == f"{share:.2f}% matched", "the status shows the highlighted share"
    assert reader.run("return [...document.querySelectorAll('.frame.match')].every(f => f.textContent === 'left');"), \
        "only matching frames are highlighted"


def test_recursion(reader, data):
    """Recursion is folded until the reader unfolds it. No totals change."""
    page = data["page"]
    reader.view("flame")
    for fold, button in ((True, "first"), (False, "last"), (True, "first")):
        reader.click(f"[aria-label=Recursion] button:{button}-child")
        tree, frames = tree_of(page, fold), reader.run(FRAMES)
        whole, pixels = tree[()][0], frames[0][1]
        for name in ("even", "odd", "down", "step", "main"):
            expected = [pixels * node[0] / whole for path, node in tree.items() if path[-1:] == (name,)]
            seen = [w for _, w, _, label in frames if label.startswith((f"{name} in", f"{name} (inlined) in"))]
            wide = [w for w in expected if w > 2]
            assert all(abs(a - b) < 2 for a, b in zip(sorted(seen, reverse=True), sorted(expected, reverse=True))), \
                f"each frame of {name} has its width\n{(seen, expected)}"
            assert len(wide) <= len(seen) <= len(expected) and abs(sum(seen) - sum(expected)) < 4 + 2 * len(expected), \
                f"the frames of {name}, folded {fold}\n{(seen, expected)}"
        count = {name: sum(label.startswith(f"{name} in") for *_, label in frames) for name in ("even", "down")}
        assert count == {"even": 1, "down": 1} if fold else min(count.values()) > 1, \
            f"frames of recursive functions, folded {fold}\n{count}"
        all_samples = sum(node[1] for node in stack_nodes(page))
        assert re.match(f"all: 100.00% of cycles, 0.00% self, {all_samples:,} samples", frames[0][-1]), \
            f"the total is unchanged\n{frames[0]}"
        own = collections.Counter()
        for label in (label for *_, label in frames):
            own[label.split(" ")[0]] += float(re.search(r"([0-9.]+)% self", label)[1])
        for name in ("even", "odd", "down"):
            cycles = sum(node[1] for path, node in tree_of(page, False).items() if path[-1:] == (name,))
            assert abs(own[name] - 100 * cycles / whole) < 0.2, f"the own cycles of {name} are unchanged\n{own}"


def test_reasons(reader, data):
    """A frame has the look of its main reason in the legend, and inlined functions are marked."""
    page = data["page"]
    tree = tree_of(page, True)
    for width, theme in ((1280, "light"), (1280, "dark"), (360, "light")):
        reader.size(width, 900, theme)
        reader.view("flame")
        legend = dict((text.rsplit(" ", 1)[0], look) for text, look in reader.run(LEGEND))
        shown = {text for text, _ in reader.run(LEGEND)}
        shares = {word: 100 * n / sum(tree[()][2].values()) for word, n in tree[()][2].items()}
        assert shown == {f"{word} {share:.0f}%" for word, share in shares.items() if share >= 1}, \
            "the legend has all reasons"
        assert len(set(legend.values())) == len(legend), f"each reason has its own look\n{legend}"
        looks = reader.run(FRAME_LOOKS)
        for name in ("all", "main", "left", "right", "down"):
            paths = [path for path in tree if path[-1:] == (name,)] or [()]
            main = tree[paths[0]][2].most_common(1)[0][0]
            own = {look for label, look, _ in looks if label.startswith((f"{name} in", f"{name}:"))}
            assert own == {legend[main]}, f"{name} has the look of {main}"
        assert looks[0][2].count("var(--k-") == sum(share >= 2 for share in shares.values()), \
            f"the stripe shows all reasons\n{looks[0]}"
    reader.size(*SIZES[1])
    reader.view("flame")
    styles = reader.run("return [...document.querySelectorAll('.frame')].map(f =>"
                        " [f.getAttribute('aria-label').split(':')[0], getComputedStyle(f).fontStyle]);")
    italic = {label for label, style in styles if style == "italic"}
    assert italic == {label for label, _ in styles if "(inlined)" in label} == {"step (inlined) in program"}, \
        f"inlined functions are marked\n{styles}"


def test_small_frames(pages, tmp_path):
    """A frame "other" has the samples of small frames, and says how many they are."""
    with open(pages[0], encoding="utf-8") as f:
        text = f.read()
    data = page_data(text)
    stacks = data["page"]["stacks"]
    stacks["nodes"] += [-1, -7, 10, 5000]
    stacks["cycles"] += [0]
    stacks["small"] = 7
    island = json.dumps(data).replace("<", "\\u003c")
    text = re.sub(r'(id="data">).*?(</script>)', lambda m: m[1] + island + m[2], text, flags=re.S)
    page = write(tmp_path, "small.html", text)
    window = Reader(page, page, page)
    try:
        window.view("flame")
        found = [label for text, *_, label in window.run(FRAMES) if text == "other"]
        share = f"{100 * 5000 / sum(stacks['nodes'][3::4]):.2f}%"
        assert found == [f"other (7 small frames): {share} of cycles, {share} self, 10 samples"], found
        assert '7 small frames are shown as "other"' in window.text("main"), "a note counts the small frames"
    finally:
        window.close()


def test_changed_flame(reader):
    """With two programs, the widths of the frames follow one program, and the colors follow the
    change of self cost."""
    with open(reader.change.removeprefix("file://"), encoding="utf-8") as f:
        sides = page_data(f.read())["page"]["sides"]
    parts = [totals_of(side["page"], 2) for side in sides]
    for button, side in ((None, 1), ("[aria-label=Width] button:last-child", 0)):
        reader.view("changed-flame", reader.change)
        if button:
            reader.click(button)
        width = collections.Counter()
        for text, pixels, _, _ in reader.run(FRAMES):
            width[text] += pixels
        found, whole = parts[side]
        for name in ("left", "right"):
            expected = width["all"] * found[name] / whole
            assert abs(width[name] - expected) < 4, \
                f"the width of the frames of {name} is that in {('the old', 'the new')[side]}\n{(width[name], expected)}"
    kinds = dict(reader.run("return [...document.querySelectorAll('.frame')].map(f => [f.textContent, f.className]);"))
    assert ([next(k for k in kinds[name].split() if k in ("grown", "shrunk", "same")) for name in ("right", MARKUP)] ==
            ["grown", "shrunk"]), "red frames have a higher self cost, and blue frames a lower one"
    shares = [100 * found["right"] / whole for found, whole in parts]
    label = next(label for text, _, _, label in reader.run(FRAMES) if text == "right")
    assert f": {shares[0]:.2f}% \u2192 {shares[1]:.2f}% (+{shares[1] - shares[0]:.2f}%) of cycles" in label, \
        f"the label shows both shares\n{label}"
    reader.view("flame", reader.both)
    assert "changed-flame" not in reader.views(), "the section requires call stacks in both recordings"


def test_heat(reader, data):
    """Zooming with the mouse and with keys reduces the accesses that the heat map shows and counts.
    Escape shows all."""
    heat = data["page"]["heat"]
    cells = [area["cells"][i:i + 6] for area in heat["areas"] for i in range(0, len(area["cells"]), 6)]
    whole = sum(cell[2] for cell in cells)
    told = "main .note"
    painted = """const c = document.querySelector('canvas.heat'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
        return seen.size;"""
    reader.view("heat")
    assert reader.text(told).startswith(f"{whole:,} memory accesses"), \
        f"the heat map shows all accesses\n{reader.text(told)}"
    assert reader.run(painted) > 3, "the heat map has several colors"
    box = reader.run("const b = document.querySelector('canvas.heat').getBoundingClientRect(); return [b.x, b.y, b.width, b.height];")

    def at(x, y):
        return box[0] + x * box[2], box[1] + y * box[3]
    reader.drag([at(0.02, 0.02), at(0.3, 0.5), at(0.5, 0.98)])
    times = 1 + max(cell[1] for cell in cells)
    half = sum(cell[2] for cell in cells if 0.01 * times <= cell[1] <= 0.51 * times)
    shown = int(reader.text(told).split()[0].replace(",", ""))
    assert 0 < shown <= half < whole, f"the map shows only the area that the mouse marked\n{(shown, half, whole)}"
    reader.run("document.querySelector('canvas.heat').focus();")
    reader.keys("Escape")
    assert reader.text(told).startswith(f"{whole:,} memory accesses"), f"Escape shows all accesses\n{reader.text(told)}"
    reader.keys("+", "+", "+")
    nearer = int(reader.text(told).split()[0].replace(",", ""))
    assert nearer < whole, f"key + zooms in\n{nearer}"
    before = reader.text(told)
    reader.keys("ArrowRight")
    assert reader.text(told) != before, f"an arrow key moves the map\n{before}"
    reader.keys("-", "-", "-", "-")
    assert reader.text(told).startswith(f"{whole:,} memory accesses"), "key - zooms out"
    reader.click("[aria-label=Color] button:nth-child(2)")
    assert "cycles" in reader.text(".heat-legend"), "the map can be colored by latency"
    area = max(heat["areas"], key=lambda a: sum(a["cells"][2::6]))
    reader.click(".bars tbody tr:first-child button")
    assert reader.text(told).startswith(f"{sum(area['cells'][2::6]):,} memory accesses"), \
        f"a click on a listed area shows only this area\n{reader.text(told)}"


def test_source(reader, data):
    reader.view("source")
    functions = data["page"]["source"]["functions"]
    hot = [{line["cycles"] >= 0.1 * sum(row["cycles"] for row in f["lines"]) for line in f["lines"]} for f in functions]
    at = next(i for i, f in enumerate(functions) if len(f["lines"]) > 1 and len(hot[i]) > 1 and f["symbol"] != "main")
    reader.click(f".picks li:nth-child({at + 1}) button")
    lines = reader.run("return [...document.querySelectorAll('table.code tr.hot')].map(r => [r.querySelector('.line').textContent, r.cells[0].textContent]);")
    expected = sorted((str(line["line"]), f"{line['cycles']:.2f}%") for line in functions[at]["lines"] if line["cycles"])
    assert sorted((a, b) for a, b in lines) == expected, "each line of the function has its cycles"
    assert re.search("sum|return", reader.text("table.code")), "the lines show their text"
    rows = """return [...document.querySelectorAll('table.code tr')].map(r => [r.matches('.instruction'), r.hidden,
        r.lastChild.textContent, r.querySelector('button.fold')?.getAttribute('aria-expanded')])
        .filter(([instruction, , , opened]) => instruction || opened);"""
    cost = sum(line["cycles"] for line in functions[at]["lines"])
    lines = sorted((line for line in functions[at]["lines"]), key=lambda line: line["line"])
    expected = [(line["cycles"] >= 0.1 * cost, [i["text"] for i in line["instructions"]]) for line in lines]
    seen = []
    for instruction, hidden, text, opened in reader.run(rows):
        if instruction:
            assert hidden is not seen[-1][0], "the instructions of a hot line are open"
            seen[-1][1].append(text)
        else:
            seen.append((opened == "true", []))
    assert [(opened, len(texts)) for opened, texts in seen] == [(opened, len(texts)) for opened, texts in expected]
    for (_, texts), (_, others) in zip(seen, expected):
        assert all(other in text for text, other in zip(texts, others)), "instructions have their text"
    before = sum(row[0] and not row[1] for row in reader.run(rows))
    reader.click("table.code button.fold[aria-expanded=false]")
    assert sum(row[0] and not row[1] for row in reader.run(rows)) > before, "a click shows the instructions of a line"


def test_histograms(reader, data):
    reader.view("latency")
    heights = reader.run("return [...document.querySelectorAll('.plot')].map(p => [...p.querySelectorAll('i')].map("
                         "i => i.getBoundingClientRect().height / p.clientHeight));")
    shown = [kind for kind in ("total", "issue", "translation") if any(row[kind] for row in data["latency"])]
    assert len(heights) == len(shown), "a histogram for each kind of latency"
    for kind, bars in zip(shown, heights):
        most = max(row[kind] for row in data["latency"])
        assert all(abs(bar - row[kind] / most) < 0.02 for bar, row in zip(bars, data["latency"])), f"bars of {kind}\n{bars}"
