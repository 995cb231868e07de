// SPDX-License-Identifier: Apache-2.0
//
// What stands around a flash channel on its test bench.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/at_checker.h"
#include "models/flash/flash_channel.h"
#include "tests/models/flash_numbers.h"

namespace ssdvp::flash {

using namespace literals;

/// Memory of the bench: answers at once, each transfer done `latency` after its start.
class bench_memory final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<bench_memory> in;
    sim_time latency;
    std::uint64_t transfers = 0;

    bench_memory(const sc_core::sc_module_name& name, std::size_t size)
        : sc_core::sc_module(name), in("in"), m_bytes(size)
    {
        in.register_nb_transport_fw(this, &bench_memory::nb_transport_fw);
        in.register_get_direct_mem_ptr(this, &bench_memory::get_direct_mem_ptr);
    }
    unsigned char* at(std::uint64_t address) { return m_bytes.data() + address; }

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                       sc_core::sc_time& delay)
    {
        ++transfers;
        if (gp.get_address() >= m_bytes.size() ||
            gp.get_data_length() > m_bytes.size() - gp.get_address()) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        }
        transfer(gp, at(gp.get_address()));
        delay += latency.to_sc();
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
    {
        dmi.set_start_address(0);
        dmi.set_end_address(m_bytes.size() - 1);
        dmi.set_dmi_ptr(m_bytes.data());
        dmi.allow_read_write();
        return true;
    }
    std::vector<unsigned char> m_bytes;
};

/// The modules of the bench, wired.
class bench_modules final : public sc_core::sc_module {
public:
    bench_memory memory;
    at_checker checker;
    flash_channel channel;
    tlm_utils::simple_initiator_socket<bench_modules> master;

    bench_modules(const sc_core::sc_module_name& name, const channel_config& config,
                  const flash_environment& environment, irq_line_if& irq, std::size_t memory_size)
        : sc_core::sc_module(name), memory("memory", memory_size),
          checker("checker", environment.faults), channel("channel", config, environment),
          master("master")
    {
        master.bind(channel.regs);
        channel.memory.bind(checker.in);
        checker.out.bind(memory.in);
        channel.irq.bind(irq);
    }
};

/// A small part: 4 planes, 16 KiB pages.
inline channel_config small_config()
{
    channel_config c;
    c.luns = 4;
    c.ecc_latency = 1_us;
    c.die.geo = {4, 8, 12, 16384, 1024};
    c.die.timing.tR = {40_us};
    c.die.timing.tPROG = {200_us};
    c.die.timing.tDBSY = 500_ns;
    c.die.timing.tRST = 5_us;
    c.die.erase.loops = 3;
    c.die.erase.loop_time = 5_ms;
    c.die.erase.suspend_overhead = 100_us;
    c.die.endurance = 100;
    c.die.data = data_mode::tag;
    c.bus = {data_interface::nv_ddr3, rate(1200ull * 1000 * 1000)};
    return c;
}

/// No cycle takes time but data, at 80 MB/s: 4 KiB in 51.2 us, the transfer of the section 4
/// oracles.
inline cycle_timing data_only_timing()
{
    return cycle_timing(cycle_times{}, rate(80ull * 1000 * 1000));
}

} // namespace ssdvp::flash
