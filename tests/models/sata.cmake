# SPDX-License-Identifier: Apache-2.0
ssdvp_test(sata SYSTEMC SOURCES sata/*.cpp front_end_bench.cpp LIBS ssdvp_host ssdvp_sata)
