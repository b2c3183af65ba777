/* SPDX-License-Identifier: MIT */
/* The spemu command: finds the sub-command and hands over. */
#include "base/common.h"

#include <stdlib.h>
#include <string.h>
#include <spemu/version.h>

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;
	const char *summary;
} commands[] = {
        {"record", cmd_record, record_usage, "run a program and record a profile of it"},
        {"vm", cmd_vm, vm_usage, "run QEMU's system emulator with an SPU in every CPU"},
        {"report", cmd_report, report_usage, "show where a recorded program spent its operations"},
        {"dump", cmd_dump, dump_usage, "show the packets or records of a recording"},
        {"run", cmd_run, run_usage, "run scenarios of a Statistical Profiling Unit"},
        {"explain", cmd_explain, explain_usage, "say why profiling is or is not enabled"},
        {"regs", cmd_regs, regs_usage, "show the System registers of SPE, or decode a value"},
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *to)
{
	fputs("usage: spemu COMMAND [OPTIONS]\n\n"
	      "The Arm Statistical Profiling Extension in software.\n\ncommands:\n",
	      to);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("  help     explain a command: spemu help COMMAND\n"
	      "\noptions:\n"
	      "  --version  print the version\n"
	      "  -h, --help print this text\n",
	      to);
}

static const struct command *find_command(const char *name)
{
	const char *names[COMMAND_COUNT + 2];

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		names[i] = commands[i].name;
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	names[COMMAND_COUNT] = "help";
	names[COMMAND_COUNT + 1] = NULL;
	die(EXIT_OWN, "unknown command '%s'%s", name,
	    nearest_name(name, names) ? suggestion(name, names) : "; see 'spemu help'");
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_OWN;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		printf("spemu %s\n", spemu_version());
		return 0;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") ||
	    (!strcmp(argv[1], "help") && argc == 2)) {
		print_usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "help")) {
		fputs(find_command(argv[2])->usage, stdout);
		return 0;
	}
	if (argv[1][0] == '-')
		die(EXIT_OWN, "unknown option '%s' before the command; see 'spemu help'", argv[1]);
	command = find_command(argv[1]);
	command_name = command->name;
	return command->run(argc - 1, argv + 1);
}
