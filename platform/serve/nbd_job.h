// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "platform/serve/nbd_connection.h"

namespace ssdvp::platform {

struct nbd_extent {
    std::uint32_t bytes;
    std::uint32_t state; // STATE_HOLE, STATE_ZERO
};

struct nbd_connection::job {
    std::uint16_t type = 0;
    bool fua = false;
    bool flushing = false; // done but for the flush that FUA asks for
    std::uint64_t cookie = 0;
    std::uint64_t offset = 0; // bytes
    std::uint32_t length = 0; // bytes
    std::uint32_t done = 0;   // bytes
    std::uint32_t error = 0;
    std::uint32_t counted = 0; // bytes, as under way
    std::unique_ptr<unsigned char[]> data;
    std::uint32_t capacity = 0; // of `data`
    bool one = false;           // of BLOCK_STATUS: one extent is wanted
    std::uint32_t looked = 0;   // bytes read for it
    std::vector<nbd_extent> extents;
    block_request piece;

    void add_extent(std::uint32_t bytes, std::uint32_t state);

    /// Uninitialised: every byte is written before it is read.
    void reserve(std::uint32_t bytes)
    {
        if (capacity < bytes) {
            data.reset(new unsigned char[bytes]);
            capacity = bytes;
        }
    }
};

} // namespace ssdvp::platform
