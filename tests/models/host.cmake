# SPDX-License-Identifier: Apache-2.0
ssdvp_test(host SYSTEMC SOURCES host_*_test.cpp host_standin.cpp LIBS ssdvp_host)
