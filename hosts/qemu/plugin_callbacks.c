/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registration of callbacks in both forms of the interface; see plugin_callbacks.h.
 *
 * From version 7 on, the functions that register callbacks have another parameter, a pointer. An
 * older QEMU ignores the extra argument.
 */
#include "plugin_callbacks.h"

static struct plugin_callbacks registered;
static qemu_plugin_id_t plugin_id;
static bool callbacks_by_id; /* the older form */

/* Define both forms of a callback. `call` is the call of the member of `registered`. The callback's
 * parameters follow. */
#define BOTH_FORMS(name, call, ...)                                \
	static void name##_by_id(qemu_plugin_id_t id, __VA_ARGS__) \
	{                                                          \
		(void)id;                                          \
		registered.call;                                   \
	}                                                          \
	static void name##_by_pointer(__VA_ARGS__, void *pointer)  \
	{                                                          \
		(void)pointer;                                     \
		registered.call;                                   \
	}

BOTH_FORMS(vcpu_init, vcpu_init(cpu), unsigned cpu)
BOTH_FORMS(vcpu_exit, vcpu_exit(cpu), unsigned cpu)
BOTH_FORMS(vcpu_resume, vcpu_resume(cpu), unsigned cpu)
BOTH_FORMS(translate, translate(tb), struct qemu_plugin_tb *tb)
#define EIGHT_ARGUMENTS ((uint64_t[]){a1, a2, a3, a4, a5, a6, a7, a8})
BOTH_FORMS(syscall, syscall(cpu, num, EIGHT_ARGUMENTS), unsigned cpu, int64_t num, uint64_t a1,
           uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
           uint64_t a8)
BOTH_FORMS(syscall_return, syscall_return(cpu, num, result), unsigned cpu, int64_t num,
           int64_t result)

/* These two need no parameters, so one form serves both. */
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
#define FORMS(name) (qemu_plugin_any_cb *)name##_by_id, (qemu_plugin_any_cb *)name##_by_pointer
	const struct {
		bool wanted;
		qemu_plugin_register_cb *function;
		qemu_plugin_any_cb *by_id, *by_pointer;
	} each[] = {
	        {callbacks->vcpu_init, qemu_plugin_register_vcpu_init_cb, FORMS(vcpu_init)},
	        {callbacks->vcpu_exit, qemu_plugin_register_vcpu_exit_cb, FORMS(vcpu_exit)},
	        {callbacks->vcpu_resume, qemu_plugin_register_vcpu_resume_cb, FORMS(vcpu_resume)},
	        {callbacks->translate, qemu_plugin_register_vcpu_tb_trans_cb, FORMS(translate)},
	        {callbacks->syscall, qemu_plugin_register_vcpu_syscall_cb, FORMS(syscall)},
	        {callbacks->syscall_return, qemu_plugin_register_vcpu_syscall_ret_cb,
	         FORMS(syscall_return)},
	        {callbacks->flush, qemu_plugin_register_flush_cb, flush, flush},
	        {callbacks->at_exit, qemu_plugin_register_atexit_cb, at_exit, at_exit},
	};
#undef FORMS

	registered = *callbacks;
	plugin_id = id;
	callbacks_by_id = version < PLUGIN_CALLBACKS_POINTER;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		if (each[i].wanted)
			each[i].function(id, callbacks_by_id ? each[i].by_id : each[i].by_pointer,
			                 NULL);
}

void plugin_callbacks_translate(bool on)
{
	qemu_plugin_any_cb *callback = callbacks_by_id ? (qemu_plugin_any_cb *)translate_by_id
	                                               : (qemu_plugin_any_cb *)translate_by_pointer;

	qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, on ? callback : NULL, NULL);
}
