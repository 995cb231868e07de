// SPDX-License-Identifier: Apache-2.0
//
// ssdvp_fw_record: runs the firmware on a drive of RAM NAND under one host command mix, and writes
// down what it got from outside, for the replay.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <exception>

#include "tests/validation/recorder.h"
#include "tests/validation/timing_cases.h"

namespace {

using namespace ssdvp::test;

struct options {
    std::string scheme, mix, out;
    std::uint64_t commands = 1000;
    std::uint64_t seed = 1;
    bool list = false;
};

void record(const options& o)
{
    ram_config c = timing_drive(o.scheme);
    recorder r(c, o.out);
    {
        timing_host h(c);
        age(h);
        h.settle();
        r.mark(RECORDING_START);
        run_mix(h, o.mix, o.commands, o.seed);
        r.mark(RECORDING_STOP);
        h.settle();
        const telemetry& t = h.counters();
        std::vector<std::uint8_t> bytes(sizeof t);
        std::memcpy(bytes.data(), &t, sizeof t);
        r.expect(MAP_SRAM_BASE + BOOT_TELEMETRY_OFFSET, bytes.data(), bytes.size());
        std::printf(
            "calls %llu collections %llu merges %llu map_misses %llu\n",
            static_cast<unsigned long long>(r.calls()), static_cast<unsigned long long>(t.gc_runs),
            static_cast<unsigned long long>(t.merges_full + t.merges_partial + t.merges_switch),
            static_cast<unsigned long long>(t.map_misses));
    } // the firmware is told to stop, and returns
    r.close();
}

void print_names(const char* what, const std::vector<std::string>& names)
{
    std::printf("%s", what);
    for (const std::string& name : names) {
        std::printf(" %s", name.c_str());
    }
    std::printf("\n");
}

} // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app{"Records the firmware on a drive of RAM NAND for scripts/validate-timing"};
    app.add_option("--scheme", o.scheme, "FTL scheme");
    app.add_option("--mix", o.mix, "host command mix");
    app.add_option("--commands", o.commands, "commands between the marks")
        ->check(CLI::PositiveNumber);
    app.add_option("--seed", o.seed, "of the host's addresses");
    app.add_option("--out", o.out, "file of the recording");
    app.add_flag("--list", o.list, "prints the schemes and mixes there are");
    CLI11_PARSE(app, argc, argv);
    try {
        if (o.list) {
            print_names("schemes", timing_schemes());
            print_names("mixes", timing_mixes());
        } else {
            record(o);
        }
    } catch (const std::invalid_argument& e) {
        std::fprintf(stderr, "ssdvp_fw_record: %s\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ssdvp_fw_record: %s, %s: %s\n", o.scheme.c_str(), o.mix.c_str(),
                     e.what());
        return 1;
    }
    return 0;
}
