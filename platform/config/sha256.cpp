// SPDX-License-Identifier: Apache-2.0
#include "platform/config/sha256.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace ssdvp::platform {
namespace {

using block_state = std::array<std::uint32_t, 8>;

/// FIPS 180-4, section 4.2.2.
constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t rotate_right(std::uint32_t x, unsigned n)
{
    return (x >> n) | (x << (32 - n));
}

std::array<std::uint32_t, 64> schedule(const unsigned char* block)
{
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < 16; ++t) {
        for (std::size_t i = 0; i < 4; ++i) {
            w[t] = (w[t] << 8) | block[4 * t + i];
        }
    }
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t a = w[t - 15];
        const std::uint32_t b = w[t - 2];
        w[t] = w[t - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ (a >> 3)) + w[t - 7] +
               (rotate_right(b, 17) ^ rotate_right(b, 19) ^ (b >> 10));
    }
    return w;
}

void compress(block_state& hash, const unsigned char* block)
{
    const auto w = schedule(block);
    block_state s = hash;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t big1 =
            rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25);
        const std::uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const std::uint32_t t1 = s[7] + big1 + choose + round_constants[t] + w[t];
        const std::uint32_t big0 =
            rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22);
        const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        for (std::size_t i = 7; i > 0; --i) {
            s[i] = s[i - 1];
        }
        s[4] += t1;
        s[0] = t1 + big0 + majority;
    }
    for (std::size_t i = 0; i < 8; ++i) {
        hash[i] += s[i];
    }
}

/// The message, a one bit, zeros, and the length in bits: a multiple of 64 bytes (section 5.1.1).
std::string padded(std::string_view bytes)
{
    std::string message(bytes);
    const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
    message.push_back(static_cast<char>(0x80));
    while (message.size() % 64 != 56) {
        message.push_back('\0');
    }
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        message.push_back(static_cast<char>((bits >> (shift - 8)) & 0xff));
    }
    return message;
}

} // namespace

std::string sha256(std::string_view bytes)
{
    block_state hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const std::string message = padded(bytes);
    const auto* data = reinterpret_cast<const unsigned char*>(message.data());
    for (std::size_t at = 0; at < message.size(); at += 64) {
        compress(hash, data + at);
    }
    std::string hex;
    for (const std::uint32_t word : hash) {
        hex += fmt::format("{:08x}", word);
    }
    return hex;
}

} // namespace ssdvp::platform
