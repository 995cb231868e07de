# SPDX-License-Identifier: Apache-2.0
ssdvp_test(unit_config SYSTEMC TIMEOUT 60
           SOURCES input_value_test.cpp input_sha256_test.cpp config_keys_test.cpp
                   config_map_keys.cpp config_nvme_keys_test.cpp config_zones_test.cpp
                   config_directives_test.cpp config_block_keys_test.cpp config_bounds_test.cpp
                   config_choices_test.cpp config_cache_keys_test.cpp config_core_keys_test.cpp
                   config_dram_keys_test.cpp config_energy_keys_test.cpp config_files_test.cpp
                   config_idle_test.cpp config_output_test.cpp config_pcie_test.cpp
                   config_placement_test.cpp config_power_test.cpp config_preset_fit_test.cpp
                   config_raid_test.cpp
                   config_rules_test.cpp config_sata_test.cpp config_serve_test.cpp
                   config_shallow_test.cpp config_timing_keys_test.cpp config_watchdog_test.cpp
                   config_workload_test.cpp
           LIBS ssdvp_config Boost::json fmt::fmt yaml-cpp)
target_compile_definitions(unit_config PRIVATE SSDVP_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
