# SPDX-License-Identifier: Apache-2.0
ssdvp_test(pcie_config_space SYSTEMC SOURCES pcie_config_space.cpp LIBS ssdvp_pcie)
ssdvp_test(pcie_tlp_cost SYSTEMC SOURCES pcie_tlp_cost.cpp LIBS ssdvp_pcie)
ssdvp_test(pcie_link SYSTEMC SOURCES pcie_link.cpp pcie_dllps.cpp pcie_credits.cpp pcie_tags.cpp
           pcie_replay.cpp pcie_throughput.cpp LIBS ssdvp_pcie)
ssdvp_test(nvme_front_end SYSTEMC SOURCES nvme/registers.cpp nvme/timing.cpp nvme/queues.cpp
           nvme/prp.cpp nvme/sgl.cpp nvme/metadata.cpp nvme/interrupts.cpp nvme/coalescing.cpp
           nvme/arbitration.cpp nvme/doorbells.cpp nvme/enable.cpp nvme/reset.cpp nvme/writes.cpp
           nvme/bench.cpp front_end_bench.cpp
           LIBS ssdvp_nvme ssdvp_pcie)
