/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of control flow: calls of every kind, switches, state machines, recursion.
 */
#include "tests/validation/kernels/kernels.h"

#define APART __attribute__((noinline)) /* a call stays one */

/* Mutual tail calls. */
static uint32_t is_odd(uint32_t n, uint32_t seen);

static APART uint32_t is_even(uint32_t n, uint32_t seen)
{
    return n == 0 ? seen : is_odd(n - 1, seen ^ n);
}

static APART uint32_t is_odd(uint32_t n, uint32_t seen)
{
    return n == 0 ? ~seen : is_even(n - 1, seen + 3);
}

static uint64_t tail_mutual(uint8_t* memory)
{
    (void)memory;
    uint64_t sum = 0;
    for (uint32_t n = 1; n < 300; ++n) {
        sum += is_even(n, n);
    }
    return sum;
}

/* A function calls itself last: a loop. */
static APART uint32_t divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

static uint64_t tail_self(uint8_t* memory)
{
    (void)memory;
    uint64_t sum = 0;
    for (uint32_t n = 1; n < 3000; ++n) {
        sum += divisor(n * 7919u, n + 1000003u);
    }
    return sum;
}

/* A state machine whose states call the next one last. */
struct machine {
    const uint8_t* at;
    const uint8_t* end;
    uint32_t words, numbers, others;
};

static uint32_t state_between(struct machine* m);

static APART uint32_t state_word(struct machine* m)
{
    if (m->at == m->end) {
        return m->words;
    }
    const uint8_t c = *m->at++;
    if (c >= 'a' && c <= 'z') {
        return state_word(m);
    }
    ++m->words;
    return state_between(m);
}

static APART uint32_t state_number(struct machine* m)
{
    if (m->at == m->end) {
        return m->numbers;
    }
    const uint8_t c = *m->at++;
    if (c >= '0' && c <= '9') {
        return state_number(m);
    }
    m->numbers += c;
    return state_between(m);
}

static APART uint32_t state_between(struct machine* m)
{
    if (m->at == m->end) {
        return m->others;
    }
    const uint8_t c = *m->at++;
    if (c >= 'a' && c <= 'z') {
        return state_word(m);
    }
    if (c >= '0' && c <= '9') {
        return state_number(m);
    }
    ++m->others;
    return state_between(m);
}

static void write_text(uint8_t* memory, size_t bytes)
{
    static const uint8_t letters[] = "abcdefgh 0123 xyz,+";
    uint64_t random = 1;
    for (size_t i = 0; i < bytes; ++i) {
        memory[i] = letters[kernel_random(&random) % (sizeof letters - 1)];
    }
}

static uint64_t tail_states(uint8_t* memory)
{
    write_text(memory, 8192);
    struct machine m = {memory, memory + 8192, 0, 0, 0};
    const uint64_t last = state_between(&m);
    return last + ((uint64_t)m.words << 40) + ((uint64_t)m.numbers << 16) + m.others;
}

/* Tail calls by pointer, in a ring of steps. */
struct walk {
    uint32_t (*const* steps)(struct walk*);
    uint32_t left;
    uint32_t value;
};

static uint32_t go_on(struct walk* w)
{
    return --w->left == 0 ? w->value : w->steps[w->value & 3](w);
}

static APART uint32_t step_add(struct walk* w)
{
    w->value += 0x9E3779B9u;
    return go_on(w);
}

static APART uint32_t step_mix(struct walk* w)
{
    w->value = (w->value ^ (w->value >> 15)) * 0x85EBCA6Bu;
    return go_on(w);
}

static APART uint32_t step_turn(struct walk* w)
{
    w->value = (w->value << 7) | (w->value >> 25);
    return go_on(w);
}

static uint64_t tail_pointers(uint8_t* memory)
{
    static uint32_t (*const steps[4])(struct walk*) = {step_add, step_mix, step_turn, step_add};
    (void)memory;
    struct walk w = {steps, 6000, 1};
    return step_add(&w);
}

/* Last calls of functions outside of the circle, through some frames. */
static APART uint32_t leaf(uint32_t a, uint32_t b)
{
    return (a ^ b) + (a >> 3);
}

static APART uint32_t middle(uint32_t a, uint32_t b)
{
    return (a & 1) != 0 ? leaf(b, a) : leaf(a, b + 1);
}

static uint64_t tail_leaves(uint8_t* memory)
{
    (void)memory;
    uint32_t a = 1;
    for (uint32_t n = 0; n < 4000; ++n) {
        a += middle(a, n);
    }
    return a;
}

static uint64_t switch_dense(uint8_t* memory)
{
    uint64_t random = 7;
    uint32_t a = 1;
    uint32_t b = 2;
    (void)memory;
    for (uint32_t n = 0; n < 6000; ++n) {
        switch (kernel_random(&random) & 15) {
        case 0:
            a += b;
            break;
        case 1:
            a -= b;
            break;
        case 2:
            a ^= b << 3;
            break;
        case 3:
            b = a * 5;
            break;
        case 4:
            b ^= a >> 7;
            break;
        case 5:
            a = ~a;
            break;
        case 6:
            b += n;
            break;
        case 7:
            a = a < b ? b : a;
            break;
        case 8:
            a = (a << 5) | (a >> 27);
            break;
        case 9:
            b = b * a + 1;
            break;
        case 10:
            a &= 0xFFFFFF;
            break;
        default:
            b += a & 15;
            break;
        }
    }
    return ((uint64_t)a << 32) | b;
}

