/* SPDX-License-Identifier: Apache-2.0
 *
 * The port: all that firmware knows of the outside. Eleven functions and two memory windows.
 *
 * Natively each function is an entry of hal_ops that the platform supplies; on a target,
 * port/aarch64, port/arm and port/riscv supply the same table with volatile accesses. A firmware
 * image holds no mutable data of its own: everything lives in the two windows, so several drives
 * share one image.
 *
 * Times. A core has a local time that runs ahead of the platform's. Each call charges the
 * instructions since the last one and the cost named with it; "waits" means that the platform
 * goes on until its time is the core's, so that all that happened before is visible on return.
 * Reads of the windows do not wait: what a device writes there is seen from the next call on that
 * waits, at the latest. A loop that never waits and never returns stops simulated time; the
 * platform ends it after cpu.hang_limit.
 *
 * Errors. A register that does not exist, an assertion, a trap, a stack or a window that is
 * overrun: the run ends with file, line, simulated time and call stack, exit code 1.
 */
#ifndef SSDVP_FIRMWARE_HAL_H
#define SSDVP_FIRMWARE_HAL_H

#include <stddef.h>
#include <stdint.h>

#include "firmware/hal/entries.h"
#include "models/regs/memory_map.h"

#define HAL_ABI_VERSION 7u
#define HAL_NO_COMMAND 0xFFFFu   /* hal_mark(): work on none */
#define HAL_IN_VAIN 0xFFFFFFFFu  /* ... and all since the last mark came to nothing */
#define HAL_WAITS 0xFFFFFFFEu    /* ... and the command marked last waits, not for a core */
#define HAL_KEPT_OUT 0xFFFFFFFDu /* ... or has waited, for it could not be taken before */

enum hal_log_level { HAL_LOG_DEBUG = 0, HAL_LOG_INFO = 1, HAL_LOG_WARN = 2, HAL_LOG_ERROR = 3 };

/* C++ hands in functions that leave by an exception, whose type does not say so. */
#ifdef __cplusplus
#define HAL_NORETURN
#else
#define HAL_NORETURN __attribute__((noreturn))
#endif

struct hal_ops {
    /* Read a device register: 32 bits at a controller address that is a multiple of 4.
     * Waits. Cost: cpu.mmio_read_cycles, a round trip on the bus.
     * Target: a volatile load. */
    uint32_t (*read32)(void* ctx, uint64_t address);
    /* Write one. Posted: does not wait; the device sees it at the core's local time.
     * Cost: cpu.mmio_write_cycles. Target: a barrier, so that rings are in memory before their
     * doorbell, then a volatile store. */
    void (*write32)(void* ctx, uint64_t address, uint32_t value);
    /* Sleep until a line is pending that IRQ_REG_ENABLE lets through, acknowledge all such lines
     * and return them, bit n = line n. Returns at once when one is pending, and with 0 when the run
     * ends: look at hal_stopping then. May return 0 at other times as well. Lines are latched: one
     * raised between a look at a ring and this call is not lost. Waits. Cost: cpu.interrupt_cycles
     * when a line is taken; the sleep costs nothing. Target: WFI, and the interrupt controller's
     * registers. */
    uint64_t (*wait_irq)(void* ctx);
    /* The core's local time, ns since power-on. Does not wait. Cost: none of its own.
     * Target: TIMER_REG_NOW. */
    uint64_t (*time_ns)(void* ctx);
    /* One line for the developer, on stderr: message is a literal, a and b are printed as
     * numbers; level is an enum hal_log_level, HAL_LOG_DEBUG is not shown. Does not wait.
     * Cost: none. Target: nothing. */
    void (*log)(void* ctx, int level, const char* message, uint64_t a, uint64_t b);
    /* The firmware cannot go on: the run ends with file, line, message, simulated time and call
     * stack, exit code 1. Never returns. Target: halts the core. See HAL_ASSERT. */
    void (*panic)(void* ctx, const char* file, int line, const char* message) HAL_NORETURN;
    /* 1 = the run ends: return from main, with no promise left to keep; else 0. To be asked after
     * each wait_irq that returns 0, and in loops that poll. A loss of power does not ask: natively
     * firmware is left where it waits. Does not wait. Cost: none. Target: 0. */
    int (*stopping)(void* ctx);
    /* Number of the core that runs, 0 to boot_params.cores.count - 1. NULL = there is one. */
    uint32_t (*core)(void* ctx);
    /* What this core wrote to memory is there before what it writes next: between a message and
     * the index that hands it over. Natively the platform's time catches up with the core's, so
     * that no other core sees a message early. NULL = there is one core. */
    void (*fence)(void* ctx);
    /* A table in DRAM is read or written there: natively hit or miss of the core's data cache.
     * Cost: what the cache takes. NULL on a target, whose cache is real, and without a model. */
    void (*touch)(void* ctx, uint64_t address, uint32_t bytes, int write);
    /* From here on this core works on the command in `slot` of the front end, or on none: HAL_*
     * above. Tells the latency part `firmware` from `wait_core` and other waits (enum fe_wait).
     * Does not wait. Cost: none of its own. NULL on a target, and at level flat. */
    void (*mark)(void* ctx, uint32_t slot);
};

/* What main gets. The windows are plain memory: zero at power-up but for struct boot_params at
 * BOOT_PARAMS_OFFSET of SRAM, lost with power. Loads and stores cost what the instruction does.
 * Devices read and write them too, by controller addresses: MAP_SRAM_BASE or MAP_DRAM_BASE +
 * offset, never by pointers, which change from run to run. */
