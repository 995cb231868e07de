// SPDX-License-Identifier: Apache-2.0
//
// Memory that a run is sure to fill. Of the address space that it takes most stays untouched; but
// what the drive is going to hold is memory, and when the host has none left it kills the process
// without a word.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

#include "platform/config/derived.h"
#include "platform/control/memory_plan.h"
#include "platform/control/precondition.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr double one_gib = 1ull << 30;

/// Of the units that the stream writes with so many requests, those that are different ones: for a
/// uniform stream the mean. Patterns that prefer some addresses are left out.
double units_written(const host::stream_config& s, std::uint64_t requests, const ssd_config& c)
{
    const std::uint64_t limit = s.requests == 0 ? requests : s.requests;
    const std::uint64_t bytes = s.range_size == 0 ? host_bytes(c) : s.range_size;
    const double range = static_cast<double>(bytes) / static_cast<double>(c.ftl.map_unit);
    const double written = static_cast<double>(limit) * (1.0 - s.read_fraction) *
                           static_cast<double>(s.block_size) / static_cast<double>(c.ftl.map_unit);
    if (s.trim_fraction > 0.0 || bytes == 0) {
        return 0.0;
    }
    switch (s.pattern) {
    case host::pattern_kind::sequential:
        return std::min(written, range);
    case host::pattern_kind::uniform:
        return range * -std::expm1(-written / range);
    default:
        return 0.0;
    }
}

/// That the flash holds at some time at least: what is overwritten may be gone.
std::uint64_t units_held(const ssd_config& c)
{
    const bool alone = c.workload.streams.size() == 1;
    const std::uint64_t requests = alone ? c.run.requests + c.run.warmup_requests : 0;
    double most = static_cast<double>(units_to_fill(c));
    for (const host::stream_config& s : c.workload.streams) {
        most = std::max(most, units_written(s, requests, c));
    }
    return static_cast<std::uint64_t>(most);
}

/// A line of /proc/meminfo, in bytes.
std::uint64_t of_meminfo(const std::string& name)
{
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t value = 0;
    for (std::string unit; file >> key >> value && std::getline(file, unit);) {
        if (key == name + ":") {
            return value * kib;
        }
    }
    return 0;
}

/// Of this process's control group (cgroup v2); 0 = it has no limit.
std::uint64_t group_limit()
{
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        std::uint64_t bytes = 0;
        if (line.rfind("0::", 0) == 0 &&
            std::ifstream("/sys/fs/cgroup" + line.substr(3) + "/memory.max") >> bytes) {
            return bytes;
        }
    }
    return 0;
}

} // namespace

std::vector<memory_part> memory_filled(const ssd_config& c)
{
    std::vector<memory_part> parts;
    if (c.channel.die.data == data_mode::full) {
        parts.push_back(
            {"data (data: full; tag keeps 8 bytes of a sector)", units_held(c) * c.ftl.map_unit});
    }
    if (!map_is_paged(c)) {
        const double share =
            static_cast<double>(units_to_fill(c)) / static_cast<double>(user_units(c));
        const auto map = static_cast<double>(needs_of(c).share("map").dram);
        parts.push_back({"firmware's map", static_cast<std::uint64_t>(share * map)});
    }
    return parts;
}

std::uint64_t memory_there()
{
    const std::uint64_t host = of_meminfo("MemAvailable") + of_meminfo("SwapFree");
    const std::uint64_t group = group_limit();
    return group == 0 ? host : std::min(host, group);
}

std::string memory_lack(const std::vector<memory_part>& filled, std::uint64_t there)
{
    std::uint64_t all = 0;
    std::string list;
    for (const memory_part& p : filled) {
        all += p.bytes;
        if (p.bytes != 0) {
            list += fmt::format("{}{:.2f} GiB {}", list.empty() ? "" : ", ",
                                static_cast<double>(p.bytes) / one_gib, p.what);
        }
    }
    if (all <= there || there == 0) { // 0: the host does not tell
        return {};
    }
    return fmt::format("this run fills {:.2f} GiB of memory at least, and this machine can give "
                       "{:.2f} GiB: {}; use data: tag if it is full, fill less of the drive "
                       "(precondition.fill), make the drive smaller, or take a larger machine",
                       static_cast<double>(all) / one_gib, static_cast<double>(there) / one_gib,
                       list);
}

} // namespace ssdvp::platform
