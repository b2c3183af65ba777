/* SPDX-License-Identifier: MIT */
/*
 * Programs as execve(2) finds them, with a sysroot: the file that a path names, and the program
 * that interprets a script.
 *
 * A sysroot is a folder with AArch64 files, like the root of another system. A path names the file
 * of this machine if that is an AArch64 program. Otherwise it names the program or script at the
 * same path in the sysroot, if there is one. For a program, /bin and /usr/bin are the same folder.
 */
#ifndef EXECUTABLE_H
#define EXECUTABLE_H

#include <limits.h>
#include <stdbool.h>

#define EXECUTABLE_SCRIPTS 5 /* most scripts in a chain of interpreters, as in Linux */
#define EXECUTABLE_LINE 256  /* bytes of a script that Linux reads to find its first line */

enum executable_kind { EXECUTABLE_OTHER, EXECUTABLE_AARCH64, EXECUTABLE_SCRIPT };

/*
 * Return the kind of the file. Copy its first bytes into `head`, and fill the rest with NULs. A
 * file that is not an executable regular file, or that has a set-user-ID or set-group-ID bit, is
 * EXECUTABLE_OTHER.
 */
enum executable_kind executable_kind(const char *file, char head[EXECUTABLE_LINE + 1]);

/*
 * Find the interpreter in the head of a script, and the one argument for it, or NULL. Both are in
 * `head`. Return false if the line has no interpreter, or only a part of its name.
 */
bool executable_line(char head[EXECUTABLE_LINE + 1], char **interpreter, char **argument);

/* The program that Linux would execute for a path. */
struct executable {
	char file[PATH_MAX];                          /* the AArch64 program */
	unsigned words;                               /* 0 if the path names the program itself */
	const char *word[2 * EXECUTABLE_SCRIPTS + 1]; /* arguments in the place of a script's
	                                                 argv[0] */
	char head[EXECUTABLE_SCRIPTS + 1][EXECUTABLE_LINE + 1];
};

/*
 * Find the program for a path. `sysroot` may be NULL. `path` must stay valid as long as *e. Return
 * false if the path does not lead to an AArch64 program; *e is then undefined.
 */
bool executable_resolve(struct executable *e, const char *path, const char *sysroot);

/* Return true if the path names an executable file of this machine or of the sysroot. */
bool executable_exists(const char *path, const char *sysroot);

#endif
