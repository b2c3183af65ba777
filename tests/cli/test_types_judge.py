# SPDX-License-Identifier: MIT
"""The judge of types (tests/types/judge.py): hand-written answers about types whose layout is known.

The offsets below follow from the sizes and alignments of AArch64.
"""
import subprocess
import sys

import pytest

from clilib import COMPILER, ROOT

pytest.importorskip("elftools", reason="needs python3-pyelftools")
sys.path.insert(0, str(ROOT / "tests/types"))
import judge  # noqa: E402

SOURCE = """
struct inner { int a; short b[4]; };
struct outer {
	struct outer *next;          /* 0 */
	struct inner in[2];          /* 8, 20 */
	union { double d; unsigned char bytes[8]; }; /* 32 */
	unsigned low : 4, high : 20; /* 40 */
	char end;                    /* 43 */
	long last;                   /* 48 */
};
struct tail { int length; struct inner items[]; };
typedef struct { float x, y; } point;
struct stranger { struct outer *next; long last; };
struct outer outer[3];
struct stranger stranger;
struct tail *tail;
point spot;
static struct { long id; point at; } nameless;
int main(void) { return (int)(outer[0].last + tail->length + spot.x + nameless.at.x); }
"""
# type, offset and member of an answer; true type and offset; the verdict: right, by name, bytes or wrong
CASES = [
    ("struct outer", 0, "next", "outer", 0, "right"),
    ("struct outer", 48, "last", "outer", 48, "right"),
    ("struct outer", 40, "last", "outer", 48, "wrong"),  # no such member at the offset
    ("struct outer", 48, "next", "outer", 48, "wrong"),
    ("struct outer", 0, "next", "outer", 48, "wrong"),  # another place of the same type
    ("struct inner", 0, "a", "outer", 8, "right"),  # a part of the truth
    ("struct inner", 0, "a", "outer", 20, "right"),
    ("struct inner", 0, "a", "outer", 12, "wrong"),  # at other offsets
    ("struct inner", 6, "b[]", "outer", 14, "right"),
    ("struct outer", 14, "in[].b[]", "inner", 6, "right"),  # a container of the truth
    ("struct outer", 14, "in[].b[]", "inner", 4, "by name"),
    ("struct outer", 14, "in[].b[]", "inner", 0, "wrong"),
    ("struct stranger", 8, "last", "outer", 48, "wrong"),  # a name that two types have
    ("struct stranger", 0, "next", "outer", 0, "wrong"),
    ("struct outer", 8, "in[].a", "outer", 20, "by name"),  # the index is unknown
    ("struct outer", 32, "d", "outer", 32, "right"),  # both members of a union without a name
    ("struct outer", 32, "bytes[]", "outer", 32, "right"),
    ("struct outer", 36, "bytes[]", "outer", 36, "right"),
    ("struct outer", 40, "low", "outer", 40, "right"),  # bit fields share bytes
    ("struct outer", 40, "high", "outer", 40, "right"),
    ("struct outer", 42, "high", "outer", 42, "right"),
    ("struct outer", 43, "end", "outer", 43, "right"),
    ("long", 0, "", "outer", 48, "right"),  # a scalar is a part of the truth
    ("long", 0, "", "outer", 40, "wrong"),
    ("double", 0, "", "outer", 32, "right"),
    ("int", 0, "", "outer", 8, "right"),
    ("struct inner *", 0, "", "outer", 0, "right"),  # a pointer is a pointer
    ("struct inner *", 0, "", "outer", 8, "wrong"),
    ("char", 0, "", "outer", 50, "bytes"),
    ("char", 0, "", "outer", 43, "right"),
    ("struct tail", 0, "length", "tail", 0, "right"),
    ("struct tail", 28, "items[].a", "tail", 28, "right"),  # an element of a flexible array
    ("struct inner", 0, "a", "tail", 28, "right"),
    ("struct inner", 0, "a", "tail", 24, "wrong"),
    ("point", 4, "y", "point", 4, "right"),
    ("struct point", 4, "y", "point", 4, "right"),
    ("point", 4, "x", "point", 4, "wrong"),
    ("struct {...}", 12, "at.y", "variable nameless", 12, "right"),
    ("struct (anonymous)", 12, "at.y", "variable nameless", 12, "right"),
    ("point", 4, "y", "variable nameless", 12, "right"),
    ("struct other", 0, "next", "outer", 0, "wrong"),  # unknown
]


@pytest.fixture(scope="module", params=("gcc", "clang"))
def layouts(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    (folder / "judge.c").write_text(SOURCE)
    command = {"gcc": (COMPILER,), "clang": ("clang", "--target=aarch64-linux-gnu")}[request.param]
    made = subprocess.run([*command, "-g", "-O0", "-o", folder / "judge", folder / "judge.c"],
                          capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"{command[0]} cannot build for aarch64")
    found = judge.Layouts(folder / "judge")
    yield found
    found.close()


def verdict(layouts, answer, true, offset):
    why = judge.Judge(layouts).agrees(judge.Answer(*answer, 0, "register"), judge.resolve(layouts, true), offset)
    return {None: "right", judge.BY_NAME: "by name", judge.BYTES: "bytes"}.get(why, "wrong")


def test_answers(layouts):
    got = {(*case[:5],): verdict(layouts, case[:3], *case[3:5]) for case in CASES}
    assert got == {(*case[:5],): case[5] for case in CASES}, "the judge's verdicts"


def test_truth(tmp_path, layouts):
    """Objects are found by address and time, the newest first."""
    (tmp_path / "truth").write_text("1000 80 a 0 struct outer\n1008 10 c e struct inner\n2000 2c a 0 struct tail\n")
    truth = judge.Truth(tmp_path / "truth", layouts)

    def at(address, time):
        return [(o.type.name, judge.true_offset(o, address)) for o in truth.at(address, time)][::-1]
    assert at(0x1048, 11) == [("outer", 0x10)], "the second element of an array"
    assert at(0x1000 + 0x80, 11) == at(0x1000, 9) == [], "beyond the end, and before the beginning"
    assert at(0x100c, 13) == [("inner", 4), ("outer", 12)] and at(0x100c, 15) == [("outer", 12)], "the lifetime"
    assert at(0x2028, 11) == [("tail", 0x28)], "an element of a flexible array"
