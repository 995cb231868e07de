# SPDX-License-Identifier: Apache-2.0
ssdvp_test(
  unit_common SYSTEMC
  TIMEOUT 60
  SOURCES common_data_mode.cpp common_histogram.cpp common_real_functions.cpp common_records.cpp
          common_busy_time.cpp common_reservation.cpp
          common_time.cpp
  LIBS ssdvp_common)
ssdvp_test(
  unit_timed_queue SYSTEMC
  TIMEOUT 60
  SOURCES common_timed_queue.cpp
  LIBS ssdvp_common)
ssdvp_test(
  unit_report SYSTEMC
  TIMEOUT 60
  SOURCES report_energy.cpp report_identities.cpp report_output.cpp report_power.cpp
          report_progress.cpp report_series.cpp report_statistics.cpp
          report_summary.cpp report_shallow.cpp report_summary_golden.cpp report_text.cpp
  LIBS ssdvp_report Boost::json Boost::iostreams)
