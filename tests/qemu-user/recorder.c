/* SPDX-License-Identifier: MIT */
/*
 * A small recorder for the tests of the QEMU plugin.
 *
 *   recorder run FILE TOTALS PLUGIN [name=value...] -- QEMU [options] PROGRAM [arguments]
 *       Record a program into FILE, and write the counters to TOTALS. QEMU gets the option -plugin
 *       with PLUGIN and the control path. The exit status is that of the program, or 128 + signal
 *       if a signal killed it.
 *   recorder dump FILE
 *       Print events and records, one per line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include "recording.h"

static void fail(const char *what, int err)
{
	fprintf(stderr, "recorder: %s: %s\n", what, spemu_strerror(err));
	exit(99);
}

static void set(struct recording_params *params, const char *name, const char *value)
{
	uint64_t n = strtoull(value, NULL, 0);

	if (!strcmp(name, "period"))
		params->period = n;
	else if (!strcmp(name, "jitter"))
		params->jitter = n;
	else if (!strcmp(name, "seed"))
		params->seed = n;
	else if (!strcmp(name, "buffer"))
		params->buffer_size = (uint32_t)n;
	else if (!strcmp(name, "flags"))
		params->flags = (uint32_t)n;
	else if (!strcmp(name, "pmscr"))
		params->pmscr = n;
	else if (!strcmp(name, "pmsfcr"))
		params->pmsfcr = n;
	else if (!strcmp(name, "pmsevfr"))
		params->pmsevfr = n;
	else if (!strcmp(name, "profile"))
		snprintf(params->profile, sizeof(params->profile), "%s", value);
	else if (!strcmp(name, "features"))
		snprintf(params->features, sizeof(params->features), "%s", value);
	else
		fail(name, SPEMU_ERR_INVALID);
}

static void write_totals(const char *path, const struct recording_totals *t)
{
	static const char *const names[] = {"samples",    "filtered",  "collisions",   "lost",
	                                    "lost_bytes", "aux_bytes", "operations",   "management",
	                                    "processes",  "threads",   "write_errors", "events",
	                                    "salvaged"};
	FILE *f = fopen(path, "w");

	if (!f)
		fail(path, SPEMU_ERR_IO);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(f, "%s %" PRIu64 "\n", names[i], t->counter[i]);
	fprintf(f, "previous_missing %" PRIu64 "\n", t->counter[RECORDING_PREVIOUS_MISSING]);
	fprintf(f, "note %s\n", t->note);
	fclose(f);
}

static int run(int argc, char **argv)
{
	/* E0SPE, CX, TS and PCT physical, the defaults of perf record with Linux's driver */
	struct recording_params params = {.period = 4096, .pmscr = 0x69};
	struct recording_about about = {.version = "test", .event_name = "arm_spe_0//"};
	struct recording_totals totals;
	struct recording rec;
	char plugin[512];
	char **command = malloc(sizeof(char *) * (size_t)(argc + 4));
	int err, status, i = 3, n = 0;
	pid_t child;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			fail(argv[i], SPEMU_ERR_INVALID);
		*value++ = 0;
		set(&params, argv[i], value);
	}
	about.argv = (const char *const *)argv;
	err = recording_create(&rec, argv[0], &params, &about);
	if (err)
		fail(argv[0], err);
	snprintf(plugin, sizeof(plugin), "%s,control=%s", argv[2], recording_control_path(&rec));
	for (i++; i < argc; i++) {
		command[n++] = argv[i];
		if (n == 1) {
			command[n++] = (char *)(uintptr_t) "-plugin";
			command[n++] = plugin;
		}
	}
	command[n] = NULL;
	child = fork();
	if (child == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	waitpid(child, &status, 0);
	err = recording_finish(&rec, &totals);
	if (err)
		fail("finish", err);
	write_totals(argv[1], &totals);
	recording_detach(&rec);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void dump_records(const struct spemu_perf_auxtrace *trace)
{
	struct spemu_decoder decoder;
	struct spemu_record r;

	spemu_decoder_init(&decoder, trace->data, trace->size, trace->offset);
	while (spemu_decoder_next(&decoder, &r) == SPEMU_OK)
		printf("record present=%#x pc=%#" PRIx64 " target=%#" PRIx64 " va=%#" PRIx64
		       " events=%#" PRIx64 " class=%u subclass=%u context=%u time=%" PRIu64
		       " total=%u issue=%u xlat=%u source=%#x previous=%#" PRIx64 "\n",
		       r.present, r.addr[0] & 0xffffffffffffffu, r.addr[1] & 0xffffffffffffffu,
		       r.addr[2] & 0xffffffffffffffu, r.events, r.op_class, r.op_subclass,
		       r.context[0], r.timestamp, r.counter[0], r.counter[1], r.counter[2],
		       r.data_source, r.addr[4] & 0xffffffffffffffu);
	if (decoder.skipped)
		printf("skipped %" PRIu64 "\n", decoder.skipped);
}

static int dump(const char *path)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	int err = spemu_perf_open(&file, NULL, path);

	if (err)
		fail(path, err);
	while ((err = spemu_perf_next(file, &e, &cursor)) == SPEMU_OK) {
		if (e.type == SPEMU_PERF_COMM)
			printf("comm pid=%u tid=%u exec=%d name=%s\n", e.u.comm.pid, e.u.comm.tid,
			       e.u.comm.exec, e.u.comm.comm);
		else if (e.type == SPEMU_PERF_MMAP2)
			printf("mmap pid=%u start=%#" PRIx64 " len=%#" PRIx64 " pgoff=%#" PRIx64
			       " prot=%u data=%d name=%s\n",
			       e.u.mmap.pid, e.u.mmap.start, e.u.mmap.len, e.u.mmap.pgoff,
			       e.u.mmap.prot, e.u.mmap.data, e.u.mmap.filename);
		else if (e.type == SPEMU_PERF_FORK || e.type == SPEMU_PERF_EXIT)
			printf("%s pid=%u ppid=%u tid=%u ptid=%u\n",
			       e.type == SPEMU_PERF_FORK ? "fork" : "exit", e.u.task.pid,
			       e.u.task.ppid, e.u.task.tid, e.u.task.ptid);
		else if (e.type == SPEMU_PERF_AUX)
			printf("aux pid=%u tid=%u size=%" PRIu64 " flags=%#" PRIx64 "\n", e.who.pid,
			       e.who.tid, e.u.aux.size, e.u.aux.flags);
		else if (e.type == SPEMU_PERF_AUXTRACE)
			dump_records(&e.u.auxtrace);
	}
	if (err != SPEMU_ERR_END)
		fail("reading", err);
	spemu_perf_close(file);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "dump") == 0)
		return dump(argv[2]);
	if (argc > 5 && strcmp(argv[1], "run") == 0)
		return run(argc - 2, argv + 2);
	fprintf(stderr, "usage: recorder run FILE TOTALS PLUGIN ... -- QEMU ... | dump FILE\n");
	return 99;
}
