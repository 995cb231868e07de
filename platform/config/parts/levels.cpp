// SPDX-License-Identifier: Apache-2.0
//
// Read levels of each page of a word line.
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

std::size_t pages_of_word_line(const ssd_config& c)
{
    return static_cast<std::size_t>(c.channel.die.cell);
}

std::vector<option> level_options()
{
    constexpr double most = 15; // between the 16 states of four bits
    return {
        kept_when<ssd_config>(
            make_option<ssd_config>(
                {"nand.read_levels", "",
                 "read levels that a read of each page of a word line compares, as its bits are "
                 "coded: [1, 2, 4, 8], [4, 4, 4, 3]; nand.tR grows by them, and by default "
                 "nand.errors.page_factor is them",
                 "as nand.tR and nand.errors.page_factor say"},
                real_of(value_kind::number_list, 1.0, most), FIELD(read_levels), leaves_state),
            [](const ssd_config& c) {
                return c.tR_level != sim_time() || c.channel.die.errors.rber > 0.0;
            },
            "nand.tR_level or nand.errors.rber is not 0"),
        make_option<ssd_config>(
            {"nand.tR_level", "0s",
             "of a page read, for each of its nand.read_levels; nand.tR is the rest of it"},
            time_of(0, ms), FIELD(tR_level), leaves_state),
    };
}

} // namespace

flash::die_config part_as_built(const ssd_config& c)
{
    flash::die_config die = c.channel.die;
    const std::vector<double>& levels = c.read_levels;
    std::vector<sim_time>& tR = die.timing.tR;
    if (levels.empty()) {
        return die;
    }
    if (die.errors.page_factor.empty()) {
        die.errors.page_factor = levels;
    }
    if (c.tR_level != sim_time()) {
        tR.resize(levels.size(), tR.front());
        for (std::size_t i = 0; i < levels.size(); ++i) {
            tR[i] += static_cast<std::uint64_t>(levels[i]) * c.tR_level;
        }
    }
    return die;
}

namespace {

void check_read_levels(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const std::vector<double>& levels = c.read_levels;
    if (levels.empty()) {
        if (c.tR_level != sim_time()) {
            reject("nand.tR_level", "nothing says how many levels a page compares",
                   "give nand.read_levels, or write the times into nand.tR");
        }
        return;
    }
    const double states = std::exp2(static_cast<double>(pages_of_word_line(c)));
    const double sum = std::accumulate(levels.begin(), levels.end(), 0.0);
    bool whole = true;
    for (const double n : levels) {
        whole = whole && n == std::floor(n);
    }
    if (levels.size() != pages_of_word_line(c) || !whole || sum != states - 1.0) {
        reject("nand.read_levels",
               fmt::format("{} states have {} levels between them, each in one of the {} pages of "
                           "a word line: {}",
                           states, states - 1.0, pages_of_word_line(c), told(raw, c, "nand.cell")),
               fmt::format("write {} whole numbers whose sum is {}", pages_of_word_line(c),
                           states - 1.0));
    }
}

} // namespace

const config_part parts::levels = {level_options, nullptr, check_read_levels};

} // namespace ssdvp::platform
