/* SPDX-License-Identifier: MIT */
/* See images.h. */
#define _GNU_SOURCE
#include "images.h"
#include "../session/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct image {
	struct object *object;
	uint64_t slide; /* address where the image runs minus address where it is linked */
};

struct images {
	struct image *items;
	size_t count, capacity;
};

/* Split FILE[@ADDRESS]. Return the path, and set *placed if there is an address. The name of a file
 * may contain an @. */
static char *split(bool *placed, uint64_t *address, const char *option, const char *text)
{
	const char *at = strrchr(text, '@');

	*placed = at && parse_number(address, at + 1, 1024);
	if (at && !*placed && access(text, F_OK))
		die(EXIT_USAGE,
		    "%s '%s': '%s' is not an address; use FILE@ADDRESS, as bl31.elf@0xe0a0000",
		    option, text, at + 1);
	return *placed ? xasprintf("%.*s", (int)(at - text), text) : xstrdup(text);
}

static struct object *open_image(const char *option, const char *path)
{
	char *real = realpath(path, NULL);
	struct object *object;

	if (!real)
		die(EXIT_OWN, "cannot read '%s': %s; correct %s", path, strerror(errno), option);
	object = object_find(real, NULL, 0);
	free(real);
	(void)object_holds(object, 0); /* this call opens the object */
	if (object_problem(object))
		die(EXIT_OWN, "'%s': %s", path, object_problem(object));
	return object;
}

void images_add(struct images **images, const char *option, const char *text)
{
	struct images *list = *images ? *images : xcalloc(1, sizeof(*list));
	struct image image = {0};
	uint64_t address, base;
	bool placed;
	char *path = split(&placed, &address, option, text);

	image.object = open_image(option, path);
	if (placed && !object_link_address(image.object, &base))
		die(EXIT_OWN, "%s '%s': nothing of it is loaded; use the linked ELF file", option,
		    path);
	if (placed)
		image.slide = address - base;
	GROW(list->items, list->count, list->capacity)[list->count] = image;
	list->count++;
	free(path);
	*images = list;
}

const char *images_symbol(const struct images *images, uint64_t *offset, uint64_t pc)
{
	const char *nearest = NULL;

	for (size_t i = 0; images && i < images->count; i++) {
		uint64_t address = pc - images->items[i].slide, start;
		const char *symbol =
		        object_symbol(images->items[i].object, &start, address, SYMBOL_CODE);

		/* A symbol of a list extends to the next symbol, however far that is. */
		if (symbol && (!nearest || address - start < *offset)) {
			nearest = symbol;
			*offset = address - start;
		}
	}
	return nearest;
}

void images_free(struct images *images)
{
	if (images)
		free(images->items);
	free(images);
}
