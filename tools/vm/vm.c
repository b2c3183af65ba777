/* SPDX-License-Identifier: MIT */
/*
 * spemu vm: start QEMU with the plugin, and report what the plugin finds.
 *
 * Without --run, QEMU keeps the terminal. This process then reads nothing and writes only to
 * standard error.
 */
#define _GNU_SOURCE
#include "../base/child.h"
#include "../base/find.h"
#include "vm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Inherited descriptors of QEMU and the plugin, and the destinations of their messages. */
struct attached {
	char *plugin;
	int tree; /* descriptor of the device tree */
	struct vm_sinks sinks;
};

static void add_spu(struct vm_command *command, const char *plugin, int config, int tree)
{
	char *escaped = double_commas(plugin);

	vm_command_pair(command, "-dtb", "/proc/self/fd/%d", tree);
	vm_command_pair(command, "-plugin", "%s,config=/proc/self/fd/%d", escaped, config);
	free(escaped);
	for (size_t i = 0; i < command->count; i++)
		verbose("argument %zu: %s", i, command->argv[i]);
}

/* Block SIGPIPE: the machine continues if a reader of the trace or the reports goes away. */
static void block_pipe_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Start QEMU. With a session, QEMU does not have a terminal, and its messages are kept apart from
 * the command's output. */
static pid_t start(const struct vm_command *command, const struct vm_session *session,
                   const sigset_t *signals)
{
	int null, errors;
	pid_t pid;

	child_end_with_parent();
	if (!session)
		return child_start(command->argv, signals, NULL);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	errors = vm_session_errors(session);
	pid = child_start(command->argv, signals, (const int[]){null, errors, errors});
	close(null);
	return pid;
}

/* Run QEMU to its end, and return its status in the form of waitpid(). The session is NULL without
 * a guest to run. */
static int run(struct vm_totals *totals, struct vm_command *command, const struct vm_options *opt,
               struct attached *attached, struct vm_session *session, const sigset_t *signals)
{
	struct vm_listener *listener;
	int events[2], config;
	pid_t pid;

	if (pipe(events) || fcntl(events[0], F_SETFD, FD_CLOEXEC))
		die(EXIT_OWN, "cannot make a pipe: %s", strerror(errno));
	config = vm_config(opt, events[1]);
	add_spu(command, attached->plugin, config, attached->tree);
	pid = start(command, session, signals);
	close(events[1]);
	close(config);
	block_pipe_signal();
	listener = vm_listener_new(totals, events[0], &attached->sinks);
	if (session)
		vm_session_run(session, pid, listener);
	while (vm_listener_fd(listener) >= 0)
		vm_listener_read(listener);
	vm_listener_free(listener);
	return child_wait(pid);
}

static void summarize(const struct vm_totals *t, const struct vm_loss *loss,
                      const struct vm_options *opt)
{
	char discarded[40] = "", injected[40] = "", missing[64] = "", left_out[80] = "";

	if (verbosity < 1)
		return;
	if (t->discarded)
		snprintf(discarded, sizeof(discarded), ", %llu discarded",
		         (unsigned long long)t->discarded);
	if (opt->injection_count)
		snprintf(injected, sizeof(injected), ", %llu faults injected",
		         (unsigned long long)t->injected);
	if (t->previous_missing)
		snprintf(missing, sizeof(missing), ", %llu without previous target",
		         (unsigned long long)t->previous_missing);
	if (loss->lines)
		snprintf(left_out, sizeof(left_out), "; %llu lines (%llu bytes) not in the trace",
		         (unsigned long long)loss->lines, (unsigned long long)loss->bytes);
	fprintf(stderr,
	        "[ spemu vm: %llu samples on %u CPU%s (%llu recorded, %llu filtered, %llu "
	        "collisions, "
	        "%llu lost%s%s%s), %llu interrupts%s ]\n",
	        (unsigned long long)t->samples, t->vcpus, t->vcpus == 1 ? "" : "s",
	        (unsigned long long)t->recorded, (unsigned long long)t->filtered,
	        (unsigned long long)t->collisions, (unsigned long long)t->lost, discarded, injected,
	        missing, (unsigned long long)t->interrupts, left_out);
}

/* Open the destination of reports: the file of --report, or standard error. */
static void open_text(struct vm_file *text, const struct vm_options *opt)
{
	if (opt->value[VM_REPORT].text)
		vm_file_open(text, "reports", "--report", opt->value[VM_REPORT].text);
	else
		text->out.fd = STDERR_FILENO;
}

/* Write the number of diagnostics after them. If they are in a file, mention it on standard error,
 * too. */
static void finish_reports(struct vm_sinks *sinks, const struct vm_options *opt)
{
	uint64_t reports = strict_report_count(sinks->report);
	bool told = opt->value[VM_REPORT].text ||
	            (verbosity > 0 && (opt->value[VM_STRICT].given || reports));

	strict_report_finish(sinks->report, told ? &sinks->text.out : NULL, false, false);
	out_flush(&sinks->text.out);
	if (!opt->value[VM_REPORT].text)
		return;
	if (reports && verbosity > 0)
		fprintf(stderr, "%llu diagnostics in '%s'\n", (unsigned long long)reports,
		        opt->value[VM_REPORT].text);
	vm_file_close(&sinks->text);
}

