// SPDX-License-Identifier: Apache-2.0
//
// No code: wrong bits pass, and nobody knows.
#include "models/flash/channel/ecc/ecc_code.h"

namespace ssdvp::flash {

namespace {

class none final : public ecc_code {
public:
    [[nodiscard]] const char* name() const override { return "none"; }
    [[nodiscard]] ecc_attempt decode(const ecc_config&, std::uint32_t wrong_bits) const override
    {
        return {wrong_bits == 0 ? ecc_result::corrected : ecc_result::unnoticed, 0};
    }
};

} // namespace

const ecc_code& ecc_none()
{
    static const none code;
    return code;
}

} // namespace ssdvp::flash
