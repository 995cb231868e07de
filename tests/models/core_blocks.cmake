# SPDX-License-Identifier: Apache-2.0
ssdvp_test(blocks SYSTEMC
  SOURCES cpu_test.cpp data_cache_test.cpp instruction_cache_test.cpp interconnect_test.cpp
          irq_test.cpp memories_test.cpp timer_test.cpp thermal_*_test.cpp dram_*_test.cpp
  LIBS ssdvp_cpu ssdvp_interconnect ssdvp_irq ssdvp_timer ssdvp_nor ssdvp_thermal ssdvp_sram
       ssdvp_dram)
# Every block against its SystemRDL description, models/regs/*.rdl.
ssdvp_test(register_access SYSTEMC
  SOURCES register_access_test.cpp register_access_bench.cpp front_end_bench.cpp
          nvme/bench.cpp sata/bench.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/register_table.cpp
  LIBS ssdvp_irq ssdvp_nor ssdvp_thermal ssdvp_timer ssdvp_flash ssdvp_nvme ssdvp_pcie ssdvp_host
       ssdvp_sata)
