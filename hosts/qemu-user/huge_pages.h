/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the guest's memory has huge pages, for the timing model: as Linux for arm64 gives them
 * to private anonymous memory (huge_pages of the profile: never, madvise, always) and to mappings
 * with MAP_HUGETLB.
 */
#ifndef HUGE_PAGES_H
#define HUGE_PAGES_H

#include <stdint.h>

#include "vcpu.h"

/* A thread makes a system call with these arguments, and has returned from it; of failed ones,
 * too. */
void huge_pages_syscall(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4]);
void huge_pages_return(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4],
                       int64_t ret);

/* Private anonymous memory that the program has from its start on: its .bss. */
void huge_pages_initial(uint64_t start, uint64_t end);

#endif
