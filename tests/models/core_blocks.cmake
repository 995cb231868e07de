# SPDX-License-Identifier: Apache-2.0
# cpu, interconnect, irq, timer, sram, dram: each an executable of its own.
ssdvp_test(test_cpu SYSTEMC SOURCES cpu_test.cpp LIBS ssdvp_cpu ssdvp_irq)
ssdvp_test(test_data_cache SYSTEMC SOURCES data_cache_test.cpp
  LIBS ssdvp_cpu ssdvp_interconnect ssdvp_irq ssdvp_dram)
ssdvp_test(test_interconnect SYSTEMC SOURCES interconnect_test.cpp
  LIBS ssdvp_interconnect ssdvp_sram)
ssdvp_test(test_irq SYSTEMC SOURCES irq_test.cpp LIBS ssdvp_irq)
ssdvp_test(test_timer SYSTEMC SOURCES timer_test.cpp LIBS ssdvp_timer)
ssdvp_test(test_memories SYSTEMC SOURCES memories_test.cpp dram_module_test.cpp
  LIBS ssdvp_sram ssdvp_dram)
ssdvp_test(test_dram SYSTEMC
  SOURCES dram_rules_test.cpp dram_schedule_test.cpp dram_bandwidth_test.cpp dram_energy_test.cpp
          dram_fuzz_test.cpp dram_overload_test.cpp
  LIBS ssdvp_dram)
# Every block against its SystemRDL description, models/regs/*.rdl.
ssdvp_test(test_register_access SYSTEMC
  SOURCES register_access_test.cpp register_access_bench.cpp front_end_bench.cpp
          nvme/bench.cpp sata/bench.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/register_table.cpp
  LIBS ssdvp_irq ssdvp_nor ssdvp_timer ssdvp_flash ssdvp_nvme ssdvp_pcie ssdvp_host ssdvp_sata)
