/* SPDX-License-Identifier: MIT */
/* Scenes about memory; see odd.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "odd.h"

#define PAGE 4096ul
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)
#define RW (PROT_READ | PROT_WRITE)

static char *pages(unsigned long count)
{
	return mmap(NULL, count * PAGE, RW, ANONYMOUS, -1, 0);
}

int odd_many_maps(char **argv)
{
	int fd = open(argv[0], O_RDONLY), n = 0;

	for (; n < 600; n++) {
		char *p = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);

		if (p == MAP_FAILED)
			break;
		if (n % 3 == 0)
			mprotect(p, PAGE, PROT_READ | PROT_EXEC);
		if (n % 5 == 0)
			munmap(p + PAGE, PAGE);
	}
	say("%d mappings", n);
	return 0;
}

int odd_map_fixed(char **argv)
{
	char *p = pages(8);
	int fd = open(argv[0], O_RDONLY), good = 0;

	for (int i = 0; i < 300; i++) {
		char *at = p + (unsigned long)(i % 7) * PAGE;

		if (i % 2)
			good += mmap(at, 2 * PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0) == at;
		else
			good += mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == at;
		busy(100);
	}
	say("%d of 300, ELF %d", good, !memcmp(p + 6 * PAGE, "\177ELF", 4));
	return 0;
}

int odd_map_holes(char **argv)
{
	char *p = pages(64);
	int found = 0;

	(void)argv;
	for (int i = 0; i < 64; i += 2)
		munmap(p + (unsigned long)i * PAGE, PAGE);
	for (int i = 0; i < 64; i++)
		found += msync(p + (unsigned long)i * PAGE, PAGE, MS_ASYNC) == 0;
	say("%d pages left", found);
	return 0;
}

int odd_huge_map(char **argv)
{
	char *p = mmap(NULL, 1ul << 33, PROT_NONE, ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)argv;
	if (p == MAP_FAILED) {
		say("no memory");
		return 0;
	}
	mprotect(p + (1ul << 32), 1 << 20, RW);
	madvise(p + (1ul << 32), 1 << 20, MADV_HUGEPAGE);
	memset(p + (1ul << 32), 1, 1 << 20);
	madvise(p + (1ul << 32), 1 << 20, MADV_DONTNEED);
	say("%d", p[1ul << 32]);
	return munmap(p, 1ul << 33);
}

int odd_remap(char **argv)
{
	char *p = pages(4);
	int good = 0;

	(void)argv;
	strcpy(p, "kept");
	for (unsigned long n = 5; n < 200; n++) {
		p = mremap(p, (n - 1) * PAGE, n * PAGE, MREMAP_MAYMOVE);
		good += p != MAP_FAILED && !strcmp(p, "kept");
	}
	say("%d", good);
	return 0;
}

int odd_protect_storm(char **argv)
{
	char *p = pages(2);
	int good = 0;

	(void)argv;
	for (int i = 0; i < 3000; i++)
		good += mprotect(p, PAGE, i % 2 ? PROT_READ : RW) == 0;
	say("%d", good);
	return 0;
}

int odd_break_grows(char **argv)
{
	char *first = sbrk(0);

	(void)argv;
	for (int i = 0; i < 200; i++) {
		char *p = sbrk(PAGE * 3);

		if (p == (void *)-1)
			break;
		p[5] = 1;
	}
	say("%ld pages", (long)(((char *)sbrk(0) - first) / (long)PAGE));
	brk(first);
	say("%ld pages", (long)(((char *)sbrk(0) - first) / (long)PAGE));
	return 0;
}

typedef int (*function)(void);

/* MOV w0, #value; RET */
static void write_code(unsigned *code, unsigned value)
{
	code[0] = 0x52800000 | value << 5;
	code[1] = 0xd65f03c0;
	__builtin___clear_cache((char *)code, (char *)(code + 2));
}

int odd_self_modifying(char **argv)
{
	unsigned *code = mmap(NULL, PAGE, RW | PROT_EXEC, ANONYMOUS, -1, 0);
	unsigned long sum = 0;

	(void)argv;
	for (unsigned i = 0; i < 500; i++) {
		write_code(code, i);
		sum += (unsigned long)((function)(void *)code)();
	}
	say("%lu", sum);
	return 0;
}

