// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/firmware_timing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "models/cpu/table_cost.h"
#include "platform/ssd/firmware_error.h"

namespace ssdvp::platform {

namespace {

/// Instructions of routines that compilers call for arithmetic which a 32-bit core lacks, counted
/// under QEMU (docs/timing_validation.md). Operands below 2^32, as units and pages are: on Arm the
/// short way of firmware/port/arm/divide.c, on RISC-V libgcc of GCC 12.2.
struct routine {
    const char* name;
    double instructions;
};
constexpr routine routines[] = {
    {"__aeabi_uldivmod", 6}, {"__aeabi_ldivmod", 130}, {"__udivdi3", 51},   {"__umoddi3", 47},
    {"__divdi3", 60},        {"__moddi3", 56},         {"__muldi3", 12},    {"__ashldi3", 10},
    {"__lshrdi3", 10},       {"__ashrdi3", 10},        {"__aeabi_llsl", 7}, {"__aeabi_llsr", 7},
    {"__aeabi_lasr", 7},     {"__aeabi_lmul", 6}};

fw_timing_cost rounded(double instructions, double cycles)
{
    return {std::llround(instructions * FW_TIMING_ONE), std::llround(cycles * FW_TIMING_ONE)};
}

const fw_timing_memory* memory_function(const fw_timing& image, const std::string& name)
{
    for (unsigned i = 0; i < FW_TIMING_MEMORY_FUNCTIONS; ++i) {
        const std::string known = image.memory[i].name;
        // Arm's run-time ABI has names of its own: __aeabi_memcpy4, __aeabi_memclr, ...
        if (name.find(known) != std::string::npos ||
            (known == "memset" && name.find("memclr") != std::string::npos)) {
            return &image.memory[i];
        }
    }
    return nullptr;
}

class scratch {
public:
    explicit scratch(std::size_t bytes) : m_words(bytes / 8 + 2) {}
    unsigned char* at(std::size_t offset)
    {
        return reinterpret_cast<unsigned char*>(m_words.data()) + offset;
    }

private:
    std::vector<std::uint64_t> m_words;
};

cpu::spent_accounts& accounts_of(const fw_timing& image)
{
    static_assert(sizeof(cpu::spent_accounts) == FW_TIMING_ACCOUNTS * sizeof(fw_timing_cost));
    return *reinterpret_cast<cpu::spent_accounts*>(image.spent);
}

/// What a call costs, by making it. `offset`: of both pointers from an aligned address.
fw_timing_cost cost_of(const fw_timing& image, const fw_timing_memory& function, std::size_t bytes,
                       std::size_t offset)
{
    scratch to(bytes + offset);
    scratch from(bytes + offset);
    cpu::spent_accounts& accounts = accounts_of(image);
    accounts.take();
    function.call(to.at(offset), from.at(offset), bytes);
    const cpu::spent_account spent = accounts.take();
    return {spent.instructions, spent.cycles};
}

const timing_target& target_of(const timing_record& record, const std::string& core,
                               const std::string& where)
{
    for (const timing_target& t : record.targets) {
        if (t.name == core) {
            return t;
        }
    }
    throw firmware_error(fmt::format("{}: no table for cpu.core {} of {}; build it again with this "
                                     "version's scripts/fw-build",
                                     where, core, record.name));
}

void add(fw_timing_cost& to, const fw_timing_cost& more, double times)
{
    to.instructions += std::llround(static_cast<double>(more.instructions) * times);
    to.cycles += std::llround(static_cast<double>(more.cycles) * times);
}

/// Routines whose instructions are in no table.
fw_timing_cost cost_of_call(const fw_timing& image, const timing_call& call,
                            const cpu::core_timing& timing)
{
    if (const fw_timing_memory* memory = memory_function(image, call.name)) {
        return cost_of(image, *memory, call.bytes, 0);
    }
    for (const routine& r : routines) {
        if (call.name == r.name) {
            return rounded(r.instructions, r.instructions * cpu::mean_cycles(timing));
        }
    }
    return {0, 0}; // a function of the image, in a table of its own
}

} // namespace

firmware_timing::firmware_timing(const fw_timing& image, std::string_view file, std::string where)
    : m_image(image), m_where(std::move(where))
{
    if (image.magic != FW_TIMING_MAGIC || image.version != FW_TIMING_VERSION) {
        throw firmware_error(fmt::format("{}: timed for another platform (version {}, this one has "
                                         "{}); build it again with this version's scripts/fw-build",
                                         m_where, image.version, FW_TIMING_VERSION));
    }
    std::map<std::string, timing_record> by_name;
    for (timing_record& r : read_timing(file, m_where)) {
        std::string name = r.name;
        by_name.insert_or_assign(std::move(name), std::move(r));
    }
    for (const fw_timing_module* m = image.first; m != image.end; ++m) {
        const auto found = by_name.find(m->name);
        if (found == by_name.end() || found->second.hash != m->hash ||
            found->second.targets.empty() ||
            found->second.targets.front().blocks.size() != m->blocks) {
            throw firmware_error(fmt::format(
                "{}: the timing file is {} for {}; keep the image and its .timing file of one "
                "build together, or build both again (scripts/fw-build)",
                m_where, found == by_name.end() ? "of another firmware: it has no table" : "stale",
                m->name));
        }
        m_records.push_back(found->second);
    }
}

void firmware_timing::measure_memory() const
{
    for (unsigned i = 0; i < FW_TIMING_MEMORY_FUNCTIONS; ++i) {
        fw_timing_memory& f = m_image.memory[i];
        for (const std::size_t offset : {0u, 1u}) {
            const fw_timing_cost one = cost_of(m_image, f, FW_TIMING_STRIDE - 1, offset);
            const fw_timing_cost two = cost_of(m_image, f, 2 * FW_TIMING_STRIDE - 1, offset);
            f.rest[offset] = {two.instructions - one.instructions, two.cycles - one.cycles};
        }
    }
}

void firmware_timing::fill(const std::string& core, const cpu::core_timing& timing) const
{
    const fw_timing_module* m = m_image.first;
    for (const timing_record& record : m_records) {
        const timing_target& t = target_of(record, core, m_where);
        for (std::size_t i = 0; i < t.blocks.size(); ++i) {
            m->table[i] =
                rounded(cpu::instructions_of(t.blocks[i]), cpu::cycles_of(t.blocks[i], timing));
        }
        ++m;
    }
    measure_memory();
    // Memory functions are measured by running them: their own tables come first.
    m = m_image.first;
    for (const timing_record& record : m_records) {
        for (const timing_call& call : target_of(record, core, m_where).calls) {
            add(m->table[call.block], cost_of_call(m_image, call, timing), call.count);
        }
        ++m;
    }
}

const char* firmware_timing::level() const
{
    const bool guessed = std::any_of(m_image.first, m_image.end, [](const fw_timing_module& m) {
        return (m.flags & FW_TIMING_HOST_SIZE) != 0;
    });
    return guessed ? "host_size" : "full";
}

void firmware_timing::check_watched() const
{
    for (const fw_timing_module* m = m_image.first; m != m_image.end; ++m) {
        if ((m->flags & FW_TIMING_WATCHED) != 0) {
            return;
        }
    }
    throw firmware_error(fmt::format("{}: its functions do not tell a profile what they do; build "
                                     "it by scripts/fw-build --profile",
                                     m_where));
}

std::uint64_t timing_key(const std::string& core, const cpu::core_timing& t)
{
    const std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} {} {}", core, t.issue_width, t.alu, t.multiply,
                    t.divide, t.load, t.store, t.branch, t.call, t.system, t.taken);
    return std::hash<std::string>()(text) | 1;
}

std::unique_ptr<cpu::instruction_cost> firmware_timing::bind(const std::string& core,
                                                             const cpu::core_timing& timing,
                                                             cpu::call_profile* profile) const
{
    fw_timing_binding& binding = *m_image.binding;
    const std::uint64_t key = timing_key(core, timing);
    if (binding.users != 0 && binding.key != key) {
        throw firmware_error(fmt::format(
            "{}: another drive of this process runs the same image on a core with other cpu.core "
            "or cpu.timing; give both the same",
            m_where));
    }
    if (profile != nullptr) {
        check_watched();
    }
    if (binding.users == 0) {
        fill(core, timing);
        binding.key = key;
    }
    ++binding.users;
    cpu::spent_accounts& accounts = accounts_of(m_image);
    accounts.take();
    const std::shared_ptr<void> held(nullptr, [&binding](void*) { --binding.users; });
    if (profile == nullptr) {
        return std::make_unique<cpu::table_cost>(accounts, level(), held);
    }
    auto& watch = *reinterpret_cast<cpu::profiled_cost::watch*>(m_image.watch);
    return std::make_unique<cpu::profiled_cost>(accounts, held, *profile, watch);
}

} // namespace ssdvp::platform
