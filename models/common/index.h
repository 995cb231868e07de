// SPDX-License-Identifier: Apache-2.0
//
// Numbers of things as types of their own: what indexes a bank cannot index a row. As fast as the
// integers that they are; from and to integers only by name, where registers and packets have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ssdvp {

/// The number of one thing of a kind, counted from 0. `Tag` makes the kind and needs no definition.
template <typename Tag>
class strong_index {
public:
    constexpr strong_index() = default;
    template <typename Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
    constexpr explicit strong_index(Integer value) : m_value(static_cast<std::uint32_t>(value))
    {}

    [[nodiscard]] constexpr std::uint32_t value() const { return m_value; }
    constexpr strong_index& operator++()
    {
        ++m_value;
        return *this;
    }
    /// The one behind it.
    [[nodiscard]] constexpr strong_index next() const { return strong_index(m_value + 1); }

    friend constexpr bool operator==(strong_index a, strong_index b)
    {
        return a.m_value == b.m_value;
    }
    friend constexpr bool operator!=(strong_index a, strong_index b) { return !(a == b); }
    friend constexpr bool operator<(strong_index a, strong_index b)
    {
        return a.m_value < b.m_value;
    }
    friend constexpr bool operator>(strong_index a, strong_index b) { return b < a; }
    friend constexpr bool operator<=(strong_index a, strong_index b) { return !(b < a); }
    friend constexpr bool operator>=(strong_index a, strong_index b) { return !(a < b); }

private:
    std::uint32_t m_value = 0;
};

/// The first `count` of a kind, for a loop over them: `for (const plane_index p : each<...>(n))`.
template <typename Index>
class each {
public:
    class iterator {
    public:
        constexpr explicit iterator(Index at) : m_at(at) {}
        constexpr Index operator*() const { return m_at; }
        constexpr iterator& operator++()
        {
            ++m_at;
            return *this;
        }
        constexpr bool operator!=(iterator other) const { return m_at != other.m_at; }

    private:
        Index m_at;
    };
    constexpr explicit each(std::size_t count) : m_count(count) {}
    [[nodiscard]] constexpr iterator begin() const { return iterator(Index(0)); }
    [[nodiscard]] constexpr iterator end() const { return iterator(Index(m_count)); }

private:
    std::size_t m_count;
};

/// Some of at most 32 things of a kind, as a mask.
template <typename Index>
class index_set {
public:
    class iterator {
    public:
        constexpr explicit iterator(std::uint32_t left) : m_left(left) {}
        constexpr Index operator*() const { return Index(__builtin_ctz(m_left)); }
        constexpr iterator& operator++()
        {
            m_left &= m_left - 1;
            return *this;
        }
        constexpr bool operator!=(iterator other) const { return m_left != other.m_left; }

    private:
        std::uint32_t m_left;
    };

    constexpr index_set() = default;
    /// Bit i = thing i.
    constexpr explicit index_set(std::uint32_t mask) : m_mask(mask) {}
    [[nodiscard]] static constexpr index_set only(Index i) { return index_set(1u << i.value()); }

    [[nodiscard]] constexpr std::uint32_t mask() const { return m_mask; }
    [[nodiscard]] constexpr bool empty() const { return m_mask == 0; }
    /// More than one.
    [[nodiscard]] constexpr bool several() const { return (m_mask & (m_mask - 1)) != 0; }
    /// By sums of ever wider fields: without the processor's instruction, which not all have, the
    /// compiler's own count is a call.
    [[nodiscard]] constexpr std::uint32_t size() const
    {
        const std::uint32_t twos = m_mask - (m_mask >> 1 & 0x55555555u);
        const std::uint32_t fours = (twos & 0x33333333u) + (twos >> 2 & 0x33333333u);
        return ((fours + (fours >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24;
    }
    [[nodiscard]] constexpr bool contains(Index i) const { return (m_mask >> i.value() & 1u) != 0; }
    /// The lowest one. Precondition: not empty.
    [[nodiscard]] constexpr Index first() const { return *begin(); }
    constexpr void insert(Index i) { m_mask |= 1u << i.value(); }
    constexpr void erase(Index i) { m_mask &= ~(1u << i.value()); }
    constexpr void set(Index i, bool in) { in ? insert(i) : erase(i); }

    /// In ascending order.
    [[nodiscard]] constexpr iterator begin() const { return iterator(m_mask); }
    [[nodiscard]] constexpr iterator end() const { return iterator(0); }

    friend constexpr bool operator==(index_set a, index_set b) { return a.m_mask == b.m_mask; }
    friend constexpr bool operator!=(index_set a, index_set b) { return !(a == b); }
    friend constexpr index_set operator|(index_set a, index_set b)
    {
        return index_set(a.m_mask | b.m_mask);
    }
    friend constexpr index_set operator&(index_set a, index_set b)
    {
        return index_set(a.m_mask & b.m_mask);
    }
    /// What is in `a` alone.
    friend constexpr index_set operator-(index_set a, index_set b)
    {
        return index_set(a.m_mask & ~b.m_mask);
    }

private:
    std::uint32_t m_mask = 0;
};

/// A vector that only numbers of one kind index.
template <typename Index, typename T>
class indexed {
public:
    indexed() = default;
    explicit indexed(std::size_t size) : m_items(size) {}
    indexed(std::size_t size, const T& value) : m_items(size, value) {}

    [[nodiscard]] T& operator[](Index i) { return m_items[i.value()]; }
    [[nodiscard]] const T& operator[](Index i) const { return m_items[i.value()]; }
    /// Throws std::out_of_range.
    [[nodiscard]] T& at(Index i) { return m_items.at(i.value()); }
    [[nodiscard]] bool has(Index i) const { return i.value() < m_items.size(); }
    /// The place of `item`, which lies in here.
    [[nodiscard]] Index index_of(const T& item) const { return Index(&item - m_items.data()); }
    [[nodiscard]] std::size_t size() const { return m_items.size(); }
    [[nodiscard]] each<Index> indices() const { return each<Index>(m_items.size()); }

    void reserve(std::size_t size) { m_items.reserve(size); }
    void push_back(T item) { m_items.push_back(std::move(item)); }
    template <typename... Arguments>
    void emplace_back(Arguments&&... arguments)
    {
        m_items.emplace_back(std::forward<Arguments>(arguments)...);
    }
    /// Each item becomes `value`.
    void fill(const T& value) { m_items.assign(m_items.size(), value); }

    [[nodiscard]] auto begin() { return m_items.begin(); }
    [[nodiscard]] auto end() { return m_items.end(); }
    [[nodiscard]] auto begin() const { return m_items.begin(); }
    [[nodiscard]] auto end() const { return m_items.end(); }

private:
    std::vector<T> m_items;
};

} // namespace ssdvp

template <typename Tag>
struct std::hash<ssdvp::strong_index<Tag>> {
    std::size_t operator()(ssdvp::strong_index<Tag> i) const noexcept { return i.value(); }
};
