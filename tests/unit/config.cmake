# SPDX-License-Identifier: Apache-2.0
ssdvp_test(unit_config SYSTEMC SOURCES input_*_test.cpp config_*.cpp
           LIBS ssdvp_config Boost::json fmt::fmt yaml-cpp)
target_compile_definitions(unit_config PRIVATE SSDVP_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
