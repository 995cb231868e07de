// SPDX-License-Identifier: Apache-2.0
//
// The options that are honoured.
#include "platform/fio/job_options.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "models/common/data_mode.h"

namespace ssdvp::platform::fio {

namespace {

using host::fio_law;

constexpr std::size_t reads = 0;
constexpr std::size_t writes = 1;
constexpr std::size_t trims = 2;
constexpr std::uint64_t most = 1ull << 40;
constexpr std::uint64_t most_sizes = 8192; // of a range
constexpr std::uint64_t backlog = 1u << 16;
constexpr sim_time second(1000ull * 1000 * 1000 * 1000);
constexpr sim_time microsecond(1000ull * 1000);

std::uint64_t count(const value& v, std::uint64_t low = 0, std::uint64_t high = most)
{
    return number(v, v.text(), low, high);
}

/// Sectors of a request.
std::uint32_t block(const value& v, const word& w)
{
    constexpr std::uint64_t longest = (64u << 20) / sector_size; // as of a stream
    const std::uint64_t sectors = whole_sectors(v, w);
    if (sectors > longest) {
        v.refuse(w, "a request of more than 64 MiB", "give a smaller size");
    }
    return static_cast<std::uint32_t>(sectors);
}

struct rw_row {
    const char* name;
    bool read, write, trim, random;
};

constexpr rw_row rw_rows[] = {
    {"read", true, false, false, false},        {"write", false, true, false, false},
    {"trim", false, false, true, false},        {"randread", true, false, false, true},
    {"randwrite", false, true, false, true},    {"randtrim", false, false, true, true},
    {"rw", true, true, false, false},           {"readwrite", true, true, false, false},
    {"randrw", true, true, false, true},        {"trimwrite", false, true, true, false},
    {"randtrimwrite", false, true, true, true},
};

/// rw=randrw:8 keeps 8 requests together; rw=write:4k leaves 4 KiB between two of them.
void set_sequence(const value& v, const word& w, job_options& o)
{
    if (o.random) {
        o.job.sequence.each = number(v, w, 1, most);
        return;
    }
    const bool back = !w.text.empty() && w.text[0] == '-';
    const auto sectors = static_cast<std::int64_t>(whole_sectors(v, w.part(back ? 1 : 0)));
    o.job.sequence.add = back ? -sectors : sectors;
}

void set_rw(const value& v, job_options& o)
{
    const std::vector<word> parts = split(v.text(), ':');
    std::vector<std::string> names;
    for (const rw_row& r : rw_rows) {
        names.emplace_back(r.name);
    }
    const rw_row& row = rw_rows[choice(v, parts[0], names)];
    o.rw = parts[0];
    o.random = row.random;
    o.job.kinds[reads].used = row.read;
    o.job.kinds[writes].used = row.write;
    o.job.kinds[trims].used = row.trim;
    o.job.trim_then_write = row.write && row.trim;
    o.job.sequence.add = 0;
    o.job.sequence.each = 1;
    if (parts.size() > 2) {
        v.refuse(parts[2], "more than one ':'", "write rw=KIND or rw=KIND:NUMBER");
    }
    if (parts.size() == 2) {
        set_sequence(v, parts[1], o);
    }
}

/// As fio, wherever they stand: bssplit counts before bsrange, and both before bs.
void set_sizes(job_options& o, std::size_t kind, sizes_by by, std::vector<host::fio_size> sizes)
{
    if (by >= o.sized_by[kind]) {
        o.sized_by[kind] = by;
        o.job.kinds[kind].sizes = std::move(sizes);
    }
}

void set_bs(const value& v, job_options& o)
{
    by_kind(v, [&](std::size_t kind, const word& w) {
        set_sizes(o, kind, sizes_by::one, {{block(v, w), 1.0}});
    });
}

void set_bsrange(const value& v, job_options& o)
{
    by_kind(v, [&](std::size_t kind, const word& w) {
        const bool dash = w.text.find('-') != std::string::npos;
        const std::vector<word> ends = split(w, dash ? '-' : ':'); // as fio
        if (ends.size() != 2) {
            v.refuse(w, "is not a range", "write bsrange=1k-4k");
        }
        const auto [low, high] = std::minmax({block(v, ends[0]), block(v, ends[1])});
        if (high / low > most_sizes) {
            v.refuse(w, "the second size is more than 8192 times the first", "write 1k-4k");
        }
        // Even draws from the first to the second past its end, rounded down to the first.
        std::vector<host::fio_size> sizes;
        for (std::uint32_t size = low; size <= high; size += low) {
            sizes.push_back({size, static_cast<double>(size) / static_cast<double>(high)});
        }
        if (sizes.back().sectors != high) {
            sizes.push_back({high, 1.0});
        }
        set_sizes(o, kind, sizes_by::range, std::move(sizes));
    });
}

/// Shares in percent, some of them left open: these divide what is left.
std::vector<double> shares(const value& v, const std::vector<word>& words, const word& whole,
                           bool last_takes_rest)
{
    std::vector<double> out;
    double sum = 0.0;
    int open = 0;
    for (const word& w : words) {
        out.push_back(w.text.empty() ? -1.0 : real(v, w, 0.0, 100.0));
        sum += std::max(out.back(), 0.0);
        open += w.text.empty() ? 1 : 0;
    }
    const bool missing = open == 0 && sum < 100.0 - 1e-6;
    if (sum > 100.0 + 1e-6 || (missing && !last_takes_rest)) {
        v.refuse(whole, fmt::format("the shares are {} percent together", sum),
                 "make them 100, or leave the last one open");
    }
    for (double& share : out) {
        share = share < 0.0 ? (100.0 - sum) / open : share;
    }
    if (missing) {
        out.back() += 100.0 - sum;
    }
    return out;
}

void set_bssplit(const value& v, job_options& o)
{
    by_kind(v, [&](std::size_t kind, const word& w) {
        std::vector<host::fio_size> sizes;
        std::vector<word> percents;
        for (const word& item : split(w, ':')) {
            const std::vector<word> pair = split(item, '/');
            if (pair.size() > 2) {
                v.refuse(item, "is not a size and its share", "write bssplit=4k/60:64k/40");
            }
            sizes.push_back({block(v, pair[0]), 0.0});
            percents.push_back(pair.size() == 2 ? pair[1] : item.part(item.text.size()));
        }
        const std::vector<double> parts = shares(v, percents, w, true); // as fio
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            sizes[i].up_to = parts[i] / 100.0;
        }
        std::stable_sort(sizes.begin(), sizes.end(),
                         [](const auto& a, const auto& b) { return a.sectors < b.sectors; });
        double sum = 0.0;
        for (host::fio_size& size : sizes) {
            size.up_to = sum += size.up_to;
        }
        set_sizes(o, kind, sizes_by::split, std::move(sizes));
    });
}

void set_zones(const value& v, const word& w, std::vector<zone_text>& zones)
{
    zones.clear();
    std::vector<word> accesses;
    double percent = 0.0;
    int open = 0;
    for (const word& item : split(w, ':')) {
        const std::vector<word> pair = split(item, '/');
        if (pair.size() != 2) {
            v.refuse(item, "is not the share of the requests and a size",
                     "write zoned:60/10:40/90");
        }
        zone_text z;
        z.rest = pair[1].text.empty();
        const bool absolute = v.text().text.compare(0, 10, "zoned_abs:") == 0;
        if (!z.rest && absolute) {
            z.size = bytes_or_share(v, pair[1]);
        } else if (!z.rest) {
            z.size.share = real(v, pair[1], 0.0, 100.0) / 100.0;
            z.size.at = pair[1].at;
            percent += z.size.share * 100.0;
        }
        open += z.rest ? 1 : 0;
        accesses.push_back(pair[0]);
        zones.push_back(z);
    }
    if (open > 1 || percent > 100.0 + 1e-6) {
        v.refuse(w, "the zones are more than the range, or two are left open",
                 "make their sizes 100 percent together");
    }
    const std::vector<double> parts = shares(v, accesses, w, false);
    for (std::size_t i = 0; i < zones.size(); ++i) {
        zones[i].share = parts[i] / 100.0;
    }
}

void set_law_parameters(const value& v, const std::vector<word>& parts, host::fio_direction& d)
{
    static const std::map<fio_law, std::array<double, 3>> limits = {
        {fio_law::zipf, {1e-6, 10.0, 1.1}}, // fio's defaults
        {fio_law::pareto, {1e-6, 0.999999, 0.2}},
        {fio_law::normal, {0.0, 100.0, 0.0}},
    };
    const auto found = limits.find(d.law);
    if (found == limits.end()) {
        return;
    }
    const auto& [low, high, usual] = found->second;
    d.parameter = parts.size() > 1 ? real(v, parts[1], low, high) : usual;
    d.center = parts.size() > 2 ? real(v, parts[2], 0.0, 1.0) : -1.0;
    if (parts.size() > 3) {
        v.refuse(parts[3], "a law has two parameters", "write zipf:1.1:0.5");
    }
}

void set_distribution(const value& v, job_options& o)
{
    static const std::vector<std::string> names = {"random", "zipf",  "pareto",
                                                   "normal", "zoned", "zoned_abs"};
    const std::size_t first_colon = std::min(v.text().text.find(':'), v.text().text.size());
    const std::size_t index = choice(v, split(v.text().part(0, first_colon), ',')[0], names);
    const auto law = static_cast<fio_law>(std::min<std::size_t>(index, 4));
    for (host::fio_direction& d : o.job.kinds) {
        d.law = law;
    }
    if (law == fio_law::zoned) {
        by_kind(v, [&](std::size_t kind, const word& w) {
            const std::string mark = names[index] + ":";
            const bool marked = w.text.compare(0, mark.size(), mark) == 0;
            set_zones(v, w.part(marked ? mark.size() : 0), o.zones[kind]);
        });
        return;
    }
    std::vector<word> parts = split(v.text(), ':');
    for (host::fio_direction& d : o.job.kinds) {
        set_law_parameters(v, parts, d);
    }
}

void set_rate(const value& v, job_options& o)
{
    by_kind(v, [&](std::size_t kind, const word& w) {
        o.job.kinds[kind].rate_bytes = bytes(v, w);
        o.job.kinds[kind].rate_iops = 0.0;
    });
}

void set_rate_iops(const value& v, job_options& o)
{
    by_kind(v, [&](std::size_t kind, const word& w) {
        o.job.kinds[kind].rate_iops = static_cast<double>(number(v, w, 0, 1000000000));
        o.job.kinds[kind].rate_bytes = 0;
    });
}

void set_align(const value& v, job_options& o)
{
    by_kind(v, [&](std::size_t kind, const word& w) {
        o.job.kinds[kind].align = static_cast<std::uint32_t>(whole_sectors(v, w));
        o.aligned[kind] = true;
    });
}

void set_verify(const value& v, job_options& o)
{
    static const std::vector<std::string> methods = {
        "md5",      "crc64",  "crc32c",  "crc32c-intel", "crc32",    "crc16",    "crc7",
        "xxhash",   "sha512", "sha256",  "sha1",         "sha3-224", "sha3-256", "sha3-384",
        "sha3-512", "meta",   "pattern", "header",       "null",     "0"};
    const std::size_t method = choice(v, v.text(), methods);
    o.verify_wanted = method + 2 < methods.size();
    o.verify_at = v.text();
}

void set_engine(const value& v, job_options& o)
{
    static const std::vector<std::string> queued = {
        "libaio", "posixaio", "solarisaio", "windowsaio", "io_uring", "io_uring_cmd", "nbd",
        "null",   "xnvme",    "guasi",      "rbd",        "cpp_null", "libblkio"};
    static const std::vector<std::string> single = {"sync",    "psync", "vsync", "pvsync",
                                                    "pvsync2", "mmap",  "sg",    "splice"};
    const auto in = [&](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), v.text().text) != list.end();
    };
    // SPDK's, and others that are built elsewhere: fio loads them from a file.
    const std::string& name = v.text().text;
    const bool spdk = name.find("spdk") != std::string::npos;
    const bool loaded = name.compare(0, 9, "external:") == 0 || name.find('/') != std::string::npos;
    o.names_devices = spdk || loaded;
    o.synchronous = in(single);
    if (!o.synchronous && !o.names_devices && !in(queued)) {
        v.refuse(v.text(),
                 fmt::format("'{}' does something else than requests to a drive", v.text().text),
                 "remove the job, or use libaio, io_uring, psync or another engine of block I/O");
    }
}

