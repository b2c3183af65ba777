# SPDX-License-Identifier: MIT
"""Every C and C++ example of the pages, the headers and examples/ runs with sanitizers, and handles every failing call.

In the object of an example, each function of the library and of the system is replaced by a wrapper
that can fail. It returns a status and outputs that are 0, as <spemu/spemu.h> requires, or a
register access or a sample that does not succeed. Each run lets one call fail: the first, the
second and so on. The example must then exit with a nonzero status, without a report of a sanitizer
and without a signal. Examples in text are the body of a function, after the declarations of
DECLARED. tests/bindings runs the examples in other languages.
"""
import os
import re
import subprocess
import sys
import textwrap

import pytest

from clilib import BUILD, ROOT

FOLDERS = [ROOT / 'include', BUILD / 'include']
LIBRARIES = [BUILD / 'lib' / name for name in ('libspemu.so', 'libspemu-trace.so')]
sys.path.insert(0, str(ROOT / 'include/gen'))
import public_api  # noqa: E402

SANITIZERS = ['-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']
REPORTED = 99  # exit status for a report of AddressSanitizer
WARNINGS = ['-Wall', '-Wextra', '-Werror']
SYSTEM = {
    'void *malloc(size_t size)': 'errno = ENOMEM; return NULL;',
    'void *aligned_alloc(size_t alignment, size_t size)': 'errno = ENOMEM; return NULL;',
    'int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)': 'return EAGAIN;',
    'int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count)': 'return ENOMEM;',
}
# Results that report a refusal by the architecture; the call itself succeeds.
REFUSALS = {'spemu_access_result': 'outcome = SPEMU_ACCESS_UNDEFINED', 'spemu_sample_result': 'outcome = SPEMU_SAMPLE_LOST'}


def declared_pe(features, memory='pe_memory', spu_memory='spu_memory', config='config', host='host'):
    """Return declarations of a PE and its SPU, with the names that an example uses."""
    return f"""
	static _Alignas(max_align_t) char {memory}[1 << 20], {spu_memory}[1 << 20];
	struct spemu_pe *pe = NOWHERE;
	struct spemu_spu *spu = NOWHERE;
	struct spemu_pe_config pe_config = {{.size = sizeof(pe_config)}};
	struct spemu_spu_config {config} = {{.size = sizeof({config}), .layout = spemu_layout_dense}};
	struct spemu_spu_host {host} = {{.size = sizeof({host}), .buffer_write = drop}};

	if (spemu_features_parse(&pe_config.features, NULL, "{features}"))
		return -1;
"""


def made_pe(config='config', host='host'):
    return f"""
	if (spemu_pe_init(&pe, pe_memory, sizeof(pe_memory), &pe_config) ||
	    spemu_spu_init(&spu, spu_memory, sizeof(spu_memory), pe, &{config}, &{host}))
		return -1;
"""


PMU = r"""
	static _Alignas(max_align_t) char pmu_memory[1 << 20];
	struct spemu_pmu *pmu = NOWHERE;
	struct spemu_pmu_config pmu_config = {.size = sizeof(pmu_config)};
	struct spemu_pmu_host pmu_host = {.size = sizeof(pmu_host)};
"""


def write_the_other_registers(parameter, write, writes):
    """Return the C function write_the_other_registers(), which writes the given registers with the
    library's function."""
    return f"""
static int write_the_other_registers({parameter})
{{
	const struct {{ uint32_t encoding; uint64_t value; }} writes[] = {{{writes}}};
	struct spemu_access_result result;

	for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++)
		if ({write}({parameter.rpartition('*')[2]}, &result, writes[i].encoding, writes[i].value) || result.outcome != SPEMU_ACCESS_OK)
			return -1;
	return 0;
}}
"""


DRIVER = write_the_other_registers('struct spemu_spu *spu', 'spemu_spu_msr', """
		{SPEMU_SYSREG_PMBSR_EL1, 0}, {SPEMU_SYSREG_PMBPTR_EL1, 0x10000}, {SPEMU_SYSREG_PMSFCR_EL1, 0}, {SPEMU_SYSREG_PMSIRR_EL1, 4 << 8},
		{SPEMU_SYSREG_PMSICR_EL1, 0}, {SPEMU_SYSREG_PMSCR_EL1, 2}""")
# PMECR_EL1.SSE allows the Capture, PMCR_EL0.P clears the counter and .E enables it.
COUNTING = write_the_other_registers('struct spemu_pmu *pmu', 'spemu_pmu_msr', """
		{SPEMU_SYSREG_PMEVTYPERn_EL0(0), 0x08000008}, {SPEMU_SYSREG_PMECR_EL1, 3 << 3}, {SPEMU_SYSREG_PMCR_EL0, 3}, {SPEMU_SYSREG_PMSSCR_EL1, 0}""")
