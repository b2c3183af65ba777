/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registering callbacks with either form of the interface; see plugin_callbacks.h.
 *
 * The functions that register them take a pointer in addition from version 7 on, which an older
 * QEMU does not look at.
 */
#include "plugin_callbacks.h"

typedef void any_function(void);
typedef void registering_function(qemu_plugin_id_t id, any_function *callback, void *pointer);

static struct plugin_callbacks registered;
static qemu_plugin_id_t plugin_id;
static bool callbacks_by_id; /* the older form */

static void init_by_id(qemu_plugin_id_t id, unsigned cpu)
{
	(void)id;
	registered.vcpu_init(cpu);
}

static void init(unsigned cpu, void *pointer)
{
	(void)pointer;
	registered.vcpu_init(cpu);
}

static void exit_by_id(qemu_plugin_id_t id, unsigned cpu)
{
	(void)id;
	registered.vcpu_exit(cpu);
}

static void exits(unsigned cpu, void *pointer)
{
	(void)pointer;
	registered.vcpu_exit(cpu);
}

static void resume_by_id(qemu_plugin_id_t id, unsigned cpu)
{
	(void)id;
	registered.vcpu_resume(cpu);
}

static void resume(unsigned cpu, void *pointer)
{
	(void)pointer;
	registered.vcpu_resume(cpu);
}

static void translate_by_id(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	registered.translate(tb);
}

static void translate(struct qemu_plugin_tb *tb, void *pointer)
{
	(void)pointer;
	registered.translate(tb);
}

static void syscall_by_id(qemu_plugin_id_t id, unsigned cpu, int64_t num, uint64_t a1, uint64_t a2,
                          uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                          uint64_t a8)
{
	(void)id;
	registered.syscall(cpu, num, (uint64_t[]){a1, a2, a3, a4, a5, a6, a7, a8});
}

static void syscalls(unsigned cpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                     uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8, void *pointer)
{
	(void)pointer;
	registered.syscall(cpu, num, (uint64_t[]){a1, a2, a3, a4, a5, a6, a7, a8});
}

static void syscall_return_by_id(qemu_plugin_id_t id, unsigned cpu, int64_t num, int64_t result)
{
	(void)id;
	registered.syscall_return(cpu, num, result);
}

static void syscall_return(unsigned cpu, int64_t num, int64_t result, void *pointer)
{
	(void)pointer;
	registered.syscall_return(cpu, num, result);
}

/* What it is given, and how much, does not matter. */
static void flush(void)
{
	registered.flush();
}

static void at_exit(void)
{
	registered.at_exit();
}

void plugin_callbacks_register(qemu_plugin_id_t id, int version,
                               const struct plugin_callbacks *callbacks)
{
	bool by_id = version < PLUGIN_CALLBACKS_POINTER;
#define BOTH(name, later) (by_id ? (any_function *)name##_by_id : (any_function *)(later))
	const struct {
		bool wanted;
		any_function *function, *callback;
	} each[] = {
	        {callbacks->vcpu_init, (any_function *)qemu_plugin_register_vcpu_init_cb,
	         BOTH(init, init)},
	        {callbacks->vcpu_exit, (any_function *)qemu_plugin_register_vcpu_exit_cb,
	         BOTH(exit, exits)},
	        {callbacks->vcpu_resume, (any_function *)qemu_plugin_register_vcpu_resume_cb,
	         BOTH(resume, resume)},
	        {callbacks->translate, (any_function *)qemu_plugin_register_vcpu_tb_trans_cb,
	         BOTH(translate, translate)},
	        {callbacks->syscall, (any_function *)qemu_plugin_register_vcpu_syscall_cb,
	         BOTH(syscall, syscalls)},
	        {callbacks->syscall_return,
	         (any_function *)qemu_plugin_register_vcpu_syscall_ret_cb,
	         BOTH(syscall_return, syscall_return)},
	        {callbacks->flush, (any_function *)qemu_plugin_register_flush_cb, flush},
	        {callbacks->at_exit, (any_function *)qemu_plugin_register_atexit_cb, at_exit},
	};
#undef BOTH

	registered = *callbacks;
	plugin_id = id;
	callbacks_by_id = by_id;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		if (each[i].wanted)
			((registering_function *)each[i].function)(id, each[i].callback, NULL);
}

void plugin_callbacks_translate(bool on)
{
	any_function *function = (any_function *)qemu_plugin_register_vcpu_tb_trans_cb;
	any_function *callback =
	        callbacks_by_id ? (any_function *)translate_by_id : (any_function *)translate;

	((registering_function *)function)(plugin_id, on ? callback : NULL, NULL);
}
