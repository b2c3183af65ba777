/* SPDX-License-Identifier: MIT */
/* See object_types.h. A function is analyzed when the first of its instructions is asked for. */
#include "object_types.h"

#include "clobber.h"
#include "patched_code.h"
#include "stored.h"
#include "../base/common.h"
#include "../session/object.h"

#include <stdlib.h>
#include <string.h>

enum {
	RANGES_MAX = 64,    /* ranges of a function */
	CODE_MAX = 1 << 20, /* bytes of a range of code; longer ones are left out */
	STATICS_BACK = 8,   /* variables before an address that may contain it */
};

/* The results for one function. */
struct function {
	struct code_type *accesses;
	size_t count;
	struct variables slots;         /* variables in the frame */
	struct frame_registers *frames; /* see struct flow */
	size_t frame_count;
};

/* The answer for a place in the frame of a caller. */
struct slot_answer {
	enum type_source source;
	struct type *type;
	int64_t offset;
};

struct object_types {
	struct object *object;
	uint64_t bias; /* vaddr minus address in DWARF */
	Elf *elf;
	struct debug_index *index;
	struct types *types;
	struct frame_tables tables;
	struct stored_values *stored;
	struct clobbers clobbers;
	uint64_t thread_block;
	struct map function_map; /* index in functions by the address of its entry in DWARF */
	struct function *functions;
	size_t function_capacity;
	struct map slot_index; /* index in slots by call and offset from the frame address */
	struct slot_answer *slots;
	size_t slot_capacity;
	struct map calls; /* calls that allocate, by address in DWARF */
	struct call_type *call_types;
	size_t call_type_count, call_type_capacity;
	bool call_types_sorted;
	struct map fresh; /* calls whose new object the function around them returns */
	struct thread_symbol
	        thread_symbol; /* last answer of thread_symbol_at(), if it has a name */
	/* ---- a kernel ---- */
	struct code_range cpu_offsets; /* see flow_host.cpu_offset */
	struct patched_code *patched;
};

static bool read_code(void *context, uint8_t *bytes, uint64_t address, size_t size)
{
	struct object_types *t = context;

	return elf_bytes(t->object, bytes, address + t->bias, size);
}

/* Return the type of the variable that contains an address. */
static struct type *variable_at(struct object_types *t, const struct debug_entries *variables,
                                int64_t *offset, uint64_t address)
{
	size_t i;

	COUNT_LEADING(i, variables->count, mid, variables->of[mid].address <= address);
	/* Several variables may have one address, for example in several units. */
	for (size_t back = 0; i > 0 && back < STATICS_BACK; i--, back++) {
		struct debug_entry *v = &variables->of[i - 1];
		struct type *type = type_of(t->types, &v->die);

		if (!type || address - v->address >= (type->size ? type->size : 1))
			continue;
		*offset = (int64_t)(address - v->address);
		return type;
	}
	return NULL;
}

/* Find a variable by the name of its symbol, and by a declaration of this name. */
static struct type *declared_variable(struct object_types *t, int64_t *offset, uint64_t vaddr)
{
	const struct symbol *symbol = symbols_find(&t->object->symbols[SYMBOL_DATA], vaddr);
	struct type *type;
	Dwarf_Die die;

	if (!symbol || !symbol->name || symbol->binding == STB_LOCAL ||
	    !debug_declaration_find(t->index, &die, symbol->name))
		return NULL;
	type = type_of(t->types, &die);
	/* An array may be declared without its length. */
	/* Symbols of other modules have no size. */
	if (!type || (type->size && symbol->sized && type->size != symbol->end - symbol->start))
		return NULL;
	*offset = (int64_t)(vaddr - symbol->start);
	return type;
}

static struct type *static_variable(void *context, int64_t *offset, uint64_t address)
{
	struct object_types *t = context;
	struct type *type = variable_at(t, debug_static_variables(t->index), offset, address);

	return type || !debug_index_is_lazy(t->index)
	               ? type
	               : declared_variable(t, offset, address + t->bias);
}

static bool cpu_offset(void *context, uint64_t address)
{
	const struct object_types *t = context;

	return address - t->cpu_offsets.low < t->cpu_offsets.high - t->cpu_offsets.low;
}

/* Find the variable that a symbol names. Compilers add ".N" to the names of local variables. */
static struct type *thread_symbol_type(struct object_types *t, const struct thread_symbol *symbol)
{
	size_t length = strcspn(symbol->name, ".");
	char *name = xasprintf("%.*s", (int)length, symbol->name);
	struct type *type = NULL;
	Dwarf_Die die;

	if (debug_variable_find(t->index, &die, name, symbol->name[length]) ||
	    debug_variable_find(t->index, &die, name, !symbol->name[length]))
		type = type_of(t->types, &die);
	free(name);
	return type && type->size == symbol->size ? type : NULL;
}

