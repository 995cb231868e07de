// SPDX-License-Identifier: Apache-2.0
//
// Cycles of the instructions of a core.
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using cpu::core_timing;

/// A result that is late by n cycles costs n / 2, for every other one is used at once; a division
/// holds the core. Branches lose the penalty of a wrong prediction once in ten times. Interrupts:
/// cpu.interrupt_cycles. tests/timing/core_models_test.py holds what is from LLVM to llvm-mca-14.
struct core_preset {
    const char* core;
    core_timing timing; // issue, alu, multiply, divide, load, store, branch, call, system, taken
};

const core_preset& preset_of(const std::string& core)
{
    static const core_preset presets[] = {
        // LLVM 14, CortexA55Model, which it uses for this core: two instructions a cycle; latency
        // of mul 4, udiv 8, ldr 3; MispredictPenalty 8. system: assumed, as a wrong prediction.
        {"cortex-r82", {2, 1, 2.5, 8, 2, 1, 1, 1, 8, 0.8}},
        // LLVM 14, RocketModel (sifive-u54): one a cycle; mul 4, divuw 34 (divu 33), ld 2;
        // MispredictPenalty 3. system: SiFive E31 manual, 3.3, reads of CSRs.
        {"rv64", {1, 1, 2.5, 34, 1.5, 1, 1, 1, 3, 0.3}},
        // LLVM 14, CortexR52Model: two a cycle; mul 4, udiv 8, ldr 4; MispredictPenalty 8. Its
        // latency of str is nobody's, for a store has no result. system: as cortex-r82.
        {"cortex-r52", {2, 1, 2.5, 8, 2.5, 1, 1, 1, 8, 0.8}},
        // SiFive E31 manual, 3.2 and 3.3: MUL 5, DIV 2 to 33 by operands (the middle), LW 2, CSRs
        // 3, wrong prediction 3. LLVM 14 has no model of its own for it but RocketModel, whose
        // load,
        // store and branch are the same.
        {"rv32", {1, 1, 3, 17, 1.5, 1, 1, 1, 3, 0.3}},
        {"flat", {}},
    };
    for (const core_preset& p : presets) {
        if (core == p.core) {
            return p;
        }
    }
    return presets[0];
}

option cycles(const char* key, const char* about, double core_timing::*field, double min)
{
    option o;
    o.key = std::string("cpu.timing.") + key;
    o.spec = real_of(value_kind::number, min, 1000.0);
    o.about = about;
    o.computed = "as cpu.core says: docs/models/cpu.md";
    o.set = [field](ssd_config& c, const option_value& v) {
        c.cpu.timing.*field = std::get<double>(v);
    };
    o.get = [field](const ssd_config& c) -> option_value { return c.cpu.timing.*field; };
    o.shapes = leaves_state;
    o.relevant = [](const ssd_config& c) { return c.cpu.core != "flat"; };
    o.relevant_when = "cpu.core is not flat";
    return o;
}

/// One core that runs the firmware that is built in needs no barrier.
option system_cycles()
{
    option o = cycles("system", "cycles of a barrier or an access to a system register",
                      &core_timing::system, 1);
    o.relevant_to_own = o.relevant;
    o.usual = [](const ssd_config& c) -> option_value {
        return preset_of(c.cpu.core).timing.system;
    };
    o.relevant = [counted = o.relevant](const ssd_config& c) { return counted(c) && c.cores > 1; };
    o.relevant_when += ", and cpu.cores is above 1 or firmware is of your own";
    return o;
}

std::vector<option> core_timing_options()
{
    return {
        cycles("issue_width", "instructions that a core issues per cycle when nothing waits",
               &core_timing::issue_width, 0.01),
        cycles("alu", "cycles of an integer instruction, alone", &core_timing::alu, 1),
        cycles("multiply", "cycles of a multiplication", &core_timing::multiply, 1),
        cycles("divide", "cycles of a division", &core_timing::divide, 1),
        cycles("load", "cycles of a load from tightly coupled memory or a cache that hits",
               &core_timing::load, 1),
        cycles("store", "cycles of a store", &core_timing::store, 1),
        cycles("branch", "cycles of a branch, conditional or not, or a return",
               &core_timing::branch, 1),
        cycles("call", "cycles of a call", &core_timing::call, 1),
        system_cycles(),
        cycles("taken", "cycles that a branch or return which is taken loses on top",
               &core_timing::taken, 0),
    };
}

void complete_core_timing(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    const core_timing given = c.cpu.timing;
    c.cpu.timing = preset_of(c.cpu.core).timing;
    const auto keep = [&](const char* key, double core_timing::*field) {
        if (raw.values.count(std::string("cpu.timing.") + key) != 0) {
            c.cpu.timing.*field = given.*field;
        }
    };
    keep("issue_width", &core_timing::issue_width);
    keep("alu", &core_timing::alu);
    keep("multiply", &core_timing::multiply);
    keep("divide", &core_timing::divide);
    keep("load", &core_timing::load);
    keep("store", &core_timing::store);
    keep("branch", &core_timing::branch);
    keep("call", &core_timing::call);
    keep("system", &core_timing::system);
    keep("taken", &core_timing::taken);
}

} // namespace

const config_part parts::core_timing = {core_timing_options, complete_core_timing};

} // namespace ssdvp::platform
