// SPDX-License-Identifier: Apache-2.0
#include "platform/report/series.h"

#include "platform/report/parquet.h"
#include "platform/report/sinks/series_sink.h"

namespace ssdvp::platform {

std::unique_ptr<report_sink> make_series(const std::string& value, const sink_subject& of)
{
    const bool parquet = std::filesystem::path(value).extension() == ".parquet";
    return std::make_unique<series_sink<run_series>>(
        value, "--series", run_series(of.interval, of.energy), parquet ? parquet_of : nullptr);
}

} // namespace ssdvp::platform
