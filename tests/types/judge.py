#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compare the types in `spemu export --format csv` with the truth that a program wrote (truth.h).

    tests/types/judge.py PROGRAM RECORDING [TRUTH]

prints the share of loads and stores that have a type, the agreement with the truth for each source, and the worst rows.
An answer agrees if one of the answer's type and the true type contains the other at these offsets, or "by name" if one
contains the other elsewhere and both name the same member: the index of an element was not known.
"""
import collections
import csv
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from layouts import Layouts, at_offset, contains, paths_at, plain, within  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ("data_type", "data_offset", "data_member", "data_base", "type_source")
STRONG = ("static", "thread-local", "stack", "register", "allocation", "votes")
WEAK, SAVED = "weak", "saved"
UNNAMED = {"", "struct", "union", "class", "{...}", "(anonymous)"}
BY_NAME = "name"  # the same member of the same type, in another element
BYTES = "bytes"  # a byte of a wider object: neither right nor wrong
RIGHT = (None, BY_NAME)
PAGE = 4096
Object = collections.namedtuple("Object", "start size first last type modulo")
Sample = collections.namedtuple("Sample", "pc va time load symbol file line answer objects")
Answer = collections.namedtuple("Answer", "type offset member base source")


class Truth:
    """The objects of a program, by address and time."""

    def __init__(self, path, layouts):
        self.pages, self.unknown, found = collections.defaultdict(list), set(), {}
        for line in open(path, encoding="utf-8") if path else ():
            start, size, first, last, name = line.rstrip("\n").split(" ", 4)
            if name not in found:
                found[name] = resolve(layouts, name)
            if found[name] is None:
                self.unknown.add(name)
                continue
            self.add(int(start, 16), int(size, 16), int(first, 16), int(last, 16), found[name])

    def add(self, start, size, first, last, type_):
        modulo = 0 if type_.flexible or not type_.size else type_.size
        found = Object(start, size, first, last or 1 << 63, type_, modulo)
        for page in range(start // PAGE, (start + max(size, 1) - 1) // PAGE + 1):
            self.pages[page].append(found)

    def at(self, address, time):
        """Return the objects that have this address at this time."""
        return [o for o in self.pages.get(address // PAGE, ())
                if o.start <= address < o.start + o.size and o.first <= time <= o.last]


def resolve(layouts, name):
    """Return the type of a name in the truth: of a type, or of a variable."""
    word, _, rest = name.partition(" ")
    if word == "variable":
        die = layouts.variables.get(rest)
        return layouts.type_of(layouts.referred(die)) if die is not None else None
    return next(iter(layouts.find(name)), None)


def export(spemu, data, *options):
    """Return the rows of a recording, as dictionaries."""
    made = subprocess.run([spemu, "export", "--format", "csv", "-q", *options, data], capture_output=True, text=True,
                          check=True)
    return csv.DictReader(made.stdout.splitlines())


def samples(rows, program, layouts, truth):
    """Return (samples with an address of data, program's own samples in code with debugging information)."""
    own, everything = [], []
    code = {}
    for row in rows:
        if not row["va"]:
            continue
        va, time = int(row["va"], 16), int(row["time"] or 0)
        answer = None
        if row["type_source"]:
            answer = Answer(row["data_type"], int(row["data_offset"] or 0), row["data_member"],
                            int(row["data_base"] or "0", 16), row["type_source"])
        pc = int(row["object_address"], 16) if row["object_address"] and row["object"] == program else None
        found = truth.at(va, time)[::-1]  # the newest first
        everything.append(Sample(pc, va, time, "load" in row["op"], row["symbol"], row["file"], row["line"], answer,
                                 found))
        if pc is not None:
            if pc not in code:
                code[pc] = layouts.has_code(pc) and not row["symbol"].startswith("truth_") and row["symbol"] != "truth"
            if code[pc]:
                own.append(everything[-1])
    return everything, own


class Judge:
    """Compares answers with types of the program. Answers repeat, so results are kept."""

    def __init__(self, layouts):
        self.layouts, self.kept, self.types = layouts, {}, {}

    def find(self, name):
        if name not in self.types:
            self.types[name] = self.layouts.find(name)
        return self.types[name]

    def agrees(self, answer, type_, offset):
        """Return None if the answer agrees with `type_` at `offset`, or a word that says why not."""
        key = (answer.type, answer.offset, answer.member, id(type_), offset)
        if key not in self.kept:
            self.kept[key] = self.compare(answer, type_, offset)
        return self.kept[key]

    def compare(self, answer, type_, offset):
        candidates = self.find(answer.type)
        if plain(answer.type) in UNNAMED:
            candidates = [t for _, t, _ in at_offset(type_, offset) if t.name is None and t.kind == "aggregate"]
        if not candidates:
            return "unknown type"
        member = answer.member.replace("[][]", "[]")
        named = [t for t in candidates if t.kind in ("scalar", "pointer") or member in paths_at(t, answer.offset)]
        if not named:
            return "no such member there"
        if any(contains(type_, offset, t, answer.offset) or contains(t, answer.offset, type_, offset) for t in named):
            return None
        if all(t.kind == "scalar" and t.size == 1 for t in named):
            return BYTES
        related = any(within(type_, t) or within(t, type_) for t in named if t.kind == "aggregate")
        if related and any(suffix(member, path) or suffix(path, member) for path in paths_at(type_, offset)):
            return BY_NAME
        return "another type"


def suffix(end, path):
    """Return true if the path of members ends with `end`."""
    return bool(end) and (path == end or path.endswith(f".{end}"))


def true_offset(known, address):
    """Return the offset of the address in the type of a known object."""
    offset = address - known.start
    return offset % known.modulo if known.modulo else offset


class Verdict:
    """The figures of one recording."""

    def __init__(self, everything, own, judge):
        self.sampled, self.everything, self.own = len(everything), everything, own
        self.saved = sum(1 for s in own if s.answer and s.answer.source == SAVED)
        self.typed = sum(1 for s in own if strong(s))
        self.weak = sum(1 for s in own if s.answer and s.answer.source == WEAK)
        self.members = sum(1 for s in own if strong(s) and s.answer.member)
        self.agree, self.wrong, self.reasons = collections.Counter(), collections.Counter(), collections.Counter()
        self.known = self.covered = self.bytes = self.by_name = 0
        self.bases = [s for s in everything if s.answer and s.answer.source != SAVED and
                      s.answer.base not in (0, s.va - s.answer.offset)]  # 0: the element of an array is unknown
        self.judge_truth(everything, judge)
        self.judge_conflicts(everything, judge)

    def judge_truth(self, everything, judge):
        for s in everything:
            if not s.objects:
                continue
            self.known += 1
            if s.answer is None:
                continue
            source, why = s.answer.source, "saved register"
            if source != SAVED:
                whys = [judge.agrees(s.answer, o.type, true_offset(o, s.va)) for o in s.objects]
                why = next((w for w in whys if w in RIGHT), whys[0])
            self.covered += strong(s)
            if why == BYTES:
                self.bytes += 1
                continue
            self.by_name += why == BY_NAME
            (self.agree if why in RIGHT else self.wrong)[source] += 1
            if why not in RIGHT:
                true = s.objects[0].type
                offset = true_offset(s.objects[0], s.va)
                path = max(paths_at(true, offset), key=len)
                self.reasons[why, source, f"{s.answer.type}+{s.answer.offset} {s.answer.member}",
                             f"{true.name or '?'}+{offset} {path}", f"{s.symbol}:{s.line}"] += 1

    def judge_conflicts(self, everything, judge):
        """Count addresses of known objects for which two sources gave strong answers, and those where one is wrong."""
        by_place = collections.defaultdict(dict)
        for s in everything:
            if strong(s) and s.objects:
                object_ = s.objects[0]
                by_place[object_, s.va].setdefault(s.answer.source, judge.agrees(
                    s.answer, object_.type, true_offset(object_, s.va)) in RIGHT)
        self.compared = self.conflicts = 0
        for answers in by_place.values():
            first, *rest = answers.values()
            for other in rest:
                self.compared += 1
                self.conflicts += first != other

    def share(self):
        return percent(self.typed, len(self.own) - self.saved)

    def agreement(self, source=None):
        """Return the agreement of a source, or of all strong sources, in percent. Return None without answers."""
        sources = (source,) if source else STRONG
        good, bad = sum(self.agree[s] for s in sources), sum(self.wrong[s] for s in sources)
        return percent(good, good + bad) if good + bad else None

    def summary(self):
        own = len(self.own)
        text = (f"{self.sampled} loads/stores, {own} in code with debugging information: typed {self.share():.1f} % "
                f"(members {percent(self.members, own - self.saved):.1f} %, weak {percent(self.weak, own):.1f} %, "
                f"saved {percent(self.saved, own):.1f} %)")
        if not self.known:
            return text
        parts = [f"{source} {self.agreement(source):.2f} % of {self.agree[source] + self.wrong[source]}"
                 for source in (*STRONG, WEAK, SAVED) if self.agreement(source) is not None]
        return (f"{text}; in {self.known} samples of known objects typed {percent(self.covered, self.known):.1f} %, "
                f"bytes {percent(self.bytes, self.known):.1f} %, by name {percent(self.by_name, self.known):.1f} %, "
                f"agreement: {', '.join(parts) or 'no answers'}; conflicts {self.conflicts} of {self.compared}")

    def worst(self, count=8):
        """Return lines about the commonest disagreements and untyped places."""
        untyped = collections.Counter((s.symbol, f"{os.path.basename(s.file)}:{s.line}", f"{s.pc:x}",
                                       "weak" if s.answer else "") for s in self.own if not strong(s) and
                                      not (s.answer and s.answer.source == SAVED))
        return [f"  wrong {n:6d} {' | '.join(key)}" for key, n in self.reasons.most_common(count)] + \
            [f"  untyped {n:6d} {' | '.join(key)}" for key, n in untyped.most_common(count)]


def strong(sample):
    return sample.answer is not None and sample.answer.source in STRONG


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def verdict_of(spemu, layouts, program, data, truth=None, options=()):
    """Return the Verdict of a recording, or None if the export has no types."""
    rows = export(spemu, data, *options)
    if not set(COLUMNS) <= set(rows.fieldnames or ()):
        return None
    known = Truth(truth, layouts)
    assert not known.unknown, f"types of the truth that the debugging information lacks: {known.unknown}"
    everything, own = samples(rows, os.path.basename(program), layouts, known)
    return Verdict(everything, own, Judge(layouts))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: judge.py PROGRAM RECORDING [TRUTH]")
    spemu = os.environ.get("SPEMU", str(ROOT / "build/tools/spemu"))
    layouts = Layouts(sys.argv[1])
    verdict = verdict_of(spemu, layouts, *sys.argv[1:])
    layouts.close()
    if verdict is None:
        sys.exit("judge.py: the export has no column data_type")
    print(verdict.summary(), *verdict.worst(20), sep="\n")


if __name__ == "__main__":
    main()
