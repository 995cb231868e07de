// SPDX-License-Identifier: Apache-2.0
//
// Reads timing files: the format is in docs/timing.md, tools/fwtime/record.cpp writes it.
#include <fmt/format.h>

#include "platform/ssd/firmware_error.h"
#include "platform/ssd/firmware_timing.h"

namespace ssdvp::platform {

namespace {

constexpr std::string_view magic = "SSFWTIM"; // and the version, a digit
constexpr char version = '2';
constexpr double fraction = FW_TIMING_ONE;
constexpr std::uint64_t most = 1u << 24; // of anything that a record counts

class reader {
public:
    reader(std::string_view bytes, const std::string& where) : m_bytes(bytes), m_where(where) {}

    [[noreturn]] void damaged(std::string_view what) const
    {
        throw firmware_error(fmt::format("{}: {}; build it again, with the image that it belongs "
                                         "to (scripts/fw-build)",
                                         m_where, what));
    }
    [[nodiscard]] bool done() const { return m_bytes.empty(); }
    std::string_view take(std::size_t bytes)
    {
        if (bytes > m_bytes.size()) {
            damaged("the timing file is cut short");
        }
        const std::string_view part = m_bytes.substr(0, bytes);
        m_bytes.remove_prefix(bytes);
        return part;
    }
    std::uint64_t fixed(std::size_t bytes)
    {
        std::uint64_t value = 0;
        const std::string_view part = take(bytes);
        for (std::size_t i = 0; i < bytes; ++i) {
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(part[i])) << (8 * i);
        }
        return value;
    }
    std::uint64_t number() // LEB128
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint64_t byte = fixed(1);
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80) {
                return value;
            }
        }
        damaged("the timing file is damaged");
    }
    std::uint64_t count()
    {
        const std::uint64_t n = number();
        if (n > most) {
            damaged("the timing file is damaged");
        }
        return n;
    }
    double cost() // zigzag, 1/256
    {
        const std::uint64_t n = number();
        const auto value = static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
        return static_cast<double>(value) / fraction;
    }
    std::string text() { return std::string(take(count())); }

private:
    std::string_view m_bytes;
    const std::string& m_where;
};

std::uint32_t place(reader& r)
{
    return static_cast<std::uint32_t>(r.count());
}

cpu::code_range read_range(reader& r)
{
    const std::uint32_t begin = place(r);
    return {begin, begin + place(r)};
}

timing_target read_target(reader& r, std::uint64_t blocks)
{
    timing_target t;
    t.name = r.text();
    for (std::uint64_t i = 0; i < blocks; ++i) {
        cpu::class_counts& counts = t.blocks.emplace_back();
        for (double& n : counts) {
            n = r.cost();
        }
    }
    const std::uint64_t calls = r.count();
    for (std::uint64_t i = 0; i < calls; ++i) {
        timing_call& c = t.calls.emplace_back();
        c.block = r.count();
        c.name = r.text();
        c.bytes = r.number();
        c.count = r.cost();
        if (c.block >= blocks) {
            r.damaged("the timing file is damaged");
        }
    }
    t.code = r.text();
    return t;
}

timing_record read_record(reader& r)
{
    timing_record record;
    record.name = r.text();
    record.hash = r.fixed(8);
    const std::uint64_t blocks = r.count();
    record.blocks = r.count();
    if (r.count() != cpu::instruction_classes) {
        r.damaged("the timing file is of another version");
    }
    const std::uint64_t functions = r.count();
    for (std::uint64_t i = 0; i < functions; ++i) {
        std::string name = r.text();
        record.functions.emplace_back(std::move(name), r.count());
    }
    const std::uint64_t targets = r.count();
    for (std::uint64_t i = 0; i < targets; ++i) {
        record.targets.push_back(read_target(r, blocks));
    }
    return record;
}

std::uint64_t fnv1a(std::string_view text)
{
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    }
    return hash;
}

} // namespace

std::vector<timing_record> read_timing(std::string_view bytes, const std::string& where)
{
    std::vector<timing_record> records;
    reader file(bytes, where);
    if (file.done()) {
        file.damaged("the timing file is empty");
    }
    while (!file.done()) {
        if (file.take(magic.size()) != magic) {
            file.damaged("not a timing file");
        }
        if (const char v = file.take(1).front(); v != version) {
            file.damaged(fmt::format("a timing file of version {}, this program reads version {}",
                                     v, version));
        }
        const std::uint64_t length = file.fixed(4);
        const std::uint64_t check = file.fixed(8);
        const std::string_view body = file.take(length);
        if (fnv1a(body) != check) {
            file.damaged("the timing file is damaged");
        }
        reader r(body, where);
        records.push_back(read_record(r));
    }
    return records;
}

timing_code read_code(const timing_record& record, const timing_target& target,
                      const std::string& where)
{
    reader r(target.code, where);
    timing_code code;
    code.bytes = place(r);
    code.alignment = place(r);
    if (code.alignment == 0) {
        r.damaged("the timing file is damaged");
    }
    if (code.bytes == 0) {
        return code;
    }
    for (std::size_t i = 0; i < record.functions.size(); ++i) {
        code.functions.push_back(read_range(r));
    }
    for (std::uint64_t i = 0; i < record.blocks; ++i) {
        std::vector<cpu::code_copy>& copies = code.blocks.emplace_back(r.count());
        for (cpu::code_copy& copy : copies) {
            copy.resize(r.count());
            for (cpu::code_range& range : copy) {
                range = read_range(r);
            }
        }
    }
    return code;
}

} // namespace ssdvp::platform
