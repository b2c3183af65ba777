/* SPDX-License-Identifier: MIT */
#include "interpreter.h"

#include <fnmatch.h>

static const struct interpreter interpreters[] = {
        {{"python3*", "libpython3*"},
         "CPython",
         "run 'python3 -X perf' (3.12 or later), which writes a map of Python functions"},
        {{"perl", "perl5*", "libperl.so*"},
         "perl",
         "use Devel::NYTProf, because perl writes no map of its functions"},
        {{"ruby*", "libruby*"}, "Ruby", "run 'ruby --yjit --yjit-perf' (3.3 or later)"},
        {{"node", "nodejs", "libnode.so*"},
         "Node.js",
         "run 'node --perf-basic-prof --interpreted-frames-native-stack'"},
        {{"libjvm.so"},
         "Java",
         "run java (17 or later) with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, and "
         "without -Xint"},
        {{"php", "php[0-9]*", "libphp*.so"},
         "PHP",
         "run 'php -d opcache.enable_cli=1 -d opcache.jit=1255 -d opcache.jit_buffer_size=64M -d "
         "opcache.jit_debug=16'"},
        {{"lua5*", "liblua5*"}, "Lua", "use a Lua profiler, because Lua writes no map"},
        {{"gawk", "mawk", "jq"},
         "a script interpreter",
         "compare variants of the script instead of functions"},
};

const struct interpreter *interpreter_of(const char *object)
{
	for (unsigned i = 0; i < sizeof(interpreters) / sizeof(*interpreters); i++) {
		for (unsigned k = 0; k < 3 && interpreters[i].patterns[k]; k++) {
			if (!fnmatch(interpreters[i].patterns[k], object, 0))
				return &interpreters[i];
		}
	}
	return NULL;
}
