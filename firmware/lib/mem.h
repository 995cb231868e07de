/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes in memory. The builtins let the compiler expand small copies; the rest reaches the port's
 * memcpy and memset.
 */
#ifndef SSDVP_FIRMWARE_LIB_MEM_H
#define SSDVP_FIRMWARE_LIB_MEM_H

#include <stddef.h>
#include <stdint.h>

static inline void mem_copy(void* to, const void* from, size_t bytes)
{
    __builtin_memcpy(to, from, bytes);
}

static inline void mem_zero(void* to, size_t bytes)
{
    __builtin_memset(to, 0, bytes);
}

static inline void mem_fill(void* to, uint8_t value, size_t bytes)
{
    __builtin_memset(to, value, bytes);
}

/* What a pool is given back, for a build that finds out who still reads it, or takes it without
 * setting it (tests: firmware/CMakeLists.txt). A zero would look like a value, this hardly does. */
static inline void mem_poison(void* from, size_t bytes)
{
#ifdef SSDVP_FW_POISON
    mem_fill(from, 0xA5, bytes);
#else
    (void)from;
    (void)bytes;
#endif
}

/* Little-endian numbers at any address. */
static inline void put16(uint8_t* at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void put32(uint8_t* at, uint32_t value)
{
    put16(at, value & 0xFFFFu);
    put16(at + 2, value >> 16);
}

static inline void put64(uint8_t* at, uint64_t value)
{
    put32(at, (uint32_t)value);
    put32(at + 4, (uint32_t)(value >> 32));
}

static inline uint32_t get16(const uint8_t* at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t get32(const uint8_t* at)
{
    return get16(at) | get16(at + 2) << 16;
}

static inline uint64_t get64(const uint8_t* at)
{
    return get32(at) | (uint64_t)get32(at + 4) << 32;
}

#endif
