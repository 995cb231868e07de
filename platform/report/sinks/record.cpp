// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sinks/requests_log.h"

namespace ssdvp::platform {

std::unique_ptr<report_sink> make_record(const std::string& value, const sink_subject&)
{
    return std::make_unique<requests_log_sink>(value, log_format::iolog, "--record");
}

} // namespace ssdvp::platform
