/* SPDX-License-Identifier: MIT */
/* The options of spemu record, and the checks before it starts. */
#ifndef TOOLS_RECORD_H
#define TOOLS_RECORD_H

#include "recording.h"
#include "../base/common.h"

struct record_options {
	const char *output;  /* file name, or "-" for standard output */
	int stream;          /* descriptor of a stream; -1 if the output is a regular file */
	const char *sysroot; /* NULL if there is none */
	bool sysroot_given;
	const char *qemu; /* path or name of QEMU, or NULL */
	char **program;   /* argument list of the program */
	struct recording_params params;
	const char *machine;
	char *machine_text;   /* description of the model for the file */
	bool branches;        /* true with --branches */
	bool previous_target; /* true with FEAT_SPE_PBT */
	int perf_metadata;    /* version of perf's metadata: 1 or 2 */
	const char *control;  /* value of --control, or NULL */
	int64_t delay;        /* milliseconds before recording starts; below 0, it waits for a
	                         command */
	const char *region;   /* value of --region; NULL to record everywhere */
	uint64_t snapshot;    /* largest number of bytes of each thread in a snapshot; 0 if there
	                         are no snapshots */
	bool snapshot_at_end;
};

void record_parse(struct record_options *opt, int argc, char **argv);

/* Fill in the description of a CPU for version 2 of perf's metadata. */
void record_describe_cpu(struct spemu_perf_spe_cpu *cpu, const struct recording_params *params);

/*
 * Return the file of the program. For a script, that is the interpreter, and opt->program becomes
 * its arguments. Die if there is no such executable file, or no such sysroot.
 */
char *record_program(struct record_options *opt);
/*
 * Check the AArch64 ELF file `program`, and that its loader and libraries are under the sysroot.
 * Die if not. Set *dynamic if the program has a loader.
 */
void check_elf(const char *program, const struct record_options *opt, bool *dynamic);
/* Return the path of a QEMU that supports plugins. Die if there is none. */
char *check_qemu(const struct record_options *opt);
/* Die if the output cannot be created. */
void check_output(const char *path);
/*
 * If the path is a pipe or a character device, open it as a stream, and return a descriptor that
 * the program does not inherit. Die if the stream cannot be written. Return -1 for other files.
 */
int record_open_stream(const char *path);
/*
 * Return a descriptor for a stream to standard output that the program does not inherit. Die if a
 * stream cannot go there. From then on, standard output is standard error, also for the program, as
 * with perf record -o -.
 */
int record_take_stdout(void);

/* Set the region of the parameters from --region. Die if the program does not have such a place. */
void record_region(struct record_options *opt, const char *program);

/* Have the recorder copy files with names of generated code, from below the sysroot (NULL if there
 * is none) first. */
void record_copy_files(struct recording *rec, const char *sysroot);
/* Warn of files that were left out. */
void record_check_copies(const struct recording_totals *totals);

/* Return true if this process and its children may read physical frame numbers. */
bool physical_addresses_readable(void);

#endif
