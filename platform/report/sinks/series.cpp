// SPDX-License-Identifier: Apache-2.0
#include "platform/report/series.h"

#include <optional>

#include "platform/report/output_file.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

namespace {

constexpr const char* series_option = "--series";

class series_sink final : public report_sink, private host::request_observer {
public:
    series_sink(std::filesystem::path file, const sink_subject& of)
        : m_file(std::move(file)), m_series(of.interval, of.energy)
    {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {m_file}; }
    [[nodiscard]] std::vector<std::filesystem::path> folders() const override
    {
        const output_place place = place_of(m_file, series_option);
        return place.replaced ? std::vector{place.path.parent_path()}
                              : std::vector<std::filesystem::path>();
    }
    void open() override { m_output.emplace(m_file, series_option); }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    void begin(const counters& now, const std::function<counters()>& read) override
    {
        m_series.begin(now);
        m_read = &read;
    }
    void end(const counters& now) override { m_series.end(now); }
    void finish(const sink_results&) override
    {
        m_output->write(m_series.csv());
        m_output->finish();
    }

private:
    void on_complete(const host::request_result& result) override
    {
        if (m_series.completed(result)) {
            m_series.take((*m_read)());
        }
    }

    std::filesystem::path m_file;
    run_series m_series;
    const std::function<counters()>* m_read = nullptr; // from begin() on
    std::optional<output_file> m_output;               // open
};

} // namespace

std::unique_ptr<report_sink> make_series(const std::string& value, const sink_subject& of)
{
    return std::make_unique<series_sink>(value, of);
}

} // namespace ssdvp::platform
