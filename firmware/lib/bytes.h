/* SPDX-License-Identifier: Apache-2.0
 *
 * Little-endian numbers at any address.
 */
#ifndef SSDVP_FIRMWARE_LIB_BYTES_H
#define SSDVP_FIRMWARE_LIB_BYTES_H

#include <stdint.h>

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
