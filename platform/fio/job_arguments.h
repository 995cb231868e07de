// SPDX-License-Identifier: Apache-2.0
//
// Jobs as fio's command line gives them: `--name` begins a job, what stands before the first one
// is for all, and a word that is no option is a job file.
#pragma once

#include <string>
#include <vector>

#include "platform/fio/job_text.h"

namespace ssdvp::platform::fio {

/// A workload that is such a line, and not the path of a job file.
bool is_command_line(const std::string& text);
/// The words as one text, quoted as for a shell.
std::string command_line_of(const std::vector<std::string>& words);
/// Throws config_error.
std::vector<section> sections_of_command_line(const std::string& text);

} // namespace ssdvp::platform::fio
