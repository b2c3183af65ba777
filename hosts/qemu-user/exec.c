/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The execution of the guest's next image under QEMU and this plugin; see exec.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec.h"
#include "executable.h"
#include "guest_memory.h"
#include "process.h"
#include "qemu_symbols.h"

#define MAX_OPTIONS 64
#define FOLLOW ",follow=on"
#define AREA ",area="
#define VARIABLE "QEMU_PLUGIN="
/* The limits of Linux in bytes (fs/exec.c: MAX_ARG_STRLEN, three quarters of _STK_LIM). */
#define MAX_STRING ((size_t)32 * 4096)
#define MAX_BYTES ((size_t)6 << 20)
#define TOO_LARGE                                                                               \
	"a program has more arguments than Linux allows together with QEMU's: it runs without " \
	"being recorded"

#define UNREACHABLE                                                                        \
	"a program that had changed its user or root directory executed another program, " \
	"which was not recorded; record the other program separately"

static char qemu_path[PATH_MAX];
static char *options[MAX_OPTIONS]; /* options of the next image, NULL-terminated */
static unsigned n_options;
static char *sysroot; /* QEMU's folder of the guest's libraries, or NULL */

/*
 * Options of QEMU (linux-user/main.c of 7.2 to 10.2) that the next image keeps. The lists end with
 * NULL. Options that only print something are missing, because QEMU runs no image with them.
 */
static const char *const without_value[] = {"singlestep", "strace",          "perfmap",
                                            "jitdump",    "one-insn-per-tb", NULL};
static const char *const with_value[] = {"L",      "s",       "cpu",     "r", "B",    "R",
                                         "d",      "dfilter", "D",       "p", "seed", "trace",
                                         "plugin", "t",       "tb-size", NULL};
/* Options of one image only, which the next image does not keep. */
static const char *const with_own_value[] = {"g", "E", "U", "0", NULL};

static bool is_in(const char *const *list, const char *name)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

static void keep(const char *text, const char *suffix)
{
	char *copy;

	if (n_options + 1 < MAX_OPTIONS && asprintf(&copy, "%s%s", text, suffix) >= 0)
		options[n_options++] = copy;
}

static void set_sysroot(const char *folder)
{
	free(sysroot);
	sysroot = strdup(folder);
}

/* Keep the options before the program's path. They end at the first argument without a dash. */
static void keep_options(const char *args, size_t size)
{
	const char *end = args + size;

	for (const char *arg = args + strlen(args) + 1; arg < end && arg[0] == '-';) {
		const char *name = arg + 1 + (arg[1] == '-');
		const char *value = arg + strlen(arg) + 1;
		const char *next = value;
		bool is_kept = is_in(with_value, name);

		if (value < end && (is_kept || is_in(with_own_value, name)))
			next = value + strlen(value) + 1;
		if (is_kept || is_in(without_value, name))
			keep(arg, "");
		if (is_kept && next != value && strcmp(name, "L") == 0)
			set_sysroot(value);
		if (is_kept && next != value)
			keep(value,
			     strcmp(name, "plugin") == 0 && !strstr(value, FOLLOW) ? FOLLOW : "");
		arg = next;
	}
}

void exec_install(void)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = readlink("/proc/self/exe", qemu_path, sizeof(qemu_path) - 1);
	const char *variable = getenv("QEMU_LD_PREFIX");
	static char args[65536];
	ssize_t size;

	qemu_path[length > 0 ? length : 0] = 0;
	if (variable)
		set_sysroot(variable);
	if (fd < 0)
		return;
	size = read(fd, args, sizeof(args) - 1);
	close(fd);
	if (size > 0)
		keep_options(args, (size_t)size);
}

/* Copied strings of the guest. Linux limits their bytes, not their number. */
struct strings {
	char **item; /* NULL-terminated */
	size_t n, room;
};

static void free_strings(struct strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->item[i]);
	free(s->item);
}

/* Make room for one more string and the NULL. Return false if memory is exhausted. */
static bool grow(struct strings *s)
{
	size_t room = s->room ? 2 * s->room : 64;
	char **item;

	if (s->n + 1 < s->room)
		return true;
	item = realloc(s->item, room * sizeof(*item));
	if (!item)
		return false;
	s->item = item;
	s->room = room;
	return true;
}

