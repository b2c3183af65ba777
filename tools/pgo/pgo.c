/* SPDX-License-Identifier: MIT */
/* spemu pgo: write profiles for optimizers from the branches of a recording. */
#define _GNU_SOURCE
#include "profiles.h"
#include "../base/options.h"
#include "../base/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The part of a program that a kind of profile requires. */
enum need { NEEDS_CODE, NEEDS_SYMBOLS, NEEDS_LINES };

static const struct kind {
	void (*print)(const struct branches *b, struct out *o);
	enum need need;
} kinds[] = {
        [PGO_FORMAT_BOLT] = {bolt_write, NEEDS_SYMBOLS},
        [PGO_FORMAT_AUTOFDO] = {autofdo_write, NEEDS_LINES},
        [PGO_FORMAT_GCOV] = {gcov_write, NEEDS_LINES},
        [PGO_FORMAT_LLVM_PROFGEN] = {profgen_write, NEEDS_CODE},
};

struct arguments {
	const char *input, *output, *program;
	const struct kind *kind;
};

static void parse_arguments(struct arguments *a, int argc, char **argv)
{
	int c;

	while ((c = next_option(&pgo_options, argc, argv)) != -1) {
		switch (c) {
		case PGO_INPUT:
			a->input = optarg;
			break;
		case PGO_FORMAT:
			a->kind = &kinds[option_value.word];
			break;
		case PGO_OUTPUT:
			a->output = optarg;
			break;
		}
	}
	if (argc - optind != 1)
		die(EXIT_USAGE,
		    "expected one program or shared object, got %d; 'spemu report -i %s' lists "
		    "those "
		    "with samples",
		    argc - optind, a->input);
	a->program = argv[optind];
	if (!a->kind)
		die(EXIT_USAGE, "--format is missing; give %s",
		    pgo_options.rows[PGO_FORMAT].expected);
}

/* Open the program. Die if it does not have a part that the profile requires. */
static struct object *open_program(const struct arguments *a)
{
	char *path = realpath(a->program, NULL);
	struct object *program;
	uint64_t base;

	if (!path)
		die(EXIT_NOT_FOUND, "cannot open '%s': %s", a->program, strerror(errno));
	program = object_find(path, NULL, 0);
	free(path);
	if (!object_code_base(program, &base))
		die(EXIT_OWN, "%s; give the program or shared object that was recorded",
		    object_problem(program) ? object_problem(program) : "the file has no code");
	if (a->kind->need == NEEDS_SYMBOLS && object_gap(program))
		die(EXIT_OWN,
		    "%s is stripped, but this format needs the names of functions; give the "
		    "unstripped file, which has the same build-id",
		    a->program);
	if (a->kind->need == NEEDS_LINES && !object_has_lines(program))
		die(EXIT_OWN,
		    "%s has no debugging information, but this format needs source lines; compile "
		    "with -g, or with clang -gline-tables-only -fdebug-info-for-profiling",
		    a->program);
	return program;
}

/* Die because no branch of the program was recorded. Say why, and what to do. */
_Noreturn static void die_empty(const struct arguments *a, const struct branches *b)
{
	if (b->changed)
		die(EXIT_OWN, "%s has changed since it was recorded (build-id); record again",
		    a->program);
	if (!b->inside && !b->elsewhere && !b->not_retired && !b->targetless)
		die(EXIT_OWN, "the recording has no branches; record with --branches all");
	if (b->inside)
		die(EXIT_OWN, "the recording has no taken branches, and with previous targets "
		              "only these show which code ran; record with --branches previous");
	if (!b->elsewhere)
		die(EXIT_OWN, "the recorded branches did not retire or have no target; record with "
		              "--branches all, or in perf with branch_filter=1");
	die(EXIT_OWN,
	    "no recorded branch is in %s, %llu are elsewhere%s; 'spemu report -i %s' shows where",
	    a->program, (unsigned long long)b->elsewhere,
	    b->jit == b->elsewhere ? ", in code generated at run time" : "", a->input);
}

static void warn_incomplete(const struct arguments *a, const struct branches *b)
{
	uint64_t not_taken = b->before_count, conditional = 0;
	int32_t offset;

	for (size_t i = 0; i < b->count; i++) {
		const struct branch *branch = &b->list[i];

		not_taken += branch->taken ? 0 : branch->count;
		if (branch->taken && branch->from_inside &&
		    program_instruction(b->program, branch->from, &offset) == CONDITIONAL)
			conditional += branch->count;
	}
	if (!not_taken && conditional)
		warn("all recorded branches are taken, so the profile does not show the code "
		     "after branches that are not taken; record with --branches all");
	if (b->changed)
		warn("the recording also has a file with the name of %s and another build-id; its "
		     "branches are left out",
		     a->program);
	if (b->jit)
		warn("%llu branches are in code generated at run time, which is in no file; they "
		     "are left out",
		     (unsigned long long)b->jit);
	if (b->targetless)
		warn("%llu taken branches have no target; they are left out",
		     (unsigned long long)b->targetless);
}

int cmd_pgo(int argc, char **argv)
{
	struct arguments a = {.input = "perf.data"};
	struct session *session = xcalloc(1, sizeof(*session));
	struct branches b = {0};
	struct object *program;
	struct out *o;

	parse_arguments(&a, argc, argv);
	if (a.output)
		whole_file_check(a.output, "-o FILE");
	program = open_program(&a);
	session_open(session, a.input);
	branches_collect(&b, session, program);
	if (!b.count)
		die_empty(&a, &b);
	warn_incomplete(&a, &b);
	o = whole_file_out(a.output);
	a.kind->print(&b, o);
	whole_file_out_close(o);
	branches_free(&b);
	session_warn_damaged(session, a.input);
	return session_status(session);
}
