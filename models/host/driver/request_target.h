// SPDX-License-Identifier: Apache-2.0
//
// Where requests go, a drive or an array of drives, and who submits them.
#pragma once

#include <cstdint>

#include "models/host/request.h"

namespace ssdvp::host {

/// Who submits requests.
class request_client {
public:
    virtual ~request_client() = default;
    virtual void on_done(std::uint64_t cookie, const request_result& result) = 0;
    /// The request will never complete: the drive lost power first.
    virtual void on_lost(std::uint64_t /*cookie*/, const request& /*req*/) {}
    /// After the on_done calls of one instant: the moment to submit more. The driver rings.
    virtual void on_batch_end() = 0;
};

class request_target {
public:
    virtual ~request_target() = default;
    /// Takes a request, or returns false when too many wait already: on_batch_end says when to try
    /// again. `data`: null = the target's shadow copy gives and checks the data; else sectors * 512
    /// bytes that stay valid until on_done and pass by the shadow copy.
    virtual bool submit(const request& req, unsigned char* data, request_client& client,
                        std::uint64_t cookie) = 0;
    /// Tells the target of what was submitted. Not needed in its on_batch_end.
    virtual void ring() = 0;
};

} // namespace ssdvp::host
