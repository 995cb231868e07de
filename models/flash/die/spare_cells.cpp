// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/spare_cells.h"

namespace ssdvp::flash {

namespace {

constexpr unsigned kept_shift = 8; // both short forms of the first word keep bits from here on
constexpr std::uint64_t checksum_mask = 0xFFFF00;
constexpr std::uint64_t long_mask = 0x00FFFFFFFFFFFF00;
constexpr std::uint64_t below_step = 0xFFFFFF; // steps are of the bits above the checksum

constexpr std::uint32_t size_of(first_form form)
{
    return form == first_form::checksum ? 2 : form == first_form::number ? 6 : 8;
}

/// Of the first word: what is known without the page's own bytes.
std::uint64_t foretold(first_form form, const spare_rule& rule, page_index page)
{
    return form == first_form::checksum ? rule.first + page.value() * rule.first_step
           : form == first_form::number ? rule.first & ~long_mask
                                        : 0;
}

constexpr std::uint64_t mask_of(first_form form)
{
    return form == first_form::checksum ? checksum_mask
           : form == first_form::number ? long_mask
                                        : ~std::uint64_t{0};
}

constexpr unsigned shift_of(first_form form)
{
    return form == first_form::whole ? 0 : kept_shift;
}

bool keeps(first_form form, const spare_rule& rule, page_index page, std::uint64_t word)
{
    return ((word - foretold(form, rule, page)) & ~mask_of(form)) == 0;
}

} // namespace

std::uint32_t spare_cells::bytes(first_form form) const
{
    return m_words == 0 ? 0 : size_of(form);
}

void spare_cells::begin(spare_rule& rule, const std::uint64_t* words) const
{
    if (m_words != 0) {
        rule.first = words[0] & ~checksum_mask;
    }
    if (m_units != 0) {
        rule.unit = words[1];
    }
}

void spare_cells::set_steps(spare_rule& rule, const std::uint64_t* words) const
{
    if (m_words != 0) {
        rule.first_step = (words[0] - rule.first) & ~below_step;
    }
    if (m_units != 0) {
        rule.unit_step = words[1] - rule.unit;
    }
}

bool spare_cells::counts_up(const spare_rule& rule, page_index page,
                            const std::uint64_t* units) const
{
    for (std::uint32_t i = 0; i < m_units; ++i) {
        if (units[i] != unit(nullptr, unit_form::counted, rule, page, i)) {
            return false;
        }
    }
    return true;
}

bool spare_cells::are_numbers(const spare_rule& rule, const std::uint64_t* units) const
{
    for (std::uint32_t i = 0; i < m_units; ++i) {
        const bool alike = ((units[i] ^ rule.unit) & ~spare_cells::number_mask) == 0;
        if (units[i] != 0 && (!alike || static_cast<std::uint32_t>(units[i]) == zeros)) {
            return false;
        }
    }
    return true;
}

spare_form spare_cells::least(spare_form form, const spare_rule& rule, page_index page,
                              const std::uint64_t* words) const
{
    if (m_words == 0) {
        return form;
    }
    if (form.first == first_form::checksum && !keeps(form.first, rule, page, words[0])) {
        form.first = first_form::number;
    }
    if (form.first == first_form::number && !keeps(form.first, rule, page, words[0])) {
        form.first = first_form::whole;
    }
    if (form.units == unit_form::counted && !counts_up(rule, page, words + 1)) {
        form.units = unit_form::numbers;
    }
    if (form.units == unit_form::numbers && !are_numbers(rule, words + 1)) {
        form.units = unit_form::whole;
    }
    return form;
}

void spare_cells::put_first(unsigned char* to, first_form form, std::uint64_t word)
{
    const std::uint64_t kept = word >> shift_of(form);
    // Each a copy of known size: the compiler makes a store or two of it.
    switch (form) {
    case first_form::checksum:
        std::memcpy(to, &kept, size_of(first_form::checksum));
        break;
    case first_form::number:
        std::memcpy(to, &kept, size_of(first_form::number));
        break;
    case first_form::whole:
        std::memcpy(to, &kept, size_of(first_form::whole));
        break;
    }
}

void spare_cells::put_units(unsigned char* to, unit_form form, const std::uint64_t* units) const
{
    if (form == unit_form::whole) {
        std::memcpy(to, units, bytes(form));
        return;
    }
    for (std::uint32_t i = 0; i < m_units && form == unit_form::numbers; ++i) {
        const std::uint32_t number = units[i] == 0 ? zeros : static_cast<std::uint32_t>(units[i]);
        std::memcpy(to + i * number_size, &number, number_size);
    }
}

std::uint64_t spare_cells::first(const unsigned char* from, first_form form, const spare_rule& rule,
                                 page_index page)
{
    std::uint64_t kept = 0;
    switch (form) {
    case first_form::checksum:
        std::memcpy(&kept, from, size_of(first_form::checksum));
        break;
    case first_form::number:
        std::memcpy(&kept, from, size_of(first_form::number));
        break;
    case first_form::whole:
        std::memcpy(&kept, from, size_of(first_form::whole));
        break;
    }
    return foretold(form, rule, page) + (kept << shift_of(form));
}

void spare_cells::read_units(const unsigned char* from, unit_form form, const rule_of_page& r,
                             unsigned char* to, std::uint32_t length)
{
    if (form == unit_form::whole) {
        std::memcpy(to, from, length);
        return;
    }
    std::uint32_t i = 0;
    for (; (i + 1) * word_size <= length; ++i) {
        const std::uint64_t word = unit(from, form, r.rule, r.page, i);
        std::memcpy(to + i * word_size, &word, word_size);
    }
    if (i * word_size < length) {
        const std::uint64_t word = unit(from, form, r.rule, r.page, i);
        std::memcpy(to + i * word_size, &word, length - i * word_size);
    }
}

} // namespace ssdvp::flash
