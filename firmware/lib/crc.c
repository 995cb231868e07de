/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/lib/crc.h"

/* ---- CRC-16 ---- */

/* P = x^16 + x^12 + x^5 + 1. Squares of a sum over GF(2) are sums of squares, so
 *   x^64 = x^48 + x^20 + 1   modulo P^4, and therefore modulo P,
 *   x^32 = x^24 + x^10 + 1   modulo P^2:
 * a remainder is folded a word at a time, with shifts. What a shift carries beyond the top is
 * folded again; each time it is shorter. */

/* r * x^64 + word, 64 bits of remainder. */
static uint64_t fold(uint64_t r, uint64_t word)
{
    const uint64_t once = (r >> 16) ^ (r >> 44);
    const uint64_t twice = (once >> 16) ^ (once >> 44);
    const uint64_t all = r ^ once ^ twice ^ (twice >> 16);
    return (all << 48) ^ (all << 20) ^ all ^ word;
}

/* r * x^16 modulo P, of 16 bits. */
static uint32_t reduce16(uint32_t r)
{
    const uint32_t once = (r >> 4) ^ (r >> 11);
    const uint32_t twice = (once >> 4) ^ (once >> 11);
    const uint32_t all = r ^ once ^ twice ^ (twice >> 4);
    return ((all << 12) ^ (all << 5) ^ all) & 0xFFFFu;
}

/* r * x^16 modulo P, of 64 bits. */
static uint32_t reduce64(uint64_t r)
{
    const uint32_t high = (uint32_t)(r >> 32);
    const uint32_t once = (high >> 8) ^ (high >> 22);
    const uint32_t twice = (once >> 8) ^ (once >> 22);
    const uint32_t all = high ^ once ^ twice ^ (twice >> 8);
    const uint32_t low = (uint32_t)r ^ (all << 24) ^ (all << 10) ^ all;
    return reduce16(reduce16(low >> 16) ^ (low & 0xFFFFu));
}

/* The bytes of a little-endian word in the order in which the code takes them. */
static uint64_t in_order(uint64_t word)
{
    return __builtin_bswap64(word);
}

uint32_t crc16_words(uint64_t first, const uint64_t* words, uint32_t count)
{
    uint64_t r = in_order(first) ^ ((uint64_t)CRC16_START << 48);
    for (uint32_t i = 0; i < count; ++i) {
        r = fold(r, in_order(words[i]));
    }
    return reduce64(r);
}

/* ---- CRC-32 ---- */

/* Entry [k][v]: what byte v does k bytes further on, from the polynomial EDB88320h. It is a sum
 * over GF(2) of what the byte's bits do, lowest first. */
#define BIT(v, n, does) ((uint32_t)(0u - (((v) >> (n)) & 1u)) & (does))
#define ENTRY(v, b0, b1, b2, b3, b4, b5, b6, b7)                                                   \
    (BIT(v, 0, b0) ^ BIT(v, 1, b1) ^ BIT(v, 2, b2) ^ BIT(v, 3, b3) ^ BIT(v, 4, b4) ^               \
     BIT(v, 5, b5) ^ BIT(v, 6, b6) ^ BIT(v, 7, b7))
#define ROW0(v)                                                                                    \
    ENTRY(v, 0x77073096u, 0xEE0E612Cu, 0x076DC419u, 0x0EDB8832u, 0x1DB71064u, 0x3B6E20C8u,         \
          0x76DC4190u, 0xEDB88320u)
#define ROW1(v)                                                                                    \
    ENTRY(v, 0x191B3141u, 0x32366282u, 0x646CC504u, 0xC8D98A08u, 0x4AC21251u, 0x958424A2u,         \
          0xF0794F05u, 0x3B83984Bu)
#define ROW2(v)                                                                                    \
    ENTRY(v, 0x01C26A37u, 0x0384D46Eu, 0x0709A8DCu, 0x0E1351B8u, 0x1C26A370u, 0x384D46E0u,         \
          0x709A8DC0u, 0xE1351B80u)
#define ROW3(v)                                                                                    \
    ENTRY(v, 0xB8BC6765u, 0xAA09C88Bu, 0x8F629757u, 0xC5B428EFu, 0x5019579Fu, 0xA032AF3Eu,         \
          0x9B14583Du, 0xED59B63Bu)
#define ROW4(v)                                                                                    \
    ENTRY(v, 0x3D6029B0u, 0x7AC05360u, 0xF580A6C0u, 0x30704BC1u, 0x60E09782u, 0xC1C12F04u,         \
          0x58F35849u, 0xB1E6B092u)
