// SPDX-License-Identifier: Apache-2.0
#include "platform/fio/job_text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

#include "platform/input/text_file.h"

namespace ssdvp::platform::fio {

namespace {

constexpr int deepest_include = 16;
constexpr std::size_t most_includes = 256;     // of all files: one may be included again and again
constexpr std::size_t longest_line = 1u << 14; // bytes, with its variables; fio takes 8 KiB
constexpr const char* unreadable = "give the path of a fio job file";
constexpr std::string_view blanks = " \t\r\v\f";

class parser {
public:
    explicit parser(std::vector<section>& out) : m_out(out) {}

    void parse(std::string_view text, const std::string& file, int depth)
    {
        int line = 0;
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            read_line({std::string(text.substr(0, end)), {file, ++line, 1}}, depth);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
    }

private:
    static void check_length(const word& line)
    {
        if (line.text.size() > longest_line) {
            fail(line.at, "", fmt::format("a line of more than {} characters", longest_line),
                 "write shorter lines");
        }
    }
    static word trimmed(const word& w)
    {
        const std::size_t first = w.text.find_first_not_of(blanks);
        if (first == std::string::npos) {
            return w.part(w.text.size());
        }
        return w.part(first, w.text.find_last_not_of(blanks) + 1 - first);
    }
    void read_line(word line, int depth)
    {
        check_length(line);
        const auto control = std::find_if(line.text.begin(), line.text.end(), [](char c) {
            return (static_cast<unsigned char>(c) < 0x20u && blanks.find(c) == blanks.npos) ||
                   c == 0x7F;
        });
        if (control != line.text.end()) {
            const auto at = static_cast<std::size_t>(control - line.text.begin());
            fail(line.part(at).at, "", fmt::format("a byte {:d}, as no text has", *control),
                 unreadable);
        }
        line = trimmed(line.part(0, line.text.find_first_of(";#"))); // as fio: anywhere in a line
        if (line.text.empty()) {
            return;
        }
        if (line.text.front() == '[') {
            open(line);
        } else if (line.text.compare(0, 7, "include") == 0 && line.text.size() > 7 &&
                   blanks.find(line.text[7]) != std::string_view::npos) {
            include(trimmed(line.part(7)), depth);
        } else {
            add(line);
        }
    }
    void open(const word& line)
    {
        if (line.text.back() != ']') {
            fail(line.part(line.text.size()).at, "", "a section's name without ']'",
                 "write [name]");
        }
        section s;
        s.name = trimmed(line.part(1, line.text.size() - 2));
        if (s.name.text.empty()) {
            fail(line.at, "", "a section without a name", "write [name]");
        }
        m_out.push_back(std::move(s));
    }
    void include(const word& name, int depth)
    {
        if (depth == deepest_include) {
            fail(name.at, "include", fmt::format("more than {} files deep", deepest_include),
                 "end the circle of files that include each other");
        }
        const std::filesystem::path beside =
            std::filesystem::path(name.at.label).parent_path() / name.text;
        if (++m_includes > most_includes) {
            fail(name.at, "include", fmt::format("more than {} files included", most_includes),
                 "write what they say into fewer of them");
        }
        parse(read_text_file(beside.string(), name.at, unreadable), beside.string(), depth + 1);
    }
    void add(const word& line)
    {
        const std::size_t equals = line.text.find('=');
        entry e;
        e.name = trimmed(line.part(0, equals));
        e.has_value = equals != std::string::npos;
        if (e.has_value) {
            e.value = trimmed(line.part(equals + 1));
            expand(e.value);
        } else {
            e.value = line.part(line.text.size());
        }
        if (m_out.empty()) {
            fail(line.at, e.name.text, "stands before the first section",
                 "write [global] or the name of a job above it");
        }
        m_out.back().entries.push_back(std::move(e));
    }
    /// ${NAME} is the environment's variable.
    static void expand(word& value)
    {
        std::size_t from = 0;
        for (;;) {
            const std::size_t begin = value.text.find("${", from);
            if (begin == std::string::npos) {
                return;
            }
            const std::size_t end = value.text.find('}', begin);
            if (end == std::string::npos) {
                fail(value.part(begin).at, "", "'${' without '}'", "write ${NAME}");
            }
            const std::string name = value.text.substr(begin + 2, end - begin - 2);
            const char* text = std::getenv(name.c_str());
            if (text == nullptr) {
                fail(value.part(begin).at, "",
                     fmt::format("the environment has no variable '{}'", name),
                     fmt::format("run with {}=VALUE before the command", name));
            }
            value.text.replace(begin, end + 1 - begin, text);
            check_length(value);
            from = begin + std::strlen(text);
        }
    }

    std::vector<section>& m_out;
    std::size_t m_includes = 0;
};

} // namespace

word word::part(std::size_t from, std::size_t length) const
{
    word w{text.substr(from, length), at};
    w.at.column += static_cast<int>(from);
    return w;
}

std::vector<word> split(const word& w, char separator)
{
    std::vector<word> parts;
    std::size_t from = 0;
    for (;;) {
        const std::size_t end = w.text.find(separator, from);
        word p = w.part(from, end == std::string::npos ? end : end - from);
        const std::size_t first = p.text.find_first_not_of(blanks);
        const std::size_t last = p.text.find_last_not_of(blanks);
        parts.push_back(first == std::string::npos ? p.part(p.text.size())
                                                   : p.part(first, last + 1 - first));
        if (end == std::string::npos) {
            return parts;
        }
        from = end + 1;
    }
}

std::vector<section> parse_sections(std::string_view text, const std::string& file)
{
    std::vector<section> sections;
    parser(sections).parse(text, file, 0);
    return sections;
}

std::vector<section> read_sections(const std::string& file)
{
    return parse_sections(read_text_file(file, {file, 0, 0}, unreadable), file);
}

} // namespace ssdvp::platform::fio
