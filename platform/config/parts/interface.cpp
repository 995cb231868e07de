// SPDX-License-Identifier: Apache-2.0
//
// NVMe or SATA: the option, and whose keys mean nothing with the other one.
#include <optional>

#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

std::vector<option> interface_options()
{
    return {
        basic(make_option<ssd_config>({"host.interface", "nvme", "protocol between host and drive"},
                                      words_of<host::interface_kind>(), FIELD(driver.interface)))};
}

bool starts_with(const std::string& key, const char* prefix)
{
    return key.rfind(prefix, 0) == 0;
}

/// Whose key it is; nothing: of both.
std::optional<host::interface_kind> owner(const std::string& key)
{
    if (starts_with(key, "host.sata.")) {
        return host::interface_kind::sata;
    }
    for (const char* group : {"host.pcie.", "host.nvme.", "host.driver.queue_",
                              "host.driver.power_state", "host.driver.apst", "power.states."}) {
        if (starts_with(key, group)) {
            return host::interface_kind::nvme;
        }
    }
    return std::nullopt;
}

const char* name_of(host::interface_kind kind)
{
    return kind == host::interface_kind::sata ? "sata" : "nvme";
}

/// As far as it says when it counts at all, an option keeps that beside its interface.
void belongs_to(option& o, host::interface_kind kind)
{
    o.relevant = [kind, before = o.relevant](const ssd_config& c) {
        return c.driver.interface == kind && (!before || before(c));
    };
    o.relevant_when = std::string("host.interface is ") + name_of(kind) +
                      (o.relevant_when.empty() ? "" : " and " + o.relevant_when);
}

} // namespace

void divide_by_interface(std::vector<option>& table)
{
    for (option& o : table) {
        if (const auto kind = owner(o.key); kind) {
            belongs_to(o, *kind);
        }
    }
}

/// A preset may describe a drive for either; what a user writes is meant.
void check_interface(const raw_tree& raw, const ssd_config& c, const std::string& presets)
{
    for (const auto& [key, entry] : raw.values) {
        const auto kind = owner(key);
        const bool preset = starts_with(entry.at.label, (presets + "/").c_str());
        if (kind && *kind != c.driver.interface && !preset) {
            fail(entry.at, key,
                 fmt::format("has no effect: it is used only when host.interface is {}",
                             name_of(*kind)),
                 fmt::format("remove it, or use host.interface: {}", name_of(*kind)));
        }
    }
}

namespace {

void fill_interface(boot_params& p, const ssd_config& c)
{
    p.host.interface = value_of(c.driver.interface);
}

} // namespace

const config_part parts::interface = {interface_options, nullptr, nullptr, fill_interface};

} // namespace ssdvp::platform
