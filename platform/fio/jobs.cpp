// SPDX-License-Identifier: Apache-2.0
#include "platform/fio/jobs.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "platform/fio/job_arguments.h"
#include "platform/fio/job_options.h"

namespace ssdvp::platform::fio {

namespace {

constexpr std::uint64_t file_unit = 1u << 20; // files begin at whole MiB, or zones
constexpr std::size_t most_jobs = 1024;       // clones of all jobs
constexpr std::size_t most_errors = 32;       // told at once

/// A file of the job file: a range of the drive.
struct file_range {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0; // 0 = no size is given: the whole drive
    origin at;
};

std::uint64_t of(const amount& a, std::uint64_t whole)
{
    if (a.share < 0.0) {
        return a.bytes;
    }
    const auto part = static_cast<std::uint64_t>(a.share * static_cast<double>(whole));
    return part / sector_size * sector_size;
}

class builder {
public:
    builder(const std::vector<section>& sections, const target& drive, host::fio_config& out)
        : m_sections(sections), m_drive(drive), m_out(out)
    {}

    void run(const std::string& file)
    {
        m_file = file;
        read();
        if (m_jobs.empty()) {
            fail({file, 0, 0}, "", "has no job", "write a section [name] with rw and size");
        }
        std::uint64_t clones = 0;
        for (job_options& o : m_jobs) {
            settle(o);
            clones += o.numjobs;
            if (clones > most_jobs) {
                refuse(o, fmt::format("more than {} jobs", most_jobs), "give a smaller numjobs");
            }
        }
        place_files();
        for (std::size_t i = 0; i < m_jobs.size(); ++i) {
            clone(i);
        }
        check_ramp();
        check_zone_writers();
        m_out.file = file;
        m_out.percentiles = m_jobs.front().percentiles;
    }

private:
    void read()
    {
        job_options global;
        for (const section& s : m_sections) {
            job_options fresh = global;
            job_options& o = s.is_global() ? global : fresh;
            o.written.clear();
            if (!s.is_global()) {
                o.section = s.name.at;
                o.job.name = s.name.text;
            }
            for (const entry& e : s.entries) {
                apply_or_collect(e, o);
            }
            auto& to = s.is_global() ? m_out.global_options : o.job.options;
            to.insert(to.end(), o.written.begin(), o.written.end());
            if (!s.is_global()) {
                m_jobs.push_back(o);
            }
            if (m_jobs.size() > most_jobs) {
                refuse(o, fmt::format("more than {} jobs", most_jobs), "leave some out");
            }
        }
        if (!m_wrong.empty()) {
            throw config_error(m_wrong);
        }
    }

    /// What is wrong with options is told of all of them together.
    void apply_or_collect(const entry& e, job_options& o)
    {
        try {
            apply(e, o, m_out.notes);
        } catch (const config_error& error) {
            if (++m_wrong_options > most_errors) {
                throw config_error(m_wrong + "\nand more");
            }
            m_wrong += fmt::format("{}{}", m_wrong.empty() ? "" : "\n", error.what());
        }
    }

    [[noreturn]] static void refuse(const job_options& o, const std::string& what,
                                    const std::string& remedy)
    {
        fail(o.section, o.job.name, what, remedy);
    }

    /// What follows from several options together.
    void settle(job_options& o)
    {
        host::fio_job& j = o.job;
        if (!o.rw) {
            j.kinds[0].used = true; // fio's default is rw=read
        }
        for (std::size_t i = 0; i < host::fio_kinds; ++i) {
            host::fio_direction& d = j.kinds[i];
            if (!o.percentage_random) {
                d.random_share = o.random ? 1.0 : 0.0;
            } else if (!o.random) {
                d.random_share = 0.0;
            }
            if (!o.aligned[i]) {
                d.align = d.sizes.front().sectors;
            }
        }
        j.random_map = !o.norandommap;
        if (o.read_fua && !m_drive.reads_by_force) {
            fail(o.read_fua->at, "readfua", "only queued reads of SATA have Force Unit Access",
                 "use --set host.sata.ncq=true, or remove it");
        }
        j.kinds[0].fua = o.read_fua.has_value();
        j.kinds[1].fua = o.write_fua || o.sync;
        if (o.synchronous) {
            j.depth = 1;
        }
        settle_batches(o);
        settle_verify(o);
        settle_logs(o);
        if (j.time_based && j.runtime == sim_time()) {
            m_out.notes.push_back({o.time_based_at->at.text(),
                                   "time_based: without runtime the job ends after its size"});
            j.time_based = false; // as fio does
        }
        if (j.trim_then_write) { // a write goes where the trim before it went
            j.kinds[1].sizes = j.kinds[2].sizes;
        }
    }

