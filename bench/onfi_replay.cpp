// SPDX-License-Identifier: Apache-2.0
//
// Replays the trace of `ssdvp run --onfi-trace` on buses and dies of their own: every command must
// be legal in the state of its die, no timing rule broken, and R/B# must do what it did.
//
//   ssdvp_onfi_replay CONFIG... [--set KEY=VALUE]... --onfi-trace FILE
//
// CONFIG is the run's, and its drive was not preconditioned: the dies begin empty. Of the whole
// run: a trace that begins in the middle of it does not say what state the dies are in. One line to
// stdout. Exit code 1: the trace is not what such a drive does.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "bench/bus_bench.h"
#include "bench/onfi_lines.h"
#include "platform/config/loader.h"

namespace {

using namespace ssdvp;

struct order {
    platform::config_sources sources;
    std::string trace;
};

struct count {
    std::uint64_t groups = 0;
    std::uint64_t bytes = 0;
    std::uint64_t edges = 0;
};

std::vector<std::unique_ptr<bench::bus_bench>> channels_of(const platform::ssd_config& config)
{
    std::vector<std::unique_ptr<bench::bus_bench>> all;
    for (std::uint32_t i = 0; i < config.channels; ++i) {
        all.push_back(std::make_unique<bench::bus_bench>(fmt::format("channel{}", i).c_str(),
                                                         config.channel, flash::channel_index(i)));
    }
    return all;
}

/// What happens at that instant is done, too: the kernel holds it back until it goes on.
void run_to(sim_time t)
{
    if (t > now()) {
        sc_core::sc_start((t - now()).to_sc());
    }
    if (sc_core::sc_pending_activity_at_current_time()) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
}

count replay(const order& what)
{
    const platform::ssd_config config = platform::load(what.sources);
    bench::onfi_lines lines(what.trace);
    const auto channels = channels_of(config);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    count all;
    bench::onfi_line line;
    while (lines.next(line)) {
        try {
            if (line.channel.value() >= channels.size()) {
                throw std::runtime_error("the drive has no such channel");
            }
            if (line.when < now()) {
                throw std::runtime_error("the line before it is of a later time");
            }
            run_to(line.when);
            for (const auto& channel : channels) {
                channel->expect_nothing_more();
            }
            channels[line.channel.value()]->replay(line);
        } catch (const std::runtime_error& e) {
            throw std::runtime_error(lines.at(e.what()));
        }
        all.groups += line.kind == bench::line_kind::cycles ? 1 : 0;
        all.edges += line.kind == bench::line_kind::cycles ? 0 : 1;
        all.bytes += line.bytes;
    }
    return all;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    order what;
    CLI::App app("replays a trace of flash buses against dies and timing rules");
    app.add_option("config", what.sources.files, "configuration files")->required();
    app.add_option("--set", what.sources.sets, "KEY=VALUE")->expected(1)->take_all();
    app.add_option("--onfi-trace", what.trace, "what a run has written")->required();
    CLI11_PARSE(app, argc, argv);
    try {
        const count all = replay(what);
        std::cout << fmt::format("{} cycle groups, {} bytes, {} edges: no rule broken\n",
                                 all.groups, all.bytes, all.edges);
        return 0;
    } catch (const platform::config_error& e) {
        std::cerr << "ssdvp_onfi_replay: " << e.what() << "\n";
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "ssdvp_onfi_replay: " << e.what() << "\n";
        return 1;
    }
}
