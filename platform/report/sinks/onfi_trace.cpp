// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "models/flash/bus/group_name.h"
#include "platform/report/format.h"
#include "platform/report/traces/trace_sink.h"

namespace ssdvp::platform {

namespace {

constexpr const char* onfi_columns =
    "time_ns,end_ns,event,channel,lun,name,first,second,column_cycles,row_cycles,plane,block,page,"
    "column,direction,bytes,data_ns,retry,purpose,taken,rb";

enum class onfi_event { cycles, rb_low, rb_high, plane_ready, power_off };
constexpr const char* onfi_event_names[] = {"cycles", "rb_low", "rb_high", "plane_ready",
                                            "power_off"};

struct onfi_row {
    sim_time when;
    sim_time data; // its first cycle
    sim_time end;
    onfi_event event = onfi_event::cycles;
    flash::channel_index channel;
    onfi::extension group; // of other events: LUN and plane
    std::uint64_t bytes = 0;
    bool taken = false;
    bool ready = true; // R/B# at that time
};

class onfi_trace_sink final : public trace_sink<onfi_row>, private flash::bus_watch {
public:
    onfi_trace_sink(std::filesystem::path file, const sink_subject& of)
        : trace_sink(std::move(file), "--onfi-trace", of, onfi_columns)
    {}
    [[nodiscard]] flash::bus_watch* flash_buses() override { return this; }

private:
    void group(flash::channel_index channel, const flash::seen_group& g) override
    {
        record().add({g.begin, g.begin + g.times.data_begin, g.begin + g.times.end,
                      onfi_event::cycles, channel, g.what, g.bytes, g.taken});
    }
    void ready_edge(flash::channel_index channel, flash::lun_index lun, bool rises,
                    sim_time at) override
    {
        happened(rises ? onfi_event::rb_high : onfi_event::rb_low, channel, lun, at);
    }
    void plane_ready(flash::channel_index channel, flash::lun_index lun, flash::plane_index plane,
                     sim_time at) override
    {
        happened(onfi_event::plane_ready, channel, lun, at, plane);
    }
    void power_off(flash::channel_index channel, sim_time at) override
    {
        record().cut([channel](const onfi_row& r) { return r.channel == channel; });
        happened(onfi_event::power_off, channel, flash::lun_index(0), at);
    }
    void happened(onfi_event what, flash::channel_index channel, flash::lun_index lun, sim_time at,
                  flash::plane_index plane = flash::plane_index(0))
    {
        onfi_row r;
        r.when = r.data = r.end = at;
        r.event = what;
        r.channel = channel;
        r.group.lun = lun;
        r.group.plane = plane;
        record().add(r);
    }

    void see(onfi_row& r) override
    {
        bool& busy = m_busy[{r.channel.value(), r.group.lun.value()}];
        if (r.event == onfi_event::power_off) {
            for (auto& [lun, low] : m_busy) {
                low = low && lun.first != r.channel.value();
            }
        } else if (r.event == onfi_event::rb_low || r.event == onfi_event::rb_high) {
            busy = r.event == onfi_event::rb_low;
        }
        r.ready = !busy;
    }
    void put(const onfi_row& r, std::string& to) override
    {
        fmt::format_to(std::back_inserter(to), "{},{},{},{},", exact_ns(r.when.ps()),
                       exact_ns(r.end.ps()), onfi_event_names[static_cast<std::size_t>(r.event)],
                       r.channel.value());
        if (r.event == onfi_event::cycles) {
            put_group(r, to);
        } else if (r.event == onfi_event::plane_ready) {
            fmt::format_to(std::back_inserter(to), "{},,,,,,{},,,,,,,,,", r.group.lun.value(),
                           r.group.plane.value());
        } else if (r.event == onfi_event::power_off) {
            to += ",,,,,,,,,,,,,,,";
        } else {
            fmt::format_to(std::back_inserter(to), "{},,,,,,,,,,,,,,,", r.group.lun.value());
        }
        fmt::format_to(std::back_inserter(to), ",{:d}", r.ready);
    }
    void put_group(const onfi_row& r, std::string& to)
    {
        const onfi::extension& g = r.group;
        const bool addressed = g.row_cycles > 1;
        fmt::format_to(std::back_inserter(to), "{},{},{},{},{},{},{},", g.lun.value(),
                       flash::group_name(g), code(g.first), code(g.second), g.column_cycles,
                       g.row_cycles, g.plane.value());
        fmt::format_to(std::back_inserter(to), "{},{},{},{},{},{},{},{},{:d}",
                       addressed ? std::to_string(g.block.value()) : "",
                       addressed ? std::to_string(g.page.value()) : "",
                       g.column_cycles != 0 || g.row_cycles == 1 ? std::to_string(g.column) : "",
                       g.data_in    ? "in"
                       : g.data_out ? "out"
                                    : "",
                       r.bytes, g.data_in || g.data_out ? exact_ns(r.data.ps()) : "", g.retry,
                       g.purpose < FLASH_PURPOSES ? purpose_names[g.purpose] : "", r.taken);
    }
    static std::string code(onfi::opcode o)
    {
        return o == onfi::NO_COMMAND ? "" : fmt::format("{:02X}h", static_cast<unsigned>(o));
    }

    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> m_busy; // R/B# is low, by LUN
};

} // namespace

std::unique_ptr<report_sink> make_onfi_trace(const std::string& value, const sink_subject& of)
{
    return std::make_unique<onfi_trace_sink>(value, of);
}

} // namespace ssdvp::platform