struct hal {
    const struct hal_ops* ops;
    void* ctx;
    uint8_t* sram; /* MAP_SRAM_BASE, boot_params.sram_size bytes; from BOOT_FREE_OFFSET on free */
    uint8_t* dram; /* MAP_DRAM_BASE, boot_params.dram_size bytes */
    uint64_t part; /* of sram: where this core's boot parameters lie (boot_params.partition) */
};

static inline uint32_t hal_read32(struct hal* hal, uint64_t address)
{
    return hal->ops->read32(hal->ctx, address);
}

static inline void hal_write32(struct hal* hal, uint64_t address, uint32_t value)
{
    hal->ops->write32(hal->ctx, address, value);
}

static inline uint64_t hal_wait_irq(struct hal* hal)
{
    return hal->ops->wait_irq(hal->ctx);
}

static inline uint64_t hal_time_ns(struct hal* hal)
{
    return hal->ops->time_ns(hal->ctx);
}

static inline void hal_log(struct hal* hal, int level, const char* message, uint64_t a, uint64_t b)
{
    hal->ops->log(hal->ctx, level, message, a, b);
}

static inline int hal_stopping(struct hal* hal)
{
    return hal->ops->stopping(hal->ctx);
}

static inline uint32_t hal_core(struct hal* hal)
{
    return hal->ops->core ? hal->ops->core(hal->ctx) : 0;
}

static inline void hal_fence(struct hal* hal)
{
    if (hal->ops->fence) {
        hal->ops->fence(hal->ctx);
    }
}

/* What tells the platform alone, and costs a core nothing: code for a target does not have it, and
 * in code for this host that is timed (docs/timing.md) tools/fwtime makes a call of it, if there is
 * whom to call, that is not charged. */
#if defined(SSDVP_FW_TIMED) && defined(__x86_64__)
#define HAL_TELL(hal, call, ...)                                                                   \
    __asm__ volatile("ssdvp_tell" : : "r"((hal)->ops->call), "r"((hal)->ctx), __VA_ARGS__)
#define HAL_TOLD(argument) "r"(argument)
#elif defined(SSDVP_FW_TIMED) /* no instruction, but as much to a compiler that inlines by size */
#define HAL_TELL(hal, call, ...)                                                                   \
    __asm__ volatile("" : : "i"(0 * sizeof((hal)->ops->call)), "i"(0), __VA_ARGS__)
#define HAL_TOLD(argument) "i"(0 * sizeof(argument))
#else
#define HAL_TELL(hal, call, ...)                                                                   \
    ((hal)->ops->call ? (hal)->ops->call((hal)->ctx, __VA_ARGS__) : (void)0)
#define HAL_TOLD(argument) (argument)
#endif

static inline void hal_touch(struct hal* hal, uint64_t address, uint32_t bytes, int write)
{
    HAL_TELL(hal, touch, HAL_TOLD(address), HAL_TOLD(bytes), HAL_TOLD(write));
}

static inline void hal_mark(struct hal* hal, uint32_t slot)
{
    HAL_TELL(hal, mark, HAL_TOLD(slot));
}

/* Controller address -> pointer. The address must lie in SRAM or DRAM. */
static inline void* hal_pointer(const struct hal* hal, uint64_t address)
{
    return address >= MAP_DRAM_BASE ? (void*)(hal->dram + (address - MAP_DRAM_BASE))
                                    : (void*)(hal->sram + (address - MAP_SRAM_BASE));
}

#ifdef __clang_analyzer__ /* it takes a pointer's functions to return */
#define HAL_PANIC(hal, message) ((void)(hal), (void)(message), __builtin_trap())
#else
#define HAL_PANIC(hal, message) ((hal)->ops->panic((hal)->ctx, __FILE__, __LINE__, (message)))
#endif
#define HAL_ASSERT(hal, condition)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            HAL_PANIC((hal), #condition);                                                          \
        }                                                                                          \
    } while (0)

/* What a firmware image exports, under the symbol name below. The platform refuses an image with
 * another abi_version. */
#define FIRMWARE_IMAGE_MAGIC 0x57465353u /* "SSFW" */
#define FIRMWARE_IMAGE_SYMBOL "ssdvp_firmware"

struct firmware_image {
    uint32_t magic;
    uint32_t abi_version; /* HAL_ABI_VERSION it was built with */
    const char* name;
    /* Runs each core from reset, on a stack of 1 MiB (targets: 64 KiB); returns only when
     * hal_stopping() says so. After a power cycle it is called anew, with memory of zeroes. */
    void (*main)(struct hal* hal);
    /* Writes count logical map units through the FTL's own append and collection path while main
     * sleeps; data lies at buffer (controller address), map units one after the other. Channels
     * execute functionally. 0 = done, else an enum flash_status. NULL = no preconditioning. With
     * count 0 nothing is written, and buffer tells whose units come, up to the end: 0 = those of a
     * load that leaves no idle time, 1 = of one that leaves as much as collection wants. Collection
     * keeps step with them as in simulated time. An image may ignore it. */
    int (*precondition)(struct hal* hal, const uint64_t* units, uint32_t count, uint64_t buffer);
    /* Ends preconditioning: everything appended is programmed. NULL with precondition. */
    int (*precondition_end)(struct hal* hal);
    uint32_t cores; /* that it can be spread over; 0 and 1 = one */
    /* What main will need, before there is a drive (plan.h). 0 = it can be had. NULL = unknown. */
    int (*plan)(struct hal* hal, struct firmware_plan* plan);
    /* Instead of precondition, before precondition_end (counts.h). NULL = no such way. */
    const struct firmware_counts* counts;
};

#endif
