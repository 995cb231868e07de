// SPDX-License-Identifier: Apache-2.0
//
// The tables of a timed firmware image: read from its timing file, folded with what instructions
// take on the configured core, and put into the image. docs/timing.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/port/native/timing.h"
#include "models/cpu/call_profile.h"
#include "models/cpu/code_map.h"
#include "models/cpu/core_timing.h"
#include "models/cpu/instruction_cost.h"

namespace ssdvp::platform {

/// A call of a library's routine that is in no table.
struct timing_call {
    std::uint64_t block = 0;
    std::string name;
    std::uint64_t bytes = 0; // that a memory function moves
    double count = 0;        // per execution of the block
};

/// Where a source's code lies, from its beginning. `bytes` is 0, and the rest is empty, where that
/// is not known: the costs are guessed from the host's code.
struct timing_code {
    std::uint32_t bytes = 0;
    std::uint32_t alignment = 1;
    std::vector<cpu::code_range> functions; // of the record
    std::vector<std::vector<cpu::code_copy>> blocks;
};

/// A source's counts on one kind of core.
struct timing_target {
    std::string name;
    std::vector<cpu::class_counts> blocks; // that are counted
    std::vector<timing_call> calls;
    std::string code; // as it is in the file: for read_code()
};

struct timing_record {
    std::string name; // of the source
    std::uint64_t hash = 0;
    std::uint64_t blocks = 0;                                     // counted or not
    std::vector<std::pair<std::string, std::uint64_t>> functions; // first block of each
    std::vector<timing_target> targets;
};

/// All records of a timing file's bytes; `where` names it. Throws firmware_error.
[[nodiscard]] std::vector<timing_record> read_timing(std::string_view bytes,
                                                     const std::string& where);

[[nodiscard]] timing_code read_code(const timing_record& record, const timing_target& target,
                                    const std::string& where);

/// The timing file that is built in; empty where the build has no level "full".
[[nodiscard]] std::string_view builtin_timing_file();
/// The same firmware as a shared object whose functions tell a profile what they do.
[[nodiscard]] std::string_view builtin_profile_image();
/// The descriptor of the firmware that is built in, or null.
[[nodiscard]] const fw_timing* builtin_timing();

/// Tells cores that take other cycles apart. Never 0.
[[nodiscard]] std::uint64_t timing_key(const std::string& core, const cpu::core_timing& timing);

/// Who is told what the program does; the image must have been built for that.
struct program_listeners {
    cpu::call_profile* profile = nullptr; // where it spends
    bool fetches = false;                 // an instruction cache: see firmware_timing::code()
};

/// Holds an image's tables against its file, and fills them for a core. An image has one set of
/// tables: while a drive uses them another may only if its core takes the same cycles.
class firmware_timing {
public:
    /// Throws firmware_error: stale, foreign, incomplete.
    firmware_timing(const fw_timing& image, std::string_view file, std::string where);

    /// Fills the tables. What is returned keeps them as they are. Throws firmware_error.
    [[nodiscard]] std::unique_ptr<cpu::instruction_cost>
    bind(const std::string& core, const cpu::core_timing& timing,
         const program_listeners& to = {}) const;
    /// Where the code of the image lies on a core, one source behind the other. The image's blocks
    /// tell their numbers in it from now on.
    [[nodiscard]] cpu::code_map code(const std::string& core) const;
    [[nodiscard]] const fw_timing& image() const { return m_image; }

private:
    void fill(const std::string& core, const cpu::core_timing& timing) const;
    void measure_memory() const;
    void measure_routines(const std::string& core, const cpu::core_timing& timing) const;
    [[nodiscard]] fw_timing_cost cost_of_call(const timing_record& record, const timing_call& call,
                                              const std::string& core,
                                              const cpu::core_timing& timing) const;
    void check_watched() const;
    void check_fetches() const;
    [[nodiscard]] const char* level() const;

    const fw_timing& m_image;
    std::string m_where;
    std::vector<timing_record> m_records; // by the image's sources, in their order
};

} // namespace ssdvp::platform
