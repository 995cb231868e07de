// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/recorder.h"

#include <array>
#include <stdexcept>

#include "tests/support/ram_nand.h"

namespace ssdvp::test {

namespace {

template <typename T>
void put_number(std::FILE* file, T value)
{
    std::array<unsigned char, sizeof(T)> bytes{};
    for (unsigned char& b : bytes) {
        b = static_cast<unsigned char>(value & 0xFF);
        value = static_cast<T>(value >> 8);
    }
    std::fwrite(bytes.data(), 1, bytes.size(), file);
}

} // namespace

recorder::recorder(ram_config& c, const std::string& path)
    : m_params(c.params), m_path(path), m_file(std::fopen(path.c_str(), "wb"), &std::fclose)
{
    if (m_file == nullptr) {
        throw std::runtime_error(path + " cannot be written");
    }
    static_cast<firmware_image&>(m_image) = ssdvp_firmware;
    m_image.main = &recorder::main;
    m_image.to = this;
    c.firmware = &m_image;
    c.on_memory = [this](std::uint64_t address, const std::uint8_t* bytes, std::size_t size) {
        put_memory(RECORDING_MEMORY, address, bytes, size);
    };
    fill_ops();
    put32(RECORDING_MAGIC);
    put32(RECORDING_VERSION);
    put32(static_cast<std::uint32_t>(c.params.sram_size));
    put32(static_cast<std::uint32_t>(c.params.dram_size));
}

void recorder::main(hal* outer)
{
    const ram_config& c = static_cast<ram_nand*>(outer->ctx)->config;
    static_cast<const image*>(c.firmware)->to->run(outer);
}

void recorder::run(hal* outer)
{
    m_outer = outer;
    m_hal = *outer;
    m_hal.ops = &m_ops;
    m_hal.ctx = this;
    put_memory(RECORDING_MEMORY, MAP_SRAM_BASE + BOOT_PARAMS_OFFSET,
               outer->sram + BOOT_PARAMS_OFFSET, sizeof m_params);
    put(RECORDING_RESET);
    ssdvp_firmware.main(&m_hal);
    put(RECORDING_END);
}

/// Each asks the drive first: what the devices do meanwhile comes before the answer.
void recorder::fill_ops()
{
    m_ops.read32 = [](void* ctx, std::uint64_t address) {
        auto* self = static_cast<recorder*>(ctx);
        const std::uint32_t value = hal_read32(self->m_outer, address);
        self->put(RECORDING_READ);
        self->put64(address);
        self->put32(value);
        return value;
    };
    m_ops.write32 = [](void* ctx, std::uint64_t address, std::uint32_t value) {
        auto* self = static_cast<recorder*>(ctx);
        hal_write32(self->m_outer, address, value);
        self->put(RECORDING_WRITE);
        self->put64(address);
        self->put32(value);
    };
    m_ops.wait_irq = [](void* ctx) {
        auto* self = static_cast<recorder*>(ctx);
        const std::uint64_t lines = hal_wait_irq(self->m_outer);
        self->put(RECORDING_WAIT);
        self->put64(lines);
        return lines;
    };
    m_ops.time_ns = [](void* ctx) {
        auto* self = static_cast<recorder*>(ctx);
        const std::uint64_t ns = hal_time_ns(self->m_outer);
        self->put(RECORDING_TIME);
        self->put64(ns);
        return ns;
    };
    m_ops.log = [](void* ctx, int level, const char* message, std::uint64_t a, std::uint64_t b) {
        auto* self = static_cast<recorder*>(ctx);
        hal_log(self->m_outer, level, message, a, b);
        self->put(RECORDING_LOG);
        self->put32(static_cast<std::uint32_t>(level));
    };
    m_ops.panic = [](void* ctx, const char* file, int line, const char* message) {
        const hal* outer = static_cast<recorder*>(ctx)->m_outer;
        outer->ops->panic(outer->ctx, file, line, message);
    };
    m_ops.stopping = [](void* ctx) {
        auto* self = static_cast<recorder*>(ctx);
        const int answer = hal_stopping(self->m_outer);
        self->put(RECORDING_STOPPING);
        self->put32(static_cast<std::uint32_t>(answer));
        return answer;
    };
}

void recorder::mark(recording_mark m)
{
    put(RECORDING_MARK);
    put32(static_cast<std::uint32_t>(m));
}

void recorder::expect(std::uint64_t address, const std::uint8_t* bytes, std::size_t size)
{
    put_memory(RECORDING_EXPECT, address, bytes, size);
}

void recorder::put(std::uint8_t kind)
{
    m_calls += kind <= RECORDING_STOPPING ? 1 : 0;
    put_number(m_file.get(), kind);
}

void recorder::put32(std::uint32_t value)
{
    put_number(m_file.get(), value);
}

void recorder::put64(std::uint64_t value)
{
    put_number(m_file.get(), value);
}

void recorder::put_memory(recording_kind kind, std::uint64_t address, const std::uint8_t* bytes,
                          std::size_t size)
{
    put(static_cast<std::uint8_t>(kind));
    put64(address);
    put32(static_cast<std::uint32_t>(size));
    std::fwrite(bytes, 1, size, m_file.get());
}

void recorder::close()
{
    const bool bad = std::ferror(m_file.get()) != 0;
    if (std::fclose(m_file.release()) != 0 || bad) {
        throw std::runtime_error(m_path + " could not be written");
    }
}

} // namespace ssdvp::test
