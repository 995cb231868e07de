// SPDX-License-Identifier: Apache-2.0
//
// What the NVMe front end and its driver have: queues, slots, times.
#include <fmt/format.h>

#include "models/regs/boot_params.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

bool looks_up(const ssd_config& c)
{
    return c.nvme.lookup;
}

std::vector<option> nvme_options()
{
    return {
        basic(make_option<ssd_config>(
            {"host.nvme.queue_pairs", "8", "I/O queue pairs that the front end holds"},
            count_of(1, 255), FIELD(nvme.queue_pairs))),
        make_option<ssd_config>(
            {"host.nvme.queue_entries", "1024", "entries that a queue may have (CAP.MQES + 1)"},
            count_of(2, 65536), FIELD(nvme.queue_entries)),
        make_option<ssd_config>(
            {"host.nvme.arbitration", "round_robin",
             "order in which submission queues are fetched; weighted_round_robin: by the priority "
             "of the streams, each class with queues of its own"},
            words({{"round_robin", number(host::arbitration_kind::round_robin)},
                   {"weighted_round_robin", number(host::arbitration_kind::weighted_round_robin)}}),
            FIELD(driver.arbitration)),
        make_option<ssd_config>({"host.nvme.slots", "512", "commands in the drive at a time"},
                                count_of(2, 16384), FIELD(nvme.slots)),
        make_option<ssd_config>(
            {"host.nvme.fetch_burst", "8", "submission entries fetched by one read"},
            count_of(1, 64), FIELD(nvme.fetch_burst), leaves_state),
        make_option<ssd_config>(
            {"host.nvme.decode_latency", "50ns", "entry received until it is in the command ring"},
            time_of(0, 1000 * us), FIELD(nvme.decode_latency), leaves_state),
        make_option<ssd_config>(
            {"host.nvme.move_latency", "50ns", "data-mover descriptor until its first DMA"},
            time_of(0, 1000 * us), FIELD(nvme.move_latency), leaves_state),
        only_when(make_option<ssd_config>(
                      {"host.nvme.lookup", "false",
                       "a look-up engine carries out reads of one map unit without firmware"},
                      flag(), FIELD(nvme.lookup)),
                  looks_up, "it is true"),
        only_when(make_option<ssd_config>(
                      {"host.nvme.lookup_time", "100ns", "the engine takes for each look-up"},
                      time_of(1 * ns, 10 * us), FIELD(nvme.lookup_time), leaves_state),
                  looks_up, "host.nvme.lookup is true"),
        // MDTS of Identify counts pages of 4 KiB by powers of two, and 0 says "no limit".
        make_option<ssd_config>(
            {"host.nvme.max_transfer_size", "128KiB", "largest transfer of one command (MDTS)"},
            size_out_of(powers_of_two(8192, 2u << 20)), FIELD(max_transfer)),
    };
}

std::vector<option> driver_options()
{
    return {
        make_option<ssd_config>(
            {"host.driver.queue_pairs", "1", "I/O queue pairs that the driver creates"},
            count_of(1, 255), FIELD(driver.queue_pairs)),
        make_option<ssd_config>({"host.driver.queue_entries", "",
                                 "entries of each queue that the driver creates",
                                 "host.nvme.queue_entries"},
                                count_of(2, 65536), FIELD(driver.queue_entries)),
        make_option<ssd_config>({"host.driver.submit_latency", "300ns",
                                 "request until its entry is written and the doorbell rings"},
                                time_of(0, 1000 * us), FIELD(driver.submit_latency), leaves_state),
        make_option<ssd_config>({"host.driver.complete_latency", "300ns",
                                 "interrupt arrives until the completion is reaped"},
                                time_of(0, 1000 * us), FIELD(driver.complete_latency),
                                leaves_state),
    };
}

std::vector<option> host_options()
{
    std::vector<option> table = nvme_options();
    append(table, driver_options());
    return table;
}

void complete_host(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (!is_given(raw, "host.driver.queue_entries")) {
        c.driver.queue_entries = c.nvme.queue_entries;
    }
    c.nvme.vectors = c.nvme.queue_pairs + 1; // one per I/O completion queue, one for admin
}

void check_queues(const raw_tree& raw, const ssd_config& c)
{
    if (is_sata(c)) {
        return;
    }
    const rejection reject{raw};
    if (c.driver.queue_pairs > c.nvme.queue_pairs) {
        reject({"host.driver.queue_pairs", "host.nvme.queue_pairs"},
               fmt::format("{} is more than {}", told(raw, c, "host.driver.queue_pairs"),
                           told(raw, c, "host.nvme.queue_pairs")),
               fmt::format("use at most {}", c.nvme.queue_pairs));
    }
    if (c.driver.queue_entries > c.nvme.queue_entries) {
        reject({"host.driver.queue_entries", "host.nvme.queue_entries"},
               fmt::format("{} is more than {}", told(raw, c, "host.driver.queue_entries"),
                           told(raw, c, "host.nvme.queue_entries")),
               fmt::format("use at most {}", c.nvme.queue_entries));
    }
}

void fill_host(boot_params& p, const ssd_config& c)
{
    p.host.queue_pairs = c.nvme.queue_pairs;
    p.host.mdts = c.max_transfer;
    p.host.lookup = c.nvme.lookup ? 1 : 0;
}

} // namespace

const config_part parts::host = {host_options, complete_host, check_queues, fill_host};

} // namespace ssdvp::platform
