/* SPDX-License-Identifier: MIT */
/*
 * spemu record: run a program under QEMU with the profiling plugin.
 *
 * The plugin in each emulated process hands its trace to this process. Only this process writes the
 * file or stream. It waits for the program, passes signals on, and finishes the recording in any
 * case.
 */
#define _GNU_SOURCE
#include "../base/child.h"
#include "../base/find.h"
#include "record.h"
#include "record_control.h"
#include "timing/uarch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_RECORDING 10.0 /* seconds of CPU time after which a faster mode is recommended */

/*
 * Pass the plugin in the environment. A program that the program starts through binfmt_misc is then
 * recorded, too. With -plugin in addition, QEMU would load the plugin twice.
 */
static void set_environment(const struct recording *rec, const char *plugin,
                            const struct record_options *opt)
{
	char *file = double_commas(plugin), *control = double_commas(recording_control_path(rec));
	char *value = xasprintf("file=%s,control=%s", file, control);

	setenv("QEMU_PLUGIN", value, 1);
	setenv(RECORDING_ENV, recording_control_path(rec), 1);
	if (opt->sysroot)
		setenv("QEMU_LD_PREFIX", opt->sysroot, 1);
	verbose("QEMU_PLUGIN=%s", value);
	free(value);
	free(file);
	free(control);
}

static char **qemu_arguments(const char *qemu, const char *program,
                             const struct record_options *opt)
{
	size_t n = 0, count = 0;
	char **argv;

	while (opt->program[count])
		count++;
	argv = xcalloc(count + 8, sizeof(*argv));
	argv[n++] = xstrdup(qemu);
	if (opt->sysroot) {
		argv[n++] = xstrdup("-L");
		argv[n++] = xstrdup(opt->sysroot);
	}
	argv[n++] = xstrdup("-0");
	argv[n++] = xstrdup(opt->program[0]);
	/* Without "./", a name that begins with a dash would look like an option. */
	argv[n++] = *program == '-' ? xasprintf("./%s", program) : xstrdup(program);
	for (size_t i = 1; i < count; i++)
		argv[n++] = opt->program[i];
	return argv;
}

/* Rename an older recording as perf does, unless it is empty. */
static void keep_old(const char *path)
{
	struct stat st;
	char *old;

	if (stat(path, &st) || !st.st_size)
		return;
	old = xasprintf("%s.old", path);
	if (rename(path, old))
		die(EXIT_OWN, "cannot rename '%s' to '%s': %s; name another file with -o", path,
		    old, strerror(errno));
	free(old);
}

static bool streams(const struct record_options *opt)
{
	return opt->stream >= 0;
}

static bool is_standard_output(const struct record_options *opt)
{
	return !strcmp(opt->output, "-");
}

/* Return the name of the output for messages. The caller frees it. */
static char *output_name(const struct record_options *opt)
{
	return is_standard_output(opt) ? xstrdup("standard output")
	                               : xasprintf("'%s'", opt->output);
}

static int create_output(struct recording *rec, const struct record_options *opt,
                         const struct recording_about *about)
{
	if (streams(opt))
		return recording_create_stream(rec, opt->stream, &opt->params, about);
	keep_old(opt->output);
	return recording_create(rec, opt->output, &opt->params, about);
}

static const char *output_remedy(int error)
{
	const char *remedy = write_remedy(error);

	if (error == EPIPE)
		return "find out why its reader ended first";
	return remedy ? remedy : "name another file with -o";
}

static void create(struct recording *rec, const struct record_options *opt, char **argv)
{
	struct utsname uts;
	struct recording_about about = {.argv = (const char *const *)argv,
	                                .version = SPEMU_VERSION_TEXT,
	                                .cpu_desc = opt->machine_text};
	struct spemu_perf_spe_cpu cpu;
	int status;

	if (!uname(&uts)) {
		about.osrelease = uts.release;
		about.hostname = uts.nodename;
	}
	if (opt->perf_metadata == 2) {
		record_describe_cpu(&cpu, &opt->params);
		about.cpu = &cpu;
	}
	status = create_output(rec, opt, &about);
	if (!status && opt->snapshot)
		status = recording_keep(rec, opt->snapshot, opt->snapshot_at_end);
	if (status == SPEMU_ERR_IO)
		die(EXIT_OWN, "cannot write to %s: %s; %s", output_name(opt), strerror(errno),
		    output_remedy(errno));
	if (status)
		die(EXIT_OWN, "cannot create the recording: %s", spemu_strerror(status));
}

