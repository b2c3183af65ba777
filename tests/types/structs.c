/* SPDX-License-Identifier: MIT */
/* C structures in every kind of memory: heap, arenas, pools, stack, static and thread-local
 * variables. Each function below main() is a small workload. Usage: structs TRUTH */
#define _GNU_SOURCE
#include "truth.h"

#include <pthread.h>
#include <string.h>

static volatile long result;

__attribute__((noinline)) static void *need(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		abort();
	return memory;
}

/* ---- a list of structures from a wrapper of malloc() ---- */
enum side { BUY, SELL };

struct order {
	struct order *next;
	long id;
	double price;
	int quantity;
	enum side side;
	char comment[24];
};

static struct order *make_orders(int count)
{
	struct order *first = NULL;

	for (int i = 0; i < count; i++) {
		struct order *order = need(sizeof(*order));

		TRUTH(order, 1, struct order);
		memset(order, 0, sizeof(*order));
		order->id = i;
		order->price = 10 + i % 7;
		order->quantity = 1 + i % 5;
		order->side = i % 3 ? BUY : SELL;
		order->next = first;
		first = order;
	}
	return first;
}

__attribute__((noinline)) static void list(void)
{
	struct order *first = make_orders(2000);
	double total = 0;

	for (int round = 0; round < 300; round++)
		for (struct order *order = first; order; order = order->next) {
			total += order->price * order->quantity;
			if (order->side == SELL)
				order->quantity ^= 1;
			order->comment[round % 24]++;
		}
	result += (long)total;
}

/* ---- a tree of nodes from an arena ---- */
struct expression {
	int kind;
	unsigned uses;
	union {
		long number;
		struct {
			struct expression *left, *right;
		};
	};
};

struct arena {
	char *at, *end;
	size_t used;
};

static void *arena_take(struct arena *arena, size_t size)
{
	void *taken;

	if ((size_t)(arena->end - arena->at) < size) {
		arena->at = need(16384);
		arena->end = arena->at + 16384;
	}
	taken = arena->at;
	arena->at += size;
	arena->used += size;
	return taken;
}

static struct expression *make_expression(struct arena *arena, int depth)
{
	struct expression *e = arena_take(arena, sizeof(*e));

	TRUTH(e, 1, struct expression);
	e->uses = 0;
	e->kind = depth ? 1 + (int)draw(2) : 0;
	if (depth) {
		e->left = make_expression(arena, depth - 1);
		e->right = make_expression(arena, depth - 1);
	} else {
		e->number = draw(100);
	}
	return e;
}

static long evaluate(struct expression *e)
{
	e->uses++;
	switch (e->kind) {
	case 0:
		return e->number;
	case 1:
		return evaluate(e->left) + evaluate(e->right);
	default:
		return evaluate(e->left) - evaluate(e->right);
	}
}

__attribute__((noinline)) static void arenas(void)
{
	struct arena arena = {NULL, NULL, 0};
	struct expression *root;

	TRUTH(&arena, 1, struct arena);
	root = make_expression(&arena, 11);
	for (int round = 0; round < 120; round++)
		result += evaluate(root);
}

/* ---- a static pool with a free list ---- */
struct cell {
	unsigned next;
	unsigned short owner, flags;
	long value;
};

static struct {
	struct cell cells[1024];
	unsigned free, live;
} pool;

__attribute__((noinline)) static void pools(void)
{
	static unsigned held[256];

	truth(&pool, sizeof(pool), "variable pool");
	TRUTH(held, 256, unsigned int);
	for (unsigned i = 0; i < 1024; i++)
		pool.cells[i].next = i + 1;
	for (unsigned i = 0; i < 150000; i++) {
		unsigned slot = draw(256), cell = held[slot];

		if (cell) {
			result += pool.cells[cell - 1].value;
			pool.cells[cell - 1].flags = 0;
			pool.cells[cell - 1].next = pool.free;
			pool.free = cell - 1;
			pool.live--;
			held[slot] = 0;
		} else {
			struct cell *taken = &pool.cells[pool.free];

			held[slot] = pool.free + 1;
			pool.free = taken->next;
			taken->owner = (unsigned short)slot;
			taken->flags |= 1;
			taken->value = i;
			pool.live++;
		}
	}
}

