// SPDX-License-Identifier: Apache-2.0
#include "platform/report/format.h"
#include "platform/report/traces/trace_sink.h"

namespace ssdvp::platform {

namespace {

constexpr const char* mmio_columns =
    "time_ns,core,access,address,register,value,fields,function,source";

class mmio_trace_sink final : public trace_sink<register_access>, private access_trace {
public:
    mmio_trace_sink(std::filesystem::path file, const sink_subject& of)
        : trace_sink(std::move(file), "--mmio-trace", of, mmio_columns)
    {}
    [[nodiscard]] access_trace* accesses() override { return this; }

private:
    void accessed(const register_access& a) override { record().add(a); }
    void put(const register_access& a, std::string& to) override
    {
        fmt::format_to(std::back_inserter(to), "{},{},{},{:#x},{},{:#x},", exact_ns(a.when.ps()),
                       a.core, a.write ? "write" : "read", a.address, a.what->name, a.value);
        const char* gap = "";
        for (const traced_register::field& f : a.what->fields) {
            const std::uint64_t bits = (std::uint64_t{1} << (f.high - f.low + 1)) - 1;
            fmt::format_to(std::back_inserter(to), "{}{}={:#x}", gap, f.name,
                           (a.value >> f.low) & bits);
            gap = " ";
        }
        fmt::format_to(std::back_inserter(to), ",{},{}", a.by->name, a.by->place);
    }
};

} // namespace

std::unique_ptr<report_sink> make_mmio_trace(const std::string& value, const sink_subject& of)
{
    return std::make_unique<mmio_trace_sink>(value, of);
}

} // namespace ssdvp::platform
