# SPDX-License-Identifier: Apache-2.0
ssdvp_test(unit_host SYSTEMC
           SOURCES raid_test.cpp shadow_*test.cpp trace_*test.cpp workload_*_test.cpp
           LIBS ssdvp_host ssdvp_sector_orders z zstd)
ssdvp_test(unit_fio SYSTEMC SOURCES fio_*_test.cpp LIBS ssdvp_fio)
