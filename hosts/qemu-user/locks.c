/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The locks and their handlers of fork(); see locks.h. */
#include "locks.h"

#define FREE PTHREAD_MUTEX_INITIALIZER

pthread_mutex_t locks[LOCKS] = {FREE, FREE, FREE, FREE, FREE, FREE, FREE};
volatile bool locks_forked;

static void take_all(void)
{
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_lock(&locks[i]);
}

static void release_all(void)
{
	for (unsigned i = LOCKS; i-- > 0;)
		pthread_mutex_unlock(&locks[i]);
}

static void renew_all(void)
{
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	locks_forked = true;
}

bool locks_install(void)
{
	return pthread_atfork(take_all, release_all, renew_all) == 0;
}
