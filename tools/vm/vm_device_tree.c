/* SPDX-License-Identifier: MIT */
/*
 * The device tree with the SPU's node, in the form of Linux's binding arm,spe-pmu. Without the
 * node, no driver looks for an SPU.
 */
#define _GNU_SOURCE
#include "../base/child.h"
#include "../base/content.h"
#include "../base/find.h"
#include "vm.h"

#include <errno.h>
#include <fcntl.h>
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TREE_MAX (16 << 20) /* largest size in bytes; QEMU's own trees have 1 MB */
#define NODE_ROOM 4096      /* bytes, more than enough for one node */
/* type in the first cell of an interrupt of the GIC, which has type, number, flags */
#define PPI 1
#define PPI_FIRST 16
#define LEVEL_HIGH 4

static const char compatible[] = "arm,statistical-profiling-extension-v1";

static void check(int status, const char *name)
{
	if (status < 0)
		die(EXIT_OWN, "cannot add the SPU to the device tree %s: %s; leave -dtb out", name,
		    fdt_strerror(status));
}

/* Return the phandle of the GICv3, and set *cells to the number of cells of its interrupts. */
static uint32_t find_gic(const void *tree, const char *name, int *cells)
{
	int gic = fdt_node_offset_by_compatible(tree, -1, "arm,gic-v3"), size;
	uint32_t phandle = gic < 0 ? 0 : fdt_get_phandle(tree, gic);
	const fdt32_t *property;

	if (!phandle)
		die(EXIT_OWN,
		    "the device tree %s has no GICv3 to take SPE's interrupt; use one of -machine "
		    "virt,gic-version=3, or leave -dtb out",
		    name);
	property = fdt_getprop(tree, gic, "#interrupt-cells", &size);
	*cells = property && size == 4 ? (int)fdt32_to_cpu(*property) : 3;
	return phandle;
}

/* Return the tree with the SPU's node, for the caller to free. An existing node gets the
 * interrupt. */
static void *add_node(const void *tree, size_t *size, const char *name)
{
	fdt32_t interrupt[4] = {cpu_to_fdt32(PPI), cpu_to_fdt32(VM_PPI - PPI_FIRST),
	                        cpu_to_fdt32(LEVEL_HIGH)};
	void *larger;
	int cells, node;
	uint32_t gic;

	if (fdt_check_full(tree, *size))
		die(EXIT_OWN, "%s is not a device tree, or damaged; leave -dtb out for QEMU's own",
		    name);
	gic = find_gic(tree, name, &cells);
	*size = fdt_totalsize(tree) + NODE_ROOM;
	larger = xcalloc(1, *size);
	check(fdt_open_into(tree, larger, (int)*size), name);
	node = fdt_node_offset_by_compatible(larger, -1, compatible);
	if (node < 0)
		node = fdt_add_subnode(larger, 0, "spe-pmu");
	check(node, name);
	check(fdt_setprop_string(larger, node, "compatible", compatible), name);
	check(fdt_setprop(larger, node, "interrupts", interrupt, cells == 4 ? 16 : 12), name);
	check(fdt_setprop_u32(larger, node, "interrupt-parent", gic), name);
	check(fdt_pack(larger), name);
	*size = fdt_totalsize(larger);
	return larger;
}

/* Repeat QEMU's own messages, which explain why it did not write a tree. */
static void repeat_output(int fd)
{
	size_t size;
	char *text;

	lseek(fd, 0, SEEK_SET);
	text = read_content(fd, &size, 1 << 20);
	if (text && fwrite(text, 1, size, stderr) != size)
		warn("cannot write to standard error: %s", strerror(errno));
	free(text);
}

/* Run QEMU until it writes its device tree to `file`, and return the tree. Without a tree, show
 * QEMU's output, and return NULL. */
static char *dump(const struct vm_command *command, const char *file, const sigset_t *signals,
                  size_t *size, int *status)
{
	int said = vm_memory_file("output", "", 0), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int redirect[3] = {null, said, said};
	struct vm_command with = {0};
	char *escaped = double_commas(file), *tree = NULL;
	int fd;

	for (size_t i = 0; i < command->count; i++)
		vm_command_add(&with, "%s", command->argv[i]);
	vm_command_pair(&with, "-machine", "dumpdtb=%s", escaped);
	*status = child_wait(child_start(with.argv, signals, redirect));
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (WIFEXITED(*status) && !WEXITSTATUS(*status) && fd >= 0)
		tree = read_content(fd, size, TREE_MAX);
	else if (!child_signal())
		repeat_output(said);
	if (fd >= 0)
		close(fd);
	close(said);
	close(null);
	vm_command_free(&with);
	free(escaped);
	return tree;
}

/* Return the tree that QEMU generates. QEMU writes it next to a file with a given name, so it gets
 * a folder. */
static char *generated_tree(const struct vm_command *command, const sigset_t *signals, size_t *size,
                            int *status)
{
	const char *temporary = getenv("TMPDIR");
	char *folder =
	        xasprintf("%s/spemu-vm.XXXXXX", temporary && *temporary ? temporary : "/tmp");
	char *file, *tree;

	if (!mkdtemp(folder))
		die(EXIT_OWN, "cannot make a folder '%s': %s; set TMPDIR to where one can be made",
		    folder, strerror(errno));
	file = xasprintf("%s/tree", folder);
	tree = dump(command, file, signals, size, status);
	unlink(file);
	rmdir(folder);
	free(file);
	free(folder);
	return tree;
}

int vm_device_tree(const struct vm_command *command, const char *dtb, const sigset_t *signals,
                   int *status)
{
	const char *name = dtb ? dtb : "of QEMU";
	char *tree = NULL;
	void *larger;
	size_t size = 0;
	int fd;

	if (!dtb) {
		tree = generated_tree(command, signals, &size, status);
		if (!tree)
			return -1;
	} else {
		tree = read_named(dtb, &size, TREE_MAX);
		if (!tree)
			die(EXIT_OWN,
			    "cannot read the device tree '%s': %s; correct -dtb, or leave it out",
			    dtb, strerror(errno));
	}
	larger = add_node(tree, &size, name);
	fd = vm_memory_file("device-tree", larger, size);
	free(larger);
	free(tree);
	return fd;
}
