// SPDX-License-Identifier: Apache-2.0
//
// Choices, a table each: those that the firmware shares in models/regs/choices, those of one model
// in its folder. From a table come enumerators, with the values of the boot parameters, words of
// the options and reports, descriptions and flags. Who names an enumerator of the firmware's
// includes this; everybody else knows the types from ftl_config.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/flash/config.h"
#include "models/host/config.h"
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/fast_merge.h"
#include "models/regs/choices/fast_other.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/gc_policy.h"
#include "models/regs/choices/map_policy.h"
#include "models/regs/choices/placement.h"
#include "models/regs/choices/shallow_policy.h"
#include "models/regs/choices/slc_policy.h"
#include "models/regs/choices/stripe.h"
#include "platform/config/ftl_config.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

// Rows count from 0: an enumerator is the value that the boot parameters carry.
#define SSDVP_CHOICE_ENUMERATOR(ID, id, ...) id,
enum class cache_policy : std::uint32_t { CACHE_POLICIES(SSDVP_CHOICE_ENUMERATOR) };
enum class ftl_scheme : std::uint32_t { FTL_SCHEMES(SSDVP_CHOICE_ENUMERATOR) };
enum class gc_policy : std::uint32_t { GC_POLICIES(SSDVP_CHOICE_ENUMERATOR) };
enum class map_policy : std::uint32_t { MAP_POLICIES(SSDVP_CHOICE_ENUMERATOR) };
enum class non_sequential : std::uint32_t { FAST_OTHERS(SSDVP_CHOICE_ENUMERATOR) };
enum class placement_kind : std::uint32_t { PLACEMENTS(SSDVP_CHOICE_ENUMERATOR) };
enum class sequential_merge : std::uint32_t { FAST_MERGES(SSDVP_CHOICE_ENUMERATOR) };
enum class shallow_policy : std::uint32_t { SHALLOW_POLICIES(SSDVP_CHOICE_ENUMERATOR) };
enum class slc_policy : std::uint32_t { SLC_POLICIES(SSDVP_CHOICE_ENUMERATOR) };
enum class superblock_stripe : std::uint32_t { STRIPES(SSDVP_CHOICE_ENUMERATOR) };
#undef SSDVP_CHOICE_ENUMERATOR

struct choice_row {
    const char* word;    // in the configuration and in reports
    std::uint32_t flags; // what its table says that it is; 0 where there are none
    const char* about;   // one line
};

/// The table of a choice, by the values of its enumerators.
template <class Choice>
const std::vector<choice_row>& rows_of();
template <>
const std::vector<choice_row>& rows_of<cache_policy>();
template <>
const std::vector<choice_row>& rows_of<flash::arbiter_kind>();
template <>
const std::vector<choice_row>& rows_of<flash::page_order>();
template <>
const std::vector<choice_row>& rows_of<flash::suspend_kind>();
template <>
const std::vector<choice_row>& rows_of<ftl_scheme>();
template <>
const std::vector<choice_row>& rows_of<gc_policy>();
template <>
const std::vector<choice_row>& rows_of<host::interface_kind>();
template <>
const std::vector<choice_row>& rows_of<host::pattern_kind>();
template <>
const std::vector<choice_row>& rows_of<host::trace_format>();
template <>
const std::vector<choice_row>& rows_of<map_policy>();
template <>
const std::vector<choice_row>& rows_of<non_sequential>();
template <>
const std::vector<choice_row>& rows_of<placement_kind>();
template <>
const std::vector<choice_row>& rows_of<sequential_merge>();
template <>
const std::vector<choice_row>& rows_of<shallow_policy>();
template <>
const std::vector<choice_row>& rows_of<slc_policy>();
template <>
const std::vector<choice_row>& rows_of<superblock_stripe>();

template <class Choice>
std::uint32_t flags_of(Choice choice)
{
    return rows_of<Choice>()[static_cast<std::size_t>(choice)].flags;
}

template <class Choice>
const char* word_of(Choice choice)
{
    return rows_of<Choice>()[static_cast<std::size_t>(choice)].word;
}

/// What an option may say: the words of all rows that have none of the flags `hidden`.
value_spec words_of_rows(const std::vector<choice_row>& rows, std::uint32_t hidden = 0);

template <class Choice>
value_spec words_of(std::uint32_t hidden = 0)
{
    return words_of_rows(rows_of<Choice>(), hidden);
}

/// For messages: "a, b or c", the words of all rows that have the flags; "not d" where only that
/// one has not.
std::string names_of_rows(const std::vector<choice_row>& rows, std::uint32_t flags);

template <class Choice>
std::string names_of(std::uint32_t flags)
{
    return names_of_rows(rows_of<Choice>(), flags);
}

} // namespace ssdvp::platform
