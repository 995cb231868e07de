// SPDX-License-Identifier: Apache-2.0
#include "platform/report/printable.h"

#include <fmt/format.h>
#include <iterator>

namespace ssdvp::platform {

namespace {

unsigned byte_at(std::string_view text, std::size_t at)
{
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

bool continues(unsigned byte)
{
    return (byte & 0xC0u) == 0x80u;
}

/// Bytes of the character at `at`, 0 for what must not be printed: RFC 3629, and the controls.
std::size_t character(std::string_view text, std::size_t at)
{
    const unsigned first = byte_at(text, at);
    const unsigned second = byte_at(text, at + 1);
    if (first < 0x80u) {
        return first >= 0x20u && first != 0x7Fu ? 1 : 0;
    }
    const std::size_t length = first >= 0xF0u ? 4 : first >= 0xE0u ? 3 : 2;
    const bool wrong = first < 0xC2u || first > 0xF4u ||
                       (first == 0xC2u && second < 0xA0u) || // U+0080 to U+009F
                       (first == 0xE0u && second < 0xA0u) || (first == 0xEDu && second > 0x9Fu) ||
                       (first == 0xF0u && second < 0x90u) || (first == 0xF4u && second > 0x8Fu);
    for (std::size_t i = 1; i < length; ++i) {
        if (wrong || !continues(byte_at(text, at + i))) {
            return 0;
        }
    }
    return length;
}

} // namespace

std::string printable(std::string_view text, std::size_t most)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character(text, at);
        if (length == 0) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte_at(text, at));
            ++at;
        } else {
            out += text.substr(at, length);
            at += length;
        }
    }
    if (out.size() <= most) {
        return out;
    }
    std::size_t head = most / 2;
    std::size_t tail = out.size() - (most - head);
    while (head > 0 && continues(byte_at(out, head))) {
        --head;
    }
    while (continues(byte_at(out, tail))) {
        ++tail;
    }
    return fmt::format("{} ... {} bytes ... {}", out.substr(0, head), tail - head,
                       out.substr(tail));
}

} // namespace ssdvp::platform
