// SPDX-License-Identifier: Apache-2.0
//
// The Serial ATA link against the table of frames and against sums by hand.
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/sata/link.h"

namespace link_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using sata::side;

namespace {

/// A side that notes what it hears.
struct listener : sata::transport_if {
    struct heard {
        std::uint8_t type;
        sim_time arrival;
        bool damaged;
        std::uint32_t length;
    };
    std::vector<heard> frames;
    std::vector<sata::sent> results;
    std::vector<std::pair<bool, sim_time>> phy;
    bool answer = true;

    bool on_frame(const sata::frame& f, sim_time arrival) override
    {
        frames.push_back({f.type(), arrival, f.damaged, f.data_length});
        return answer;
    }
    void on_sent(const sata::frame&, const sata::sent& s) override { results.push_back(s); }
    void on_phy(bool up) override { phy.emplace_back(up, now()); }
};

struct bench {
    listener host, device;
    sata::link link;

    explicit bench(const sata::link_config& config) : link("link", config)
    {
        link.attach(side::host, host);
        link.attach(side::device, device);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void run(sim_time t) { sc_core::sc_start(t.to_sc()); }
    void bring_up()
    {
        link.device_power(true);
        run(1_ms);
        REQUIRE(link.up());
    }
    template <typename Fis>
    sata::sent send(side from, const Fis& f, sim_time earliest, std::uint32_t data_length = 0)
    {
        static unsigned char bytes[fis::DATA_MAX];
        sata::frame frame;
        frame.header = &f;
        frame.header_length = sizeof f;
        frame.data = data_length == 0 ? nullptr : bytes;
        frame.data_length = data_length;
        REQUIRE(link.send(from, frame, earliest));
        if (from == side::host) {
            return {};
        }
        return device.results.back();
    }
};

sata::link_config at(std::uint32_t generation)
{
    sata::link_config c;
    c.generation = generation;
    return c;
}

/// Bytes over the wire at 8b/10b with 2 ALIGN in 256 DW, in seconds.
double seconds(double bytes, std::uint32_t generation)
{
    return bytes * 256 / 254 / (150e6 * (1 << (generation - 1)));
}

double in_seconds(sim_time t)
{
    return static_cast<double>(t.ps()) * 1e-12;
}

/// 10 DW and two turns of 100 ns.
double handshake(std::uint32_t generation)
{
    return 40.0 / (150e6 * (1 << (generation - 1))) + 200e-9;
}

void check_throughput(std::uint32_t generation)
{
    bench b(at(generation));
    b.bring_up();
    const sim_time start = now();
    sim_time next = start;
    constexpr int frames = 1000;
    for (int i = 0; i < frames; ++i) {
        next = b.send(side::device, fis::data_header{}, next, 8192).end;
    }
    const double measured = frames * 8192 / in_seconds(next - start);
    CHECK(measured ==
          Approx(8192 / (seconds(8208, generation) + handshake(generation))).epsilon(0.005));
    CHECK(measured < 150e6 * (1 << (generation - 1)));
}

} // namespace

TEST_CASE("each FIS has the bytes on the wire of the table")
{
    bench b(at(3));
    b.bring_up();
    std::uint64_t before = 0;
    const auto to_host = [&](const auto& f, std::uint32_t data = 0) {
        b.send(side::device, f, now(), data);
        const std::uint64_t all = b.link.stats().to_host.bytes;
        return all - std::exchange(before, all);
    };
    CHECK(to_host(fis::register_d2h{}) == 32);
    CHECK(to_host(fis::dma_setup{}) == 40);
    CHECK(to_host(fis::dma_activate{}) == 16);
    CHECK(to_host(fis::data_header{}, 4096) == 4096 + 16);
    CHECK(to_host(fis::data_header{}, 8192) == 8192 + 16);
    CHECK(to_host(fis::set_device_bits{}) == 20);
    CHECK(to_host(fis::pio_setup{}) == 32);
    b.run(1_ms);
    b.send(side::host, fis::register_h2d{}, now());
    b.run(1_ms);
    CHECK(b.link.stats().to_device.bytes == 32);
    const auto& types = b.link.stats().to_host.by_type;
    CHECK(types == std::array<std::uint64_t, 8>{0, 1, 1, 1, 2, 1, 1, 0});
    CHECK(b.link.stats().to_device.by_type[sata::type_index(fis::REGISTER_H2D)] == 1);
}

TEST_CASE("the frames of a 4 KiB read are 4,204 and 32 bytes: 7.06 us, 7.12 us with ALIGN")
{
    sata::link_config c = at(3);
    c.handshake = 0;
    c.latency = sim_time();
    bench b(c);
    b.bring_up();
    const sim_time start = now();
    b.send(side::host, fis::register_h2d{}, start);
    b.run(1_ms);
    sim_time busy = b.host.results.at(0).end - start;
    sim_time next = now();
    for (int i = 0; i < 4; ++i) {
        const sim_time from = next;
        next = i == 0   ? b.send(side::device, fis::register_d2h{}, next).end
               : i == 1 ? b.send(side::device, fis::dma_setup{}, next).end
               : i == 2 ? b.send(side::device, fis::data_header{}, next, 4096).end
                        : b.send(side::device, fis::set_device_bits{}, next).end;
        busy += next - from;
    }
    CHECK(b.link.stats().to_host.bytes == 4204);
    CHECK(b.link.stats().to_device.bytes == 32);
    CHECK(in_seconds(busy) == Approx(7.06e-6 * 256 / 254).epsilon(1e-6));
    CHECK(in_seconds(busy) == Approx(7.12e-6).epsilon(1e-3));
    sc_core::sc_start((next - now()).to_sc()); // frames count as their time comes
    CHECK(b.link.stats().to_host.busy + b.link.stats().to_device.busy == busy);
}

TEST_CASE("a frame is handshake, wire and flight, and its end is idle again")
{
    for (const std::uint32_t generation : {1u, 2u, 3u}) {
        const sata::frame_time t(at(generation));
        CHECK(in_seconds(t.wire(20)) == Approx(seconds(32, generation)).epsilon(1e-4));
        CHECK(in_seconds(t.wire(4 + 8192)) == Approx(seconds(8208, generation)).epsilon(1e-6));
        CHECK(in_seconds(t.whole(20) - t.wire(20)) ==
              Approx(handshake(generation)).margin(2e-12)); // of whole picoseconds
        CHECK(t.whole(20) == t.before() + t.wire(20) + t.flight() + t.after());
    }
}

TEST_CASE("back to back data reach the rate of the closed formula within 0.5 %: 1.5 Gb/s")
{
    check_throughput(1);
}

TEST_CASE("back to back data reach the rate of the closed formula within 0.5 %: 3 Gb/s")
{
    check_throughput(2);
}

TEST_CASE("back to back data reach the rate of the closed formula within 0.5 %: 6 Gb/s")
{
    check_throughput(3);
}

TEST_CASE("when both want the wire the device has it, and the host follows")
{
    bench b(at(3));
    b.bring_up();
    const sim_time t = now();
    b.send(side::host, fis::register_h2d{}, t);
    const sata::sent device =
        b.send(side::device, fis::set_device_bits{}, t + b.link.times().flight());
    b.run(1_ms);
    CHECK(device.begin == t + b.link.times().flight());
    REQUIRE(b.host.results.size() == 1);
    CHECK(b.host.results[0].begin == device.end);
    CHECK(b.link.stats().collisions == 1);
}

TEST_CASE("a device that asks when the host's X_RDY has come waits for the host's frame")
{
    bench b(at(3));
    b.bring_up();
    const sim_time t = now();
    b.send(side::host, fis::register_h2d{}, t);
    const sata::sent device =
        b.send(side::device, fis::set_device_bits{}, t + b.link.times().whole(20));
    b.run(1_ms);
    REQUIRE(b.host.results.size() == 1);
    CHECK(b.host.results[0].begin == t);
    CHECK(b.host.results[0].end == device.begin);
    CHECK(b.device.frames.at(0).arrival ==
          t + b.link.times().before() + b.link.times().wire(20) + b.link.times().flight());
    CHECK(b.link.stats().collisions == 0);
}

TEST_CASE("COMRESET: down at once, up after OOB and speed negotiation, and nothing in between")
{
    bench b(at(2));
    CHECK_FALSE(b.link.up());
    const sim_time power = now();
    b.link.device_power(true);
    b.run(1_ms);
    REQUIRE(b.host.phy.size() == 1);
    CHECK(b.host.phy[0] == std::make_pair(true, power + sata::link::oob_time()));
    // COMINIT, two COMWAKE and 2,048 ALIGN at 1.5 Gb/s.
    CHECK(in_seconds(sata::link::oob_time()) ==
          Approx(2.56e-6 + 2 * 1.28e-6 + 54.61e-6).epsilon(1e-3));
    const sim_time reset = now();
    b.link.comreset(true);
    CHECK_FALSE(b.link.up());
    CHECK(b.device.phy.back() == std::make_pair(false, reset));
    sata::frame f;
    const fis::register_h2d h;
    f.header = &h;
    f.header_length = sizeof h;
    CHECK_FALSE(b.link.send(side::host, f, now()));
    b.run(1_ms);
    CHECK_FALSE(b.link.up()); // held
    b.link.comreset(false);
    b.run(1_ms);
    CHECK(b.link.up());
    CHECK(b.device.phy.back().second - reset == 1_ms + 2560002_ps + sata::link::oob_time());
    CHECK(b.link.stats().comresets == 1);
}

TEST_CASE("a drive without power hears no COMRESET, and its power takes the link down")
{
    bench b(at(3));
    b.link.comreset(true);
    b.link.comreset(false);
    b.run(1_ms);
    CHECK_FALSE(b.link.up());
    b.bring_up();
    b.send(side::host, fis::register_h2d{}, now());
    b.link.device_power(false);
    b.run(1_ms);
    CHECK_FALSE(b.link.up());
    CHECK(b.device.frames.empty()); // what was to be sent is void
    CHECK(b.host.phy.back().first == false);
}

TEST_CASE("a damaged FIS without data is sent again, damaged data are not")
{
    sata::link_config c = at(3);
    c.crc_error_rate = 0.5;
    bench b(c);
    b.bring_up();
    sim_time next = now();
    for (int i = 0; i < 100; ++i) {
        next = b.send(side::device, fis::register_d2h{}, next).end;
        REQUIRE(b.device.results.back().ok);
    }
    CHECK(b.host.frames.size() == 100);
    const sata::link_stats s = b.link.stats();
    CHECK(s.to_host.frames == 100 + s.crc_errors);
    CHECK(s.crc_errors > 50);
    CHECK(s.r_errs == s.crc_errors);
    std::size_t bad = 0;
    for (int i = 0; i < 100; ++i) {
        next = b.send(side::device, fis::data_header{}, next, 512).end;
        REQUIRE(b.host.frames.back().damaged == !b.device.results.back().ok);
        bad += b.host.frames.back().damaged ? 1 : 0;
    }
    CHECK(b.link.stats().to_host.frames - s.to_host.frames == 100);
    CHECK(b.link.stats().crc_errors - s.crc_errors == bad);
    CHECK(bad > 25);
}

TEST_CASE("R_ERR to a FIS that the other side does not take")
{
    bench b(at(3));
    b.bring_up();
    b.host.answer = false;
    b.send(side::device, fis::set_device_bits{}, now());
    CHECK_FALSE(b.device.results.back().ok);
    CHECK(b.link.stats().r_errs == 1);
    CHECK(b.host.frames.size() == 1); // once: it was not the wire's fault
}

TEST_CASE("the device's frames cost no kernel activation, the host's one")
{
    bench b(at(3));
    b.bring_up();
    const std::uint64_t before = b.link.activations();
    sim_time next = now();
    for (int i = 0; i < 10; ++i) {
        next = b.send(side::device, fis::data_header{}, next, 4096).end;
    }
    b.run(1_ms);
    CHECK(b.link.activations() == before);
    b.send(side::host, fis::register_h2d{}, now());
    b.run(1_ms);
    CHECK(b.link.activations() == before + 1);
}

} // namespace link_test
