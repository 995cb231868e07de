// SPDX-License-Identifier: Apache-2.0
#include "platform/input/nearest.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

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

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Both are in the same group, and `word` is the beginning: `host.pcie.gen`, also `pcie.gen`, of
/// `host.pcie.generation`.
bool begins(const std::string& word, const std::string& c)
{
    const std::string last = last_part(word);
    const std::string name = last_part(c);
    const std::string group = word.substr(0, word.size() - last.size()); // with its dot
    return !last.empty() && name.compare(0, last.size(), last) == 0 &&
           ends_with("." + c.substr(0, c.size() - name.size()), "." + group);
}

} // namespace

std::string nearest(const std::string& given, const std::vector<std::string>& candidates)
{
    constexpr std::size_t longest = 100; // longer words are like none: the distance costs a product
    const std::string word = given.substr(0, longest);
    std::string best;
    std::tuple<std::size_t, std::size_t, std::size_t> best_score{SIZE_MAX, 0, 0};
    for (const std::string& c : candidates) {
        // A key in the wrong group is near when its last part is: `channels` -> `flash.channels`.
        const std::size_t moved = 3 + 2 * edit_distance(last_part(word), last_part(c));
        const std::size_t distance = edit_distance(word, c);
        std::size_t score = std::min(2 * distance, moved);
        if (begins(word, c)) {
            score = 1; // less than a wrong letter
        } else if (word.size() >= 4 && c.find(last_part(word)) != std::string::npos) {
            score = std::min<std::size_t>(score, 7); // a part of the name: `depth` -> `queue_depth`
        }
        if (const auto all = std::tuple(score, distance, c.size()); all < best_score) {
            best_score = all;
            best = c;
        }
    }
    return best;
}

} // namespace ssdvp::platform
