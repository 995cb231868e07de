// SPDX-License-Identifier: Apache-2.0
//
// Erases of each block at the end of the run, for a map of the wear.
#include <fmt/format.h>
#include <iterator>

#include "platform/report/sinks/file_sink.h"

namespace ssdvp::platform {

namespace {

class wear_sink final : public file_sink {
public:
    explicit wear_sink(std::filesystem::path file) : file_sink(std::move(file), "--wear") {}
    void finish(const sink_results& results) override
    {
        std::string text = "channel,lun,plane,block,erases,factory_bad\n";
        for (const block_wear& b : results.wear()) {
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:d}\n", b.channel, b.lun,
                           b.plane, b.block, b.erases, b.factory_bad);
        }
        write(text);
    }
};

} // namespace

std::unique_ptr<report_sink> make_wear(const std::string& value, const sink_subject&)
{
    return std::make_unique<wear_sink>(value);
}

} // namespace ssdvp::platform
