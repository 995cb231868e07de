// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/record.h"

#include <cmath>

namespace fwtime {

namespace {

constexpr char magic[] = "SSFWTIM2"; // version 2; without its final zero
constexpr double fraction = 256.0;   // units of the table per instruction

class writer {
public:
    void fixed(std::uint64_t value, unsigned bytes)
    {
        for (unsigned i = 0; i < bytes; ++i) {
            m_text.push_back(static_cast<char>(value >> (8 * i)));
        }
    }
    void number(std::uint64_t value) // LEB128
    {
        while (value >= 0x80) {
            m_text.push_back(static_cast<char>(value | 0x80));
            value >>= 7;
        }
        m_text.push_back(static_cast<char>(value));
    }
    void cost(double value) // zigzag, 1/256
    {
        const auto n = static_cast<std::int64_t>(std::llround(value * fraction));
        number((static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63));
    }
    void text(const std::string& value)
    {
        number(value.size());
        m_text += value;
    }
    [[nodiscard]] const std::string& bytes() const { return m_text; }

private:
    std::string m_text;
};

/// Whoever has no need of it skips it.
std::string encode(const source_code& code)
{
    writer w;
    w.number(code.bytes);
    w.number(code.alignment);
    for (const function_code& f : code.functions) {
        w.number(f.at);
        w.number(f.bytes);
    }
    for (const std::vector<code_copy>& copies : code.blocks) {
        w.number(copies.size());
        for (const code_copy& copy : copies) {
            w.number(copy.size());
            for (const code_range& range : copy) {
                w.number(range.at);
                w.number(range.bytes);
            }
        }
    }
    return w.bytes();
}

void put(writer& w, const target_table& target)
{
    w.text(target.name);
    for (const class_costs& costs : target.cost) {
        for (unsigned c = 0; c < CLASS_COUNT; ++c) {
            w.cost(costs[c]);
        }
    }
    w.number(target.calls.size());
    for (const library_call& call : target.calls) {
        w.number(call.marker);
        w.text(call.name);
        w.number(call.bytes);
        w.cost(call.count);
    }
    w.text(encode(target.code));
}

std::uint64_t fnv1a(const std::string& text)
{
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    }
    return hash;
}

} // namespace

std::string encode(const module_record& record)
{
    writer body;
    body.text(record.name);
    body.fixed(record.hash, 8);
    body.number(record.markers);
    body.number(record.blocks);
    body.number(CLASS_COUNT);
    body.number(record.symbols.size());
    for (const auto& [name, first] : record.symbols) {
        body.text(name);
        body.number(first);
    }
    body.number(record.targets.size());
    for (const target_table& target : record.targets) {
        put(body, target);
    }
    writer file;
    file.fixed(body.bytes().size(), 4);
    file.fixed(fnv1a(body.bytes()), 8);
    return magic + file.bytes() + body.bytes();
}

} // namespace fwtime
