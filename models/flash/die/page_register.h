// SPDX-License-Identifier: Apache-2.0
//
// A page on its way: what of its data moves, the register that holds it before it is programmed,
// and a request's place in it.
#pragma once

#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "models/common/data_mode.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

/// What of a page's data moves.
enum class data_form : std::uint8_t { nothing, tags, bytes };

[[nodiscard]] constexpr data_form form_of(data_mode mode)
{
    return mode == data_mode::full  ? data_form::bytes
           : mode == data_mode::tag ? data_form::tags
                                    : data_form::nothing;
}

/// What the byte enables of `gp` let through.
[[nodiscard]] inline data_form form_of(const tlm::tlm_generic_payload& gp)
{
    const unsigned char* enables = gp.get_byte_enable_ptr();
    if (enables == nullptr) {
        return data_form::bytes;
    }
    return enables == byte_enables(data_mode::tag) ? data_form::tags : data_form::nothing;
}

/// A page register: the page about to be programmed.
class page_register {
public:
    page_register(std::uint32_t page_size, std::uint32_t stored_oob);
    /// Empties the register: everything FFh, to be filled in `form`.
    void begin(data_form form);
    void put_data(std::uint32_t column, const unsigned char* from, std::uint32_t length);
    void put_oob(const unsigned char* from, std::uint32_t length);

    [[nodiscard]] data_form form() const { return m_form; }
    [[nodiscard]] const std::uint64_t* tags() const { return m_tags.data(); }
    [[nodiscard]] const unsigned char* bytes() const { return m_bytes.get(); }
    /// Of all that it holds.
    [[nodiscard]] std::uint64_t checksum() const;
    /// In words; behind the stored bytes zeros.
    [[nodiscard]] const std::uint64_t* oob() const { return m_oob.data(); }

private:
    std::uint32_t m_page_size;
    std::uint32_t m_stored_oob;
    data_form m_form = data_form::nothing;
    std::vector<std::uint64_t> m_tags;
    std::unique_ptr<unsigned char[]> m_bytes; // from the first page that needs it
    std::vector<std::uint64_t> m_oob;
};

/// A read request's place in a page.
struct page_slice {
    page_index page;
    std::uint32_t column;
    std::uint32_t length;
};

} // namespace ssdvp::flash
