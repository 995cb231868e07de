// SPDX-License-Identifier: Apache-2.0
//
// One CSV line per request, plain or compressed by the name's ending (.gz, .zst). Times in ns with
// three decimals, which is every picosecond. The columns are those of requests_log_header.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "models/host/request.h"

namespace ssdvp::platform {

/// First line of the file, without its newline.
[[nodiscard]] std::string requests_log_header();

class requests_log : public host::request_observer {
public:
    /// Opens the file under its partial name; throws output_error when that cannot be done.
    explicit requests_log(std::filesystem::path file);
    /// Keeps what was logged when finish() was not called, for instance on the way of an exception.
    ~requests_log() override;
    requests_log(const requests_log&) = delete;
    requests_log& operator=(const requests_log&) = delete;

    /// Allocates nothing. An error of writing is kept for finish(): the simulation is not at fault.
    void on_complete(const host::request_result& result) override;

    /// Whether requests are written: off during warm-up.
    void enable(bool on) { m_enabled = on; }

    /// Writes the rest and gives the file its name. Throws output_error when any of it failed.
    void finish();

private:
    struct sink; // the compressing stream

    void flush();
    bool close();

    std::filesystem::path m_file;
    std::filesystem::path m_partial;
    std::unique_ptr<sink> m_sink;
    std::vector<char> m_buffer;
    std::size_t m_used = 0;
    bool m_enabled = true;
    bool m_open = true;
};

} // namespace ssdvp::platform
