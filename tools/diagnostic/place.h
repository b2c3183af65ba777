/* SPDX-License-Identifier: MIT */
/* What a diagnostic is about, in the words of whoever ran the software. */
#ifndef TOOLS_PLACE_H
#define TOOLS_PLACE_H

/* Where a diagnostic was given. Members may be NULL, line 0, vcpu -1: not known. */
struct report_place {
	const char *file, *scenario;
	unsigned line;
	const char *source; /* the line's text */
	int vcpu;
};

#endif
