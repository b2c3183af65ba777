/* SPDX-License-Identifier: MIT */
/* Find programs and spemu's own plugins. */
#ifndef TOOLS_FIND_H
#define TOOLS_FIND_H

/* Return the first executable file `name` in PATH, or NULL. The caller owns the result. */
char *find_in_path(const char *name);
/* Return the executable file `name`, which is looked for in PATH unless it has a slash, or NULL. */
char *find_program(const char *name);

/* Return `path` if the file is readable; otherwise free `path` and return NULL. */
char *path_or_null(char *path);

/* Return the path of a file below spemu's own folder ("../x"), or NULL. The caller owns it. */
char *find_beside(const char *relative);

/*
 * Find FILE, made by a script of the sources, in FOLDER: in the build directory, or in share/spemu
 * of an installation. Return NULL if it is missing. The caller owns the result. made_folder()
 * returns the place of FOLDER for this spemu.
 */
char *find_made(const char *folder, const char *file);
char *made_folder(const char *folder);

/*
 * The path of a plugin: what the environment variable says, else beside spemu in the build tree
 * (hosts/FOLDER) or an installation. Dies if there is none. Owned by the caller.
 */
char *find_plugin(const char *file, const char *folder, const char *variable);

/* "7.2.13" from `path --version`, or "unknown"; valid until the next call. */
const char *qemu_version(const char *path);

/* QEMU's options take a comma for the end of a value unless it is doubled. Owned by the caller. */
char *double_commas(const char *text);

#endif
