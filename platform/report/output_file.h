// SPDX-License-Identifier: Apache-2.0
//
// The one way in which a run opens a file that it writes. What its name leads to decides: over a
// regular file, or where nothing is, it is written beside and renamed when it is whole, behind any
// links, which stay; FIFOs, character devices and what this process already has open (/dev/stdout)
// are written as they are; anything else is refused.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ssdvp::platform {

/// An output that cannot be written. what() says why and what to do about it.
class output_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The same, noticed when it was written: the run has taken place, and part of its results is lost.
class write_error : public output_error {
public:
    using output_error::output_error;
};

/// What the name of an output leads to.
struct output_place {
    std::filesystem::path path; // where its links end
    bool replaced = true;       // written beside and renamed; else written as it is
    int open = -1;              // a descriptor of this process that the name means
};

/// Throws output_error for what no output is written to: folders, block devices, sockets, links
/// that go in a circle. `option`: where the name came from.
[[nodiscard]] output_place place_of(const std::filesystem::path& file, const char* option);

/// The name beside `file`, behind its links, under which it is written until it is whole; empty
/// where it is written as it is.
[[nodiscard]] std::filesystem::path partial_name(const std::filesystem::path& file);

class output_file {
public:
    /// Throws output_error. Waits for a FIFO's reader.
    output_file(const std::filesystem::path& file, const char* option);
    /// What was not finished is gone, unless it was written as it is.
    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    /// Keeps the first error for finish(); after one, nothing is written.
    void write(std::string_view text);
    [[nodiscard]] bool failed() const { return m_error != 0; }
    /// Gives the file its name. Throws write_error when any of it failed.
    void finish();

private:
    std::string m_name; // as the user gave it
    output_place m_place;
    std::filesystem::path m_partial; // empty: none
    int m_file = -1;
    int m_error = 0;
};

} // namespace ssdvp::platform