static uint32_t cost_of(uint32_t opcode)
{
    switch (opcode) {
    case 0x02:
        return 11;
    case 0x05:
        return 12;
    case 0x08:
        return 1;
    case 0x1D:
        return 77;
    case 0x40:
        return opcode * 2;
    case 0x81:
        return 4;
    case 0xC0:
        return 9;
    case 0xFE:
        return 5;
    default:
        return 0;
    }
}

static uint64_t switch_sparse(uint8_t* memory)
{
    uint64_t random = 3;
    uint64_t sum = 0;
    (void)memory;
    for (uint32_t n = 0; n < 6000; ++n) {
        sum += cost_of(kernel_random(&random) & 0xFF) + (sum >> 50);
    }
    return sum;
}

/* An interpreter that jumps from instruction to instruction: an extension of GCC and clang. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
static uint64_t computed_goto(uint8_t* memory)
{
    static const void* const jump[] = {&&add, &&sub, &&mul, &&xor, &&swap, &&end};
    uint64_t random = 5;
    for (uint32_t i = 0; i < 5000; ++i) {
        memory[i] = (uint8_t)(kernel_random(&random) % 5);
    }
    memory[5000] = 5;
    const uint8_t* at = memory;
    uint32_t a = 1;
    uint32_t b = 3;
    goto* jump[*at++];
add:
    a += b;
    goto* jump[*at++];
sub:
    b -= a;
    goto* jump[*at++];
mul:
    a *= b | 1;
    goto* jump[*at++];
    xor : b ^= a >> 3;
    goto* jump[*at++];
swap:
    a ^= b;
    b ^= a;
    a ^= b;
    goto* jump[*at++];
end:
    return ((uint64_t)a << 32) | b;
}
#pragma GCC diagnostic pop

typedef uint32_t operation(uint32_t, uint32_t);

static uint32_t op_add(uint32_t a, uint32_t b)
{
    return a + b;
}

static uint32_t op_mix(uint32_t a, uint32_t b)
{
    return (a << 3) ^ (b >> 2);
}

static uint32_t op_most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint64_t function_pointers(uint8_t* memory)
{
    static operation* const table[] = {op_add, op_mix, op_most};
    uint32_t a = 1;
    (void)memory;
    for (uint32_t n = 0; n < 6000; ++n) {
        a = table[(a ^ n) % 3](a, n);
    }
    return a;
}

static APART uint64_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint64_t recursion(uint8_t* memory)
{
    (void)memory;
    return fibonacci(17);
}

/* Loops in loops, left by break, continue and goto. */
static uint64_t nested_loops(uint8_t* memory)
{
    uint32_t found = 0;
    (void)memory;
    for (uint32_t n = 2; n < 700; ++n) {
        for (uint32_t d = 2; d * d <= n; ++d) {
            if (n % d == 0) {
                goto next;
            }
        }
        ++found;
        for (uint32_t bit = 0; bit < 16; ++bit) {
            if ((n >> bit & 1) == 0) {
                continue;
            }
            found += bit;
            if (found % 11 == 0) {
                break;
            }
        }
    next:;
    }
    return found;
}

struct pair {
    uint32_t a, b;
};

struct large {
    uint32_t of[8];
};

static APART struct pair turn(struct pair p, uint8_t by)
{
    const struct pair turned = {p.b + by, p.a ^ p.b};
    return turned;
}

static uint64_t struct_small(uint8_t* memory)
{
    struct pair p = {1, 2};
    (void)memory;
    for (uint32_t n = 0; n < 4000; ++n) {
        p = turn(p, (uint8_t)n);
    }
    return ((uint64_t)p.a << 32) | p.b;
}

static APART struct large spread(struct large l, uint32_t by)
{
    for (uint32_t i = 0; i < 8; ++i) {
        l.of[i] += by * i;
    }
    return l;
}

static uint64_t struct_large(uint8_t* memory)
{
    struct large l = {{1, 2, 3, 4, 5, 6, 7, 8}};
    (void)memory;
    for (uint32_t n = 0; n < 1000; ++n) {
        l = spread(l, n ^ l.of[n & 7]);
    }
    return l.of[3] ^ ((uint64_t)l.of[7] << 32);
}

static APART uint64_t mixed(uint8_t a, int16_t b, uint64_t c, int8_t d, uint64_t e)
{
    return a + (uint64_t)(int64_t)b * c + (uint64_t)(int64_t)d + (e ^ c >> 7);
}

static uint64_t mixed_arguments(uint8_t* memory)
{
    uint64_t s = 1;
    (void)memory;
    for (uint32_t n = 0; n < 3000; ++n) {
        s = mixed((uint8_t)s, (int16_t)n, s, (int8_t)(s >> 8), s >> 3);
    }
    return s;
}

static const struct kernel list[] = {
    {"tail_mutual", tail_mutual},
    {"tail_self", tail_self},
    {"tail_states", tail_states},
    {"tail_pointers", tail_pointers},
    {"tail_leaves", tail_leaves},
    {"switch_dense", switch_dense},
    {"switch_sparse", switch_sparse},
    {"computed_goto", computed_goto},
    {"function_pointers", function_pointers},
    {"recursion", recursion},
    {"nested_loops", nested_loops},
    {"struct_small", struct_small},
    {"struct_large", struct_large},
    {"mixed_arguments", mixed_arguments},
};
KERNEL_LIST(kernels_control, list);
