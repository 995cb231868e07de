/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of indices: a FIFO with one link word per element, and a doubly linked list. Links are
 * kept in arrays beside the elements.
 */
#ifndef SSDVP_FIRMWARE_LIB_LIST_H
#define SSDVP_FIRMWARE_LIB_LIST_H

#include "firmware/lib/env.h"

struct fifo {
    uint32_t head;
    uint32_t tail;
    uint32_t count;
};

static inline void fifo_init(struct fifo* f)
{
    f->head = INDEX_NONE;
    f->tail = INDEX_NONE;
    f->count = 0;
}

static inline void fifo_push(struct fifo* f, uint32_t* next, uint32_t i)
{
    next[i] = INDEX_NONE;
    if (f->head == INDEX_NONE) {
        f->head = i;
    } else {
        next[f->tail] = i;
    }
    f->tail = i;
    ++f->count;
}

/* In front: the newest element leaves first, while its memory is warm. */
static inline void fifo_push_front(struct fifo* f, uint32_t* next, uint32_t i)
{
    next[i] = f->head;
    if (f->head == INDEX_NONE) {
        f->tail = i;
    }
    f->head = i;
    ++f->count;
}

/* All of another list in front, in its order. */
static inline void fifo_prepend(struct fifo* f, uint32_t* next, const struct fifo* other)
{
    if (other->head == INDEX_NONE) {
        return;
    }
    next[other->tail] = f->head;
    if (f->head == INDEX_NONE) {
        f->tail = other->tail;
    }
    f->head = other->head;
    f->count += other->count;
}

static inline uint32_t fifo_pop(struct fifo* f, const uint32_t* next)
{
    const uint32_t i = f->head;
    if (i != INDEX_NONE) {
        f->head = next[i];
        if (f->head == INDEX_NONE) {
            f->tail = INDEX_NONE;
        }
        --f->count;
    }
    return i;
}

/* The element behind `before`, INDEX_NONE = the first one. */
static inline uint32_t fifo_pop_behind(struct fifo* f, uint32_t* next, uint32_t before)
{
    if (before == INDEX_NONE) {
        return fifo_pop(f, next);
    }
    const uint32_t i = next[before];
    if (i != INDEX_NONE) {
        next[before] = next[i];
        f->tail = f->tail == i ? before : f->tail;
        --f->count;
    }
    return i;
}

/* A walk. false = it is not in the list. */
static inline bool fifo_remove(struct fifo* f, uint32_t* next, uint32_t i)
{
    uint32_t before = INDEX_NONE;
    uint32_t at = f->head;
    while (at != INDEX_NONE && at != i) {
        before = at;
        at = next[at];
    }
    if (at != INDEX_NONE) {
        (void)fifo_pop_behind(f, next, before);
    }
    return at != INDEX_NONE;
}

struct link {
    uint32_t previous;
    uint32_t next;
};

struct chain { /* doubly linked: first .. last */
    uint32_t first;
    uint32_t last;
};

static inline void chain_init(struct chain* c)
{
    c->first = INDEX_NONE;
    c->last = INDEX_NONE;
}

static inline void chain_append(struct chain* c, struct link* links, uint32_t i)
{
    links[i].previous = c->last;
    links[i].next = INDEX_NONE;
    if (c->last == INDEX_NONE) {
        c->first = i;
    } else {
        links[c->last].next = i;
    }
    c->last = i;
}

static inline void chain_prepend(struct chain* c, struct link* links, uint32_t i)
{
    links[i].previous = INDEX_NONE;
    links[i].next = c->first;
    if (c->first == INDEX_NONE) {
        c->last = i;
    } else {
        links[c->first].previous = i;
    }
    c->first = i;
}

static inline void chain_remove(struct chain* c, struct link* links, uint32_t i)
{
    const struct link l = links[i];
    if (l.previous == INDEX_NONE) {
        c->first = l.next;
    } else {
        links[l.previous].next = l.next;
    }
    if (l.next == INDEX_NONE) {
        c->last = l.previous;
    } else {
        links[l.next].previous = l.previous;
    }
}

#endif