/*
 * Copy the guest's array of strings at addr; address 0 is an empty array. Subtract the bytes of the
 * strings and of their pointers from *bytes. Return false if the array is not readable, if it takes
 * more than *bytes, or if memory is exhausted.
 */
static bool guest_strings(struct strings *s, uint64_t addr, size_t *bytes)
{
	uint64_t pointer;

	*s = (struct strings){0};
	while (grow(s)) {
		s->item[s->n] = NULL;
		if (!addr)
			return true;
		if (!guest_read(&pointer, addr + 8 * s->n, sizeof(pointer)))
			return false;
		if (!pointer)
			return true;
		if (*bytes < sizeof(pointer))
			return false;
		*bytes -= sizeof(pointer);
		s->item[s->n] = guest_string(pointer, *bytes < MAX_STRING ? *bytes : MAX_STRING);
		if (!s->item[s->n])
			return false;
		*bytes -= strlen(s->item[s->n++]) + 1;
	}
	return false;
}

/* ---- a program that is named by a descriptor ------------------------------------------------- */

/* Return the descriptor that a path names, like the paths of fexecve(), or -1. */
static int named_descriptor(const char *path)
{
	static const char *const folders[] = {"/proc/self/fd/", "/dev/fd/"};
	int fd, end;

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);

		if (!strncmp(path, folders[i], length) &&
		    sscanf(path + length, "%d%n", &fd, &end) == 1 && !path[length + (size_t)end])
			return fd;
	}
	return -1;
}

/*
 * Find a name of the program that QEMU can open after execve(), when the guest's descriptor may be
 * closed. It is the file's own name, or names a copy of the descriptor in *copy, which the next
 * plugin closes. Return false if there is no such name.
 */
static bool outlive_execution(char name[PATH_MAX], int fd, int *copy)
{
	char link[64];
	struct stat file, named;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, name, PATH_MAX - 1);
	name[length > 0 ? length : 0] = 0;
	if (fstat(fd, &file) == 0 && stat(name, &named) == 0 && file.st_dev == named.st_dev &&
	    file.st_ino == named.st_ino)
		return true;
	*copy = fcntl(fd, F_DUPFD, 3);
	snprintf(name, PATH_MAX, "/proc/self/fd/%d", *copy);
	return *copy >= 0;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* An argument vector, whose memory is allocated in advance. */
struct vector {
	char **item;
	size_t n;
};

static void push(struct vector *v, const char *text)
{
	v->item[v->n++] = (char *)(uintptr_t)text;
}

/* Return true if the variable would affect the start of QEMU itself. Option -E then passes it to
 * the guest; a value with a comma cannot be passed so. QEMU passes on all other variables. */
static bool by_option(const char *variable)
{
	return (strncmp(variable, "LD_", 3) == 0 ||
	        strncmp(variable, "GLIBC_TUNABLES=", 15) == 0) &&
	       !strchr(variable, ',');
}

/*
 * Return the next plugin's arguments: those of this one, with a descriptor of the image to close
 * and the descriptor of the control area that this process holds; each may be -1. The caller frees
 * them. Return NULL if memory is exhausted.
 */
static char *plugin_arguments(const char *arguments, int copy, int held)
{
	const char *before = strrchr(arguments, ',');
	int length = before && !strncmp(before, AREA, strlen(AREA)) ? (int)(before - arguments)
	                                                            : (int)strlen(arguments);
	char close_text[32] = "", area_text[32] = "", *made;

	if (copy >= 0)
		snprintf(close_text, sizeof(close_text), ",close=%d", copy);
	if (held >= 0)
		snprintf(area_text, sizeof(area_text), AREA "%d", held);
	return asprintf(&made, "%.*s%s%s", length, arguments, close_text, area_text) >= 0 ? made
	                                                                                  : NULL;
}

/*
 * Prepare QEMU_PLUGIN in the environment of the next image. If the image cannot attach to the
 * recording, the variable is dropped, so that the plugin does not end the image.
 */
