/* SPDX-License-Identifier: MIT */
/* What a command is given to read: a file, a folder of perf's, standard input or a pipe. */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

/*
 * The path of a perf.data file that can be mapped and is not compressed, for the one that was
 * given: itself, or that of a file without a name that has been made of it. "-" is standard input.
 * perf's folder (record --kcore) is read with the list of symbols in it. What cannot be read is
 * left to who opens it; what cannot be written ends the program.
 */
const char *input_recording(const char *given);
/* The same of bare trace. */
const char *input_raw(const char *given);

#endif
