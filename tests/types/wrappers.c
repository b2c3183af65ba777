/* SPDX-License-Identifier: MIT */
/* C structures of equal sizes that wrappers of malloc() allocate and functions of the C library
 * access. Each object lives for a short time, so few samples of it tell its type. Compile this file
 * twice and link both: with -DWRAPPERS and without -g for the wrappers of a library, and with -g
 * for the program. The argument is the path of the truth. */
#include <stdlib.h>
#include <string.h>

void *library_need(size_t size);

#ifdef WRAPPERS
void *library_need(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		abort();
	return memory;
}
#else
#include "truth.h"

static volatile long result;

/* ---- wrappers ---- */

TRUTH_APART void *need(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		abort();
	return memory;
}

TRUTH_APART void *need_zeroed(size_t count, size_t size)
{
	void *memory = need(count * size);

	return memset(memory, 0, count * size);
}

TRUTH_APART void *need_copy(const void *from, size_t size)
{
	void *memory = need(size);

	memcpy(memory, from, size);
	return memory;
}

/* Memory of a pool: pieces of a larger object. */
TRUTH_APART void *piece(size_t size)
{
	static char *chunk;
	static size_t used;
	void *memory;

	if (!chunk || used + size > 4096) {
		chunk = need(4096);
		used = 0;
	}
	memory = chunk + used;
	used += size;
	return memory;
}

/* ---- structures of 256 bytes ---- */

struct job {
	long number;
	char command[200];
	long state[6];
};

struct user {
	char name[128];
	char home[120];
	int number, group;
};

struct cell {
	double value;
	struct cell *next;
	char label[240];
};

/* ---- their uses ---- */

static void jobs(void)
{
	for (int round = 0; round < 1500; round++) {
		struct job *job = need(sizeof(*job));

		TRUTH(job, 1, struct job);
		for (int i = 0; i < 4; i++) {
			memset(job, round & 63, sizeof(*job));
			memmove(job->command, job->command + 40, 160);
		}
		result += job->number;
		truth_over(job);
		free(job);
	}
}

static void users(void)
{
	for (int round = 0; round < 1500; round++) {
		struct user *user = need_zeroed(1, sizeof(*user));

		TRUTH(user, 1, struct user);
		strcpy(user->name, "a name with some dozens of characters, which is long enough");
		for (int i = 0; i < 4; i++) {
			memcpy(user->home, user->name, sizeof(user->home));
			result += (long)strlen(user->home);
		}
		truth_over(user);
		free(user);
	}
}

static void cells(void)
{
	struct cell first = {1, NULL, "a label"};

	for (int round = 0; round < 1500; round++) {
		struct cell *cell = need_copy(&first, sizeof(first));

		TRUTH(cell, 1, struct cell);
		for (int i = 0; i < 4; i++) {
			memset(cell->label, 'a' + (round & 15), sizeof(cell->label) - 1);
			result += (long)strlen(cell->label);
		}
		truth_over(cell);
		free(cell);
	}
}

/* A wrapper without debugging information. */
static void foreign(void)
{
	for (int round = 0; round < 1500; round++) {
		struct user *user = library_need(sizeof(*user));

		TRUTH(user, 1, struct user);
		for (int i = 0; i < 4; i++) {
			memset(user->name, 'n' + i, sizeof(user->name));
			memcpy(user->home, user->name, sizeof(user->home));
			result += user->home[4];
		}
		truth_over(user);
		free(user);
	}
}

static void pieces(void)
{
	for (int round = 0; round < 1500; round++) {
		struct job *job = piece(sizeof(*job));
		struct user *user = piece(sizeof(*user));

		TRUTH(job, 1, struct job);
		TRUTH(user, 1, struct user);
		memset(job->command, round & 63, sizeof(job->command));
		memset(user->name, 'a' + (round & 15), sizeof(user->name));
		result += job->command[5] + user->name[7];
		truth_over(user);
		truth_over(job);
	}
}

int main(int argc, char **argv)
{
	static void (*const parts[])(void) = {jobs, users, cells, foreign, pieces};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		truth_during(parts[i]);
	return truth_write(argc > 1 ? argv[1] : NULL);
}
#endif
