// SPDX-License-Identifier: Apache-2.0
//
// A transfer that a memory ends at the call, as the early completion of the TLM base protocol.
#pragma once

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/register_master.h"

namespace ssdvp::test {

/// Asks now for a transfer that starts at `start`; when it is done.
inline sim_time access_early(register_master& port, tlm::tlm_command command, std::uint64_t address,
                             std::vector<unsigned char>& data, sim_time start)
{
    const auto length = static_cast<unsigned>(data.size());
    tlm::tlm_generic_payload gp;
    gp.set_command(command);
    gp.set_address(address);
    gp.set_data_ptr(data.data());
    gp.set_data_length(length);
    gp.set_streaming_width(length);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = start.to_sc();
    CHECK(port.out->nb_transport_fw(gp, phase, delay) == tlm::TLM_COMPLETED);
    CHECK(gp.is_response_ok());
    return sim_time::from_sc(delay);
}

} // namespace ssdvp::test
