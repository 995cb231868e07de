// SPDX-License-Identifier: Apache-2.0
//
// Characterises the cells of a configuration as a test board does: erases blocks while reads ask
// the die to stop, programs them, lets them lie, reads them back and counts the wrong bits.
//
//   ssdvp_cells CONFIG... [--set KEY=VALUE]... [--blocks N] [--retention-days D]
//
// One line of JSON to stdout. flash.ecc has to correct whatever there is (configs/experiment/
// suspend-cells.yaml): the bits that it corrects are the ones that are counted.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "bench/board.h"
#include "platform/config/loader.h"

namespace {

using namespace ssdvp;

struct order {
    platform::config_sources sources;
    std::uint32_t blocks = 4;
    double retention_days = 0.0;
};

struct finding {
    std::uint32_t suspends_min = ~0u; // of an erase
    std::uint32_t suspends_max = 0;
    std::uint64_t suspends = 0; // of all erases
    std::uint64_t bits = 0;     // read back
    std::uint64_t wrong_bits = 0;
};

constexpr std::uint32_t busy_block = 0; // is read while the others are erased

void erase_and_program(bench::board& board, const order& what, std::uint32_t pages, finding& f)
{
    for (std::uint32_t block = 1; block <= what.blocks; ++block) {
        const flash_completion c = board.erase_under_reads(block, busy_block);
        f.suspends += c.suspends;
        f.suspends_min = std::min(f.suspends_min, c.suspends);
        f.suspends_max = std::max(f.suspends_max, c.suspends);
    }
    for (std::uint32_t block = 1; block <= what.blocks; ++block) {
        for (std::uint32_t page = 0; page < pages; ++page) {
            board.execute(FLASH_OP_PROGRAM, block, page);
        }
    }
}

finding characterise(const order& what, const flash::channel_config& config)
{
    bench::board board("board", config);
    board.power_on();
    const flash::geometry& geo = config.die.geo;
    finding f;
    board.execute(FLASH_OP_PROGRAM, busy_block, 0);
    erase_and_program(board, what, geo.pages_per_block, f);
    if (what.retention_days > 0.0) {
        const double seconds = what.retention_days * 86400.0 / config.die.errors.retention_scale;
        board.wait(sim_time(static_cast<std::uint64_t>(seconds * 1e12)));
    }
    const std::uint64_t before = board.stats().corrected_bits;
    for (std::uint32_t block = 1; block <= what.blocks; ++block) {
        for (std::uint32_t page = 0; page < geo.pages_per_block; ++page) {
            board.execute(FLASH_OP_READ, block, page);
        }
    }
    f.bits = std::uint64_t{8} * geo.page_size * geo.pages_per_block * what.blocks;
    f.wrong_bits = board.stats().corrected_bits - before;
    return f;
}

int measure(const order& what)
{
    flash::channel_config config = platform::load(what.sources).channel;
    config.luns = 1;
    if (what.blocks + 1 > config.die.geo.blocks_per_plane) {
        throw std::runtime_error("--blocks: the part has fewer");
    }
    const finding f = characterise(what, config);
    std::cout << fmt::format("{{\"pe_cycles\": {}, \"loops\": {}, \"erases\": {}, "
                             "\"suspends\": {}, \"suspends_min\": {}, \"suspends_max\": {}, "
                             "\"bits\": {}, \"wrong_bits\": {}}}\n",
                             config.die.pe_cycles, config.die.erase.loops, what.blocks, f.suspends,
                             f.suspends_min, f.suspends_max, f.bits, f.wrong_bits);
    return 0;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    order what;
    CLI::App app("characterises flash cells: suspends of erases, and wrong bits");
    app.add_option("config", what.sources.files, "configuration files")->required();
    app.add_option("--set", what.sources.sets, "KEY=VALUE")->expected(1)->take_all();
    app.add_option("--blocks", what.blocks, "blocks measured")->check(CLI::Range(1, 10000));
    app.add_option("--retention-days", what.retention_days, "days between program and read")
        ->check(CLI::Range(0.0, 36500.0));
    CLI11_PARSE(app, argc, argv);
    try {
        return measure(what);
    } catch (const platform::config_error& e) {
        std::cerr << "ssdvp_cells: " << e.what() << "\n";
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "ssdvp_cells: " << e.what() << "\n";
        return 1;
    }
}
