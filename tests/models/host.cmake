# SPDX-License-Identifier: Apache-2.0
ssdvp_test(host_driver_test SYSTEMC
  SOURCES host_driver_test.cpp host_standin.cpp LIBS ssdvp_host)
ssdvp_test(host_power_test SYSTEMC
  SOURCES host_power_test.cpp host_standin.cpp LIBS ssdvp_host)
ssdvp_test(host_workload_test SYSTEMC
  SOURCES host_workload_test.cpp host_standin.cpp LIBS ssdvp_host)
ssdvp_test(host_fio_test SYSTEMC SOURCES host_fio_test.cpp host_standin.cpp LIBS ssdvp_host)
