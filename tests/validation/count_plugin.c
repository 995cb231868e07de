/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the instructions that firmware executes under qemu-user, between two marks
 * (count_marks.h): only those inside firmware's text, so that the replay around it is none.
 *
 *   qemu-ARCH -plugin count_plugin.so,out=FILE[,blocks=FILE] PROGRAM
 *
 * `out` gets one line, "instructions N". `blocks` gets a line for each block that was translated:
 * address, instructions, how often it was entered. A block is one straight run that QEMU translates
 * at once; nothing leaves it in the middle but a fault, which ends the program here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/validation/count_marks.h"
#include "tests/validation/qemu_plugin_api.h"

QEMU_PLUGIN_EXPORT extern const int qemu_plugin_version;
QEMU_PLUGIN_EXPORT const int qemu_plugin_version = QEMU_PLUGIN_VERSION;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t* info,
                                           int argc, char** argv);

struct block {
    uint64_t address;
    uint64_t instructions;
    uint64_t entered; /* QEMU adds to it */
    uint64_t before;  /* ... of that before the first mark */
    uint64_t counted;
    struct block* next;
};

/* One plugin is loaded once into one process: its state is the process's. */
static struct {
    uint64_t begin, end; /* firmware's text */
    int started, stopped;
    struct block* blocks;
    const char* out;
    const char* blocks_out;
} plugin;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* tb)
{
    const size_t size = qemu_plugin_tb_n_insns(tb);
    uint64_t inside = 0;
    (void)id;
    for (size_t i = 0; i < size; ++i) {
        const uint64_t at = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
        inside += at >= plugin.begin && at < plugin.end ? 1 : 0;
    }
    if (inside == 0) {
        return;
    }
    struct block* b = calloc(1, sizeof *b);
    if (b == NULL) {
        fputs("count_plugin: no memory\n", stderr);
        exit(1);
    }
    b->address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
    b->instructions = inside;
    b->next = plugin.blocks;
    plugin.blocks = b;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &b->entered, 1);
}

static void system_call(QEMU_PLUGIN_SYSCALL_ARGUMENTS, QEMU_PLUGIN_OTHER_ARGUMENTS)
{
    (void)id, (void)vcpu, (void)number;
    if (a1 == COUNT_MARK_TEXT) {
        plugin.begin = a2;
        plugin.end = a3;
    } else if (a1 == COUNT_MARK_START && !plugin.started) {
        plugin.started = 1;
        for (struct block* b = plugin.blocks; b != NULL; b = b->next) {
            b->before = b->entered;
        }
    } else if (a1 == COUNT_MARK_STOP && !plugin.stopped) {
        plugin.stopped = 1;
        for (struct block* b = plugin.blocks; b != NULL; b = b->next) {
            b->counted = b->entered - b->before;
        }
    }
}

/* QEMU keeps the arguments no longer than the installation. */
static const char* copy_of(const char* text)
{
    const size_t size = strlen(text) + 1;
    char* copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static FILE* open_or_exit(const char* name)
{
    FILE* f = fopen(name, "w");
    if (f == NULL) {
        fprintf(stderr, "count_plugin: %s cannot be written\n", name);
        exit(1);
    }
    return f;
}

static void at_exit(qemu_plugin_id_t id, void* ctx)
{
    uint64_t sum = 0;
    (void)id, (void)ctx;
    for (const struct block* b = plugin.blocks; b != NULL; b = b->next) {
        sum += b->counted * b->instructions;
    }
    FILE* f = open_or_exit(plugin.out);
    if (plugin.stopped) {
        fprintf(f, "instructions %llu\n", (unsigned long long)sum);
    } else {
        fputs("error: the program did not pass both marks\n", f);
    }
    fclose(f);
    if (plugin.blocks_out != NULL) {
        f = open_or_exit(plugin.blocks_out);
        for (const struct block* b = plugin.blocks; b != NULL; b = b->next) {
            fprintf(f, "%#llx %llu %llu\n", (unsigned long long)b->address,
                    (unsigned long long)b->instructions, (unsigned long long)b->counted);
        }
        fclose(f);
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t* info, int argc, char** argv)
{
    (void)info;
    for (int i = 0; i < argc; ++i) {
        if (strncmp(argv[i], "out=", 4) == 0) {
            plugin.out = copy_of(argv[i] + 4);
        } else if (strncmp(argv[i], "blocks=", 7) == 0) {
            plugin.blocks_out = copy_of(argv[i] + 7);
        } else {
            fprintf(stderr, "count_plugin: no option %s; there are out=FILE, blocks=FILE\n",
                    argv[i]);
            return -1;
        }
    }
    if (plugin.out == NULL) {
        fputs("count_plugin: out=FILE is missing\n", stderr);
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, system_call);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
    return 0;
}
