# SPDX-License-Identifier: MIT
"""The manual pages: mandoc reports no problems, all references lead to existing pages, and section
3 contains all text of the headers.
"""
import functools
import pathlib
import re
import shutil
import subprocess
import sys

from clilib import BUILD, ROOT, write

sys.path.insert(0, str(ROOT / "include/gen"))
import public_api  # noqa: E402

MAN3 = BUILD / "include" / "spemu" / "man3"
FOLDERS = [ROOT / "include", BUILD / "include"]
# Style messages of mandoc that do not indicate an error in the pages:
# - whether other manual pages are installed depends on the machine; the references to spemu's own pages are tested below
# - a reader of a page does not see the length of the source lines
# - "--" is the word that ends options, not a dash
# - FIELDS, FILTERS and PAGER are sections of our own
IGNORED = re.compile(r'mandoc\.db|STYLE: (referenced manual not found|input text line longer than 80 bytes|verbatim "--"|'
                     r"possible typo in section name: Sh (FIELDS|FILTERS|PAGER) )")
# Lists of names, generated from arch/.
LISTS = {"choice_list.h", "feature_list.h", "sysreg_list.h"}


def command_pages():
    """Return all pages outside section 3, generated and committed."""
    made = [path for path in sorted((BUILD / "tools").iterdir()) if re.search(r"\.[1-8]$", path.name)]
    return made + sorted(path for path in (ROOT / "docs" / "man").iterdir() if re.search(r"\.[1-8]$", path.name))


