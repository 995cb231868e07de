// SPDX-License-Identifier: Apache-2.0
#include "bench/board.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace ssdvp::bench {

namespace {

constexpr std::uint64_t sq_base = 0x0;
constexpr std::uint64_t cq_base = 0x10000;
constexpr std::uint64_t data_base = 0x20000;
constexpr std::uint32_t ring_entries = 64;
constexpr std::uint16_t busy_tag = 0xFFFF;  // the reads that ask all the time
constexpr std::uint32_t reads_waiting = 2;  // one is served, another one waits
constexpr std::uint32_t patience_ms = 5000; // no operation of a part takes so long

flash::flash_environment environment(fault_log& faults)
{
    flash::flash_environment e;
    e.faults = &faults;
    return e;
}

} // namespace

board::board(const sc_core::sc_module_name& name, const flash::channel_config& config)
    : sc_core::sc_module(name), m_config(config), m_bytes(data_base + config.die.geo.page_size),
      m_channel("channel", config, environment(m_faults)), m_memory("memory"),
      m_registers("registers")
{
    m_memory.register_nb_transport_fw(this, &board::access);
    m_memory.register_get_direct_mem_ptr(this, &board::direct_memory);
    m_registers.bind(m_channel.regs);
    m_channel.memory.bind(m_memory);
    m_channel.irq.bind(*this);
}

void board::power_on()
{
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    write(CHANNEL_REG_SQ_BASE_LO, sq_base);
    write(CHANNEL_REG_SQ_SIZE, ring_entries);
    write(CHANNEL_REG_CQ_BASE_LO, cq_base);
    write(CHANNEL_REG_CQ_SIZE, ring_entries);
    write(CHANNEL_REG_INT_ENABLE, 1);
}

/// Memory whose time does not matter: what is measured is counts.
tlm::tlm_sync_enum board::access(tlm::tlm_generic_payload& gp, tlm::tlm_phase&, sc_core::sc_time&)
{
    const bool fits = gp.get_address() <= m_bytes.size() &&
                      gp.get_data_length() <= m_bytes.size() - gp.get_address();
    gp.set_response_status(fits ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

bool board::direct_memory(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_start_address(0);
    dmi.set_end_address(m_bytes.size() - 1);
    dmi.set_dmi_ptr(m_bytes.data());
    dmi.allow_read_write();
    return true;
}

void board::write(std::uint64_t reg, std::uint32_t value)
{
    tlm::tlm_generic_payload gp;
    gp.set_command(tlm::TLM_WRITE_COMMAND);
    gp.set_address(reg);
    gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    gp.set_data_length(sizeof value);
    gp.set_streaming_width(sizeof value);
    sc_core::sc_time t;
    m_registers->b_transport(gp, t);
}

void board::submit(flash_op op, std::uint32_t block, std::uint32_t page)
{
    flash_desc d{};
    d.op = static_cast<std::uint8_t>(op);
    d.plane_mask = 1;
    d.tag = m_busy && *m_busy == block ? busy_tag : 0;
    d.trace = FLASH_TRACE_NONE;
    d.block = block;
    d.page = page;
    d.length = op == FLASH_OP_ERASE ? 0 : m_config.die.geo.page_size;
    d.buffer = data_base;
    std::memcpy(m_bytes.data() + sq_base + m_tail * sizeof d, &d, sizeof d);
    m_tail = (m_tail + 1) % ring_entries;
    write(CHANNEL_REG_SQ_TAIL, m_tail);
}

void board::raise(unsigned)
{
    for (;;) {
        flash_completion c;
        std::memcpy(&c, m_bytes.data() + cq_base + m_head * sizeof c, sizeof c);
        if ((c.phase & 1u) != m_phase) {
            break;
        }
        m_head = (m_head + 1) % ring_entries;
        m_phase = static_cast<std::uint8_t>(m_head == 0 ? m_phase ^ 1u : m_phase);
        if (c.tag != busy_tag) {
            m_done = c;
        } else if (m_busy && !m_done) {
            submit(FLASH_OP_READ, *m_busy, 0);
        }
    }
    write(CHANNEL_REG_CQ_HEAD, m_head);
}

flash_completion board::finish(flash_op op)
{
    for (std::uint32_t ms = 0; ms < patience_ms && !(m_done && m_channel.idle()); ++ms) {
        sc_core::sc_start(1, sc_core::SC_MS);
    }
    if (!m_done) {
        throw std::runtime_error("an operation does not end: an erase that stops for every read "
                                 "needs flash.suspend.limit and reads_per_stop");
    }
    if (m_done->status != FLASH_STATUS_OK || m_faults.count() != 0) {
        throw std::runtime_error("operation " + std::to_string(op) + " failed with status " +
                                 std::to_string(m_done->status));
    }
    return *m_done;
}

flash_completion board::execute(flash_op op, std::uint32_t block, std::uint32_t page)
{
    m_done.reset();
    submit(op, block, page);
    return finish(op);
}

flash_completion board::erase_under_reads(std::uint32_t block, std::uint32_t busy)
{
    m_done.reset();
    submit(FLASH_OP_ERASE, block, 0);
    m_busy = busy;
    for (std::uint32_t i = 0; i < reads_waiting; ++i) {
        submit(FLASH_OP_READ, busy, 0);
    }
    const flash_completion c = finish(FLASH_OP_ERASE);
    m_busy.reset();
    return c;
}

} // namespace ssdvp::bench
