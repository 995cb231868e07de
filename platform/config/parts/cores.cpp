// SPDX-License-Identifier: Apache-2.0
//
// Several cores, their caches and TLBs.
#include <fmt/format.h>

#include "models/regs/memory_map.h"
#include "platform/config/boot_block.h"
#include "platform/config/partition.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

value_spec cache_size()
{
    value_spec spec = size_of(0, 16 * MiB);
    spec.multiple_of = KiB;
    return spec;
}

option with_cache(option o)
{
    return acts_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.cpu.dcache.size != 0; },
        "cpu.dcache.size is not 0: the core has a data cache",
        "give cpu.dcache.size, or remove it");
}

bool counts_instructions(const ssd_config& c)
{
    return c.cpu.core != "flat";
}

option with_icache(option o)
{
    return acts_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) { return c.cpu.icache.cache.size != 0 && counts_instructions(c); },
        "cpu.icache.size is not 0: the core has an instruction cache",
        "give cpu.icache.size, or remove it");
}

option with_tlb(option o)
{
    return acts_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.cpu.tlb.entries != 0; },
        "cpu.tlb.entries is not 0: addresses of tables in DRAM are translated",
        "give cpu.tlb.entries, or remove it");
}

bool power_of_two(std::uint64_t v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

void check_core_cache(const raw_tree& raw, const cpu::cache_geometry& g, const std::string& keys)
{
    const rejection reject{raw};
    if (g.size == 0) {
        return;
    }
    const std::uint64_t way = std::uint64_t{g.ways} * g.line;
    if (g.size % way != 0 || !power_of_two(g.size / way)) {
        reject((keys + ".size").c_str(),
               fmt::format("{} bytes in {} ways of {}-byte lines are no power of two of sets",
                           g.size, g.ways, g.line),
               fmt::format("use a size of {0}.ways * {0}.line * a power of two", keys));
    }
}

/// Of both kinds of cache.
value_spec line_size()
{
    return size_out_of({16, 32, 64, 128, 256});
}

std::vector<option> icache_options()
{
    const auto word = [](cpu::code_memory m) { return static_cast<int>(m); };
    return {
        acts_when<ssd_config>(make_option<ssd_config>(
                                  {"cpu.icache.size", "0B",
                                   "instruction cache of a core; 0: instructions come from memory "
                                   "as fast as the core"},
                                  cache_size(), FIELD(cpu.icache.cache.size), leaves_state),
                              counts_instructions,
                              "cpu.core is not flat: it is known which instructions run",
                              "choose another cpu.core, or remove it"),
        with_icache(make_option<ssd_config>({"cpu.icache.ways", "4", "lines of a set"},
                                            count_of(1, 64), FIELD(cpu.icache.cache.ways),
                                            leaves_state)),
        with_icache(make_option<ssd_config>({"cpu.icache.line", "64B", "bytes of a line"},
                                            line_size(), FIELD(cpu.icache.cache.line),
                                            leaves_state)),
        with_icache(make_option<ssd_config>(
            {"cpu.icache.memory", "dram", "where the firmware's instructions lie"},
            words({{"dram", word(cpu::code_memory::dram)},
                   {"sram", word(cpu::code_memory::sram)},
                   {"nor", word(cpu::code_memory::nor)}}),
            FIELD(cpu.icache.memory), leaves_state)),
        with_icache(make_option<ssd_config>(
            {"cpu.icache.miss_cycles", "8", "cycles of a miss beside what the memory takes"},
            count_of(0, 1000), FIELD(cpu.icache.miss_cycles), leaves_state)),
    };
}

option ftl_cores_option()
{
    option o = make_option<ssd_config>(
        {"cpu.ftl_cores", "1",
         "cores with the roles ftl and flash, each for a partition of the drive: an equal part of "
         "its channels, memories and addresses; above 1 one more core has the role host"},
        count_out_of({1, 2, 4, 8}), FIELD(ftl_cores));
    o.relevant = is_divided;
    o.relevant_when = "it is above 1";
    return o;
}

std::vector<option> tlb_options()
{
    return {
        make_option<ssd_config>(
            {"cpu.tlb.entries", "0",
             "entries of a core's TLB, for tables in DRAM; 0: addresses are not translated"},
            count_of(0, 4096), FIELD(cpu.tlb.entries), leaves_state),
        with_tlb(make_option<ssd_config>(
            {"cpu.tlb.page_size", "4KiB", "bytes that an entry of the TLB covers"},
            size_out_of({4 * KiB, 16 * KiB, 64 * KiB, 1 * MiB, 2 * MiB, 16 * MiB}),
            FIELD(cpu.tlb.page_size), leaves_state)),
        with_tlb(make_option<ssd_config>({"cpu.tlb.walk_cycles", "60",
                                          "cycles that the walk of the page tables takes when the "
                                          "TLB has no entry"},
                                         count_of(0, 100000), FIELD(cpu.tlb.walk_cycles),
                                         leaves_state)),
    };
}

std::vector<option> core_options()
{
    const auto word = [](core_roles r) { return static_cast<int>(r); };
    std::vector<option> table = {
        basic(make_option<ssd_config>({"cpu.cores", "", "cores that run firmware",
                                       "1; with cpu.ftl_cores above 1 one more than these"},
                                      count_of(1, MAP_CORES_MAX), FIELD(cores))),
        ftl_cores_option(),
        make_option<ssd_config>({"cpu.roles", "",
                                 "which of the roles host, ftl and flash has a core of its own",
                                 "together, host_apart, each_apart for 1, 2, 3 cores"},
                                words({{"together", word(core_roles::together)},
                                       {"host_apart", word(core_roles::host_apart)},
                                       {"flash_apart", word(core_roles::flash_apart)},
                                       {"ftl_apart", word(core_roles::ftl_apart)},
                                       {"each_apart", word(core_roles::each_apart)}}),
                                FIELD(roles)),
        make_option<ssd_config>(
            {"cpu.dcache.size", "0B",
             "data cache of a core, for tables in DRAM; 0: they are part of the instructions"},
            cache_size(), FIELD(cpu.dcache.size), leaves_state),
        with_cache(make_option<ssd_config>({"cpu.dcache.ways", "4", "lines of a set"},
                                           count_of(1, 64), FIELD(cpu.dcache.ways), leaves_state)),
        with_cache(make_option<ssd_config>({"cpu.dcache.line", "64B", "bytes of a line"},
                                           line_size(), FIELD(cpu.dcache.line), leaves_state)),
        with_cache(make_option<ssd_config>(
            {"cpu.dcache.hit_cycles", "1", "cycles of each line that is touched"},
            count_of(0, 1000), FIELD(cpu.dcache_hit_cycles), leaves_state)),
    };
    append(table, icache_options());
    append(table, tlb_options());
    return table;
}

void complete_cores(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (raw.values.count("cpu.cores") == 0) {
        c.cores = is_divided(c) ? c.ftl_cores + 1 : 1;
    }
    if (raw.values.count("cpu.roles") == 0) {
        c.roles = is_divided(c) || c.cores == 2 ? core_roles::host_apart
                  : c.cores == 1                ? core_roles::together
                                                : core_roles::each_apart;
    }
}

void check_cores(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const std::size_t taken = roles_of_cores(c).size();
    if (!is_divided(c) && taken != c.cores) {
        reject("cpu.roles", fmt::format("takes {} cores, and cpu.cores is {}", taken, c.cores),
               fmt::format("use cpu.cores: {}, or leave cpu.roles out", taken));
    }
    check_core_cache(raw, c.cpu.dcache, "cpu.dcache");
    check_core_cache(raw, c.cpu.icache.cache, "cpu.icache");
}

} // namespace

const config_part parts::cores = {core_options, complete_cores, check_cores, nullptr,
                                  check_partitions};

} // namespace ssdvp::platform
