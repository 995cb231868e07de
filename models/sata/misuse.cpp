// SPDX-License-Identifier: Apache-2.0
//
// What firmware does wrongly to the front end, by name; commands that it does not complete.
#include <fmt/format.h>

#include "models/common/open_commands.h"
#include "models/sata/front_end.h"

namespace ssdvp::sata {

namespace {

std::string name_of(std::size_t slot, const command_slot& s)
{
    return fmt::format("{}, command {:02x}h, LBA {}, {} bytes, with firmware for {:.3f} ms",
                       slot == single ? "not queued" : fmt::format("tag {}", slot), s.fis.command,
                       fis::lba_of(s.fis), s.form.bytes,
                       static_cast<double>((now() - s.owner.since).ns()) / 1e6);
}

} // namespace

/// Firmware has ordered its end: any further move of the slot is one too many.
void front_end::take_back(std::uint16_t slot)
{
    command_slot& s = m_slots[slot];
    s.owner.end(now(), m_order);
    s.owner.last_lba = fis::lba_of(s.fis);
    s.owner.last_number = slot;
    s.owner.last_queue = command_owner::no_queue;
    s.owner.last_opcode = s.fis.command;
}

/// An address that memory does not have is on record already.
void front_end::wrong_data(const fe_move& m, bool right_direction)
{
    if (!reaches(m)) {
        return;
    }
    misuse(SFE_REG_MOVE_TAIL, [&] {
        const command_slot& s = m_slots[m.slot];
        return right_direction
                   ? fmt::format("offset {} and length {} lie beyond the {} bytes of command "
                                 "{:02x}h ({})",
                                 m.offset, m.length, s.form.bytes, s.fis.command,
                                 front_end_base::describe(m))
                   : fmt::format("op is {}: command {:02x}h moves no data that way ({})", m.op,
                                 s.fis.command, front_end_base::describe(m));
    });
}

void front_end::not_filled(std::uint16_t slot)
{
    misuse(SFE_REG_MOVE_TAIL, [&] {
        const command_slot& s = m_slots[slot];
        return fmt::format("firmware ended a command whose data are not complete, {} of {} bytes: "
                           "{}",
                           s.filled, s.form.bytes, name_of(slot, s));
    });
}

void front_end::wrong_mdts(std::uint32_t value)
{
    misuse(SFE_REG_MDTS, [&] {
        return idle() ? fmt::format("MDTS does not take {}: it is {} to {}", value, SFE_MDTS_MIN,
                                    SFE_MDTS_MAX)
                      : fmt::format("MDTS does not take {} while commands are under way", value);
    });
}

std::string front_end::open_commands() const
{
    return describe_open(
        m_slots, [](std::size_t) { return true; },
        [this](std::size_t slot) { return name_of(slot, m_slots[slot]); });
}

void front_end::look_for_forgotten(sim_time age)
{
    tell_forgotten(m_slots, m_order, now(), age, [&](std::size_t slot, std::uint64_t later) {
        misuse(no_register, [&] {
            return fmt::format("firmware does not complete a command: {}, and has completed {} "
                               "later ones of the kind",
                               name_of(slot, m_slots[slot]), later);
        });
    });
}

} // namespace ssdvp::sata
