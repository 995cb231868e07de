// SPDX-License-Identifier: Apache-2.0
//
// Rules between the keys of power.
#include <initializer_list>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/rules.h"
#include "platform/input/value.h"

namespace ssdvp::platform {
namespace {

void one_of(const raw_tree& raw, std::initializer_list<const char*> keys)
{
    const char* first = nullptr;
    for (const char* key : keys) {
        const raw_entry* entry = entry_of(raw, key);
        if (entry == nullptr) {
            continue;
        }
        if (first != nullptr) {
            fail(entry->at, key,
                 fmt::format("{} is given too ({})", first, entry_of(raw, first)->at.text()),
                 "keep one of the two, or set the other to `default`");
        }
        first = key;
    }
}

void spaced(const raw_tree& raw, const char* key, const std::vector<sim_time>& times, sim_time off)
{
    for (std::size_t i = 1; i < times.size(); ++i) {
        if (times[i] <= times[i - 1] + off) {
            fail(entry_of(raw, key)->at, key,
                 fmt::format("{} comes before power is back from {} (power.off_time {})",
                             format_time(times[i]), format_time(times[i - 1]), format_time(off)),
                 "write the times in order, further apart than power.off_time");
        }
    }
}

void in_order(const raw_tree& raw, const char* key, const std::vector<sim_time>& times)
{
    for (std::size_t i = 1; i < times.size(); ++i) {
        if (times[i] <= times[i - 1]) {
            fail(entry_of(raw, key)->at, key,
                 fmt::format("{} does not come after {}", format_time(times[i]),
                             format_time(times[i - 1])),
                 "write the times in order, each once");
        }
    }
}

/// What firmware's recovery relies on.
void recoverable(const raw_tree& raw, const ssd_config& c)
{
    const raw_entry* ecc = entry_of(raw, "flash.ecc.kind");
    if (ecc != nullptr && c.channel.ecc.kind == flash::ecc_kind::none) {
        fail(ecc->at, "flash.ecc.kind",
             "a page that power takes while it is programmed is known by its uncorrectable bits",
             "use bch or ldpc where power goes");
    }
    const raw_entry* one_pass = entry_of(raw, "nand.one_pass");
    if (one_pass != nullptr && c.channel.die.one_pass) {
        fail(one_pass->at, "nand.one_pass",
             "the pages of a word line are kept only with its last one, and a flush does not "
             "fill "
             "word lines up",
             "use nand.one_pass: false where power goes");
    }
}

} // namespace

void check_power(const raw_tree& raw, const ssd_config& c)
{
    one_of(raw, {"power.cut.at", "power.cut.every", "power.cut.random"});
    one_of(raw, {"power.shutdown.at", "power.shutdown.every"});
    if (c.power.any()) {
        recoverable(raw, c);
    }
    in_order(raw, is_sata(c) ? "host.sata.reset_at" : "host.nvme.reset_at", c.reset_at);
    spaced(raw, "power.cut.at", c.power.cut_at, c.power.off_time);
    spaced(raw, "power.shutdown.at", c.power.shutdown_at, c.power.off_time);
    const raw_entry* verify = entry_of(raw, "power.verify");
    if (verify != nullptr && c.data == data_mode::none && c.power.verify != power_verify::none) {
        fail(verify->at, "power.verify", "there is nothing to check: data is none",
             "use data: tag, or power.verify: none");
    }
}

} // namespace ssdvp::platform
