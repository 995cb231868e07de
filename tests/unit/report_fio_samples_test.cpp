// SPDX-License-Identifier: Apache-2.0
//
// fio's samples of bandwidth and requests per second, worked out by hand.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "platform/report/fio_samples.h"
#include "tests/unit/report_sample.h"

namespace report_fio_samples_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::literals;
using host::request_kind;
using report_test::finished;

namespace {

struct sample {
    std::size_t kind;
    std::uint64_t value;
    sim_time at;
    bool of_request;
    bool operator==(const sample& o) const
    {
        return kind == o.kind && value == o.value && at == o.at && of_request == o.of_request;
    }
};

struct heard final : fio_sample_listener {
    void bandwidth(std::size_t kind, std::uint64_t value, sim_time at,
                   const host::request_result* of) override
    {
        bandwidths.push_back({kind, value, at, of != nullptr});
    }
    void iops(std::size_t kind, std::uint64_t value, sim_time at,
              const host::request_result* of) override
    {
        requests.push_back({kind, value, at, of != nullptr});
    }
    std::vector<sample> bandwidths;
    std::vector<sample> requests;
};

/// Of 4 KiB, without a wait before the drive has it.
host::request_result done(request_kind kind, sim_time arrival, sim_time completed)
{
    return finished(kind, 0, arrival, completed - arrival);
}

constexpr std::size_t read = 0;
constexpr std::size_t write = 1;

} // namespace

TEST_CASE("fio samples: extremes, mean and deviation of the sample", "[report][fio]")
{
    fio_samples s;
    CHECK(s.deviation() == 0.0);
    for (const std::uint64_t v : {20, 10, 60}) {
        s.add(v);
    }
    CHECK(s.count == 3);
    CHECK(s.min == 10);
    CHECK(s.max == 60);
    CHECK(s.mean == Approx(30.0));
    CHECK(s.deviation() == Approx(std::sqrt((100.0 + 400.0 + 900.0) / 2.0)));
}

TEST_CASE("fio samples: the rates of two jobs of a group are summed", "[report][fio]")
{
    fio_samples a;
    fio_samples b;
    a.add(10);
    a.add(30);
    b.add(5);
    a.join(b);
    CHECK(a.count == 3);
    CHECK(a.min == 15);
    CHECK(a.max == 35);
    CHECK(a.mean == Approx(25.0));
    a.join({});
    CHECK(a.min == 15);
}

TEST_CASE("fio samples: an interval has what completed before its end", "[report][fio]")
{
    fio_job_rates rates(nullptr);
    heard h;
    // From 1 ms on: 125 reads of 4 KiB in 500 ms are 1,000 KiB/s and 250 a second.
    for (unsigned i = 0; i < 124; ++i) {
        rates.completed(done(request_kind::read, 1_ms, 2_ms + 1_ms * i), h);
    }
    rates.completed(done(request_kind::read, 1_ms, 501_ms - 1_ps), h);
    CHECK(h.bandwidths.empty());
    rates.completed(done(request_kind::write, 1_ms, 501_ms), h);
    CHECK(h.bandwidths == std::vector<sample>{{read, 1000, 500_ms, false}});
    CHECK(h.requests == std::vector<sample>{{read, 250, 500_ms, false}});
    // Two intervals pass without a request; the write is that of the first of them.
    rates.completed(done(request_kind::read, 1_ms, 2400_ms), h);
    REQUIRE(h.bandwidths.size() == 2);
    CHECK(h.bandwidths[1] == sample{write, 8, 1000_ms, false});
    CHECK(h.requests[1] == sample{write, 2, 1000_ms, false});
    // The last interval began at 2,001 ms.
    rates.completed(done(request_kind::flush, 1_ms, 2501_ms - 1_ps), h);
    CHECK(h.requests.size() == 2);
    rates.completed(done(request_kind::flush, 1_ms, 2501_ms), h);
    CHECK(h.requests.back() == sample{read, 2, 2500_ms, false});
}

TEST_CASE("fio samples: bwavgtime and iopsavgtime are the intervals", "[report][fio]")
{
    host::fio_job job;
    job.logging.bandwidth_ms = 10;
    job.logging.iops_ms = 20;
    fio_job_rates rates(&job);
    heard h;
    rates.completed(done(request_kind::read, 0_ms, 5_ms), h);
    rates.completed(done(request_kind::read, 0_ms, 10_ms), h);
    rates.completed(done(request_kind::read, 0_ms, 20_ms), h);
    CHECK(h.bandwidths ==
          std::vector<sample>{{read, 400, 10_ms, false}, {read, 400, 20_ms, false}});
    CHECK(h.requests == std::vector<sample>{{read, 100, 20_ms, false}});
}

TEST_CASE("fio samples: without an interval every request is one", "[report][fio]")
{
    host::fio_job job;
    job.logging.bandwidth_ms = 0;
    job.logging.iops_ms = 0;
    fio_job_rates rates(&job);
    heard h;
    host::request_result r = done(request_kind::read, 0_ms, 3_ms);
    r.submitted = 1_ms; // 4,096 bytes in 2 ms
    rates.completed(r, h);
    CHECK(h.bandwidths == std::vector<sample>{{read, 2048, 3_ms, true}});
    CHECK(h.requests == std::vector<sample>{{read, 1, 3_ms, true}});
}

TEST_CASE("fio samples: a ramp counts neither in times nor in samples", "[report][fio]")
{
    fio_job_rates rates(nullptr);
    rates.measured_from(310_ms);
    heard h;
    rates.completed(done(request_kind::read, 305_ms, 400_ms), h);
    CHECK(rates.elapsed(400_ms) == 90_ms);
    rates.completed(done(request_kind::read, 305_ms, 810_ms - 1_ps), h);
    CHECK(h.requests.empty());
    rates.completed(done(request_kind::read, 305_ms, 810_ms), h);
    CHECK(h.requests == std::vector<sample>{{read, 4, 500_ms, false}});
}

} // namespace report_fio_samples_test
