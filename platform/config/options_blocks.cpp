// SPDX-License-Identifier: Apache-2.0
//
// Options of the schemes that map logical blocks. Each belongs to one scheme: with another one it
// is refused (rules_blocks.cpp), and no resolved configuration names it.
#include "platform/config/choices.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

#define FIELD(member)                                                                              \
    [](auto& c) -> auto&                                                                           \
    {                                                                                              \
        return c.ftl.blocks.member;                                                                \
    }

namespace {

constexpr std::uint64_t blocks_max = 1000 * 1000;

option of_scheme(ftl_scheme scheme, const char* name, option o)
{
    return acts_when<ssd_config>(
        std::move(o), [scheme](const ssd_config& c) { return c.ftl.scheme == scheme; },
        std::string("ftl.scheme is ") + name,
        std::string("use ftl.scheme: ") + name + ", or leave it out");
}

value_spec index_words()
{
    return words(
        {{"none", static_cast<int>(page_index::none)}, {"ram", static_cast<int>(page_index::ram)}});
}

std::vector<option> in_place_options()
{
    return {
        of_scheme(ftl_scheme::msbs, "msbs",
                  make_option<ssd_config>({"ftl.msbs.spare_pages", "",
                                           "pages of each block that take what is written again; "
                                           "the others are a logical block",
                                           "half of the pages of a block"},
                                          count_of(1, 65534), FIELD(msbs_spare_pages))),
        of_scheme(ftl_scheme::msbs, "msbs",
                  make_option<ssd_config>(
                      {"ftl.msbs.spare_index", "none",
                       "how firmware finds the newest copy of a page among the spare "
                       "ones: it reads their out-of-band bytes, newest first, or has an "
                       "index in RAM"},
                      index_words(), FIELD(msbs_index))),
        of_scheme(ftl_scheme::fmax, "fmax",
                  make_option<ssd_config>({"ftl.fmax.switch", "false",
                                           "a replacement block that is full and in order takes "
                                           "the place of its block without a copy"},
                                          flag(), FIELD(fmax_switch))),
        of_scheme(ftl_scheme::fmax, "fmax",
                  make_option<ssd_config>(
                      {"ftl.fmax.replacement_index", "none", "the same in a replacement block"},
                      index_words(), FIELD(fmax_index))),
        of_scheme(ftl_scheme::lm, "lm",
                  make_option<ssd_config>({"ftl.lm.moving_blocks", "1",
                                           "logical blocks that have a moving block at a time; the "
                                           "one written the longest ago is closed first"},
                                          count_of(1, blocks_max), FIELD(lm_moving_blocks))),
        of_scheme(ftl_scheme::lm, "lm",
                  make_option<ssd_config>({"ftl.lm.eager_close", "true",
                                           "a moving block is closed when it is full; false: when "
                                           "its logical block or another one needs a new one"},
                                          flag(), FIELD(lm_eager_close))),
    };
}

std::vector<option> log_options()
{
    return {
        of_scheme(ftl_scheme::bast, "bast",
                  make_option<ssd_config>({"ftl.bast.log_blocks", "",
                                           "log blocks, each of one logical block",
                                           "3 % of the logical blocks, 1 at least"},
                                          count_of(1, blocks_max), FIELD(bast_log_blocks))),
        of_scheme(ftl_scheme::bast, "bast",
                  make_option<ssd_config>({"ftl.bast.partial_merge", "true",
                                           "a log block that is in order from its first page on "
                                           "is completed instead of merged into a third block"},
                                          flag(), FIELD(bast_partial_merge))),
        of_scheme(ftl_scheme::bast, "bast",
                  make_option<ssd_config>({"ftl.bast.log_info_writes", "false",
                                           "a page is programmed whenever a log block is taken or "
                                           "merged, as a list of log blocks in flash costs"},
                                          flag(), FIELD(bast_log_info))),
        of_scheme(ftl_scheme::fast, "fast",
                  make_option<ssd_config>({"ftl.fast.random_log_blocks", "",
                                           "log blocks of any logical blocks, beside the one for "
                                           "sequential writes",
                                           "3 % of the logical blocks less one, 1 at least"},
                                          count_of(1, blocks_max), FIELD(fast_random_log_blocks))),
        of_scheme(
            ftl_scheme::fast, "fast",
            make_option<ssd_config>({"ftl.fast.sequential_merge", "partial",
                                     "how a sequential log block that is not full is merged: it is "
                                     "completed, or merged into a third block"},
                                    words({{"partial", static_cast<int>(sequential_merge::partial)},
                                           {"full", static_cast<int>(sequential_merge::full)}}),
                                    FIELD(fast_merge))),
        of_scheme(
            ftl_scheme::fast, "fast",
            make_option<ssd_config>(
                {"ftl.fast.non_sequential", "absorb",
                 "where a write goes that breaks the order of its sequential log block: with its "
                 "merge into the new data block, first into a new sequential log block, or to a "
                 "random one"},
                words_of<non_sequential>(), FIELD(fast_jump))),
    };
}

std::vector<option> superblock_options()
{
    return {
        of_scheme(ftl_scheme::superblock, "superblock",
                  make_option<ssd_config>({"ftl.superblock.blocks", "8",
                                           "logical blocks side by side that share their blocks"},
                                          count_of(1, 65535), FIELD(superblock_blocks))),
        of_scheme(ftl_scheme::superblock, "superblock",
                  make_option<ssd_config>({"ftl.superblock.update_blocks", "4",
                                           "blocks for updates that a superblock has at most, "
                                           "beyond those that its data fill"},
                                          count_of(1, 65535), FIELD(superblock_update_blocks))),
        of_scheme(ftl_scheme::superblock, "superblock",
                  make_option<ssd_config>({"ftl.superblock.pool_blocks", "",
                                           "blocks for updates of all superblocks together; when "
                                           "they are used up the superblock written the longest "
                                           "ago gives one up",
                                           "3 % of the logical blocks, 1 at least"},
                                          count_of(1, blocks_max), FIELD(superblock_pool_blocks))),
    };
}

std::vector<option> kast_options()
{
    return {
        of_scheme(ftl_scheme::kast, "kast",
                  make_option<ssd_config>({"ftl.kast.log_blocks", "",
                                           "log blocks, each sequential or random at a time",
                                           "3 % of the logical blocks, 1 at least"},
                                          count_of(1, blocks_max), FIELD(kast_log_blocks))),
        of_scheme(ftl_scheme::kast, "kast",
                  make_option<ssd_config>({"ftl.kast.associativity", "4",
                                           "logical blocks that a log block has pages of at most, "
                                           "which one merge takes"},
                                          count_of(1, 65535), FIELD(kast_associativity))),
    };
}

std::vector<option> last_options()
{
    return {
        of_scheme(ftl_scheme::last, "last",
                  make_option<ssd_config>({"ftl.last.sequential_threshold", "4KiB",
                                           "a write of so many bytes or more goes to sequential "
                                           "log blocks"},
                                          size_of(512, 1ull << 30), FIELD(last_threshold))),
        of_scheme(ftl_scheme::last, "last",
                  make_option<ssd_config>({"ftl.last.sequential_log_blocks", "",
                                           "log blocks for long writes, each of a logical block",
                                           "a quarter of 3 % of the logical blocks, 1 at least"},
                                          count_of(1, blocks_max), FIELD(last_sequential_blocks))),
        of_scheme(ftl_scheme::last, "last",
                  make_option<ssd_config>({"ftl.last.random_log_blocks", "",
                                           "log blocks for short writes, of any logical blocks",
                                           "3 % of the logical blocks less the sequential ones, "
                                           "2 at least"},
                                          count_of(2, blocks_max), FIELD(last_random_blocks))),
        of_scheme(ftl_scheme::last, "last",
                  make_option<ssd_config>({"ftl.last.hot_log_blocks", "",
                                           "random log blocks of the hot part, to begin with",
                                           "half of them"},
                                          count_of(1, blocks_max), FIELD(last_hot_blocks))),
        of_scheme(ftl_scheme::last, "last",
                  make_option<ssd_config>({"ftl.last.hot_window", "",
                                           "a page is hot that is written again within so many "
                                           "random writes",
                                           "pages of half of the random log blocks"},
                                          count_of(1, 1000000000), FIELD(last_hot_window))),
        of_scheme(ftl_scheme::last, "last",
                  make_option<ssd_config>({"ftl.last.adaptive", "true",
                                           "the hot part grows when its blocks die, and shrinks "
                                           "when they have to be merged"},
                                          flag(), FIELD(last_adaptive))),
    };
}

} // namespace

std::vector<option> block_options()
{
    std::vector<option> table = in_place_options();
    append(table, log_options());
    append(table, superblock_options());
    append(table, kast_options());
    append(table, last_options());
    return table;
}

#undef FIELD

} // namespace ssdvp::platform
