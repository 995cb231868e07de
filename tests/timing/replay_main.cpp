// SPDX-License-Identifier: Apache-2.0
//
// ssdvp_fw_replay: runs a firmware image on the host with a recording.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <dlfcn.h>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/timing/host_machine.h"

namespace {

using ssdvp::test::host_machine;

std::vector<char> contents_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw std::invalid_argument(path + " cannot be read");
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

const firmware_image& load(const std::string& path)
{
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw std::invalid_argument(dlerror());
    }
    const auto* image = static_cast<const firmware_image*>(dlsym(library, FIRMWARE_IMAGE_SYMBOL));
    if (image == nullptr) {
        throw std::invalid_argument(path + " has no symbol " + FIRMWARE_IMAGE_SYMBOL);
    }
    return *image;
}

struct options {
    std::string firmware, recording;
    unsigned repeat = 1;
};

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

void run(const options& o)
{
    host_machine m;
    m.bytes = contents_of(o.recording);
    const double all = shortest_ns(m, &load(o.firmware), o.repeat);
    std::printf("host_ns %.0f\nreplay_ns %.0f\n", all, shortest_ns(m, nullptr, o.repeat));
}

} // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app{"Runs a firmware image with a recording of ssdvp_fw_record"};
    app.add_option("--firmware", o.firmware, "image, a shared object")->required();
    app.add_option("--repeat", o.repeat, "runs; the time is the shortest one's")
        ->check(CLI::PositiveNumber);
    app.add_option("recording", o.recording, "file of ssdvp_fw_record")->required();
    CLI11_PARSE(app, argc, argv);
    try {
        run(o);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ssdvp_fw_replay: %s\n", e.what());
        return 1;
    }
    return 0;
}
