// SPDX-License-Identifier: Apache-2.0
//
// Each key of summary.json is described, in summary_keys.h or as a counter of the firmware.
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platform/report/counter_table.h"
#include "platform/report/summary_json.h"
#include "platform/report/summary_keys.h"
#include "tests/unit/report_sample.h"

namespace report_summary_keys_test {

using namespace ssdvp;
using namespace ssdvp::platform;

namespace {

using path = std::vector<std::string>; // a list is the word [] after its name

path words(std::string_view text)
{
    path all;
    std::string word;
    for (const char c : std::string(text) + ".") {
        if (c == '.' || c == '[') {
            if (!word.empty() && word != "]") {
                all.push_back(word);
            }
            word.clear();
            if (c == '[') {
                all.emplace_back("[]");
            }
        } else {
            word += c;
        }
    }
    return all;
}

bool fits(const std::string& pattern, const std::string& word)
{
    static const std::set<std::string> kinds{"read", "write", "trim", "flush"};
    return pattern == "<kind>"      ? kinds.count(word) != 0
           : pattern.front() == '<' ? word != "[]"
                                    : pattern == word;
}

bool described(const path& p)
{
    std::vector<std::string_view> patterns;
    for (const summary_key& k : summary_keys()) {
        patterns.push_back(k.path);
    }
    for (const counter_row& row : counter_rows()) {
        patterns.push_back(row.key);
    }
    for (const std::string_view pattern : patterns) {
        const path w = words(pattern);
        bool same = w.size() == p.size();
        for (std::size_t i = 0; same && i < w.size(); ++i) {
            same = fits(w[i], p[i]);
        }
        if (same) {
            return true;
        }
    }
    return false;
}

void collect(const boost::json::value& v, path at, std::vector<path>& leaves)
{
    if (v.is_object()) {
        for (const auto& member : v.as_object()) {
            path inner = at;
            inner.emplace_back(member.key());
            collect(member.value(), inner, leaves);
        }
    } else if (v.is_array()) {
        at.emplace_back("[]");
        for (const auto& item : v.as_array()) {
            collect(item, at, leaves);
        }
    } else {
        leaves.push_back(at);
    }
}

std::string text_of(const path& p)
{
    std::string text;
    for (const std::string& word : p) {
        text += word == "[]" ? word : (text.empty() ? "" : ".") + word;
    }
    return text;
}

} // namespace

TEST_CASE("each key of the sample's summary is described", "[report][summary]")
{
    report_test::sample s;
    std::vector<path> leaves;
    collect(boost::json::parse(deterministic_summary(s.m, s.requests, {"a sentence"})), {}, leaves);
    CHECK(leaves.size() > 100);
    for (const path& leaf : leaves) {
        INFO(text_of(leaf) << ": describe it in platform/report/summary_keys.cpp");
        CHECK(described(leaf));
    }
    for (const char* wrong : {"host.read.nonsense", "host.gift.iops", "flash", "channels.busy",
                              "luns[].busy", "host.read.latency_ns", "ftl.gc.walks"}) {
        INFO(wrong);
        CHECK_FALSE(described(words(wrong)));
    }
}

TEST_CASE("descriptions of keys: one for each, all in the table", "[report][summary]")
{
    std::set<std::string_view> seen;
    const std::string table = list_summary_keys();
    for (const counter_row& row : counter_rows()) {
        seen.insert(row.key);
    }
    for (const summary_key& k : summary_keys()) {
        INFO(k.path);
        CHECK(seen.insert(k.path).second);
        CHECK_FALSE(k.meaning.empty());
        CHECK(k.meaning != "likewise"); // rows are read alone
        CHECK(k.meaning.substr(0, 3) != "...");
        CHECK_THAT(table, Catch::Contains("| `" + std::string(k.path) + "` | "));
    }
    CHECK_THAT(table, Catch::StartsWith("| key | meaning | only with |\n|---|---|---|\n") &&
                          Catch::Contains("| `seed` | `run.seed` | |\n") &&
                          !Catch::Contains("as above |\n"));
}

} // namespace report_summary_keys_test
