/* SPDX-License-Identifier: MIT */
/*
 * The table of runtimes. Patterns are those of fnmatch(3), for the last part of a mapped path: the
 * program or a library.
 *
 * Sources: JDK 17 release notes, OpenJ9, Node.js and .NET documentation, ext/opcache/jit/zend_jit.h
 * of PHP 8, src/lj_trace.c of LuaJIT 2.1, the developer documentation of Julia, Wasmtime's book,
 * Python's perf_profiling, Ruby's yjit.md, and erl(1) of OTP 24.
 */
#include "jit_runtime.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

enum { PATTERNS = 4 };

struct runtime {
	const char *files[PATTERNS];
	const char *advice;
};

/* If a process has mapped files of several runtimes, the first row counts. So a runtime precedes
 * the runtimes that it may embed. */
static const struct runtime runtimes[] = {
        {{"libj9jit*.so"}, "run java with -XX:+PerfTool"},
        {{"libjvm.so"},
         "run java (17 or later) with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, or "
         "with perf's agent libperf-jvmti.so"},
        {{"libcoreclr.so"}, "set DOTNET_PerfMapEnabled=1"},
        {{"libjulia.so*", "libjulia-internal.so*"}, "set ENABLE_JITPROFILING=1"},
        {{"beam.smp"}, "run erl with +JPperf true"},
        {{"wasmtime", "libwasmtime.so*"},
         "run wasmtime with --profile=perfmap or --profile=jitdump"},
        {{"php", "php[0-9]*", "php-*", "libphp*.so"}, "run php with -d opcache.jit_debug=16"},
        {{"luajit", "luajit-*", "libluajit-*"},
         "build LuaJIT with -DLUAJIT_USE_PERFTOOLS (-jp writes no map)"},
        {{"ruby", "ruby[0-9]*", "libruby.so*", "libruby-*"},
         "run ruby (3.3 or later) with --yjit-perf"},
        {{"node", "nodejs", "libnode.so*"}, "run node with --perf-basic-prof"},
        {{"d8", "libv8*.so*", "deno", "chrome"}, "give V8 the flag --perf-basic-prof"},
        {{"python3.1[2-9]*", "libpython3.1[2-9]*", "python3.[2-9][0-9]*", "libpython3.[2-9][0-9]*"},
         "run python with -X perf"},
};

enum { RUNTIMES = sizeof(runtimes) / sizeof(*runtimes) };

unsigned jit_runtime_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (unsigned i = 0; i < RUNTIMES; i++) {
		for (unsigned k = 0; k < PATTERNS && runtimes[i].files[k]; k++) {
			if (!fnmatch(runtimes[i].files[k], name, 0))
				return i + 1;
		}
	}
	return 0;
}

unsigned jit_runtime_both(unsigned a, unsigned b)
{
	return !a || (b && b < a) ? b : a;
}

const char *jit_runtime_advice(unsigned runtime)
{
	if (runtime)
		return runtimes[runtime - 1].advice;
	return "make the runtime write it, with its option for perf";
}