/* GCC gives thread-local variables no location, so they are found by their symbols. */
static struct type *thread_variable(void *context, int64_t *offset, int64_t at)
{
	struct object_types *t = context;
	uint64_t in_block = (uint64_t)at - t->thread_block;
	struct thread_symbol *symbol = &t->thread_symbol;
	struct type *type;

	if (at < (int64_t)t->thread_block)
		return NULL;
	type = variable_at(t, debug_thread_variables(t->index), offset, in_block);
	if (type)
		return type;
	if ((!symbol->name || in_block - symbol->start >= symbol->size) &&
	    !thread_symbol_at(t->elf, symbol, in_block))
		return NULL;
	*offset = (int64_t)(in_block - symbol->start);
	return thread_symbol_type(t, symbol);
}

static bool constant(void *context, struct value *value, uint64_t address)
{
	struct object_types *t = context;

	if (!stored_value_at(t->stored, value, address + t->bias))
		return false;
	if (value->kind == VALUE_STATIC)
		value->offset -= (int64_t)t->bias;
	return true;
}

/* Return true if one of the names has this length and these characters. */
static bool is_one_of(const char *const *names, size_t count, const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return true;
	}
	return false;
}

static bool returns_first(const char *name, size_t length)
{
	static const char *const names[] = {"memset", "memcpy",  "memmove", "strcpy",
	                                    "strcat", "strncpy", "strncat"};

	return is_one_of(names, sizeof(names) / sizeof(names[0]), name, length);
}

static bool is_allocator(const char *name, size_t length)
{
	static const char *const names[] = {"malloc",
	                                    "calloc",
	                                    "realloc",
	                                    "aligned_alloc",
	                                    "memalign",
	                                    "valloc",
	                                    "strdup",
	                                    "strndup",
	                                    "_Znwm",
	                                    "_Znam",
	                                    "_ZnwmSt11align_val_t",
	                                    "_ZnamSt11align_val_t",
	                                    "_ZnwmRKSt9nothrow_t",
	                                    "_ZnamRKSt9nothrow_t",
	                                    "__libc_malloc",
	                                    "__libc_calloc",
	                                    "__libc_realloc",
	                                    "__rust_alloc",
	                                    "__rust_alloc_zeroed",
	                                    "__rust_realloc",
	                                    "__rdl_alloc",
	                                    "__rdl_alloc_zeroed",
	                                    "__rdl_realloc"};

	return is_one_of(names, sizeof(names) / sizeof(names[0]), name, length);
}

static bool callee(void *context, Dwarf_Die *function, enum call_result *result, uint64_t address,
                   const struct effect *call)
{
	struct object_types *t = context;
	const struct symbol *symbol;
	size_t length;
	char *name;
	bool found;

	if (map_find(&t->calls, (struct map_key){address, 0, 0}) != MAP_NONE)
		*result = RESULT_NEW;
	if (!call->direct)
		return false;
	if (debug_function_at(t->index, function, call->target))
		return true;
	symbol = symbols_find(&t->object->symbols[SYMBOL_CODE], call->target + t->bias);
	if (!symbol || !symbol->name || symbol->start != call->target + t->bias)
		return false;
	length = strcspn(symbol->name, "@.");
	if (is_allocator(symbol->name, length))
		*result = RESULT_NEW;
	else if (returns_first(symbol->name, length))
		*result = RESULT_FIRST;
	name = xasprintf("%.*s", (int)length, symbol->name);
	found = debug_function_find(t->index, function, name);
	free(name);
	return found;
}

static uint32_t clobbered(void *context, uint64_t address)
{
	struct object_types *t = context;

	/* A kernel patches its code, and calls of modules are relocations. */
	if (t->object->kind != OBJECT_FILE)
		return CLOBBER_ALL;
	return clobbered_by(&t->clobbers, address);
}

static bool patched(void *context, uint64_t *target, uint64_t address)
{
	const struct object_types *t = context;

	if (!patched_code_at(t->patched, target, address + t->bias))
		return false;
	*target -= *target ? t->bias : 0;
	return true;
}

static bool relocated(void *context, uint64_t *value, uint64_t address)
{
	const struct object_types *t = context;

	return module_relocation(t->object, value, address + t->bias);
}

/* Find what the code of a kernel needs: the array of per-CPU offsets, and the patched branches. */
static void read_kernel(struct object_types *t)
{
	const struct symbol_list *list = &t->object->symbols[SYMBOL_DATA];

	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->items[i].name, "__per_cpu_offset"))
			t->cpu_offsets = (struct code_range){list->items[i].start - t->bias,
			                                     list->items[i].end - t->bias};
	}
	t->patched = patched_code_new(t->object);
}

