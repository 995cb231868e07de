/* SPDX-License-Identifier: Apache-2.0
 *
 * Division of 64-bit numbers for Cortex-R by the names that compilers call there. What both numbers
 * of which are below 2^32, as firmware's units and pages mostly are, is divided by the core (Arm
 * Architecture Reference Manual, Armv7-R: UDIV in Thumb); all else by firmware/port/divide.c.
 *
 * Run-time ABI for the Arm Architecture, 4.3.1: numerator in r0 and r1, denominator in r2 and r3;
 * quotient in r0 and r1, remainder in r2 and r3. Assembly, because C returns no such pair. The
 * short way is 6 instructions, what the long one puts around its call 9:
 * platform/ssd/firmware_timing.cpp charges them.
 */
#define DIVIDE_BY(routine)                                                                         \
    __asm__ volatile("orrs r12, r1, r3\n\t"                                                        \
                     "bne 1f\n\t"                                                                  \
                     "udiv r12, r0, r2\n\t"                                                        \
                     "mls r2, r12, r2, r0\n\t"                                                     \
                     "mov r0, r12\n\t" /* r1 and r3 are 0 already */                               \
                     "bx lr\n"                                                                     \
                     "1:\n\t"                                                                      \
                     "sub sp, sp, #8\n\t" /* the remainder; its address is the fifth argument */   \
                     "mov r12, sp\n\t"                                                             \
                     "push {r12, lr}\n\t"                                                          \
                     "bl " routine "\n\t"                                                          \
                     "ldr lr, [sp, #4]\n\t"                                                        \
                     "add sp, sp, #8\n\t"                                                          \
                     "pop {r2, r3}\n\t"                                                            \
                     "bx lr\n")

__attribute__((naked)) void __aeabi_uldivmod(void);
__attribute__((naked)) void __aeabi_uldivmod(void)
{
    DIVIDE_BY("__udivmoddi4");
}

__attribute__((naked)) void __aeabi_ldivmod(void);
__attribute__((naked)) void __aeabi_ldivmod(void)
{
    DIVIDE_BY("__divmoddi4");
}
