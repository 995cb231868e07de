// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <optional>

#include "platform/report/compressed_file.h"
#include "platform/report/output_file.h"
#include "platform/report/sinks/sink.h"
#include "platform/report/waves/vcd.h"
#include "platform/report/waves/viewer_layouts.h"

namespace ssdvp::platform {

namespace {

namespace fs = std::filesystem;

constexpr const char* vcd_option = "--vcd";

/// x.vcd.gz and x.vcd have the layout x.gtkw.
fs::path layout_beside(fs::path file, const char* extension)
{
    if (file.extension() == ".gz" || file.extension() == ".zst") {
        file.replace_extension();
    }
    return file.replace_extension(extension);
}

class vcd_sink final : public report_sink, private host::request_observer {
public:
    vcd_sink(fs::path file, const sink_subject& of)
        : m_file(std::move(file)), m_source(of.waves.window, of.name, of.waves.scopes)
    {
        if (place_of(m_file, vcd_option).replaced) { // no FIFO or /dev/stdout
            m_gtkwave = layout_beside(m_file, ".gtkw");
            m_surfer = layout_beside(m_file, ".sucl");
        }
    }
    [[nodiscard]] std::vector<fs::path> files() const override
    {
        return m_gtkwave.empty() ? std::vector{m_file} : std::vector{m_file, m_gtkwave, m_surfer};
    }
    /// The drive has been built: its scopes are known.
    void open() override
    {
        m_source.check_scopes();
        m_output.emplace(m_file, vcd_option);
    }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    [[nodiscard]] timeline* trace() override { return &m_source; }
    void begin(const counters& now, const std::function<counters()>& read) override
    {
        (void)read;
        m_source.record().begin(now.when);
    }
    void end(const counters& now) override { m_source.record().end(now.when); }
    void finish(const sink_results& results) override;
    [[nodiscard]] std::string text() const override
    {
        return m_source.record().full()
                   ? "waves: they hold as many events as they can, and end before their window; "
                     "choose a shorter one with --vcd-window, or less with --vcd-scope\n"
                   : "";
    }

private:
    void on_complete(const host::request_result& result) override
    {
        m_source.record().completed(result);
    }
    static void write_layout(const fs::path& file, const std::string& text)
    {
        output_file out(file, vcd_option);
        out.write(text);
        out.finish();
    }

    fs::path m_file;
    fs::path m_gtkwave; // empty: no layouts
    fs::path m_surfer;
    wave_source m_source;
    std::optional<compressed_file> m_output; // open
};

void vcd_sink::finish(const sink_results&)
{
    const timeline_record& record = m_source.record();
    if (const std::string why = record.missed(); !why.empty()) {
        throw write_error(fmt::format("--vcd {}: not written: {}; choose another --vcd-window",
                                      m_file.string(), why));
    }
    const wave_set waves(m_source);
    const std::vector<timeline_record::interval> shown = record.shown();
    write_vcd(waves, shown, [this](std::string_view text) { m_output->write(text); });
    m_output->finish();
    if (!m_gtkwave.empty()) {
        const auto first = shown.empty() ? timeline_record::interval{} : shown.front();
        write_layout(m_gtkwave, gtkwave_layout(waves, m_file.filename().string(), first));
        write_layout(m_surfer, surfer_layout(waves));
    }
}

} // namespace

std::unique_ptr<report_sink> make_vcd(const std::string& value, const sink_subject& of)
{
    return std::make_unique<vcd_sink>(value, of);
}

} // namespace ssdvp::platform
