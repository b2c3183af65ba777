/* SPDX-License-Identifier: MIT */
/*
 * The program to record, found as execve(2) and execvp(3) find it. With -L, the sysroot's programs
 * take the place of programs that are not for AArch64. A script's interpreter takes the script's
 * place.
 */
#define _GNU_SOURCE
#include "../base/find.h"
#include "executable.h"
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Return the file that the name means. Die if there is no such executable file. */
static char *check_program(const char *name)
{
	struct stat st;
	char *found;

	if (!strchr(name, '/')) {
		found = find_in_path(name);
		if (found)
			return found;
		if (!access(name, F_OK))
			die(EXIT_NOT_FOUND, "'%s' is not in PATH; for the file here, say ./%s",
			    name, name);
		die(EXIT_NOT_FOUND, "'%s' was not found in PATH; give the program's path", name);
	}
	if (stat(name, &st))
		die(errno == ENOENT || errno == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN,
		    "cannot find '%s': %s; check the path", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		die(EXIT_CANNOT_RUN, "'%s' is a directory; give the path of a program in it", name);
	if (!S_ISREG(st.st_mode))
		die(EXIT_CANNOT_RUN, "'%s' is not a regular file; give the path of a program",
		    name);
	if (access(name, X_OK))
		die(EXIT_CANNOT_RUN, "'%s' is not executable; try chmod +x on it", name);
	return xstrdup(name);
}

/* Make the sysroot's name absolute, because the program may change its folder. */
static void check_sysroot(struct record_options *opt)
{
	char *real = realpath(opt->sysroot, NULL);
	struct stat st;

	if (!real || stat(real, &st) || access(real, X_OK))
		die(EXIT_OWN, "cannot use the sysroot '%s': %s; name another with -L", opt->sysroot,
		    strerror(errno));
	if (!S_ISDIR(st.st_mode))
		die(EXIT_OWN, "the sysroot '%s' is not a directory; name another with -L",
		    opt->sysroot);
	opt->sysroot = real;
}

/* A search for an AArch64 program. */
struct search {
	struct executable found;
	const char *sysroot;
};

static bool is_program(const char *file, void *context)
{
	struct search *search = context;

	return executable_resolve(&search->found, file, search->sysroot);
}

/* Find the program that `name` means. Return its path, or NULL if it is not an AArch64 program. */
static char *find(struct search *search, const char *name)
{
	char *path;

	if (search->sysroot && !strchr(name, '/'))
		return find_in_path_if(name, is_program, search);
	path = strchr(name, '/') ? xstrdup(name) : find_in_path(name);
	return path && is_program(path, search) ? path : NULL;
}

/* Put the words for a script's interpreter in the place of argv[0]. */
static char **interpreted(const struct executable *program, char **argv)
{
	size_t count = 0;
	char **all;

	while (argv[count])
		count++;
	all = xcalloc(program->words + count, sizeof(*all));
	for (unsigned i = 0; i < program->words; i++)
		all[i] = xstrdup(program->word[i]);
	memcpy(all + program->words, argv + 1, count * sizeof(*argv));
	return all;
}

char *record_program(struct record_options *opt)
{
	static struct search search;
	const char *name = opt->program[0];

	if (opt->sysroot_given)
		check_sysroot(opt);
	search.sysroot = opt->sysroot_given ? opt->sysroot : NULL;
	if (!find(&search, name))
		return check_program(name); /* check_elf() reports the problem */
	if (search.found.words)
		opt->program = interpreted(&search.found, opt->program);
	return xstrdup(search.found.file);
}