/* ---- a hash table of structures with a flexible array ---- */
struct word {
	struct word *next;
	unsigned hash, length;
	long count;
	char text[];
};

struct bucket {
	struct word *first;
	unsigned length;
};

struct dictionary {
	struct bucket *buckets;
	size_t size, words;
};

static struct word *look_up(struct dictionary *d, const char *text, unsigned length)
{
	unsigned hash = 5381;
	struct bucket *bucket;
	struct word *word;

	for (unsigned i = 0; i < length; i++)
		hash = hash * 33 + (unsigned char)text[i];
	bucket = &d->buckets[hash % d->size];
	for (word = bucket->first; word; word = word->next) {
		unsigned i = 0;

		if (word->hash != hash || word->length != length)
			continue;
		while (i < length && word->text[i] == text[i])
			i++;
		if (i == length)
			return word;
	}
	word = need(sizeof(*word) + length);
	truth(word, sizeof(*word) + length, "struct word");
	word->hash = hash;
	word->length = length;
	word->count = 0;
	for (unsigned i = 0; i < length; i++)
		word->text[i] = text[i];
	word->next = bucket->first;
	bucket->first = word;
	bucket->length++;
	d->words++;
	return word;
}

__attribute__((noinline)) static void hash(void)
{
	struct dictionary *d = need(sizeof(*d));

	TRUTH(d, 1, struct dictionary);
	d->size = 512;
	d->words = 0;
	d->buckets = calloc(d->size, sizeof(*d->buckets));
	TRUTH(d->buckets, 512, struct bucket);
	for (unsigned i = 0; i < 60000; i++) {
		char text[16];
		unsigned n = i * 2654435761u % 1500, length = 0;

		do {
			text[length++] = (char)('a' + n % 10);
			n /= 10;
		} while (n);
		look_up(d, text, length)->count++;
	}
	result += (long)d->words;
}

/* ---- nested structures in arrays of two dimensions ---- */
struct tile {
	struct {
		short x, y;
	} at;
	struct color {
		unsigned char red, green, blue, alpha;
	} colors[2];
	float height;
	const struct tile *lowest;
};

static struct tile map[48][64];

__attribute__((noinline)) static void nested(void)
{
	struct tile **rows = need(48 * sizeof(*rows));

	TRUTH(map, 48 * 64, struct tile);
	TRUTH(rows, 48, struct tile *);
	for (int y = 0; y < 48; y++) {
		rows[y] = need(64 * sizeof(struct tile));
		TRUTH(rows[y], 64, struct tile);
		memset(rows[y], 0, 64 * sizeof(struct tile));
		for (int x = 0; x < 64; x++)
			map[y][x].height = (float)draw(1000);
	}
	for (int round = 0; round < 40; round++)
		for (int y = 1; y < 47; y++)
			for (int x = 1; x < 63; x++) {
				struct tile *to = &rows[y][x];

				to->height = (map[y - 1][x].height + map[y + 1][x].height +
				              map[y][x - 1].height + map[y][x + 1].height) *
				             0.25f;
				to->at.x = (short)x;
				to->at.y = (short)(to->at.y + y);
				to->colors[round & 1].green ^= (unsigned char)x;
				to->lowest = map[y][x].height < to->height ? &map[y][x] : to;
				map[y][x].colors[1].blue = to->colors[0].green;
			}
	result += rows[5][5].at.y;
}

/* ---- bit fields ---- */
struct packet {
	unsigned version : 4, length : 12, kind : 3;
	unsigned char priority;
	unsigned long sequence : 40, checksum : 24;
	unsigned short port;
};

__attribute__((noinline)) static void bit_fields(void)
{
	struct packet *packets = calloc(1000, sizeof(*packets));
	unsigned long sums[8] = {0};

	TRUTH(packets, 1000, struct packet);
	TRUTH(sums, 8, unsigned long);
	for (int round = 0; round < 100; round++)
		for (unsigned i = 0; i < 1000; i++) {
			struct packet *p = &packets[i];

			p->version = (unsigned)round;
			p->length += i;
			p->kind = i;
			p->priority++;
			p->sequence += p->length;
			p->checksum = (unsigned)(p->sequence ^ p->port);
			p->port += 3;
			sums[p->kind] += p->checksum;
		}
	for (int i = 0; i < 8; i++)
		result += (long)sums[i];
}

