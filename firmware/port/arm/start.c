/* SPDX-License-Identifier: Apache-2.0
 *
 * Cortex-R52 and Cortex-R5 start-up: stack, then the firmware. (The R52 comes up in Hyp mode, in
 * which all of this is the same.) Interrupts stay masked: the core polls the
 * interrupt controller and sleeps in WFI, which wakes on a masked interrupt too.
 */
#include "firmware/port/target.h"

void target_wait(void)
{
    __asm__ volatile("dsb\n\twfi" ::: "memory");
}

void target_halt(void)
{
    for (;;) {
        target_wait();
    }
}

__attribute__((naked, noreturn, section(".start"))) void target_start(void);
__attribute__((naked, noreturn, section(".start"))) void target_start(void)
{
    __asm__ volatile("cpsid if\n\t"
                     "ldr sp, =target_stack_end\n\t"
                     "b target_main\n");
}
