# SPDX-License-Identifier: Apache-2.0
ssdvp_test(at_checker_test SYSTEMC SOURCES flash_at_checker.cpp LIBS ssdvp_common)
ssdvp_test(flash_arbiter_test SYSTEMC SOURCES flash_arbiter.cpp flash_priorities.cpp
           flash_sharing.cpp LIBS ssdvp_flash)
ssdvp_test(flash_bus_test SYSTEMC SOURCES flash_bus.cpp LIBS ssdvp_flash)
ssdvp_test(flash_onfi_test SYSTEMC SOURCES flash_onfi_modes.cpp flash_onfi_rules.cpp
           flash_onfi_channel.cpp flash_registers.cpp LIBS ssdvp_flash)
ssdvp_test(flash_store_test SYSTEMC SOURCES flash_store.cpp flash_spare_cells.cpp flash_cells.cpp
           LIBS ssdvp_flash)
ssdvp_test(flash_channel_test SYSTEMC SOURCES flash_channel.cpp flash_data.cpp flash_errors.cpp
           flash_suspend.cpp flash_timing.cpp LIBS ssdvp_flash)
ssdvp_test(flash_operations_test SYSTEMC SOURCES flash_modes.cpp flash_operations.cpp
           flash_polling.cpp LIBS ssdvp_flash)
ssdvp_test(flash_retention_test SYSTEMC SOURCES flash_retention.cpp LIBS ssdvp_flash)
ssdvp_test(flash_power_test SYSTEMC SOURCES flash_power.cpp LIBS ssdvp_flash)
ssdvp_test(flash_functional_test SYSTEMC TIMEOUT 120 SOURCES flash_functional.cpp LIBS ssdvp_flash)
ssdvp_test(flash_error_test SYSTEMC SOURCES flash_ecc.cpp flash_rber.cpp LIBS ssdvp_flash)
