// SPDX-License-Identifier: Apache-2.0
//
// Lines of a text file, plain or compressed with gzip or zstd, in constant memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ssdvp::host {

class trace_text {
public:
    /// Throws trace_error when the file cannot be opened.
    explicit trace_text(const std::string& file);
    ~trace_text();
    trace_text(const trace_text&) = delete;
    trace_text& operator=(const trace_text&) = delete;

    /// The next line that is not blank, without its end; valid until the next call. False at the
    /// end of the file. Throws trace_error when the file is damaged.
    bool next(std::string_view& line);
    [[nodiscard]] std::uint64_t line_number() const { return m_line; }
    [[nodiscard]] const std::string& file() const { return m_file; }

    /// file:line:column: what; `column` in the line that next() gave, from 1
    [[nodiscard]] std::string at_column(std::size_t column, const std::string& what) const;

private:
    class input; // decompressed bytes

    bool raw_line(std::string_view& line);
    bool fill();

    std::string m_file;
    std::unique_ptr<input> m_input;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0; // of the bytes not yet given out
    std::size_t m_end = 0;
    bool m_ended = false;
    std::uint64_t m_line = 0;
    std::size_t m_indent = 0; // blanks before the line that next() gave
};

} // namespace ssdvp::host
