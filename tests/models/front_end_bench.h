// SPDX-License-Identifier: Apache-2.0
//
// The device side of a front end under test, of any host interface: the controller's memory with
// the rings, and the test as firmware.
#pragma once

#include <catch2/catch.hpp>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/at_checker.h"
#include "models/common/front_end_base.h"

namespace ssdvp::test {

using namespace ssdvp::literals;

class front_end_bench : public sc_core::sc_module, public irq_line_if {
public:
    static constexpr sim_time memory_latency = 300_ns;
    struct ring_sizes { // entries
        std::uint32_t commands;
        std::uint32_t moves;
        std::uint32_t dones;
    };

    fault_log faults;
    at_checker memory_checker{"memory_checker", &faults}; // between `memory` and the front end
    std::uint64_t expected_faults = 0;
    std::vector<unsigned char> memory;
    std::vector<sim_time> irqs; // raised by the front end
    bool looks = false;         // firmware says before it looks: to be set at first
    late_device* late = nullptr;

    front_end_bench(const sc_core::sc_module_name& name, const ring_sizes& sizes,
                    std::size_t memory_bytes);
    ~front_end_bench() override { CHECK(faults.count() == expected_faults); }

    // Firmware; `delay` is its local time ahead of the kernel's
    void reg_write(std::uint32_t offset, std::uint32_t value, sim_time delay = {});
    std::uint32_t reg_read(std::uint32_t offset);
    bool take(fe_command& command, bool free_entry = true);
    void post(const fe_move& m); // into the ring
    void ring(sim_time delay = {});
    void order(const fe_move& m, sim_time delay = {}); // both
    bool done(fe_move_done& d, bool free_entry = true);
    void lose_memory(); // the power has gone
    void open_rings();

    void run(sim_time t) { sc_core::sc_start(t.to_sc()); }
    void raise(unsigned) override { irqs.push_back(now()); }
    bool attend(late_device& device) override
    {
        late = looks ? &device : nullptr;
        return looks;
    }

protected:
    using initiator = tlm_utils::simple_initiator_socket<front_end_bench>;

    template <typename FrontEnd>
    void bind_device_side(FrontEnd& dut)
    {
        m_regs.bind(dut.regs);
        dut.memory.bind(memory_checker.in);
        memory_checker.out.bind(m_memory);
        m_irq.bind(*this);
        dut.irq.bind(m_irq);
    }
    /// One access that has to succeed.
    template <typename T>
    static T access(initiator& to, tlm::tlm_command command, std::uint64_t address, T value,
                    sim_time delay = {})
    {
        tlm::tlm_generic_payload gp;
        gp.set_command(command);
        gp.set_address(address);
        gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        gp.set_data_length(sizeof value);
        gp.set_streaming_width(sizeof value);
        sc_core::sc_time d = delay.to_sc();
        to->b_transport(gp, d);
        REQUIRE(gp.is_response_ok());
        return value;
    }

private:
    void look()
    {
        if (late != nullptr) {
            late->catch_up();
        }
    }
    tlm::tlm_sync_enum memory_access(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
    bool memory_dmi(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi);

    initiator m_regs;
    tlm_utils::simple_target_socket<front_end_bench> m_memory;
    sc_core::sc_export<irq_line_if> m_irq;
    ring_sizes m_sizes;
    std::uint32_t m_command_head = 0, m_move_tail = 0, m_done_head = 0;
    std::uint32_t m_command_phase = 1, m_done_phase = 1;
};

} // namespace ssdvp::test
