/* SPDX-License-Identifier: MIT */
/*
 * The page of --html: tools/report/html with one island of data, which is what --json prints and a member "page"
 * with what only the page shows:
 *
 *   tables   of each section its key, title, note, columns, and how many rows the limits leave out
 *   stacks   call stacks as a tree, where there are any: html_stacks.c
 *   heat     accesses by time and address, where there are any: html_heat.c
 *   source   the lines of the functions that cost the most: html_source.c
 */
#ifndef TOOLS_REPORT_HTML_H
#define TOOLS_REPORT_HTML_H

#include "report_group.h"

#include <json-c/json_object.h>

/* Dies if file is a recording, or cannot be written. */
void html_check_file(const char *file);

/* How a table is shown; its rows are elsewhere. */
struct json_object *html_table(const struct table *t);
/* Adds the member "page"; tables is its. */
void html_add_page(struct json_object *root, struct profile *p, struct json_object *tables);
/* Writes the page and frees root. file "-" is standard output. */
void html_write(const char *file, struct json_object *root);

/* The functions that cost the most, with their source. */
struct json_object *html_source(struct profile *p);
/* The accesses by time and address, which p has. */
struct json_object *html_heat(const struct profile *p);
/* The call stacks, which p has. */
struct json_object *html_stacks(const struct profile *p);

#endif
