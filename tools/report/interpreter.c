/* SPDX-License-Identifier: MIT */
#include "interpreter.h"
#include "../session/jit_runtime.h"

#include <fnmatch.h>
#include <string.h>

static const struct interpreter interpreters[] = {
        {{"python3*", "libpython3*"},
         "CPython",
         "run 'python3 -X perf' (3.12 or later), which writes a map of Python functions"},
        {{"perl", "perl5*", "libperl.so*"},
         "perl",
         "use Devel::NYTProf, because perl writes no map of its functions"},
        {{"ruby", "ruby[0-9]*", "libruby*"}, "Ruby", NULL},
        {{"nodejs", "node", "libnode.so*"}, "Node.js", NULL},
        {{"libjvm.so"}, "Java", NULL},
        {{"php", "php[0-9]*", "libphp*.so"}, "PHP", NULL},
        {{"lua5*", "liblua5*"}, "Lua", "use a Lua profiler, because Lua writes no map"},
        {{"gawk", "mawk", "jq"},
         "a script interpreter",
         "compare variants of the script instead of functions"},
};

/* The interpreter of Java is code that the runtime generates. With -Xint, it generates no other. */
static const struct interpreter interpreted_java = {
        {NULL}, "Java's interpreter", "run java without -Xint"};

static bool is_java(const struct object *object)
{
	static const char library[] = "libjvm.so";

	return object && (object_runtime(object) == jit_runtime_of(library) ||
	                  !strcmp(object_name(object), library));
}

static bool has_word(const struct session *s, const char *wanted)
{
	const char *word;

	for (uint32_t i = 0; spemu_perf_cmdline(s->file, &word, i) == SPEMU_OK; i++) {
		if (!strcmp(word, wanted))
			return true;
	}
	return false;
}

const struct interpreter *interpreter_of(const struct place *place, const struct session *s)
{
	if (is_java(place->object) && has_word(s, "-Xint"))
		return &interpreted_java;
	for (unsigned i = 0; i < sizeof(interpreters) / sizeof(*interpreters); i++) {
		for (unsigned k = 0; k < 3 && interpreters[i].patterns[k]; k++) {
			if (!fnmatch(interpreters[i].patterns[k], place_object(place), 0))
				return &interpreters[i];
		}
	}
	return NULL;
}

const char *interpreter_advice(const struct interpreter *interpreter)
{
	return interpreter->advice ? interpreter->advice
	                           : jit_runtime_advice(jit_runtime_of(interpreter->patterns[0]));
}
