/* SPDX-License-Identifier: Apache-2.0
 *
 * System calls of a program for qemu-user without a C library. The numbers are Linux's for the
 * target (asm-generic/unistd.h; the EABI table for Arm).
 */
#ifndef SSDVP_TESTS_VALIDATION_TARGET_SYSTEM_H
#define SSDVP_TESTS_VALIDATION_TARGET_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

/* clock_gettime, the one whose seconds have 64 bits. */
#if UINTPTR_MAX > 0xFFFFFFFFu
#define LONG_CLOCK 113
#else
#define LONG_CLOCK 403
#endif

#if defined(__aarch64__)
enum { CALL_READ = 63, CALL_WRITE = 64, CALL_EXIT = 93, CALL_CLOCK = LONG_CLOCK };
static inline long system_call(long number, long a, long b, long c)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
#elif defined(__riscv)
enum { CALL_READ = 63, CALL_WRITE = 64, CALL_EXIT = 93, CALL_CLOCK = LONG_CLOCK };
static inline long system_call(long number, long a, long b, long c)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
    return a0;
}
#else
enum { CALL_READ = 3, CALL_WRITE = 4, CALL_EXIT = 1, CALL_CLOCK = LONG_CLOCK };
/* Thumb code keeps its frame pointer in r7, so the number reaches it by hand. */
static inline long system_call(long number, long a, long b, long c)
{
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    register long r3 __asm__("r3") = number;
    __asm__ volatile("push {r7}\n\tmov r7, r3\n\tsvc #0\n\tpop {r7}"
                     : "+r"(r0)
                     : "r"(r1), "r"(r2), "r"(r3)
                     : "memory");
    return r0;
}
#endif

static inline void put_text(const char* text)
{
    size_t size = 0;
    while (text[size] != 0) {
        ++size;
    }
    system_call(CALL_WRITE, 1, (long)text, (long)size);
}

/* In hexadecimal: a 32-bit core divides no 64 bits without help. */
static inline void put_number(uint64_t number)
{
    char digits[17];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do {
        digits[--at] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (number != 0);
    put_text(digits + at);
}

static inline void finish(const char* text, int code)
{
    put_text(text);
    put_text("\n");
    for (;;) {
        system_call(CALL_EXIT, code, 0, 0);
    }
}

#endif