static void prepare_environment(struct strings *envp, bool recorded, int held)
{
	size_t n = 0;

	for (size_t i = 0; i < envp->n; i++) {
		char *item = envp->item[i], *prepared = item;

		if (!strncmp(item, VARIABLE, strlen(VARIABLE))) {
			prepared = recorded ? plugin_arguments(item, -1, held) : NULL;
			free(item);
		}
		if (prepared)
			envp->item[n++] = prepared;
	}
	envp->n = n;
}

/*
 * Execute the image under QEMU. `copy` is a descriptor of the image for the next plugin to close,
 * or -1, and `held` one of the control area. Return the error number of execve(), or 0 if execve()
 * was not called.
 */
static int run(const char *path, int copy, int held, const struct strings *argv,
               const struct strings *envp)
{
	char *plugin = NULL;
	struct executable program;
	size_t room = n_options + 2 * envp->n + argv->n + 2 * EXECUTABLE_SCRIPTS + 16;
	char **item = calloc(2 * room, sizeof(*item));
	struct vector v = {item, 0}, env = {item ? item + room : NULL, 0};
	int error = 0;

	if (!item || !executable_resolve(&program, path, sysroot))
		goto out;
	push(&v, qemu_path);
	for (unsigned i = 0; i < n_options; i++) {
		if (!plugin && strstr(options[i], FOLLOW))
			plugin = plugin_arguments(options[i], copy, held);
		push(&v, plugin && strstr(options[i], FOLLOW) ? plugin : options[i]);
	}
	for (size_t i = 0; i < envp->n; i++) {
		const char *variable = envp->item[i];

		if (by_option(variable))
			push(&v, "-E");
		push(by_option(variable) ? &v : &env, variable);
	}
	push(&env, NULL);
	push(&v, "-0");
	push(&v, program.words ? program.word[0] : argv->n ? argv->item[0] : "");
	push(&v, program.file);
	for (size_t i = 1; i < program.words; i++)
		push(&v, program.word[i]);
	for (size_t i = 1; i < argv->n; i++)
		push(&v, argv->item[i]);
	push(&v, NULL);
	if (program.file[0] != '-') {
		execve(qemu_path, v.item, env.item);
		error = errno;
	}
out:
	free(plugin);
	free(item);
	return error;
}

/* Execute the image under QEMU if it is an AArch64 program, or a script with such an interpreter.
 * Return if it is neither, or after a failure. */
static void execute(const char *name, uint64_t argv, uint64_t envp)
{
	struct strings args = {0}, env = {0};
	int fd = named_descriptor(name), copy = -1, held;
	size_t bytes = MAX_BYTES;
	char lasting[PATH_MAX];
	bool recorded;

	if (fd >= 0 && !outlive_execution(lasting, fd, &copy))
		return;

	/* If the execution succeeds, here or in QEMU, the buffers of all threads are gone. */
	process_drain_all();
	held = recording_held(&process.rec);
	recorded = held >= 0 || recording_is_reachable(&process.rec);
	if (!recorded)
		recording_note(&process.rec, UNREACHABLE);
	if (guest_strings(&args, argv, &bytes) && guest_strings(&env, envp, &bytes) &&
	    access(qemu_path, X_OK) == 0) {
		prepare_environment(&env, recorded, held);
		if (held >= 0)
			fcntl(held, F_SETFD, 0);
		if (run(fd >= 0 ? lasting : name, copy, held, &args, &env) == E2BIG)
			recording_note(&process.rec, TOO_LARGE);
		if (held >= 0)
			fcntl(held, F_SETFD, FD_CLOEXEC);
	} else if (bytes < MAX_STRING) {
		recording_note(&process.rec, TOO_LARGE);
	}
	free_strings(&args);
	free_strings(&env);
	if (copy >= 0)
		close(copy);
}

void exec_call(uint64_t path, uint64_t argv, uint64_t envp)
{
	char *name = guest_string(path, PATH_MAX);
	const char *image = name;

	if (!name || !qemu_path[0] || !executable_exists(name, sysroot) || !start_exclusive ||
	    !end_exclusive)
		goto out;
	if (strcmp(name, "/proc/self/exe") == 0 && qemu_plugin_path_to_binary)
		image = qemu_plugin_path_to_binary();
	execute(image, argv, envp);
out:
	free(name);
}
