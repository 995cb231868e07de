// SPDX-License-Identifier: Apache-2.0
#include "tests/models/register_access_bench.h"

#include <catch2/catch.hpp>

namespace ssdvp::test {

template <typename F>
void register_check::each(const F& act)
{
    for (const register_row& row : m_rows) {
        const std::uint32_t there = row.count == 1 ? 1 : m_port.array_entries;
        for (std::uint32_t i = 0; i < there; ++i) {
            const std::uint32_t at = row.offset + i * row.stride;
            INFO(row.name << " at offset " << at);
            act(row, at);
        }
    }
}

void register_check::write_plain(const register_row& row, std::uint32_t at, std::uint32_t value)
{
    if ((row.rw & ~row.acts) != 0) {
        CHECK(m_port.write(at, value & row.rw & ~row.acts));
    }
}

void register_check::check_plain(const register_row& row, std::uint32_t at, std::uint32_t value)
{
    if ((row.rw & ~row.acts) != 0) {
        CHECK(m_port.read(at) == (value & row.rw & ~row.acts));
    }
}

void register_check::refused(std::uint32_t at, std::uint32_t value)
{
    const std::optional<std::uint32_t> before = m_port.read(at);
    INFO("value " << value);
    CHECK_FALSE(m_port.write(at, value));
    CHECK(m_port.read(at) == before);
}

void register_check::all(std::uint32_t window)
{
    reset();
    read_only();
    plain();
    set_and_clear();
    limits();
    doorbells();
    write_only();
    undescribed(window);
}

void register_check::reset()
{
    each([this](const register_row& row, std::uint32_t at) {
        const std::optional<std::uint32_t> value = m_port.read(at);
        if (row.readable == 0) {
            CHECK(value.value_or(0) == 0);
        } else {
            REQUIRE(value);
            CHECK((*value & ~row.configured) == row.reset);
        }
    });
}

void register_check::read_only()
{
    each([this](const register_row& row, std::uint32_t at) {
        if (!row.read_only()) {
            return;
        }
        const std::optional<std::uint32_t> before = m_port.read(at);
        for (const std::uint32_t value : {~before.value_or(0), 0u, ~0u}) {
            m_port.write(at, value);
            CHECK(m_port.read(at) == before);
        }
    });
}

void register_check::plain()
{
    each([this](const register_row& row, std::uint32_t at) {
        for (const std::uint32_t pattern : {0x55555555u, 0xAAAAAAAAu, ~0u, 0u}) {
            write_plain(row, at, pattern);
            check_plain(row, at, pattern);
        }
    });
    const auto own = [](std::uint32_t at) { return (at + 4) * 0x9E3779B1u; };
    each([&](const register_row& row, std::uint32_t at) { write_plain(row, at, own(at)); });
    each([&](const register_row& row, std::uint32_t at) { check_plain(row, at, own(at)); });
    each([this](const register_row& row, std::uint32_t at) { write_plain(row, at, row.reset); });
}

void register_check::set_and_clear()
{
    each([this](const register_row& row, std::uint32_t at) {
        if (row.w1s != 0) {
            CHECK(m_port.write(at, 0x0F0F0F0Fu & row.w1s));
            CHECK(m_port.read(at) == (0x0F0F0F0Fu & row.w1s));
            CHECK(m_port.write(at, 0));
            CHECK(m_port.read(at) == (0x0F0F0F0Fu & row.w1s));
            CHECK(m_port.write(at, 0x80000001u & row.w1s));
            CHECK(m_port.read(at) == (0x8F0F0F0Fu & row.w1s));
        }
        if (row.w1c != 0) {
            m_port.set_all(at);
            CHECK(m_port.read(at) == row.w1c);
            CHECK(m_port.write(at, 0));
            CHECK(m_port.read(at) == row.w1c);
            CHECK(m_port.write(at, 0x0F0F0F0Fu & row.w1c));
            CHECK(m_port.read(at) == (0xF0F0F0F0u & row.w1c));
            CHECK(m_port.write(at, row.w1c));
            CHECK(m_port.read(at) == 0u);
        }
    });
}

void register_check::limits()
{
    each([this](const register_row& row, std::uint32_t at) {
        if (row.legal_min == 0) {
            return;
        }
        CHECK(m_port.write(at, row.legal_min));
        refused(at, row.legal_min - 1);
        if (row.legal_max != 0) {
            CHECK(m_port.write(at, row.legal_max));
            CHECK(m_port.read(at) == row.legal_max);
            refused(at, row.legal_max + 1);
            CHECK(m_port.write(at, row.legal_min));
        }
        CHECK(m_port.read(at) == row.legal_min);
    });
}

void register_check::doorbells()
{
    each([this](const register_row& row, std::uint32_t at) {
        if ((row.rw & row.acts) != ~0u || row.legal_min != 0) {
            return;
        }
        if (m_port.in_context.count(row.name) == 0) {
            CHECK(m_port.write(at, 0));
            refused(at, 2);
        } else {
            refused(at, 0);
        }
        refused(at, ~0u);
    });
}

void register_check::write_only()
{
    each([this](const register_row& row, std::uint32_t at) {
        if (row.write_only != 0) {
            m_port.write(at, 1);
            CHECK(m_port.read(at).value_or(0) == 0);
            m_port.write(at, 0);
        }
    });
}

void register_check::undescribed(std::uint32_t window)
{
    std::set<std::uint32_t> described;
    for (const register_row& row : m_rows) {
        for (std::uint32_t i = 0; i < row.count; ++i) {
            described.insert(row.offset + i * row.stride);
        }
    }
    for (std::uint32_t at = 0; at < window; at += 4) {
        if (described.count(at) == 0) {
            INFO("offset " << at);
            CHECK(m_port.read(at).value_or(0) == 0);
            m_port.write(at, ~0u);
            CHECK(m_port.read(at).value_or(0) == 0);
        }
    }
}

} // namespace ssdvp::test
