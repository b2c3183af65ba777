/* SPDX-License-Identifier: MIT */
/*
 * Conversion of counter values to perf time.
 *
 * Source: struct perf_event_mmap_page (time_shift, time_mult, time_zero) in
 * include/uapi/linux/perf_event.h. The order of operations is that of tools/perf/util/tsc.c in
 * Linux 6.1, so results agree to the last bit.
 */
#include <spemu/perfdata.h>

#define NS_PER_S UINT64_C(1000000000)
#define HZ_MAX UINT64_C(1000000000000)

int spemu_perf_time_conv_init(struct spemu_perf_time_conv *tc, uint64_t hz, uint64_t zero_ns)
{
	uint64_t quotient, remainder;
	unsigned shift = 0;

	if (tc)
		*tc = (struct spemu_perf_time_conv){0};
	if (!tc || !hz || hz > HZ_MAX)
		return SPEMU_ERR_INVALID;
	/*
	 * Long division of 10^9 << shift by hz, with one more bit in each step. perf multiplies a
	 * remainder below 2^shift by mult, which is below 2^32, in 64 bits. Therefore shift is at
	 * most 32.
	 */
	quotient = NS_PER_S / hz;
	remainder = NS_PER_S % hz;
	while (remainder && shift < 32 && quotient < UINT64_C(1) << 31) {
		remainder *= 2;
		quotient = quotient * 2 + (remainder >= hz);
		remainder -= remainder >= hz ? hz : 0;
		shift++;
	}
	*tc = (struct spemu_perf_time_conv){shift, quotient, zero_ns};
	return SPEMU_OK;
}

uint64_t spemu_perf_time(const struct spemu_perf_time_conv *tc, uint64_t count)
{
	uint64_t quotient, remainder;

	if (tc->time_shift > 63)
		return tc->time_zero;
	quotient = count >> tc->time_shift;
	remainder = count & ((UINT64_C(1) << tc->time_shift) - 1);
	return tc->time_zero + quotient * tc->time_mult +
	       ((remainder * tc->time_mult) >> tc->time_shift);
}