/* Write a number with a unit: 1234567 as "1.23 M". */
static const char *scaled(char *text, size_t size, double n)
{
	static const char *const unit[] = {"", " k", " M", " G", " T"};
	unsigned i = 0;

	for (; n >= 1000 && i < 4; i++)
		n /= 1000;
	snprintf(text, size, i ? "%.2f%s" : "%.0f%s", n, unit[i]);
	return text;
}

static void summarize(const struct record_options *opt, const struct recording_totals *t,
                      double seconds)
{
	double ops = (double)t->counter[RECORDING_OPERATIONS];
	char text[32], stacks[120] = "", missing[64] = "", snapshots[80] = "";

	if (verbosity < 1)
		return;
	if (opt->previous_target)
		snprintf(missing, sizeof(missing), ", %llu without previous target",
		         (unsigned long long)t->counter[RECORDING_PREVIOUS_MISSING]);
	if (t->counter[RECORDING_STACKS] || t->counter[RECORDING_STACKS_LOST])
		snprintf(stacks, sizeof(stacks),
		         "; %llu call stacks (%llu deeper than is recorded, %llu lost)",
		         (unsigned long long)t->counter[RECORDING_STACKS],
		         (unsigned long long)t->counter[RECORDING_STACKS_CUT],
		         (unsigned long long)t->counter[RECORDING_STACKS_LOST]);
	if (opt->snapshot)
		snprintf(snapshots, sizeof(snapshots), "; %llu snapshots, %llu samples in none",
		         (unsigned long long)t->counter[RECORDING_SNAPSHOTS],
		         (unsigned long long)t->counter[RECORDING_MISSED]);
	fprintf(stderr,
	        "[ spemu record: %llu samples (%llu filtered, %llu collisions, %llu lost%s), %llu "
	        "bytes written to %s; %s operations in %.2f s, %.1f MIPS; period %llu%s%s ]\n",
	        (unsigned long long)t->counter[RECORDING_SAMPLES],
	        (unsigned long long)t->counter[RECORDING_FILTERED],
	        (unsigned long long)t->counter[RECORDING_COLLISIONS],
	        (unsigned long long)t->counter[RECORDING_LOST_RECORDS], missing,
	        (unsigned long long)t->file_bytes,
	        is_standard_output(opt) ? "standard output" : opt->output,
	        scaled(text, sizeof(text), ops), seconds, seconds > 0 ? ops / seconds / 1e6 : 0.0,
	        (unsigned long long)opt->params.period, stacks, snapshots);
}

/*
 * Recommend sampled fidelity after a long recording with the exact timing model. The time of plain
 * QEMU is unknown here. So the line has the measured speed, and the ratio of the two fidelities in
 * docs/reference/performance.md: 1.69 to 4.72 times plain QEMU.
 */