/* ---- a union whose members have different widths ---- */
struct value {
	int tag;
	union {
		double real;
		unsigned int words[2];
		unsigned short halves[4];
		unsigned char bytes[8];
	} as;
};

__attribute__((noinline)) static void unions(void)
{
	struct value *values = need(512 * sizeof(*values));

	TRUTH(values, 512, struct value);
	for (int i = 0; i < 512; i++) {
		values[i].tag = i & 3;
		values[i].as.real = i;
	}
	for (int round = 0; round < 150; round++)
		for (int i = 0; i < 512; i++) {
			struct value *v = &values[i];

			switch (v->tag) {
			case 0:
				v->as.real *= 1.0001; /* member: as.real */
				break;
			case 1:
				v->as.words[1] ^= 0x55; /* member: as.words[] */
				break;
			case 2:
				v->as.halves[2] ^= 0x3; /* member: as.halves[] */
				break;
			default:
				v->as.bytes[5]++; /* member: as.bytes[] */
			}
		}
	result += (long)values[4].as.real;
}

/* ---- structures on the stack, passed by address, copied and returned ---- */
struct vector {
	double x, y, z, w;
};

typedef struct {
	double rows[4][4];
	long uses;
} matrix;

__attribute__((noinline)) static struct vector transform(matrix *m, const struct vector *v)
{
	struct vector out;

	m->uses++;
	out.x = m->rows[0][0] * v->x + m->rows[0][1] * v->y + m->rows[0][2] * v->z +
	        m->rows[0][3] * v->w;
	out.y = m->rows[1][0] * v->x + m->rows[1][1] * v->y + m->rows[1][2] * v->z +
	        m->rows[1][3] * v->w;
	out.z = m->rows[2][0] * v->x + m->rows[2][1] * v->y + m->rows[2][2] * v->z +
	        m->rows[2][3] * v->w;
	out.w = v->w;
	return out;
}

__attribute__((noinline)) static void stack(void)
{
	matrix turn = {{{1, 0.1, 0, 0}, {-0.1, 1, 0, 0}, {0, 0, 1, 0.01}, {0, 0, 0, 1}}, 0};
	struct vector around[64], sum = {0, 0, 0, 0};

	TRUTH(&turn, 1, matrix);
	TRUTH(around, 64, struct vector);
	TRUTH(&sum, 1, struct vector);
	for (int i = 0; i < 64; i++)
		around[i] = (struct vector){i, 1, 2, 1};
	for (int round = 0; round < 800; round++)
		for (int i = 0; i < 64; i++) {
			struct vector moved = transform(&turn, &around[i]);

			around[i].z = moved.z;
			sum.x += moved.x;
			sum.y += moved.y;
			sum.w += moved.w;
		}
	result += (long)(sum.x + sum.y + sum.w) + turn.uses;
}

/* ---- static and thread-local structures, in threads ---- */
struct counters {
	long events, bytes;
	struct {
		unsigned low, high;
		long counts[16];
	} histogram;
};

struct worker {
	pthread_t thread;
	unsigned number;
	long done;
};

static struct counters totals;
static __thread struct counters own;
static __thread unsigned long own_seed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
	struct worker *worker = argument;

	TRUTH(&own, 1, struct counters);
	TRUTH(&own_seed, 1, unsigned long);
	own_seed = worker->number + 1;
	own.histogram.low = 16;
	for (int i = 0; i < 150000; i++) {
		unsigned size;

		own_seed = own_seed * 6364136223846793005u + 1442695040888963407u;
		size = (unsigned)(own_seed >> 60);
		own.events++;
		own.bytes += size;
		own.histogram.counts[size]++;
		if (size < own.histogram.low)
			own.histogram.low = size;
		if (size > own.histogram.high)
			own.histogram.high = size;
		worker->done++;
	}
	pthread_mutex_lock(&lock);
	totals.events += own.events;
	totals.bytes += own.bytes;
	for (int i = 0; i < 16; i++)
		totals.histogram.counts[i] += own.histogram.counts[i];
	pthread_mutex_unlock(&lock);
	truth_over(&own_seed);
	truth_over(&own);
	return NULL;
}

