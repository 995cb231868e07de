# SPDX-License-Identifier: Apache-2.0
ssdvp_test(host_trace_test SYSTEMC SOURCES trace_test.cpp LIBS ssdvp_host z zstd)
ssdvp_test(host_pattern_test SYSTEMC SOURCES workload_pattern_test.cpp LIBS ssdvp_host)
ssdvp_test(host_raid_test SYSTEMC SOURCES raid_test.cpp LIBS ssdvp_host)
ssdvp_test(host_shadow_test SYSTEMC
           SOURCES shadow_test.cpp shadow_power_test.cpp shadow_orders_test.cpp
           LIBS ssdvp_host ssdvp_sector_orders)
ssdvp_test(host_stack_test SYSTEMC SOURCES workload_stack_test.cpp LIBS ssdvp_host)
ssdvp_test(fio_jobs_test SYSTEMC SOURCES fio_jobs_test.cpp LIBS ssdvp_fio)
