/* SPDX-License-Identifier: MIT */
/* Find programs and spemu's own files. */
#ifndef TOOLS_FIND_H
#define TOOLS_FIND_H

#include <stdbool.h>

/* Return the first executable file `name` in PATH, or NULL. The caller owns the result. */
char *find_in_path(const char *name);
/* Return the first path of `name` in the folders of PATH that fits, or NULL. The caller owns the
 * result. */
char *find_in_path_if(const char *name, bool (*fits)(const char *file, void *context),
                      void *context);
/* Return the executable file `name`, or NULL. A name without a slash is looked up in PATH. */
char *find_program(const char *name);

/* Return `path` if the file is readable; otherwise free `path` and return NULL. */
char *path_or_null(char *path);

/* Return the path of a file below spemu's own folder ("../x"), or NULL. The caller owns it. */
char *find_beside(const char *relative);

/*
 * Find a file that a script of the sources made in `folder`: in the build directory, or in
 * share/spemu of an installation. Return NULL if it is missing. The caller owns the result.
 * made_folder() returns the place of `folder` for this spemu.
 */
char *find_made(const char *folder, const char *file);
char *made_folder(const char *folder);

/*
 * Return the path of a plugin: the value of the environment variable, or else the file in the build
 * tree (hosts/FOLDER) or the installation. Die if it is missing. The caller owns the result.
 */
char *find_plugin(const char *file, const char *folder, const char *variable);

/* Return the version that `path --version` prints ("7.2.13"), or "unknown". It is valid until the
 * next call. */
const char *qemu_version(const char *path);

/* Return the text with doubled commas: a single comma ends a value of a QEMU option. The caller
 * owns the result. */
char *double_commas(const char *text);

#endif
