/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost-benefit: the full superblock with the greatest age * (1 - u) / 2u, where u is the valid
 * share of its units: what collecting it gains, for how long, over what it costs to read and write
 * what is valid (Rosenblum and Ousterhout, "The design and implementation of a log-structured file
 * system", ACM TOCS 10(1), 1992; Kawaguchi, Nishioka, Motoda, "A flash-memory based file system",
 * USENIX 1995). Age counts invalidations of the whole drive since the superblock was filled or lost
 * a unit. Data that die soon are left alone until they have; those that do not are collected with
 * less to gain.
 */
#include "firmware/gc/policy.h"
#include "firmware/space/valid.h"

/* age * gain / valid, exactly: that is 2 * age * (1 - u) / 2u. */
struct score {
    uint64_t whole;
    uint32_t rest; /* over valid */
    uint32_t valid;
};

static struct score score_of(struct env* e, uint32_t block, uint32_t gain)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const uint64_t since = blocks_invalidations(e) - s->changed;
    /* Such an age is far more than any drive's units: what is older is old enough. */
    const uint64_t age = since < UINT32_MAX ? since + 1 : UINT32_MAX;
    struct score score = {UINT64_MAX, 0, 1}; /* nothing valid: it costs nothing */
    FW_ASSERT(e, s->changed <= blocks_invalidations(e));
    const uint32_t valid = blocks_live(s);
    if (valid != 0) {
        score.whole = age * gain / valid;
        score.rest = (uint32_t)(age * gain % valid);
        score.valid = valid;
    }
    return score;
}

static bool better(const struct score* a, const struct score* b)
{
    if (a->whole != b->whole) {
        return a->whole > b->whole;
    }
    return (uint64_t)a->rest * b->valid > (uint64_t)b->rest * a->valid;
}

static uint32_t cost_benefit_victim(struct env* e)
{
    uint32_t best = INDEX_NONE;
    struct score best_score = {0, 0, 1};
    for (uint32_t i = gc_first(e); i < e->geo->blocks; i += gc_stride(e)) {
        const uint32_t gain = gc_gain(e, i);
        if (gain == 0) {
            continue;
        }
        const struct score score = score_of(e, i, gain);
        if (better(&score, &best_score)) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

const struct gc_policy_ops gc_cost_benefit = {
    .victim = cost_benefit_victim,
};
