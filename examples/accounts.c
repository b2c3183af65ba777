/* SPDX-License-Identifier: MIT */
/*
 * Tellers of a bank look up accounts, which the customers choose at random. The answers are
 * correct, but the layout of two structures makes them slow. docs/tutorial/data-layout.md finds
 * out which members are the reason. With -DFIXED the program prints the same answers.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ACCOUNTS 120000u
#define TELLERS 4
#define CUSTOMERS 100000 /* of each teller */

#ifdef FIXED
struct account {
	long balance;
	unsigned limit, owner;
};
struct details {
	char name[80];
	char street[88];
	char remark[72];
};
static struct details *details;
#else
struct account {
	unsigned owner;
	char name[80];
	long balance;
	char street[88];
	unsigned limit;
	char remark[72];
};
#endif

struct teller {
	unsigned long seed;
	unsigned long served;
}
#ifdef FIXED
__attribute__((aligned(64)))
#endif
;

static struct account *accounts;
static struct teller tellers[TELLERS];

static __attribute__((noinline)) unsigned draw(unsigned long *seed, unsigned below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (unsigned)(*seed >> 20) % below;
}

static __attribute__((noinline)) void *serve(void *of)
{
	struct teller *teller = of;

	for (unsigned i = 0; i < CUSTOMERS; i++) {
		const struct account *a = &accounts[draw(&teller->seed, ACCOUNTS)];

		if (a->balance + a->limit >= a->owner)
			teller->served++;
	}
	return NULL;
}

static void fail(const char *why)
{
	fprintf(stderr, "accounts: %s\n", why);
	exit(1);
}

static void open_bank(void)
{
	unsigned long seed = 88172645463325252u;

	accounts = calloc(ACCOUNTS, sizeof(*accounts));
#ifdef FIXED
	details = calloc(ACCOUNTS, sizeof(*details));
	if (!details)
		fail("out of memory");
#endif
	if (!accounts)
		fail("out of memory");
	for (unsigned i = 0; i < ACCOUNTS; i++) {
		accounts[i].owner = i;
		accounts[i].balance = draw(&seed, ACCOUNTS);
		accounts[i].limit = draw(&seed, 1000);
	}
}

static void open_counters(void)
{
	pthread_t threads[TELLERS];

	for (unsigned i = 0; i < TELLERS; i++) {
		tellers[i].seed = 2 * i + 1;
		if (pthread_create(&threads[i], NULL, serve, &tellers[i]))
			fail("cannot start a thread");
	}
	for (unsigned i = 0; i < TELLERS; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	unsigned long served = 0;
	clock_t begin;

	open_bank();
	begin = clock();
	open_counters();
	fprintf(stderr, "%.1f ms\n", 1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC);
	for (unsigned i = 0; i < TELLERS; i++)
		served += tellers[i].served;
	printf("%lu customers served\n", served);
	return 0;
}
