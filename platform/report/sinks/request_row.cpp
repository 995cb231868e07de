// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sinks/request_row.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t number_fields = 13; // all but the kind, the parts and what blocked
constexpr std::size_t longest_words = 16 + 32;
static_assert((number_fields + latency_parts) * 26 + longest_words < longest_request_row);

char* put_field(char* at, std::uint64_t n)
{
    *at++ = ',';
    return put_number(at, n);
}

char* put_field(char* at, sim_time t)
{
    at = put_field(at, t.ns());
    const auto ps = static_cast<unsigned>(t.ps() % 1000);
    *at++ = '.';
    *at++ = static_cast<char>('0' + ps / 100);
    *at++ = static_cast<char>('0' + ps / 10 % 10);
    *at++ = static_cast<char>('0' + ps % 10);
    return at;
}

char* put_field(char* at, const char* text)
{
    *at++ = ',';
    return std::copy_n(text, std::strlen(text), at);
}

/// Of a channel or LUN: empty where the command had no flash operation.
char* put_place(char* at, std::uint16_t place)
{
    if (place == latency_place::nowhere) {
        *at++ = ',';
        return at;
    }
    return put_field(at, std::uint64_t{place});
}

/// gc_program, host_erase, gc_room, none.
char* put_blocker(char* at, blocker b)
{
    if (b.work == blocking_work::none) {
        return put_field(at, blocking_work_names.front());
    }
    at = put_field(at, purpose_names[b.purpose]);
    *at++ = '_';
    const char* work = blocking_work_names[static_cast<std::size_t>(b.work)];
    return std::copy_n(work, std::strlen(work), at);
}

} // namespace

char* put_number(char* at, std::uint64_t n)
{
    const fmt::format_int digits(n);
    std::memcpy(at, digits.data(), digits.size());
    return at + digits.size();
}

std::string request_row_header()
{
    std::string header = "sequence,stream,kind,lba,sectors,arrival_ns,submitted_ns,completed_ns,"
                         "latency_ns,status";
    for (const char* part : latency_part_names) {
        header += fmt::format(",{}_ns", part);
    }
    return header + ",queue,channel,lun,blocked_by,blocked_ns";
}

char* put_request_row(char* at, const host::request_result& r)
{
    at = put_number(at, r.sequence);
    at = put_field(at, std::uint64_t{r.req.stream});
    at = put_field(at, request_kind_names[static_cast<std::size_t>(r.req.kind)]);
    at = put_field(at, r.req.lba);
    at = put_field(at, std::uint64_t{r.req.sectors});
    at = put_field(at, r.req.arrival);
    at = put_field(at, r.submitted);
    at = put_field(at, r.completed);
    at = put_field(at, r.latency());
    at = put_field(at, std::uint64_t{r.status});
    for (const sim_time part : r.parts) {
        at = put_field(at, part);
    }
    at = put_field(at, std::uint64_t{r.queue});
    at = put_place(at, r.place.channel);
    at = put_place(at, r.place.lun);
    at = put_blocker(at, r.place.behind);
    return put_field(at, r.place.blocked);
}

} // namespace ssdvp::platform
