// SPDX-License-Identifier: Apache-2.0
#include "platform/report/array_report.h"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "platform/report/format.h"
#include "platform/report/host_section.h"
#include "platform/report/json_numbers.h"
#include "platform/report/json_text.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

bool mirrored(const array_report& r)
{
    return r.config.level == host::raid_level::mirror;
}

const char* policy_of(const array_report& r)
{
    return r.config.reads == host::mirror_reads::round_robin ? "round_robin" : "least_loaded";
}

double pieces_per_request(const array_report& r)
{
    return r.measured.in == 0
               ? 0.0
               : static_cast<double>(r.measured.pieces) / static_cast<double>(r.measured.in);
}

} // namespace

host::array_counts difference(const host::array_counts& end, const host::array_counts& begin)
{
    host::array_counts d;
    d.in = end.in - begin.in;
    d.out = end.out - begin.out;
    d.pieces = end.pieces - begin.pieces;
    d.reads_recovered = end.reads_recovered - begin.reads_recovered;
    d.waited = end.waited - begin.waited;
    return d;
}

host::array_member_counts difference(const host::array_member_counts& end,
                                     const host::array_member_counts& begin)
{
    host::array_member_counts d;
    d.in = end.in - begin.in;
    d.out = end.out - begin.out;
    d.errors = end.errors - begin.errors;
    d.good = end.good;
    return d;
}

std::string array_summary(const array_report& r, const request_statistics& requests)
{
    json::object o;
    o["schema"] = "ssdvp-array-1";
    o["version"] = r.run.version;
    o["complete"] = r.run.complete;
    o["name"] = r.config.name;
    o["seed"] = r.run.seed;
    o["level"] = mirrored(r) ? 1 : 0;
    if (mirrored(r)) {
        o["read_policy"] = policy_of(r);
    } else {
        o["chunk_bytes"] = r.config.chunk;
    }
    o["sim"] = {{"simulated_ns", ns(r.run.measured.when)}};
    json::array members;
    for (const array_report::member& m : r.members) {
        members.push_back({{"name", m.name},
                           {"requests_in", m.measured.in},
                           {"requests_out", m.measured.out},
                           {"errors", m.measured.errors},
                           {"state", m.measured.good ? "good" : "failed"}});
    }
    o["members"] = std::move(members);
    o["degraded"] = r.degraded;
    o["pieces"] = r.measured.pieces;
    o["pieces_per_request"] = millionths(pieces_per_request(r));
    if (mirrored(r)) {
        o["reads_recovered"] = r.measured.reads_recovered;
        o["writes_waited"] = r.measured.waited;
    }
    o["host"] = host_section(r.run, requests);
    if (r.run.lifetime.integrity) {
        o["integrity"] = {{"sectors_checked", r.run.measured.integrity->sectors_checked},
                          {"mismatches", r.run.measured.integrity->mismatches},
                          {"total_sectors_checked", r.run.lifetime.integrity->sectors_checked},
                          {"total_mismatches", r.run.lifetime.integrity->mismatches}};
    }
    o["faults"] = faults_section(r.run);
    json::array violated;
    for (const std::string& sentence : r.violations) {
        violated.emplace_back(sentence);
    }
    o["violations"] = std::move(violated);
    return to_text(o);
}

std::string array_line(const array_report& r)
{
    std::string names;
    for (const array_report::member& m : r.members) {
        names += (names.empty() ? "" : ", ") + m.name + (m.measured.good ? "" : " (failed)");
    }
    return mirrored(r) ? fmt::format("level 1 over {}; reads {}", names, policy_of(r))
                       : fmt::format("level 0 over {}; chunk {}", names,
                                     text_bytes(static_cast<double>(r.config.chunk)));
}

std::string array_pieces(const array_report& r)
{
    return fmt::format("{} to the drives, {:.2f} for each request", text_count(r.measured.pieces),
                       pieces_per_request(r));
}

std::string array_mirrors(const array_report& r)
{
    return !mirrored(r)
               ? std::string()
               : fmt::format("{}; {} reads recovered, {} writes waited for another",
                             r.degraded ? "degraded" : "all in use",
                             text_count(r.measured.reads_recovered), text_count(r.measured.waited));
}

} // namespace ssdvp::platform
