// SPDX-License-Identifier: Apache-2.0
//
// A small drive's run made by hand, in which every identity holds: 2 channels with 2 LUNs each,
// 4 KiB map units, 16 KiB pages, 1 ms measured after 1 ms of warm-up.
#pragma once

#include "platform/report/counter_sums.h"
#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::report_test {

/// A finished request whose latency is split over queue (a quarter) and array (the rest).
inline host::request_result finished(host::request_kind kind, std::uint64_t sequence,
                                     sim_time arrival, sim_time latency)
{
    host::request_result r;
    r.req.kind = kind;
    r.req.lba = 8 * sequence;
    r.req.sectors = kind == host::request_kind::flush ? 0 : 8;
    r.req.arrival = arrival;
    r.sequence = sequence;
    r.submitted = arrival;
    r.completed = arrival + latency;
    const sim_time queued(latency.ps() / 4);
    r.parts[static_cast<std::size_t>(latency_part::queue)] = queued;
    r.parts[static_cast<std::size_t>(latency_part::array)] = latency - queued;
    return r;
}

struct sample {
    platform::measurement m;
    platform::request_statistics requests{2};

    sample();
    /// To be called after a change of begin or end.
    void measure();

    platform::counters begin;
    platform::counters end;
};

inline platform::counters sample_begin()
{
    using namespace literals;
    platform::counters c;
    c.when = 1_ms;
    c.wall_s = 10.0;
    c.kernel_activations = 100;
    c.kernel_entries = 10;
    c.driver = {1, 1, 0};
    c.flash.multi_plane = 5;
    c.flash.suspends = 0;
    c.channels.resize(2);
    for (platform::channel_statistics& channel : c.channels) {
        channel.busy = 100_us;
        channel.luns.resize(2);
    }
    c.ftl.emplace();
    c.cpu.push_back({1000, 2000, 10_us, "flat", {}, {}, {}, {}, {}, rate(1000000000)});
    c.dram = platform::dram_statistics{1000, 2000, 1_us};
    c.link = platform::link_statistics{5000, 3000, 10,   20,   1_us, 2_us, 80, 40,
                                       1,    2,    1_us, 2_us, 1,    2,    3,  4_us};
    c.nvme = platform::nvme_statistics{1, 1, 1, {}, {}, 0};
    c.integrity = platform::integrity_statistics{8, 0};
    return c;
}

/// Programs: 2 pages of host data, 1 of GC, 1 of wear levelling; 1 more of the map.
inline void fill_flash(platform::counters& c)
{
    using namespace literals;
    constexpr std::uint64_t page = 16384;
    platform::flash_statistics& f = c.flash;
    f.reads = 6;
    f.programs = 5;
    f.erases = 1;
    f.bytes_read = 3 * 4096 + 3 * page;
    f.bytes_programmed = 5 * page;
    f.multi_plane = 7;
    f.by_purpose[FLASH_PURPOSE_HOST] = {4, 2, 0, 2 * page};
    f.by_purpose[FLASH_PURPOSE_GC] = {2, 1, 1, page};
    f.by_purpose[FLASH_PURPOSE_WEAR] = {0, 1, 0, page};
    f.by_purpose[FLASH_PURPOSE_MAP] = {0, 1, 0, page};
    c.channels[0].busy = 350_us;
    c.channels[0].luns = {{500_us, 4, 2, 0}, {1_ms, 1, 1, 1}};
    c.channels[1].busy = 200_us;
    c.channels[1].luns = {{125_us, 1, 2, 0}, {}};
    telemetry& t = *c.ftl;
    t.ram_bytes = 65536;
    t.mapped = 40;
    t.valid = 40;
    t.free_blocks = 3;
    t.bad_blocks = 1;
    t.host_units_written = 7;
    t.pad_units = 1;
    t.map_units_written = 4;
    t.gc_runs = 1;
    t.gc_units_moved = 4;
    t.gc_pages_moved = 1;
    t.wear_units_moved = 4;
    t.cache_write_hits = 1;
    t.cache_write_misses = 2;
    t.cache_evictions_dirty = 2;
    t.erase_min = 1;
    t.erase_max = 3;
    t.erase_sum = 8;
    t.erase_square_sum = 18;
    t.erase_blocks = 4;
}

inline platform::counters sample_end()
{
    using namespace literals;
    platform::counters c = sample_begin();
    c.when = 2_ms;
    c.wall_s = 12.5;
    c.kernel_activations = 240;
    c.kernel_entries = 31;
    c.driver = {9, 8, 1};
    fill_flash(c);
    c.cpu[0] = {51000, 62000, 260_us, "flat", {}, {}, {}, {}, {}, rate(1000000000)};
    c.dram = platform::dram_statistics{21000, 32000, 11_us};
    c.link = platform::link_statistics{25000, 13000, 60,    70,    101_us, 52_us, 480, 240,
                                       6,     9,     11_us, 22_us, 9,      4,     7,   34_us};
    c.nvme = platform::nvme_statistics{9, 8, 8, {}, {}, 0};
    c.integrity = platform::integrity_statistics{32, 0};
    return c;
}

inline sample::sample() : begin(sample_begin()), end(sample_end())
{
    using namespace literals;
    using host::request_kind;
    m.config_name = "hand-made";
    m.config_sha256 = "0123abcd";
    m.version = "0.1.0";
    m.seed = 7;
    m.complete = true;
    m.drive.scheme = "page_map";
    m.drive.cache_policy = "wo_lru";
    m.drive.map_unit = 4096;
    m.drive.purposes = 1u << FLASH_PURPOSE_HOST | 1u << FLASH_PURPOSE_GC | 1u << FLASH_PURPOSE_MAP |
                       1u << FLASH_PURPOSE_WEAR;
    m.drive.rows = {{"flash", "2 channels x 2 LUNs, 16 KiB pages"},
                    {"workload", "7 requests made by hand"}};
    m.streams = {"first", "second"};
    m.peak_rss_bytes = 1 << 20;
    requests.on_complete(finished(request_kind::read, 0, 0_us, 40_us)); // warm-up
    requests.begin_measurement();
    std::uint64_t n = 1;
    for (const std::uint64_t us : {60u, 50u, 70u}) {
        requests.on_complete(finished(request_kind::read, n++, 1_ms, us * 1_us));
    }
    host::request_result failed = finished(request_kind::read, n++, 1_ms, 80_us);
    failed.status = 0x281;
    requests.on_complete(failed);
    for (const std::uint64_t ps : {10000001u, 10000004u}) {
        host::request_result write = finished(request_kind::write, n++, 1_ms, sim_time(ps));
        write.req.stream = 1;
        write.req.sectors = 16;
        requests.on_complete(write);
    }
    requests.on_complete(finished(request_kind::flush, n++, 1_ms, 2_us));
    measure();
}

inline void sample::measure()
{
    m.lifetime = end;
    m.simulated = end.when;
    m.measured = platform::difference(end, begin);
}

} // namespace ssdvp::report_test