@functools.cache
def links():
    """Return {name: page} of the .so links of section 3, which every man understands. mandoc calls such links fragile,
    so a test checks that each target exists. Debian's packages turn them into symbolic links."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in MAN3.iterdir()}
    return {name: text.split()[1] for name, text in texts.items() if text.startswith(".so ")}


def library_pages():
    return sorted(path for path in MAN3.iterdir() if path.name not in links())


def mandoc(*arguments):
    return subprocess.run(["mandoc", *map(str, arguments)], capture_output=True, encoding="utf-8", check=False)


def lint(paths):
    """Return the complaints about the pages, one per line."""
    out = mandoc("-Tlint", "-Wstyle", *paths)
    return [line for line in (out.stdout + out.stderr).splitlines() if not IGNORED.search(line)]


def test_mandoc():
    assert shutil.which("mandoc"), "apt-get install mandoc"


def test_lint():
    pages = command_pages()
    assert len(pages) >= 14, f"pages of the command\n{pages}"
    assert lint(pages) == [], "mandoc reports no problems in the pages of the command"
    assert lint(library_pages()) == [], "mandoc reports no problems in the pages of the library"


def test_lint_notices(tmp_path):
    page = write(tmp_path, "bad.1", ".Dd November 22, 2026\n.Dt BAD 1\n.Os\n.Sh NAME\n.Nm bad\n.Nd wrong\n.Sh DESCRIPTION\n.Bl -tag\n")
    assert any("WARNING" in line or "ERROR" in line for line in lint([page])), "mandoc reports a list without an end"


def test_references():
    there = {path.name for path in [*command_pages(), *MAN3.iterdir()]}
    missing = set()
    for path in [*command_pages(), *library_pages()]:
        for name, section in re.findall(r"\bXr (\S*spemu\S*) (\d)", path.read_text(encoding="utf-8")):
            if f"{name}.{section}" not in there:
                missing.add(f"{path.name}: {name}({section})")
    assert missing == set(), "references to pages of spemu lead to existing pages"
    assert [name for name, target in links().items() if not (MAN3.parent / target).is_file()] == [], \
        "links lead to existing pages"


def names_of(page):
    """Return the names that section NAME of a page lists."""
    text = (MAN3 / page).read_text(encoding="utf-8")
    return re.findall(r"^\.Nm (\S+)", text[text.index(".Sh NAME"):text.index(".Nd ")], re.M)


def test_names():
    """man finds each exported function, and the NAME section of the page lists the function."""
    functions = public_api.declared(FOLDERS).functions
    assert len(functions) > 160, f"enough exported functions\n{len(functions)}"
    targets = {name: pathlib.PurePath(target).name for name, target in links().items()}
    assert [name for name in sorted(functions) if not (MAN3 / f"{name}.3").is_file()] == [], "each function has a page"
    assert [name for name in sorted(functions)
            if name not in names_of(targets.get(f"{name}.3", f"{name}.3"))] == [], \
                "the page of each function lists the function"


def rendered(paths):
    """Return all words of the pages in one line."""
    return " ".join(mandoc("-Tutf8", "-Owidth=1000", *paths).stdout.split())


def bare(text):
    """Return the text without the backspaces that mandoc uses for bold and underlined text, and
    without the marks of functions and pages."""
    return " ".join(re.sub(r"\(3?\)|.\x08", "", text).replace("–", "-").split())


def header_words(text):
    """Yield the paragraphs of each comment in a header."""
    text = re.sub(r"/\* SPDX.*?\*/", "", text)
    for comment in re.findall(r"^/\*.*?\*/", text, re.S | re.M):
        inside = re.sub(r"^ *\* ?", "", comment[2:-2], flags=re.M)
        for paragraph in re.split(r"\n\s*\n|\n *(?:-|\d\.) ", "\n" + inside):
            yield re.sub(r"^ *(?:-|\d\.) ", "", paragraph)


def test_words():
    """The pages contain every paragraph of the headers."""
    pages = bare(rendered(library_pages()))
    lost = []
    for path in public_api.public_headers(FOLDERS):
        if path.name in LISTS | {"api.h"}:
            continue
        for words in header_words(path.read_text(encoding="utf-8")):
            if bare(words) not in pages:
                lost.append(f"{path.name}: {bare(words)[:200]}")
    assert lost == [], "the pages contain every paragraph of the headers"


def test_batch():
    """Generate one page from an example header, and check all of its parts."""
    page = bare(rendered([MAN3 / "spemu_decoder_batch.3"]))
    for what, words in {
            "header": "#include <spemu/codec.h>",
            "prototype": "int spemu_decoder_batch(struct spemu_decoder *dec, size_t *count, "
                         "const struct spemu_columns *columns);",
            "what it does": "Read the next records into columns, from element 0 on. *count is the number of records.",
            "units": "stream offset of the first byte of the last skip",
            "ownership": "The arrays are the caller's, with capacity elements each. An array that is not needed is NULL.",
            "threads": "Every function may be called from any thread on distinct objects.",
            "returns": "Return SPEMU_OK if the columns are full.",
            "errors": "SPEMU_ERR_CORRUPT the input is damaged or contradicts itself",
            "section of the manual": "DDI 0487 M.a, D18."}.items():
        assert words in page, f"{what}\n{page[:3000]}"


def test_shared_page():
    page = bare(rendered([MAN3 / "spemu_spu_psb_csync.3"]))
    for words in ("void spemu_spu_psb_csync(struct spemu_spu *spu); void spemu_spu_dsb(struct spemu_spu *spu);",
                  "spemu_spu_dsb Execute a DSB for loads and stores. Do not call it for DSB LD."):
        assert words in page, f"two functions: {words[:20]}\n{page[:2000]}"
    page = bare(rendered([MAN3 / "spemu_perf_put_place.3"]))
    assert "#define SPEMU_PERF_PLACE_AT 40" in page, f"a constant that is declared next to the function\n{page[:2000]}"
    assert links()["spemu_spu_dsb.3"] == "man3/spemu_spu_psb_csync.3", "the page of the second function is a link"


def test_without_words(tmp_path):
    """A function without a comment fails the build."""
    header = write(tmp_path, "mute.h", "/* SPDX-License-Identifier: MIT */\n/*\n * Mute.\n */\n#ifndef MUTE_H\n#define MUTE_H\n\n"
                   "SPEMU_BEGIN_DECLS\n\nint spemu_mute(void);\n\nSPEMU_END_DECLS\n#endif\n")
    out = subprocess.run([sys.executable, ROOT / "include/gen/gen-man3", ROOT / "CHANGELOG.md",
                          f"{tmp_path}/man3", header], capture_output=True, encoding="utf-8", check=False)
    assert (out.returncode, out.stderr.strip()) == (1, "include/spemu/mute.h: spemu_mute() needs a comment above it, "
                                                    "which becomes its manual page"), \
                                                        "the error names the missing comment"
