# SPDX-License-Identifier: Apache-2.0
ssdvp_test(unit_common SYSTEMC SOURCES common_*_test.cpp LIBS ssdvp_common)
ssdvp_test(unit_report SYSTEMC SOURCES report_*.cpp LIBS ssdvp_report Boost::json Boost::iostreams)
