/* SPDX-License-Identifier: Apache-2.0
 *
 * One kernel as a program for qemu-user, counted by the plugin. Its number, two digits, comes from
 * standard input; the name and the result go to standard output.
 */
#include "tests/validation/count_marks.h"
#include "tests/validation/kernels/kernels.h"
#include "tests/validation/target_system.h"

extern const uint8_t firmware_text_begin[];
extern const uint8_t firmware_text_end[];

static uint8_t memory[KERNEL_MEMORY] __attribute__((aligned(64)));

void replay_start(void);

static const struct kernel* kernel_of(size_t number)
{
    const struct kernel_list* const lists[] = {&kernels_control, &kernels_data, &kernels_memory,
                                               &kernels_numbers, &kernels_last};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        if (number < lists[i]->count) {
            return &lists[i]->kernels[number];
        }
        number -= lists[i]->count;
    }
    return NULL;
}

void replay_start(void)
{
    char digits[2] = {0, 0};
    system_call(CALL_WRITE, COUNT_MARK_TEXT, (long)firmware_text_begin, (long)firmware_text_end);
    system_call(CALL_READ, 0, (long)digits, sizeof digits);
    const struct kernel* k = kernel_of((size_t)(digits[0] - '0') * 10 + (size_t)(digits[1] - '0'));
    if (k == NULL) {
        finish("no such kernel", 1);
    }
    system_call(CALL_WRITE, COUNT_MARK_START, 0, 0);
    const uint64_t result = k->run(memory);
    system_call(CALL_WRITE, COUNT_MARK_STOP, 0, 0);
    put_text(k->name);
    put_text(" 0x");
    put_number(result);
    finish("", 0);
}
