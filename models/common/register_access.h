// SPDX-License-Identifier: Apache-2.0
//
// The part of b_transport that every register target repeats: 32-bit, aligned, inside the window.
#pragma once

#include <cstdint>
#include <cstring>
#include <tlm>

namespace ssdvp {

/// Checks a 32-bit register access to a window of `size` bytes. On failure sets the response and
/// returns false.
inline bool check_register_access(tlm::tlm_generic_payload& gp, std::uint64_t size)
{
    if (gp.get_data_length() != 4 || gp.get_address() % 4 != 0) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return false;
    }
    if (gp.get_address() >= size) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

inline std::uint32_t register_value(const tlm::tlm_generic_payload& gp)
{
    std::uint32_t v = 0;
    std::memcpy(&v, gp.get_data_ptr(), sizeof v);
    return v;
}

inline void set_register_value(tlm::tlm_generic_payload& gp, std::uint32_t v)
{
    std::memcpy(gp.get_data_ptr(), &v, sizeof v);
}

/// One of the two registers that hold 64 bits.
constexpr std::uint64_t with_half(std::uint64_t v, std::uint32_t half, bool upper)
{
    return upper ? (v & 0xFFFFFFFFull) | (std::uint64_t{half} << 32)
                 : (v & 0xFFFFFFFF00000000ull) | half;
}
constexpr std::uint32_t half_of(std::uint64_t v, bool upper)
{
    return static_cast<std::uint32_t>(upper ? v >> 32 : v);
}

} // namespace ssdvp
