/* SPDX-License-Identifier: MIT */
/* Programs, scripts and sysroots; see executable.h. */
#define _GNU_SOURCE
#include "executable.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum executable_kind executable_kind(const char *file, char head[EXECUTABLE_LINE + 1])
{
	const unsigned char *ident = (const unsigned char *)head;
	struct stat st;
	ssize_t got;
	int fd;

	memset(head, 0, EXECUTABLE_LINE + 1);
	if (access(file, X_OK) != 0 || stat(file, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (st.st_mode & (S_ISUID | S_ISGID)))
		return EXECUTABLE_OTHER;
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return EXECUTABLE_OTHER;
	got = pread(fd, head, EXECUTABLE_LINE, 0);
	close(fd);
	if (got > 2 && head[0] == '#' && head[1] == '!')
		return EXECUTABLE_SCRIPT;
	if (got >= 20 && memcmp(head, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS64 &&
	    ident[EI_DATA] == ELFDATA2LSB && (ident[18] | ident[19] << 8) == EM_AARCH64)
		return EXECUTABLE_AARCH64;
	return EXECUTABLE_OTHER;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * The line ends at a newline, before which blanks do not count. Without a newline, it ends at the
 * last byte that Linux reads. Then the argument may be cut or empty, but a cut name of an
 * interpreter is refused. A NUL ends the name and the argument.
 */
bool executable_line(char head[EXECUTABLE_LINE + 1], char **interpreter, char **argument)
{
	static const char blanks[] = " \t";
	char *newline = memchr(head, '\n', EXECUTABLE_LINE);
	char *end = newline ? newline : head + EXECUTABLE_LINE - 1;
	char *name = head + 2 + strspn(head + 2, blanks), *rest;

	if (!newline && name + strcspn(name, blanks) == head + EXECUTABLE_LINE)
		return false;
	while (is_blank(end[-1]))
		end--;
	*end = 0;
	rest = name + strcspn(name, blanks);
	*interpreter = name;
	*argument = NULL;
	if (*rest) {
		*rest++ = 0;
		*argument = rest + strspn(rest, blanks);
	}
	return name < end && *name;
}

/* Return true if the descriptor and the name have the same file. */
static bool is_file(int fd, const char *file)
{
	struct stat there, named;

	return fstat(fd, &there) == 0 && stat(file, &named) == 0 && there.st_dev == named.st_dev &&
	       there.st_ino == named.st_ino;
}

/*
 * Find a name of the file at an absolute path in the sysroot. Absolute links lead into the sysroot,
 * as for a program that has it as root directory. If there are none, the name ends as the path
 * does. A kernel or sandbox without openat2(2) follows absolute links on this machine.
 */
static bool in_sysroot(char file[PATH_MAX], const char *path, const char *sysroot)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0 ? -1 : (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	bool fits = snprintf(file, PATH_MAX, "%s%s", sysroot, path) < PATH_MAX;
	char link[64];
	ssize_t length = 0;

	if (fd >= 0 && !(fits && is_file(fd, file))) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, file, PATH_MAX - 1);
	}
	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
	if (length > 0)
		file[length] = 0;
	return fits || length > 0;
}

/* Write the path with /usr/bin for /bin or the reverse, and the same for sbin. Return false if the
 * path is in another folder. */
static bool spell_otherwise(char other[PATH_MAX], const char *path)
{
	static const char usr[] = "/usr";
	const size_t length = strlen(usr);
	bool with = strncmp(path, usr, length) == 0;
	const char *rest = with ? path + length : path;

	if (strncmp(rest, "/bin/", 5) != 0 && strncmp(rest, "/sbin/", 6) != 0)
		return false;
	return snprintf(other, PATH_MAX, "%s%s", with ? "" : usr, rest) < PATH_MAX;
}

/*
 * Return the kind of the file in the sysroot that the path names, its name and its head. Many
 * systems have one folder for /bin and /usr/bin, and others have two. So a program may be in the
 * other one. A script may not, because its interpreter opens it by the path.
 */
static enum executable_kind find_in_sysroot(char file[PATH_MAX], char head[EXECUTABLE_LINE + 1],
                                            const char *path, const char *sysroot)
{
	enum executable_kind kind = EXECUTABLE_OTHER;
	char other[PATH_MAX];

	if (!sysroot || !*sysroot || *path != '/')
		return kind;
	if (in_sysroot(file, path, sysroot))
		kind = executable_kind(file, head);
	if (kind != EXECUTABLE_OTHER || !spell_otherwise(other, path) ||
	    !in_sysroot(file, other, sysroot))
		return kind;
	kind = executable_kind(file, head);
	return kind == EXECUTABLE_AARCH64 ? kind : EXECUTABLE_OTHER;
}

/* Return the kind of the file that the path names, its name and its head. */
static enum executable_kind find(char file[PATH_MAX], char head[EXECUTABLE_LINE + 1],
                                 const char *path, const char *sysroot)
{
	enum executable_kind kind = executable_kind(path, head), there;

	if (kind != EXECUTABLE_AARCH64) {
		there = find_in_sysroot(file, head, path, sysroot);
		if (there != EXECUTABLE_OTHER)
			return there;
		kind = executable_kind(path, head);
	}
	return snprintf(file, PATH_MAX, "%s", path) < PATH_MAX ? kind : EXECUTABLE_OTHER;
}

bool executable_resolve(struct executable *e, const char *path, const char *sysroot)
{
	char *interpreter[EXECUTABLE_SCRIPTS], *argument[EXECUTABLE_SCRIPTS];
	const char *name = path;
	enum executable_kind kind;
	unsigned n = 0;

	while ((kind = find(e->file, e->head[n], name, sysroot)) == EXECUTABLE_SCRIPT) {
		if (n == EXECUTABLE_SCRIPTS ||
		    !executable_line(e->head[n], &interpreter[n], &argument[n]))
			return false;
		name = interpreter[n++];
	}
	e->words = 0;
	for (unsigned i = n; i--;) {
		e->word[e->words++] = interpreter[i];
		if (argument[i])
			e->word[e->words++] = argument[i];
	}
	if (n)
		e->word[e->words++] = path;
	return kind == EXECUTABLE_AARCH64;
}

bool executable_exists(const char *path, const char *sysroot)
{
	char file[PATH_MAX], head[EXECUTABLE_LINE + 1];

	return access(path, X_OK) == 0 ||
	       find_in_sysroot(file, head, path, sysroot) != EXECUTABLE_OTHER;
}
