// SPDX-License-Identifier: Apache-2.0
#include "platform/state/state_identity.h"

#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>
#include <xxhash.h>

#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/shaping.h"
#include "platform/state/state_error.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t told_most = 5; // differences in one message

std::string hex(const XXH128_hash_t& h)
{
    return fmt::format("{:016x}{:016x}", h.high64, h.low64);
}

std::string sum_of_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    if (!file) {
        throw state_error(fmt::format("{}: cannot be read; check who may read it, or run with "
                                      "--no-state-cache",
                                      path));
    }
    return hex(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string program_sum()
{
    static const std::string sum = sum_of_file("/proc/self/exe");
    return sum;
}

std::map<std::string, std::string> by_name(const std::string& text)
{
    std::map<std::string, std::string> all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        all[line.substr(0, colon)] = colon == std::string::npos ? "" : line.substr(colon + 2);
    }
    return all;
}

} // namespace

state_identity::state_identity(const ssd_config& config, const std::string& firmware,
                               const std::string& addresses)
{
    m_text = "the bytes of the program: " + program_sum() + "\n";
    m_text += "the bytes of the firmware image: " +
              (firmware.empty() ? "built in" : sum_of_file(firmware)) + "\n";
    m_text += addresses.empty() ? "" : "the places in an array: " + addresses + "\n";
    const boot_params told = make_boot_params(config);
    m_text +=
        "the boot parameters that firmware is told: " + hex(XXH3_128bits(&told, sizeof told)) +
        "\n";
    for (const key_text& k : shaping_keys(config)) {
        m_text += k.key + ": " + k.value + "\n";
    }
}

std::string state_identity::key() const
{
    return hex(XXH3_128bits(m_text.data(), m_text.size()));
}

std::string state_identity::difference(const std::string& other) const
{
    const std::map<std::string, std::string> here = by_name(m_text);
    std::map<std::string, std::string> there = by_name(other);
    std::vector<std::string> told;
    const auto tell = [&](const std::string& name, const std::string& was, const std::string& is) {
        told.push_back(name.rfind("the ", 0) == 0
                           ? name + " differ"
                           : fmt::format("{} is {} there and {} here", name, was, is));
    };
    for (const auto& [name, value] : here) {
        const auto found = there.find(name);
        if (found == there.end() || found->second != value) {
            tell(name, found == there.end() ? "absent" : found->second, value);
        }
        if (found != there.end()) {
            there.erase(found);
        }
    }
    for (const auto& [name, value] : there) {
        tell(name, value, "absent");
    }
    if (told.size() > told_most) {
        const std::size_t more = told.size() - told_most;
        told.resize(told_most);
        told.push_back(fmt::format("{} more", more));
    }
    return fmt::format("{}", fmt::join(told, "; "));
}

} // namespace ssdvp::platform
