/* SPDX-License-Identifier: MIT */
/* See find.h. */
#define _GNU_SOURCE
#include "find.h"

#include "common.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *find_in_path_if(const char *name, bool (*fits)(const char *file, void *context),
                      void *context)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : "/usr/local/bin:/usr/bin:/bin"), *rest = copy, *dir;
	char *found = NULL;

	while (!found && (dir = strsep(&rest, ":"))) {
		char *file = xasprintf("%s/%s", *dir ? dir : ".", name);

		if (fits(file, context))
			found = file;
		else
			free(file);
	}
	free(copy);
	return found;
}

static bool is_executable(const char *file, void *context)
{
	struct stat st;

	(void)context;
	return !stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK);
}

char *find_in_path(const char *name)
{
	return find_in_path_if(name, is_executable, NULL);
}

char *find_program(const char *name)
{
	if (!strchr(name, '/'))
		return find_in_path(name);
	return access(name, X_OK) ? NULL : xstrdup(name);
}

char *path_or_null(char *path)
{
	if (!access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

/* Return the folder of this program. The caller owns it. */
static char *own_folder(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	return xstrdup(dirname(self));
}

char *find_beside(const char *relative)
{
	char *own = own_folder(), *path = xasprintf("%s/%s", own, relative);

	free(own);
	return path_or_null(path);
}

char *find_made(const char *folder, const char *file)
{
	static const char *const above[] = {"..", "../share/spemu"};
	char *path = NULL;

	for (size_t i = 0; !path && i < sizeof(above) / sizeof(above[0]); i++) {
		char *relative = xasprintf("%s/%s/%s", above[i], folder, file);

		path = find_beside(relative);
		free(relative);
	}
	return path;
}

char *made_folder(const char *folder)
{
	char *own = own_folder(), *slash = strrchr(own, '/'), *path;
	bool built = slash && !strcmp(slash, "/tools");

	if (slash)
		*slash = 0;
	path = xasprintf("%s/%s%s", own, built ? "" : "share/spemu/", folder);
	free(own);
	return path;
}

char *find_plugin(const char *file, const char *folder, const char *variable)
{
	const char *given = getenv(variable);
	char *own, *path = NULL;

	if (given && *given) {
		path = realpath(given, NULL);
		if (!path)
			die(EXIT_OWN, "cannot use %s '%s': %s; unset it or correct it", variable,
			    given, strerror(errno));
		return path;
	}
	own = own_folder();
	char *places[] = {
	        xasprintf("%s/../hosts/%s/%s", own, folder, file), /* the plugin in a build tree */
	        xasprintf("%s/%s", own, file),
	        xasprintf("%s/%s/%s", own, SPEMU_PLUGIN_RELATIVE, file), /* in an installation
	                                                                    that may have been
	                                                                    moved */
	        xasprintf("%s/%s", SPEMU_PLUGIN_DIR, file),
	};
	free(own);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!path && !access(places[i], R_OK))
			path = places[i];
		else
			free(places[i]);
	}
	if (path)
		return path;
	die(EXIT_OWN,
	    "%s was not found beside spemu or in %s; install spemu again, or set "
	    "%s to its path",
	    file, SPEMU_PLUGIN_DIR, variable);
}

const char *qemu_version(const char *path)
{
	static char line[256];
	char *command = xasprintf("'%s' --version 2>/dev/null", path), *version = NULL;
	FILE *f = strchr(path, '\'') ? NULL : popen(command, "r");

	free(command);
	if (f && fgets(line, sizeof(line), f)) {
		version = strstr(line, "version ");
		if (version)
			version[8 + strcspn(version + 8, " \n")] = 0;
	}
	if (f)
		pclose(f);
	return version ? version + 8 : "unknown";
}

char *double_commas(const char *text)
{
	char *copy = xcalloc(2 * strlen(text) + 1, 1), *to = copy;

	for (; *text; text++) {
		if (*text == ',')
			*to++ = ',';
		*to++ = *text;
	}
	return copy;
}
