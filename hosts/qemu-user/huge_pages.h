/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's memory with huge pages, for the timing model. The rules are those of Linux for arm64.
 * They cover private anonymous memory (huge_pages of the profile: never, madvise, always) and
 * mappings with MAP_HUGETLB.
 */
#ifndef HUGE_PAGES_H
#define HUGE_PAGES_H

#include <stdint.h>

#include "vcpu.h"

/* Follow a system call with these arguments, before the kernel executes it and after it has
 * returned. The call may have failed. */
void huge_pages_syscall(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4]);
void huge_pages_return(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4],
                       int64_t ret);

/* Add private anonymous memory that the program has at its start: its .bss. */
void huge_pages_initial(uint64_t start, uint64_t end);

#endif
