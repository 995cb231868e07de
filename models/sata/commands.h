// SPDX-License-Identifier: Apache-2.0
//
// What the front end has to know of an ATA command: its protocol and how many data move. Which
// commands there are, and what they do, is firmware's.
#pragma once

#include <cstdint>

#include "models/protocols/fis.h"

namespace ssdvp::sata {

enum class protocol : std::uint8_t {
    no_data,
    pio_in,
    pio_out,
    dma_in,
    dma_out,
    queued_in,
    queued_out,
    queued_no_data,
    discard // READ VERIFY: data are read, and go nowhere
};

struct command_form {
    protocol moves = protocol::no_data;
    bool medium = false;     // sectors of the medium: data of the modelled kind
    std::uint64_t bytes = 0; // of data
    bool lba28 = false;      // LBA bits 27..24 are in the device field
};

/// Codes that the table does not have move no data.
command_form form_of(const fis::register_h2d& f);

constexpr bool is_queued(protocol p)
{
    return p == protocol::queued_in || p == protocol::queued_out || p == protocol::queued_no_data;
}
constexpr bool is_in(protocol p)
{
    return p == protocol::pio_in || p == protocol::dma_in || p == protocol::queued_in;
}
constexpr bool is_out(protocol p)
{
    return p == protocol::pio_out || p == protocol::dma_out || p == protocol::queued_out;
}

} // namespace ssdvp::sata
