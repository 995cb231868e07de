// SPDX-License-Identifier: Apache-2.0
//
// Keys of a stream under `workload`.
#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"
#include "platform/config/rules.h"
#include "platform/input/value.h"

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
        basic(make_option<stream_config>({"pattern", "uniform", "addresses of the requests"},
                                         words_of<pattern_kind>(), FIELD(pattern))),
        basic(make_option<stream_config>({"block_size", "4KiB", "bytes of a request"},
                                         sectors(sector_size, 64ull << 20), FIELD(block_size))),
        make_option<stream_config>({"range.start", "0B", "first byte of the drive that is used"},
                                   sectors(0, 64 * TiB), FIELD(range_start)),
        basic(make_option<stream_config>(
            {"range.size", "all", "bytes used; all: to the end of the drive"}, range_size,
            FIELD(range_size))),
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
        basic(make_option<stream_config>(
            {"read_fraction", "1", "share of reads among reads and writes"},
            real_of(value_kind::fraction, 0.0, 1.0), FIELD(read_fraction))),
        make_option<stream_config>({"trim_fraction", "0", "share of trims among all requests"},
                                   real_of(value_kind::fraction, 0.0, 1.0), FIELD(trim_fraction)),
        only_when(basic(make_option<stream_config>(
                      {"rate", "", "open loop: requests arrive at this rate", "closed loop"},
                      request_rate, FIELD(rate_iops))),
                  open_loop, "the loop is open"),
        only_when(basic(make_option<stream_config>(
                      {"queue_depth", "1", "closed loop: requests in flight"}, count_of(1, 65536),
                      FIELD(queue_depth))),
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

namespace {

class workload_checker {
public:
    workload_checker(const raw_tree& raw, const ssd_config& c) : m_raw(raw), m_c(c) {}

    void run() const
    {
        an_end();
        for (std::size_t i = 0; i < m_c.workload.streams.size(); ++i) {
            stream(i);
        }
        stream_names();
    }

private:
    void an_end() const;
    void stream(std::size_t index) const;
    void stream_names() const;

    [[noreturn]] void reject_stream(std::size_t index, const char* key, const std::string& what,
                                    const std::string& remedy) const
    {
        const std::string full = fmt::format("workload.{}.{}", index, key);
        if (index < m_raw.workload.streams.size()) {
            const raw_map& fields = m_raw.workload.streams[index];
            const auto it = fields.find(key);
            fail(it == fields.end() ? m_raw.workload.at : it->second.at, full, what, remedy);
        }
        fail({"defaults", 0, 0}, full, what, remedy);
    }

    const raw_tree& m_raw;
    const ssd_config& m_c;
};

void workload_checker::an_end() const
{
    const auto& r = m_c.run;
    for (const auto& s : m_c.workload.streams) {
        if (r.requests != 0 || r.duration.ps() != 0 || s.requests != 0 || s.duration.ps() != 0 ||
            r.until == run_until::steady) {
            continue;
        }
        rejection{m_raw}("run.requests",
                         fmt::format("the run never ends: stream '{}' has no limit", s.name),
                         "give run.requests, run.duration, or requests or duration of the stream");
    }
}

void workload_checker::stream(std::size_t index) const
{
    const auto& s = m_c.workload.streams[index];
    const std::uint64_t drive = host_bytes(m_c);
    const std::string size = fmt::format("the drive's {} bytes (after ftl.over_provisioning{})",
                                         drive, drive == logical_bytes(m_c) ? "" : " and metadata");
    if (s.range_start >= drive) {
        reject_stream(index, "range.start",
                      fmt::format("{} is beyond {}", format_size(s.range_start), size),
                      "use a smaller range.start");
    }
    const std::uint64_t span = s.range_size == 0 ? drive - s.range_start : s.range_size;
    if (s.range_start + span > drive) {
        reject_stream(index, "range.size",
                      fmt::format("{} from {} ends beyond {}", format_size(s.range_size),
                                  format_size(s.range_start), size),
                      fmt::format("use at most {}, or all", format_size(drive - s.range_start)));
    }
    if (s.read_fua && is_sata(m_c) && !m_c.driver.sata.queued) {
        reject_stream(index, "read_fua", "only queued reads of SATA have Force Unit Access",
                      "use host.sata.ncq: true, or read_fua: false");
    }
    if (s.block_size > span) {
        reject_stream(index, "block_size",
                      fmt::format("{} is larger than the range of {}", format_size(s.block_size),
                                  format_size(span)),
                      "use a smaller block_size or a larger range");
    }
    const bool stack =
        s.pattern == host::pattern_kind::lru || s.pattern == host::pattern_kind::hclru;
    if (stack && span / s.block_size > host::lru_blocks_max) {
        reject_stream(index, "pattern",
                      fmt::format("an LRU stack holds {} blocks at most, the range has {}",
                                  host::lru_blocks_max, span / s.block_size),
                      fmt::format("use a range.size of at most {}, or a larger block_size",
                                  format_size(host::lru_blocks_max * s.block_size)));
    }
}

void workload_checker::stream_names() const
{
    const auto& streams = m_c.workload.streams;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (streams[i].name == streams[j].name) {
                reject_stream(i, "name",
                              fmt::format("'{}' is the name of stream {} too", streams[i].name, j),
                              "give each stream its own name");
            }
        }
    }
}

} // namespace

void check_workload(const raw_tree& raw, const ssd_config& c)
{
    workload_checker(raw, c).run();
}

} // namespace ssdvp::platform