void set_filename(const value& v, job_options& o)
{
    std::string name;
    for (std::size_t i = 0; i < v.text().text.size(); ++i) {
        const char c = v.text().text[i];
        if (c == ':') {
            v.refuse(v.text().part(i), "more than one file", "write a job for each file");
        }
        i += c == '\\' ? 1 : 0;
        name += i < v.text().text.size() ? v.text().text[i] : c;
    }
    o.filename = word{name, v.text().at};
}

void set_percentiles(const value& v, job_options& o)
{
    o.percentiles.clear();
    for (const word& w : split(v.text(), ':')) {
        o.percentiles.push_back(real(v, w, 0.0, 100.0));
        if (o.percentiles.size() > 20 || o.percentiles.back() <= 0.0) {
            v.refuse(w, "fio takes up to 20 percentiles above 0", "give fewer");
        }
    }
}

void set_trim_backlog(const value& v, job_options& o)
{
    o.job.trim_backlog = count(v, 0, backlog);
    o.trim_at = v.text();
}

void set_sync(const value& v, job_options& o)
{
    const std::string& t = v.text().text;
    o.sync = v.from.has_value ? t != "0" && t != "none" : true;
    if (v.from.has_value) {
        choice(v, v.text(), {"0", "1", "none", "sync", "dsync"});
    }
}

