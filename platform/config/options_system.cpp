// SPDX-License-Identifier: Apache-2.0
//
// Options of the controller: memories, cores, firmware schemes; and of the run.
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

std::vector<option> memory_options()
{
    return {
        make_option<ssd_config>({"sram.capacity", "", "SRAM: rings and firmware's hot data",
                                 "4MiB, doubled until the rings fit"},
                                whole_pages(64 * KiB, 256 * MiB), FIELD(sram_size)),
    };
}

option when_flat(option o)
{
    o.relevant = [](const ssd_config& c) { return c.cpu.core == "flat"; };
    o.relevant_when = "cpu.core is flat";
    return o;
}

std::vector<option> cpu_options()
{
    return {
        make_option<ssd_config>({"cpu.clock", "1GHz", "clock of a core"},
                                rate_of(value_kind::frequency, mega, 10000 * mega),
                                FIELD(cpu.clock), leaves_state),
        make_option<ssd_config>(
            {"cpu.core", "cortex-r82",
             "core whose instructions firmware is counted in; flat: each call of a HAL function "
             "stands for cpu.instructions_per_call"},
            words({{"cortex-r82", 0}, {"rv64", 0}, {"cortex-r52", 0}, {"rv32", 0}, {"flat", 0}}),
            FIELD(cpu.core), leaves_state),
        when_flat(make_option<ssd_config>(
            {"cpu.instructions_per_call", "250",
             "instructions that each call of a HAL function stands for"},
            count_of(0, mega), FIELD(cpu.instructions_per_call), leaves_state)),
        when_flat(make_option<ssd_config>(
            {"cpu.cycles_per_instruction", "1", "mean cycles of an instruction"},
            real_of(value_kind::number, 0.0, 1000.0, true), FIELD(cpu.cycles_per_instruction),
            leaves_state)),
        make_option<ssd_config>({"cpu.mmio_read_cycles", "40", "bus round trip of a register read"},
                                count_of(0, mega), FIELD(cpu.mmio_read_cycles), leaves_state),
        make_option<ssd_config>({"cpu.mmio_write_cycles", "10", "cost of a posted register write"},
                                count_of(0, mega), FIELD(cpu.mmio_write_cycles), leaves_state),
        make_option<ssd_config>({"cpu.interrupt_cycles", "60", "entry and exit of an interrupt"},
                                count_of(0, mega), FIELD(cpu.interrupt_cycles), leaves_state),
    };
}

std::vector<option> ftl_options()
{
    value_spec map_unit = size_out_of(powers_of_two(512, 32768));
    return {
        make_option<ssd_config>({"ftl.scheme", "page_map", "flash translation layer"},
                                words_of<ftl_scheme>(SCHEME_OF_OPTION), FIELD(ftl.scheme)),
        make_option<ssd_config>(
            {"ftl.over_provisioning", "0.07", "share of the physical capacity that is kept spare"},
            real_of(value_kind::fraction, 0.0, 0.95), FIELD(ftl.over_provisioning)),
        make_option<ssd_config>({"ftl.map_unit", "", "bytes that one map entry covers",
                                 "msbs, fmax, lm, bast, fast, superblock, kast, last, sast: "
                                 "nand.page_size; else "
                                 "4KiB, or nand.page_size if that is less"},
                                map_unit, FIELD(ftl.map_unit)),
        make_option<ssd_config>(
            {"ftl.trim", "true", "Deallocate unmaps; false: Deallocate is ignored"}, flag(),
            FIELD(ftl.trim)),
        kept_when<ssd_config>(
            make_option<ssd_config>(
                {"ftl.multi_plane", "true", "program, erase and read all planes of a LUN at once"},
                flag(), FIELD(ftl.multi_plane)),
            [](const ssd_config& c) { return c.channel.die.geo.planes > 1; },
            "nand.planes is above 1"),
        make_option<ssd_config>(
            {"ftl.stripe", "",
             "what a superblock is; drive: the blocks of one number in all planes of all LUNs; "
             "block: one block, neighbours on different channels; plane: one block, each plane has "
             "free ones and a collection of its own",
             "msbs, fmax, lm, bast, fast, superblock, kast, last, sast: block; else drive"},
            words_of<superblock_stripe>(), FIELD(ftl.stripe)),
        make_option<ssd_config>({"wear.dynamic", "true",
                                 "take the free block with the fewest erases; false: the oldest"},
                                flag(), FIELD(ftl.wear_dynamic)),
        make_option<ssd_config>(
            {"wear.static_delta", "64",
             "spread of erase counts that starts static wear levelling; 0 = off"},
            count_of(0, mega), FIELD(ftl.wear_static_delta)),
        make_option<ssd_config>({"gc.policy", "greedy", "choice of the block to collect"},
                                words_of<gc_policy>(), FIELD(ftl.gc)),
        make_option<ssd_config>(
            {"gc.threshold", "0.01",
             "collect when free superblocks fall below this share; two at least"},
            real_of(value_kind::fraction, 0.001, 0.5), FIELD(ftl.gc_threshold)),
        make_option<ssd_config>(
            {"gc.stop", "0.02",
             "collect until this share is free; one more than gc.threshold at least"},
            real_of(value_kind::fraction, 0.001, 0.5), FIELD(ftl.gc_stop)),
        make_option<ssd_config>({"gc.copyback", "false",
                                 "pages that are valid throughout move inside their LUN by "
                                 "copyback, without the bus"},
                                flag(), FIELD(ftl.gc_copyback)),
        make_option<ssd_config>(
            {"cache.policy", "wo_lru",
             "buffer in DRAM; wo_lru: of what was written, until it is on the flash; rw_lru: of "
             "what was written or read, least recently used out first; rw_cflru: clean units "
             "first; fab: the logical block with the most units first; bplru: of what was written, "
             "the logical block that was written the longest ago first"},
            words_of<cache_policy>(), FIELD(cache.policy)),
    };
}

