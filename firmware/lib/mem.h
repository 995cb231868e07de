/* SPDX-License-Identifier: Apache-2.0
 *
 * The two memory functions that firmware uses. The builtins let the compiler expand small ones;
 * the rest reaches the port's memcpy and memset.
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

#endif