    static void settle_batches(job_options& o)
    {
        const std::uint64_t depth = o.job.depth;
        std::uint64_t refill = depth - 1;
        if (o.iodepth_low != 0) {
            refill = std::min(refill, o.iodepth_low);
        }
        const std::uint64_t batch = std::max(o.batch, o.batch_complete);
        refill = std::min(refill, depth - std::min(depth, std::max<std::uint64_t>(batch, 1)));
        o.job.refill_at = static_cast<std::uint32_t>(refill);
    }

    void settle_verify(job_options& o) const
    {
        host::fio_job& j = o.job;
        j.verify = o.verify_wanted && o.do_verify && j.kinds[1].used;
        if (o.verify_wanted && m_drive.data == data_mode::none) {
            fail(o.verify_at->at, "verify", "the drive keeps no data (data: none)",
                 "use --set data=tag");
        }
        if ((j.trim_backlog == 0) != (j.trim_share <= 0.0)) {
            refuse(o, "trim_percentage and trim_backlog need each other", "give both");
        }
        if (j.trim_backlog != 0 && !j.kinds[1].used) {
            fail(o.trim_at->at, "trim_backlog", "the job does not write", "give it rw=randwrite");
        }
    }

    static std::string file_of(const job_options& o, std::size_t index, std::uint64_t copy)
    {
        return o.filename ? o.filename->text
                          : fmt::format("\n{}.{}", index, copy); // no other's name
    }
    /// Jobs have one drive, whatever they call it.
    static bool is_device(const job_options& o)
    {
        return o.filename && (o.filename->text.compare(0, 5, "/dev/") == 0 || o.names_devices);
    }

    void check_device(const job_options& o)
    {
        if (!is_device(o)) {
            return;
        }
        if (m_device && m_device->text != o.filename->text) {
            fail(o.filename->at, "filename",
                 fmt::format("'{}' is another device than '{}', and these jobs have one drive",
                             o.filename->text, m_device->text),
                 "name one device in all of them; several drives have a run each, or streams "
                 "instead of jobs: `drives: [{name: a}, {name: b}]`, docs/drives.md");
        }
        m_device = o.filename;
    }

    /// Files lie one behind the other, in order of first use; devices, and files of which no job
    /// says the size, are the whole drive.
    void place_files()
    {
        std::vector<std::string> order;
        for (std::size_t i = 0; i < m_jobs.size(); ++i) {
            const job_options& o = m_jobs[i];
            check_device(o);
            for (std::uint64_t c = 0; c < o.numjobs; ++c) {
                const std::string name = file_of(o, i, c);
                const auto [it, fresh] = m_files.try_emplace(name);
                if (fresh) {
                    order.push_back(name);
                }
                grow(it->second, o, c);
            }
        }
        std::uint64_t end = 0;
        for (const std::string& name : order) {
            file_range& f = m_files[name];
            if (f.bytes == 0) {
                continue;
            }
            f.base = end;
            if (f.bytes > m_drive.bytes || end > m_drive.bytes - f.bytes) {
                fail(f.at, "size",
                     fmt::format("the files are {} bytes together, the drive has {}",
                                 static_cast<double>(end) + static_cast<double>(f.bytes),
                                 m_drive.bytes),
                     "give smaller sizes, one filename for all, or a larger drive");
            }
            const std::uint64_t unit = m_drive.zone_bytes != 0 ? m_drive.zone_bytes : file_unit;
            end = (end + f.bytes + unit - 1) / unit * unit;
        }
    }

    void grow(file_range& f, const job_options& o, std::uint64_t copy) const
    {
        if (is_device(o)) {
            return;
        }
        std::uint64_t bytes = o.file_size.bytes;
        if (o.size.given && o.size.share < 0.0 && o.offset.share < 0.0) {
            bytes = std::max(bytes, o.offset.bytes + of(o.offset_increment, m_drive.bytes) * copy +
                                        o.size.bytes);
        }
        if (bytes > f.bytes) {
            f.bytes = bytes;
            f.at = o.size.given ? o.size.at : o.file_size.at;
        }
    }

