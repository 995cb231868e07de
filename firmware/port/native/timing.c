/* SPDX-License-Identifier: Apache-2.0
 *
 * What a timed image has beside its sources: the account, the memory functions, the descriptor.
 * Compiled plainly: nothing of it costs simulated time.
 */
#include "firmware/port/native/timing.h"

/* What blocks add to. One pair of lanes: the compiled code adds both at once. */
struct fw_timing_cost ssdvp_fw_spent[FW_TIMING_ACCOUNTS]
    __attribute__((visibility("hidden"), aligned(16)));

void* ssdvp_fw_memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* ssdvp_fw_memset(void* to, int value, size_t bytes);
void* ssdvp_fw_memmove(void* to, const void* from, size_t bytes);
void ssdvp_fw_enter(const char* function);
void ssdvp_fw_leave(void);

/* firmware/port/memory.c, marked like any source and under names of its own. */
void* ssdvp_port_memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* ssdvp_port_memset(void* to, int value, size_t bytes);

enum memory_function { COPY, SET, MOVE };

static void call_copy(void* to, const void* from, size_t bytes)
{
    (void)ssdvp_fw_memcpy(to, from, bytes);
}

static void call_set(void* to, const void* from, size_t bytes)
{
    (void)from;
    (void)ssdvp_fw_memset(to, 0, bytes);
}

static void call_move(void* to, const void* from, size_t bytes)
{
    (void)ssdvp_fw_memmove(to, from, bytes);
}

static struct fw_timing_memory memory[FW_TIMING_MEMORY_FUNCTIONS] = {
    {"memcpy", call_copy, {{0, 0}, {0, 0}}},
    {"memset", call_set, {{0, 0}, {0, 0}}},
    {"memmove", call_move, {{0, 0}, {0, 0}}},
};

static struct fw_timing_watch watch;
static struct fw_timing_binding binding;

/* How much of a call the port's own loop does: one stride and what is no whole stride. Every more
 * stride costs the same again, and is done by the host's functions. */
static size_t looped(size_t bytes)
{
    const size_t least = FW_TIMING_STRIDE;
    return bytes < 2 * least ? bytes : least + bytes % FW_TIMING_STRIDE;
}

static void charge_rest(enum memory_function f, uintptr_t pointers, size_t bytes)
{
    const struct fw_timing_cost* cost = &memory[f].rest[(pointers & 3u) != 0 ? 1 : 0];
    const int64_t strides = (int64_t)(bytes / FW_TIMING_STRIDE);
    ssdvp_fw_spent[0].instructions += strides * cost->instructions;
    ssdvp_fw_spent[0].cycles += strides * cost->cycles;
}

void* ssdvp_fw_memcpy(void* restrict to, const void* restrict from, size_t bytes)
{
    const size_t head = looped(bytes);
    charge_rest(COPY, (uintptr_t)to | (uintptr_t)from, bytes - head);
    __builtin_memcpy((uint8_t*)to + head, (const uint8_t*)from + head, bytes - head);
    return ssdvp_port_memcpy(to, from, head);
}

void* ssdvp_fw_memset(void* to, int value, size_t bytes)
{
    const size_t head = looped(bytes);
    charge_rest(SET, (uintptr_t)to, bytes - head);
    __builtin_memset((uint8_t*)to + head, value, bytes - head);
    return ssdvp_port_memset(to, value, head);
}

/* The port has none of its own: it costs what a copy costs. */
void* ssdvp_fw_memmove(void* to, const void* from, size_t bytes)
{
    const size_t head = looped(bytes);
    uint8_t scratch[2 * FW_TIMING_STRIDE];
    uint8_t copy[2 * FW_TIMING_STRIDE];
    charge_rest(MOVE, (uintptr_t)to | (uintptr_t)from, bytes - head);
    __builtin_memcpy(scratch, from, head);
    __builtin_memmove((uint8_t*)to + head, (const uint8_t*)from + head, bytes - head);
    (void)ssdvp_port_memcpy(copy, scratch, head);
    __builtin_memcpy(to, copy, head);
    return to;
}

void ssdvp_fw_enter(const char* function)
{
    if (watch.enter != 0) {
        watch.enter(watch.ctx, function);
    }
}

void ssdvp_fw_leave(void)
{
    if (watch.leave != 0) {
        watch.leave(watch.ctx);
    }
}

/* The linker's names for the ends of the section that fwtime writes to. */
extern const struct fw_timing_module __start_ssdvp_fw_timing[]
    __attribute__((visibility("hidden")));
extern const struct fw_timing_module __stop_ssdvp_fw_timing[] __attribute__((visibility("hidden")));

extern const struct fw_timing ssdvp_fw_timing;
__attribute__((visibility("default"), used)) const struct fw_timing ssdvp_fw_timing = {
    FW_TIMING_MAGIC,
    FW_TIMING_VERSION,
    __start_ssdvp_fw_timing,
    __stop_ssdvp_fw_timing,
    ssdvp_fw_spent,
    memory,
    &watch,
    &binding,
};
