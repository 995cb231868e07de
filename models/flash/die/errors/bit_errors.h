// SPDX-License-Identifier: Apache-2.0
//
// The bit errors of one array read: how many in each code word, and where. Counter based: the same
// key gives the same errors at any time and in any order, so nothing is stored, and code that knows
// the key (the die that errs, the code that locates the errors) finds the same bits.
#pragma once

#include <cstdint>

#include "models/flash/die/store.h"

namespace ssdvp::flash {

/// splitmix64: the n-th number of the sequence that `key` names.
[[nodiscard]] std::uint64_t random_at(std::uint64_t key, std::uint64_t n);
/// The same, uniform in [0, 1).
[[nodiscard]] double uniform_at(std::uint64_t key, std::uint64_t n);
/// The same, mean 0 and standard deviation 1 (twelve uniform numbers).
[[nodiscard]] double deviate_at(std::uint64_t key, std::uint64_t n);
/// e^-x from basic arithmetic: the same bits on every machine. Precondition: 0 <= x <= 40.
[[nodiscard]] double exp_minus(double x);

/// What an array read brought into the page register beside the data.
struct page_noise {
    double rber = 0.0;
    std::uint64_t key = 0;
    bool torn = false; // no code word at all: a power cut hit the page
};

/// Wrong bits of code word `word` (of the page) with `bytes` bytes. Poisson; from a mean of 30 on,
/// normal with the variance of the binomial distribution.
[[nodiscard]] std::uint32_t bits_in_word(const page_noise& noise, std::uint32_t word,
                                         std::uint32_t bytes);

/// A code word, and its errors. `bytes` is a power of two.
struct word_errors {
    std::uint64_t key = 0;  // of the read
    std::uint32_t word = 0; // of the page
    std::uint32_t bytes = 0;
    std::uint32_t count = 0;
};

/// A piece of a page: `to` holds bytes [column, column + length).
struct page_piece {
    unsigned char* to = nullptr;
    std::uint32_t column = 0;
    std::uint32_t length = 0;
    data_form form = data_form::nothing;
};

/// Puts the errors into the data. As bytes: flips the bits. As tags, where most bits do not exist:
/// adds to the tag of each hit sector a number that any set of its errors keeps different from 0.
void spoil(const page_piece& piece, const word_errors& errors);
/// Takes them out again: what was spoilt is as before.
void restore(const page_piece& piece, const word_errors& errors);

} // namespace ssdvp::flash
