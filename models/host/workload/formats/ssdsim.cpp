// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/ascii.h"

namespace ssdvp::host {

namespace {

class ssdsim_parser final : public ascii_parser {
public:
    ssdsim_parser() : ascii_parser(3, "a number of nanoseconds") {}
};

} // namespace

std::unique_ptr<line_parser> make_ssdsim()
{
    return std::make_unique<ssdsim_parser>();
}

} // namespace ssdvp::host
