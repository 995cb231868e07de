/* SPDX-License-Identifier: Apache-2.0
 *
 * How an image that counts its own cost meets the platform: docs/timing.md. Not for firmware:
 * scripts/fw-build and the project's own build link what is needed.
 *
 * Every source has a table with an entry per basic block; reaching a block adds its entry to
 * `spent`. The platform fills the tables when it loads the image, and empties `spent` at every call
 * of the port.
 */
#ifndef SSDVP_FIRMWARE_PORT_NATIVE_TIMING_H
#define SSDVP_FIRMWARE_PORT_NATIVE_TIMING_H

#include <stddef.h>
#include <stdint.h>

#define FW_TIMING_MAGIC 0x54465353u /* "SSFT" */
#define FW_TIMING_VERSION 4u
#define FW_TIMING_SYMBOL "ssdvp_fw_timing"
#define FW_TIMING_ONE 256 /* units of a cost: 1/256 instruction or cycle */

struct fw_timing_cost {
    int64_t instructions;
    int64_t cycles;
};

#define FW_TIMING_WATCHED 1u   /* its functions tell fw_timing.watch what they do */
#define FW_TIMING_HOST_SIZE 2u /* its costs are guessed from the size of the host's own code */

/* A source of the image; fwtime, or host_size.py, writes these. */
struct fw_timing_module {
    const char* name;
    uint64_t hash; /* of the code that was marked */
    uint64_t blocks;
    struct fw_timing_cost* table;
    uint64_t flags; /* FW_TIMING_WATCHED, ... */
    /* Blocks tell fw_timing.watch when they run, by their number in the image: the platform puts
     * that of the first one here. Null: they do not. */
    uint64_t* first_block;
    uint64_t all_blocks; /* counted or not */
};

/* Bytes of which a memory function's cost is one unit of `rest`, beyond the first ones. */
#define FW_TIMING_STRIDE 32u

/* How a memory function moves its bytes: upwards, by what both addresses allow, or downwards. */
enum fw_timing_way {
    FW_TIMING_WIDE,   /* their difference is a multiple of 8 */
    FW_TIMING_NARROW, /* ... of 4 */
    FW_TIMING_BYTES,
    FW_TIMING_DOWN, /* the same three */
    FW_TIMING_WAYS = 2 * FW_TIMING_DOWN
};

/* A memory function of the port, whose own loop tells what a call costs. */
struct fw_timing_memory {
    const char* name;
    /* Charges `bytes`, by the loop and by `rest`. */
    void (*call)(void* to, const void* from, size_t bytes);
    struct fw_timing_cost rest[FW_TIMING_WAYS]; /* per stride */
};
#define FW_TIMING_MEMORY_FUNCTIONS 4u

/* What a core of 32 bits calls routines of the port for (firmware/port/divide.c). */
enum fw_timing_operation {
    FW_TIMING_UDIV,
    FW_TIMING_UREM,
    FW_TIMING_SDIV,
    FW_TIMING_SREM,
    FW_TIMING_UDIVREM, /* both results by one call */
    FW_TIMING_SDIVREM,
    FW_TIMING_OPERATIONS
};

/* Each call of a routine is charged what one with small operands costs. Where they are not small
 * the image runs the routine, which adds what its own blocks cost. */
struct fw_timing_routine {
    void (*run)(uint64_t a, uint64_t b);
    uint64_t used;              /* the core calls it */
    struct fw_timing_cost more; /* what is to be added then, most of it negative */
};

/* Where functions and blocks of an image that was built for it tell what they do. */
struct fw_timing_watch {
    void (*enter)(void* ctx, const char* function);
    void (*leave)(void* ctx);
    void (*fetch)(void* ctx, uint64_t block);
    void* ctx;
};

/* The tables serve one kind of core at a time: who filled them, and how many use them. */
struct fw_timing_binding {
    uint64_t key;
    uint64_t users;
};

/* Functions add to them in turn: to one that its caller does not add to, most of the time. */
#define FW_TIMING_ACCOUNTS 4u

struct fw_timing {
    uint32_t magic;
    uint32_t version;
    const struct fw_timing_module* first;
    const struct fw_timing_module* end;
    struct fw_timing_cost* spent;       /* FW_TIMING_ACCOUNTS of them, whose sum counts */
    struct fw_timing_memory* memory;    /* FW_TIMING_MEMORY_FUNCTIONS of them */
    struct fw_timing_routine* routines; /* FW_TIMING_OPERATIONS of them */
    struct fw_timing_watch* watch;
    struct fw_timing_binding* binding;
};

#endif
