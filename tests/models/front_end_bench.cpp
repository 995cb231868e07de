// SPDX-License-Identifier: Apache-2.0
#include "tests/models/front_end_bench.h"

#include <algorithm>
#include <cstring>

#include "models/common/data_mode.h"

namespace ssdvp::test {

namespace {

constexpr std::uint32_t command_ring = 0x1000;
constexpr std::uint32_t move_ring = 0x10000;
constexpr std::uint32_t done_ring = 0x20000;

/// The next entry of a ring, if its phase bit says that it is new.
template <typename Entry>
bool take_entry(const unsigned char* ring, std::uint32_t entries, Entry& e, std::uint32_t& head,
                std::uint32_t& phase)
{
    std::memcpy(&e, ring + head * sizeof e, sizeof e);
    if ((e.phase & 1u) != phase) {
        return false;
    }
    if (++head == entries) {
        head = 0;
        phase ^= 1;
    }
    return true;
}

} // namespace

front_end_bench::front_end_bench(const sc_core::sc_module_name& name, const ring_sizes& sizes,
                                 std::size_t memory_bytes)
    : sc_module(name), memory(memory_bytes), m_regs("regs"), m_memory("memory"), m_irq("irq"),
      m_sizes(sizes)
{
    m_memory.register_nb_transport_fw(this, &front_end_bench::memory_access);
    m_memory.register_get_direct_mem_ptr(this, &front_end_bench::memory_dmi);
}

tlm::tlm_sync_enum front_end_bench::memory_access(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                                  sc_core::sc_time& delay)
{
    if (gp.get_address() + gp.get_data_length() > memory.size()) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    transfer(gp, memory.data() + gp.get_address());
    delay += memory_latency.to_sc();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

bool front_end_bench::memory_dmi(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_dmi_ptr(memory.data());
    dmi.set_start_address(0);
    dmi.set_end_address(memory.size() - 1);
    dmi.allow_read_write();
    return true;
}

void front_end_bench::reg_write(std::uint32_t offset, std::uint32_t value, sim_time delay)
{
    access(m_regs, tlm::TLM_WRITE_COMMAND, offset, value, delay);
}

std::uint32_t front_end_bench::reg_read(std::uint32_t offset)
{
    return access(m_regs, tlm::TLM_READ_COMMAND, offset, std::uint32_t{0});
}

bool front_end_bench::take(fe_command& command, bool free_entry)
{
    look();
    const bool taken = take_entry(memory.data() + command_ring, m_sizes.commands, command,
                                  m_command_head, m_command_phase);
    if (taken && free_entry) {
        reg_write(FE_REG_CMD_HEAD, m_command_head);
    }
    return taken;
}

void front_end_bench::post(const fe_move& m)
{
    std::memcpy(memory.data() + move_ring + m_move_tail * sizeof m, &m, sizeof m);
    m_move_tail = (m_move_tail + 1) % m_sizes.moves;
}

void front_end_bench::ring(sim_time delay)
{
    reg_write(FE_REG_MOVE_TAIL, m_move_tail, delay);
}

void front_end_bench::order(const fe_move& m, sim_time delay)
{
    post(m);
    ring(delay);
}

bool front_end_bench::done(fe_move_done& d, bool free_entry)
{
    look();
    const bool taken =
        take_entry(memory.data() + done_ring, m_sizes.dones, d, m_done_head, m_done_phase);
    if (taken && free_entry) {
        reg_write(FE_REG_DONE_HEAD, m_done_head);
    }
    return taken;
}

void front_end_bench::lose_memory()
{
    std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(0));
}

void front_end_bench::open_rings()
{
    m_command_head = m_move_tail = m_done_head = 0;
    m_command_phase = m_done_phase = 1;
    reg_write(FE_REG_CMD_BASE_LO, command_ring);
    reg_write(FE_REG_CMD_SIZE, m_sizes.commands);
    reg_write(FE_REG_MOVE_BASE_LO, move_ring);
    reg_write(FE_REG_MOVE_SIZE, m_sizes.moves);
    reg_write(FE_REG_DONE_BASE_LO, done_ring);
    reg_write(FE_REG_DONE_SIZE, m_sizes.dones);
}

} // namespace ssdvp::test
