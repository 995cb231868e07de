// SPDX-License-Identifier: Apache-2.0
//
// Told of every program and erase of a die at the moment its array begins (a resumed one began
// before): flash operations are counted here, and the next may be the one that a power cut hits.
#pragma once

namespace ssdvp::flash {

class array_watch {
public:
    virtual ~array_watch() = default;
    virtual void array_begins() = 0;
};

} // namespace ssdvp::flash
