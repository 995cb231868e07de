// SPDX-License-Identifier: Apache-2.0
//
// A report that is one file of the user's choice, written when the run is over.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/report/output_file.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

class file_sink : public report_sink {
public:
    /// `option`: where the name came from.
    file_sink(std::filesystem::path file, const char* option)
        : m_file(std::move(file)), m_option(option)
    {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const final { return {m_file}; }
    [[nodiscard]] std::vector<std::filesystem::path> folders() const final
    {
        const output_place place = place_of(m_file, m_option);
        return place.replaced ? std::vector{place.path.parent_path()}
                              : std::vector<std::filesystem::path>();
    }
    void open() final { m_output.emplace(m_file, m_option); }

protected:
    /// All of it. Throws write_error.
    void write(std::string_view text)
    {
        m_output->write(text);
        m_output->finish();
    }

private:
    std::filesystem::path m_file;
    const char* m_option;
    std::optional<output_file> m_output; // open
};

} // namespace ssdvp::platform
