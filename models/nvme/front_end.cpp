// SPDX-License-Identifier: Apache-2.0
//
// Construction, the agenda, resets, and commands that firmware does not complete.
#include "models/nvme/front_end.h"

#include <fmt/format.h>

#include "models/common/open_commands.h"

namespace ssdvp::nvme {

static_assert(sizeof(nvme_sqe) == 64);
static_assert(sizeof(nvme_cqe) == 16);

front_end::front_end(const sc_core::sc_module_name& name, const front_end_config& config,
                     const front_end_environment& environment)
    : front_end_base(name, environment), late_device(environment.irq_line), bar("bar"),
      regs("regs"), link("link"), m_shared(*this, *this, link, config, environment),
      m_controller(m_shared), m_queues(m_shared), m_interrupts(m_shared),
      m_fetch(m_shared, m_queues, m_controller),
      m_completions(m_shared, m_queues, m_controller, m_fetch, m_interrupts),
      m_mover(m_shared, m_completions), m_lookup(m_shared, m_fetch, m_mover)
{
    bar.register_b_transport(this, &front_end::bar_transport);
    regs.register_b_transport(this, &front_end::regs_transport);
    reserve_maps();
    m_queues.configure(m_shared.window.arbitration);
    m_shared.agenda.wakes<&front_end::run>(*this);
}

front_end::~front_end() = default;

void front_end::start_of_simulation()
{
    m_attended = irq->attend(*this);
    m_shared.agenda.heed_late(!m_attended);
}

/// Room for the pages of the largest transfer, before commands come; a longer SGL makes its own.
void front_end::reserve_maps()
{
    for (command_slot& c : m_shared.slots.all()) {
        c.data.pages.reserve(m_shared.window.mdts / host_page + 1);
        c.data.runs.reserve(m_shared.window.mdts / host_page + 1);
        c.metadata.runs.reserve(1);
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
    sim_time when;
    while (m_shared.agenda.pop_due(j, when)) {
        perform(j, when);
    }
    m_shared.note_late();
    update_irq();
}

void front_end::catch_up()
{
    job j{};
    sim_time when;
    while (m_shared.agenda.pop_late(j, when)) {
        perform(j, when);
    }
    m_shared.note_late();
    update_irq();
}

void front_end::enable_interrupts(std::uint32_t wanted)
{
    m_shared.agenda.heed_late(!m_attended || (wanted & FE_INT_DONE_QUIET) != 0);
    m_shared.note_late();
    enable(wanted);
    raise(conditions());
}

/// What raises the line at one instant raises it once.
void front_end::perform(const job& j, sim_time when)
{
    if (when != m_performed) {
        update_irq();
        m_performed = when;
    }
    switch (j.kind) {
    case job_kind::bar_write:
        bar_write(j.key, j.value);
        break;
    case job_kind::register_write:
        register_write(j.key, j.value);
        break;
    case job_kind::command:
        if (j.key == m_shared.generation) {
            m_fetch.hand_over(j.slot, when);
        }
        break;
    case job_kind::completion:
        m_completions.post(j);
        break;
    case job_kind::done:
        append_done({j.value, j.slot, j.flags, j.status});
        break;
    case job_kind::coalesced:
        m_interrupts.end_coalescing(j);
        break;
    case job_kind::ask:
        m_mover.ask();
        break;
    case job_kind::looked_up:
        m_lookup.start(j.slot);
        break;
    }
}

/// CC.EN 1 -> 0. What is under way for the old commands ends without touching the host: its jobs
/// carry an older generation. Values of features are as at power-up; formats stay, as namespaces
/// do.
void front_end::controller_reset()
{
    ++m_shared.generation;
    m_queues.reset();
    command_slots& slots = m_shared.slots;
    slots.take_all();
    for (std::uint32_t slot = m_shared.config.slots; slot-- > 0;) {
        m_shared.release(static_cast<std::uint16_t>(slot));
        slots[slot].owner.drop(m_shared.order);
    }
    m_mover.give_held_back();
    m_interrupts.forget();
    m_fetch.forget();
    m_controller.forget();
    m_has_queues = false;
    m_shared.window.arbitration = FE_ARBITRATION_RESET;
    m_queues.configure(m_shared.window.arbitration);
}

/// No registers, no queues, no commands; CSTS reads 0.
void front_end::power_off()
{
    m_shared.agenda.clear();
    m_shared.agenda.heed_late(!m_attended);
    m_shared.note_late();
    m_mover.reset();
    m_lookup.reset();
    controller_reset();
    for (command_slot& c : m_shared.slots.all()) {
        c.owner = {};
    }
    m_shared.order = {};
    m_controller.reset();
    m_interrupts.reset();
    close_rings();
    m_shared.window = {};
}

namespace {

bool waits_by_nature(const command_slot& c)
{
    return c.sq == 0 && c.sqe.opcode == NVME_ADMIN_ASYNC_EVENT;
}

std::string name_of(std::size_t slot, const command_slot& c)
{
    const std::string what = c.sq == 0
                                 ? fmt::format("admin opcode {:02x}h", c.sqe.opcode)
                                 : fmt::format("opcode {:02x}h, LBA {}, {} blocks", c.sqe.opcode,
                                               lba_of(c.sqe), (c.sqe.cdw12 & 0xFFFFu) + 1);
    return fmt::format("CID {} of queue {}, {}, slot {}, with firmware for {:.3f} ms", c.sqe.cid,
                       c.sq, what, slot, static_cast<double>((now() - c.owner.since).ns()) / 1e6);
}

} // namespace

std::string front_end::open_commands() const
{
    const auto& slots = m_shared.slots.all();
    return describe_open(
        slots, [&slots](std::size_t slot) { return !waits_by_nature(slots[slot]); },
        [&slots](std::size_t slot) { return name_of(slot, slots[slot]); });
}

void front_end::look_for_forgotten(sim_time age)
{
    auto& slots = m_shared.slots.all();
    tell_forgotten(slots, m_shared.order, now(), age, [&](std::size_t slot, std::uint64_t later) {
        misuse(no_register, [&] {
            return fmt::format("firmware does not complete a command: {}, and has completed {} "
                               "later ones of the kind",
                               name_of(slot, slots[slot]), later);
        });
    });
}

} // namespace ssdvp::nvme
