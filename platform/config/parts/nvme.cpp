// SPDX-License-Identifier: Apache-2.0
//
// What the host's driver asks of an NVMe controller: resets, order of the queues, messages, data
// pointers; and the class of a stream.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/host/driver/queue_groups.h"
#include "models/host/memory/memory.h"
#include "models/regs/nvme_regs.h"
#include "models/regs/parts/refresh.h"
#include "models/regs/parts/zones.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/cache.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;
using host::arbitration_kind;
using host::priority_class;

std::vector<option> reset_options()
{
    value_spec times = time_of(1, 1000000 * s);
    times.kind = value_kind::time_list;
    option o = make_option<ssd_config>(
        {"host.nvme.reset_at", "",
         "the host resets the controller (CC.EN 1, 0, 1) at these times from the start of the "
         "measured part, when what is in flight has completed",
         "never"},
        times, FIELD(reset_at), leaves_state);
    o.relevant = [](const ssd_config& c) { return !c.reset_at.empty(); };
    o.relevant_when = "it has a value";
    return {o};
}

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

} // namespace

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

namespace {

class nvme_checker {
public:
    nvme_checker(const raw_tree& raw, const ssd_config& c) : m_raw(raw), m_c(c), m_reject{raw} {}

    void run() const
    {
        effects();
        priorities();
        classes();
        coalescing();
        host_memory();
        lookup();
    }

private:
    [[nodiscard]] bool given(const std::string& key) const { return m_raw.values.count(key) != 0; }
    [[nodiscard]] bool weighted() const
    {
        return m_c.driver.arbitration == arbitration_kind::weighted_round_robin;
    }

    void effects() const
    {
        if (weighted() && m_c.driver.queue_pairs < 2) {
            m_reject("host.nvme.arbitration", "has no effect on one queue pair",
                     "use host.driver.queue_pairs of 2 or more");
        }
    }

    void priorities() const
    {
        const auto& streams = m_c.workload.streams;
        for (std::size_t i = 0; i < streams.size() && !weighted(); ++i) {
            if (streams[i].priority == priority_class::unset) {
                continue;
            }
            origin at = m_raw.workload.at;
            if (i < m_raw.workload.streams.size()) {
                const raw_map& fields = m_raw.workload.streams[i];
                const auto it = fields.find("priority");
                at = it == fields.end() ? at : it->second.at;
            }
            fail(at, fmt::format("workload.{}.priority", i),
                 "has no effect: queues take turns whatever their class",
                 "use host.nvme.arbitration: weighted_round_robin");
        }
    }

    void classes() const
    {
        const std::size_t needed = host::queue_groups(m_c.driver).count();
        if (needed > m_c.driver.queue_pairs) {
            m_reject(given("host.driver.queue_pairs") ? "host.driver.queue_pairs"
                                                      : "host.nvme.arbitration",
                     fmt::format("{} queue pairs for {} classes of streams", m_c.driver.queue_pairs,
                                 needed),
                     fmt::format("use host.driver.queue_pairs of {} or more", needed));
        }
    }

    void coalescing() const
    {
        const bool waits = m_c.driver.coalescing_threshold > 1;
        const bool has_time = m_c.driver.coalescing_time != sim_time();
        if (waits && !has_time) {
            m_reject("host.nvme.coalescing.threshold",
                     "a message without time to wait waits for none",
                     "use host.nvme.coalescing.time of 100us or more");
        }
        if (has_time && !waits) {
            m_reject("host.nvme.coalescing.time", "has no effect on messages of one completion",
                     "use host.nvme.coalescing.threshold of 2 or more");
        }
        constexpr std::uint64_t unit = 100'000'000; // 100 us in ps: feature 08h counts in them
        if (m_c.driver.coalescing_time.ps() % unit != 0) {
            m_reject(
                "host.nvme.coalescing.time",
                fmt::format("{} is no multiple of 100us", format_time(m_c.driver.coalescing_time)),
                "use a multiple of 100us, up to 25.5ms");
        }
    }

    /// The driver keeps a buffer and a page of PRPs for each command that its queues hold.
    void host_memory() const
    {
        constexpr std::uint64_t reserve = 64ull
                                          << 20; // queues of the admin, lists, what is rounded
        const std::uint64_t entries =
            std::uint64_t{m_c.driver.queue_pairs} * m_c.driver.queue_entries;
        const std::uint64_t each = std::min<std::uint64_t>(m_c.max_transfer, 1u << 20) +
                                   host::memory::page_size + sizeof(nvme_sqe) + sizeof(nvme_cqe) +
                                   m_c.max_transfer / 512 * m_c.driver.metadata.bytes;
        const std::uint64_t room = (host::memory::reserved - reserve) / each;
        if (entries <= room) {
            return;
        }
        const char* key = "host.nvme.queue_entries";
        for (const char* other : {"host.driver.queue_entries", "host.driver.queue_pairs",
                                  "host.nvme.max_transfer_size"}) {
            key = given(key) ? key : other;
        }
        m_reject(
            key,
            fmt::format("buffers of {} for {} commands in {} queue pairs do not fit the host's "
                        "{}",
                        format_size(m_c.max_transfer), entries, m_c.driver.queue_pairs,
                        format_size(host::memory::reserved)),
            fmt::format("use host.driver.queue_entries of at most {}",
                        room / m_c.driver.queue_pairs));
    }

    /// What makes more of a read than a look-up and a flash read.
    void lookup() const
    {
        if (!m_c.nvme.lookup) {
            return;
        }
        const auto refuse = [this](bool wrong, const char* what, const char* remedy) {
            if (wrong) {
                m_reject("host.nvme.lookup", what, remedy);
            }
        };
        refuse(m_c.ftl.scheme != ftl_scheme::page_map,
               "the engine reads a map that is in memory as a whole", "use ftl.scheme: page_map");
        refuse(superblocks_are_narrow(m_c) || !m_c.ftl.place.is_stripe(),
               "the engine knows pages of superblocks of the drive",
               "use ftl.stripe: drive and ftl.placement: stripe");
        refuse(m_c.cache->policy != cache_policy::none && m_c.cache->policy != cache_policy::wo_lru,
               "this buffer has to hear of reads", "use cache.policy: wo_lru or none");
        refuse(has_slc_cache(m_c), "modes of blocks change with ftl.slc_cache",
               "leave one of them out");
        refuse(m_c.write == write_mode::shallow,
               "blocks with pages of their own retention are "
               "firmware's to read",
               "use write.mode: normal or slc");
        refuse(m_c.ftl.refresh->bits != 0 || m_c.ftl.refresh->reads != 0 ||
                   m_c.ftl.refresh->level != 0,
               "ftl.refresh counts what firmware reads", "leave one of them out");
        refuse(m_c.zones->size != 0, "a zone's reads have limits", "use host.nvme.lookup: false");
        refuse(m_c.states.any(), "a drive asleep would answer reads without waking",
               "use host.nvme.lookup: false, or leave power.states out");
        refuse(m_c.driver.metadata.bytes != 0, "blocks with metadata are firmware's to read",
               "leave one of them out");
    }

    const raw_tree& m_raw;
    const ssd_config& m_c;
    rejection m_reject;
};

void check_nvme(const raw_tree& raw, const ssd_config& c)
{
    nvme_checker(raw, c).run();
}

std::vector<option> all_nvme_options()
{
    std::vector<option> table = reset_options();
    append(table, nvme_feature_options());
    return table;
}

} // namespace

const config_part parts::nvme = {all_nvme_options, nullptr, check_nvme};

} // namespace ssdvp::platform
