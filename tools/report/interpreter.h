/* SPDX-License-Identifier: MIT */
/* Interpreters: programs whose functions are not those that the user wrote. */
#ifndef TOOLS_REPORT_INTERPRETER_H
#define TOOLS_REPORT_INTERPRETER_H

#include "../session/samples.h"

struct interpreter {
	const char *patterns[3]; /* patterns of fnmatch(3) for the name of the object, or NULL; if
	                            there is no advice, the first is a plain name */
	const char *name;
	const char *advice; /* how to see the functions of the interpreted program, if its runtime
	                       (session/jit_runtime.h) does not say it */
};

/* Return the interpreter that the code at a place belongs to, or NULL. The session is that of the
 * place's recording. */
const struct interpreter *interpreter_of(const struct place *place, const struct session *s);
const char *interpreter_advice(const struct interpreter *interpreter);

#endif
