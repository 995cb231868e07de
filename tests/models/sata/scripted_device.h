// SPDX-License-Identifier: Apache-2.0
//
// The device's side of a SATA link, under the hand of a test.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "models/sata/link.h"

namespace ssdvp::test {

using namespace ssdvp::literals;

/// Notes the host's frames, sends what it is told to.
struct scripted_device : sata::transport_if {
    struct received {
        std::uint8_t type;
        fis::register_h2d command; // of Register FIS
        std::uint8_t slot;
        std::vector<unsigned char> data; // of Data FIS
        sim_time arrival;
    };
    sata::link* link = nullptr;
    std::vector<received> frames;
    sata::sent last;
    sim_time next; // frames follow each other
    bool answer = true;

    bool on_frame(const sata::frame& f, sim_time arrival) override
    {
        received r{f.type(), {}, f.slot, {}, arrival};
        if (r.type == fis::REGISTER_H2D) {
            std::memcpy(&r.command, f.header, sizeof r.command);
        }
        r.data.assign(f.data, f.data + f.data_length);
        frames.push_back(r);
        return answer;
    }
    void on_sent(const sata::frame&, const sata::sent& s) override { last = s; }
    void on_phy(bool) override {}

    template <typename Fis>
    sata::sent send(const Fis& f, const std::vector<unsigned char>& data = {})
    {
        sata::frame frame;
        frame.header = &f;
        frame.header_length = sizeof f;
        frame.data = data.empty() ? nullptr : data.data();
        frame.data_length = static_cast<std::uint32_t>(data.size());
        REQUIRE(link->send(sata::side::device, frame, later(next, now())));
        next = last.end;
        return last;
    }
    sata::sent send_register(std::uint8_t status, bool interrupt = false, std::uint8_t error = 0)
    {
        fis::register_d2h d;
        d.flags = interrupt ? fis::FLAG_INTERRUPT : 0;
        d.status = status;
        d.error = error;
        return send(d);
    }
    sata::sent send_signature()
    {
        fis::register_d2h d;
        d.status = 0x50;
        d.error = 1;
        d.count = 1;
        d.lba_low[0] = 1;
        return send(d);
    }
    sata::sent send_bits(std::uint32_t active, std::uint8_t status = 0x40, std::uint8_t error = 0)
    {
        fis::set_device_bits s;
        s.flags = fis::FLAG_INTERRUPT;
        s.status = status;
        s.error = error;
        s.active = active;
        return send(s);
    }
    sata::sent send_setup(std::uint32_t tag, std::uint32_t count, bool to_host,
                          bool activate = false, std::uint32_t offset = 0)
    {
        fis::dma_setup s;
        s.flags = static_cast<std::uint8_t>((to_host ? fis::FLAG_TO_HOST : 0u) |
                                            (activate ? fis::FLAG_AUTO_ACTIVATE : 0u));
        s.buffer_low = tag;
        s.offset = offset;
        s.count = count;
        return send(s);
    }
    sata::sent send_data(const std::vector<unsigned char>& data)
    {
        return send(fis::data_header{}, data);
    }
};

} // namespace ssdvp::test
