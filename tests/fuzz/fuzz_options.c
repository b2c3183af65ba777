/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: command lines, and files of suppressions.
 *
 * An input is either a byte that selects the command with words that end with NUL bytes, or it is
 * the file. Every input is accepted, or rejected with one line and a documented status. An accepted
 * value is valid for its user: the library accepts features, layouts, machines and injections. An
 * option that requires a value has one.
 */
#include "fuzz_tools.h"

#include <sys/mman.h>

#include "base/options.h"
#include "diagnostic/suppression.h"
#include "fuzz_world.h"
#include "record/record.h"
#include "vm/vm.h"
#include <spemu/strict.h>
#include "timing/uarch.h"

enum { WORDS_MAX = 24, TEXT_MAX = 1024, SUPPRESSIONS_FD = 1002 };

/* Replace the function of record_check.c, which would depend on the machine. */
bool physical_addresses_readable(void)
{
	return true;
}

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

static int no_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                    const void *data, size_t size)
{
	(void)ctx, (void)fault, (void)access, (void)data, (void)size;
	return 0;
}
static const struct spemu_spu_host host = {.size = sizeof(host), .buffer_write = no_write};

static void check_vm(int argc, char **argv)
{
	struct fuzz_world w = fuzz_world(0, 0, &host, NULL);
	struct spemu_layout layout;
	struct vm_options opt;
	const struct option_value *value = opt.value;
	uint64_t max_size, align;
	enum spemu_choice choice;
	unsigned option;

	vm_parse(&opt, argc, argv);
	max_size = value[VM_MAX_SIZE].number;
	align = value[VM_ALIGN].number;
	REQUIRE(opt.arguments &&
	        (opt.arguments[0] ? opt.arguments[0][0] == '-' : value[VM_RUN].given));
	REQUIRE(!max_size || (power_of_two(max_size) && max_size >= 64 && max_size <= 2048));
	REQUIRE(!align || (power_of_two(align) && align <= (max_size ? max_size : 2048)));
	REQUIRE(value[VM_CPUS].number >= 1 && value[VM_CPUS].number <= VM_VCPUS_MAX &&
	        opt.share_count <= VM_SHARES_MAX);
	REQUIRE(!value[VM_LAYOUT].given ||
	        spemu_layout_parse(&layout, NULL, value[VM_LAYOUT].text) == SPEMU_OK);
	REQUIRE(!value[VM_MACHINE].given || !strcmp(value[VM_MACHINE].text, "none") ||
	        uarch_profile(value[VM_MACHINE].text));
	REQUIRE(value[VM_ERROR_EXITCODE].number <= 255 &&
	        opt.injection_count <= SPEMU_INJECTIONS_MAX);
	for (size_t i = 0; opt.choices && opt.choices[i]; i++)
		REQUIRE(spemu_choice_parse(&choice, &option, NULL, opt.choices[i]) == SPEMU_OK);
	for (size_t i = 0; i < opt.injection_count; i++)
		REQUIRE(spemu_spu_inject(w.spu, NULL, &opt.injection[i]) == SPEMU_OK);
}

static void check_record(int argc, char **argv)
{
	struct record_options opt;
	struct spemu_features features;
	struct spemu_layout layout;
	const struct recording_params *p = &opt.params;

	record_parse(&opt, argc, argv);
	REQUIRE(opt.program && opt.program[0][0] && opt.output);
	REQUIRE(p->period % 256 == 0 && p->period >= 256 && p->period >> 32 == 0);
	REQUIRE(p->buffer_size % 4096 == 0 && p->buffer_size >= 4096);
	REQUIRE(memchr(p->features, 0, sizeof(p->features)));
	REQUIRE(memchr(p->uarch, 0, sizeof(p->uarch)) && memchr(p->layout, 0, sizeof(p->layout)));
	REQUIRE(memchr(p->profile, 0, sizeof(p->profile)));
	REQUIRE(!p->features[0] ||
	        (spemu_features_parse(&features, NULL, p->features) == SPEMU_OK &&
	         spemu_features_check(&features, NULL) == SPEMU_OK));
	REQUIRE(!p->layout[0] || spemu_layout_parse(&layout, NULL, p->layout) == SPEMU_OK);
	REQUIRE(!(p->pmsevfr & p->pmsnevfr));
}

/* Check a command line of another command, with the option table only. */
static void check_table(const struct option_table *table, int argc, char **argv)
{
	int row;

	command_name = table->command;
	while ((row = next_option(table, argc, argv)) != -1) {
		REQUIRE(row >= 0 && (unsigned)row < table->count);
		REQUIRE(table->rows[row].argument != required_argument || optarg);
		REQUIRE(table->rows[row].argument != no_argument || !optarg);
	}
	REQUIRE(optind <= argc);
}

static void check_suppressions(void)
{
	static const char *const symbols[] = {NULL, "main", "*"};
	struct suppression_list *list = suppressions_read("/proc/self/fd/1002");
	const struct spemu_diagnostic *d;

	for (unsigned i = 0; (d = spemu_diagnostic_at(i)); i++) {
		struct spemu_diagnostic one = *d;

		one.has_pc = i % 2;
		one.pc = i;
		(void)suppressions_match(list, &one, symbols[i % 3]);
	}
	suppressions_report_unused(list);
}

static int take_words(char **argv, char *text, struct fuzz_input *in)
{
	size_t size = (size_t)(in->end - in->p), at = 0;
	int argc = 1;

	size = size < TEXT_MAX - 1 ? size : TEXT_MAX - 1;
	if (size)
		memcpy(text, in->p, size);
	text[size] = 0;
	argv[0] = (char *)(uintptr_t) "spemu";
	while (at < size && argc < WORDS_MAX) {
		argv[argc++] = text + at;
		at += strlen(text + at) + 1;
	}
	argv[argc] = NULL;
	return argc;
}

static void put_suppressions(const struct fuzz_input *in)
{
	static bool made;
	size_t size = (size_t)(in->end - in->p);

	if (!made) {
		int fd = memfd_create("fuzz-options", MFD_CLOEXEC);

		REQUIRE(fd >= 0 && dup2(fd, SUPPRESSIONS_FD) == SUPPRESSIONS_FD);
		close(fd);
	}
	made = true;
	REQUIRE(ftruncate(SUPPRESSIONS_FD, 0) == 0);
	REQUIRE(pwrite(SUPPRESSIONS_FD, in->p, size, 0) == (ssize_t)size);
}

struct command_line {
	unsigned what;
	int argc;
	char *argv[WORDS_MAX + 1];
};

static void check(void *argument)
{
	static const struct option_table *const tables[] = {
	        &report_options, &dump_options, &run_options, &explain_options, &regs_options};
	struct command_line *line = argument;

	optind = 0; /* restart getopt_long() */
	verbosity = 1;
	command_name = "vm";
	if (line->what == 0) {
		check_vm(line->argc, line->argv);
	} else if (line->what == 1) {
		command_name = "record";
		check_record(line->argc, line->argv);
	} else if (line->what == 2) {
		verbosity = 2;
		check_suppressions();
	} else {
		check_table(tables[line->what - 3], line->argc, line->argv);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct command_line line;
	static char text[TEXT_MAX];
	struct fuzz_input in = {data, data + size};

	line.what = fuzz_below(&in, 8);
	line.argc = take_words(line.argv, text, &in);
	if (line.what == 2)
		put_suppressions(&in);
	fuzz_run(check, &line);
	fuzz_end(false);
	out_stdout.len = 0;
	return 0;
}
