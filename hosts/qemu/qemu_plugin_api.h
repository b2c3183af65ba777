/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU's plugin interface that the plugins use, in its versions 1 (QEMU 5.0 to 8.2), 4
 * to 6 (QEMU 9.2 to 11.0) and 7 (QEMU 11.1). When a plugin is loaded, qemu_plugin_version declares
 * the version that it uses.
 *
 * No Debian package contains a header for plugins, so this file declares the few names and types.
 * Everything is weak: a differently built QEMU may lack a function. The plugin then reports which
 * one is missing.
 */
#ifndef QEMU_PLUGIN_API_H
#define QEMU_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_EXPORT __attribute__((visibility("default")))
#define QEMU_WEAK __attribute__((weak, visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_scoreboard;

/* Argument of the install function. `system` is valid only in system emulation. */
struct qemu_plugin_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS = 0,
	QEMU_PLUGIN_CB_R_REGS = 1,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_RW = 3,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64 = 0,
};

enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_GE = 7, /* unsigned */
};

/* A 64-bit number in each vCPU's entry of a scoreboard. Passed by value. */
struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

typedef void (*qemu_plugin_vcpu_udata_cb)(unsigned cpu, void *udata);
typedef void (*qemu_plugin_mem_cb)(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                   void *udata);
/* Functions that register callbacks whose parameters depend on the version; see
 * plugin_callbacks.c. */
typedef void qemu_plugin_any_cb(void);
typedef void qemu_plugin_register_cb(qemu_plugin_id_t id, qemu_plugin_any_cb *cb, void *pointer);
QEMU_WEAK qemu_plugin_register_cb qemu_plugin_register_vcpu_init_cb,
        qemu_plugin_register_vcpu_exit_cb, qemu_plugin_register_vcpu_resume_cb,
        qemu_plugin_register_vcpu_tb_trans_cb, qemu_plugin_register_vcpu_syscall_cb,
        qemu_plugin_register_vcpu_syscall_ret_cb, qemu_plugin_register_flush_cb,
        qemu_plugin_register_atexit_cb;

QEMU_WEAK void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
                                                    qemu_plugin_vcpu_udata_cb cb,
                                                    enum qemu_plugin_cb_flags flags, void *udata);
QEMU_WEAK void qemu_plugin_register_vcpu_tb_exec_cond_cb(
        struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb cb, enum qemu_plugin_cb_flags flags,
        enum qemu_plugin_cond cond, struct qemu_plugin_u64 entry, uint64_t imm, void *udata);
QEMU_WEAK void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
                                                                 enum qemu_plugin_op op,
                                                                 struct qemu_plugin_u64 entry,
                                                                 uint64_t imm);
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                                      qemu_plugin_vcpu_udata_cb cb,
                                                      enum qemu_plugin_cb_flags flags, void *udata);
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
                                                           qemu_plugin_vcpu_udata_cb cb,
                                                           enum qemu_plugin_cb_flags flags,
                                                           enum qemu_plugin_cond cond,
                                                           struct qemu_plugin_u64 entry,
                                                           uint64_t imm, void *udata);
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
                                                                   enum qemu_plugin_op op,
                                                                   struct qemu_plugin_u64 entry,
                                                                   uint64_t imm);
QEMU_WEAK void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                                qemu_plugin_mem_cb cb,
                                                enum qemu_plugin_cb_flags flags,
                                                enum qemu_plugin_mem_rw rw, void *udata);
QEMU_WEAK size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
QEMU_WEAK uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
QEMU_WEAK struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
                                                           size_t index);
/* qemu_plugin_insn_data() has one of two forms, depending on the declared version. */
typedef const void *qemu_plugin_insn_pointer(const struct qemu_plugin_insn *insn);
typedef size_t qemu_plugin_insn_copy(const struct qemu_plugin_insn *insn, void *data, size_t size);
#define QEMU_PLUGIN_INSN_COPY 3 /* the first version that copies */
QEMU_WEAK void qemu_plugin_insn_data(void);
QEMU_WEAK unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
QEMU_WEAK bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
QEMU_WEAK struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info,
                                                            uint64_t vaddr);
QEMU_WEAK bool qemu_plugin_read_memory_vaddr(uint64_t addr, void *bytes, size_t size);
QEMU_WEAK void qemu_plugin_set_pc(uint64_t pc);
QEMU_WEAK uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *addr);
QEMU_WEAK struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
QEMU_WEAK void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
                                            unsigned vcpu_index);
QEMU_WEAK const char *qemu_plugin_path_to_binary(void);
QEMU_WEAK uint64_t qemu_plugin_start_code(void);

/* Registers as a debugger sees them: an array of descriptions, which are longer in later versions,
 * and the value of a register. The arrays are GLib's; their first members are public. */
struct qemu_plugin_register;
struct qemu_plugin_reg_descriptor {
	struct qemu_plugin_register *handle;
	const char *name, *feature;
};
struct glib_array {
	void *data;
	unsigned len;
};
QEMU_WEAK struct glib_array *g_byte_array_new(void);
QEMU_WEAK struct glib_array *g_byte_array_set_size(struct glib_array *bytes, unsigned size);
QEMU_WEAK void *g_array_free(struct glib_array *array, int segment);
QEMU_WEAK struct glib_array *qemu_plugin_get_registers(void);
QEMU_WEAK int qemu_plugin_read_register(struct qemu_plugin_register *handle,
                                        struct glib_array *bytes);

/* Symbols that QEMU looks up in a plugin. */
QEMU_EXPORT extern int qemu_plugin_version;

/* Return the size of a description, which has one more flag from version 7 on. */
static inline size_t qemu_plugin_reg_descriptor_size(void)
{
	size_t size = sizeof(struct qemu_plugin_reg_descriptor);

	return qemu_plugin_version < 7 ? size : size + sizeof(void *);
}

QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info,
                                    int argc, char **argv);

#endif
