// SPDX-License-Identifier: Apache-2.0
//
// Rules between keys: the map in DRAM.
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

void check_map(const raw_tree& raw, const ssd_config& c)
{
    const auto reject = [&raw](const char* key, const std::string& what,
                               const std::string& remedy) {
        const auto it = raw.values.find(key);
        fail(it == raw.values.end() ? origin{"defaults", 0, 0} : it->second.at, key, what, remedy);
    };
    const bool dftl = c.ftl.scheme == ftl_scheme::dftl;
    const bool vm_map = c.ftl.scheme == ftl_scheme::vm_map;
    if (!dftl && !vm_map && c.ftl.map_cache != 0) {
        reject("ftl.map_cache", "the whole map of page_map lies in DRAM",
               "use ftl.scheme: dftl, or leave it out");
    }
    if (!dftl && !c.ftl.dftl_batch) {
        reject("ftl.dftl.batch", "only dftl writes single entries of its map",
               "use ftl.scheme: dftl, or leave it out");
    }
    if (!vm_map && c.ftl.vm_segments != 0) {
        reject("ftl.vm_map.segments", "only the map of vm_map has segments",
               "use ftl.scheme: vm_map, or leave it out");
    }
    if (vm_map && c.ftl.vm_segments == 0 && c.ftl.map_cache < segment_bytes(c)) {
        reject("ftl.map_cache", fmt::format("{} bytes hold no segment of the map", c.ftl.map_cache),
               fmt::format("use {}B or more", segment_bytes(c)));
    }
    if (dftl && c.ftl.map_cache < map_cache_least(c)) {
        reject(
            "ftl.map_cache",
            fmt::format("{} bytes are too few for the entries of two write units", c.ftl.map_cache),
            fmt::format("use {}B or more", map_cache_least(c)));
    }
}

} // namespace ssdvp::platform