WALKER = r"""
struct machine {
	struct spemu_mmu *mmu;
};

static int no_descriptor(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	(void)ctx, (void)at;
	*value = 0;
	return 0;
}
"""
# Context of each example in a text: (page, its number there) -> (functions before it, declarations, the expected
# result).
DECLARED = {
    ('docs/howto/embed.md', 0): ('', declared_pe('v9.4') + PMU + 'struct spemu_decisions decisions;', 'decisions.enabled[0]'),
    ('docs/howto/embed.md', 1): ('', declared_pe('v9.4') + PMU + made_pe() + r"""
	static char a[1 << 16], b[1 << 16], c[1 << 16];
	size_t a_size = spemu_pe_save_size(), b_size = spemu_spu_save_size(false), c_size = spemu_pmu_save_size();
	if (spemu_pmu_init(&pmu, pmu_memory, sizeof(pmu_memory), pe, &pmu_config, &pmu_host))
		return -1;
	""", '0'),
    ('include/spemu/choices.h', 0): ('', declared_pe('v9.4') + made_pe(), '0'),
    ('include/spemu/explain.h', 0): ('', r"""
	static _Alignas(max_align_t) char memory[1 << 20];
	struct spemu_machine *m = NOWHERE;
	struct spemu_refusal_detail detail;
	struct spemu_decisions decisions;
	struct spemu_trace_step step;
	struct spemu_question question = {.topic = SPEMU_TOPIC_ENABLED};
	unsigned position = 0;
	int status;
	""", 'decisions.enabled[0] || !position'),
    ('include/spemu/mmu.h', 0): (WALKER, r"""
	static _Alignas(max_align_t) char memory[1 << 20], pe_memory[1 << 20];
	struct machine machine = {NOWHERE};
	struct spemu_pe *pe = NOWHERE;
	struct spemu_pe_config pe_config = {.size = sizeof(pe_config)};
	struct spemu_mmu_memory physical = {.size = sizeof(physical), .read = no_descriptor};
	struct spemu_buffer_write access = {.address = 0x12345, .owner_el = 1};
	struct spemu_translation result;
	struct spemu_fault fault;
	if (spemu_features_parse(&pe_config.features, NULL, "v8.2,-EL3,-EL2") ||
	    spemu_pe_init(&pe, pe_memory, sizeof(pe_memory), &pe_config) ||
	    spemu_mmu_init(&machine.mmu, memory, sizeof(memory), &physical))
		return -1;
	if (translate(&machine, &result, &fault, pe, &access))
		return -1;
	""", 'result.physical != access.address'),
    ('include/spemu/pe.h', 0): ('', declared_pe('v9.4', 'memory', 'more_memory'), '0'),
    ('include/spemu/pmu.h', 0): (COUNTING, declared_pe('v9.4,-EL3,-EL2', config='spu_config', host='spu_host') +
                                 made_pe('spu_config', 'spu_host') + r"""
	static _Alignas(max_align_t) char memory[1 << 20];
	struct spemu_pmu *pmu = NOWHERE;
	struct spemu_pmu_config config = {.size = sizeof(config)};
	struct spemu_pmu_host host = {.size = sizeof(host)};
	struct spemu_access_result res;
	uint64_t value;
	/* The OS Lock is locked after a reset, and prohibits Captures (RTSYTY). */
	if (spemu_reg_set(pe, SPEMU_REG_OSLSR_EL1, 0))
		return -1;
	""", 'value != 1000'),
    ('include/spemu/spu.h', 0): (DRIVER, declared_pe('v8.2,-EL3,-EL2', spu_memory='memory') + r"""
	struct spemu_access_result res;
	struct spemu_sample_result result;
	const struct spemu_op op = {.kind = {.type = SPEMU_OP_OTHER}, .retired = true};
	enum { INTERVAL = 4 << 8 }; /* as PMSIRR_EL1 has it; its note in D17.3.4: a sample each INTERVAL + 1 operations */
	const uint64_t limit = 0x11000, pc = 0x400000;
	uint64_t n;
	""", 'n != INTERVAL + 1 || result.outcome != SPEMU_SAMPLE_RECORDED'),
}
PROLOGUE = r"""
#include <stddef.h>
#include <stdio.h>
#include <spemu/spemu.h>
#include <spemu/trace.h>

#define NOWHERE ((void *)1)

static int drop(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access, const void *data, size_t size)
{
	(void)ctx, (void)fault, (void)access, (void)data, (void)size;
	return 0;
}
"""
# Programs, with the compiler's arguments and the arguments of the program.
PROGRAMS = {
    'examples/accounts.c': (['-pthread'], []),
    'examples/accounts.c, fixed': (['-pthread', '-DFIXED'], []),
    'examples/embed.c': ([], []),
    'examples/busy.c': (['-pthread'], ['2', '1']),
    'examples/hotspots.c': (['-pthread'], []),
    'examples/orders.cpp': ([], []),
    'examples/orders.cpp, fixed': (['-DFIXED'], []),
}


