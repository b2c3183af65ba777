/* SPDX-License-Identifier: MIT */
/*
 * Disassembly with objdump of binutils. objdump runs as a separate process and gets only the bytes
 * of one function ("-b binary"), so it never parses a hostile file. The alternative is a library,
 * capstone. Debian 12 has a version from 2018, which does not know LSE, SVE, pointer authentication
 * and dot products. Machines with SPE have them.
 */
#define _GNU_SOURCE
#include "disassemble.h"
#include "symbols.h"
#include "../base/common.h"
#include "../base/find.h"
#include "../base/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CODE_MAX = 1 << 20 }; /* limit of the size of a function in bytes */

static const char remedy[] = "install binutils-aarch64-linux-gnu";

static char *find_objdump(const char *given)
{
	char *path = given ? xstrdup(given) : find_in_path("aarch64-linux-gnu-objdump");

	return path ? path : find_in_path("objdump");
}

/* Return a file in memory with the code. The child opens it by its descriptor. */
static int make_file(const uint8_t *code, size_t size)
{
	int fd = memfd_create("spemu-code", 0);

	if (fd < 0 || write(fd, code, size) != (ssize_t)size)
		die(EXIT_OWN, "cannot make a file in memory: %s", strerror(errno));
	return fd;
}

/* Start objdump, and set *output to its output. Return 0 or an error number. */
static int start(pid_t *pid, FILE **output, const char *objdump, int code, uint64_t address)
{
	char *base = xasprintf("--adjust-vma=%#llx", (unsigned long long)address);
	char *file = xasprintf("/proc/self/fd/%d", code);
	const char *argv[] = {objdump, "-D", "-b", "binary", "-m", "aarch64", base, file, NULL};
	int end, status = program_start(pid, &end, argv, -1);

	free(base);
	free(file);
	*output = fdopen(end, "r");
	return status;
}

/* Return "ldr x0, [x1]" for "ldr\tx0, [x1] // comment". Add symbols to addresses in the code. */
static char *words(const struct disassembly *d, struct object *object, char *text)
{
	char *address, *end;
	const char *symbol;
	uint64_t to, at;

	text[strcspn(text, "\n")] = '\0';
	for (char *p = text; *p; p++)
		*p = *p == '\t' ? ' ' : *p;
	end = strstr(text, "  //");
	if (end)
		*end = '\0';
	for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	address = strrchr(text, ' ');
	if (!address || strncmp(address, " 0x", 3) != 0)
		return xstrdup(text);
	to = strtoull(address + 1, &end, 16);
	symbol = *end ? NULL : object_symbol(object, &at, to, SYMBOL_CODE);
	if (!symbol)
		return xstrdup(text);
	if (at == d->start)
		return xasprintf("%s <+%#llx>", text, (unsigned long long)(to - at));
	if (to == at)
		return xasprintf("%s <%s>", text, symbol);
	return xasprintf("%s <%s+%#llx>", text, symbol, (unsigned long long)(to - at));
}

/* Take a line of the output, such as " 1000:\tb9400041 \tldr\tw1, [x2]". */
static void take_line(struct disassembly *d, struct object *object, char *line)
{
	unsigned long long address;
	char *text = strchr(line, '\t');

	if (!text || sscanf(line, " %llx:", &address) != 1 || address < d->start ||
	    (address - d->start) / 4 >= d->count || address % 4 != d->start % 4)
		return;
	text = strchr(text + 1, '\t');
	if (text && !d->text[(address - d->start) / 4])
		d->text[(address - d->start) / 4] = words(d, object, text + 1);
}

static void run_objdump(struct disassembly *d, struct object *object, const char *objdump, int code)
{
	char line[1024];
	FILE *output;
	pid_t pid;
	int status = start(&pid, &output, objdump, code, d->start);

	if (!output)
		die(EXIT_OWN, "out of memory");
	if (status) {
		d->problem = xasprintf("cannot run %s: %s; %s", objdump, strerror(status), remedy);
	} else {
		while (fgets(line, sizeof(line), output))
			take_line(d, object, line);
		if (!program_ends_well(pid))
			d->problem = xasprintf("%s does not support AArch64; %s", objdump, remedy);
	}
	fclose(output);
}

void disassemble(struct disassembly *d, struct object *object, uint64_t start, uint64_t end,
                 const char *objdump)
{
	uint64_t length = (end - start) & ~UINT64_C(3);
	size_t size = (size_t)length; /* not used if length exceeds CODE_MAX */
	uint8_t *code;
	char *path;
	int fd;

	*d = (struct disassembly){.start = start};
	if (!length || length > CODE_MAX) {
		d->problem = xstrdup(length ? "the function is larger than 1 MiB"
		                            : "the size of the function is unknown");
		return;
	}
	code = xcalloc(1, size);
	if (!object_code(object, code, start, size)) {
		d->problem = xstrdup("no file has the code of the function; give its root file "
		                     "system with -L DIR, or the kernel with --vmlinux FILE");
		free(code);
		return;
	}
	d->count = size / 4;
	d->code = xcalloc(d->count, sizeof(*d->code));
	d->text = xcalloc(d->count, sizeof(*d->text));
	for (size_t i = 0; i < d->count; i++)
		d->code[i] = (uint32_t)code[4 * i] | (uint32_t)code[4 * i + 1] << 8 |
		             (uint32_t)code[4 * i + 2] << 16 | (uint32_t)code[4 * i + 3] << 24;
	path = find_objdump(objdump);
	fd = make_file(code, size);
	if (path)
		run_objdump(d, object, path, fd);
	else
		d->problem = xasprintf("objdump was not found; %s", remedy);
	close(fd);
	free(path);
	free(code);
}

void disassembly_free(struct disassembly *d)
{
	for (size_t i = 0; i < d->count; i++)
		free(d->text[i]);
	free(d->text);
	free(d->code);
	free(d->problem);
}
