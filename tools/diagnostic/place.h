/* SPDX-License-Identifier: MIT */
/* The place and subject of a diagnostic, in terms that the user of the software knows. */
#ifndef TOOLS_PLACE_H
#define TOOLS_PLACE_H

/* The place of a diagnostic. Unknown members are NULL, line 0 or vcpu -1. */
struct report_place {
	const char *file, *scenario;
	unsigned line;
	const char *source; /* text of the line */
	int vcpu;
};

#endif
