# SPDX-License-Identifier: MIT
"""Call stacks (spemu record -g) of a program whose calls are known exactly.

Each scene of the program ends in spin(n), which has 2n + 1 operations of assembly. With period P,
it has 2n / P samples, plus or minus one, and the source shows its callers. The other operations of
a scene are far fewer than a period times the tolerance.
"""
import bisect
import collections
import json
import re

import pytest

from clilib import compile_c, nm, page_data, refuses, spemu, stack_nodes, write

PERIOD = 512
LOOPS = 25600
SAMPLES = 2 * LOOPS // PERIOD  # samples of one call of spin(LOOPS)
TOLERANCE = 3

SPIN = r'''
.text
.globl spin
.type spin, %function
spin:
1:      subs x0, x0, #1
        b.ne 1b
        ret
.size spin, . - spin
'''

PROGRAM = r'''
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#define F __attribute__((noipa))
#define KEEP __asm__ volatile("")        /* no tail call */
void spin(unsigned long n);
volatile int sink;

F void leaf(void) { spin(N); KEEP; }
F void twice(void) { leaf(); leaf(); KEEP; }
F void tail_target(void) { spin(N); KEEP; }
F void tail(void) { sink++; tail_target(); }   /* gone when its target runs */
F void recursion(int depth) { if (depth) recursion(depth - 1); else spin(N); KEEP; }

static jmp_buf here;
F void jump(int depth) { if (depth) jump(depth - 1); else longjmp(here, 1); KEEP; }
F void after_jump(void) { spin(N); KEEP; }
F void jumper(void) { if (!setjmp(here)) jump(5); after_jump(); KEEP; }

F void handler(int signo) { (void)signo; spin(N); KEEP; }
F void on_own_stack(int signo) { (void)signo; spin(N); KEEP; }
static sigjmp_buf outside;
F void leaving(int signo) { (void)signo; siglongjmp(outside, 1); }
F void after_handlers(void) { spin(N); KEEP; }
F void signals(void)
{
        char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack_t alternate = {.ss_sp = stack, .ss_size = 65536};
        struct sigaction action = {.sa_handler = handler};

        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
        sigaltstack(&alternate, NULL);
        action.sa_handler = on_own_stack;
        action.sa_flags = SA_ONSTACK;
        sigaction(SIGUSR2, &action, NULL);
        raise(SIGUSR2);
        action.sa_handler = leaving;
        sigaction(SIGURG, &action, NULL);
        if (!sigsetjmp(outside, 1))
                raise(SIGURG);
        after_handlers();
        KEEP;
}

/* Handlers on a stack of their own, sampled at each of their instructions; see test_handlers(). */
F void brief(int signo) { (void)signo; sink++; }
F void after_brief(unsigned n) { spin(n); KEEP; }
F void phases(void)
{
        char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack_t alternate = {.ss_sp = stack, .ss_size = 65536};
        struct sigaction action = {.sa_handler = brief, .sa_flags = SA_ONSTACK};

        sigaltstack(&alternate, NULL);
        sigaction(SIGUSR2, &action, NULL);
        for (unsigned i = 0; i < 600; i++) {
                raise(SIGUSR2);
                after_brief(100 + i % 131);
        }
        KEEP;
}

F void in_thread(void) { spin(N); KEEP; }
F void *thread(void *unused) { in_thread(); KEEP; return unused; }
F void threads(void)
{
        pthread_t t[2];

        for (int i = 0; i < 2; i++)
                pthread_create(&t[i], NULL, thread, NULL);
        for (int i = 0; i < 2; i++)
                pthread_join(t[i], NULL);
}

static ucontext_t first, second, back;
F void in_coroutine(void) { spin(N / 4); KEEP; }
F void coroutine_a(void) { for (int i = 0; i < 4; i++) { in_coroutine(); swapcontext(&first, &second); } KEEP; }
F void coroutine_b(void) { for (int i = 0; i < 4; i++) { in_coroutine(); swapcontext(&second, i < 3 ? &first : &back); } KEEP; }
F void after_coroutines(void) { spin(N); KEEP; }
F void coroutines(void)
{
        static char stack[131072];          /* side by side, with nothing between them */

        getcontext(&first);
        getcontext(&second);
        first.uc_stack.ss_sp = stack;
        second.uc_stack.ss_sp = stack + 65536;
        first.uc_stack.ss_size = second.uc_stack.ss_size = 65536;
        makecontext(&first, coroutine_a, 0);
        makecontext(&second, coroutine_b, 0);
        swapcontext(&back, &first);
        after_coroutines();
        KEEP;
}

F void with_room(unsigned size)
{
        char *room = alloca(size);

        __asm__ volatile("" : : "r"(room) : "memory");
        leaf();
        KEEP;
}
F void rooms(void) { with_room(100000); with_room(64); KEEP; }

F void in_child(void) { spin(N); KEEP; }
F void children(void)
{
        pid_t child = fork();

        if (!child) {
                in_child();
                fflush(stdout);
                _exit(0);
        }
        waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
        const char *scene = argc > 1 ? argv[1] : "";

        if (!strcmp(scene, "again")) { leaf(); return 0; }
        if (!strcmp(scene, "phases")) { phases(); return 0; }
        leaf();
        twice();
        tail();
        recursion(9);
        recursion(199);
        jumper();
        signals();
        threads();
        coroutines();
        rooms();
        children();
        if (!strcmp(scene, "exec")) {
                fflush(stdout);
                execl(argv[0], argv[0], "again", (char *)NULL);
        }
        return 0;
}
'''

