# SPDX-License-Identifier: Apache-2.0
ssdvp_test(unit_config SYSTEMC TIMEOUT 60
  SOURCES config_values.cpp config_sha256.cpp config_keys.cpp config_map_keys.cpp
          config_nvme_keys.cpp config_zones.cpp config_directives.cpp
          config_block_keys.cpp config_bounds.cpp config_choices.cpp
          config_cache_keys.cpp config_core_keys.cpp config_dram_keys.cpp
          config_energy_keys.cpp config_files.cpp config_idle.cpp config_output.cpp config_pcie.cpp
          config_placement.cpp config_power.cpp config_raid.cpp config_rules.cpp config_sata.cpp
          config_serve.cpp
          config_shallow.cpp config_timing_keys.cpp config_watchdog.cpp config_workload.cpp
  LIBS ssdvp_config Boost::json fmt::fmt yaml-cpp)
target_compile_definitions(unit_config PRIVATE SSDVP_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
