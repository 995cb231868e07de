// SPDX-License-Identifier: Apache-2.0
#include "platform/fio/job_arguments.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ssdvp::platform::fio {

namespace {

/// Options of fio that take no word behind them: `--thread --rw=read`, `--thread FILE`.
constexpr std::string_view without_value[] = {
    "thread",
    "time_based",
    "group_reporting",
    "stonewall",
    "new_group",
    "norandommap",
    "wait_for_previous",
    "refill_buffers",
    "zero_buffers",
    "exitall",
    "hipri",
    "fixedbufs",
    "registerfiles",
    "sqthread_poll",
    "bs_unaligned",
    "userspace_reap",
    "minimal",
    "append-terse",
    "readonly",
    "parse-only",
    "bandwidth-log",
    "experimental_verify",
    "warnings-fatal",
};

bool takes_next(const std::string& name, const std::vector<std::string>& words, std::size_t next)
{
    return next < words.size() && words[next].front() != '-' &&
           std::find(std::begin(without_value), std::end(without_value), name) ==
               std::end(without_value);
}

std::vector<std::string> words_of(const std::string& text)
{
    std::vector<std::string> words;
    std::string word;
    bool begun = false;
    char quote = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n';
        if (c == quote) {
            quote = '\0';
        } else if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
            begun = true;
        } else if (quote == '\0' && blank && begun) {
            words.push_back(word);
            word.clear();
            begun = false;
        } else if (quote != '\0' || !blank) {
            i += quote == '\0' && c == '\\' && i + 1 < text.size() ? 1 : 0;
            word += text[i];
            begun = true;
        }
    }
    if (begun) {
        words.push_back(word);
    }
    return words;
}

void add_file(const std::string& file, std::vector<section>& to)
{
    const std::vector<section> read = read_sections(file);
    to.insert(to.end(), read.begin(), read.end());
}

entry entry_of(const std::vector<std::string>& words, std::size_t& i)
{
    const std::string& text = words[i];
    const origin at{"fio argument " + text, 0, 0};
    const std::string stem = text.substr(std::min(text.find_first_not_of('-'), text.size()));
    const std::size_t equals = stem.find('=');
    entry e;
    e.name = {stem.substr(0, equals), at};
    e.value.at = at;
    if (e.name.text.empty()) {
        fail(at, "", "is no option", "write --rw=read");
    }
    if (equals != std::string::npos) {
        e.value.text = stem.substr(equals + 1);
        e.has_value = true;
    } else if (takes_next(e.name.text, words, i + 1)) {
        e.value.text = words[++i];
        e.has_value = true;
    }
    return e;
}

} // namespace

bool is_command_line(const std::string& text)
{
    const std::size_t first = text.find_first_not_of("'\"");
    return first != std::string::npos && text.size() > 1 && text[first] == '-';
}

std::string command_line_of(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words) {
        text += text.empty() ? "" : " ";
        if (!word.empty() && word.find_first_of(" \t\n'\"\\") == std::string::npos) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char c : word) {
            text += c == '\'' ? "'\\''" : std::string(1, c);
        }
        text += '\'';
    }
    return text;
}

std::vector<section> sections_of_command_line(const std::string& text)
{
    std::vector<section> sections;
    std::vector<std::string> words = words_of(text);
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].front() != '-') {
            add_file(words[i], sections);
            continue;
        }
        entry e = entry_of(words, i);
        if (e.name.text == "name") {
            if (e.value.text.empty()) {
                fail(e.name.at, "name", "no name", "write --name=JOB");
            }
            sections.push_back({e.value, {}});
            continue;
        }
        if (sections.empty()) {
            sections.push_back({{"global", e.name.at}, {}});
        }
        sections.back().entries.push_back(std::move(e));
    }
    return sections;
}

} // namespace ssdvp::platform::fio
