/* SPDX-License-Identifier: Apache-2.0
 *
 * RV64 start-up in machine mode: stack, then the firmware. Interrupts stay masked: the core polls
 * the interrupt controller and sleeps in WFI, which wakes on a masked interrupt too.
 */
#include "firmware/port/target.h"

void target_wait(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

void target_halt(void)
{
    for (;;) {
        target_wait();
    }
}

/* The word is csrw mie, t0: all sources may end a WFI, none is taken, for mstatus.MIE is 0. The
 * assembler would want the Zicsr extension named, which selects no library of this compiler. */
__attribute__((naked, noreturn, section(".start"))) void target_start(void);
__attribute__((naked, noreturn, section(".start"))) void target_start(void)
{
    __asm__ volatile(".option push\n\t"
                     ".option norelax\n\t"
                     "li t0, -1\n\t"
                     ".word 0x30429073\n\t"
                     "la sp, target_stack_end\n\t"
                     ".option pop\n\t"
                     "j target_main\n");
}
