/* SPDX-License-Identifier: MIT */
/* The input of a command: a file, a folder of perf's, standard input or a pipe. */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

/*
 * Return the path of a perf.data file that can be mapped and is not compressed: the given path, or
 * that of a file without a name that was made from it. "-" is standard input. A folder of perf's
 * (record --kcore) is read with its list of symbols. A file that cannot be read is left to the
 * caller's open; a temporary file that cannot be written ends the program.
 */
const char *input_recording(const char *given);
/* Return the same for bare trace. */
const char *input_raw(const char *given);

#endif
