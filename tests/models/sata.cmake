# SPDX-License-Identifier: Apache-2.0
ssdvp_test(sata_link SYSTEMC SOURCES sata/link_test.cpp LIBS ssdvp_sata)
