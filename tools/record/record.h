/* SPDX-License-Identifier: MIT */
/* The options of `spemu record`, and the checks before it starts. */
#ifndef TOOLS_RECORD_H
#define TOOLS_RECORD_H

#include "recording.h"
#include "../base/common.h"

struct record_options {
	const char *output;  /* "-": standard output */
	int stream;          /* a stream's descriptor; -1: the output is a regular file */
	const char *sysroot; /* NULL: none */
	bool sysroot_given;
	const char *qemu; /* NULL: from PATH */
	char **program;   /* argv of the program */
	struct recording_params params;
	const char *machine;
	char *machine_text;   /* description of the model, for the file */
	bool branches;        /* --branches */
	bool previous_target; /* FEAT_SPE_PBT */
	int perf_metadata;    /* version: 1, 2 */
	const char *control;  /* NULL: none */
	int64_t delay;        /* ms before recording; below 0: disabled until a command */
	const char *region;   /* NULL: everywhere */
	uint64_t snapshot; /* bytes that a snapshot has of each thread at most; 0: no snapshots */
	bool snapshot_at_end;
};

void record_parse(struct record_options *opt, int argc, char **argv);

/* Fill in the description of a CPU for version 2 of perf's metadata. */
void record_describe_cpu(struct spemu_perf_spe_cpu *cpu, const struct recording_params *params);

/* The file that name means, as execvp(3) finds it; dies if there is none that can be run. */
char *check_program(const char *name);
/*
 * Check that the AArch64 ELF file `program` can find its loader and libraries under the sysroot;
 * die if not. Set *dynamic.
 */
void check_elf(const char *program, const struct record_options *opt, bool *dynamic);
/* The path of a QEMU that takes plugins; dies if there is none. */
char *check_qemu(const struct record_options *opt);
/* Dies if the output cannot be created. */
void check_output(const char *path);
/*
 * If path is a pipe or a character device, opens it for a stream and returns a descriptor that no
 * program gets; dies if it cannot be written to. Returns -1 if it is neither.
 */
int record_open_stream(const char *path);
/*
 * Standard output as a descriptor that no program gets, for a stream; dies if none can go there.
 * From then on standard output is standard error, for the program, too, as with perf record -o -.
 */
int record_take_stdout(void);

/* Puts what --region asks for into the parameters; dies if the program has no such place. */
void record_region(struct record_options *opt, const char *program);

/* Return true if this process and its children may read physical frame numbers. */
bool physical_addresses_readable(void);

#endif
