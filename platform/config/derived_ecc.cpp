// SPDX-License-Identifier: Apache-2.0
//
// What the code of the pages takes of their spare bytes.
#include <algorithm>
#include <cmath>

#include "platform/config/derived.h"

namespace ssdvp::platform {

bool pages_need_a_code(const ssd_config& c)
{
    const bool lapses =
        c.write == write_mode::shallow && c.channel.die.shallow_retention != sim_time();
    return c.channel.die.errors.rber > 0.0 || lapses || c.power.cuts();
}

namespace {

constexpr std::uint32_t usual_bits = 72;

std::uint64_t data_bits(const ssd_config& c)
{
    return 8ull * std::min(c.channel.ecc.codeword, c.channel.die.geo.page_size);
}

/// BCH over GF(2^m): m bits of parity for each bit that it corrects, and 2^m - 1 bits in all.
std::uint64_t bch_parity_bits(std::uint64_t data, std::uint64_t bits)
{
    std::uint64_t m = 1;
    while ((1ull << m) - 1 < data + m * bits) {
        ++m;
    }
    return m * bits;
}

/// LDPC of rate R: hard decisions correct no more than a share p of the bits of a word with
/// H(p) = 1 - R (Shannon's limit of the binary symmetric channel), and good codes nearly that.
std::uint64_t ldpc_parity_bits(std::uint64_t data, std::uint64_t bits)
{
    const auto needed = [&](std::uint64_t parity) {
        const double n = static_cast<double>(data + parity);
        const double p = static_cast<double>(bits) / n;
        return p >= 0.5 ? n : -n * (p * std::log2(p) + (1.0 - p) * std::log2(1.0 - p));
    };
    std::uint64_t parity = 0;
    while (bits != 0 && static_cast<double>(parity) < needed(parity)) {
        parity += 8;
    }
    return parity;
}

} // namespace

std::uint32_t codewords(const ssd_config& c)
{
    return std::max(c.channel.die.geo.page_size / c.channel.ecc.codeword, 1u);
}

std::uint32_t parity_room(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    return die.geo.oob_size > die.stored_oob ? die.geo.oob_size - die.stored_oob : 0;
}

std::uint32_t parity_bytes(const ssd_config& c, std::uint64_t bits)
{
    const std::uint64_t data = data_bits(c);
    if (c.channel.ecc.kind == flash::ecc_kind::none || bits >= data) {
        return 0; // what corrects every bit is no code, but a way to count them
    }
    const std::uint64_t parity = c.channel.ecc.kind == flash::ecc_kind::bch
                                     ? bch_parity_bits(data, bits)
                                     : ldpc_parity_bits(data, bits);
    return static_cast<std::uint32_t>((parity + 7) / 8);
}

std::uint32_t usual_oob_size(const ssd_config& c)
{
    constexpr std::uint64_t for_each_kib = 138; // 2208 bytes for 16 KiB
    return static_cast<std::uint32_t>(c.channel.die.geo.page_size * for_each_kib / 1024);
}

bool pages_have_code(const ssd_config& c)
{
    return parity_bytes(c, c.channel.ecc.correctable) != 0;
}

std::uint32_t parity_of_page(const ssd_config& c)
{
    return pages_have_code(c) ? parity_room(c) : 0;
}

std::uint32_t page_on_bus(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    const std::uint32_t parity = c.channel.ecc_parity ? c.channel.ecc.parity : 0;
    return die.geo.page_size + parity + die.stored_oob;
}

std::uint32_t usual_correctable(const ssd_config& c)
{
    std::uint32_t bits = usual_bits;
    while (bits != 0 && parity_bytes(c, bits) * codewords(c) > parity_room(c)) {
        --bits;
    }
    return bits;
}

} // namespace ssdvp::platform
