// SPDX-License-Identifier: Apache-2.0
//
// BCH: corrects up to its strength, and always knows when it cannot (miscorrection, about 1/t!, is
// left out).
#include "models/flash/channel/ecc/ecc_code.h"

namespace ssdvp::flash {

namespace {

class bch final : public ecc_code {
public:
    [[nodiscard]] const char* name() const override { return "bch"; }
    [[nodiscard]] ecc_attempt decode(const ecc_config& config,
                                     std::uint32_t wrong_bits) const override
    {
        return {wrong_bits <= config.correctable ? ecc_result::corrected
                                                 : ecc_result::uncorrectable,
                0};
    }
};

} // namespace

const ecc_code& ecc_bch()
{
    static const bch code;
    return code;
}

} // namespace ssdvp::flash
