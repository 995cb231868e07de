// SPDX-License-Identifier: Apache-2.0
//
// A file of pieces of the measured part. A Series is told of each request, says when it wants a
// reading of the counters, takes it, and writes its lines.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "platform/report/sinks/file_sink.h"

namespace ssdvp::platform {

template <typename Series>
class series_sink final : public file_sink, private host::request_observer {
public:
    /// What is written of the lines; without one, they are.
    using form = std::string (*)(std::string_view csv);

    series_sink(std::filesystem::path file, const char* option, Series series,
                form written = nullptr)
        : file_sink(std::move(file), option), m_series(std::move(series)), m_written(written)
    {}
    [[nodiscard]] host::request_observer* requests() override { return this; }
    void begin(const counters& now, const std::function<counters()>& read) override
    {
        m_series.begin(now);
        m_read = &read;
    }
    void end(const counters& now) override { m_series.end(now); }
    void finish(const sink_results&) override
    {
        const std::string csv = m_series.csv();
        write(m_written == nullptr ? csv : m_written(csv));
    }

private:
    void on_complete(const host::request_result& result) override
    {
        if (m_series.completed(result)) {
            m_series.take((*m_read)());
        }
    }

    Series m_series;
    form m_written;
    const std::function<counters()>* m_read = nullptr; // from begin() on
};

} // namespace ssdvp::platform
