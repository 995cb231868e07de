// SPDX-License-Identifier: Apache-2.0
//
// Cores: their clock, what an instruction and a register access cost.
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

option when_flat(option o)
{
    o.relevant = [](const ssd_config& c) { return c.cpu.core == "flat"; };
    o.relevant_when = "cpu.core is flat";
    return o;
}

std::vector<option> cpu_options()
{
    return {
        basic(make_option<ssd_config>({"cpu.clock", "1GHz", "clock of a core"},
                                      rate_of(value_kind::frequency, mega, 10000 * mega),
                                      FIELD(cpu.clock), leaves_state)),
        basic(make_option<ssd_config>(
            {"cpu.core", "cortex-r82",
             "core whose instructions firmware is counted in; flat: each call of a HAL function "
             "stands for cpu.instructions_per_call"},
            words({{"cortex-r82", 0}, {"rv64", 0}, {"cortex-r52", 0}, {"rv32", 0}, {"flat", 0}}),
            FIELD(cpu.core), leaves_state)),
        when_flat(make_option<ssd_config>(
            {"cpu.instructions_per_call", "250",
             "instructions that each call of a HAL function stands for"},
            count_of(0, mega), FIELD(cpu.instructions_per_call), leaves_state)),
        when_flat(make_option<ssd_config>(
            {"cpu.cycles_per_instruction", "1", "mean cycles of an instruction"},
            real_of(value_kind::number, 0.0, 1000.0, true), FIELD(cpu.cycles_per_instruction),
            leaves_state)),
        make_option<ssd_config>({"cpu.mmio_read_cycles", "40", "bus round trip of a register read"},
                                count_of(0, mega), FIELD(cpu.mmio_read_cycles), leaves_state),
        make_option<ssd_config>({"cpu.mmio_write_cycles", "10", "cost of a posted register write"},
                                count_of(0, mega), FIELD(cpu.mmio_write_cycles), leaves_state),
        make_option<ssd_config>({"cpu.interrupt_cycles", "60", "entry and exit of an interrupt"},
                                count_of(0, mega), FIELD(cpu.interrupt_cycles), leaves_state),
    };
}

} // namespace

const config_part parts::cpu = {cpu_options};

} // namespace ssdvp::platform
