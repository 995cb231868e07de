// SPDX-License-Identifier: Apache-2.0
//
// TLPs with the fields of their headers. There is no link type of pcap for them.
#include <array>

#include "platform/report/format.h"
#include "platform/report/traces/tlp_header.h"
#include "platform/report/traces/trace_sink.h"

namespace ssdvp::platform {

namespace {

constexpr const char* tlp_columns =
    "time_ns,end_ns,direction,type,address,dwords,requester,tag,first_be,last_be,completer,"
    "byte_count,lower_address,wire_bytes,header";

struct tlp_row {
    sim_time when;
    pcie::packet what;
};

constexpr std::array tlp_names = {"MWr", "MRd", "CplD"};

class tlp_trace_sink final : public trace_sink<tlp_row>, private pcie::tlp_watch {
public:
    tlp_trace_sink(std::filesystem::path file, const sink_subject& of)
        : trace_sink(std::move(file), "--tlp-trace", of, tlp_columns)
    {}
    [[nodiscard]] pcie::tlp_watch* tlps() override { return this; }

private:
    void sent(const pcie::packet& t) override { record().add({t.begin, t}); }
    void power_off(sim_time) override
    {
        record().cut([](const tlp_row&) { return true; });
    }
    void put(const tlp_row& r, std::string& to) override
    {
        const pcie::packet& t = r.what;
        const bool answer = t.kind == pcie::tlp_kind::CplD;
        fmt::format_to(std::back_inserter(to), "{},{},{},{},{:#x},{},{},{},",
                       exact_ns(t.begin.ps()), exact_ns(t.end.ps()), t.up ? "up" : "down",
                       tlp_names[static_cast<std::size_t>(t.kind)], t.address, t.dwords,
                       text_of_id(requester_of(t)),
                       t.kind == pcie::tlp_kind::MWr ? "" : std::to_string(t.tag));
        if (answer) {
            fmt::format_to(std::back_inserter(to), ",,{},{},{:#x},", text_of_id(completer_of(t)),
                           t.byte_count, t.lower_address);
        } else {
            fmt::format_to(std::back_inserter(to), "{:#x},{:#x},,,,", t.first_be, t.last_be);
        }
        fmt::format_to(std::back_inserter(to), "{},", t.wire_bytes);
        for (const std::uint32_t dword : header_of(t)) {
            fmt::format_to(std::back_inserter(to), "{:08x}", dword);
        }
    }
};

} // namespace

std::unique_ptr<report_sink> make_tlp_trace(const std::string& value, const sink_subject& of)
{
    if (!of.pcie) {
        throw output_error("--tlp-trace: a SATA drive sends no TLPs; leave it out, or set "
                           "host.interface to nvme");
    }
    return std::make_unique<tlp_trace_sink>(value, of);
}

} // namespace ssdvp::platform
