# SPDX-License-Identifier: Apache-2.0
ssdvp_test(pcie_tlp_cost SYSTEMC SOURCES pcie_tlp_cost.cpp LIBS ssdvp_pcie)
ssdvp_test(pcie_link SYSTEMC SOURCES pcie_link.cpp pcie_dllps.cpp pcie_credits.cpp pcie_tags.cpp
           pcie_throughput.cpp LIBS ssdvp_pcie)
ssdvp_test(nvme_front_end SYSTEMC SOURCES nvme_registers.cpp nvme_timing.cpp nvme_queues.cpp
           nvme_prp.cpp nvme_interrupts.cpp nvme_reset.cpp nvme_bench.cpp
           LIBS ssdvp_nvme ssdvp_pcie)
