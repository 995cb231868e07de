/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.bplru.*: how the paper on bplru is read where it leaves something open; a bit each.
 */
#ifndef SSDVP_REGS_CHOICES_BPLRU_READING_H
#define SSDVP_REGS_CHOICES_BPLRU_READING_H

#define BPLRU_OWN_LEAVES 0x1u   /* the block that a new unit belongs to may be the victim */
#define BPLRU_REWRITE_ENDS 0x2u /* a block is not in order once a whole unit is written again */

#endif
