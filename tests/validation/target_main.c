/* SPDX-License-Identifier: Apache-2.0
 *
 * The replay as a program for qemu-user, without a C library: the recording comes from standard
 * input. Four system calls, whose numbers are Linux's for the target (asm-generic/unistd.h; the
 * EABI table for Arm).
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/validation/count_marks.h"
#include "tests/validation/recording.h"
#include "tests/validation/replay.h"

extern const struct firmware_image ssdvp_firmware;
extern const uint8_t firmware_text_begin[];
extern const uint8_t firmware_text_end[];

enum { SRAM_MAX = 1 << 20, DRAM_MAX = 32 << 20 };

static uint8_t sram_bytes[SRAM_MAX] __attribute__((aligned(64)));
static uint8_t dram_bytes[DRAM_MAX] __attribute__((aligned(64)));
static struct replay the_replay;
static uint64_t started_ns, stopped_ns;

void replay_start(void);

/* clock_gettime, the one whose seconds have 64 bits. */
#if UINTPTR_MAX > 0xFFFFFFFFu
#define LONG_CLOCK 113
#else
#define LONG_CLOCK 403
#endif

#if defined(__aarch64__)
enum { CALL_READ = 63, CALL_WRITE = 64, CALL_EXIT = 93, CALL_CLOCK = LONG_CLOCK };
static long system_call(long number, long a, long b, long c)
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
static long system_call(long number, long a, long b, long c)
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
static long system_call(long number, long a, long b, long c)
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

static void put_text(const char* text)
{
    size_t size = 0;
    while (text[size] != 0) {
        ++size;
    }
    system_call(CALL_WRITE, 1, (long)text, (long)size);
}

/* In hexadecimal: a 32-bit core divides no 64 bits without help. */
static void put_number(uint64_t number)
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

static void finish(const char* text, int code)
{
    put_text(text);
    put_text("\n");
    for (;;) {
        system_call(CALL_EXIT, code, 0, 0);
    }
}

static uint64_t now_ns(void)
{
    enum { PROCESS_CPUTIME = 2 };
    int64_t time[2] = {0, 0};
    system_call(CALL_CLOCK, PROCESS_CPUTIME, (long)time, 0);
    return (uint64_t)time[0] * 1000000000u + (uint64_t)time[1];
}

static size_t target_read(void* ctx, uint8_t* to, size_t size)
{
    (void)ctx;
    const long got = system_call(CALL_READ, 0, (long)to, (long)size);
    return got > 0 ? (size_t)got : 0;
}

static uint8_t* target_sram(void* ctx, uint32_t size)
{
    (void)ctx;
    return size <= SRAM_MAX ? sram_bytes : NULL;
}

static uint8_t* target_dram(void* ctx, uint32_t size)
{
    (void)ctx;
    return size <= DRAM_MAX ? dram_bytes : NULL;
}

/* No such file is open: the system call does nothing, but the plugin sees it. */
static void target_mark(void* ctx, uint32_t mark)
{
    (void)ctx;
    *(mark == RECORDING_START ? &started_ns : &stopped_ns) = now_ns();
    system_call(CALL_WRITE, mark == RECORDING_START ? COUNT_MARK_START : COUNT_MARK_STOP, 0, 0);
}

static void target_fail(void* ctx, const char* what, uint64_t call)
{
    (void)ctx;
    put_text("call 0x");
    put_number(call);
    put_text(": ");
    finish(what, 1);
}

static const struct replay_machine machine = {
    .ctx = NULL,
    .read = target_read,
    .sram = target_sram,
    .dram = target_dram,
    .mark = target_mark,
    .fail = target_fail,
};

void replay_start(void)
{
    system_call(CALL_WRITE, COUNT_MARK_TEXT, (long)firmware_text_begin, (long)firmware_text_end);
    playback_open(&the_replay, &machine);
    playback_run(&the_replay, &ssdvp_firmware);
    put_text("ns 0x");
    put_number(stopped_ns - started_ns);
    finish("", 0);
}
