// SPDX-License-Identifier: Apache-2.0
//
// SATA: link, adapter, driver, front end.
#include <optional>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

std::vector<option> link_options()
{
    return {
        basic(make_option<ssd_config>(
            {"host.sata.rate", "6Gb/s", "rate of the line, before 8b/10b"},
            words({{"1.5Gb/s", 1}, {"3Gb/s", 2}, {"6Gb/s", 3}}), FIELD(sata_rate))),
        make_option<ssd_config>({"host.sata.latency", "100ns",
                                 "a primitive sent until the answer to it is here, twice a frame"},
                                time_of(0, 1000 * us), FIELD(sata.latency), leaves_state),
        make_option<ssd_config>(
            {"host.sata.handshake", "10", "primitives around a frame, in words of 4 bytes"},
            count_of(0, 1000), FIELD(sata.handshake), leaves_state),
        make_option<ssd_config>(
            {"host.sata.crc_error_rate", "0", "share of the frames that arrive damaged"},
            real_of(value_kind::fraction, 0.0, 0.01), FIELD(sata.crc_error_rate), leaves_state),
    };
}

std::vector<option> host_side_options()
{
    return {
        make_option<ssd_config>({"host.sata.ncq", "true",
                                 "reads and writes by native command queuing, else one at a time"},
                                flag(), FIELD(driver.sata.queued)),
        acts_when<ssd_config>(
            make_option<ssd_config>(
                {"host.sata.queue_depth", "32", "tags that the driver uses at a time, at most"},
                count_of(1, 32), FIELD(driver.sata.tags)),
            [](const ssd_config& c) { return c.driver.sata.queued; }, "host.sata.ncq is true"),
        make_option<ssd_config>(
            {"host.sata.max_transfer_size", "128KiB", "largest transfer of one command"},
            size_out_of(powers_of_two(4096, 2u << 20)), FIELD(driver.sata.max_transfer)),
        make_option<ssd_config>(
            {"host.sata.command_latency", "300ns",
             "adapter: command issued until its table is here and X_RDY goes out"},
            time_of(0, 1000 * us), FIELD(driver.sata.hba.command_latency), leaves_state),
        make_option<ssd_config>({"host.sata.data_latency", "300ns",
                                 "adapter: data asked for until they are here and X_RDY goes out"},
                                time_of(0, 1000 * us), FIELD(driver.sata.hba.data_latency),
                                leaves_state),
        make_option<ssd_config>(
            {"host.sata.decode_latency", "50ns", "frame received until it is in the command ring"},
            time_of(0, 1000 * us), FIELD(sata_fe.decode_latency), leaves_state),
        make_option<ssd_config>(
            {"host.sata.move_latency", "50ns", "data-mover descriptor until its first DMA"},
            time_of(0, 1000 * us), FIELD(sata_fe.move_latency), leaves_state),
    };
}

std::vector<option> sata_options()
{
    std::vector<option> table = link_options();
    append(table, host_side_options());
    value_spec times = time_of(1, 1000000 * s);
    times.kind = value_kind::time_list;
    option o = make_option<ssd_config>(
        {"host.sata.reset_at", "",
         "the host resets the drive (COMRESET) at these times from the start of the measured part, "
         "when what is in flight has completed",
         "never"},
        times, FIELD(reset_at), leaves_state);
    o.relevant = [](const ssd_config& c) { return !c.reset_at.empty(); };
    o.relevant_when = "it has a value";
    table.push_back(o);
    return table;
}

void complete_sata(const raw_tree& /*raw*/, ssd_config& c, preset_fit& /*fit*/)
{
    c.sata.generation = static_cast<std::uint32_t>(c.sata_rate);
    c.sata.seed = c.run.seed;
    c.sata_fe.data = c.driver.sata.hba.data = c.data;
    if (is_sata(c)) {
        c.max_transfer = c.driver.sata.max_transfer;
    }
}

} // namespace

const config_part parts::sata = {sata_options, complete_sata};

} // namespace ssdvp::platform
