// SPDX-License-Identifier: Apache-2.0
//
// Data that move before they are lost: after reads that needed much, and by patrol.
#include <fmt/format.h>

#include "models/regs/boot_params.h"
#include "platform/config/boxed_value.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

std::vector<option> refresh_options()
{
    return {
        with_errors(make_option<ssd_config>(
            {"ftl.refresh.corrected_bits", "0",
             "move the data of a superblock when a read of it needed so many "
             "corrected bits per code word (mean of the read); 0: never"},
            count_of(0, 32768), FIELD(ftl.refresh->bits))),
        make_option<ssd_config>({"ftl.refresh.reads", "0",
                                 "move the data of a superblock when a block of it was read so "
                                 "often since its erase; 0: never"},
                                count_of(0, 1000000000), FIELD(ftl.refresh->reads)),
        with_errors(make_option<ssd_config>(
            {"ftl.refresh.retry_level", "0",
             "move the data of a superblock when a read of it needed this read "
             "retry level, or a higher one; 0: never"},
            count_of(0, 254), FIELD(ftl.refresh->level))),
        with_errors(make_option<ssd_config>(
            {"ftl.refresh.retire", "0",
             "a block whose reads asked for so many refreshes leaves service; "
             "0: never"},
            count_of(0, 255), FIELD(ftl.refresh->retire))),
        make_option<ssd_config>(
            {"ftl.patrol.interval", "0s",
             "a page of each full block is read once in this time, to find what "
             "the host does not read; 0s: never"},
            time_of(0, 3600 * s), FIELD(ftl.patrol_interval)),
    };
}

/// Limits that no read can reach would be options without effect.
void check_refresh(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const boot_refresh& r = *c.ftl.refresh;
    const flash::ecc_config& e = c.channel.ecc;
    const std::uint64_t most =
        e.soft_correctable.empty() ? e.correctable : e.soft_correctable.back();
    const std::size_t levels = c.channel.die.errors.retry_gain.size();
    if (r.bits > most) {
        reject({"ftl.refresh.corrected_bits", "flash.ecc.correctable"},
               fmt::format("the code corrects {} bits per code word at most", most),
               "use a smaller ftl.refresh.corrected_bits");
    }
    if (r.level > levels) {
        reject({"ftl.refresh.retry_level", "nand.errors.retry_gain"},
               fmt::format("{} is beyond the {} read retry levels of the part", r.level, levels),
               "use a smaller ftl.refresh.retry_level, or give nand.errors.retry_gain more levels");
    }
    if (levels > 254) {
        reject("nand.errors.retry_gain", fmt::format("has {} levels", levels),
               "use 254 levels or fewer");
    }
    if (r.retire != 0 && r.bits == 0 && r.level == 0) {
        reject("ftl.refresh.retire", "no read asks for a refresh that would count",
               "give ftl.refresh.corrected_bits or ftl.refresh.retry_level");
    }
    if (c.ftl.patrol_interval.ps() != 0 && c.ftl.patrol_interval < sim_time(1000000000)) {
        reject("ftl.patrol.interval", "is shorter than 1 ms", "use 1ms or more, or 0s for none");
    }
}

void fill_refresh(boot_params& p, const ssd_config& c)
{
    p.refresh = *c.ftl.refresh;
    p.refresh.patrol_us = static_cast<std::uint32_t>(c.ftl.patrol_interval.ps() / 1000000);
}

} // namespace

template class boxed<boot_refresh>;

const config_part parts::refresh = {refresh_options, nullptr, check_refresh, fill_refresh};

} // namespace ssdvp::platform
