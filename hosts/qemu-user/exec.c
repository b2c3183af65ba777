/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executing the guest's next image under QEMU and this plugin.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec.h"
#include "mappings.h"
#include "process.h"
#include "qemu_symbols.h"

#define MAX_OPTIONS 64
#define MAX_STRINGS 65536 /* of argv and envp, each */
#define MAX_SCRIPTS 4     /* interpreters that are scripts themselves, as in Linux */
#define FOLLOW ",follow=on"

static char qemu_path[PATH_MAX];
static char *options[MAX_OPTIONS]; /* for the next image, NULL-terminated */
static unsigned n_options;

/* QEMU's options that take a value (linux-user/main.c of 7.2 to 10.2); true: not for the next image. */
static const struct {
	const char *name;
	bool value, drop;
} known[] = {
        {"g", true, true},         {"L", true, false},        {"s", true, false},
        {"cpu", true, false},      {"E", true, true},         {"U", true, true},
        {"0", true, true},         {"r", true, false},        {"B", true, false},
        {"R", true, false},        {"d", true, false},        {"dfilter", true, false},
        {"D", true, false},        {"p", true, false},        {"singlestep", false, false},
        {"strace", false, false},  {"seed", true, false},     {"trace", true, false},
        {"plugin", true, false},   {"version", false, true},  {"h", false, true},
        {"help", false, true},     {"t", true, false},        {"tb-size", true, false},
        {"perfmap", false, false}, {"jitdump", false, false}, {"one-insn-per-tb", false, false},
};

static void keep(const char *text, const char *suffix)
{
	size_t length = strlen(text) + strlen(suffix) + 1;
	char *copy;

	if (n_options + 1 >= MAX_OPTIONS || !(copy = malloc(length)))
		return;
	strcpy(copy, text);
	strcat(copy, suffix);
	options[n_options++] = copy;
}

/* The options in front of the program's path; they end at the first argument without a dash. */
static void keep_options(const char *args, size_t size)
{
	const char *end = args + size;

	for (const char *arg = args + strlen(args) + 1; arg < end && arg[0] == '-';) {
		const char *name = arg + 1 + (arg[1] == '-');
		const char *value = arg + strlen(arg) + 1;
		const char *next = value;
		bool dropped = true, plugin = false;

		for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			if (strcmp(name, known[i].name) != 0)
				continue;
			dropped = known[i].drop;
			plugin = strcmp(name, "plugin") == 0;
			if (known[i].value && value < end)
				next = value + strlen(value) + 1;
		}
		if (!dropped) {
			keep(arg, "");
			if (next != value)
				keep(value, plugin && !strstr(value, FOLLOW) ? FOLLOW : "");
		}
		arg = next;
	}
}

void exec_install(void)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = readlink("/proc/self/exe", qemu_path, sizeof(qemu_path) - 1);
	static char args[65536];
	ssize_t size;

	qemu_path[length > 0 ? length : 0] = 0;
	if (fd < 0)
		return;
	size = read(fd, args, sizeof(args) - 1);
	close(fd);
	if (size > 0)
		keep_options(args, (size_t)size);
}

/* The guest's string at addr as a host string; NULL if it is not readable to its end. */
static char *guest_string(uint64_t addr)
{
	for (uint64_t at = addr; mappings_readable(at, 1); at = (at | 4095) + 1) {
		size_t room = 4096 - (at & 4095);

		if (memchr(mappings_host(at), 0, room))
			return mappings_host(addr);
	}
	return NULL;
}

/* The guest's array of strings; malloc'd, NULL-terminated; NULL if it is not readable. */
static char **guest_strings(uint64_t addr)
{
	char **strings = malloc((MAX_STRINGS + 1) * sizeof(*strings));
	size_t n = 0;

	if (!strings)
		return NULL;
	for (; addr && n < MAX_STRINGS; addr += 8) {
		uint64_t string;

		if (!mappings_readable(addr, 8))
			goto fail;
		memcpy(&string, mappings_host(addr), 8);
		if (!string)
			break;
		strings[n] = guest_string(string);
		if (!strings[n++])
			goto fail;
	}
	strings[n] = NULL;
	return strings;
fail:
	free(strings);
	return NULL;
}

enum image { IMAGE_OTHER, IMAGE_AARCH64, IMAGE_SCRIPT };

/* What is in the file; head gets its first bytes, NUL-terminated. */
static enum image look(const char *path, char *head, size_t size)
{
	const unsigned char *ident = (const unsigned char *)head;
	struct stat st;
	ssize_t got = -1;
	int fd;

