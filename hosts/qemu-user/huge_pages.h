/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of the guest that has huge pages, for the timing model. The rules are those of Linux
 * for arm64, for private anonymous memory (huge_pages of the profile: never, madvise, always) and
 * for mappings with MAP_HUGETLB.
 */
#ifndef HUGE_PAGES_H
#define HUGE_PAGES_H

#include <stdint.h>

#include "vcpu.h"

/* Follow a system call with these arguments: when a thread makes it, and when it has returned.
 * Failed calls may be passed, too. */
void huge_pages_syscall(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4]);
void huge_pages_return(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4],
                       int64_t ret);

/* Add private anonymous memory that the program has from its start on: its .bss. */
void huge_pages_initial(uint64_t start, uint64_t end);

#endif
