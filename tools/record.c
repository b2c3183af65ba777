/* SPDX-License-Identifier: MIT */
/*
 * spemu record: run a program under QEMU with the profiling plugin.
 *
 * The plugin in each emulated process appends to the file; this process creates it, waits, passes
 * signals on, and finishes the file whatever became of the program.
 */
#define _GNU_SOURCE
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child_pid;

/*
 * A signal of the terminal goes to the whole foreground group, so the program has it already; one
 * that was sent to this process alone (si_code <= 0) is passed on.
 */
static void forward(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 && child_pid > 0)
		kill((pid_t)child_pid, sig);
	errno = saved;
}

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static void catch_signals(sigset_t *before)
{
	struct sigaction sa = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t set;

	sigemptyset(&sa.sa_mask);
	sigemptyset(&set);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaddset(&set, forwarded[i]);
	/* None may come between fork() and the child's number being known. */
	sigprocmask(SIG_BLOCK, &set, before);
	for (size_t i = 0; i < FORWARDED; i++) {
		struct sigaction old;

		/* nohup and the like: what was ignored stays so, for the program too. */
		if (!sigaction(forwarded[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		sigaction(forwarded[i], &sa, NULL);
	}
}

/* QEMU's option parser takes a comma for the end of a value unless it is doubled. */
static char *double_commas(const char *text)
{
	char *copy = xcalloc(2 * strlen(text) + 1, 1), *to = copy;

	for (; *text; text++) {
		if (*text == ',')
			*to++ = ',';
		*to++ = *text;
	}
	return copy;
}

/*
 * The plugin goes by the environment and not by -plugin (both would load it twice): so a program
 * that the program starts through binfmt_misc is recorded as well.
 */
static void set_environment(const struct spemu_rec *rec, const char *plugin,
                            const struct record_options *opt, bool dynamic)
{
	char *file = double_commas(plugin), *control = double_commas(spemu_rec_control_path(rec));
	char *value = xasprintf("file=%s,control=%s", file, control);

	setenv("QEMU_PLUGIN", value, 1);
	setenv(SPEMU_REC_ENV, spemu_rec_control_path(rec), 1);
	if (opt->sysroot && dynamic)
		setenv("QEMU_LD_PREFIX", opt->sysroot, 1);
	verbose("QEMU_PLUGIN=%s", value);
	free(value);
	free(file);
	free(control);
}

static char **qemu_arguments(const char *qemu, const char *program,
                             const struct record_options *opt, bool dynamic)
{
	size_t n = 0, count = 0;
	char **argv;

	while (opt->program[count])
		count++;
	argv = xcalloc(count + 8, sizeof(*argv));
	argv[n++] = xstrdup(qemu);
	if (opt->sysroot && dynamic) {
		argv[n++] = xstrdup("-L");
		argv[n++] = xstrdup(opt->sysroot);
	}
	argv[n++] = xstrdup("-0");
	argv[n++] = xstrdup(opt->program[0]);
	/* A name that begins with a dash must not look like an option. */
	argv[n++] = *program == '-' ? xasprintf("./%s", program) : xstrdup(program);
	for (size_t i = 1; i < count; i++)
		argv[n++] = opt->program[i];
	return argv;
}

static void (*xfsz_before)(int);

static pid_t start(char **argv, const sigset_t *signals)
{
	int report[2], error = 0;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		die(EXIT_OWN, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die(EXIT_OWN, "cannot fork: %s", strerror(errno));
	if (!pid) {
		/* exec puts handlers back to their default; what is ignored and blocked stays. */
		signal(SIGXFSZ, xfsz_before);
		sigprocmask(SIG_SETMASK, signals, NULL);
		execv(argv[0], argv);
		error = errno;
		if (write(report[1], &error, sizeof(error)) < 0)
			_exit(EXIT_CANNOT_RUN);
		_exit(EXIT_CANNOT_RUN);
	}
	child_pid = pid;
	sigprocmask(SIG_SETMASK, signals, NULL);
	close(report[1]);
	while (read(report[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (error) {
		waitpid(pid, NULL, 0);
		die(EXIT_CANNOT_RUN, "cannot run %s: %s", argv[0], strerror(error));
	}
	return pid;
}

/* As perf: an older recording is kept under another name, an empty one is not worth it. */
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

static void create(struct spemu_rec *rec, const struct record_options *opt, char **argv)
{
	struct utsname uts;
	struct spemu_rec_about about = {.argv = (const char *const *)argv,
	                                .version = SPEMU_VERSION_TEXT,
	                                .cpu_desc = opt->machine_text};
	int status;

	if (!uname(&uts)) {
		about.osrelease = uts.release;
		about.hostname = uts.nodename;
	}
	keep_old(opt->output);
	status = spemu_rec_create(rec, opt->output, &opt->params, &about);
	if (status == SPEMU_ERR_IO)
		die(EXIT_OWN, "cannot write to '%s': %s; name another file with -o", opt->output,
		    strerror(errno));
	if (status)
		die(EXIT_OWN, "cannot create the recording: %s", spemu_strerror(status));
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

/* 1234567 as "1.23 M". */
static const char *scaled(char *text, size_t size, double n)
{
	static const char *const unit[] = {"", " k", " M", " G", " T"};
	unsigned i = 0;

	for (; n >= 1000 && i < 4; i++)
		n /= 1000;
	snprintf(text, size, i ? "%.2f%s" : "%.0f%s", n, unit[i]);
	return text;
}

static void summarize(const struct record_options *opt, const struct spemu_rec_totals *t,
                      double seconds)
{
	double ops = (double)t->counter[SPEMU_REC_OPERATIONS];
	struct stat st;
	char text[32];

	if (verbosity < 1)
		return;
	fprintf(stderr,
	        "[ spemu record: %llu samples (%llu filtered, %llu collisions, %llu lost), %llu "
	        "bytes written to %s; %s operations in %.2f s, %.1f MIPS; period %llu ]\n",
	        (unsigned long long)t->counter[SPEMU_REC_SAMPLES],
	        (unsigned long long)t->counter[SPEMU_REC_FILTERED],
	        (unsigned long long)t->counter[SPEMU_REC_COLLISIONS],
	        (unsigned long long)t->counter[SPEMU_REC_LOST_RECORDS],
	        stat(opt->output, &st) ? 0ull : (unsigned long long)st.st_size, opt->output,
	        scaled(text, sizeof(text), ops), seconds, seconds > 0 ? ops / seconds / 1e6 : 0.0,
	        (unsigned long long)opt->params.period);
}

/* End as the program ended, so that a shell or make sees no difference. */
static int end_like(int status)
{
	struct rlimit none = {0, 0};
	int sig;
	sigset_t set;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	sig = WTERMSIG(status);
	/* The program's core is the one that counts. */
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	return 128 + sig;
}

static int finish(struct spemu_rec *rec, const struct record_options *opt, int status,
                  double seconds)
{
	struct spemu_rec_totals totals;
	int finished = spemu_rec_finish(rec, &totals);
	bool failed = finished != SPEMU_OK;

	if (failed)
		warn("cannot finish '%s': %s; it can be read, without build-ids", opt->output,
		     finished == SPEMU_ERR_IO ? strerror(errno) : spemu_strerror(finished));
	if (!totals.counter[SPEMU_REC_PROCESSES]) {
		warn("QEMU did not start the plugin; its message above says why");
		failed = true;
	}
	if (totals.write_errno) {
		warn("'%s' is incomplete, writing failed: %s, %llu bytes of trace are lost; make "
		     "room and record again",
		     opt->output, strerror(totals.write_errno),
		     (unsigned long long)totals.counter[SPEMU_REC_LOST_BYTES]);
		failed = true;
	} else if (totals.note[0])
		warn("%s", totals.note);
	summarize(opt, &totals, seconds);
	spemu_rec_detach(rec);
	if (failed && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return EXIT_OWN;
	return end_like(status);
}

int cmd_record(int argc, char **argv)
{
	struct record_options opt;
	struct spemu_rec rec;
	struct timespec begin;
	sigset_t signals;
	char *program, *qemu, *plugin, **child_argv;
	bool dynamic;
	int status;
	pid_t pid;

	record_parse(&opt, argc, argv);
	program = check_program(opt.program[0]);
	check_elf(program, &opt, &dynamic);
	qemu = check_qemu(&opt);
	plugin = check_plugin();
	check_output(opt.output);
	/* A file size limit shall show as an error of write(), here; for the program it is as was. */
	xfsz_before = signal(SIGXFSZ, SIG_IGN);
	/* argv[-1] is "spemu": the file says the command as it was typed. */
	create(&rec, &opt, argv - 1);
	set_environment(&rec, plugin, &opt, dynamic);
	child_argv = qemu_arguments(qemu, program, &opt, dynamic);
	for (size_t i = 0; child_argv[i]; i++)
		verbose("argument %zu: %s", i, child_argv[i]);
	catch_signals(&signals);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid = start(child_argv, &signals);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			die(EXIT_OWN, "cannot wait for the program: %s", strerror(errno));
	}
	child_pid = 0;
	return finish(&rec, &opt, status, seconds_since(&begin));
}