def of_header(text):
    """Yield each indented block of C in the first comment."""
    comment = re.search(r'/\*\n(.*?)\*/', text[text.index('*/') + 2:], re.S)[1]
    for block in re.findall(r'(?:^ \*(?:  +\S.*)?\n)+', comment, re.M):
        code = ''.join(line[2:].removeprefix(' ') for line in re.findall(r'^ \*   .*\n|^ \*\n', block, re.M))
        if re.search(r'^\s*(\w[\w ]*\*?|if \(|while \()?.*spemu_\w+\(.*[^.]$', code, re.M) and re.search(r'[;{]$', code, re.M):
            yield code


def of_page(text):
    return (b for b in re.findall(r'^```\n(.*?)^```$', text, re.M | re.S) if re.search(r'\bspemu_\w+\(.*[,;|]', b))


def texts():
    """Return {(page, number): code} for every page and header."""
    pages = [*ROOT.glob('*.md'), *(ROOT / 'docs').rglob('*.md')]
    found = {}
    for paths, blocks in ((pages, of_page), ((ROOT / 'include/spemu').glob('*.h'), of_header)):
        for path in sorted(paths):
            for number, code in enumerate(blocks(path.read_text(encoding='utf-8'))):
                found[str(path.relative_to(ROOT)), number] = code
    return found


def prototypes(text):
    """Yield (name, parameters) of each function that returns a status."""
    for part in public_api.declarations(text):
        part = ' '.join(re.sub(r'__attribute__\s*\(\(.*?\)\)', '', part).split())
        found = re.fullmatch(r'int (spemu_\w+)\((.*)\)', part)
        if found:
            yield found.groups()


def parameters(text):
    """Return (declaration, name) for each parameter."""
    return [(p.strip(), re.search(r'(\w+)(\[\w*\])?$', p.strip())[1]) for p in re.split(r',(?![^()]*\))', text)]


def wrapper(name, text, structs):
    """Return a wrapper of the function `name`, which fails when it is its turn."""
    given = parameters(text)
    zeroed, refused = [], []
    for place, (declaration, parameter) in enumerate(given):
        pointed = re.fullmatch(r'(?:const char \*|struct (\w+) \*|enum \w+ |\w+ )\*\w+|struct (\w+) \*\w+', declaration)
        if not pointed or declaration.startswith(('void ', 'char ')):
            continue
        if pointed[2] and (place == 0 or pointed[2] not in structs):  # an object
            continue
        zeroed.append(f'if ({parameter})\n\t\t\tmemset({parameter}, 0, sizeof(*{parameter}));')
        if pointed[2] in REFUSALS:
            refused.append(f'memset({parameter}, 0, sizeof(*{parameter}));\n\t\t{parameter}->{REFUSALS[pointed[2]]};')
    arguments = ', '.join(parameter for _, parameter in given)
    refuse = f'\tif (fails("{name}, refused")) {{\n\t\t{refused[0]}\n\t\treturn SPEMU_OK;\n\t}}\n' if refused else ''
    zeros = '\n\t\t'.join(zeroed)
    return (f'int or_fail_{name}({text})\n{{\n{refuse}\tif (fails("{name}")) {{\n'
            f'\t\t{zeros}\n\t\treturn SPEMU_ERR_STATE;\n\t}}\n\treturn {name}({arguments});\n}}\n')


