/* SPDX-License-Identifier: MIT */
/*
 * Run a fuzz target on each file of a corpus, as part of the ordinary tests. Each file is a TAP
 * check. A target that finds a defect aborts.
 *
 * regress_TARGET DIRECTORY
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { PATH_SIZE = 4096 };

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long end;

	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (end = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
		*size = (size_t)end;
		/* Allocate the exact size, so that a sanitizer reports reads past the end. */
		data = malloc(*size ? *size : 1);
		if (data && fread(data, 1, *size, f) != *size) {
			free(data);
			data = NULL;
		}
	}
	fclose(f);
	return data;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int n, bad = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 2;
	}
	n = scandir(argv[1], &entries, not_hidden, alphasort);
	if (n < 1) {
		printf("Bail out! no files in %s\n", argv[1]);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		char path[PATH_SIZE];
		size_t size = 0;
		uint8_t *data;

		snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
		/* Print the name first, in case the target aborts. */
		printf("# %s\n", entries[i]->d_name);
		fflush(stdout);
		data = read_file(path, &size);
		if (data)
			LLVMFuzzerTestOneInput(data, size);
		else
			bad = 1;
		printf("%s %d - %s\n", data ? "ok" : "not ok", i + 1, entries[i]->d_name);
		free(data);
		free(entries[i]);
	}
	free(entries);
	return bad;
}
