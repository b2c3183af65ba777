/* SPDX-License-Identifier: MIT */
/* C structures in the stack frames of callers and in thread-local memory, which functions of the C
 * library access: copies, searches, sorts and formatted output, in several depths of calls, with a
 * recursion and with memory of alloca(). Compile with -g -pthread; the argument is the path of the
 * truth. */
#include <alloca.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

static volatile long result;

/* ---- copies ---- */

struct packet {
	int kind, length;
	long words[60];
	char text[120];
};

struct address {
	char street[200];
	char town[100];
	int number;
};

TRUTH_APART void deliver(struct packet *to, const struct packet *from)
{
	memcpy(to, from, sizeof(*to));
}

static void copying(void)
{
	struct packet from = {.kind = 1}, to;
	struct address home;

	TRUTH(&from, 1, struct packet);
	TRUTH(&to, 1, struct packet);
	TRUTH(&home, 1, struct address);
	for (int round = 0; round < 4000; round++) {
		from.length = round;
		deliver(&to, &from);
		memset(home.street, 'a' + round % 26, sizeof(home.street) - 1);
		home.street[sizeof(home.street) - 1] = 0;
		strcpy(home.town, "a town with a rather long name, which is copied every time");
		result += to.length + (long)strlen(home.street) +
		          (strchr(home.town, ',') - home.town);
	}
}

/* ---- sorts ---- */

struct score {
	int points;
	char name[20];
	double weight;
};

TRUTH_APART int compare_scores(const void *left, const void *right)
{
	const struct score *a = left, *b = right;

	return a->points < b->points ? -1 : a->points > b->points;
}

static void sorting(void)
{
	struct score scores[400];

	TRUTH(scores, 400, struct score);
	memset(scores, 0, sizeof(scores));
	for (int round = 0; round < 12; round++) {
		for (int i = 0; i < 400; i++)
			scores[i].points = (int)draw(1000);
		qsort(scores, 400, sizeof(scores[0]), compare_scores);
	}
	result += scores[7].points;
}

/* ---- text, by functions that call others ---- */

struct message {
	long number;
	char text[300];
	char sender[60];
};

TRUTH_APART int write_text(struct message *m, const char *word)
{
	return snprintf(m->text, sizeof(m->text), "%s%s%s%s", word, word, word, word);
}

static void texts(void)
{
	struct message m = {.number = 4};

	TRUTH(&m, 1, struct message);
	for (int round = 0; round < 1500; round++) {
		result += write_text(&m, "a word of several characters, which is copied often; ");
		m.number += strncmp(m.text, m.sender, sizeof(m.sender)) != 0;
		memcpy(m.sender, m.text, sizeof(m.sender) - 1);
		m.sender[sizeof(m.sender) - 1] = 0;
	}
	result += m.number;
}

/* ---- a recursion: the same variable in several frames ---- */

struct level {
	long depth;
	unsigned char bytes[248];
};

TRUTH_APART void descend(struct level *above, int depth)
{
	struct level own;

	TRUTH(&own, 1, struct level);
	own.depth = depth;
	for (int round = 0; round < 60; round++) {
		memset(own.bytes, round, sizeof(own.bytes));
		memcpy(above->bytes, own.bytes, sizeof(own.bytes));
	}
	if (depth)
		descend(&own, depth - 1);
	result += own.bytes[7];
	truth_over(&own);
}

static void recursion(void)
{
	struct level top;

	TRUTH(&top, 1, struct level);
	for (int round = 0; round < 6; round++)
		descend(&top, 12);
	result += top.bytes[3];
}

/* ---- a frame whose size varies ---- */

struct window {
	int first, last;
	char bytes[160];
};

static void varying(void)
{
	struct window window = {0, 1, {0}};

	TRUTH(&window, 1, struct window);
	for (int round = 0; round < 2500; round++) {
		char *more = alloca(16);

		more[round & 15] = (char)round;
		memset(window.bytes, more[round & 15], sizeof(window.bytes));
		window.last += window.bytes[9];
	}
	result += window.last;
}

/* ---- thread-local structures ---- */

static __thread struct address mine;
static __thread struct level last;

TRUTH_APART void move(int round)
{
	memset(mine.town, round & 31, sizeof(mine.town));
	memcpy(mine.street, mine.town, sizeof(mine.town));
	mine.number += round;
	memcpy(last.bytes, mine.street, sizeof(mine.street));
	last.depth += last.bytes[9];
}

static void moving(void)
{
	TRUTH(&mine, 1, struct address);
	TRUTH(&last, 1, struct level);
	for (int round = 0; round < 2500; round++)
		move(round);
	result += mine.number + last.depth;
}

/* ---- a structure of the function that called the caller, in a thread ---- */

TRUTH_APART void fill(struct packet *packet, int round)
{
	struct address from;

	TRUTH(&from, 1, struct address);
	from.number = round;
	memset(&from, round & 7, sizeof(from));
	memcpy(packet->text, from.street, sizeof(packet->text));
	memmove(packet->words + 1, packet->words, sizeof(packet->words) - sizeof(packet->words[0]));
	truth_over(&from);
}

static void *thread(void *unused)
{
	struct packet packet = {.kind = 3};

	(void)unused;
	TRUTH(&packet, 1, struct packet);
	for (int round = 0; round < 2500; round++)
		fill(&packet, round);
	moving();
	result += packet.text[5];
	return NULL;
}

static void threads(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, thread, NULL))
		abort();
	pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
	static void (*const parts[])(void) = {copying, sorting, texts,  recursion,
	                                      varying, moving,  threads};

	TRUTH(&result, 1, long);
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		truth_during(parts[i]);
	return truth_write(argc > 1 ? argv[1] : NULL);
}
