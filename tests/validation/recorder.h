// SPDX-License-Identifier: Apache-2.0
//
// Writes down what a firmware on the RAM drive gets from outside (recording.h).
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "tests/support/ram_config.h"
#include "tests/validation/recording.h"

#include "firmware/hal/hal.h"

namespace ssdvp::test {

class recorder {
public:
    /// Makes the drive of this configuration one that is recorded. Outlives it.
    recorder(ram_config& c, const std::string& path);
    recorder(const recorder&) = delete;
    recorder& operator=(const recorder&) = delete;

    void mark(recording_mark m);
    /// Firmware must have these bytes there when it makes its next call.
    void expect(std::uint64_t address, const std::uint8_t* bytes, std::size_t size);
    /// Throws std::runtime_error if the file could not be written.
    void close();
    [[nodiscard]] std::uint64_t calls() const { return m_calls; }

private:
    /// What the drive runs; it leads from the port back to the recorder.
    struct image : firmware_image {
        recorder* to = nullptr;
    };

    static void main(hal* outer);
    void run(hal* outer);
    void fill_ops();
    void put(std::uint8_t kind);
    void put32(std::uint32_t value);
    void put64(std::uint64_t value);
    void put_memory(recording_kind kind, std::uint64_t address, const std::uint8_t* bytes,
                    std::size_t size);

    boot_params m_params;
    image m_image{};
    hal_ops m_ops{};
    hal m_hal{};
    hal* m_outer = nullptr;
    std::string m_path;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> m_file;
    std::uint64_t m_calls = 0;
};

} // namespace ssdvp::test
