/* SPDX-License-Identifier: MIT */
/* The spemu command: find the sub-command and run it. */
#define _GNU_SOURCE
#include "base/common.h"
#include "base/options.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <spemu/version.h>

static const struct command {
	int (*run)(int argc, char **argv);
	const struct option_table *options;
} commands[] = {
        {cmd_record, &record_options},     {cmd_vm, &vm_options},     {cmd_report, &report_options},
        {cmd_annotate, &annotate_options}, {cmd_diff, &diff_options}, {cmd_pgo, &pgo_options},
        {cmd_export, &export_options},     {cmd_dump, &dump_options}, {cmd_run, &run_options},
        {cmd_explain, &explain_options},   {cmd_regs, &regs_options},
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(struct out *to)
{
	out_text(to, "usage: spemu COMMAND [OPTIONS]\n\n"
	             "The Arm Statistical Profiling Extension in software.\n\ncommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		out_fmt(to, "  %-8s %s\n", commands[i].options->command,
		        commands[i].options->summary);
	out_text(to, "  help     explain a command: spemu help COMMAND\n"
	             "\noptions:\n"
	             "  --version  print the version\n"
	             "  -h, --help print this text\n");
	out_flush(to);
}

static const struct command *find_command(const char *name)
{
	const char *names[COMMAND_COUNT + 2];

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		names[i] = commands[i].options->command;
		if (!strcmp(name, names[i]))
			return &commands[i];
	}
	names[COMMAND_COUNT] = "help";
	names[COMMAND_COUNT + 1] = NULL;
	die(EXIT_USAGE, "unknown command '%s'%s", name, suggestion(name, names));
}

/*
 * Open /dev/null for closed standard descriptors. Otherwise the next opened file would take such a
 * descriptor, and would receive printed text. These descriptors cannot be written, and other
 * programs do not inherit them.
 */
static void hold_descriptors(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	static struct out out_stderr = {.fd = STDERR_FILENO};
	const struct command *command;

	hold_descriptors();
	if (argc < 2) {
		print_usage(&out_stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		out_fmt(&out_stdout, "spemu %s\n", spemu_version());
		out_flush(&out_stdout);
		return 0;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") ||
	    (!strcmp(argv[1], "help") && argc == 2)) {
		print_usage(&out_stdout);
		return 0;
	}
	if (!strcmp(argv[1], "help")) {
		print_help(find_command(argv[2])->options);
		return 0;
	}
	if (argv[1][0] == '-')
		die(EXIT_USAGE, "unknown option '%s' before the command; see 'spemu help'",
		    argv[1]);
	command = find_command(argv[1]);
	command_name = command->options->command;
	return command->run(argc - 1, argv + 1);
}
