// SPDX-License-Identifier: Apache-2.0
//
// What a code makes of a code word with so many wrong bits. One file per code and one line in the
// table.
#pragma once

#include <cstdint>

#include "models/flash/config.h"

namespace ssdvp::flash {

enum class ecc_result : std::uint8_t { corrected, uncorrectable, unnoticed };

struct ecc_attempt {
    ecc_result result = ecc_result::corrected;
    std::uint32_t soft_steps = 0; // taken after the hard decision
};

class ecc_code {
public:
    ecc_code() = default;
    ecc_code(const ecc_code&) = delete;
    ecc_code& operator=(const ecc_code&) = delete;
    virtual ~ecc_code() = default;

    [[nodiscard]] virtual const char* name() const = 0;
    [[nodiscard]] virtual ecc_attempt decode(const ecc_config& config,
                                             std::uint32_t wrong_bits) const = 0;
};

[[nodiscard]] const ecc_code& find_ecc_code(ecc_kind kind);

const ecc_code& ecc_none();
const ecc_code& ecc_bch();
const ecc_code& ecc_ldpc();

} // namespace ssdvp::flash