/* Die if a file is incomplete. This is called for runs that succeeded otherwise. */
static void check_whole(const char *what, const struct vm_loss *loss)
{
	if (loss->error)
		die(EXIT_OWN, "the %s incomplete: %s", what, strerror(loss->error));
}

/* Finish the outputs, and return the exit status. With a session, the status is that of the guest's
 * command. */
static int finish(const struct vm_totals *totals, const struct vm_loss *loss,
                  const struct vm_options *opt, struct vm_sinks *sinks, struct vm_session *session,
                  int status)
{
	uint64_t reports = strict_report_count(sinks->report);
	bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;

	if (totals->error)
		die(EXIT_OWN, "%s", totals->error);
	if (!totals->ready && ended_well)
		die(EXIT_OWN, "QEMU did not start the plugin; its message above says why");
	if (totals->ready)
		summarize(totals, loss, opt);
	finish_reports(sinks, opt);
	/* A QEMU that cannot start has printed the reason. Its status is not the status of the
	 * command. */
	if (session && !totals->ready && !ended_well)
		return child_signal() ? child_end_by(child_signal()) : EXIT_OWN;
	if (session) {
		status = vm_session_end(session);
		ended_well = status == 0;
		status <<= 8; /* the form of waitpid() */
	}
	if (ended_well) {
		check_whole("trace is", loss);
		check_whole("reports are", &sinks->text.loss);
	}
	return ended_well && reports ? (int)opt->value[VM_ERROR_EXITCODE].number
	                             : child_end_like(status);
}

/* Build QEMU's command line up to the machine, on which the device tree depends. */
static void machine_arguments(struct vm_command *command, const char **dtb, const char *qemu,
                              const struct vm_options *opt)
{
	struct vm_command machine = {0};

	if (opt->value[VM_RUN].text)
		vm_guest_machine(&machine, opt);
	vm_arguments(command, dtb, qemu, opt->value[VM_RUN].text ? machine.argv : opt->arguments);
	vm_command_free(&machine);
}

/* Add the guest and its task to the command. Return the session. */
static struct vm_session *add_guest(struct vm_command *command, const struct vm_guest *guest,
                                    const struct vm_options *opt)
{
	int console, port, initrd;
	struct vm_session *session = vm_session_new(opt, &console, &port);

	initrd = vm_archive(guest, opt->value[VM_RUN].text, vm_session_has_input(session));
	vm_guest_devices(command, guest, opt, initrd, console, port);
	return session;
}

/* Open the output files. Die if one of them cannot be opened. */
static void open_sinks(struct vm_sinks *sinks, struct vm_options *opt, const struct vm_guest *guest)
{
	for (size_t i = 0; opt->vmlinux && opt->vmlinux[i]; i++)
		images_add(&sinks->images, "--vmlinux", opt->vmlinux[i]);
	if (!opt->vmlinux && guest->symbols &&
	    (opt->value[VM_STRICT].given || opt->value[VM_TRACE].given))
		images_add(&sinks->images, "--vmlinux", guest->symbols);
	sinks->report = strict_report_new(opt->value[VM_SUPPRESSIONS].text,
	                                  opt->value[VM_SARIF].text, sinks->images);
	if (opt->value[VM_IGNORE_CONTEXT_SWITCHES].given)
		strict_report_ignore(sinks->report, "context-switched-in-flight");
	open_text(&sinks->text, opt);
	sinks->trace = vm_trace_open(opt->value[VM_TRACE].text, opt->value[VM_TRACE_LIMIT].number,
	                             opt->value[VM_TRACE_FORMAT].word == VM_TRACE_FORMAT_PERFETTO);
}

int cmd_vm(int argc, char **argv)
{
	static struct attached attached; /* static because of its buffers */
	struct vm_options opt;
	struct vm_command command = {0};
	struct vm_guest guest = {0};
	struct vm_totals totals;
	struct vm_loss loss;
	struct vm_session *session = NULL;
	sigset_t signals;
	const char *dtb;
	char *qemu;
	int status = 0;

	vm_parse(&opt, argc, argv);
	if (opt.value[VM_RUN].given)
		vm_guest_find(&guest, &opt);
	qemu = vm_find_qemu(&opt);
	attached.plugin = find_plugin("spemu-qemu-system.so", "qemu-system", "SPEMU_VM_PLUGIN");
	machine_arguments(&command, &dtb, qemu, &opt);
	open_sinks(&attached.sinks, &opt, &guest);
	child_keep_file_limit();
	child_signals(&signals);
	attached.tree = vm_device_tree(&command, dtb, &signals, &status);
	if (child_signal())
		return child_end_by(child_signal());
	if (attached.tree < 0)
		return opt.value[VM_RUN].given && status ? EXIT_OWN : child_end_like(status);
	if (opt.value[VM_RUN].given)
		session = add_guest(&command, &guest, &opt);
	status = run(&totals, &command, &opt, &attached, session, &signals);
	close(attached.tree);
	vm_trace_close(&loss, attached.sinks.trace);
	vm_command_free(&command);
	free(attached.plugin);
	free(qemu);
	free(opt.choices);
	status = finish(&totals, &loss, &opt, &attached.sinks, session, status);
	images_free(attached.sinks.images);
	free(opt.vmlinux);
	vm_guest_free(&guest);
	return status;
}
