/* SPDX-License-Identifier: MIT */
/* QEMU's command line for a guest that runs one command. */
#define _GNU_SOURCE
#include "../base/find.h"
#include "vm.h"
#include "vm_protocol.h"

#include <stdlib.h>
#include <string.h>

/* QEMU arguments that --run sets itself, and the options of spemu vm that replace them. */
static const char *const taken[][2] = {
        {"kernel", "--kernel"},
        {"initrd", "--root for programs of your own"},
        {"append", "--append"},
        {"nographic", "-v, which shows the console"},
        {"serial", "-v, which shows the console"},
};

static void check_argument(const char *argument)
{
	const char *name = argument[0] == '-' ? argument + (argument[1] == '-' ? 2 : 1) : "";

	for (unsigned i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(name, taken[i][0]))
			die(EXIT_USAGE, "--run sets QEMU's %s itself; use %s", argument,
			    taken[i][1]);
}

void vm_guest_machine(struct vm_command *command, const struct vm_options *opt)
{
	static const char *const quiet[] = {"-nic",     "none", "-display",  "none",
	                                    "-monitor", "none", "-no-reboot"};

	vm_command_pair(command, "-m", "%lluM",
	                (unsigned long long)(opt->value[VM_MEMORY].number >> 20));
	vm_command_pair(command, "-smp", "%llu", (unsigned long long)opt->value[VM_CPUS].number);
	for (unsigned i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++)
		vm_command_add(command, "%s", quiet[i]);
	for (size_t i = 0; opt->arguments[i]; i++) {
		check_argument(opt->arguments[i]);
		vm_command_add(command, "%s", opt->arguments[i]);
	}
}

/*
 * Add a shared folder. With security_model=none, QEMU's user owns the files. With remap, inode
 * numbers of file systems that are mounted in the folder do not collide.
 */
static void add_share(struct vm_command *command, const char *tag, const char *path, bool read_only)
{
	char *escaped = double_commas(path);

	vm_command_pair(command, "-virtfs",
	                "local,path=%s,mount_tag=%s,security_model=none,multidevs=remap%s", escaped,
	                tag, read_only ? ",readonly=on" : "");
	free(escaped);
}

void vm_guest_devices(struct vm_command *command, const struct vm_guest *guest,
                      const struct vm_options *opt, int initrd, int console, int port)
{
	const char *append = opt->value[VM_APPEND].text;

	vm_command_pair(command, "-kernel", "%s", guest->kernel);
	vm_command_pair(command, "-initrd", "/proc/self/fd/%d", initrd);
	/* A kernel that panics resets the machine, which ends QEMU. Without KASLR, symbols stay
	 * valid. */
	vm_command_pair(command, "-append", "console=ttyAMA0 panic=-1 nokaslr%s%s%s",
	                verbosity > 1 ? "" : " quiet", append ? " " : "", append ? append : "");
	vm_command_pair(command, "-chardev", "file,id=spemu-console,path=/proc/self/fd/%d",
	                console);
	vm_command_pair(command, "-serial", "chardev:spemu-console");
	vm_command_pair(command, "-chardev", "socket,id=spemu-port,fd=%d", port);
	vm_command_pair(command, "-device", "virtio-serial-pci");
	vm_command_pair(command, "-device", "virtserialport,chardev=spemu-port,name=" VM_PORT);
	for (unsigned i = 0; guest->shares[i]; i++) {
		char *tag = xasprintf(VM_SHARE "%u", i);

		add_share(command, tag, guest->shares[i] + 3, guest->shares[i][1] == 'o');
		free(tag);
	}
	if (guest->root)
		add_share(command, VM_ROOT_TAG, guest->root, true);
}
