// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/time.h"

namespace ssdvp {

/// Of a transaction that a block has sent.
struct dma_result {
    sim_time end;
    bool ok;
};

} // namespace ssdvp
