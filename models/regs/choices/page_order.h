/* SPDX-License-Identifier: Apache-2.0
 *
 * nand.page_order: the order in which a part lets pages of a block be programmed, each once
 * between two erases.
 */
#ifndef SSDVP_REGS_CHOICES_PAGE_ORDER_H
#define SSDVP_REGS_CHOICES_PAGE_ORDER_H

#define PAGE_ORDERS(ROW)                                                                           \
    ROW(SEQUENTIAL, sequential, "that of their numbers, as in all parts since MLC")                \
    ROW(ANY, any, "any, as in small-block SLC parts")

#define PAGE_ORDER_ID(ID, ...) PAGE_ORDER_##ID,
enum page_order_id { PAGE_ORDERS(PAGE_ORDER_ID) };
#undef PAGE_ORDER_ID

#endif