static void recommend_sampled(const struct record_options *opt, const struct recording_totals *t)
{
	const uint32_t excluding = RECORDING_SAMPLED | RECORDING_MEMORY_CALLBACKS;
	double ops = (double)t->counter[RECORDING_OPERATIONS], seconds;
	struct rusage used;
	char text[32];

	if (verbosity < 1 || opt->params.flags & excluding || !uarch_profile(opt->machine) ||
	    getrusage(RUSAGE_CHILDREN, &used))
		return;
	seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	          (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
	if (seconds < LONG_RECORDING)
		return;
	fprintf(stderr,
	        "[ spemu record: %.1f s of CPU time, %s operations per second, with the exact "
	        "timing model; --fidelity sampled takes about a third of it, and estimates "
	        "latencies and events ]\n",
	        seconds, scaled(text, sizeof(text), ops / seconds));
}

/* Report what another process did to the file. Return false if the recording is not under its
 * name. */
static bool check_fate(const char *output, enum recording_fate fate)
{
	switch (fate) {
	case RECORDING_CUT:
		complain("'%s' was truncated during the recording, and its contents are lost; "
		         "record again without changing the file",
		         output);
		return false;
	case RECORDING_REMOVED:
		complain("'%s' was removed while it was recorded, the recording is lost; record "
		         "again",
		         output);
		return false;
	case RECORDING_RENAMED:
		complain("'%s' was renamed or replaced while it was recorded; the recording is in "
		         "the file that had this name, look for it there",
		         output);
		return false;
	default:
		return true;
	}
}

static bool check_totals(const struct record_options *opt, const struct recording_totals *totals)
{
	bool ok = check_fate(opt->output, totals->fate);

	if (!totals->counter[RECORDING_PROCESSES]) {
		complain("QEMU did not start the plugin; its message above says why");
		ok = false;
	}
	if (totals->write_errno && totals->fate != RECORDING_CUT) {
		complain("%s is incomplete, writing failed: %s, %llu bytes of trace are lost; "
		         "%s and record again",
		         output_name(opt), strerror(totals->write_errno),
		         (unsigned long long)totals->counter[RECORDING_LOST_BYTES],
		         output_remedy(totals->write_errno));
		ok = false;
	}
	if (streams(opt) && !totals->write_errno && totals->counter[RECORDING_LOST_BYTES]) {
		complain("%llu bytes of trace are lost, because the stream's reader took nothing "
		         "for half a minute; record to a file with -o FILE",
		         (unsigned long long)totals->counter[RECORDING_LOST_BYTES]);
		ok = false;
	}
	if (totals->note[0])
		warn("%s", totals->note);
	record_check_copies(totals);
	if (opt->snapshot && !totals->counter[RECORDING_SNAPSHOTS])
		warn("no snapshot was taken, so the file has no samples; send 'snapshot' with "
		     "--control, send SIGUSR2, or use --snapshot=e for one at the end");
	if ((opt->region || opt->params.flags & RECORDING_SWITCHED) &&
	    !totals->counter[RECORDING_SWITCHES])
		warn("nothing was recorded: no thread was switched on%s%s%s",
		     opt->region ? "; see that the program gets to the region '" : "",
		     opt->region ? opt->region : "; send enable, or give a shorter --delay",
		     opt->region ? "'" : "");
	return ok;
}

static int finish(struct recording *rec, const struct record_options *opt, int status,
                  double seconds)
{
	struct recording_totals totals;
	int finished = recording_finish(rec, &totals), error = errno;
	bool failed = !check_totals(opt, &totals);
	/* Without the plugin, no program ran, and the status is QEMU's. */
	bool ran = totals.counter[RECORDING_PROCESSES] != 0;

	if (finished != SPEMU_OK && totals.fate != RECORDING_CUT) {
		complain("cannot finish %s: %s; it can be read, without build-ids",
		         output_name(opt),
		         finished == SPEMU_ERR_IO ? strerror(error) : spemu_strerror(finished));
		failed = true;
	}
	if (ran) {
		summarize(opt, &totals, seconds);
		recommend_sampled(opt, &totals);
	}
	recording_detach(rec);
	if (failed && WIFEXITED(status) && (!ran || WEXITSTATUS(status) == 0))
		return EXIT_OWN;
	return child_end_like(status);
}

int cmd_record(int argc, char **argv)
{
	struct record_options opt;
	struct recording rec;
	double begin;
	sigset_t signals;
	char *program, *qemu, *plugin, **child_argv;
	bool dynamic;
	pid_t pid;
	int status;

	record_parse(&opt, argc, argv);
	if (is_standard_output(&opt))
		opt.stream = record_take_stdout();
	program = record_program(&opt);
	check_elf(program, &opt, &dynamic);
	if (!dynamic && !opt.sysroot_given)
		opt.sysroot = NULL;
	record_region(&opt, program);
	if (opt.control)
		control_open(opt.control);
	qemu = check_qemu(&opt);
	plugin = find_plugin("spemu-qemu-user.so", "qemu-user", "SPEMU_PLUGIN");
	if (!streams(&opt))
		opt.stream = record_open_stream(opt.output);
	if (!streams(&opt))
		check_output(opt.output);
	child_keep_file_limit();
	/* argv[-1] is "spemu": the file contains the command line as it was typed. */
	create(&rec, &opt, argv - 1);
	record_copy_files(&rec, opt.sysroot);
	set_environment(&rec, plugin, &opt);
	child_argv = qemu_arguments(qemu, program, &opt);
	for (size_t i = 0; child_argv[i]; i++)
		verbose("argument %zu: %s", i, child_argv[i]);
	if (opt.snapshot)
		control_snapshots();
	child_signals(&signals);
	begin = clock_seconds();
	recording_switch(&rec, !opt.delay);
	pid = child_start(child_argv, &signals, NULL);
	if (opt.snapshot || opt.params.flags & RECORDING_SWITCHED)
		control_start(&rec, opt.delay);
	status = child_wait(pid);
	if (streams(&opt)) /* a reader of the stream may block this process */
		child_signals_end();
	control_stop();
	return finish(&rec, &opt, status, clock_seconds() - begin);
}
