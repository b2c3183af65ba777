/* SPDX-License-Identifier: MIT */
/*
 * The output file of a command. It gets its name when it is complete. Until then the old file
 * stays, so a full disk, an interrupt or a second command with the same output leaves no partial
 * file. There is one such file at a time.
 */
#ifndef TOOLS_WHOLE_FILE_H
#define TOOLS_WHOLE_FILE_H

/* Dies if path is a recording, which option, as "-o FILE", would overwrite. "-" is none. */
void whole_file_check(const char *path, const char *option);
/*
 * Return a descriptor to write to. A target is written in place if it is not a regular file,
 * belongs to another user, or is in a read-only folder. Dies if the file cannot be written.
 */
int whole_file_open(const char *path);
/* Return the present name of the file that is being written. */
const char *whole_file_name(void);
/* Closes it, and gives it its name. Dies if that fails. */
void whole_file_close(void);

#endif