#define ROW5(v)                                                                                    \
    ENTRY(v, 0xCB5CD3A5u, 0x4DC8A10Bu, 0x9B914216u, 0xEC53826Du, 0x03D6029Bu, 0x07AC0536u,         \
          0x0F580A6Cu, 0x1EB014D8u)
#define ROW6(v)                                                                                    \
    ENTRY(v, 0xA6770BB4u, 0x979F1129u, 0xF44F2413u, 0x33EF4E67u, 0x67DE9CCEu, 0xCFBD399Cu,         \
          0x440B7579u, 0x8816EAF2u)
#define ROW7(v)                                                                                    \
    ENTRY(v, 0xCCAA009Eu, 0x4225077Du, 0x844A0EFAu, 0xD3E51BB5u, 0x7CBB312Bu, 0xF9766256u,         \
          0x299DC2EDu, 0x533B85DAu)
#define FOUR(row, v) row(v), row((v) + 1u), row((v) + 2u), row((v) + 3u)
#define SIXTEEN(row, v) FOUR(row, v), FOUR(row, (v) + 4u), FOUR(row, (v) + 8u), FOUR(row, (v) + 12u)
#define QUARTER(row, v)                                                                            \
    SIXTEEN(row, v), SIXTEEN(row, (v) + 16u), SIXTEEN(row, (v) + 32u), SIXTEEN(row, (v) + 48u)
#define ALL(row) QUARTER(row, 0u), QUARTER(row, 64u), QUARTER(row, 128u), QUARTER(row, 192u)

static const uint32_t table32[8][256] = {{ALL(ROW0)}, {ALL(ROW1)}, {ALL(ROW2)}, {ALL(ROW3)},
                                         {ALL(ROW4)}, {ALL(ROW5)}, {ALL(ROW6)}, {ALL(ROW7)}};

static uint32_t word_at(const uint8_t* p)
{
    return (uint32_t)p[0] | ((uint32_t)p[1] << 8) | ((uint32_t)p[2] << 16) | ((uint32_t)p[3] << 24);
}

uint32_t crc32(uint32_t crc, const void* data, uint32_t bytes)
{
    const uint8_t* p = data;
    crc = ~crc;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        const uint32_t a = crc ^ word_at(p);
        const uint32_t b = word_at(p + 4);
        crc = table32[7][a & 0xFFu] ^ table32[6][(a >> 8) & 0xFFu] ^ table32[5][(a >> 16) & 0xFFu] ^
              table32[4][a >> 24] ^ table32[3][b & 0xFFu] ^ table32[2][(b >> 8) & 0xFFu] ^
              table32[1][(b >> 16) & 0xFFu] ^ table32[0][b >> 24];
    }
    for (; bytes != 0; --bytes, ++p) {
        crc = (crc >> 8) ^ table32[0][(crc ^ *p) & 0xFFu];
    }
    return ~crc;
}

/* Fletcher, "An Arithmetic Checksum for Serial Transmissions", IEEE Trans. Comm. 30 (1982): with
 * the words w[0] .. w[n - 1], modulo 2^64
 *   sum = 1 + w[0] + ... + w[n - 1],
 *   weighted = n + n * w[0] + (n - 1) * w[1] + ... + w[n - 1].
 * Any one word that differs shows in the pair, and so do two that have changed places, but where
 * they differ in their highest bits alone. Those are folded down, or they could cancel each other
 * out; the multiplications by an odd number bring all bits to the top ones. */
#define MIX UINT64_C(0x9E3779B97F4A7C15) /* 2^64 / golden ratio */

struct content_sums content_sum(const uint64_t* words, uint32_t count)
{
    uint64_t sum = 1;
    uint64_t weighted = 0;
    for (const uint64_t* end = words + count; words != end; words += 16) {
        weighted += sum += words[0]; /* fewer turns: the compiler is told not to unroll */
        weighted += sum += words[1];
        weighted += sum += words[2];
        weighted += sum += words[3];
        weighted += sum += words[4];
        weighted += sum += words[5];
        weighted += sum += words[6];
        weighted += sum += words[7];
        weighted += sum += words[8];
        weighted += sum += words[9];
        weighted += sum += words[10];
        weighted += sum += words[11];
        weighted += sum += words[12];
        weighted += sum += words[13];
        weighted += sum += words[14];
        weighted += sum += words[15];
    }
    return (struct content_sums){sum, weighted};
}

uint32_t content_fold(struct content_sums s)
{
    const uint64_t sum = s.sum ^ s.sum >> 32;
    const uint64_t weighted = s.weighted ^ s.weighted >> 32;
    return (uint32_t)((sum * MIX + weighted) * MIX >> (64 - CONTENT_CHECK_BITS));
}

uint32_t content_check(const uint64_t* words, uint32_t count)
{
    return content_fold(content_sum(words, count));
}
