// SPDX-License-Identifier: Apache-2.0
//
// Keys of a stream under `workload`.
#include "platform/config/choices.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using namespace units;

using host::pattern_kind;
using host::stream_config;

value_spec sectors(std::uint64_t min, std::uint64_t max)
{
    value_spec spec = size_of(min, max);
    spec.multiple_of = sector_size;
    return spec;
}

stream_option only_when(stream_option o, bool (*relevant)(const stream_config&), const char* when)
{
    o.relevant = relevant;
    o.relevant_when = when;
    return o;
}

bool closed_loop(const stream_config& c)
{
    return c.rate_iops <= 0.0;
}
bool open_loop(const stream_config& c)
{
    return c.rate_iops > 0.0;
}
bool has_hot_part(const stream_config& c)
{
    return c.pattern == pattern_kind::hot_cold || c.pattern == pattern_kind::hclru;
}
bool has_stack(const stream_config& c)
{
    return c.pattern == pattern_kind::lru || c.pattern == pattern_kind::hclru;
}
bool has_power_law(const stream_config& c)
{
    return has_stack(c) && c.lru_law == host::stack_law::power;
}
bool has_geometric_law(const stream_config& c)
{
    return has_stack(c) && c.lru_law == host::stack_law::geometric;
}
bool is_zipf(const stream_config& c)
{
    return c.pattern == pattern_kind::zipf;
}

stream_option when_it_writes(stream_option o)
{
    return kept_when<stream_config>(
        std::move(o),
        [](const stream_config& c) { return c.read_fraction < 1.0 && c.trim_fraction < 1.0; },
        "the stream writes: read_fraction and trim_fraction are below 1");
}

stream_option when_it_reads(stream_option o)
{
    return kept_when<stream_config>(
        std::move(o),
        [](const stream_config& c) { return c.read_fraction > 0.0 && c.trim_fraction < 1.0; },
        "the stream reads: read_fraction is above 0 and trim_fraction below 1");
}

std::vector<stream_option> range_options()
{
    value_spec range_size = sectors(sector_size, 64 * TiB);
    range_size.word = {"all", 0};
    return {
        make_option<stream_config>({"name", "", "name of the stream, for reports",
                                    "stream and its number in the list, from 0"},
                                   words_free(), FIELD(name)),
        make_option<stream_config>({"pattern", "uniform", "addresses of the requests"},
                                   words_of<pattern_kind>(), FIELD(pattern)),
        make_option<stream_config>({"block_size", "4KiB", "bytes of a request"},
                                   sectors(sector_size, 64ull << 20), FIELD(block_size)),
        make_option<stream_config>({"range.start", "0B", "first byte of the drive that is used"},
                                   sectors(0, 64 * TiB), FIELD(range_start)),
        make_option<stream_config>(
            {"range.size", "all", "bytes used; all: to the end of the drive"}, range_size,
            FIELD(range_size)),
        only_when(make_option<stream_config>(
                      {"hot_fraction", "0.2", "share of the range that is hot"},
                      real_of(value_kind::fraction, 0.0, 1.0, true), FIELD(hot_fraction)),
                  has_hot_part, "pattern is hot_cold or hclru"),
        only_when(make_option<stream_config>(
                      {"hot_probability", "0.8", "share of the requests that go to the hot part"},
                      real_of(value_kind::fraction, 0.0, 1.0), FIELD(hot_probability)),
                  has_hot_part, "pattern is hot_cold or hclru"),
        only_when(make_option<stream_config>({"zipf_theta", "0.99", "exponent of the distribution"},
                                             real_of(value_kind::number, 0.0, 10.0, true),
                                             FIELD(zipf_theta)),
                  is_zipf, "pattern is zipf"),
    };
}

std::vector<stream_option> stack_options()
{
    return {
        only_when(make_option<stream_config>(
                      {"lru_law", "power",
                       "how the probability falls with the depth d of the LRU stack: as "
                       "d^-lru_exponent, or by the same ratio at each step"},
                      words({{"power", number(host::stack_law::power)},
                             {"geometric", number(host::stack_law::geometric)}}),
                      FIELD(lru_law)),
                  has_stack, "pattern is lru or hclru"),
        only_when(make_option<stream_config>({"lru_exponent", "1", "exponent of the power law"},
                                             real_of(value_kind::number, 0.0, 10.0),
                                             FIELD(lru_exponent)),
                  has_power_law, "pattern is lru or hclru, and lru_law is power"),
        only_when(make_option<stream_config>(
                      {"lru_mean_depth", "64",
                       "mean depth of the geometric law, before it is cut at the range's blocks"},
                      real_of(value_kind::number, 1.0, 1e9, true), FIELD(lru_mean_depth)),
                  has_geometric_law, "pattern is lru or hclru, and lru_law is geometric"),
    };
}

std::vector<stream_option> load_options()
{
    value_spec request_rate = real_of(value_kind::request_rate, 0.0, 1e9, true);
    return {
        make_option<stream_config>({"read_fraction", "1", "share of reads among reads and writes"},
                                   real_of(value_kind::fraction, 0.0, 1.0), FIELD(read_fraction)),
        make_option<stream_config>({"trim_fraction", "0", "share of trims among all requests"},
                                   real_of(value_kind::fraction, 0.0, 1.0), FIELD(trim_fraction)),
        only_when(make_option<stream_config>(
                      {"rate", "", "open loop: requests arrive at this rate", "closed loop"},
                      request_rate, FIELD(rate_iops)),
                  open_loop, "the loop is open"),
        only_when(
            make_option<stream_config>({"queue_depth", "1", "closed loop: requests in flight"},
                                       count_of(1, 65536), FIELD(queue_depth)),
            closed_loop, "rate is not given"),
        only_when(make_option<stream_config>(
                      {"poisson", "true", "open loop: exponential gaps; false: constant gaps"},
                      flag(), FIELD(poisson)),
                  open_loop, "rate is given"),
        make_option<stream_config>({"requests", "0", "the stream ends after these; 0 = no limit"},
                                   count_of(0, UINT64_MAX), FIELD(requests)),
        make_option<stream_config>({"duration", "0s", "the stream ends after this; 0s = no limit"},
                                   time_of(0, 1000000 * s), FIELD(duration)),
        when_it_writes(make_option<stream_config>(
            {"flush_every", "0", "a Flush after this many writes; 0 = never"},
            count_of(0, UINT64_MAX), FIELD(flush_every))),
        when_it_writes(make_option<stream_config>({"fua", "false", "write with Force Unit Access"},
                                                  flag(), FIELD(fua))),
        when_it_reads(make_option<stream_config>(
            {"read_fua", "false",
             "read with Force Unit Access: from the flash, past all buffers, and what they alone "
             "have is programmed first"},
            flag(), FIELD(read_fua))),
    };
}

} // namespace

std::vector<stream_option> address_options()
{
    std::vector<stream_option> all = range_options();
    for (stream_option& o : stack_options()) {
        all.push_back(std::move(o));
    }
    return all;
}

const std::vector<stream_option>& stream_table()
{
    static const std::vector<stream_option> table = [] {
        std::vector<stream_option> all = address_options();
        for (auto* more : {load_options, priority_options, directive_stream_options}) {
            for (stream_option& o : more()) {
                all.push_back(std::move(o));
            }
        }
        return all;
    }();
    return table;
}

} // namespace ssdvp::platform
