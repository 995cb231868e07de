// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/ecc/page_decoder.h"

#include <algorithm>

namespace ssdvp::flash {

page_decoder::page_decoder(const channel_config& config)
    : m_config(config.ecc), m_hard_latency(config.ecc_latency),
      m_code(find_ecc_code(config.ecc.kind)),
      m_word_errors(config.die.geo.page_size / config.ecc.codeword + 1)
{}

void page_decoder::prepare(onfi::extension& group)
{
    group.codeword = m_config.codeword;
    group.word_errors = m_word_errors.data();
}

page_decoder::outcome page_decoder::decode(const onfi::extension& group,
                                           const page_piece& piece) const
{
    if (group.torn) {
        return give_up();
    }
    if (group.bit_errors != 0) {
        return decode_words(group, piece);
    }
    outcome clean;
    clean.latency = m_hard_latency;
    return clean;
}

/// What is no code word takes all that the code can try. Without a code nobody notices.
page_decoder::outcome page_decoder::give_up() const
{
    const ecc_attempt attempt = m_code.decode(m_config, m_config.codeword * 8 + 1);
    outcome page;
    page.uncorrectable = attempt.result == ecc_result::uncorrectable;
    page.soft_steps = attempt.soft_steps;
    page.latency = m_hard_latency + soft_time(page.soft_steps);
    return page;
}

/// The words are decoded in a pipeline behind the bus, so the latency is that of the last one; soft
/// steps stop the pipeline, and those of the worst word cover what the others need.
page_decoder::outcome page_decoder::decode_words(const onfi::extension& group,
                                                 const page_piece& piece) const
{
    outcome page;
    const std::uint32_t first = piece.column / m_config.codeword;
    const std::uint32_t last = (piece.column + piece.length - 1) / m_config.codeword;
    for (std::uint32_t word = first; word <= last; ++word) {
        const std::uint32_t bits = m_word_errors[word - first];
        const ecc_attempt attempt = m_code.decode(m_config, bits);
        page.soft_steps = std::max(page.soft_steps, attempt.soft_steps);
        if (attempt.result == ecc_result::corrected) {
            restore(piece, {group.error_key, word, m_config.codeword, bits});
            page.corrected_bits += bits;
        }
        page.uncorrectable = page.uncorrectable || attempt.result == ecc_result::uncorrectable;
    }
    page.latency = m_hard_latency + soft_time(page.soft_steps);
    return page;
}

sim_time page_decoder::soft_time(std::uint32_t steps) const
{
    sim_time sum;
    const std::vector<sim_time>& soft = m_config.soft_latency;
    for (std::size_t step = 0; step < steps && !soft.empty(); ++step) {
        sum += soft[std::min(step, soft.size() - 1)];
    }
    return sum;
}

} // namespace ssdvp::flash