struct object_types *object_types_of(struct object *object)
{
	bool kernel = object->kind == OBJECT_KERNEL || object->kind == OBJECT_MODULE;
	struct object_types *t = object->types;
	GElf_Addr elf_bias, cfi_bias;
	uint64_t bias;
	Dwarf *dwarf;

	if (t)
		return t->index ? t : NULL;
	object->types = t = xcalloc(1, sizeof(*t));
	dwarf = object_dwarf(object, &bias);
	if (!dwarf || !(t->elf = dwfl_module_getelf(object->module, &elf_bias)))
		return NULL;
	t->object = object;
	t->bias = bias;
	t->index = kernel ? debug_index_new_lazy() : debug_index_new(dwarf);
	t->types = types_new(t->index);
	t->clobbers = (struct clobbers){.object = object, .index = t->index, .bias = bias};
	t->tables.eh = dwfl_module_eh_cfi(object->module, &cfi_bias);
	/* An address in dwfl is the vaddr plus object->bias. */
	t->tables.bias_eh = (int64_t)(bias + object->bias - cfi_bias);
	t->tables.debug = dwarf_getcfi(dwarf);
	/* A kernel has no GOT, and changes what its relocations store. */
	t->stored = stored_values_new(kernel ? NULL : t->elf);
	if (kernel)
		read_kernel(t);
	t->thread_block = thread_block_offset(t->elf);
	return t;
}

void object_types_prepare(struct object_types *t, uint64_t vaddr)
{
	Dwarf_Die unit;

	if (debug_index_is_lazy(t->index) && object_unit(t->object, &unit, vaddr))
		debug_index_add_unit(t->index, &unit);
}

struct types *object_types_set(struct object_types *t)
{
	return t->types;
}

void object_types_add_call(struct object_types *t, uint64_t vaddr)
{
	map_add(&t->calls, (struct map_key){vaddr - t->bias, 0, 0});
}

static void keep_calls(struct object_types *t, const struct flow *flow)
{
	for (size_t i = 0; i < flow->call_count; i++)
		APPEND(t->call_types, t->call_type_count, t->call_type_capacity) = flow->calls[i];
	for (size_t i = 0; i < flow->fresh_count; i++)
		map_add(&t->fresh, (struct map_key){flow->fresh[i], 0, 0});
	t->call_types_sorted = false;
}

static int compare_calls(const void *pa, const void *pb)
{
	const struct call_type *a = pa, *b = pb;

	if (a->call != b->call)
		return compare_numbers(a->call, b->call);
	return compare_numbers((uintptr_t)a->type, (uintptr_t)b->type);
}

/* Return the type with the most evidence for the objects of a call, or NULL. */
static struct type *type_of_call(struct object_types *t, uint64_t address)
{
	uint64_t weight = 0, best_weight = 0;
	struct type *best = NULL;
	size_t i;

	if (!t->call_types_sorted && t->call_type_count)
		qsort(t->call_types, t->call_type_count, sizeof(*t->call_types), compare_calls);
	t->call_types_sorted = true;
	COUNT_LEADING(i, t->call_type_count, mid, t->call_types[mid].call < address);
	for (; i < t->call_type_count && t->call_types[i].call == address; i++) {
		const struct call_type *c = &t->call_types[i];

		if (!i || c[-1].call != address || c[-1].type != c->type)
			weight = 0;
		weight += c->weight;
		/* A structure says more than a pointer. */
		if (best && type_is_aggregate(best) && !type_is_aggregate(c->type))
			continue;
		if (!best || weight > best_weight ||
		    (type_is_aggregate(c->type) && !type_is_aggregate(best))) {
			best = c->type;
			best_weight = weight;
		}
	}
	return best;
}

/* Give accesses to a new object the type that the code says later. */
static void type_new_objects(struct object_types *t, struct function *function)
{
	for (size_t i = 0; i < function->count; i++) {
		struct code_type *access = &function->accesses[i];

		if (!access->call || access->type)
			continue;
		access->type = type_of_call(t, access->call);
		if (!access->type)
			continue;
		access->source = TYPE_ALLOCATION;
		flow_judge(t->types, access);
	}
}

/* Keep only the variables in the stack frame. */
static void keep_slots(struct variables *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->count; i++) {
		if (flow_is_slot(&v->locations[i]))
			v->locations[n++] = v->locations[i];
	}
	if (!n) {
		variables_free(v);
		return;
	}
	free(v->rules);
	*v = (struct variables){.locations = xreallocarray(v->locations, n, sizeof(*v->locations)),
	                        .count = n};
}

