# SPDX-License-Identifier: Apache-2.0
ssdvp_test(pcie SYSTEMC SOURCES pcie_*_test.cpp LIBS ssdvp_pcie)
file(GLOB nvme_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} nvme/*_test.cpp)
list(FILTER nvme_tests EXCLUDE REGEX conformance)
ssdvp_test(nvme_front_end SYSTEMC SOURCES ${nvme_tests} nvme/bench.cpp front_end_bench.cpp
           LIBS ssdvp_nvme ssdvp_pcie)
