/* SPDX-License-Identifier: MIT */
/* An array of particles, visited in order. Each visit reads two members of a large structure. With
 * -DCURED they are in a separate structure.
 *
 * The program prints a sum, which is the same in both forms. */
#include <stdio.h>
#include <stdlib.h>

#define PARTICLES 200000
#define ROUNDS 10

#ifdef CURED
struct particle {
	double x, y;
};
struct motion {
	double z, vx, vy, vz, mass;
	char name[16];
};
static struct motion *motions;
#else
struct particle {
	double x, y, z, vx, vy, vz, mass;
	char name[16];
};
#endif

static struct particle *particles;

static __attribute__((noinline)) double moment(void)
{
	double sum = 0;

	for (unsigned i = 0; i < PARTICLES; i++)
		sum += particles[i].x * particles[i].y;
	return sum;
}

int main(void)
{
	double sum = 0;

	particles = calloc(PARTICLES, sizeof(*particles));
#ifdef CURED
	motions = calloc(PARTICLES, sizeof(*motions));
#endif
	for (unsigned i = 0; i < PARTICLES; i++) {
		particles[i].x = i;
		particles[i].y = 2;
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		sum += moment();
		__asm__ volatile("" ::: "memory");
	}
	printf("%g\n", sum);
	return 0;
}
