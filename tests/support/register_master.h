// SPDX-License-Identifier: Apache-2.0
//
// A bus master for tests: 32-bit register accesses with an annotated delay.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include "models/common/time.h"

namespace ssdvp::test {

class register_master : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<register_master> out;

    explicit register_master(const sc_core::sc_module_name& name) : sc_module(name), out("out") {}

    tlm::tlm_response_status write(std::uint64_t address, std::uint32_t value,
                                   sim_time delay = sim_time())
    {
        return access(tlm::TLM_WRITE_COMMAND, address, &value, 4, delay);
    }
    std::uint32_t read(std::uint64_t address)
    {
        std::uint32_t value = 0;
        access(tlm::TLM_READ_COMMAND, address, &value, 4, sim_time());
        return value;
    }
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                    unsigned length, sim_time delay)
    {
        tlm::tlm_generic_payload gp;
        gp.set_command(command);
        gp.set_address(address);
        gp.set_data_ptr(static_cast<unsigned char*>(data));
        gp.set_data_length(length);
        gp.set_streaming_width(length);
        sc_core::sc_time t = delay.to_sc();
        out->b_transport(gp, t);
        last_delay = sim_time::from_sc(t);
        return gp.get_response_status();
    }
    sim_time last_delay;
};

} // namespace ssdvp::test