# {callers of spin(), up to main or the thread's function: multiple of LOOPS that they spin}
EXPECTED = {
    'leaf main': 1,
    'leaf twice main': 2,
    'tail_target main': 1,
    ' '.join(['recursion'] * 10 + ['main']): 1,
    ' '.join(['recursion'] * 126): 1,  # a stack has at most 127 addresses
    'after_jump jumper main': 1,
    'handler signals main': 1,
    'on_own_stack signals main': 1,
    'after_handlers signals main': 1,
    'in_thread thread': 2,
    'in_coroutine coroutine_a': 1,
    'in_coroutine coroutine_b': 1,
    'after_coroutines coroutines main': 1,
    'leaf with_room rooms main': 2,
    'in_child children main': 1,
}


class Functions:
    """Return the names of code by address: the symbol at the address or the nearest one before
    it."""

    def __init__(self, program):
        self.names = sorted((address, name) for name, address in nm(program).items())
        self.addresses = [address for address, _ in self.names]

    def at(self, address):
        i = bisect.bisect(self.addresses, address)
        return self.names[i - 1][1] if i else None


def build(folder, name, *flags):
    write(folder, "spin.S", SPIN)
    return compile_c(folder, name, PROGRAM, f"{folder}/spin.S", "-O2", f"-DN={LOOPS}", "-pthread", "-static", *flags)


def record(folder, *args):
    data = f"{folder}/perf.data"
    result = spemu("record", "-c", str(PERIOD), "-o", data, *args)
    assert result.returncode == 0, f"record {args[0]}\n{result.stderr}"
    return data


def stacks(data, functions):
    """Return {names of the callers: records in spin()}."""
    found = {}
    for line in spemu('dump', '--records', '--json', '-i', data).stdout.splitlines():
        rec = json.loads(line)
        if functions.at(int(rec['pc'], 16)) != 'spin':
            continue
        names = [functions.at(int(a, 16) - 4) for a in rec.get('callers', [])]
        for end in ('main', 'thread'):
            if end in names:
                names = names[:names.index(end) + 1]
        key = ' '.join(n for n in names if n in PROGRAM_FUNCTIONS)
        found[key] = found.get(key, 0) + 1
    return found


# Functions of the C library between functions of the program (raise, start_context) are ignored.
PROGRAM_FUNCTIONS = {word for key in EXPECTED for word in key.split()}


