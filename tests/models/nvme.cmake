# SPDX-License-Identifier: Apache-2.0
ssdvp_test(pcie_config_space SYSTEMC SOURCES pcie_config_space_test.cpp LIBS ssdvp_pcie)
ssdvp_test(pcie_tlp_cost SYSTEMC SOURCES pcie_tlp_cost_test.cpp LIBS ssdvp_pcie)
ssdvp_test(pcie_link SYSTEMC
           SOURCES pcie_link_test.cpp pcie_dllps_test.cpp pcie_credits_test.cpp pcie_tags_test.cpp
                   pcie_replay_test.cpp pcie_throughput_test.cpp
           LIBS ssdvp_pcie)
ssdvp_test(nvme_front_end SYSTEMC
           SOURCES nvme/registers_test.cpp nvme/timing_test.cpp nvme/queues_test.cpp
                   nvme/prp_test.cpp nvme/sgl_test.cpp nvme/metadata_test.cpp
                   nvme/interrupts_test.cpp nvme/coalescing_test.cpp nvme/arbitration_test.cpp
                   nvme/doorbells_test.cpp nvme/enable_test.cpp nvme/reset_test.cpp
                   nvme/writes_test.cpp nvme/bench.cpp front_end_bench.cpp
           LIBS ssdvp_nvme ssdvp_pcie)
