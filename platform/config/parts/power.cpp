// SPDX-License-Identifier: Apache-2.0
//
// Power that goes: cuts and shutdowns.
#include <initializer_list>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

value_spec times(std::uint64_t min)
{
    value_spec spec = time_of(min, 1000000 * s);
    spec.kind = value_kind::time_list;
    return spec;
}

bool cut_at(const ssd_config& c)
{
    return !c.power.cut_at.empty();
}

bool cut_every(const ssd_config& c)
{
    return c.power.cut_every != 0;
}

bool cut_random(const ssd_config& c)
{
    return c.power.cut_rate > 0.0;
}

bool shutdown_at(const ssd_config& c)
{
    return !c.power.shutdown_at.empty();
}

bool shutdown_every(const ssd_config& c)
{
    return c.power.shutdown_every != sim_time();
}

bool any_power(const ssd_config& c)
{
    return c.power.any();
}

constexpr const char* has_value = "it has a value";
constexpr const char* power_goes = "power.cut or power.shutdown is given";
constexpr const char* give_power_off = "give power.cut or power.shutdown, or remove it";

std::vector<option> power_options()
{
    return {
        only_when(basic(make_option<ssd_config>(
                      {"power.cut.at", "",
                       "power is cut at these times from the start of the measured part", "never"},
                      times(1), FIELD(power.cut_at), leaves_state)),
                  cut_at, has_value),
        only_when(make_option<ssd_config>(
                      {"power.cut.every", "",
                       "power is cut when so many programs and erases have begun since power-up",
                       "never"},
                      count_of(1, UINT64_MAX), FIELD(power.cut_every), leaves_state),
                  cut_every, has_value),
        only_when(make_option<ssd_config>(
                      {"power.cut.random", "",
                       "cuts per simulated second with power, at random from run.seed; not while "
                       "the host reads what power.verify asks for",
                       "never"},
                      real_of(value_kind::number, 0.0, 1e6, true), FIELD(power.cut_rate),
                      leaves_state),
                  cut_random, has_value),
        only_when(make_option<ssd_config>(
                      {"power.shutdown.at", "",
                       "the host shuts the drive down at these times from the start of the "
                       "measured part, switches it off and on again",
                       "never"},
                      times(1), FIELD(power.shutdown_at), leaves_state),
                  shutdown_at, has_value),
        only_when(make_option<ssd_config>(
                      {"power.shutdown.every", "",
                       "the same, whenever it has had power for so long", "never"},
                      time_of(us, 1000000 * s), FIELD(power.shutdown_every), leaves_state),
                  shutdown_every, has_value),
        only_when(make_option<ssd_config>({"power.off_time", "10ms", "how long power stays away"},
                                          time_of(us, 1000 * s), FIELD(power.off_time),
                                          leaves_state),
                  any_power, power_goes, give_power_off),
        only_when(make_option<ssd_config>(
                      {"power.verify", "uncertain",
                       "what the host reads and checks after each power-up: nothing, the sectors "
                       "that may hold one of several versions, or all it ever wrote"},
                      words({{"none", static_cast<int>(power_verify::none)},
                             {"uncertain", static_cast<int>(power_verify::uncertain)},
                             {"all", static_cast<int>(power_verify::all)}}),
                      FIELD(power.verify), leaves_state),
                  any_power, power_goes, give_power_off),
    };
}

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

} // namespace

const config_part parts::power = {power_options, nullptr, check_power};

} // namespace ssdvp::platform
