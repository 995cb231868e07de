/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/spare.h"

#include "firmware/lib/crc.h"

#define SEQUENCE_SHIFT 24u

static uint64_t header_of(const struct env* e, const uint64_t* words, uint64_t sequence)
{
    const uint64_t rest = SPARE_FORMAT | (sequence << SEQUENCE_SHIFT);
    return rest | ((uint64_t)crc16_words(rest, words + 1, e->geo->page_units) << 8);
}

void spare_seal(struct env* e, uint64_t* words, uint32_t pages, uint64_t sequence)
{
    FW_ASSERT(e, sequence != 0 && sequence < SPARE_SEQUENCES);
    FW_ASSERT(e, pages != 0 && pages <= e->geo->planes);
    for (uint32_t i = 0; i < pages; ++i, words += spare_words(e->geo)) {
        words[0] = header_of(e, words, sequence);
    }
}

bool spare_read(const struct env* e, const uint64_t* words, uint64_t* sequence)
{
    FW_ASSERT(e, sequence != NULL);
    *sequence = words[0] >> SEQUENCE_SHIFT;
    return (words[0] & 0xFFu) == SPARE_FORMAT && *sequence != 0 &&
           words[0] == header_of(e, words, *sequence);
}

struct content_sums spare_sum(const struct env* e, const void* data)
{
    FW_ASSERT(e, e->geo->unit_size % (8 * sizeof(uint64_t)) == 0);
    env_touch(e, data, e->geo->unit_size, false);
    return content_sum(data, e->geo->unit_size / (uint32_t)sizeof(uint64_t));
}

uint32_t spare_check(const struct env* e, const void* data)
{
    return content_fold(spare_sum(e, data));
}
