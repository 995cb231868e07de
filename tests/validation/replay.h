/* SPDX-License-Identifier: Apache-2.0
 *
 * Drives a firmware with a recording (recording.h). Freestanding C: the same file runs on the host
 * and on each target, and calls neither memcpy nor memset, whose instructions are firmware's.
 */
#ifndef SSDVP_TESTS_VALIDATION_REPLAY_H
#define SSDVP_TESTS_VALIDATION_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "firmware/hal/hal.h"

/* What the machine gives to the replay. */
struct replay_machine {
    void* ctx;
    /* The next bytes of the recording, as many as there are; 0 = its end. */
    size_t (*read)(void* ctx, uint8_t* to, size_t size);
    /* SRAM and DRAM, zeroes; NULL = there is not so much. */
    uint8_t* (*sram)(void* ctx, uint32_t size);
    uint8_t* (*dram)(void* ctx, uint32_t size);
    void (*mark)(void* ctx, uint32_t mark);
    /* The firmware does something else than it did: the number of the call. Never returns. */
    void (*fail)(void* ctx, const char* what, uint64_t call);
};

struct replay {
    const struct replay_machine* machine;
    struct hal hal;
    struct hal_ops ops;
    uint32_t sram_size;
    uint32_t dram_size;
    uint64_t calls;
    int alone; /* no firmware runs: what it would have written is not there */
    size_t at;
    size_t filled;
    uint8_t buffer[1u << 16];
};

/* Reads the header and prepares memory. */
void playback_open(struct replay* r, const struct replay_machine* machine);
/* From reset until the firmware returns, which the recording must agree to. */
void playback_run(struct replay* r, const struct firmware_image* image);
/* Likewise without a firmware: what the replay itself costs. */
void playback_alone(struct replay* r);

#endif
