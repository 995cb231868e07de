// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/operation_times.h"

namespace ssdvp::flash {

using namespace literals;

namespace {

/// Entry of a list that has one per page of a word line, or a single one.
sim_time of_page(const std::vector<sim_time>& list, page_index page)
{
    return list[page.value() % list.size()];
}

} // namespace

sim_time operation_times::read(page_index page, std::uint32_t retry, flash_program_mode mode) const
{
    const array_timing& t = m_config.timing;
    if (mode == FLASH_MODE_SLC && t.slc.tR != sim_time()) {
        return t.slc.tR;
    }
    return retry != 0 && t.tR_retry != sim_time() ? t.tR_retry : of_page(t.tR, page);
}

sim_time operation_times::snap_read(page_index page) const
{
    return of_page(m_config.timing.tRSNAP, page);
}

sim_time operation_times::program(page_index page, const page_target& target) const
{
    const array_timing& t = m_config.timing;
    sim_time special;
    if (target.mode != FLASH_MODE_NORMAL) {
        special = target.mode == FLASH_MODE_SLC ? t.slc.tPROG : shallow_program(t, target.at.page);
    } else if (m_config.one_pass) {
        special = only_latched(target) ? later(t.tDBSY, 1_ps) : word_line();
    }
    return special != sim_time() ? special : of_page(t.tPROG, page);
}

sim_time operation_times::pass(const page_target& target, bool fine) const
{
    const array_timing& t = m_config.timing;
    return only_latched(target) ? later(t.tDBSY, 1_ps)
                                : pass_time(t, static_cast<std::size_t>(m_config.cell), fine);
}

sim_time operation_times::erase(std::uint32_t loops, flash_program_mode mode) const
{
    const sim_time slc = m_config.timing.slc.tBERS;
    return mode == FLASH_MODE_SLC && slc != sim_time() ? slc : loops * m_config.erase.loop_time;
}

sim_time operation_times::word_line() const
{
    const array_timing& t = m_config.timing;
    if (t.tPROG_word_line != sim_time()) {
        return t.tPROG_word_line;
    }
    return program_sum(t, static_cast<std::size_t>(m_config.cell));
}

/// A program is stopped only between its loops, so only those matter.
pulse_train operation_times::train_of(bool erases, sim_time begin, sim_time length) const
{
    pulse_train train;
    train.length = length;
    train.resumed = begin;
    if (erases) {
        train.loop = m_config.erase.loop_time;
        train.ramp = m_config.erase.ramp;
        train.recovery = m_config.erase.recovery;
    } else {
        train.loop = later(earlier(m_config.program_loop, length), 1_ps);
        train.safe_points = 1;
    }
    return train;
}

bool operation_times::only_latched(const page_target& target) const
{
    const auto bits = static_cast<std::uint32_t>(m_config.cell);
    const std::uint32_t page = target.at.page.value();
    return has_latches(target.mode) && page % bits != bits - 1 &&
           page + 1 != m_config.geo.pages_per_block;
}

bool operation_times::has_mode(flash_program_mode mode) const
{
    const array_timing& t = m_config.timing;
    const sim_time program =
        mode == FLASH_MODE_SLC ? t.slc.tPROG : shallow_program(t, page_index(0));
    return program != sim_time();
}

} // namespace ssdvp::flash
