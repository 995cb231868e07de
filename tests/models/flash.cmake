# SPDX-License-Identifier: Apache-2.0
ssdvp_test(flash SYSTEMC TIMEOUT 120 SOURCES flash_*_test.cpp LIBS ssdvp_flash)
