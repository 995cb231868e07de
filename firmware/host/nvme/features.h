/* SPDX-License-Identifier: Apache-2.0
 *
 * Set Features and Get Features.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_FEATURES_H
#define SSDVP_FIRMWARE_HOST_NVME_FEATURES_H

#include "firmware/lib/env.h"

/* After a reset: what was saved, else as the drive came. */
void nvme_default_features(struct env* e);

#endif
