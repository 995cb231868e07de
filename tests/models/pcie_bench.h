// SPDX-License-Identifier: Apache-2.0
//
// A link alone: both its ends are played by the test.
#pragma once

#include <catch2/catch.hpp>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/data_mode.h"
#include "models/pcie/link.h"

namespace ssdvp::pcie_test {

constexpr auto write = tlm::TLM_WRITE_COMMAND;
constexpr auto read = tlm::TLM_READ_COMMAND;

constexpr std::uint64_t ram = pcie::long_addresses; // where the host's memory begins

/// Both ends of a link: a host memory and a BAR that note what reaches them and when.
struct bench : sc_core::sc_module {
    struct access {
        bool write;
        std::uint64_t address;
        sim_time when;
    };
    pcie::link link;
    tlm_utils::simple_initiator_socket<bench> device;
    tlm_utils::simple_initiator_socket<bench> driver;
    tlm_utils::simple_target_socket<bench> host;
    tlm_utils::simple_target_socket<bench> bar;
    std::vector<access> at_host, at_bar;
    std::vector<unsigned char> bytes = std::vector<unsigned char>(1 << 20);
    tlm::tlm_generic_payload gp;
    tlp::extension ext;
    unsigned char buffer[1 << 16] = {};

    bench(const sc_core::sc_module_name& name, const pcie::link_config& config)
        : sc_module(name), link("link", config), device("device"), driver("driver"), host("host"),
          bar("bar")
    {
        device.bind(link.device);
        driver.bind(link.host_mmio);
        link.host.bind(host);
        link.bar.bind(bar);
        host.register_b_transport(this, &bench::host_access);
        bar.register_b_transport(this, &bench::bar_access);
        gp.set_extension(&ext);
    }
    ~bench() override { gp.clear_extension(&ext); }

    /// What the link counts once all that is booked is over: it is busy as time goes on. Last in a
    /// test, for no module may be made afterwards.
    pcie::link_stats at_the_end()
    {
        sc_core::sc_start(1, sc_core::SC_SEC);
        return link.stats();
    }

    void host_access(tlm::tlm_generic_payload& p, sc_core::sc_time& delay)
    {
        at_host.push_back({p.is_write(), p.get_address(), now() + sim_time::from_sc(delay)});
        const std::uint64_t at = p.get_address() % ram;
        if (p.get_address() >= 2 * ram || at + p.get_data_length() > bytes.size()) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        transfer(p, bytes.data() + at);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void bar_access(tlm::tlm_generic_payload& p, sc_core::sc_time& delay)
    {
        at_bar.push_back({p.is_write(), p.get_address(), now() + sim_time::from_sc(delay)});
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void fill(tlm::tlm_command command, std::uint64_t address, std::uint32_t length)
    {
        gp.set_command(command);
        gp.set_address(address);
        gp.set_data_ptr(buffer);
        gp.set_data_length(length);
        gp.set_streaming_width(length);
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
    /// DMA from `earliest` on, at this place of the host's memory; returns the completion,
    /// absolute.
    sim_time dma(tlm::tlm_command command, std::uint64_t place, std::uint32_t length,
                 sim_time earliest)
    {
        return dma_at(command, ram + place, length, earliest);
    }
    sim_time dma_at(tlm::tlm_command command, std::uint64_t address, std::uint32_t length,
                    sim_time earliest)
    {
        fill(command, address, length);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = (earliest - now()).to_sc();
        REQUIRE(device->nb_transport_fw(gp, phase, delay) == tlm::TLM_COMPLETED);
        return now() + sim_time::from_sc(delay);
    }
    sim_time mmio(tlm::tlm_command command, std::uint64_t address, sim_time start,
                  std::uint32_t length = 4)
    {
        fill(command, address, length);
        sc_core::sc_time delay = (start - now()).to_sc();
        driver->b_transport(gp, delay);
        return now() + sim_time::from_sc(delay);
    }
};

} // namespace ssdvp::pcie_test
