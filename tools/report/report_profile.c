/* SPDX-License-Identifier: MIT */
/* What is asked of a profile: its status, and how a cache line is shared. */
#define _GNU_SOURCE
#include "report_profile.h"
#include "../base/common.h"

void profile_open(struct profile *p)
{
	for (unsigned i = 0; i < p->input_count; i++)
		session_open(&p->inputs[i].session, p->inputs[i].path);
}

int profile_status(const struct profile *p)
{
	int status = 0;

	for (unsigned i = 0; i < p->input_count && !status; i++)
		status = session_status(&p->inputs[i].session);
	return status;
}

enum sharing line_sharing(const struct cache_line *line)
{
	uint64_t once = 0, more = 0, written = 0;

	for (uint32_t i = 0; i < line->thread_count; i++) {
		uint64_t touched = line->threads[i].read | line->threads[i].written;

		more |= once & touched;
		once |= touched;
		written |= line->threads[i].written;
	}
	if (line->thread_count < 2)
		return SHARING_NONE;
	if (!written)
		return line->snooped ? SHARING_MAYBE : SHARING_READ;
	if (!(written & more))
		return SHARING_FALSE;
	return written & ~more ? SHARING_MIXED : SHARING_TRUE;
}

const char *sharing_word(const struct cache_line *line)
{
	static const char *const words[] = {
	        [SHARING_NONE] = NULL,     [SHARING_READ] = "read", [SHARING_MAYBE] = "false?",
	        [SHARING_FALSE] = "FALSE", [SHARING_TRUE] = "true", [SHARING_MIXED] = "mixed"};

	return words[line_sharing(line)];
}