int odd_execute_anonymous(char **argv)
{
	unsigned long sum = 0;

	(void)argv;
	for (unsigned i = 0; i < 100; i++) {
		unsigned *code = (unsigned *)pages(1);

		write_code(code, i);
		mprotect(code, PAGE, PROT_READ | PROT_EXEC);
		sum += (unsigned long)((function)(void *)code)();
		munmap(code, PAGE);
	}
	say("%lu", sum);
	return 0;
}

/* ---- memory that another thread unmaps --------------------------------------------------- */

static volatile int going;
static char *vanishing;

static void *make_vanish(void *unused)
{
	while (going) {
		mprotect(vanishing, PAGE, PROT_NONE);
		mprotect(vanishing, PAGE, RW);
		munmap(vanishing, PAGE);
		mmap(vanishing, PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return unused;
}

static void *use_name(void *unused)
{
	while (going)
		syscall(SYS_prctl, PR_SET_NAME, vanishing, 0, 0, 0);
	return unused;
}

static int race(void *(*other)(void *), int rounds)
{
	pthread_t thread[2];

	vanishing = pages(1);
	going = 1;
	pthread_create(&thread[0], NULL, make_vanish, NULL);
	if (other)
		pthread_create(&thread[1], NULL, other, NULL);
	for (int i = 0; i < rounds; i++)
		__asm__ volatile("mov x20, x29\n\tmov x29, %0\n\tmov x9, #20000\n"
		                 "1:\tsubs x9, x9, #1\n\tb.ne 1b\n\tmov x29, x20" ::"r"(vanishing)
		                 : "x20", "x9", "memory", "cc");
	going = 0;
	pthread_join(thread[0], NULL);
	if (other)
		pthread_join(thread[1], NULL);
	say("done");
	return 0;
}

int odd_unmapped_frame_pointer(char **argv)
{
	(void)argv;
	return race(NULL, 60);
}

int odd_unmapped_name(char **argv)
{
	(void)argv;
	return race(use_name, 60);
}

int odd_bad_pointers(char **argv)
{
	char *p = pages(2);
	char *arguments[] = {argv[0], (char *)16, NULL};

	munmap(p + PAGE, PAGE);
	memset(p, 'x', PAGE);
	say("%d", execve(argv[0], arguments, environ) < 0 ? errno : 0);
	arguments[1] = p; /* not NULL-terminated */
	say("%d", execve(argv[0], arguments, environ) < 0 ? errno : 0);
	say("%d", execve(p, arguments, environ) < 0 ? errno : 0);
	say("%d", execve(argv[0], (char **)(p + PAGE - 8), environ) < 0 ? errno : 0);
	say("%d", execve(argv[0], (char **)8, environ) < 0 ? errno : 0);
	say("%ld", syscall(SYS_prctl, PR_SET_NAME, 8, 0, 0, 0));
	say("%ld", syscall(SYS_rt_sigaction, 10, 8, NULL, 8));
	return 0;
}

int odd_shared_file(char **argv)
{
	FILE *f = tmpfile();
	char *a, *b;

	(void)argv;
	if (ftruncate(fileno(f), 3 * PAGE))
		return 1;
	a = mmap(NULL, 3 * PAGE, RW, MAP_SHARED, fileno(f), 0);
	b = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fileno(f), PAGE);
	fclose(f);
	strcpy(a + PAGE, "seen twice");
	say("%s", b);
	return 0;
}

static unsigned long sum_down(unsigned n)
{
	volatile char room[512];

	room[n % 512] = (char)n;
	return n ? sum_down(n - 1) + (unsigned long)(room[n % 512] & 1) : 0;
}

int odd_stack_deep(char **argv)
{
	(void)argv;
	say("%lu", sum_down(10000));
	return 0;
}

/* Print only the program and the stack, because addresses and other mappings differ between
 * runs. */
int odd_own_maps(char **argv)
{
	FILE *f = fopen("/proc/self/maps", "r");
	const char *name = strrchr(argv[0], '/');
	char line[1024];
	int program = 0, stack = 0, spemu = 0;

	while (f && fgets(line, sizeof(line), f)) {
		program += strstr(line, name) != NULL && strstr(line, "r-xp") != NULL;
		stack += strstr(line, "[stack]") != NULL;
		spemu += strstr(line, "spemu") != NULL && strstr(line, name) == NULL;
	}
	say("code %d stack %d recorder %d", program, stack, spemu);
	return 0;
}