void set_unified(const value& v, job_options& o)
{
    static const std::vector<std::string> names = {"none", "mixed", "both", "0", "1", "2"};
    const std::size_t which = v.from.has_value ? choice(v, v.text(), names) % 3 : 1;
    o.job.report = static_cast<host::fio_report>(which);
}

const option_row rows[] = {
    {"rw", set_rw},
    {"readwrite", set_rw},
    {"bs", set_bs},
    {"blocksize", set_bs},
    {"bsrange", set_bsrange},
    {"blocksize_range", set_bsrange},
    {"bssplit", set_bssplit},
    {"ba", set_align},
    {"blockalign", set_align},
    {"random_distribution", set_distribution},
    {"rate", set_rate},
    {"rate_iops", set_rate_iops},
    {"rate_process",
     [](const value& v, job_options& o) {
         o.job.poisson = choice(v, v.text(), {"linear", "poisson"}) == 1;
     }},
    {"verify", set_verify},
    {"do_verify", [](const value& v, job_options& o) { o.do_verify = flag(v); }},
    {"verify_backlog",
     [](const value& v, job_options& o) { o.job.verify_backlog = count(v, 0, backlog); }},
    {"trim_backlog", set_trim_backlog},
    {"trim_percentage",
     [](const value& v, job_options& o) {
         o.job.trim_share = static_cast<double>(count(v, 0, 100)) / 100.0;
     }},
    {"ioengine", set_engine},
    {"filename", set_filename},
    {"percentile_list", set_percentiles},
    {"sync", set_sync},
    {"readfua",
     [](const value& v, job_options& o) {
         o.read_fua = flag(v) ? std::optional<word>(v.text()) : std::nullopt;
     }},
    {"writefua", [](const value& v, job_options& o) { o.write_fua = flag(v); }},
    {"unified_rw_reporting", set_unified},
    {"name", [](const value& v, job_options& o) { o.job.name = v.text().text; }},
    {"description", [](const value& v, job_options& o) { o.job.description = v.text().text; }},
    {"iodepth",
     [](const value& v, job_options& o) {
         o.job.depth = static_cast<std::uint32_t>(count(v, 1, 65536));
     }},
    {"iodepth_low", [](const value& v, job_options& o) { o.iodepth_low = count(v, 0, 65536); }},
    {"iodepth_batch", [](const value& v, job_options& o) { o.batch = count(v, 1, 65536); }},
    {"iodepth_batch_submit", [](const value& v, job_options& o) { o.batch = count(v, 1, 65536); }},
    {"iodepth_batch_complete",
     [](const value& v, job_options& o) { o.batch_complete = count(v, 0, 65536); }},
    {"iodepth_batch_complete_min",
     [](const value& v, job_options& o) { o.batch_complete = count(v, 0, 65536); }},
    {"numjobs", [](const value& v, job_options& o) { o.numjobs = count(v, 1, 1024); }},
    {"size", [](const value& v, job_options& o) { o.size = bytes_or_share(v, v.text()); }},
    {"io_size", [](const value& v, job_options& o) { o.io_size = bytes_or_share(v, v.text()); }},
    {"io_limit", [](const value& v, job_options& o) { o.io_size = bytes_or_share(v, v.text()); }},
    {"filesize",
     [](const value& v, job_options& o) {
         o.file_size = {};
         o.file_size.bytes = bytes(v, v.text());
         o.file_size.at = v.text().at;
         o.file_size.given = true;
     }},
    {"offset", [](const value& v, job_options& o) { o.offset = bytes_or_share(v, v.text()); }},
    {"offset_increment",
     [](const value& v, job_options& o) { o.offset_increment = bytes_or_share(v, v.text()); }},
    {"runtime",
     [](const value& v, job_options& o) { o.job.runtime = duration(v, v.text(), second); }},
    {"timeout",
     [](const value& v, job_options& o) { o.job.runtime = duration(v, v.text(), second); }},
    {"time_based",
     [](const value& v, job_options& o) {
         o.job.time_based = flag(v);
         o.time_based_at = v.from.name;
     }},
    {"ramp_time",
     [](const value& v, job_options& o) {
         o.job.ramp = duration(v, v.text(), second);
         o.ramp_at = v.text();
     }},
    {"startdelay",
     [](const value& v, job_options& o) { o.job.delay = duration(v, v.text(), second); }},
    {"start_delay",
     [](const value& v, job_options& o) { o.job.delay = duration(v, v.text(), second); }},
    {"loops", [](const value& v, job_options& o) { o.job.loops = count(v, 1); }},
    {"number_ios", [](const value& v, job_options& o) { o.job.number_ios = count(v); }},
    {"thinktime",
     [](const value& v, job_options& o) { o.job.think = duration(v, v.text(), microsecond); }},
    {"thinktime_blocks", [](const value& v, job_options& o) { o.job.think_blocks = count(v, 1); }},
    {"thinktime_iotime",
     [](const value& v, job_options& o) {
         o.job.think_io_time = duration(v, v.text(), second);
     }},
    {"rate_ignore_thinktime",
     [](const value& v, job_options& o) { o.job.rate_skips_thinking = flag(v); }},
    {"fsync", [](const value& v, job_options& o) { o.job.flush_every = count(v); }},
    {"fdatasync", [](const value& v, job_options& o) { o.job.flush_every = count(v); }},
    {"end_fsync", [](const value& v, job_options& o) { o.job.flush_at_end = flag(v); }},
    {"fsync_on_close", [](const value& v, job_options& o) { o.job.flush_at_end = flag(v); }},
    {"rwmixread",
     [](const value& v, job_options& o) {
         o.job.read_percent = static_cast<std::uint32_t>(count(v, 0, 100));
     }},
    {"rwmixwrite",
     [](const value& v, job_options& o) {
         o.job.read_percent = static_cast<std::uint32_t>(100 - count(v, 0, 100));
     }},
    {"percentage_random",
     [](const value& v, job_options& o) {
         by_kind(v, [&](std::size_t kind, const word& w) {
             o.job.kinds[kind].random_share = static_cast<double>(number(v, w, 0, 100)) / 100.0;
         });
         o.percentage_random = 1;
     }},
    {"rw_sequencer",
     [](const value& v, job_options& o) {
         o.job.sequence.identical = choice(v, v.text(), {"sequential", "identical"}) == 1;
     }},
    {"norandommap", [](const value& v, job_options& o) { o.norandommap = flag(v); }},
    {"randseed", [](const value& v, job_options& o) { o.job.seed = count(v, 0, INT64_MAX); }},
    {"group_reporting", [](const value& v, job_options& o) { o.job.report_group = flag(v); }},
    {"new_group", [](const value& v, job_options& o) { o.new_group = flag(v); }},
    {"stonewall", [](const value& v, job_options& o) { o.stonewall = flag(v); }},
    {"wait_for_previous", [](const value& v, job_options& o) { o.stonewall = flag(v); }},
    {"wait_for", [](const value& v, job_options& o) { o.wait_for = v.text(); }},
    {"kb_base",
     [](const value& v, job_options& o) {
         o.kb_base = choice(v, v.text(), {"1024", "1000"}) == 0 ? 1024 : 1000;
     }},
};

