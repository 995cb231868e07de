// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/page_output.h"

namespace ssdvp::flash {

namespace {

/// The bit errors of the code words that the data touch. A page read in several pieces has the same
/// errors in each: they were made by the array.
void inject_errors(tlm::tlm_generic_payload& gp, onfi::extension& g, const page_noise& noise)
{
    const std::uint32_t length = gp.get_data_length();
    const page_piece piece{gp.get_data_ptr(), g.column, length, form_of(gp)};
    const std::uint32_t first = g.column / g.codeword;
    const std::uint32_t last = (g.column + length - 1) / g.codeword;
    for (std::uint32_t word = first; word <= last; ++word) {
        const std::uint32_t bits = bits_in_word(noise, word, g.codeword);
        g.word_errors[word - first] = static_cast<std::uint16_t>(bits);
        g.bit_errors += bits;
        spoil(piece, {noise.key, word, g.codeword, bits});
    }
    g.error_key = noise.key;
}

} // namespace

void send_page(const cell_array& cells, const plane_registers& plane, tlm::tlm_generic_payload& gp,
               onfi::extension& g)
{
    const cell_address& from = plane.held.at;
    const bool reads = gp.get_command() == tlm::TLM_READ_COMMAND;
    if (reads) {
        // The cells cannot have changed since the array read: that would have emptied the register.
        cells.read_data(from, {from.page, g.column, gp.get_data_length()}, form_of(gp),
                        gp.get_data_ptr());
    }
    if (g.oob_length != 0) {
        cells.read_oob(from, g.oob, g.oob_length);
    }
    g.bit_errors = 0;
    g.torn = plane.noise.torn;
    if (plane.noise.rber > 0.0 && g.codeword != 0 && reads) {
        inject_errors(gp, g, plane.noise);
    }
}

} // namespace ssdvp::flash
