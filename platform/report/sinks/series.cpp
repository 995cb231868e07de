// SPDX-License-Identifier: Apache-2.0
#include "platform/report/series.h"

#include "platform/report/sinks/file_sink.h"

namespace ssdvp::platform {

namespace {

class series_sink final : public file_sink, private host::request_observer {
public:
    series_sink(std::filesystem::path file, const sink_subject& of)
        : file_sink(std::move(file), "--series"), m_series(of.interval, of.energy)
    {}
    [[nodiscard]] host::request_observer* requests() override { return this; }
    void begin(const counters& now, const std::function<counters()>& read) override
    {
        m_series.begin(now);
        m_read = &read;
    }
    void end(const counters& now) override { m_series.end(now); }
    void finish(const sink_results&) override { write(m_series.csv()); }

private:
    void on_complete(const host::request_result& result) override
    {
        if (m_series.completed(result)) {
            m_series.take((*m_read)());
        }
    }

    run_series m_series;
    const std::function<counters()>* m_read = nullptr; // from begin() on
};

} // namespace

std::unique_ptr<report_sink> make_series(const std::string& value, const sink_subject& of)
{
    return std::make_unique<series_sink>(value, of);
}

} // namespace ssdvp::platform
