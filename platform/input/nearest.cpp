// SPDX-License-Identifier: Apache-2.0
#include "platform/input/nearest.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace ssdvp::platform {
namespace {

/// Levenshtein distance.
std::size_t edit_distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

std::string last_part(const std::string& key)
{
    const auto cut = key.find_last_of("./");
    return cut == std::string::npos ? key : key.substr(cut + 1);
}

} // namespace

std::string nearest(const std::string& given, const std::vector<std::string>& candidates)
{
    constexpr std::size_t longest = 100; // longer words are like none: the distance costs a product
    const std::string word = given.substr(0, longest);
    std::string best;
    std::size_t best_score = SIZE_MAX;
    for (const std::string& c : candidates) {
        // A key in the wrong group is near when its last part is: `channels` -> `flash.channels`.
        const std::size_t moved = 3 + 2 * edit_distance(last_part(word), last_part(c));
        std::size_t score = std::min(2 * edit_distance(word, c), moved);
        if (word.size() >= 4 && c.find(last_part(word)) != std::string::npos) {
            score = std::min<std::size_t>(score, 7); // a part of the name: `depth` -> `queue_depth`
        }
        if (score < best_score || (score == best_score && c.size() < best.size())) {
            best_score = score;
            best = c;
        }
    }
    return best;
}

} // namespace ssdvp::platform
