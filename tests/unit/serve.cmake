# SPDX-License-Identifier: Apache-2.0
ssdvp_test(unit_serve SYSTEMC SOURCES serve_*_test.cpp LIBS ssdvp_serve)
