/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of data structures: lists, trees, tables, sorting, bits.
 */
#include "tests/validation/kernels/kernels.h"

/* Places instead of pointers: the same structure on each machine. */
struct chained {
    uint32_t key, value, next;
};
enum { CHAINS = 256, CHAINED = 1500 };
#define NONE UINT32_MAX

static uint64_t hash_chains(uint8_t* memory)
{
    uint32_t* heads = (uint32_t*)(void*)memory;
    struct chained* all = (struct chained*)(void*)(memory + CHAINS * sizeof *heads);
    uint64_t random = 11;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < CHAINS; ++i) {
        heads[i] = NONE;
    }
    for (uint32_t i = 0; i < CHAINED; ++i) {
        const uint32_t key = kernel_random(&random) % 5000;
        uint32_t* head = &heads[key * 2654435761u >> 24];
        uint32_t at = *head;
        while (at != NONE && all[at].key != key) {
            at = all[at].next;
        }
        if (at != NONE) {
            all[at].value += i;
            sum += all[at].value;
        } else {
            all[i] = (struct chained){key, i, *head};
            *head = i;
        }
    }
    return sum;
}

struct node {
    struct node* left;
    struct node* right;
    uint32_t key, count;
};

static uint64_t tree_search(uint8_t* memory)
{
    struct node* nodes = (struct node*)(void*)memory;
    struct node* root = NULL;
    uint64_t random = 13;
    uint64_t depths = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        const uint32_t key = kernel_random(&random) % 3000;
        struct node** at = &root;
        while (*at != NULL && (*at)->key != key) {
            at = key < (*at)->key ? &(*at)->left : &(*at)->right;
            ++depths;
        }
        if (*at == NULL) {
            *at = &nodes[i];
            nodes[i].key = key;
        }
        ++(*at)->count;
    }
    return depths;
}

struct link {
    struct link* next;
    struct link* before;
    uint64_t value;
};

static void put_first(struct link* list, struct link* l)
{
    l->next = list->next;
    l->before = list;
    list->next->before = l;
    list->next = l;
}

/* Least recently used: each use moves an entry to the front. */
static uint64_t list_lru(uint8_t* memory)
{
    struct link* list = (struct link*)(void*)memory;
    struct link* all = list + 1;
    uint64_t random = 17;
    list->next = list->before = list;
    for (uint32_t i = 0; i < 64; ++i) {
        all[i].value = i;
        put_first(list, &all[i]);
    }
    for (uint32_t i = 0; i < 4000; ++i) {
        struct link* l = (i & 3) == 0 ? list->before : &all[kernel_random(&random) & 63];
        l->before->next = l->next;
        l->next->before = l->before;
        l->value += i;
        put_first(list, l);
    }
    uint64_t sum = 0;
    for (const struct link* l = list->next; l != list; l = l->next) {
        sum = sum * 31 + l->value;
    }
    return sum;
}

static void fill(uint32_t* words, uint32_t count)
{
    uint64_t random = 19;
    for (uint32_t i = 0; i < count; ++i) {
        words[i] = kernel_random(&random);
    }
}

static uint64_t digest(const uint32_t* words, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum = sum * 1000003u + words[i];
    }
    return sum;
}

static uint64_t sort_insertion(uint8_t* memory)
{
    uint32_t* words = (uint32_t*)(void*)memory;
    fill(words, 200);
    for (uint32_t i = 1; i < 200; ++i) {
        const uint32_t value = words[i];
        uint32_t at = i;
        for (; at > 0 && words[at - 1] > value; --at) {
            words[at] = words[at - 1];
        }
        words[at] = value;
    }
    return digest(words, 200);
}

static void quick(uint32_t* words, int32_t first, int32_t last)
{
    while (first < last) {
        const uint32_t pivot = words[first + (last - first) / 2];
        int32_t i = first;
        int32_t j = last;
        while (i <= j) {
            while (words[i] < pivot) {
                ++i;
            }
            while (words[j] > pivot) {
                --j;
            }
            if (i <= j) {
                const uint32_t swap = words[i];
                words[i++] = words[j];
                words[j--] = swap;
            }
        }
        quick(words, first, j);
        first = i;
    }
}

static uint64_t sort_quick(uint8_t* memory)
{
    uint32_t* words = (uint32_t*)(void*)memory;
    fill(words, 1500);
    quick(words, 0, 1499);
    return digest(words, 1500);
}

static void sift(uint32_t* heap, uint32_t at, uint32_t count)
{
    const uint32_t value = heap[at];
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child] < heap[child + 1]) {
            ++child;
        }
        if (heap[child] <= value) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

static uint64_t sort_heap(uint8_t* memory)
{
    uint32_t* words = (uint32_t*)(void*)memory;
    fill(words, 1000);
    for (uint32_t i = 500; i-- > 0;) {
        sift(words, i, 1000);
    }
    for (uint32_t left = 999; left > 0; --left) {
        const uint32_t most = words[0];
        words[0] = words[left];
        words[left] = most;
        sift(words, 0, left);
    }
    return digest(words, 1000);
}

