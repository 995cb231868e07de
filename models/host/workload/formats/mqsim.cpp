// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/ascii.h"

namespace ssdvp::host {

namespace {

class mqsim_parser final : public ascii_parser {
public:
    mqsim_parser() : ascii_parser(3, "a number of nanoseconds") {}
};

} // namespace

std::unique_ptr<line_parser> make_mqsim()
{
    return std::make_unique<mqsim_parser>();
}

} // namespace ssdvp::host
