// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/errors/bit_errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ssdvp::flash {

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;
constexpr double poisson_mean_max = 30.0;
constexpr double two_to_53 = 9007199254740992.0;
constexpr std::uint64_t count_stream = 0xC0;    // of a code word: how many
constexpr std::uint64_t position_stream = 0x90; // and where

std::uint64_t word_key(std::uint64_t key, std::uint32_t word, std::uint64_t stream)
{
    return random_at(key, (std::uint64_t{word} << 8) | stream);
}

/// Inversion: the first n whose cumulative probability exceeds u.
std::uint32_t poisson(double mean, double u, std::uint32_t most)
{
    double p = exp_minus(mean);
    double sum = p;
    std::uint32_t n = 0;
    while (u >= sum && n < most) {
        ++n;
        p *= mean / n;
        sum += p;
        if (p == 0.0) {
            break; // u lies in what rounding left over
        }
    }
    return n;
}

/// Distinct positions: a bijection of the numbers below `bits`, a power of two.
std::uint32_t position(std::uint64_t key, std::uint32_t i, std::uint32_t bits)
{
    const std::uint32_t mask = bits - 1;
    const auto step = static_cast<std::uint32_t>(key >> 32) | 1u;
    std::uint32_t x = (i * step + static_cast<std::uint32_t>(key)) & mask;
    unsigned half = 1;
    while ((1u << (2 * half)) < bits) {
        ++half;
    }
    x ^= x >> half;
    x = (x * 0x2545F491u) & mask;
    return x ^ (x >> half);
}

/// fn(byte of the page, bit) for each error of the code word that lies in the piece.
template <typename Fn>
void for_each_error(const page_piece& piece, const word_errors& errors, Fn fn)
{
    const std::uint64_t key = word_key(errors.key, errors.word, position_stream);
    const std::uint32_t begin = errors.word * errors.bytes;
    for (std::uint32_t i = 0; i < errors.count; ++i) {
        const std::uint32_t bit = position(key, i, errors.bytes * 8);
        const std::uint32_t byte = begin + bit / 8;
        if (byte >= piece.column && byte - piece.column < piece.length) {
            fn(byte, bit % 8);
        }
    }
}

void flip(const page_piece& piece, const word_errors& errors)
{
    for_each_error(piece, errors, [&](std::uint32_t byte, std::uint32_t bit) {
        piece.to[byte - piece.column] ^= static_cast<unsigned char>(1u << bit);
    });
}

/// The amounts are positive and their sum over all bits of a sector is below 2^24.
void shift_tags(const page_piece& piece, const word_errors& errors, bool back)
{
    for_each_error(piece, errors, [&](std::uint32_t byte, std::uint32_t bit) {
        const std::uint64_t amount = std::uint64_t{byte % sector_size} * 8 + bit + 1;
        unsigned char* at = piece.to + (byte - piece.column) / sector_size * sector_size;
        std::uint64_t tag;
        std::memcpy(&tag, at, sizeof tag);
        tag = back ? tag - amount : tag + amount;
        std::memcpy(at, &tag, sizeof tag);
    });
}

void change(const page_piece& piece, const word_errors& errors, bool back)
{
    if (piece.form == data_form::bytes) {
        flip(piece, errors);
    } else if (piece.form == data_form::tags) {
        shift_tags(piece, errors, back);
    }
}

} // namespace

std::uint64_t random_at(std::uint64_t key, std::uint64_t n)
{
    std::uint64_t z = key + (n + 1) * golden;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

double uniform_at(std::uint64_t key, std::uint64_t n)
{
    return static_cast<double>(random_at(key, n) >> 11) / two_to_53;
}

double deviate_at(std::uint64_t key, std::uint64_t n)
{
    const std::uint64_t own = random_at(key, n);
    double sum = -6.0;
    for (std::uint64_t i = 0; i < 12; ++i) {
        sum += uniform_at(own, i);
    }
    return sum;
}

double exp_minus(double x)
{
    const double y = -x / 64.0;
    double term = 1.0;
    double sum = 1.0;
    for (int i = 1; i <= 14; ++i) {
        term *= y / i;
        sum += term;
    }
    for (int i = 0; i < 6; ++i) {
        sum *= sum;
    }
    return sum;
}

std::uint32_t bits_in_word(const page_noise& noise, std::uint32_t word, std::uint32_t bytes)
{
    const std::uint32_t bits = bytes * 8;
    const double mean = noise.rber * bits;
    const std::uint64_t key = word_key(noise.key, word, count_stream);
    if (mean <= poisson_mean_max) {
        return poisson(mean, uniform_at(key, 0), bits);
    }
    const double spread = std::sqrt(mean * (1.0 - noise.rber));
    const double drawn = std::floor(mean + spread * deviate_at(key, 0) + 0.5);
    return static_cast<std::uint32_t>(std::clamp(drawn, 0.0, static_cast<double>(bits)));
}

void spoil(const page_piece& piece, const word_errors& errors)
{
    change(piece, errors, false);
}

void restore(const page_piece& piece, const word_errors& errors)
{
    change(piece, errors, true);
}

} // namespace ssdvp::flash
