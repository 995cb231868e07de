// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/packed_pages.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::flash {

namespace {

constexpr std::uint64_t host_line = 64; // bytes of a line of the host's cache
constexpr std::uint32_t word_size = sizeof(std::uint64_t);

} // namespace

packed_pages::packed_pages(const die_config& config)
    : m_pages(config.geo.pages_per_block), m_tagged(config.data == data_mode::tag),
      m_bitmap_bytes(config.order == page_order::any ? (m_pages + 7) / 8 : 0),
      m_spare(config.stored_oob), m_tags(config.geo.page_size / sector_size, m_spare.units()),
      m_words(1 + m_spare.units()), m_sector_tags(config.geo.page_size / sector_size)
{
    for (const first_form first : {first_form::checksum, first_form::number, first_form::whole}) {
        for (const unit_form units : {unit_form::counted, unit_form::numbers, unit_form::whole}) {
            for (const tag_form tags : {tag_form::followed, tag_form::versions, tag_form::runs}) {
                m_forms.push_back(cells_of({{first, units}, tags}));
            }
        }
    }
}

packed_pages::form_cells packed_pages::cells_of(const packed_form& f) const
{
    const std::uint32_t units = m_spare.bytes(f.spare.units);
    const std::uint32_t page = units + (m_tagged ? m_tags.bytes(f.tags) : 0);
    const std::uint32_t first = m_spare.bytes(f.spare.first);
    const std::uint64_t firsts_at = std::uint64_t{m_pages} * page;
    const std::uint64_t marks_at = firsts_at + std::uint64_t{m_pages} * first;
    // Whole lines, so that all blocks lie in them alike; at least one.
    const std::uint64_t lines = (marks_at + m_bitmap_bytes + host_line - 1) / host_line;
    return {buffer_pool(std::max(lines, std::uint64_t{1}) * host_line),
            page,
            units,
            first,
            firsts_at,
            marks_at};
}

void packed_pages::read_oob(const packed_block& b, page_index page, unsigned char* to,
                            std::uint32_t length) const
{
    const form_cells& f = cells(b);
    const unsigned char* from = f.buffers.at(b.buffer);
    const std::uint64_t first =
        length == 0 ? 0
                    : spare_cells::first(from + f.first_at(page), b.form.spare.first, b.rule, page);
    std::memcpy(to, &first, std::min(length, word_size));
    if (length > word_size) {
        spare_cells::read_units(from + f.page_at(page), b.form.spare.units, {b.rule, page},
                                to + word_size, length - word_size);
    }
}

/// fn(run, first, count) of what each piece has of the sectors in `range`.
template <typename Fn>
void packed_pages::for_each_run(const packed_block& b, page_index page, sector_range range,
                                Fn fn) const
{
    const form_cells& f = cells(b);
    const unsigned char* units = f.buffers.at(b.buffer) + f.page_at(page);
    const std::uint32_t length = m_tags.piece_sectors(b.form.tags);
    while (range.first < range.last) {
        const std::uint32_t piece = range.first / length;
        const std::uint64_t word =
            b.form.tags == tag_form::runs
                ? 0
                : spare_cells::unit(units, b.form.spare.units, b.rule, page, m_tags.unit_of(piece));
        const tag_run run = m_tags.get(units + f.tags_at, b.form.tags, b.distance, piece, word);
        const std::uint32_t end = std::min(range.last, (piece + 1) * length);
        fn(run, range.first - piece * length, end - range.first);
        range.first = end;
    }
}

namespace {

/// `count` tags from the `at`-th of the run on, each to the begin of its sector.
void write_tags(unsigned char* to, const tag_run& run, std::uint32_t at, std::uint32_t count)
{
    const std::size_t length = std::size_t{count} * sector_size;
    if (run.list != nullptr) {
        const std::uint64_t* tag = run.list + at;
        for_each_sector(length, [&](std::size_t i) { std::memcpy(to + i, tag++, tag_size); });
        return;
    }
    std::uint64_t tag = run[at];
    for_each_sector(length, [&](std::size_t i) {
        std::memcpy(to + i, &tag, tag_size);
        tag += run.step;
    });
}

} // namespace

void packed_pages::read_tags(const packed_block& b, const page_slice& slice,
                             unsigned char* to) const
{
    const std::uint32_t first = slice.column / sector_size;
    for_each_run(b, slice.page, {first, first + slice.length / sector_size},
                 [&to](const tag_run& run, std::uint32_t at, std::uint32_t count) {
                     write_tags(to, run, at, count);
                     to += std::size_t{count} * sector_size;
                 });
}