static void merge(uint32_t* words, uint32_t* scratch, uint32_t count)
{
    if (count < 2) {
        return;
    }
    const uint32_t half = count / 2;
    merge(words, scratch, half);
    merge(words + half, scratch, count - half);
    uint32_t i = 0;
    uint32_t j = half;
    for (uint32_t k = 0; k < count; ++k) {
        const int first = j == count || (i < half && words[i] <= words[j]);
        scratch[k] = first ? words[i++] : words[j++];
    }
    __builtin_memcpy(words, scratch, count * sizeof *words);
}

static uint64_t sort_merge(uint8_t* memory)
{
    uint32_t* words = (uint32_t*)(void*)memory;
    fill(words, 1000);
    merge(words, words + 1000, 1000);
    return digest(words, 1000);
}

struct entry {
    uint32_t unit : 22;
    uint32_t valid : 1;
    uint32_t plane : 2;
    int32_t age : 7;
    uint64_t page : 40;
    uint64_t block : 24;
};

static uint64_t bit_fields(uint8_t* memory)
{
    struct entry* entries = (struct entry*)(void*)memory;
    uint64_t random = 23;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 3000; ++i) {
        struct entry* e = &entries[kernel_random(&random) & 255];
        e->unit += 3;
        e->valid = e->unit & 1;
        e->plane ^= 2;
        e->age = (int32_t)(i & 31) - e->age / 2;
        e->page += 0x123456789u;
        e->block ^= i;
        sum += e->page + e->block + (uint64_t)e->valid + (uint64_t)(int64_t)e->age;
    }
    return sum;
}

static uint64_t bitmap_scan(uint8_t* memory)
{
    uint64_t* map = (uint64_t*)(void*)memory;
    uint64_t random = 29;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 400; ++i) {
        const uint32_t bit = kernel_random(&random) & 4095;
        map[bit >> 6] |= UINT64_C(1) << (bit & 63);
    }
    for (uint32_t word = 0; word < 64; ++word) {
        sum += (uint64_t)__builtin_popcountll(map[word]);
        for (uint64_t left = map[word]; left != 0; left &= left - 1) {
            sum += (word << 6) + (uint64_t)__builtin_ctzll(left);
        }
    }
    return sum;
}

static uint64_t crc_bits(uint8_t* memory)
{
    uint32_t crc = ~0u;
    for (uint32_t i = 0; i < 1000; ++i) {
        crc ^= memory[i] ^ (i & 0xFF);
        for (uint32_t bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
        }
    }
    return crc;
}

static uint64_t crc_table(uint8_t* memory)
{
    uint32_t* table = (uint32_t*)(void*)memory;
    uint32_t crc = ~0u;
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t c = i;
        for (uint32_t bit = 0; bit < 8; ++bit) {
            c = (c & 1) != 0 ? (c >> 1) ^ 0x82F63B78u : c >> 1;
        }
        table[i] = c;
    }
    for (uint32_t i = 0; i < 8000; ++i) {
        crc = table[(crc ^ i) & 0xFF] ^ (crc >> 8);
    }
    return crc;
}

struct ring {
    uint32_t head, tail, size;
    uint64_t entries[64];
};

static int push(struct ring* r, uint64_t value)
{
    if (r->tail - r->head == r->size) {
        return 0;
    }
    r->entries[r->tail++ & (r->size - 1)] = value;
    return 1;
}

static int pop(struct ring* r, uint64_t* value)
{
    if (r->tail == r->head) {
        return 0;
    }
    *value = r->entries[r->head++ & (r->size - 1)];
    return 1;
}

static uint64_t ring_buffer(uint8_t* memory)
{
    struct ring* r = (struct ring*)(void*)memory;
    uint64_t random = 31;
    uint64_t sum = 0;
    uint64_t value = 0;
    r->size = 64;
    for (uint32_t i = 0; i < 5000; ++i) {
        if ((kernel_random(&random) & 1) != 0) {
            sum += push(r, i * 3) == 0;
        } else if (pop(r, &value)) {
            sum += value;
        }
    }
    return sum;
}

static uint64_t matrix(uint8_t* memory)
{
    enum { SIDE = 20 };
    uint32_t* a = (uint32_t*)(void*)memory;
    uint32_t* b = a + SIDE * SIDE;
    uint32_t* c = b + SIDE * SIDE;
    fill(a, 2 * SIDE * SIDE);
    for (uint32_t i = 0; i < SIDE; ++i) {
        for (uint32_t j = 0; j < SIDE; ++j) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < SIDE; ++k) {
                sum += a[i * SIDE + k] * b[k * SIDE + j];
            }
            c[i * SIDE + j] = sum;
        }
    }
    return digest(c, SIDE * SIDE);
}

static const struct kernel list[] = {
    {"hash_chains", hash_chains}, {"tree_search", tree_search},
    {"list_lru", list_lru},       {"sort_insertion", sort_insertion},
    {"sort_quick", sort_quick},   {"sort_heap", sort_heap},
    {"sort_merge", sort_merge},   {"bit_fields", bit_fields},
    {"bitmap_scan", bitmap_scan}, {"crc_bits", crc_bits},
    {"crc_table", crc_table},     {"ring_buffer", ring_buffer},
    {"matrix", matrix},
};
KERNEL_LIST(kernels_data, list);
