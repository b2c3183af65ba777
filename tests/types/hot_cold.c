/* SPDX-License-Identifier: MIT */
/* A table of accounts, visited in random order. Each visit reads three members, which lie on three
 * cache lines. With -DCURED they are in a separate structure.
 *
 * The program prints a sum, which is the same in both forms. */
#include <stdio.h>
#include <stdlib.h>

#define ACCOUNTS 120000
#define VISITS 600000

#ifdef CURED
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

static struct account *accounts;

static unsigned draw(unsigned below)
{
	static unsigned long seed = 88172645463325252u;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % below;
}

static __attribute__((noinline)) long settle(void)
{
	long sum = 0;

	for (unsigned i = 0; i < VISITS; i++) {
		const struct account *a = &accounts[draw(ACCOUNTS)];

		if (a->balance < a->limit)
			sum += a->owner;
	}
	return sum;
}

int main(void)
{
	accounts = calloc(ACCOUNTS, sizeof(*accounts));
#ifdef CURED
	details = calloc(ACCOUNTS, sizeof(*details));
#endif
	for (unsigned i = 0; i < ACCOUNTS; i++) {
		accounts[i].owner = i;
		accounts[i].balance = draw(1000);
		accounts[i].limit = draw(1000);
	}
	printf("%ld\n", settle());
	return 0;
}
