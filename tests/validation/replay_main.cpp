// SPDX-License-Identifier: Apache-2.0
//
// ssdvp_fw_replay: plays a recording to a firmware image on the host, and tells how long the work
// between its marks took there, or how many instructions it would have been on each target.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "platform/ssd/firmware_timing.h"
#include "tests/validation/host_machine.h"
#include "tests/validation/recording.h"

namespace {

using ssdvp::platform::firmware_timing;
using ssdvp::test::host_machine;

std::vector<char> contents_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw std::invalid_argument(path + " cannot be read");
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

/// An image that stays loaded.
class loaded_image {
public:
    explicit loaded_image(const std::string& path)
        : m_path(std::filesystem::absolute(path).string()),
          m_library(dlopen(m_path.c_str(), RTLD_NOW | RTLD_LOCAL))
    {
        if (m_library == nullptr) {
            throw std::invalid_argument(dlerror());
        }
    }
    [[nodiscard]] const firmware_image& image() const
    {
        return *static_cast<const firmware_image*>(symbol(FIRMWARE_IMAGE_SYMBOL));
    }
    [[nodiscard]] const fw_timing& timing() const
    {
        return *static_cast<const fw_timing*>(symbol(FW_TIMING_SYMBOL));
    }
    [[nodiscard]] std::string timing_file() const { return m_path + ".timing"; }

private:
    [[nodiscard]] const void* symbol(const char* name) const
    {
        const void* found = dlsym(m_library, name);
        if (found == nullptr) {
            throw std::invalid_argument(m_path + " has no symbol " + name);
        }
        return found;
    }

    std::string m_path;
    void* m_library;
};

/// Looks at the account of a timed image at the marks.
class counting_machine final : public host_machine {
public:
    explicit counting_machine(const fw_timing& timing) : m_timing(timing) {}
    [[nodiscard]] long long instructions() const
    {
        return (m_stop - m_start + FW_TIMING_ONE / 2) / FW_TIMING_ONE;
    }

protected:
    void mark(std::uint32_t which) override
    {
        std::int64_t& to = which == RECORDING_START ? m_start : m_stop;
        to = 0;
        for (unsigned i = 0; i < FW_TIMING_ACCOUNTS; ++i) {
            to += m_timing.spent[i].instructions;
        }
    }

private:
    const fw_timing& m_timing;
    std::int64_t m_start = 0, m_stop = 0;
};

/// On each core that the image has tables for.
void print_counts(const loaded_image& image, const std::string& recording)
{
    const std::vector<char> file = contents_of(image.timing_file());
    const std::string_view tables(file.data(), file.size());
    const firmware_timing timing(image.timing(), tables, image.timing_file());
    counting_machine m(image.timing());
    m.bytes = contents_of(recording);
    const auto records = ssdvp::platform::read_timing(tables, image.timing_file());
    for (const auto& target : records.front().targets) {
        const auto bound = timing.bind(target.name, {}); // what a cycle does is not asked
        m.play(&image.image());
        std::printf("instructions %s %lld\n", target.name.c_str(), m.instructions());
    }
}

/// Function by function on one core: all tables but those of one function's blocks are emptied, and
/// the recording is played again. What it calls belongs to the callee, unless it was inlined.
void print_functions(const loaded_image& image, const std::string& recording,
                     const std::string& core)
{
    const std::vector<char> file = contents_of(image.timing_file());
    const std::string_view tables(file.data(), file.size());
    const firmware_timing timing(image.timing(), tables, image.timing_file());
    counting_machine m(image.timing());
    m.bytes = contents_of(recording);
    const auto bound = timing.bind(core, {});
    std::vector<std::vector<fw_timing_cost>> full;
    for (const fw_timing_module* at = image.timing().first; at != image.timing().end; ++at) {
        full.emplace_back(at->table, at->table + at->blocks);
        std::fill_n(at->table, at->blocks, fw_timing_cost{});
    }
    m.play(&image.image());
    const long long strides = m.instructions(); // of memory functions, which is in no table
    std::printf("function (strides) %lld\n", strides);
    for (const auto& record : ssdvp::platform::read_timing(tables, image.timing_file())) {
        const fw_timing_module* module = image.timing().first;
        while (record.name != module->name) {
            ++module; // firmware_timing has looked that there is one
        }
        const auto& costs = full[static_cast<std::size_t>(module - image.timing().first)];
        for (std::size_t f = 0; f < record.functions.size(); ++f) {
            const std::size_t from = record.functions[f].second;
            const std::size_t to =
                f + 1 < record.functions.size() ? record.functions[f + 1].second : costs.size();
            std::copy_n(costs.begin() + static_cast<std::ptrdiff_t>(from), to - from,
                        module->table + from);
            m.play(&image.image());
            std::fill_n(module->table + from, to - from, fw_timing_cost{});
            std::printf("function %s %lld\n", record.functions[f].first.c_str(),
                        m.instructions() - strides);
        }
    }
}

/// The shortest time between the marks, of the replay with that image or of the replay alone.
double shortest_ns(host_machine& m, const firmware_image* image, unsigned repeat)
{
    double best = 0;
    for (unsigned n = 0; n < repeat; ++n) {
        m.play(image);
        best = n == 0 || m.marked_ns() < best ? m.marked_ns() : best;
    }
    return best;
}

void print_times(const loaded_image& image, const std::string& recording, unsigned repeat)
{
    host_machine m;
    m.bytes = contents_of(recording);
    const double all = shortest_ns(m, &image.image(), repeat);
    std::printf("host_ns %.0f\nreplay_ns %.0f\n", all, shortest_ns(m, nullptr, repeat));
}

} // namespace

/// SystemC, which the platform's libraries bring, refers to it. Nothing is simulated here.
int sc_main(int, char**)
{
    return 1;
}

int main(int argc, char** argv)
{
    std::string firmware;
    std::string recording;
    unsigned repeat = 1;
    bool count = false;
    std::string functions;
    CLI::App app{"Plays a recording of ssdvp_fw_record to a firmware image"};
    app.add_option("--firmware", firmware, "image, a shared object")->required();
    app.add_option("--repeat", repeat, "runs; the time is the shortest one's")
        ->check(CLI::PositiveNumber);
    app.add_flag("--count", count, "instructions on each core, by the image's tables");
    app.add_option("--functions", functions, "instructions by function, on this core");
    app.add_option("recording", recording, "file of ssdvp_fw_record")->required();
    CLI11_PARSE(app, argc, argv);
    try {
        const loaded_image image(firmware);
        if (count) {
            print_counts(image, recording);
        } else if (!functions.empty()) {
            print_functions(image, recording, functions);
        } else {
            print_times(image, recording, repeat);
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ssdvp_fw_replay: %s\n", e.what());
        return 1;
    }
    return 0;
}
