// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/firmware_timing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "models/cpu/table_cost.h"
#include "models/cpu/watched_cost.h"
#include "platform/ssd/firmware_error.h"

namespace ssdvp::platform {

namespace {

/// Routines of the port that compilers call for arithmetic which a core lacks. What they take is
/// measured by running them, but for the assembly of firmware/port/arm/divide.c: the instructions
/// of its short way, and those that it puts around the other one.
struct routine {
    const char* name;
    fw_timing_operation operation;
    double shortly, around;
};
constexpr routine routines[] = {
    {"__aeabi_uldivmod", FW_TIMING_UDIVREM, 6, 9},
    {"__aeabi_ldivmod", FW_TIMING_SDIVREM, 6, 9},
    {"__udivdi3", FW_TIMING_UDIV, 0, 0},
    {"__umoddi3", FW_TIMING_UREM, 0, 0},
    {"__divdi3", FW_TIMING_SDIV, 0, 0},
    {"__moddi3", FW_TIMING_SREM, 0, 0},
};

const routine* routine_of(const std::string& name)
{
    const auto* const found = std::find_if(std::begin(routines), std::end(routines),
                                           [&name](const routine& r) { return name == r.name; });
    return found == std::end(routines) ? nullptr : found;
}

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

cpu::spent_accounts& accounts_of(const fw_timing& image)
{
    static_assert(sizeof(cpu::spent_accounts) == FW_TIMING_ACCOUNTS * sizeof(fw_timing_cost));
    return *reinterpret_cast<cpu::spent_accounts*>(image.spent);
}

/// What a call costs, by making it, in a way (enum fw_timing_way).
fw_timing_cost cost_of(const fw_timing& image, const fw_timing_memory& function, std::size_t bytes,
                       unsigned way)
{
    constexpr std::size_t apart[] = {8, 4, 1};
    const std::size_t delta = apart[way % FW_TIMING_DOWN];
    const bool down = way >= FW_TIMING_DOWN;
    std::vector<std::uint64_t> words(2 * (bytes / 8 + 4)); // of zeroes: nothing differs
    auto* const from = reinterpret_cast<unsigned char*>(words.data());
    unsigned char* const to = from + (down ? 0 : words.size() / 2 * 8) + delta;
    cpu::spent_accounts& accounts = accounts_of(image);
    accounts.take();
    function.call(to, from, bytes);
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

fw_timing_cost known_cost(double instructions, const cpu::core_timing& timing)
{
    return rounded(instructions, instructions * cpu::mean_cycles(timing));
}

/// A routine's call with small operands.
fw_timing_cost cost_of(const fw_timing& image, const routine& r, const cpu::core_timing& timing)
{
    if (r.shortly != 0) {
        return known_cost(r.shortly, timing);
    }
    constexpr std::uint64_t small[] = {100000, 7};
    cpu::spent_accounts& accounts = accounts_of(image);
    accounts.take();
    image.routines[r.operation].run(small[0], small[1]);
    const cpu::spent_account spent = accounts.take();
    return {spent.instructions, spent.cycles};
}

/// The function of a block.
std::string function_of(const timing_record& record, std::uint64_t block)
{
    std::string name = "?";
    for (const auto& [function, first] : record.functions) {
        name = first <= block ? function : name;
    }
    return name;
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
        for (unsigned way = 0; way < FW_TIMING_WAYS; ++way) {
            const fw_timing_cost two = cost_of(m_image, f, 2 * FW_TIMING_STRIDE - 1, way);
            const fw_timing_cost three = cost_of(m_image, f, 3 * FW_TIMING_STRIDE - 1, way);
            f.rest[way] = {three.instructions - two.instructions, three.cycles - two.cycles};
        }
    }
}

/// Which routines the core calls, and what is to be added where their operands are large.
void firmware_timing::measure_routines(const std::string& core,
                                       const cpu::core_timing& timing) const
{
    for (unsigned i = 0; i < FW_TIMING_OPERATIONS; ++i) {
        m_image.routines[i].used = 0;
    }
    for (const timing_record& record : m_records) {
        for (const timing_call& call : target_of(record, core, m_where).calls) {
            if (const routine* r = routine_of(call.name)) {
                fw_timing_routine& to = m_image.routines[r->operation];
                to.used = 1;
                to.more = known_cost(r->around, timing);
                add(to.more, cost_of(m_image, *r, timing), -1);
            }
        }
    }
}

/// What the call of a library takes, whose instructions are in no table. Throws firmware_error:
/// nothing is charged as if it were free.
fw_timing_cost firmware_timing::cost_of_call(const timing_record& record, const timing_call& call,
                                             const std::string& core,
                                             const cpu::core_timing& timing) const
{
    if (const fw_timing_memory* memory = memory_function(m_image, call.name)) {
        return cost_of(m_image, *memory, call.bytes, FW_TIMING_WIDE);
    }
    if (const routine* r = routine_of(call.name)) {
        return cost_of(m_image, *r, timing);
    }
    throw firmware_error(fmt::format(
        "{}: {} of {} needs the library routine {} on cpu.core {}, and what that takes is not "
        "known; compute with integers of the core's width, choose a core that does it by itself "
        "(cpu.core), or run untimed with --set cpu.core=flat",
        m_where, function_of(record, call.block), record.name, call.name, core));
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
    // Memory functions and routines are measured by running them: their own tables come first.
    measure_memory();
    measure_routines(core, timing);
    m = m_image.first;
    for (const timing_record& record : m_records) {
        for (const timing_call& call : target_of(record, core, m_where).calls) {
            add(m->table[call.block], cost_of_call(record, call, core, timing), call.count);
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

void firmware_timing::check_fetches() const
{
    if (std::string(level()) != "full") {
        throw firmware_error(fmt::format("{}: where its code lies on a core is not known: its "
                                         "costs are guessed from the host's code; build with clang "
                                         "and LLVM 14, or remove cpu.icache.size",
                                         m_where));
    }
    if (std::any_of(m_image.first, m_image.end,
                    [](const fw_timing_module& m) { return m.first_block == nullptr; })) {
        throw firmware_error(fmt::format("{}: its blocks do not tell an instruction cache "
                                         "(cpu.icache.size) when they run; build it by "
                                         "scripts/fw-build --profile",
                                         m_where));
    }
}

cpu::code_map firmware_timing::code(const std::string& core) const
{
    check_fetches();
    cpu::code_map map;
    const fw_timing_module* m = m_image.first;
    for (const timing_record& record : m_records) {
        timing_code code = read_code(record, target_of(record, core, m_where), m_where);
        const std::uint32_t begin =
            (map.bytes + code.alignment - 1) / code.alignment * code.alignment;
        *m->first_block = map.blocks.size();
        code.blocks.resize(m->all_blocks); // none where the source has no code
        for (std::vector<cpu::code_copy>& copies : code.blocks) {
            for (cpu::code_copy& copy : copies) {
                for (cpu::code_range& range : copy) {
                    range.begin += begin;
                    range.end += begin;
                }
            }
            map.blocks.push_back(std::move(copies));
        }
        map.bytes = begin + code.bytes;
        ++m;
    }
    return map;
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
                                                             const program_listeners& to) const
{
    fw_timing_binding& binding = *m_image.binding;
    const std::uint64_t key = timing_key(core, timing);
    if (binding.users != 0 && binding.key != key) {
        throw firmware_error(fmt::format(
            "{}: another drive of this process runs the same image on a core with other cpu.core "
            "or cpu.timing; give both the same",
            m_where));
    }
    if (to.profile != nullptr) {
        check_watched();
    }
    if (to.fetches) {
        check_fetches();
    }
    if (binding.users == 0) {
        fill(core, timing);
        binding.key = key;
    }
    ++binding.users;
    cpu::spent_accounts& accounts = accounts_of(m_image);
    accounts.take();
    const std::shared_ptr<void> held(nullptr, [&binding](void*) { --binding.users; });
    if (to.profile == nullptr && !to.fetches) {
        return std::make_unique<cpu::table_cost>(accounts, level(), held);
    }
    static_assert(sizeof(cpu::watched_cost::watch) == sizeof(fw_timing_watch));
    auto& watch = *reinterpret_cast<cpu::watched_cost::watch*>(m_image.watch);
    return std::make_unique<cpu::watched_cost>(accounts, held, watch, to.profile);
}

} // namespace ssdvp::platform
