// SPDX-License-Identifier: Apache-2.0
//
// The PCI Express link.
#include <fmt/format.h>

#include "models/pcie/tlp_cost.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

// What scaled flow control can advertise: 16 times 127 headers, 16 times 2047 units of data.
constexpr std::uint64_t most_headers = 16ull * 127;
constexpr std::uint64_t most_data = 16ull * 2047;

bool counts_credits(const ssd_config& c)
{
    return pcie::limited(c.pcie.host_credits) || pcie::limited(c.pcie.device_credits);
}

option when_credits_count(option o)
{
    return acts_when<ssd_config>(std::move(o), counts_credits,
                                 "a credit of host.pcie.host_credits or device_credits is not 0",
                                 leave_default);
}

std::vector<option> packet_options()
{
    return {
        basic(make_option<ssd_config>(
            {"host.pcie.generation", "4", "PCI Express generation of the link"}, count_of(1, 6),
            FIELD(pcie.generation), leaves_state)),
        basic(make_option<ssd_config>({"host.pcie.lanes", "4", "lanes of the link"},
                                      count_out_of({1, 2, 4, 8, 16}), FIELD(pcie.lanes),
                                      leaves_state)),
        make_option<ssd_config>(
            {"host.pcie.max_payload_size", "256B", "largest payload of a write or completion TLP"},
            size_out_of({128, 256, 512, 1024, 2048, 4096}), FIELD(pcie.max_payload_size),
            leaves_state),
        make_option<ssd_config>({"host.pcie.max_read_request_size", "512B",
                                 "largest amount that one memory read TLP asks for"},
                                size_out_of({128, 256, 512, 1024, 2048, 4096}),
                                FIELD(pcie.max_read_request_size), leaves_state),
        acts_when<ssd_config>(
            make_option<ssd_config>({"host.pcie.read_completion_boundary", "64B",
                                     "completions of a read are split at multiples of this"},
                                    size_out_of({64, 128}), FIELD(pcie.read_completion_boundary),
                                    leaves_state),
            [](const ssd_config& c) {
                return c.pcie.max_read_request_size > c.pcie.max_payload_size;
            },
            "host.pcie.max_read_request_size is above host.pcie.max_payload_size"),
        make_option<ssd_config>(
            {"host.pcie.ecrc", "false", "each TLP carries an end-to-end CRC, 4 B more on the wire"},
            flag(), FIELD(pcie.ecrc), leaves_state),
        make_option<ssd_config>({"host.pcie.propagation", "150ns",
                                 "last symbol sent until the TLP is acted on, each direction"},
                                time_of(0, 1000 * us), FIELD(pcie.propagation), leaves_state),
        make_option<ssd_config>({"host.pcie.host_latency", "300ns",
                                 "root complex: read received until its first completion starts"},
                                time_of(0, 1000 * us), FIELD(pcie.host_latency), leaves_state),
    };
}

std::vector<option> link_layer_options()
{
    option acks = acts_when<ssd_config>(
        make_option<ssd_config>(
            {"host.pcie.ack_factor", "4", "TLPs that one ACK DLLP acknowledges; 0: no ACKs"},
            count_of(0, 64), FIELD(pcie.ack_factor), leaves_state),
        [](const ssd_config& c) { return pcie::dllp_bytes(c.pcie) != 0; },
        "host.pcie.generation is 5 or less", leave_default);
    return {
        make_option<ssd_config>(
            {"host.pcie.tags", "", "memory reads of the drive that may be under way",
             "32 in generations 1 and 2, 256 in generation 3, 768 from generation 4 on"},
            count_of(1, 1024), FIELD(pcie.tags), leaves_state),
        acks,
        when_credits_count(make_option<ssd_config>(
            {"host.pcie.update_factor", "4",
             "TLPs whose credits one UpdateFC DLLP returns; 0: UpdateFCs take no bytes"},
            count_of(0, 64), FIELD(pcie.update_factor), leaves_state)),
        when_credits_count(make_option<ssd_config>(
            {"host.pcie.credit_latency", "100ns",
             "TLP received until its buffer is free and the UpdateFC starts"},
            time_of(0, 1000 * us), FIELD(pcie.credit_latency), leaves_state)),
        make_option<ssd_config>(
            {"host.pcie.skip_fraction", "0",
             "share of the wire's time that SKP ordered sets take (0.27 % by the standard)"},
            real_of(value_kind::fraction, 0.0, 0.05), FIELD(pcie.skip_fraction), leaves_state),
        make_option<ssd_config>({"host.pcie.bit_error_rate", "0",
                                 "probability that a bit arrives wrong and its TLP is sent again"},
                                real_of(value_kind::number, 0.0, 1e-5), FIELD(pcie.bit_error_rate),
                                leaves_state),
    };
}

#define CREDITS(receiver, name, most, about)                                                       \
    make_option<ssd_config>({"host.pcie." #receiver "." #name, "0", about}, count_of(0, most),     \
                            FIELD(pcie.receiver.name), leaves_state)

/// Not of completions of register reads, for which a root complex always has room (PCI Express base
/// 5.0, section 2.6.1), nor of register reads: the host waits for each before the next.
std::vector<option> credit_options()
{
    return {
        CREDITS(host_credits, posted_headers, most_headers,
                "writes that the root complex has room for; 0: infinite, as with all credits"),
        CREDITS(host_credits, posted_data, most_data, "their data, in units of 16 B"),
        CREDITS(host_credits, nonposted_headers, most_headers,
                "read requests that the root complex has room for"),
        CREDITS(device_credits, posted_headers, most_headers,
                "register writes that the drive has room for"),
        CREDITS(device_credits, posted_data, most_data, "their data, in units of 16 B"),
        CREDITS(device_credits, completion_headers, most_headers,
                "completions of its reads that the drive has room for; the standard: infinite"),
        CREDITS(device_credits, completion_data, most_data, "their data, in units of 16 B"),
    };
}

#undef CREDITS

std::vector<option> pcie_options()
{
    std::vector<option> table = packet_options();
    append(table, link_layer_options());
    append(table, credit_options());
    return table;
}

void complete_pcie(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (raw.values.count("host.pcie.tags") == 0) {
        c.pcie.tags = pcie::usual_tags(c.pcie.generation);
    }
    c.pcie.seed = c.run.seed;
}

/// A receiver must have room for the largest TLP (PCI Express base 5.0, table 2-46), or such a TLP
/// would wait for ever.
void check_pcie(const raw_tree& raw, const ssd_config& c)
{
    struct data_credits {
        const char* key;
        std::uint32_t units;
    };
    const data_credits all[] = {
        {"host.pcie.host_credits.posted_data", c.pcie.host_credits.posted_data},
        {"host.pcie.device_credits.completion_data", c.pcie.device_credits.completion_data},
    };
    for (const data_credits& d : all) {
        if (d.units != 0 && d.units * pcie::credit_unit < c.pcie.max_payload_size) {
            rejection{raw}(d.key,
                           fmt::format("{} units of 16 B do not hold one payload of "
                                       "host.pcie.max_payload_size {}",
                                       d.units, format_size(c.pcie.max_payload_size)),
                           fmt::format("use {} or more, 0 for infinite, or a smaller "
                                       "host.pcie.max_payload_size",
                                       c.pcie.max_payload_size / pcie::credit_unit));
        }
    }
}

} // namespace

const config_part parts::pcie = {pcie_options, complete_pcie, check_pcie};

} // namespace ssdvp::platform
