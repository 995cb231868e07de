// SPDX-License-Identifier: Apache-2.0
//
// Data out of a page register, with the bit errors that the array read brought into it.
#pragma once

#include <tlm>

#include "models/flash/die/plane_registers.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

/// Fills the data of `gp` and what `g` says of them. Precondition: the register holds a page.
void send_page(const cell_array& cells, const plane_registers& plane, tlm::tlm_generic_payload& gp,
               onfi::extension& g);

} // namespace ssdvp::flash
