// SPDX-License-Identifier: Apache-2.0
//
// Decodes what a LUN sent: code word by code word, as the configured code can. Corrected code words
// have their true bytes again; the others stay as they came.
#pragma once

#include <cstdint>
#include <vector>

#include "models/flash/channel/ecc/ecc_code.h"
#include "models/flash/die/errors/bit_errors.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

class page_decoder {
public:
    struct outcome {
        bool uncorrectable = false;
        std::uint32_t corrected_bits = 0;
        std::uint32_t soft_steps = 0; // of the worst code word
        sim_time latency;             // from the last byte on the bus to the page decoded
    };

    explicit page_decoder(const channel_config& config);

    /// Tells the LUN in what units to err, and where to note it.
    void prepare(onfi::extension& group);
    /// `piece` holds the data of `group`.
    outcome decode(const onfi::extension& group, const page_piece& piece) const;

private:
    [[nodiscard]] outcome give_up() const;
    [[nodiscard]] sim_time soft_time(std::uint32_t steps) const;
    outcome decode_words(const onfi::extension& group, const page_piece& piece) const;

    const ecc_config& m_config;
    sim_time m_hard_latency;
    const ecc_code& m_code;
    std::vector<std::uint16_t> m_word_errors;
};

} // namespace ssdvp::flash
