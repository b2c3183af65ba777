/* SPDX-License-Identifier: MIT */
/*
 * The output file of a command. It gets its name when it is complete. Until then, the old file
 * stays. Therefore a full disk, an interrupt or a second command with the same output leaves no
 * partial file. One such file can be open at a time.
 */
#ifndef TOOLS_WHOLE_FILE_H
#define TOOLS_WHOLE_FILE_H

struct out;

/* Die if the path is a recording, which the option (such as "-o FILE") would overwrite. "-" is not
 * a file. */
void whole_file_check(const char *path, const char *option);
/*
 * Open a file for output, and return its descriptor. A target is written in place if it is not a
 * regular file, belongs to another user, or is in a read-only folder. Die if the file cannot be
 * written.
 */
int whole_file_open(const char *path);
/* Return an output for the file, or standard output if path is NULL or "-". */
struct out *whole_file_out(const char *path);
/* Flush the output, and close the file. */
void whole_file_out_close(struct out *o);
/* Return the current name of the file that is being written. */
const char *whole_file_name(void);
/* Close the file, and give it its name. Die on failure. */
void whole_file_close(void);

#endif