std::size_t distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> line(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        line[j] = j;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t corner = line[0];
        line[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t change = corner + (a[i] == b[j] ? 0 : 1);
            corner = line[j + 1];
            line[j + 1] = std::min({change, line[j] + 1, corner + 1});
        }
    }
    return line.back();
}

const std::vector<option_row>& all_rows()
{
    static const std::vector<option_row> table = [] {
        std::vector<option_row> all(std::begin(rows), std::end(rows));
        all.insert(all.end(), log_rows().begin(), log_rows().end());
        all.insert(all.end(), zone_rows().begin(), zone_rows().end());
        return all;
    }();
    return table;
}

std::string nearest_option(const std::string& name)
{
    const char* best = rows[0].name;
    std::size_t best_distance = SIZE_MAX;
    for (const option_row& r : all_rows()) {
        const std::size_t d = distance(name.substr(0, 40), r.name);
        if (d < best_distance) {
            best_distance = d;
            best = r.name;
        }
    }
    return best;
}

} // namespace

void apply(const entry& e, job_options& job, std::vector<host::fio_note>& notes)
{
    const value v{e, job.kb_base};
    const std::string& name = e.name.text;
    job.written.emplace_back(name, e.value.text);
    const std::vector<option_row>& known = all_rows();
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const option_row& r) { return name == r.name; });
    if (found != known.end()) {
        found->set(v, job);
        return;
    }
    if (const char* why = reason_to_pass_over(name); why != nullptr) {
        notes.push_back({e.name.at.text(), fmt::format("{}: {}", name, why)});
        return;
    }
    if (const char* remedy = remedy_without(name); remedy != nullptr) {
        fail(e.name.at, name, "cannot be honoured", remedy);
    }
    fail(e.name.at, name, "is no option of fio that ssdvp knows",
         fmt::format("the nearest is {}; remove it, or correct its name", nearest_option(name)));
}

} // namespace ssdvp::platform::fio
