/* SPDX-License-Identifier: Apache-2.0
 *
 * host.interface: what the host and the drive speak.
 */
#ifndef SSDVP_REGS_CHOICES_HOST_INTERFACE_H
#define SSDVP_REGS_CHOICES_HOST_INTERFACE_H

#define HOST_INTERFACES(ROW)                                                                       \
    ROW(NVME, nvme, "NVMe over PCIe")                                                              \
    ROW(SATA, sata, "ATA commands over SATA, by AHCI")

#define HOST_INTERFACE_ID(ID, ...) HOST_INTERFACE_##ID,
enum host_interface_id { HOST_INTERFACES(HOST_INTERFACE_ID) };
#undef HOST_INTERFACE_ID

#endif
