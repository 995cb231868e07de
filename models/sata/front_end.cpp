// SPDX-License-Identifier: Apache-2.0
//
// Construction, the agenda, the memory port and the link.
#include "models/sata/front_end.h"

#include <algorithm>
#include <fmt/format.h>

namespace ssdvp::sata {

front_end::front_end(const sc_core::sc_module_name& name, const front_end_config& config,
                     const front_end_environment& environment)
    : front_end_base(name, environment), regs("regs"), link("link"), m_config(config),
      m_environment(environment), m_agenda(256), m_slots(slots)
{
    regs.register_b_transport(this, &front_end::regs_transport);
    m_sequences.reserve(slots);
    resize(SFE_MDTS_RESET);
    m_agenda.wakes<&front_end::run>(*this);
}

front_end::~front_end() = default;

/// Room for the data of every command.
void front_end::resize(std::uint32_t mdts)
{
    m_mdts = mdts;
    m_ram = lazy_array<unsigned char>(std::size_t{slots} * mdts);
    for (command_slot& s : m_slots) {
        s.pending.reserve(mdts / sector_size + 1);
    }
}

void front_end::run()
{
    activated();
    drain();
}

/// Does everything that is due. Register accesses call it too, because what was posted earlier
/// comes first even when the kernel has not yet woken this block.
void front_end::drain()
{
    job j{};
    while (m_agenda.pop_due(j)) {
        perform(j);
    }
    flush_bits();
    update_irq();
}

void front_end::perform(const job& j)
{
    switch (j.kind) {
    case job_kind::register_write:
        register_write(j.key, j.value);
        break;
    case job_kind::command:
        if (j.key == m_generation) {
            hand_over(j.slot);
        }
        break;
    case job_kind::completion:
        post_completion(j);
        break;
    case job_kind::failure:
        post_failure(j);
        break;
    case job_kind::done:
        append_done({j.value, j.slot, j.flags, j.status});
        break;
    case job_kind::pump:
        m_pump_due = false;
        pump();
        break;
    }
}

/// Between a move's buffer and its place in the command's data.
dma_result front_end::memory_dma(tlm::tlm_command command, const fe_move& m, sim_time earliest)
{
    m_memory_gp.set_command(command);
    m_memory_gp.set_address(m.buffer);
    m_memory_gp.set_data_ptr(ram(m.slot) + m.offset);
    m_memory_gp.set_data_length(m.length);
    set_byte_enables(m_memory_gp,
                     (m.flags & FE_MOVE_METADATA) != 0 ? data_mode::full : m_config.data);
    const dma_result r = dma(memory, m_memory_gp, earliest);
    if (!r.ok) {
        misuse(no_register, [&] {
            return fmt::format("buffer is {:#x}: no SRAM or DRAM there ({})", m.buffer,
                               describe(m));
        });
    }
    return r;
}

/// Data of a command, from `offset` on, as one Data FIS.
sent front_end::send_data(std::uint16_t slot, std::uint32_t offset, std::uint32_t length,
                          sim_time earliest)
{
    const fis::data_header header;
    frame f;
    f.header = &header;
    f.header_length = sizeof header;
    f.data = ram(slot) + offset;
    f.data_length = length;
    f.metadata = !m_slots[slot].form.medium;
    m_sent = {earliest, earliest, earliest, false};
    link->send(side::device, f, earliest);
    m_stats.bytes_to_host += m_sent.ok ? length : 0;
    return m_sent;
}

void front_end::on_sent(const frame&, const sent& s)
{
    m_sent = s;
}

} // namespace ssdvp::sata