option checkpoint_interval_option()
{
    return make_option<ssd_config>(
        {"ftl.checkpoint_interval", "",
         "bytes programmed from one checkpoint of the maps to the next: what power-up has to read",
         "1/64 of the capacity, 16MiB at least, 8GiB at most; with nand.two_pass at least 16 times "
         "what waits for its fine pass"},
        size_of(64 * KiB, TiB), FIELD(ftl.checkpoint_interval));
}

std::vector<option> map_options()
{
    return {
        make_option<ssd_config>(
            {"ftl.map_cache", "",
             "bytes of DRAM for the cached part of the map, where ftl.scheme pages it: 48 per "
             "entry "
             "of dftl, an erase block per segment of vm_map, map pages of log_set",
             "page_map: 0B; else 1/16 of the map: dftl and log_set 64KiB at least, log_set a map "
             "page per unit of a write unit, vm_map a segment"},
            size_of(0, TiB), FIELD(ftl.map_cache)),
        acts_when<ssd_config>(
            make_option<ssd_config>({"ftl.map_share", "0",
                                     "share of the map that is to be in memory: ftl.map_cache is "
                                     "as large as that takes; 0: it is given in bytes"},
                                    real_of(value_kind::fraction, 0.0, 1.0), FIELD(ftl.map_share)),
            [](const ssd_config& c) { return map_is_paged(c) && c.ftl.vm_segments == 0; },
            "ftl.scheme pages the map (dftl, vm_map, log_set), and ftl.vm_map.segments is 0",
            "use ftl.scheme: dftl, vm_map or log_set, or leave it out"),
    };
}

std::vector<option> interconnect_options()
{
    return {
        make_option<ssd_config>(
            {"interconnect.width", "0",
             "bits that a port of the crossbar, to SRAM, DRAM or registers, moves in a cycle; 0: "
             "transfers take no time there and do not wait for each other"},
            count_out_of({0, 32, 64, 128, 256, 512, 1024}), FIELD(port.width), leaves_state),
        acts_when<ssd_config>(
            make_option<ssd_config>({"interconnect.clock", "1GHz", "clock of the crossbar"},
                                    rate_of(value_kind::frequency, mega, 10000 * mega),
                                    FIELD(port.clock), leaves_state),
            [](const ssd_config& c) { return c.port.width != 0; },
            "interconnect.width is not 0: transfers take time", "give interconnect.width"),
    };
}

} // namespace

std::vector<option> system_options()
{
    std::vector<option> table = memory_options();
    append(table, cpu_options());
    append(table, core_options());
    append(table, interconnect_options());
    append(table, ftl_options());
    append(table, map_options());
    append(table, scheme_options(SCHEME_PAGES_MAP));
    table.push_back(checkpoint_interval_option());
    table.push_back(make_option<ssd_config>(
        {"write.mode", "normal",
         "how data is programmed; shallow: the host's in nand.shallow.tPROG, with more bit errors; "
         "slc: the whole drive in SLC mode, one page per word line"},
        words({{"normal", static_cast<int>(write_mode::normal)},
               {"shallow", static_cast<int>(write_mode::shallow)},
               {"slc", static_cast<int>(write_mode::slc)}}),
        FIELD(write)));
    return table;
}

} // namespace ssdvp::platform
