/* SPDX-License-Identifier: Apache-2.0
 *
 * Namespace Management, Namespace Attachment, Format NVM.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_NS_MANAGEMENT_H
#define SSDVP_FIRMWARE_HOST_NVME_NS_MANAGEMENT_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

bool nvme_wipe(struct env* e, uint32_t slot); /* unmaps namespaces; true = done */
void nvme_wipe_failed(struct env* e, const struct command* c);
/* What a format unmapped is so for good: the namespaces take commands again. */
void nvme_format_ends(struct env* e, const struct command* c);

#endif