    /// Range of the drive that one clone works on.
    void place(const job_options& o, const file_range& f, std::uint64_t copy,
               host::fio_job& j) const
    {
        const std::uint64_t whole = f.bytes != 0 ? f.bytes : m_drive.bytes;
        const double increment = static_cast<double>(of(o.offset_increment, whole));
        const double begin =
            static_cast<double>(of(o.offset, whole)) + increment * static_cast<double>(copy);
        if (begin >= static_cast<double>(whole)) {
            fail(o.offset.given ? o.offset.at : o.offset_increment.at, "offset",
                 fmt::format("job {} begins at byte {:.0f} of {}", o.job.name, begin, whole),
                 "give a smaller offset, or a larger drive");
        }
        const std::uint64_t offset = of(o.offset, whole) + of(o.offset_increment, whole) * copy;
        std::uint64_t size = o.size.given ? of(o.size, whole) : whole - offset;
        if (o.zoned_at && m_drive.zone_bytes != 0 && o.size.share >= 0.0) { // as fio: whole zones
            size = std::max(size / m_drive.zone_bytes, std::uint64_t{1}) * m_drive.zone_bytes;
        }
        if (size > whole - offset && o.size.share < 0.0) {
            fail(o.size.at, "size",
                 fmt::format("{} bytes from byte {} pass the end at {}", size, offset, whole),
                 "give a smaller size, a share as size=50%, or a larger drive");
        }
        size = std::min(size, whole - offset) / sector_size * sector_size;
        if (offset % sector_size != 0) {
            fail(o.offset.given ? o.offset.at : o.offset_increment.at, "offset",
                 fmt::format("{} is no whole sector", offset), "give a multiple of 512");
        }
        j.file = f.base / sector_size;
        j.first = (f.base + offset) / sector_size;
        j.sectors = size / sector_size;
        for (const host::fio_direction& d : j.kinds) {
            const std::uint32_t needed = std::max(d.sizes.front().sectors, d.align);
            if (d.used && needed > j.sectors) {
                fail(o.size.given ? o.size.at : o.section, "size",
                     fmt::format("{} bytes hold no block of {}", size, needed * sector_size),
                     "give a larger size, or smaller blocks");
            }
        }
        const std::uint64_t io_size = o.io_size.given ? of(o.io_size, whole) : 0;
        j.more_passes = io_size != 0 && o.io_size.share < 0.0; // as fio
        j.pass_bytes = io_size != 0 ? io_size : size;          // 0 is fio's default
        place_drive_zones(o, j);
    }

    /// Zones of a zoned drive; the driver presents what can be written of them as one range.
    void place_drive_zones(const job_options& o, host::fio_job& j) const
    {
        if (o.zoned_at && m_drive.zone_bytes == 0) {
            fail(o.zoned_at->at, "zonemode", "the drive has no zones",
                 "use --set host.nvme.zns.zone_size=SIZE, or remove it");
        }
        if (m_drive.zone_bytes == 0) {
            return;
        }
        if (o.zoned_at && o.zone_size && o.zone_size_bytes != 0 &&
            o.zone_size_bytes != m_drive.zone_size) {
            fail(o.zone_size->at, "zonesize",
                 fmt::format("the zones of the drive have {} bytes", m_drive.zone_size),
                 "remove it, or give host.nvme.zns.zone_size the same");
        }
        j.zone_sectors = o.zoned_at ? m_drive.zone_bytes / sector_size : 0;
        check_drive_zones(o, j);
    }

    /// Writes to zones are in order, of blocks of 4 KiB, and fill whole ones.
    void check_drive_zones(const job_options& o, const host::fio_job& j) const
    {
        constexpr std::uint64_t block = 4096 / sector_size;
        const std::uint64_t zone = m_drive.zone_bytes / sector_size;
        if (j.kinds[2].used || j.trim_backlog != 0) {
            refuse(o, "trims, and only a reset of its zone deallocates", "leave trims out");
        }
        for (const host::fio_direction& d : j.kinds) {
            for (const host::fio_size& s : d.sizes) {
                if (d.used && s.sectors % block != 0) {
                    refuse(o, "a size of requests that is no multiple of 4096, the block of zones",
                           "give bs=4k or a multiple");
                }
            }
        }
        const host::fio_direction& w = j.kinds[1];
        if (!w.used) {
            return;
        }
        const bool in_order = w.random_share <= 0.0 && j.sequence.add == 0;
        const bool by_zones = w.random_share >= 1.0 && j.sequence.each == 1 && j.zone_sectors != 0;
        if (!in_order && !by_zones) {
            refuse(o, "zones are written in order", "give zonemode=zbd, and rw=randwrite or write");
        }
        const std::uint32_t smallest = w.sizes.front().sectors;
        const bool whole = std::all_of(w.sizes.begin(), w.sizes.end(),
                                       [&](const auto& s) { return s.sectors % smallest == 0; });
        if (!whole || zone % smallest != 0 || j.first % zone != 0 || j.sectors % zone != 0) {
            refuse(o, fmt::format("writes are to fill whole zones of {} bytes", m_drive.zone_bytes),
                   "give a bs that divides them, and an offset and size that are multiples");
        }
    }

