/* SPDX-License-Identifier: MIT */
/* The parts of the HTML page before and after its data. tools/gen/gen-page makes them from
 * tools/report/html. */
#ifndef TOOLS_REPORT_HTML_PAGE_H
#define TOOLS_REPORT_HTML_PAGE_H

#include <stddef.h>

extern const char html_page_head[], html_page_tail[];
extern const size_t html_page_head_size, html_page_tail_size;

#endif
