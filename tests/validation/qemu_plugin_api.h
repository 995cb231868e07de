/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of QEMU's TCG plugin interface, version 1 (QEMU 4.2 to 8.x), that the counting plugin
 * calls, declared from its documentation (docs/devel/tcg-plugins.rst): Debian's packages of
 * QEMU 7.2 bring no header. QEMU compares qemu_plugin_version when it loads a plugin.
 */
#ifndef SSDVP_TESTS_VALIDATION_QEMU_PLUGIN_API_H
#define SSDVP_TESTS_VALIDATION_QEMU_PLUGIN_API_H

#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION 1
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;   /* a block being translated */
struct qemu_plugin_insn; /* an instruction of it */
struct qemu_info_t;

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };

typedef void (*qemu_plugin_tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb* tb);
typedef void (*qemu_plugin_atexit_cb)(qemu_plugin_id_t id, void* ctx);
/* A system call has up to eight arguments; nobody here looks at the last five. */
#define QEMU_PLUGIN_OTHER_ARGUMENTS                                                                \
    __attribute__((unused)) uint64_t a4, __attribute__((unused)) uint64_t a5,                      \
        __attribute__((unused)) uint64_t a6, __attribute__((unused)) uint64_t a7,                  \
        __attribute__((unused)) uint64_t a8
#define QEMU_PLUGIN_SYSCALL_ARGUMENTS                                                              \
    qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3
typedef void (*qemu_plugin_syscall_cb)(QEMU_PLUGIN_SYSCALL_ARGUMENTS, QEMU_PLUGIN_OTHER_ARGUMENTS);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb cb);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_syscall_cb cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_atexit_cb cb, void* ctx);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* tb, enum qemu_plugin_op op,
                                              void* counter, uint64_t step);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* tb);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn* insn);

#endif
