// SPDX-License-Identifier: Apache-2.0
//
// fio's options that a drive makes no difference to, and those that cannot be honoured.
#include <string_view>

#include "platform/fio/job_options.h"

namespace ssdvp::platform::fio {

namespace {

struct reason_row {
    const char* names; // separated by blanks
    const char* text;
};

constexpr const char* goes_straight = "requests go straight to the drive, past any page cache";
constexpr const char* no_threads = "jobs are not processes of this machine";
constexpr const char* own_reports = "ssdvp writes its own reports (summary.json, fio.json)";
constexpr const char* no_content = "the drive's time does not depend on what is written";
constexpr const char* no_files = "jobs work on ranges of the drive, not on files";
constexpr const char* by_shadow = "every read is compared with a copy of what was written";

constexpr reason_row passed_over[] = {
    {"direct buffered invalidate fadvise_hint overwrite pre_read atomic hipri nonvectored nowait "
     "registerfiles fixedbufs sqthread_poll sqthread_poll_cpu uncached force_async userspace_reap "
     "cmd_type mmapshared",
     goes_straight},
    {"thread threads "
     "numa_cpu_nodes numa_mem_policy cpus_allowed cpus_allowed_policy cpumask nice prio "
     "prioclass priohint mem iomem mem_align iomem_align hugepage-size lockmem uid gid cgroup "
     "cgroup_weight cgroup_nodelete ioscheduler clocksource clock_cpu gtod_cpu job_start_clock_id "
     "exec_prerun exec_postrun idle_prof io_submit_mode",
     no_threads},
    {"gtod_reduce disable_bw disable_bw_measurement clat_percentiles lat_percentiles "
     "slat_percentiles block_error_percentiles significant_figures unit_base "
     "disk_util write_iolog stats error_dump",
     own_reports},
    {"log_compression log_compression_cpus log_store_compressed log_entries",
     "logs are written as they come, plain"},
    {"log_unix_epoch log_alternate_epoch log_alternate_epoch_clock_id",
     "a log's times are simulated, from the start of its job"},
    {"zero_buffers refill_buffers scramble_buffers buffer_compress_percentage "
     "buffer_compress_chunk buffer_pattern dedupe_percentage dedupe_mode dedupe_working_set_"
     "percentage dedupe_global verify_pattern verify_interval verify_offset verify_header_seed",
     no_content},
    {"directory filename_format openfiles file_service_type unique_filename "
     "fallocate create_serialize create_fsync create_on_open create_only allow_file_create "
     "allow_mounted_write file_append unlink unlink_each_loop unlink_each_job lockfile opendir "
     "filetype truncate",
     no_files},
    {"verify_fatal verify_dump verify_async verify_async_cpus verifysort verifysort_nr "
     "verify_state_save verify_write_sequence verify_header trim_verify_zero serialize_overlap "
     "continue_on_error ignore_error experimental_verify",
     by_shadow},
    {"randrepeat allrandrepeat random_generator use_os_rand",
     "every run is repeatable; run.seed and randseed change the draws"},
    {"thinktime_spin thinktime_blocks_type", "the thread's waiting costs the drive nothing else"},
    {"fill_device fill_fs", "a job without a size covers its whole file anyway"},
    {"uri pool rbdname clientname clustername busy_poll libblkio_driver libblkio_path "
     "libblkio_pre_connect_props libblkio_pre_start_props libblkio_num_entries libblkio_queue_size "
     "libblkio_vectored xnvme_async xnvme_sync xnvme_admin xnvme_dev_nsid xnvme_iovec",
     "of the engine that fio would reach the drive with"},
    {"spdk_conf spdk_json_conf spdk_mem spdk_single_seg mem_size_mb shm_id hostnqn hostaddr "
     "hostsvcid "
     "enable_wrr print_qid_mappings log_flags disable_pcie_sgl_merge digest_enable",
     "of SPDK, which fio would reach the drive with"},
    {"output output-format eta eta-newline eta-interval status-interval minimal terse-version "
     "append-terse bandwidth-log max-jobs alloc-size warnings-fatal aux-path readonly",
     "of fio's own output and memory"},
    {"zonerange zonecapacity ignore_zone_limits",
     "zones are those of the drive (host.nvme.zns.zone_size)"},
    {"read_beyond_wp", "reads go to the whole range; what no zone has is read as zeroes"},
    {"iodepth_batch_complete_max", "completions are taken as they come"},
};

constexpr reason_row without[] = {
    {"nrfiles nr_files", "write a job for each file"},
    {"rate_min ratemin rate_iops_min rate_cycle", "remove it: a job is not ended for being slow"},
    {"latency_target latency_window latency_percentile latency_run max_latency",
     "give iodepth; several runs with --set find the depth for a latency"},
    {"steadystate ss steadystate_duration ss_dur steadystate_ramp_time ss_ramp",
     "give runtime, and precondition.fill for a drive in its steady state"},
    {"flow flow_id flow_watermark flow_sleep", "give rate or rate_iops, or one job with rwmixread"},
    {"read_iolog replay_no_stall replay_redirect replay_time_scale replay_scale replay_skip "
     "replay_align merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters "
     "read_iolog_chunked",
     "replay the log with --trace FILE,format=fio"},
    {"skip_bad", "remove it: there are no such blocks"},
    {"sg_write_mode", "remove it: writes are plain writes"},
    {"exitall exit_what", "give every job a runtime"},
    {"cmdprio cmdprio_percentage cmdprio_class cmdprio_hint cmdprio_bssplit cmdprio_split",
     "use streams with a priority (workload[].priority)"},
    {"fdp fdp_pli fdp_pli_select dataplacement plids plid_select dp_scheme write_mode write_hint",
     "remove it: the drive places data itself"},
    {"pi_act pi_chk apptag apptag_mask md_per_io_size", "remove it: metadata is not transferred"},
    {"bs_unaligned blocksize_unaligned", "give sizes that are multiples of 512"},
    {"bs_is_seq_rand blocksize_is_seq_rand", "write two jobs"},
    {"verify_only verify_state_load verify_backlog_batch", "remove it: what was written is known"},
    {"trim_backlog_batch", "remove it: all blocks of a backlog are visited at once"},
    {"offset_align", "give offset as a multiple of it"},
    {"sync_file_range write_barrier barrier", "give fsync or fdatasync"},
    {"random_sequence_stride sprandom spr_op spr_num_regions num_range", "remove it"},
};

const char* text_in(const reason_row* begin, const reason_row* end, std::string_view name)
{
    if (name.empty() || name.find(' ') != std::string_view::npos) {
        return nullptr;
    }
    for (const reason_row* r = begin; r != end; ++r) {
        std::string_view names = r->names;
        while (!names.empty()) {
            const std::size_t blank = names.find(' ');
            if (names.substr(0, blank) == name) {
                return r->text;
            }
            names.remove_prefix(blank == std::string_view::npos ? names.size() : blank + 1);
        }
    }
    return nullptr;
}

} // namespace

const char* reason_to_pass_over(const std::string& name)
{
    return text_in(std::begin(passed_over), std::end(passed_over), name);
}

const char* remedy_without(const std::string& name)
{
    return text_in(std::begin(without), std::end(without), name);
}

} // namespace ssdvp::platform::fio
