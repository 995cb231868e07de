/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/lib/random.h"

void shuffle_init(struct shuffle* s, uint64_t count, struct random_source* random)
{
    uint32_t root = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit >>= 1) {
        const uint64_t more = root | bit;
        root = more * more <= count ? (uint32_t)more : root;
    }
    s->count = count;
    s->low = root;
    s->high = (uint32_t)((count + root - 1) / root);
    for (uint32_t i = 0; i < SHUFFLE_ROUNDS; ++i) {
        s->key[i] = (uint32_t)random_next(random);
    }
}

/* A number below n that hangs on all bits of the digit and the key. */
static uint32_t hash(uint32_t digit, uint32_t key, uint32_t n)
{
    uint32_t x = (digit ^ key) * UINT32_C(0x9E3779B1);
    x = (x ^ (x >> 15)) * UINT32_C(0x85EBCA77);
    x = (x ^ (x >> 13)) * UINT32_C(0xC2B2AE3D);
    return random_share(x, n);
}

/* digit + more modulo n; both are below n. */
static uint32_t turned(uint32_t digit, uint32_t more, uint32_t n)
{
    return more < n - digit ? digit + more : digit - (n - more);
}

uint64_t shuffle_at(const struct shuffle* s, uint64_t index)
{
    uint64_t at = index;
    do {
        uint32_t high = (uint32_t)(at / s->low);
        uint32_t low = (uint32_t)(at - (uint64_t)high * s->low);
        for (uint32_t i = 0; i < SHUFFLE_ROUNDS; i += 2) {
            high = turned(high, hash(low, s->key[i], s->high), s->high);
            low = turned(low, hash(high, s->key[i + 1], s->low), s->low);
        }
        at = (uint64_t)high * s->low + low;
    } while (at >= s->count);
    return at;
}
