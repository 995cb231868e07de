# SPDX-License-Identifier: Apache-2.0
# What NVMe answers, command by command, on whole drives.
ssdvp_test(nvme_conformance SYSTEMC TIMEOUT 120
           SOURCES nvme/conformance_bench.cpp nvme/conformance_admin.cpp
                   nvme/conformance_events.cpp nvme/conformance_io.cpp
                   nvme/conformance_namespaces.cpp nvme/conformance_zones.cpp
                   nvme/conformance_zone_power.cpp
           LIBS ssdvp_control Catch2::Catch2)