__attribute__((noinline)) static void threads(void)
{
	static struct worker workers[2];

	TRUTH(workers, 2, struct worker);
	TRUTH(&totals, 1, struct counters);
	for (unsigned i = 0; i < 2; i++) {
		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			abort();
	}
	for (unsigned i = 0; i < 2; i++)
		pthread_join(workers[i].thread, NULL);
	result += totals.bytes;
}

/* ---- a generic sort that knows only bytes, and a typed comparison ---- */
struct record {
	unsigned key;
	char name[12];
	long payload;
};

static int compare_records(const void *left, const void *right)
{
	const struct record *a = left, *b = right;

	return a->key < b->key ? -1 : a->key > b->key;
}

static void sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	char *bytes = base;

	for (size_t gap = count / 2; gap; gap /= 2)
		for (size_t i = gap; i < count; i++)
			for (size_t j = i; j >= gap; j -= gap) {
				char *a = bytes + (j - gap) * size, *b = bytes + j * size;

				if (compare(a, b) <= 0)
					break;
				for (size_t k = 0; k < size; k++) {
					char c = a[k];

					a[k] = b[k];
					b[k] = c;
				}
			}
}

__attribute__((noinline)) static void sorting(void)
{
	struct record *records = need(3000 * sizeof(*records));

	TRUTH(records, 3000, struct record);
	memset(records, 0, 3000 * sizeof(*records));
	for (int i = 0; i < 3000; i++) {
		records[i].key = draw(1 << 30);
		records[i].payload = i;
	}
	sort(records, 3000, sizeof(*records), compare_records);
	for (int round = 0; round < 100; round++)
		for (int i = 1; i < 3000; i++)
			records[i].payload += records[i - 1].key < records[i].key;
	result += records[7].payload;
}

/* ---- structures that are reached through an embedded link ---- */
struct link {
	struct link *next, *previous;
};

struct task {
	long priority;
	unsigned runs, budget;
	struct link link;
	long spent;
};

#define TASK(at) ((struct task *)(void *)((char *)(at)-offsetof(struct task, link)))

__attribute__((noinline)) static void embedded(void)
{
	struct link queue = {&queue, &queue};

	TRUTH(&queue, 1, struct link);
	for (int i = 0; i < 300; i++) {
		struct task *task = calloc(1, sizeof(*task));

		TRUTH(task, 1, struct task);
		task->priority = i % 5;
		task->budget = 100 + draw(50);
		task->link.previous = queue.previous;
		task->link.next = &queue;
		queue.previous->next = &task->link;
		queue.previous = &task->link;
	}
	for (int round = 0; round < 700; round++)
		for (struct link *at = queue.next; at != &queue; at = at->next) {
			struct task *task = TASK(at);

			task->runs++;
			task->spent += task->budget + task->priority;
		}
	result += TASK(queue.next)->spent;
}

/* ---- memory that is freed and used again for another type ---- */
struct request {
	long id, arrived, sizes[4];
};

struct reply {
	double cost;
	int status, retries;
	short codes[16];
};

__attribute__((noinline)) static void again(void)
{
	for (int i = 0; i < 40; i++) {
		struct request *request = need(sizeof(*request));
		struct reply *reply;

		TRUTH(request, 1, struct request);
		memset(request, 0, sizeof(*request));
		for (int k = 0; k < 8000; k++) {
			request->arrived += k;
			request->sizes[k & 3] += request->arrived;
		}
		result += request->sizes[1];
		truth_over(request);
		free(request);
		reply = need(sizeof(*reply));
		TRUTH(reply, 1, struct reply);
		memset(reply, 0, sizeof(*reply));
		for (int k = 0; k < 8000; k++) {
			reply->cost += k;
			reply->codes[k & 15] = (short)(reply->codes[k & 15] + reply->status);
			reply->status = k & 7;
		}
		result += (long)reply->cost;
		truth_over(reply);
		free(reply);
	}
}

int main(int argc, char **argv)
{
	static void (*const parts[])(void) = {list,    arenas,     pools,    hash,
	                                      nested,  bit_fields, unions,   stack,
	                                      threads, sorting,    embedded, again};

	TRUTH(&result, 1, long);
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		truth_during(parts[i]);
	return truth_write(argc > 1 ? argv[1] : NULL);
}
