// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/ecc/ecc_code.h"

namespace ssdvp::flash {

const ecc_code& find_ecc_code(ecc_kind kind)
{
    switch (kind) {
    case ecc_kind::bch:
        return ecc_bch();
    case ecc_kind::ldpc:
        return ecc_ldpc();
    default:
        return ecc_none();
    }
}

} // namespace ssdvp::flash
