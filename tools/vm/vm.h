/* SPDX-License-Identifier: MIT */
/*
 * spemu vm: QEMU's system emulator with an SPU in every processor.
 *
 * What the plugin is told is text of "key value" lines; what it reports is JSON lines. Both go over
 * inherited descriptors, so that nothing is left behind whatever becomes of either process.
 */
#ifndef TOOLS_VM_H
#define TOOLS_VM_H

#include <signal.h>
#include <spemu/inject.h>
#include "../base/common.h"
#include "../diagnostic/strict_report.h"

/* INTID of PMBIRQ: what platforms use by convention. */
#define VM_PPI 21

struct vm_options {
	unsigned spe_minor; /* FEAT_SPEv1p<n>; 0: FEAT_SPE */
	uint64_t max_size, align, count_size, min_interval, seed;
	const char *layout;       /* NULL: the plugin's */
	const char *machine;      /* timing model; NULL: none */
	const char *pmu_snapshot; /* yes, no; NULL: if the CPU has a PMU */
	const char **choices;
	size_t choice_count;
	struct spemu_injection injection[SPEMU_INJECTIONS_MAX];
	size_t injection_count;
	bool strict, vm_rules;
	const char *trace, *vmlinux, *suppressions, *sarif, *qemu;
	uint64_t trace_limit; /* bytes; 0: none */
	uint64_t error_exitcode;
	char **arguments; /* QEMU's own, NULL at the end */
};

/* vm_options.c: dies where an option or a combination makes no sense. */
void vm_parse(struct vm_options *opt, int argc, char **argv);

/* A growing argument list; the strings are not copied. */
struct vm_command {
	char **argv; /* NULL at the end */
	size_t count;
};
void vm_command_add(struct vm_command *command, const char *argument);
void vm_command_free(struct vm_command *command);

/* vm_arguments.c */
/* The path of a QEMU of the series that the plugin is for; dies if there is none. */
char *vm_find_qemu(const struct vm_options *opt);
/*
 * QEMU's command line: its path, what is not said and has to be, and the user's arguments without
 * -dtb, whose file *dtb is (NULL: not given). Dies for machines that cannot have an SPU.
 */
void vm_arguments(struct vm_command *command, const char **dtb, const char *qemu,
                  char *const *arguments);

/* vm_device_tree.c */
/*
 * A descriptor of the device tree with the SPU's node: of dtb, or of what QEMU generates for
 * command if that is NULL. -1: QEMU ended without one, *status is how and it has said why.
 */
int vm_device_tree(const struct vm_command *command, const char *dtb, const sigset_t *signals,
                   int *status);

/* vm_config.c: a descriptor of the plugin's configuration. */
int vm_config(const struct vm_options *opt, int events);
/* An unnamed file for a child to read, at its beginning. Closed in the parent by close(). */
int vm_memory_file(const char *name, const void *data, size_t size);

/* vm_trace.c: the file of --trace */
struct vm_trace;
struct vm_trace_loss {
	uint64_t lines, bytes; /* that are not in the file */
	int error;             /* why it could not be written, or 0: because of its limit */
};
/* path NULL: NULL. limit in bytes, 0: none. Dies if the file cannot be opened. */
struct vm_trace *vm_trace_open(const char *path, uint64_t limit);
/*
 * A line as the plugin sent it, with place, if not NULL, as its "symbol". end: one of those at the end
 * of a trace, for which room is kept.
 */
void vm_trace_line(struct vm_trace *trace, const char *text, size_t size, const char *place,
                   bool end);
void vm_trace_flush(struct vm_trace *trace);
/* Frees trace, which may be NULL. */
void vm_trace_close(struct vm_trace_loss *loss, struct vm_trace *trace);

/* vm_events.c */
struct vm_totals {
	unsigned vcpus;
	bool ready;  /* the plugin took its configuration */
	char *error; /* why it did not, or NULL */
	uint64_t samples, recorded, filtered, collisions, lost, discarded, interrupts;
};
/* Reads what the plugin reports until it ends. trace: NULL, or where it goes too. */
void vm_events(struct vm_totals *totals, int fd, struct strict_report *report,
               struct vm_trace *trace);

#endif
