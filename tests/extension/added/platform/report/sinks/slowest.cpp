// SPDX-License-Identifier: Apache-2.0
//
// The slowest request of the measured part, in one line.
#include <fmt/format.h>

#include "platform/report/output.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

namespace {

class slowest_sink final : public report_sink, private host::request_observer {
public:
    explicit slowest_sink(std::filesystem::path file) : m_file(std::move(file)) {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {m_file}; }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    void finish(const sink_results& /*results*/) override
    {
        write_file_atomically(m_file, fmt::format("lba,ps\n{},{}\n", m_lba, m_latency.ps()));
    }

private:
    void on_complete(const host::request_result& result) override
    {
        if (result.latency() > m_latency) {
            m_latency = result.latency();
            m_lba = result.req.lba;
        }
    }

    std::filesystem::path m_file;
    std::uint64_t m_lba = 0;
    sim_time m_latency;
};

} // namespace

std::unique_ptr<report_sink> make_slowest(const std::string& value, const sink_subject& /*of*/)
{
    return std::make_unique<slowest_sink>(value);
}

} // namespace ssdvp::platform
