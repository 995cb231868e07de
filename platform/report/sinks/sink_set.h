// SPDX-License-Identifier: Apache-2.0
//
// The sinks of one drive or one array, as the command line wants them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "platform/report/output.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

/// A file of the user's choice for one of several: FILE.csv.zst is FILE.NAME.csv.zst.
[[nodiscard]] std::filesystem::path file_for(const std::filesystem::path& file,
                                             const std::string& name);

class sink_set {
public:
    sink_set() = default;
    /// Throws output_error for what several drives cannot share.
    sink_set(const sink_choice& chosen, const sink_subject& of);

    [[nodiscard]] const std::vector<report_sink*>& all() const { return m_all; }
    /// Of the one that wants it, else null.
    [[nodiscard]] cpu::call_profile* profile() const;

    struct file {
        const char* option;
        std::filesystem::path path;
    };
    [[nodiscard]] std::vector<file> files() const;
    /// Their folders, which must be there before open().
    void prepare(output_folders& folders) const;
    void open();
    /// What people see on stderr afterwards.
    [[nodiscard]] std::string text() const;

private:
    struct entry {
        const sink_row* row;
        std::unique_ptr<report_sink> sink;
    };
    std::string m_name;
    std::vector<entry> m_entries;
    std::vector<report_sink*> m_all;
};

} // namespace ssdvp::platform