    void place_zones(const job_options& o, host::fio_job& j) const
    {
        for (std::size_t kind = 0; kind < host::fio_kinds; ++kind) {
            host::fio_direction& d = j.kinds[kind];
            if (d.law != host::fio_law::zoned || !d.used) {
                continue;
            }
            double share = 0.0;
            std::uint64_t given = 0;
            for (const zone_text& z : o.zones[kind]) {
                given += of(z.size, j.sectors * sector_size) / sector_size;
            }
            std::uint64_t first = 0;
            d.zones.clear();
            for (const zone_text& z : o.zones[kind]) {
                share += z.share;
                const std::uint64_t rest = j.sectors > given ? j.sectors - given : 0;
                const std::uint64_t sectors =
                    z.rest ? rest : of(z.size, j.sectors * sector_size) / sector_size;
                if (sectors == 0 || first + sectors > j.sectors) {
                    fail(z.size.at.line != 0 ? z.size.at : o.section, "random_distribution",
                         fmt::format("a zone of {} bytes at byte {} of {}", sectors * sector_size,
                                     first * sector_size, j.sectors * sector_size),
                         "let the zones fill the job's size");
                }
                d.zones.push_back({share, first, sectors});
                first += sectors;
            }
        }
    }

    void clone(std::size_t index)
    {
        const job_options& o = m_jobs[index];
        if ((o.stonewall || o.new_group) && index != 0) {
            ++m_group;
        }
        m_phase += o.stonewall && index != 0 ? 1 : 0;
        const auto begin = static_cast<std::uint32_t>(m_out.jobs.size());
        for (std::uint64_t c = 0; c < o.numjobs; ++c) {
            host::fio_job j = o.job;
            j.group = m_group;
            j.phase = m_phase;
            if (o.wait_for) {
                const auto found = m_ranges.find(o.wait_for->text);
                if (found == m_ranges.end()) {
                    fail(o.wait_for->at, "wait_for",
                         fmt::format("there is no job '{}' above", o.wait_for->text),
                         "name a job that stands before this one");
                }
                j.after = found->second;
            }
            place(o, m_files[file_of(o, index, c)], c, j);
            place_zones(o, j);
            m_out.jobs.push_back(std::move(j));
        }
        m_ranges[o.job.name] = {begin, static_cast<std::uint32_t>(m_out.jobs.size())};
    }

    /// Each writer of a zone knows how far it has come, and no other does.
    void check_zone_writers() const
    {
        const std::vector<host::fio_job>& all = m_out.jobs;
        for (std::size_t i = 0; m_drive.zone_bytes != 0 && i < all.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                const host::fio_job& a = all[k];
                const host::fio_job& b = all[i];
                const bool follows =
                    a.phase != b.phase || (b.after.first <= k && k < b.after.second);
                const bool apart = a.first + a.sectors <= b.first || b.first + b.sectors <= a.first;
                if (a.kinds[1].used && b.kinds[1].used && !follows && !apart) {
                    fail({m_file, 0, 0}, b.name,
                         fmt::format("writes zones while job {} writes them", a.name),
                         "give each of them an offset of its own (offset_increment), or stonewall");
                }
            }
        }
    }

    /// What is not reported is the same time for all: the run's warm-up.
    void check_ramp() const
    {
        for (const job_options& o : m_jobs) {
            if (o.job.ramp != m_jobs.front().job.ramp) {
                const auto with = std::find_if(m_jobs.begin(), m_jobs.end(),
                                               [](const auto& j) { return j.ramp_at.has_value(); });
                fail(with->ramp_at->at, "ramp_time", "is not the same for all jobs",
                     "write it into [global]");
            }
        }
    }

    const std::vector<section>& m_sections;
    const target& m_drive;
    host::fio_config& m_out;
    std::vector<job_options> m_jobs;
    std::optional<word> m_device;
    std::map<std::string, file_range> m_files;
    std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> m_ranges; // of jobs, by name
    std::uint32_t m_group = 0;
    std::uint32_t m_phase = 0;
    std::string m_file;
    std::string m_wrong; // a line for each option
    std::size_t m_wrong_options = 0;
};

host::fio_config build(const std::vector<section>& sections, const std::string& file,
                       const target& drive)
{
    host::fio_config config;
    builder(sections, drive, config).run(file);
    return config;
}

} // namespace

host::fio_config read_jobs(const std::string& file, const target& drive)
{
    const bool arguments = is_command_line(file);
    return build(arguments ? sections_of_command_line(file) : read_sections(file), file, drive);
}

host::fio_config parse_jobs(std::string_view text, const std::string& file, const target& drive)
{
    return build(parse_sections(text, file), file, drive);
}

} // namespace ssdvp::platform::fio
