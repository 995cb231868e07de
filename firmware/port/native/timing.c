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
int ssdvp_fw_memcmp(const void* one, const void* other, size_t bytes);
void ssdvp_fw_divide(uint32_t operation, uint64_t n, uint64_t d);
void ssdvp_fw_enter(const char* function);
void ssdvp_fw_leave(void);
void ssdvp_fw_fetch(uint64_t block);

/* firmware/port/memory.c, marked like any source and under names of its own. */
void* ssdvp_port_memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* ssdvp_port_memset(void* to, int value, size_t bytes);
void* ssdvp_port_memmove(void* to, const void* from, size_t bytes);
int ssdvp_port_memcmp(const void* one, const void* other, size_t bytes);

/* firmware/port/divide.c, likewise. */
uint64_t ssdvp_port_udivmod(uint64_t n, uint64_t d, uint64_t* rest);
int64_t ssdvp_port_divmod(int64_t n, int64_t d, int64_t* rest);
uint64_t ssdvp_port_udiv(uint64_t n, uint64_t d);
uint64_t ssdvp_port_umod(uint64_t n, uint64_t d);
int64_t ssdvp_port_div(int64_t n, int64_t d);
int64_t ssdvp_port_mod(int64_t n, int64_t d);

enum memory_function { COPY, SET, MOVE, COMPARE };

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

static void call_compare(void* to, const void* from, size_t bytes)
{
    (void)ssdvp_fw_memcmp(to, from, bytes);
}

static struct fw_timing_memory memory[FW_TIMING_MEMORY_FUNCTIONS] = {
    {"memcpy", call_copy, {{0, 0}}},
    {"memset", call_set, {{0, 0}}},
    {"memmove", call_move, {{0, 0}}},
    {"memcmp", call_compare, {{0, 0}}},
};

static void run_udiv(uint64_t n, uint64_t d)
{
    (void)ssdvp_port_udiv(n, d);
}

static void run_urem(uint64_t n, uint64_t d)
{
    (void)ssdvp_port_umod(n, d);
}

static void run_sdiv(uint64_t n, uint64_t d)
{
    (void)ssdvp_port_div((int64_t)n, (int64_t)d);
}

static void run_srem(uint64_t n, uint64_t d)
{
    (void)ssdvp_port_mod((int64_t)n, (int64_t)d);
}

static void run_udivrem(uint64_t n, uint64_t d)
{
    uint64_t rest = 0;
    (void)ssdvp_port_udivmod(n, d, &rest);
}

static void run_sdivrem(uint64_t n, uint64_t d)
{
    int64_t rest = 0;
    (void)ssdvp_port_divmod((int64_t)n, (int64_t)d, &rest);
}

static struct fw_timing_routine routines[FW_TIMING_OPERATIONS] = {
    [FW_TIMING_UDIV] = {run_udiv, 0, {0, 0}},       [FW_TIMING_UREM] = {run_urem, 0, {0, 0}},
    [FW_TIMING_SDIV] = {run_sdiv, 0, {0, 0}},       [FW_TIMING_SREM] = {run_srem, 0, {0, 0}},
    [FW_TIMING_UDIVREM] = {run_udivrem, 0, {0, 0}}, [FW_TIMING_SDIVREM] = {run_sdivrem, 0, {0, 0}},
};

static struct fw_timing_watch watch;
static struct fw_timing_binding binding;

/* How much of a call the port's own loop does: two strides and what is no whole stride. Every more
 * stride costs the same again, and is done by the host's functions. */
static size_t looped(size_t bytes)
{
    const size_t least = (size_t)2 * FW_TIMING_STRIDE;
    return bytes < least + FW_TIMING_STRIDE ? bytes : least + bytes % FW_TIMING_STRIDE;
}

static void charge_rest(enum memory_function f, unsigned way, size_t bytes)
{
    const struct fw_timing_cost* cost = &memory[f].rest[way];
    const int64_t strides = (int64_t)(bytes / FW_TIMING_STRIDE);
    ssdvp_fw_spent[0].instructions += strides * cost->instructions;
    ssdvp_fw_spent[0].cycles += strides * cost->cycles;
}

static unsigned way_of(const void* to, const void* from)
{
    const uintptr_t apart = (uintptr_t)to ^ (uintptr_t)from;
    return (apart & 7u) == 0   ? FW_TIMING_WIDE
           : (apart & 3u) == 0 ? FW_TIMING_NARROW
                               : FW_TIMING_BYTES;
}

void* ssdvp_fw_memcpy(void* restrict to, const void* restrict from, size_t bytes)
{
    const size_t head = looped(bytes);
    if (head != bytes) {
        charge_rest(COPY, way_of(to, from), bytes - head);
        __builtin_memcpy((uint8_t*)to + head, (const uint8_t*)from + head, bytes - head);
    }
    return ssdvp_port_memcpy(to, from, head);
}

void* ssdvp_fw_memset(void* to, int value, size_t bytes)
{
    const size_t head = looped(bytes);
    if (head != bytes) {
        charge_rest(SET, FW_TIMING_WIDE, bytes - head);
        __builtin_memset((uint8_t*)to + head, value, bytes - head);
    }
    return ssdvp_port_memset(to, value, head);
}

/* Where the bytes overlap, the port's loop runs on others that lie as these do. */
void* ssdvp_fw_memmove(void* to, const void* from, size_t bytes)
{
    const size_t head = looped(bytes);
    if (head == bytes) {
        return ssdvp_port_memmove(to, from, bytes);
    }
    uint64_t scratch[4 * FW_TIMING_STRIDE / sizeof(uint64_t)] = {0};
    const uintptr_t delta = (uintptr_t)to - (uintptr_t)from;
    const int down = delta < bytes;
    uint8_t* const lower = (uint8_t*)scratch + ((uintptr_t)from & 7u);
    uint8_t* const upper = lower + ((delta & 7u) == 0 ? 8 : delta & 7u);
    charge_rest(MOVE, way_of(to, from) + (down ? FW_TIMING_DOWN : 0), bytes - head);
    if (down) {
        (void)ssdvp_port_memmove(upper, lower, head);
    } else {
        (void)ssdvp_port_memmove((uint8_t*)scratch + ((uintptr_t)to & 7u), lower + 8, head);
    }
    return __builtin_memmove(to, from, bytes);
}

/* Its cost is where the difference is: always by the loop. */
int ssdvp_fw_memcmp(const void* one, const void* other, size_t bytes)
{
    return ssdvp_port_memcmp(one, other, bytes);
}

static void charge_routine(const struct fw_timing_routine* r, uint64_t n, uint64_t d)
{
    if (r->used != 0) {
        r->run(n, d);
        ssdvp_fw_spent[0].instructions += r->more.instructions;
        ssdvp_fw_spent[0].cycles += r->more.cycles;
    }
}

/* Called where firmware is about to divide and an operand has more than 32 bits. A core has one
 * kind of routine or the other; one of 64 bits has none. The firmware itself faults if d is 0. */
void ssdvp_fw_divide(uint32_t operation, uint64_t n, uint64_t d)
{
    const int is_signed = operation == FW_TIMING_SDIV || operation == FW_TIMING_SREM;
    if (d != 0) {
        charge_routine(&routines[operation], n, d);
        charge_routine(&routines[is_signed ? FW_TIMING_SDIVREM : FW_TIMING_UDIVREM], n, d);
    }
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

void ssdvp_fw_fetch(uint64_t block)
{
    if (watch.fetch != 0) {
        watch.fetch(watch.ctx, block);
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
    routines,
    &watch,
    &binding,
};
