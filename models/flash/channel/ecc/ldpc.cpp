// SPDX-License-Identifier: Apache-2.0
//
// LDPC: a hard decision, then soft steps with ever more information from the cells. Each step is
// taken to correct up to a fixed number of bits (a real decoder fails with a probability that
// rises steeply there).
#include "models/flash/channel/ecc/ecc_code.h"

namespace ssdvp::flash {

namespace {

class ldpc final : public ecc_code {
public:
    [[nodiscard]] const char* name() const override { return "ldpc"; }
    [[nodiscard]] ecc_attempt decode(const ecc_config& config,
                                     std::uint32_t wrong_bits) const override
    {
        ecc_attempt attempt;
        if (wrong_bits <= config.correctable) {
            return attempt;
        }
        for (const std::uint64_t limit : config.soft_correctable) {
            ++attempt.soft_steps;
            if (wrong_bits <= limit) {
                return attempt;
            }
        }
        attempt.result = ecc_result::uncorrectable;
        return attempt;
    }
};

} // namespace

const ecc_code& ecc_ldpc()
{
    static const ldpc code;
    return code;
}

} // namespace ssdvp::flash