	if (access(path, X_OK) != 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (st.st_mode & (S_ISUID | S_ISGID)))
		return IMAGE_OTHER;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return IMAGE_OTHER;
	got = pread(fd, head, size - 1, 0);
	close(fd);
	head[got > 0 ? got : 0] = 0;
	if (got > 2 && head[0] == '#' && head[1] == '!')
		return IMAGE_SCRIPT;
	if (got >= 20 && memcmp(head, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS64 &&
	    ident[EI_DATA] == ELFDATA2LSB && (ident[18] | ident[19] << 8) == EM_AARCH64)
		return IMAGE_AARCH64;
	return IMAGE_OTHER;
}

/* A new argument vector; room for everything is allocated at once. */
struct vector {
	char **item;
	size_t n;
};

static void push(struct vector *v, const char *text)
{
	v->item[v->n++] = (char *)(uintptr_t)text;
}

/* Cut the interpreter and its one argument out of a script's first line. */
static bool script_line(char *head, char **interpreter, char **argument)
{
	char *end = strchr(head, '\n');
	char *p = head + 2;

	if (end)
		*end = 0;
	p += strspn(p, " \t");
	*interpreter = p;
	p += strcspn(p, " \t");
	*argument = NULL;
	if (*p) {
		*p++ = 0;
		p += strspn(p, " \t");
		end = p + strlen(p);
		while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
			*--end = 0;
		*argument = *p ? p : NULL;
	}
	return **interpreter != 0;
}

/*
 * The program and its arguments after all scripts are resolved: *program is the ELF file; args are
 * the guest's, argv[0] included. heads keeps the text of the scripts' first lines.
 */
static bool resolve(const char **program, struct vector *args, char heads[MAX_SCRIPTS + 1][256],
                    const char *path, char *const *argv)
{
	push(args, argv[0] ? argv[0] : "");
	for (size_t i = 1; argv[0] && argv[i]; i++)
		push(args, argv[i]);
	for (unsigned depth = 0; depth <= MAX_SCRIPTS; depth++) {
		char *interpreter, *argument;
		size_t more;

		switch (look(path, heads[depth], sizeof(heads[depth]))) {
		case IMAGE_AARCH64:
			*program = path;
			return true;
		case IMAGE_SCRIPT:
			break;
		default:
			return false;
		}
		if (!script_line(heads[depth], &interpreter, &argument))
			return false;
		/* interpreter [argument] path args[1...] in place of args[0...] */
		more = argument ? 2 : 1;
		memmove(args->item + 1 + more, args->item + 1, (args->n - 1) * sizeof(char *));
		args->n += more;
		args->item[0] = interpreter;
		if (argument)
			args->item[1] = argument;
		args->item[more] = (char *)(uintptr_t)path;
		path = interpreter;
	}
	return false;
}

/*
 * Variables that would change QEMU's own start go to the guest by option -E, where a comma
 * separates; others stay in the environment, which QEMU hands on.
 */
static bool by_option(const char *variable)
{
	return (strncmp(variable, "LD_", 3) == 0 ||
	        strncmp(variable, "GLIBC_TUNABLES=", 15) == 0) &&
	       !strchr(variable, ',');
}

static size_t count(char *const *strings)
{
	size_t n = 0;

	while (strings[n])
		n++;
	return n;
}

/* recorded: the next image can attach. It must not fail because it cannot. */
static void run(const char *path, char *const *argv, char **envp, bool recorded)
{
	static char heads[MAX_SCRIPTS + 1][256];
	size_t n_env = count(envp), kept = 0;
	size_t room = n_options + 2 * n_env + count(argv) + 3 * MAX_SCRIPTS + 16;
	char **item = malloc(2 * room * sizeof(*item));
	struct vector v = {item, 0}, args = {item ? item + room : NULL, 0};
	const char *program;

	if (!item || !resolve(&program, &args, heads, path, argv))
		goto out;
	push(&v, qemu_path);
	for (unsigned i = 0; i < n_options; i++)
		push(&v, options[i]);
	for (size_t i = 0; i < n_env; i++) {
		if (!recorded && strncmp(envp[i], "QEMU_PLUGIN=", 12) == 0)
			continue;
		if (by_option(envp[i])) {
			push(&v, "-E");
			push(&v, envp[i]);
		} else {
			envp[kept++] = envp[i];
		}
	}
	envp[kept] = NULL;
	push(&v, "-0");
	push(&v, args.item[0]);
	push(&v, program);
	for (size_t i = 1; i < args.n; i++)
		push(&v, args.item[i]);
	push(&v, NULL);
	if (program[0] != '-')
		execve(qemu_path, v.item, envp);
out:
	free(item);
}

void exec_call(uint64_t path, uint64_t argv, uint64_t envp)
{
	char *name = guest_string(path);
	char **args, **env;
	bool recorded;

	if (!name || !qemu_path[0] || access(name, X_OK) != 0 || !start_exclusive || !end_exclusive)
		return;
	if (strcmp(name, "/proc/self/exe") == 0 && qemu_plugin_path_to_binary)
		name = (char *)(uintptr_t)qemu_plugin_path_to_binary();
	args = guest_strings(argv);
	env = guest_strings(envp);
	/* Whoever executes it, the buffers of all threads end here if it succeeds. */
	process_drain_all(true);
	recorded = recording_is_reachable(&process.rec);
	if (!recorded)
		recording_note(&process.rec,
		               "a program that had changed its user or its root directory executed "
		               "another, which was not recorded; record that one by itself");
	if (args && env && access(qemu_path, X_OK) == 0)
		run(name, args, env, recorded);
	free(args);
	free(env);
}
