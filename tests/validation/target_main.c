/* SPDX-License-Identifier: Apache-2.0
 *
 * The replay as a program for qemu-user, without a C library: the recording comes from standard
 * input.
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/validation/count_marks.h"
#include "tests/validation/recording.h"
#include "tests/validation/replay.h"
#include "tests/validation/target_system.h"

extern const struct firmware_image ssdvp_firmware;
extern const uint8_t firmware_text_begin[];
extern const uint8_t firmware_text_end[];

enum { SRAM_MAX = 1 << 20, DRAM_MAX = 32 << 20 };

static uint8_t sram_bytes[SRAM_MAX] __attribute__((aligned(64)));
static uint8_t dram_bytes[DRAM_MAX] __attribute__((aligned(64)));
static struct replay the_replay;
static uint64_t started_ns, stopped_ns;

void replay_start(void);

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
