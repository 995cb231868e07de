// SPDX-License-Identifier: Apache-2.0
//
// What the host's driver asks of an NVMe controller: order of the queues, messages, data pointers;
// and the class of a stream.
#include <algorithm>
#include <string>
#include <vector>

#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using namespace units;

using host::arbitration_kind;
using host::priority_class;

/// A class has queues where a stream uses it; those without a class are of the medium one.
template <priority_class wanted>
bool weighs(const ssd_config& c)
{
    const std::vector<priority_class>& used = c.driver.stream_priorities;
    const bool medium = wanted == priority_class::medium;
    const auto is_wanted = [&](priority_class p) {
        return p == wanted || (medium && p == priority_class::unset);
    };
    return c.driver.arbitration == arbitration_kind::weighted_round_robin &&
           (std::any_of(used.begin(), used.end(), is_wanted) || (medium && used.empty()));
}
bool several_queues(const ssd_config& c)
{
    return c.driver.queue_pairs > 1;
}
bool coalesces(const ssd_config& c)
{
    return c.driver.coalescing_threshold > 1 || c.driver.coalescing_time > sim_time();
}

std::vector<option> weight_options()
{
    value_spec burst = count_out_of({1, 2, 4, 8, 16, 32, 64});
    burst.word = {"unlimited", 0};
    const std::string when = "host.nvme.arbitration is weighted_round_robin and a stream has "
                             "priority ";
    const char* const remedy = "leave it out, or change what it depends on";
    return {
        only_when(make_option<ssd_config>({"host.nvme.arbitration_burst", "8",
                                           "commands of a queue before it is another's turn "
                                           "(feature 01h, AB)"},
                                          burst, FIELD(driver.burst)),
                  several_queues, "host.driver.queue_pairs is above 1", remedy),
        only_when(make_option<ssd_config>(
                      {"host.nvme.weights.high", "4",
                       "commands of high priority in each round of the three weighted classes"},
                      count_of(1, 256), FIELD(driver.weight_high)),
                  weighs<priority_class::high>, when + "high", remedy),
        only_when(make_option<ssd_config>({"host.nvme.weights.medium", "2",
                                           "commands of medium priority in each round"},
                                          count_of(1, 256), FIELD(driver.weight_medium)),
                  weighs<priority_class::medium>, when + "medium, as those without one have",
                  remedy),
        only_when(make_option<ssd_config>(
                      {"host.nvme.weights.low", "1", "commands of low priority in each round"},
                      count_of(1, 256), FIELD(driver.weight_low)),
                  weighs<priority_class::low>, when + "low", remedy),
    };
}

} // namespace

option arbitration_option()
{
    return make_option<ssd_config>(
        {"host.nvme.arbitration", "round_robin",
         "order in which submission queues are fetched; weighted_round_robin: by the priority of "
         "the streams, each class with queues of its own"},
        words({{"round_robin", static_cast<int>(arbitration_kind::round_robin)},
               {"weighted_round_robin", static_cast<int>(arbitration_kind::weighted_round_robin)}}),
        FIELD(driver.arbitration));
}

std::vector<option> nvme_feature_options()
{
    value_spec time = time_of(0, 25500 * us);
    const char* const when = "one of threshold and time is not its default";
    std::vector<option> table = weight_options();
    append(table,
           {only_when(make_option<ssd_config>(
                          {"host.nvme.coalescing.threshold", "1",
                           "completions that an interrupt message waits for (feature 08h)"},
                          count_of(1, 256), FIELD(driver.coalescing_threshold)),
                      coalesces, when),
            only_when(make_option<ssd_config>(
                          {"host.nvme.coalescing.time", "0s",
                           "how long a message waits at most, a multiple of 100us; 0s = no wait"},
                          time, FIELD(driver.coalescing_time)),
                      coalesces, when),
            only_when(
                make_option<ssd_config>(
                    {"host.driver.sgl", "false",
                     "commands have one SGL descriptor for their data instead of PRPs"},
                    flag(), FIELD(driver.sgl)),
                [](const ssd_config& c) { return c.driver.sgl && !is_sata(c); },
                "it is true and host.interface is nvme")});
    return table;
}

std::vector<stream_option> priority_options()
{
    stream_option o = make_option<host::stream_config>(
        {"priority", "", "class of the queues that the stream uses", "medium"},
        words({{"urgent", static_cast<int>(priority_class::urgent)},
               {"high", static_cast<int>(priority_class::high)},
               {"medium", static_cast<int>(priority_class::medium)},
               {"low", static_cast<int>(priority_class::low)}}),
        FIELD(priority));
    o.relevant = [](const host::stream_config& c) { return c.priority != priority_class::unset; };
    o.relevant_when = "it is given, and host.nvme.arbitration is weighted_round_robin";
    return {o};
}

} // namespace ssdvp::platform
