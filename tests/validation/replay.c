/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validation/replay.h"

#include "tests/validation/recording.h"

enum { PIECE = 4096 }; /* of memory, at once: smaller than the buffer */

static void fail(struct replay* r, const char* what)
{
    r->machine->fail(r->machine->ctx, what, r->calls);
}

/* Makes so many bytes lie side by side in the buffer, which is larger than any record's fields. */
static const uint8_t* next_bytes(struct replay* r, size_t size)
{
    if (r->filled - r->at < size) {
        const size_t left = r->filled - r->at;
        for (size_t i = 0; i < left; ++i) {
            r->buffer[i] = r->buffer[r->at + i];
        }
        r->at = 0;
        r->filled = left;
        while (r->filled < size) {
            const size_t got = r->machine->read(r->machine->ctx, r->buffer + r->filled,
                                                sizeof r->buffer - r->filled);
            if (got == 0) {
                fail(r, "the recording ends before the firmware does");
            }
            r->filled += got;
        }
    }
    const uint8_t* bytes = r->buffer + r->at;
    r->at += size;
    return bytes;
}

static uint32_t next32(struct replay* r)
{
    const uint8_t* b = next_bytes(r, 4);
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint64_t next64(struct replay* r)
{
    const uint32_t low = next32(r);
    return low | (uint64_t)next32(r) << 32;
}

static void take_bytes(uint8_t* to, const uint8_t* bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; ++i) {
        to[i] = bytes[i];
    }
}

static void compare_bytes(struct replay* r, const uint8_t* to, const uint8_t* bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; ++i) {
        if (to[i] != bytes[i]) {
            fail(r, "firmware left other bytes in memory");
        }
    }
}

/* Bytes that a device wrote, or that firmware must have written. */
static void next_memory(struct replay* r, int expect)
{
    const uint64_t address = next64(r);
    uint32_t size = next32(r);
    const int in_dram = address >= MAP_DRAM_BASE;
    const uint64_t end = in_dram ? MAP_DRAM_BASE + r->dram_size : MAP_SRAM_BASE + r->sram_size;
    if (address < MAP_SRAM_BASE || size > end || address > end - size) {
        fail(r, "the recording has memory that is not there");
    }
    uint8_t* to = hal_pointer(&r->hal, address);
    while (size != 0) {
        const uint32_t piece = size < PIECE ? size : PIECE;
        const uint8_t* bytes = next_bytes(r, piece);
        if (!expect) {
            take_bytes(to, bytes, piece);
        } else if (!r->alone) {
            compare_bytes(r, to, bytes, piece);
        }
        to += piece;
        size -= piece;
    }
}

/* What happened until the next call, which must be one of this kind. */
static void next_call(struct replay* r, uint8_t kind)
{
    ++r->calls;
    for (;;) {
        const uint8_t found = *next_bytes(r, 1);
        if (found == RECORDING_MEMORY || found == RECORDING_EXPECT) {
            next_memory(r, found == RECORDING_EXPECT);
        } else if (found == RECORDING_MARK) {
            r->machine->mark(r->machine->ctx, next32(r));
        } else if (found == kind) {
            return;
        } else {
            fail(r, "firmware makes another call of its port");
        }
    }
}

static uint32_t replay_read32(void* ctx, uint64_t address)
{
    struct replay* r = ctx;
    next_call(r, RECORDING_READ);
    if (next64(r) != address) {
        fail(r, "firmware reads another register");
    }
    return next32(r);
}

static void replay_write32(void* ctx, uint64_t address, uint32_t value)
{
    struct replay* r = ctx;
    next_call(r, RECORDING_WRITE);
    if (next64(r) != address) {
        fail(r, "firmware writes another register");
    }
    if (next32(r) != value) {
        fail(r, "firmware writes another value");
    }
}

static uint64_t replay_wait_irq(void* ctx)
{
    struct replay* r = ctx;
    next_call(r, RECORDING_WAIT);
    return next64(r);
}

static uint64_t replay_time_ns(void* ctx)
{
    struct replay* r = ctx;
    next_call(r, RECORDING_TIME);
    return next64(r);
}

static void replay_log(void* ctx, int level, const char* message, uint64_t a, uint64_t b)
{
    struct replay* r = ctx;
    (void)message;
    (void)a;
    (void)b;
    next_call(r, RECORDING_LOG);
    if (next32(r) != (uint32_t)level) {
        fail(r, "firmware logs at another level");
    }
}

static __attribute__((noreturn)) void replay_panic(void* ctx, const char* file, int line,
                                                   const char* message)
{
    (void)file;
    (void)line;
    fail(ctx, message);
    __builtin_trap();
}

static int replay_stopping(void* ctx)
{
    struct replay* r = ctx;
    next_call(r, RECORDING_STOPPING);
    return (int)next32(r);
}

void playback_open(struct replay* r, const struct replay_machine* machine)
{
    r->machine = machine;
    r->calls = 0;
    r->alone = 0;
    r->at = 0;
    r->filled = 0;
    r->ops.read32 = replay_read32;
    r->ops.write32 = replay_write32;
    r->ops.wait_irq = replay_wait_irq;
    r->ops.time_ns = replay_time_ns;
    r->ops.log = replay_log;
    r->ops.panic = replay_panic;
    r->ops.stopping = replay_stopping;
    r->hal.ops = &r->ops;
    r->hal.ctx = r;
    if (next32(r) != RECORDING_MAGIC || next32(r) != RECORDING_VERSION) {
        fail(r, "this is no recording of this version");
    }
    r->sram_size = next32(r);
    r->dram_size = next32(r);
    r->hal.sram = machine->sram(machine->ctx, r->sram_size);
    r->hal.dram = machine->dram(machine->ctx, r->dram_size);
    if (r->hal.sram == NULL || r->hal.dram == NULL) {
        fail(r, "the recording's memory is larger than the replay's");
    }
    next_call(r, RECORDING_RESET);
}

void playback_run(struct replay* r, const struct firmware_image* image)
{
    image->main(&r->hal);
    next_call(r, RECORDING_END);
}

/* Bytes of a call's record, by kind. */
static uint32_t answer_bytes(uint8_t kind)
{
    switch (kind) {
    case RECORDING_READ:
    case RECORDING_WRITE:
        return 12;
    case RECORDING_WAIT:
    case RECORDING_TIME:
        return 8;
    default:
        return 4;
    }
}

void playback_alone(struct replay* r)
{
    r->alone = 1;
    for (;;) {
        const uint8_t kind = *next_bytes(r, 1);
        if (kind == RECORDING_END) {
            return;
        }
        if (kind == RECORDING_MEMORY || kind == RECORDING_EXPECT) {
            next_memory(r, kind == RECORDING_EXPECT);
        } else if (kind == RECORDING_MARK) {
            r->machine->mark(r->machine->ctx, next32(r));
        } else {
            ++r->calls;
            (void)next_bytes(r, answer_bytes(kind));
        }
    }
}