def system_wrapper(prototype, failure):
    name, text = re.fullmatch(r'.*?(\w+)\((.*)\)', prototype).groups()
    arguments = ', '.join(re.search(r'(?:\(\*)?(\w+)\)?(?:\(void \*\))?$', p)[1] for p in re.split(r', (?![^()]*\))', text))
    own = prototype.replace(name, f'or_fail_{name}', 1)
    return name, f'{own}\n{{\n\tif (fails("{name}")) {{\n\t\t{failure}\n\t}}\n\treturn {name}({arguments});\n}}\n'


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Return a folder with wrappers.o, the wrappers of all functions that can fail, and their names for objcopy."""
    if subprocess.run([*public_api.COMPILER, *SANITIZERS, '-x', 'c', '-', '-o', os.devnull], input='int main(void) { return 0; }',
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, check=False).returncode:
        pytest.skip('the compiler has no sanitizers')
    folder = tmp_path_factory.mktemp('wrappers')
    headers = '\n'.join(line for line in public_api.preprocess(FOLDERS) if not line.startswith('#'))
    structs = set(re.findall(r'\bstruct (\w+)\s*\{', headers))
    made = {name: wrapper(name, text, structs) for name, text in prototypes(headers)}
    made.update(system_wrapper(*row) for row in SYSTEM.items())
    head = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <spemu/spemu.h>
#include <spemu/trace.h>

/* Is this the call that is to fail? Names it in the file then. */
static bool fails(const char *name)
{
	static unsigned calls;
	const char *turn = getenv("EXAMPLE_FAILS"), *path = getenv("EXAMPLE_FAILED");
	int fd;

	if (!turn || !path || ++calls != (unsigned)atoi(turn))
		return false;
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || write(fd, name, strlen(name)) < 0)
		abort();
	close(fd);
	return true;
}
"""
    (folder / 'wrappers.c').write_text(head + '\n'.join(made.values()), encoding='utf-8')
    ran = subprocess.run([*public_api.COMPILER, '-std=c11', '-O1', *(f'-I{f}' for f in FOLDERS), '-c', folder / 'wrappers.c', '-o', folder / 'wrappers.o'],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert ran.returncode == 0 and len(made) > 100, f'the functions that fail compile\n{ran.stdout}'
    (folder / 'names').write_text(''.join(f'{name} or_fail_{name}\n' for name in made), encoding='utf-8')
    return folder


def compiled(source, program, folder, flags):
    """Compile an example."""
    compiler = ['c++', '-std=c++17'] if source.suffix == '.cpp' else [*public_api.COMPILER, '-std=gnu11']
    example, out = program.with_suffix('.o'), ''
    for command in ([*compiler, *SANITIZERS, *WARNINGS, *(f'-I{f}' for f in FOLDERS), *flags, '-c', source, '-o', example],
                    ['objcopy', f'--redefine-syms={folder}/names', example],
                    [*compiler, *SANITIZERS, example, folder / 'wrappers.o', *LIBRARIES, f'-Wl,-rpath,{os.path.dirname(LIBRARIES[0])}', *flags, '-o', program]):
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        out += ran.stdout
        if ran.returncode:
            break
    assert ran.returncode == 0, f'the example compiles without a warning\n{out}'


def run(program, arguments, **environment):
    environment = {**os.environ, 'ASAN_OPTIONS': f'exitcode={REPORTED}:detect_leaks=0:allocator_may_return_null=1',
                   'UBSAN_OPTIONS': 'print_stacktrace=1', **environment}
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                          stdin=subprocess.DEVNULL, timeout=120, check=False)


def with_failing_calls(program, arguments):
    """Run the program once for each call, and let this call fail. No call fails in the last run.
    Return the number of calls."""
    failed, bad, turn = program.with_suffix('.failed'), [], 0
    while True:
        turn += 1
        failed.unlink(missing_ok=True)
        ran = run(program, arguments, EXAMPLE_FAILS=str(turn), EXAMPLE_FAILED=str(failed))
        if not failed.exists():
            break
        if not 0 < ran.returncode < 64 or re.search(r'Sanitizer|runtime error', ran.stderr):
            bad.append(f'call {turn}, {failed.read_text()}: {ran.returncode}\n{ran.stderr[-1500:]}')
    assert ran.returncode == 0, f'the example succeeds if no call fails\n{ran.returncode}\n{ran.stderr}'
    assert not bad, f'the example ends without a signal whichever of its {turn - 1} calls fails\n' + '\n'.join(bad[:3])
    return turn - 1


def body(code, declared):
    """Return a program for an example. An example that is a function stays unchanged, and the
    declarations call it."""
    before, declarations, wrong = declared
    code = textwrap.indent(textwrap.dedent(code).strip('\n'), '\t')
    if code.startswith('\tstatic '):
        before, code = before + code, ''
    return (f'{PROLOGUE}\n{before}\nstatic int example(void)\n{{\n{declarations}\n{code}\n\treturn {wrong};\n}}\n'
            'int main(void)\n{\n\treturn example() ? 1 : 0;\n}\n')


def test_all_are_known():
    assert set(texts()) == set(DECLARED), 'DECLARED lists each example in a text'
    assert {str(p.relative_to(ROOT)) for p in (ROOT / 'examples').glob('*.c*')} == {name.split(',')[0] for name in PROGRAMS}, \
        'PROGRAMS lists each program of examples/'


@pytest.mark.parametrize('place', DECLARED, ids=[f'{page}, example {number + 1}' for page, number in DECLARED])
def test_text(tmp_path, folder, place):
    source = tmp_path / 'text.c'
    source.write_text(body(texts()[place], DECLARED[place]), encoding='utf-8')
    compiled(source, tmp_path / 'text', folder, ['-Wno-unused'])
    assert with_failing_calls(tmp_path / 'text', []) > 0, 'the example has calls that can fail'


@pytest.mark.parametrize('name', PROGRAMS)
def test_program(tmp_path, folder, name):
    flags, arguments = PROGRAMS[name]
    compiled(ROOT / name.split(',')[0], tmp_path / 'program', folder, flags)
    with_failing_calls(tmp_path / 'program', arguments)
