// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/host_machine.h"

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <string>

#include "tests/validation/recording.h"

namespace ssdvp::test {

namespace {

std::uint8_t* zeroes(std::vector<std::uint8_t>& memory, std::uint32_t size)
{
    memory.assign(size, 0);
    return memory.data();
}

double processor_ns()
{
    timespec now{};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) {
        throw std::runtime_error("this host has no clock of processor time");
    }
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

} // namespace

host_machine::host_machine() : m_replay(std::make_unique<replay>())
{
    m_functions.ctx = this;
    m_functions.read = [](void* ctx, std::uint8_t* to, std::size_t size) {
        return static_cast<host_machine*>(ctx)->read(to, size);
    };
    m_functions.sram = [](void* ctx, std::uint32_t size) {
        return zeroes(static_cast<host_machine*>(ctx)->m_sram, size);
    };
    m_functions.dram = [](void* ctx, std::uint32_t size) {
        return zeroes(static_cast<host_machine*>(ctx)->m_dram, size);
    };
    m_functions.mark = [](void* ctx, std::uint32_t which) {
        static_cast<host_machine*>(ctx)->mark(which);
    };
    m_functions.fail = [](void*, const char* what, std::uint64_t call) {
        throw std::runtime_error("call " + std::to_string(call) + ": " + what);
    };
}

std::size_t host_machine::read(std::uint8_t* to, std::size_t size)
{
    const std::size_t n = std::min(size, bytes.size() - m_at);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(m_at), n, to);
    m_at += n;
    return n;
}

std::uint64_t host_machine::play(const firmware_image* image)
{
    m_at = 0;
    playback_open(m_replay.get(), &m_functions);
    if (image != nullptr) {
        playback_run(m_replay.get(), image);
    } else {
        playback_alone(m_replay.get());
    }
    return m_replay->calls;
}

double host_machine::marked_ns() const
{
    return m_stop - m_start;
}

void host_machine::mark(std::uint32_t which)
{
    (which == RECORDING_START ? m_start : m_stop) = processor_ns();
}

} // namespace ssdvp::test
