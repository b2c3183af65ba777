/* SPDX-License-Identifier: MIT */
/* The place and subject of a diagnostic, in the words of the person who ran the software. */
#ifndef TOOLS_PLACE_H
#define TOOLS_PLACE_H

/* The place of a diagnostic. Unknown members are NULL, line 0 or vcpu -1. */
struct report_place {
	const char *file, *scenario;
	unsigned line;
	const char *source; /* the line's text */
	int vcpu;
};

#endif