def compare(found, name, expected):
    for key, times in sorted(expected.items()):
        got, slack = found.pop(key, 0), TOLERANCE * times + (4 if 'coroutine' in key else 0)
        short = ' '.join(key.split()[:3])
        assert abs(got - times * SAMPLES) <= slack, f'{name}: {short}: {got} of {times * SAMPLES} samples'
    assert found == {}, f'{name}: no other stack'


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return build(tmp_path_factory.mktemp("program"), "calls", "-fomit-frame-pointer")


def test_calls(tmp_path, program):
    """After an exec, the new image has its own call stacks."""
    found = stacks(record(tmp_path, "-g", "--machine", "none", "--", program, "exec"), Functions(program))
    compare(found, "-g", {**EXPECTED, "leaf main": 2})


def test_handlers(tmp_path, program):
    """A sample at the first instructions of a signal handler has all callers, although the handler
    has no frame yet."""
    functions = Functions(program)
    data = record(tmp_path, "-g", "--machine", "none", "--", program, "phases")
    records = [json.loads(line) for line in spemu("dump", "--records", "--json", "-i", data).stdout.splitlines()]
    found = [[functions.at(int(a, 16) - 4) for a in r.get("callers", [])] for r in records
             if functions.at(int(r["pc"], 16)) == "spin"]
    assert len(found) > 200, f"enough samples after handlers\n{len(found)}"
    assert {tuple(names[:3]) for names in found} == {("after_brief", "phases", "main")}, \
        "each sample after a handler has its callers"
    inside = [[functions.at(int(a, 16)) for a in r.get("callers", [])] for r in records
              if functions.at(int(r["pc"], 16)) == "brief"]
    assert inside and all("phases" in names and "main" in names for names in inside), \
        f"each sample in a handler has its callers\n{inside}"
    assert all(re.search("kill|raise", names[0]) for names in inside), \
        f"the first caller in a handler is the interrupted function\n{inside}"


def test_frame_pointers(tmp_path):
    """Frame pointers give the same stacks, except for callers of spin(), which has no frame
    record."""
    program = build(tmp_path, "framed", "-fno-omit-frame-pointer")
    functions = Functions(program)
    expected = {}
    for key, times in EXPECTED.items():
        rest = key if key.count("recursion") == 126 else " ".join(key.split()[1:])
        expected[rest] = expected.get(rest, 0) + times
    compare(stacks(record(tmp_path, "--call-graph", "shadow", "--machine", "none", "--", program), functions),
            "shadow", EXPECTED)
    found = stacks(record(tmp_path, "--call-graph", "fp", "--machine", "none", "--", program), functions)
    # As in the kernel, a frame record below the previous one ends the stack. A handler on an alternate stack may have
    # such a record.
    found["signals main"] += found.pop("", 0)
    for stack in found, expected:  # in some C libraries, raise() has no frame record, so signals() is missing
        stack["main"] += stack.pop("signals main")
    compare(found, "fp", expected)


def total(name, key):
    """Return the share of this function in the time of spin(), in units of LOOPS, computed from
    EXPECTED."""
    return sum(times for stack, times in EXPECTED.items() if name in stack.split() and (key is None or key in stack))


def test_report(tmp_path, program):
    """Totals, callers and callees agree with EXPECTED."""
    data = record(tmp_path, "-g", "--machine", "none", "--", program)
    result = spemu("report", "--json", "-n", "0", "--section", "totals,callers,callees", "-i", data)
    report = json.loads(result.stdout)
    totals = {row["symbol"]: row for row in report["totals"]}
    for name in sorted(PROGRAM_FUNCTIONS):
        expected = total(name, None) * SAMPLES
        assert abs(totals[name]["total_samples"] - expected) <= 2 * TOLERANCE * total(name, None) + 4, \
            f"total of {name}: {totals[name]['total_samples']} of {expected}"
        assert totals[name]["self_samples"] <= 4, f"{name} has few samples of its own\n{totals[name]}"
    everything = sum(EXPECTED.values()) * SAMPLES
    assert abs(totals["spin"]["self_samples"] - everything) <= TOLERANCE * sum(EXPECTED.values()), \
        "spin has all samples of its own"
    assert totals["spin"]["total_samples"] == totals["spin"]["self_samples"], "spin calls nothing"

    callers = {(row["function"], row["caller"]): row for row in report["callers"]}
    callees = {(row["function"], row["callee"]): row for row in report["callees"]}
    for caller, callee, times in (("main", "leaf", 1), ("twice", "leaf", 2), ("with_room", "leaf", 2), ("main", "twice", 2),
                                  ("leaf", "spin", 5), ("recursion", "recursion", 2), ("jumper", "after_jump", 1)):
        row = callers[callee, caller]
        assert abs(row["total_samples"] - times * SAMPLES) <= TOLERANCE * times, f"{caller} calls {callee}\n{row}"
        assert callees[caller, callee]["total_samples"] == row["total_samples"], f"{callee} is called by {caller}"
        share = 100 * row["total_samples"] / totals[callee]["total_samples"]
        assert abs(row["of_function"] - share) < 0.01, f"the share of the caller\n{row}"
    assert ("after_jump", "jump") not in callers and ("spin", "tail") not in callers, \
        "no call is shown that was not made"
    assert callees["spin", "[self]"]["total_samples"] == totals["spin"]["self_samples"], \
        "the row [self] has the samples of spin itself"
    check_page(data, report["totals"])


