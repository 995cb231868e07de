/* SPDX-License-Identifier: Apache-2.0
 *
 * What the bare-metal ports share: hal_ops by volatile accesses, and the entry that start-up code
 * calls. A port supplies target_wait and target_halt.
 */
#ifndef SSDVP_FIRMWARE_PORT_TARGET_H
#define SSDVP_FIRMWARE_PORT_TARGET_H

#include <stdint.h>

/* What a panic leaves at the beginning of the tightly coupled memory (target.ld), where a debugger,
 * or who reads a dump, finds it. */
struct target_panic {
    uint32_t magic; /* TARGET_PANIC_MAGIC when there was one */
    int32_t line;
    const char* file; /* in the image's constants */
    const char* message;
};
#define TARGET_PANIC_MAGIC 0x434E4150u /* "PANC" */

extern volatile struct target_panic target_panic_record;

void target_main(void); /* from start-up code, with a stack and memory as it came up */
void target_wait(void); /* sleeps until an interrupt is pending */
_Noreturn void target_halt(void);

#endif
