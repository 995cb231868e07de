// SPDX-License-Identifier: Apache-2.0
//
// ssdvp_fw_kernels TIMING CORE: runs each kernel on the host, and prints its name, its result and
// the instructions that the tables say of the core. Exit code 1 where the core refuses the image.
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <systemc>

#include "platform/ssd/firmware_timing.h"

extern "C" {
#include "tests/validation/kernels/kernels.h"
extern const fw_timing ssdvp_fw_timing;
}

namespace {

alignas(64) std::uint8_t memory[KERNEL_MEMORY];

template <class Work>
void for_each_kernel(Work work)
{
    for (const kernel_list* list :
         {&kernels_control, &kernels_data, &kernels_memory, &kernels_numbers, &kernels_last}) {
        for (std::size_t i = 0; i < list->count; ++i) {
            std::memset(memory, 0, sizeof memory);
            work(list->kernels[i]);
        }
    }
}

std::int64_t taken()
{
    std::int64_t sum = 0;
    for (unsigned i = 0; i < FW_TIMING_ACCOUNTS; ++i) {
        sum += ssdvp_fw_timing.spent[i].instructions;
        ssdvp_fw_timing.spent[i] = {};
    }
    return (sum + FW_TIMING_ONE / 2) / FW_TIMING_ONE;
}

void run(const std::string& path, const std::string& core)
{
    std::ifstream in(path, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    const ssdvp::platform::firmware_timing timing(ssdvp_fw_timing, file, path);
    const auto bound = timing.bind(core, {}); // what a cycle does is not asked
    for_each_kernel([](const kernel& k) {
        taken();
        const std::uint64_t result = k.run(memory);
        std::printf("%s 0x%llx %lld\n", k.name, static_cast<unsigned long long>(result),
                    static_cast<long long>(taken()));
    });
}

} // namespace

/// SystemC, which the platform's libraries bring, refers to it. Nothing is simulated here.
int sc_main(int, char**)
{
    return 1;
}

int main(int argc, char** argv)
{
    try {
        run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ssdvp_fw_kernels: %s\n", e.what());
        return 1;
    }
    return 0;
}
