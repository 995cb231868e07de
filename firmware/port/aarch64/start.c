/* SPDX-License-Identifier: Apache-2.0
 *
 * AArch64 (Cortex-R82) start-up at EL1: floating-point registers on, for the compiler copies
 * through them; stack; then the firmware. Interrupts stay masked: the core polls the interrupt
 * controller and sleeps in WFI, which wakes on a masked interrupt too.
 */
#include "firmware/port/target.h"

void target_wait(void)
{
    __asm__ volatile("dsb sy\n\twfi" ::: "memory");
}

void target_halt(void)
{
    for (;;) {
        target_wait();
    }
}

/* CPACR_EL1.FPEN = 11b: no trap. */
__asm__(".section .start, \"ax\"\n\t"
        ".globl target_start\n"
        "target_start:\n\t"
        "msr daifset, #15\n\t"
        "mov x0, #0x300000\n\t"
        "msr cpacr_el1, x0\n\t"
        "isb\n\t"
        "adrp x0, target_stack_end\n\t"
        "add x0, x0, :lo12:target_stack_end\n\t"
        "mov sp, x0\n\t"
        "b target_main\n\t"
        ".text\n");
