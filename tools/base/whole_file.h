/* SPDX-License-Identifier: MIT */
/*
 * The file that a command makes. It has its name when it is whole: until then what had the name
 * before stays, so that a full disk, an interrupt, or a second command that makes the same file
 * leave no part of one. One at a time.
 */
#ifndef TOOLS_WHOLE_FILE_H
#define TOOLS_WHOLE_FILE_H

struct out;

/* Dies if path is a recording, which option, as "-o FILE", would overwrite. "-" is none. */
void whole_file_check(const char *path, const char *option);
/*
 * A descriptor to write to. What is no regular file, of somebody else, or in a folder that takes no
 * new files is written as it is. Dies if it cannot be written.
 */
int whole_file_open(const char *path);
/* The same as an output; standard output if path is NULL or "-". */
struct out *whole_file_out(const char *path);
/* Flush the output, and close the file. */
void whole_file_out_close(struct out *o);
/* The name that what is written has for now. */
const char *whole_file_name(void);
/* Closes it, and gives it its name. Dies if that fails. */
void whole_file_close(void);

#endif
