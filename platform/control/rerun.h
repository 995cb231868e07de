// SPDX-License-Identifier: Apache-2.0
//
// A run done again, from the same state, with one key that differs: a hypothesis is tried.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <string>

#include "platform/control/cli.h"
#include "platform/report/ideal_run.h"

namespace ssdvp::platform {

struct hypothesis {
    const char* option; // that asks for it
    std::string key;
    std::string value;
    const char* folder; // of the results, in that of the run
};

/// Runs this program with the configuration that lies in `directory`. Returns the summary. Throws
/// write_error when the run fails.
[[nodiscard]] boost::json::value rerun(const command_line& line,
                                       const std::filesystem::path& directory, const hypothesis& h);
/// That of the run itself.
[[nodiscard]] boost::json::value summary_in(const std::filesystem::path& directory);
/// 0: it is not there.
/// By kind of request.
[[nodiscard]] ideal_run figures_of(const boost::json::value& summary);

} // namespace ssdvp::platform
