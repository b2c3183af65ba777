/* SPDX-License-Identifier: MIT */
/* Input of a command: a file, a folder of perf record --kcore, standard input or a pipe. */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

/*
 * Return the path of a perf.data file that can be mapped and is not compressed: the given path, or
 * the path of a nameless file that was made from it. "-" is standard input. A folder of perf record
 * --kcore also provides kernel symbols. If the file cannot be read, return a path that the caller
 * fails to open. Die if the temporary file cannot be written.
 */
const char *input_recording(const char *given);
/* Return the path of a trace without perf.data headers that can be mapped, in the same way. */
const char *input_raw(const char *given);

#endif