def check_page(data, totals):
    """Check the tree of the page. It has every sample once, and the totals of functions follow from
    it."""
    page = page_data(spemu("report", "--quiet", "--html", "-", "-i", data).stdout)["page"]
    stacks, nodes = page["stacks"], stack_nodes(page)
    assert len({path for path, *_ in nodes}) == len(nodes), "a function is once in its caller"
    assert stacks["small"] == 0, "a small tree is complete"
    found = collections.Counter()
    for path, samples, _, _ in nodes:
        found.update({function: samples for function in set(path)})
    assert all(stacks["functions"][f][3] == 0 for f in found), "the program has no inlined functions"
    found = {tuple(stacks["functions"][f][:2]): n for f, n in found.items()}
    assert found == {(row["symbol"], row["object"]): row["total_samples"] for row in totals}, "totals follow from the tree"


def test_text(tmp_path, program):
    """The text shows totals if there are stacks, calls if requested, and a note on truncated stacks."""
    data = record(tmp_path, "-g", "--machine", "none", "--", program)
    text = spemu("report", "-i", data).stdout
    assert "# Functions with callees" in text and "# Callers" not in text, f"totals without -g\n{text}"
    assert " stacks are cut at 127 addresses" in text, f"a note counts truncated stacks\n{text}"
    text = spemu("report", "-g", "--section", "functions", "-i", data).stdout
    assert all(f"\n# {title}\n" in text for title in ("Functions", "Functions with callees", "Callers", "Callees")), f"-g\n{text}"
    lines = [line.split() for line in text[text.index("# Callers"):text.index("# Callees")].splitlines()]
    assert any(line[-2:] == ["spin", "leaf"] for line in lines), f"a row of callers\n{text}"


def test_without(tmp_path, program):
    """A recording without -g has no stacks."""
    data = record(tmp_path, "--machine", "none", "--", program, "again")
    records = spemu("dump", "--records", "--json", "-i", data).stdout
    assert "callers" not in records and records.count("\n") >= SAMPLES, "no callers without -g"
    assert "with callees" not in spemu("report", "-i", data).stdout, "without -g, the text has no totals"
    assert "totals" not in json.loads(spemu("report", "--json", "-i", data).stdout), \
        "without -g, the JSON output has no totals"
    for option in (["-g"], ["--section", "callers"]):
        refuses(f"report {option[0]}", 125, "has no call stacks; record them with 'spemu record -g'", "report",
                *option, "-i", data)


@pytest.mark.parametrize("name, pattern, args", (
    ("another kind", "--call-graph: expected fp or shadow, got 'dwarf'", ["--call-graph", "dwarf"]),
    ("no timestamps", "leave out --no-timestamps", ["-g", "--no-timestamps"]),
    ("strict", "leave out --strict", ["-g", "--strict"])))
def test_refusals(tmp_path, program, name, pattern, args):
    refuses(name, 2, pattern, "record", "-o", f"{tmp_path}/none.data", *args, "--", program)
