# SPDX-License-Identifier: Apache-2.0
ssdvp_test(unit_common SYSTEMC TIMEOUT 60
           SOURCES common_data_mode_test.cpp common_histogram_test.cpp common_index_test.cpp
                   common_real_functions_test.cpp common_records_test.cpp common_busy_time_test.cpp
                   common_reservation_test.cpp common_time_test.cpp
           LIBS ssdvp_common)
ssdvp_test(
  unit_timed_queue SYSTEMC
  TIMEOUT 60
  SOURCES common_timed_queue_test.cpp
  LIBS ssdvp_common)
ssdvp_test(unit_report SYSTEMC TIMEOUT 60
           SOURCES report_counters_test.cpp report_energy_test.cpp report_identities_test.cpp
                   report_output_test.cpp
                   report_power_test.cpp report_progress_test.cpp report_series_test.cpp
                   report_sinks_test.cpp
                   report_statistics_test.cpp report_summary_test.cpp report_shallow_test.cpp
                   report_summary_golden.cpp report_text_test.cpp
           LIBS ssdvp_report Boost::json Boost::iostreams)