/// What a page says of its block: the first one, and the second one.
void packed_pages::learn(packed_block& b, page_index page, const content& c) const
{
    if (b.programmed == 0) {
        b.form = {{first_form::checksum, unit_form::counted}, m_tags.least()};
        m_spare.begin(b.rule, c.words);
    } else if (b.programmed == 1 && page.value() == 1 && holds(b, page_index(0))) {
        m_spare.set_steps(b.rule, c.words);
    }
    if (m_tagged && b.distance == 0) {
        m_tags.learn(b.distance, c.words + 1, c.tags);
        // Pages without a distance hold zeros, which no longer follow.
        if (b.distance != 0 && b.programmed != 0) {
            b.form.tags = std::max(b.form.tags, tag_form::versions);
        }
    }
}

packed_form packed_pages::least(const packed_block& b, page_index page, const content& c) const
{
    packed_form f = b.form;
    f.spare = m_spare.least(f.spare, b.rule, page, c.words);
    if (m_tagged) {
        f.tags = m_tags.least(f.tags, b.distance, c.words + 1, c.tags);
    }
    return f;
}

void packed_pages::program(packed_block& b, page_index page, const content& c)
{
    packed_block next = b;
    learn(next, page, c);
    next.form = least(next, page, c);
    if (b.programmed == 0) {
        take(next);
    } else if (!(next.form == b.form)) {
        move(b, next);
    }
    put(next, page, c);
    mark(next, page);
    b = next;
}

/// Memory for the block in its form, of no page yet.
void packed_pages::take(packed_block& b)
{
    b.pooled = 0;
    b.buffer = cells(b).buffers.take();
    std::memset(mark_of(b, page_index(0)), 0, m_bitmap_bytes);
}

/// The pages of `from` to `to`, whose form and rule are new.
void packed_pages::move(const packed_block& from, packed_block& to)
{
    const page_index end(m_bitmap_bytes == 0 ? from.programmed : m_pages);
    for (page_index page; page < end; ++page) {
        if (holds(from, page)) {
            to.form = least(to, page, load(from, page));
        }
    }
    take(to);
    for (page_index page; page < end; ++page) {
        if (holds(from, page)) {
            put(to, page, load(from, page));
        }
    }
    if (m_bitmap_bytes != 0) {
        std::memcpy(mark_of(to, page_index(0)), mark_of(from, page_index(0)), m_bitmap_bytes);
    }
    release(from);
}

packed_pages::content packed_pages::load(const packed_block& b, page_index page)
{
    read_oob(b, page, reinterpret_cast<unsigned char*>(m_words.data()),
             m_spare.words() * word_size);
    if (m_tagged) {
        std::uint64_t* to = m_sector_tags.data();
        for_each_run(b, page, {0, static_cast<std::uint32_t>(m_sector_tags.size())},
                     [&to](const tag_run& run, std::uint32_t at, std::uint32_t count) {
                         for (std::uint32_t i = 0; i < count; ++i) {
                             *to++ = run[at + i];
                         }
                     });
    }
    return {m_words.data(), m_sector_tags.data()};
}

void packed_pages::put(packed_block& b, page_index page, const content& c)
{
    form_cells& f = cells(b);
    unsigned char* to = f.buffers.at(b.buffer);
    if (m_spare.words() != 0) {
        spare_cells::put_first(to + f.first_at(page), b.form.spare.first, c.words[0]);
        m_spare.put_units(to + f.page_at(page), b.form.spare.units, c.words + 1);
    }
    if (m_tagged) {
        b.pooled += m_tags.put(to + f.page_at(page) + f.tags_at, b.form.tags, c.tags);
    }
}

void packed_pages::mark(packed_block& b, page_index page)
{
    if (m_bitmap_bytes == 0) {
        b.programmed = page.value() + 1;
        return;
    }
    unsigned char& byte = *mark_of(b, page);
    byte = static_cast<unsigned char>(byte | 1u << page.value() % 8);
    ++b.programmed;
}

/// What the block holds of the pools.
void packed_pages::release(const packed_block& b)
{
    const page_index end(m_bitmap_bytes == 0 ? b.programmed : m_pages);
    form_cells& f = cells(b);
    std::uint32_t left = b.pooled;
    for (page_index page; page < end && left != 0; ++page) {
        if (holds(b, page)) {
            left -=
                m_tags.release(f.buffers.at(b.buffer) + f.page_at(page) + f.tags_at, b.form.tags);
        }
    }
    f.buffers.give_back(b.buffer);
}

void packed_pages::erase(packed_block& b)
{
    if (b.programmed != 0) {
        release(b);
    }
    b = packed_block();
}

std::uint64_t packed_pages::bytes() const
{
    std::uint64_t sum = m_tags.pool_bytes();
    for (const form_cells& f : m_forms) {
        sum += f.buffers.bytes();
    }
    return sum;
}

void packed_pages::keep(state_archive& archive)
{
    m_tags.keep(archive);
    for (form_cells& f : m_forms) {
        f.buffers.keep(archive);
    }
}

} // namespace ssdvp::flash