static void analyze(struct object_types *t, struct function *function, Dwarf_Die *entry)
{
	const struct flow_host host = {.context = t,
	                               .code = read_code,
	                               .static_variable = static_variable,
	                               .thread_variable = thread_variable,
	                               .constant = constant,
	                               .callee = callee,
	                               .clobbered = clobbered,
	                               .relocated = relocated,
	                               .patched = patched,
	                               .cpu_offset = cpu_offset};
	struct variable_range ranges[RANGES_MAX];
	size_t count = variable_ranges(entry, ranges, RANGES_MAX, CODE_MAX);
	struct variables variables;
	struct flow flow = {
	        .types = t->types, .host = &host, .variables = &variables, .function = entry};
	Dwarf_Die task;

	if (debug_index_is_lazy(t->index) && debug_type_find(t->index, &task, "task_struct"))
		flow.task = type_define(t->types, &task);

	variables_of(&variables, t->types, &t->tables, entry, ranges, count);
	flow_run(&flow, ranges, count);
	keep_slots(&variables);
	function->slots = variables;
	function->frames = flow.frames;
	function->frame_count = flow.frame_count;
	function->accesses = flow.accesses;
	function->count = flow.access_count;
	keep_calls(t, &flow);
	type_new_objects(t, function);
	free(flow.calls);
	free(flow.fresh);
}

/* Return the results for the function that contains vaddr, or NULL. */
static const struct function *function_at(struct object_types *t, uint64_t vaddr)
{
	struct function function = {0};
	Dwarf_Die entry;
	size_t i;

	object_types_prepare(t, vaddr);
	if (!object_function_entry(t->object, &entry, vaddr))
		return NULL;
	if (map_insert(&t->function_map, (struct map_key){(uintptr_t)entry.addr, 0, 0}, &i)) {
		analyze(t, &function, &entry);
		GROW(t->functions, i, t->function_capacity)[i] = function;
	}
	return &t->functions[i];
}

const struct code_type *object_types_code(struct object_types *t, uint64_t vaddr)
{
	const struct function *f = function_at(t, vaddr);
	uint64_t address = vaddr - t->bias;
	size_t i;

	if (!f)
		return NULL;
	COUNT_LEADING(i, f->count, mid, f->accesses[mid].address < address);
	return i < f->count && f->accesses[i].address == address ? &f->accesses[i] : NULL;
}

struct type *object_types_static(struct object_types *t, int64_t *offset, uint64_t vaddr)
{
	return static_variable(t, offset, vaddr - t->bias);
}

struct type *object_types_thread(struct object_types *t, int64_t *offset, int64_t in_thread)
{
	return thread_variable(t, offset, in_thread);
}

static struct slot_answer slot_at(const struct function *f, uint64_t call, int64_t at)
{
	struct slot_answer answer = {0};
	struct value x[REGISTERS] = {{0}};
	const struct frame_registers *frame;
	size_t i;

	COUNT_LEADING(i, f->frame_count, mid, f->frames[mid].call < call);
	if (i == f->frame_count || f->frames[i].call != call)
		return answer;
	frame = &f->frames[i];
	if (frame->sp_known)
		x[REGISTER_SP] = (struct value){.kind = VALUE_STACK, .offset = frame->sp};
	if (frame->x29_known)
		x[29] = (struct value){.kind = VALUE_STACK, .offset = frame->x29};
	answer.type = flow_stack_variable(&f->slots, x, &answer.offset, at, call);
	/* alloca() makes the size of a frame unknown. */
	answer.source = answer.type ? TYPE_STACK : frame->sp_known ? TYPE_SAVED : TYPE_NONE;
	return answer;
}

enum type_source object_types_slot(struct object_types *t, struct type **type, int64_t *offset,
                                   uint64_t vaddr, int64_t frame_offset)
{
	const struct slot_answer *answer;
	size_t i;

	if (map_insert(&t->slot_index, (struct map_key){vaddr, (uint64_t)frame_offset, 0}, &i)) {
		const struct function *f = function_at(t, vaddr);

		GROW(t->slots, i, t->slot_capacity)
		[i] = f ? slot_at(f, vaddr - t->bias, frame_offset) : (struct slot_answer){0};
	}
	answer = &t->slots[i];
	*type = answer->type;
	*offset = answer->offset;
	return answer->source;
}

struct type *object_types_call(struct object_types *t, uint64_t vaddr)
{
	function_at(t, vaddr);
	return type_of_call(t, vaddr - t->bias);
}

enum wrapper object_types_wrapper(struct object_types *t, uint64_t vaddr)
{
	if (!function_at(t, vaddr))
		return WRAPPER_UNKNOWN;
	return map_find(&t->fresh, (struct map_key){vaddr - t->bias, 0, 0}) == MAP_NONE
	               ? WRAPPER_NO
	               : WRAPPER_YES;
}
