// SPDX-License-Identifier: Apache-2.0
#include "models/common/data_mode.h"

#include <array>

namespace ssdvp {

namespace {

constexpr std::array<unsigned char, sector_size> make_pattern(unsigned enabled)
{
    std::array<unsigned char, sector_size> pattern{};
    for (unsigned i = 0; i < enabled; ++i) {
        pattern[i] = TLM_BYTE_ENABLED;
    }
    return pattern;
}

constexpr auto no_bytes = make_pattern(0);
constexpr auto tag_bytes = make_pattern(tag_size);

} // namespace

const unsigned char* byte_enables(data_mode mode)
{
    switch (mode) {
    case data_mode::none:
        return no_bytes.data();
    case data_mode::tag:
        return tag_bytes.data();
    case data_mode::full:
        break;
    }
    return nullptr;
}

void transfer(tlm::tlm_generic_payload& gp, unsigned char* storage)
{
    unsigned char* data = gp.get_data_ptr();
    const bool write = gp.is_write();
    unsigned char* to = write ? storage : data;
    const unsigned char* from = write ? data : storage;
    const std::size_t length = gp.get_data_length();
    const unsigned char* enables = gp.get_byte_enable_ptr();
    if (enables == nullptr) {
        std::memcpy(to, from, length);
    } else if (enables == tag_bytes.data()) {
        copy_payload(data_mode::tag, to, from, length);
    } else if (enables != no_bytes.data()) {
        const unsigned period = gp.get_byte_enable_length();
        for (std::size_t i = 0; i < length; ++i) {
            if (enables[i % period] == TLM_BYTE_ENABLED) {
                to[i] = from[i];
            }
        }
    }
}

} // namespace ssdvp
