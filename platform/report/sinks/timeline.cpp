// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <optional>

#include "platform/report/compressed_file.h"
#include "platform/report/sinks/file_sink.h"
#include "platform/report/timeline/scope_filter.h"
#include "platform/report/timeline/stream.h"

namespace ssdvp::platform {

namespace {

/// The record, of those tracks that are wanted.
class wanted_tracks final : public timeline {
public:
    wanted_tracks(timeline_record& to, const sink_subject& of)
        : m_to(to), m_filter(of.timeline_scopes, of.name.empty() ? "ssd" : scope_name(of.name),
                             "--timeline-scope")
    {}
    std::uint32_t add_track(const std::string& group, const std::string& name) override
    {
        const std::string scope = scope_name(group + "/" + name);
        return m_filter.wants(scope, scope) ? m_to.add_track(group, name) : unwanted;
    }
    void add(std::uint32_t track, const timeline_slice& slice) override { m_to.add(track, slice); }
    void bound(std::uint16_t slot, std::uint32_t command, sim_time when) override
    {
        m_to.bound(slot, command, when);
    }
    void check() const { m_filter.check(); }

private:
    timeline_record& m_to;
    scope_filter m_filter;
};

class timeline_sink final : public report_sink, private host::request_observer {
public:
    timeline_sink(std::filesystem::path file, const sink_subject& of)
        : m_file(std::move(file)), m_record(of.window), m_tracks(m_record, of),
          m_series(sim_time(), of.energy)
    {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {m_file}; }
    /// The drive has been built: its tracks are known.
    void open() override
    {
        m_tracks.check();
        // Packets of a track are much alike: higher levels make the file no smaller by a tenth.
        m_output.emplace(m_file, "--timeline", gzip_blocks::fastest_level);
        m_stream.emplace(m_record.tracks(),
                         [this](std::string_view piece) { m_output->write(piece); });
        m_record.hand_to(*m_stream);
    }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    [[nodiscard]] timeline* trace() override { return &m_tracks; }
    void begin(const counters& now, const std::function<counters()>& read) override
    {
        m_zero = now.when;
        m_record.begin(now.when);
        m_series.begin(now);
        m_read = &read;
    }
    void end(const counters& now) override
    {
        m_record.end(now.when);
        m_series.end(now);
    }
    void finish(const sink_results&) override
    {
        if (const std::string why = m_record.missed(); !why.empty()) {
            throw write_error(fmt::format("--timeline {}: not written: {}; choose another "
                                          "--timeline-window",
                                          m_file.string(), why));
        }
        m_stream->finish(m_record.until(), m_series.pieces(), m_zero);
        m_output->finish();
    }
    [[nodiscard]] std::string text() const override
    {
        return m_record.full()
                   ? "timeline: it holds as many events as it can, and ends before "
                     "its window; choose a shorter one with --timeline-window, or less with "
                     "--timeline-scope\n"
                   : "";
    }

private:
    void on_complete(const host::request_result& result) override
    {
        m_record.completed(result);
        if (m_series.completed(result)) {
            m_series.take((*m_read)());
        }
    }

    std::filesystem::path m_file;
    timeline_record m_record;
    wanted_tracks m_tracks;
    run_series m_series;
    sim_time m_zero;                                   // the measured part began
    const std::function<counters()>* m_read = nullptr; // from begin() on
    std::optional<compressed_file> m_output;           // open
    std::optional<timeline_stream> m_stream;           // likewise; writes to it until it is gone
};

} // namespace

std::unique_ptr<report_sink> make_timeline(const std::string& value, const sink_subject& of)
{
    return std::make_unique<timeline_sink>(value, of);
}

} // namespace ssdvp::platform
