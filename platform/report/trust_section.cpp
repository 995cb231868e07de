// SPDX-License-Identifier: Apache-2.0
#include "platform/report/trust_section.h"

#include <boost/json/array.hpp>

#include "platform/report/bottleneck.h"
#include "platform/report/confidence.h"
#include "platform/report/json_numbers.h"
#include "platform/report/validity.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

json::object validity_section(const validity& v)
{
    json::array warnings;
    for (const validity_warning& w : v.warnings) {
        warnings.push_back({{"code", w.code}, {"text", w.text}});
    }
    json::object o = {{"warnings", std::move(warnings)}, {"gc_cycles", v.gc_cycles}};
    if (v.superblocks_written) {
        o["superblocks_written"] = thousandths(*v.superblocks_written);
        o["superblocks_erased"] = thousandths(*v.superblocks_erased);
    }
    if (v.steady) {
        o["steady"] = *v.steady;
    }
    if (v.rounds) {
        o["rounds"] = *v.rounds;
    }
    return o;
}

json::object confidence_section(const std::vector<named_interval>& intervals)
{
    json::object o;
    for (const named_interval& i : intervals) {
        json::object one = {{"mean", thousandths(i.value.mean)}, {"low", thousandths(i.value.low)}};
        if (i.value.high) {
            one["high"] = thousandths(*i.value.high);
        }
        o[i.name] = std::move(one);
    }
    return o;
}

json::object bottleneck_section(const bottleneck& b)
{
    json::object chain;
    for (const auto& [name, share] : b.chain) {
        chain[name] = millionths(share);
    }
    json::object o = {
        {"resource", b.resource},       {"by", b.by},     {"busy", millionths(b.busy)},
        {"share", millionths(b.share)}, {"text", b.text}, {"chain", std::move(chain)}};
    json::object work;
    for (std::size_t p = 0; p < b.work.size(); ++p) {
        if (b.work[p] != 0.0) {
            work[purpose_names[p]] = millionths(b.work[p]);
        }
    }
    if (!work.empty()) {
        o["work"] = std::move(work);
    }
    if (!b.what_if.key.empty()) {
        o["what_if"] = {
            {"key", b.what_if.key}, {"value", b.what_if.value}, {"by", thousandths(b.what_if.by)}};
    }
    return o;
}

} // namespace

void put_trust(json::object& o, const measurement& m, const request_statistics& requests)
{
    if (m.samples.empty() && !nothing_measured(m)) {
        return;
    }
    o["validity"] = validity_section(validity_of(m, requests));
    if (requests.requests() != 0) {
        o["confidence"] = confidence_section(intervals_of(m, requests));
        o["bottleneck"] = bottleneck_section(bottleneck_of(m, requests));
    }
}

void put_drive(json::object& o, const measurement& m)
{
    if (!m.overrides.empty()) {
        json::object overrides;
        for (const auto& [key, value] : m.overrides) {
            overrides[key] = value;
        }
        o["overrides"] = std::move(overrides);
    }
    if (m.drive.precondition) {
        const precondition_figures& p = *m.drive.precondition;
        json::object filled = {{"method", p.method},
                               {"filled_bytes", p.filled_bytes},
                               {"overwritten_bytes", p.overwritten_bytes},
                               {"programmed_bytes", p.programmed_bytes},
                               {"simulated_ns", 0.0}};
        if (p.steady) {
            filled["steady"] = *p.steady;
        }
        if (p.settled_bytes) {
            filled["settled_bytes"] = *p.settled_bytes;
        }
        o["precondition"] = std::move(filled);
    }
    if (m.drive.reduced) {
        const reduced_figures& r = *m.drive.reduced;
        o["reduced"] = {
            {"to", r.to},
            {"error",
             {{"iops", r.iops_error}, {"write_amplification", r.write_amplification_error}}}};
    }
    if (m.sampling) {
        const sampling_figures& s = *m.sampling;
        o["sampling"] = {
            {"windows", s.windows},         {"requests", s.requests},
            {"simulated", s.simulated},     {"share", s.share},
            {"checkpoints", s.checkpoints}, {"checkpoints_measured", s.checkpoints_measured}};
        if (!s.controls.empty()) {
            const auto most =
                std::max_element(s.controls.begin(), s.controls.end(),
                                 [](const auto& a, const auto& b) { return a.weight < b.weight; });
            o["sampling"].as_object()["largest_weight"] = most->weight;
        }
    }
    const drive_geometry& g = m.drive.geometry;
    if (g.channels != 0) {
        o["geometry"] = {{"channels", g.channels},
                         {"luns_per_channel", g.luns_per_channel},
                         {"luns", g.channels * g.luns_per_channel},
                         {"planes", g.planes},
                         {"blocks_per_plane", g.blocks_per_plane},
                         {"pages_per_block", g.pages_per_block},
                         {"page_bytes", g.page_bytes},
                         {"oob_bytes", g.oob_bytes},
                         {"superblock_bytes", g.superblock_bytes},
                         {"physical_bytes", g.physical_bytes},
                         {"capacity_bytes", g.capacity_bytes}};
    }
}

} // namespace ssdvp::platform
