# SPDX-License-Identifier: Apache-2.0
ssdvp_test(at_checker_test SYSTEMC SOURCES flash_at_checker_test.cpp LIBS ssdvp_common)
ssdvp_test(flash_arbiter_test SYSTEMC SOURCES flash_arbiter_test.cpp flash_priorities_test.cpp
           flash_sharing_test.cpp LIBS ssdvp_flash)
ssdvp_test(flash_bus_test SYSTEMC SOURCES flash_bus_test.cpp LIBS ssdvp_flash)
ssdvp_test(flash_onfi_test SYSTEMC SOURCES flash_onfi_modes_test.cpp flash_onfi_rules_test.cpp
           flash_onfi_channel_test.cpp flash_registers_test.cpp LIBS ssdvp_flash)
ssdvp_test(flash_store_test SYSTEMC
           SOURCES flash_store_test.cpp flash_spare_cells_test.cpp flash_cells_test.cpp
           LIBS ssdvp_flash)
ssdvp_test(flash_channel_test SYSTEMC
           SOURCES flash_channel_test.cpp flash_data_test.cpp flash_errors_test.cpp
                   flash_suspend_test.cpp flash_timing_test.cpp
           LIBS ssdvp_flash)
ssdvp_test(flash_operations_test SYSTEMC SOURCES flash_modes_test.cpp flash_operations_test.cpp
           flash_polling_test.cpp LIBS ssdvp_flash)
ssdvp_test(flash_retention_test SYSTEMC SOURCES flash_retention_test.cpp LIBS ssdvp_flash)
ssdvp_test(flash_power_test SYSTEMC SOURCES flash_power_test.cpp LIBS ssdvp_flash)
ssdvp_test(flash_functional_test SYSTEMC TIMEOUT 120
           SOURCES flash_functional_test.cpp
           LIBS ssdvp_flash)
ssdvp_test(flash_error_test SYSTEMC SOURCES flash_ecc_test.cpp flash_rber_test.cpp LIBS ssdvp_flash)
