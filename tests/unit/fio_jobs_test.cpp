// SPDX-License-Identifier: Apache-2.0
//
// fio job files: what their options become, and what is refused where.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <unistd.h>

#include "platform/fio/job_arguments.h"
#include "platform/fio/job_options.h"
#include "platform/fio/jobs.h"

namespace fio_jobs_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::literals;
using Catch::Contains;
using host::fio_config;
using host::fio_job;
using host::fio_law;

namespace {

constexpr std::uint64_t mib = 1u << 20;
constexpr fio::target drive = {1024 * mib, data_mode::tag, 0, 0};
constexpr fio::target zoned = {48 * 6 * mib, data_mode::tag, 6 * mib, 8 * mib};

fio_config jobs(const std::string& text)
{
    return fio::parse_jobs(text, "j.fio", drive);
}

/// The only job of a file with these options.
fio_job job(const std::string& options)
{
    const fio_config c = jobs("[a]\n" + options + "\n");
    REQUIRE(c.jobs.size() == 1);
    return c.jobs.front();
}

std::string error(const std::string& text)
{
    try {
        jobs(text);
    } catch (const config_error& e) {
        return e.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("fio: every kind of rw")
{
    struct kind {
        const char* name;
        bool used[3];
        bool random;
        bool trim_then_write;
    };
    const kind kinds[] = {
        {"read", {true, false, false}, false, false},
        {"write", {false, true, false}, false, false},
        {"trim", {false, false, true}, false, false},
        {"randread", {true, false, false}, true, false},
        {"randwrite", {false, true, false}, true, false},
        {"randtrim", {false, false, true}, true, false},
        {"rw", {true, true, false}, false, false},
        {"readwrite", {true, true, false}, false, false},
        {"randrw", {true, true, false}, true, false},
        {"trimwrite", {false, true, true}, false, true},
        {"randtrimwrite", {false, true, true}, true, true},
    };
    for (const kind& k : kinds) {
        const fio_job j = job(std::string("rw=") + k.name + "\nsize=1m");
        INFO(k.name);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(j.kinds[i].used == k.used[i]);
            CHECK(j.kinds[i].random_share == (k.random ? 1.0 : 0.0));
        }
        CHECK(j.trim_then_write == k.trim_then_write);
        CHECK(j.pass_bytes == mib);
    }
    CHECK(job("size=1m").kinds[0].used); // read by default
    CHECK(job("rw=randread:8\nsize=1m").sequence.each == 8);
    CHECK(job("rw=write:4k\nsize=1m").sequence.add == 8);
    CHECK(job("rw=read:-8k\nsize=1m").sequence.add == -16);
}

TEST_CASE("fio: sizes of requests, for reads, writes and trims")
{
    const auto sizes = [](const std::string& text) {
        const fio_job j = job(text + "\nrw=randrw\nsize=8m");
        return std::array<std::uint32_t, 3>{
            j.kinds[0].sizes[0].sectors, j.kinds[1].sizes[0].sectors, j.kinds[2].sizes[0].sectors};
    };
    using three = std::array<std::uint32_t, 3>;
    CHECK(sizes("bs=16k") == three{32, 32, 32});
    CHECK(sizes("bs=16k,8k") == three{32, 16, 16});
    CHECK(sizes("bs=16k,8k,64k") == three{32, 16, 128});
    CHECK(sizes("bs=,8k") == three{8, 16, 16});
    CHECK(sizes("bs=16k,") == three{32, 8, 8});
    CHECK(sizes("bs=0x400") == three{2, 2, 2});
    CHECK(sizes("bs=512B") == three{1, 1, 1});
    CHECK(sizes("kb_base=1000\nbs=512kib") == three{1024, 1024, 1024});
    const fio_job split = job("bssplit=4k/10:64k/50:32k/40,8k/:16k/25\nrw=randrw\nsize=8m");
    REQUIRE(split.kinds[0].sizes.size() == 3);
    CHECK(split.kinds[0].sizes[1].sectors == 64); // the smallest first
    CHECK(split.kinds[0].sizes[1].up_to == Approx(0.5));
    CHECK(split.kinds[1].sizes[0].up_to == Approx(0.75));
    CHECK(split.kinds[0].align == 8); // the smallest
    const fio_job range = job("bsrange=4k-16k\nrw=randread\nsize=8m\nblockalign=4k");
    REQUIRE(range.kinds[0].sizes.size() == 4);
    CHECK(range.kinds[0].sizes[3].sectors == 32);
    CHECK(range.kinds[0].sizes[0].up_to == Approx(0.25));
    // As fio 3.33: either separator and order, the end as it is, and the option that says most.
    const auto read = [](const std::string& options) {
        return job(options + "\nrw=randread\nsize=8m").kinds[0].sizes;
    };
    CHECK(read("bsrange=4k:64k").size() == 16);
    CHECK(read("bsrange=64k-4k").size() == 16);
    const auto uneven = read("bsrange=4k-10k");
    REQUIRE(uneven.size() == 3);
    CHECK(uneven[1].up_to == Approx(0.8));
    CHECK(uneven[2].sectors == 20);
    CHECK(read("bsrange=4k-8k\nbs=64k").size() == 2);
    CHECK(read("bssplit=4k/50:64k/50\nbsrange=4k-64k")[1].sectors == 128);
    CHECK(read("bssplit=4k/30:64k/30")[0].up_to == Approx(0.3)); // the last gets the rest
    CHECK(read("bssplit=64k/30:4k/30")[0].up_to == Approx(0.7));
}

TEST_CASE("fio: sections, global options, clones, stonewall, groups")
{
    const fio_config c = jobs("; comment\n[global]\nbs=8k\nsize=1m ; each\n[one]\nnumjobs=2\n"
                              "[two]\nstonewall\nbs=4k\nfilename=/dev/nvme0n1\n"
                              "[global]\niodepth=7\n[three]\nnew_group\nwait_for=one\n");
    REQUIRE(c.jobs.size() == 4);
    CHECK(c.jobs[0].name == "one");
    CHECK(c.jobs[1].name == "one");
    CHECK(c.jobs[0].first == 0);
    CHECK(c.jobs[1].first == mib / 512); // a file of its own
    CHECK(c.jobs[2].first == 0);         // the device
    CHECK(c.jobs[3].first == 2 * mib / 512);
    CHECK(c.jobs[2].kinds[0].sizes[0].sectors == 8);
    CHECK(c.jobs[3].kinds[0].sizes[0].sectors == 16);
    CHECK(c.jobs[2].depth == 1);
    CHECK(c.jobs[3].depth == 7);
    CHECK(c.jobs[1].phase == 0);
    CHECK(c.jobs[2].phase == 1);
    CHECK(c.jobs[3].phase == 1);
    CHECK(c.jobs[1].group == 0);
    CHECK(c.jobs[2].group == 1);
    CHECK(c.jobs[3].group == 2);
    CHECK(c.jobs[3].after == std::pair<std::uint32_t, std::uint32_t>(0, 2));
    CHECK(c.global_options.size() == 3);
    CHECK(c.jobs[2].options.size() == 3);
}

TEST_CASE("fio: where a job works")
{
    CHECK(job("").sectors == drive.bytes / 512); // all of the drive
    const fio_job part = job("filename=/dev/x\noffset=25%\nsize=50%\nbs=1m");
    CHECK(part.first == 256 * mib / 512);
    CHECK(part.sectors == 512 * mib / 512);
    CHECK(part.pass_bytes == 512 * mib);
    CHECK(job("size=10k\nbs=4k").pass_bytes == 10240);
    CHECK_FALSE(job("size=1m\nio_size=0").more_passes);
    CHECK(job("size=1m\nio_size=3m").pass_bytes == 3 * mib);
    CHECK(job("size=1m\nio_size=50%").pass_bytes == mib / 2);
    CHECK(job("filesize=4m\nsize=1m\nio_size=50%").pass_bytes == 2 * mib); // of the file
    CHECK_FALSE(job("size=1m\nio_size=50%").more_passes);
    CHECK(job("size=4ki").sectors == 8);
    const fio_config shifted =
        jobs("[a]\nfilename=f\nnumjobs=3\nsize=2m\noffset=1m\noffset_increment=4m\n");
    CHECK(shifted.jobs[2].first == 9 * mib / 512);
}

TEST_CASE("fio: how much at once, and when")
{
    const fio_job j = job("rw=randrw\nsize=1m\niodepth=32\niodepth_low=8\nrate=1m,2m\n"
                          "thinktime=50\nthinktime_blocks=4\nruntime=2m\ntime_based\n"
                          "startdelay=5ms\nrwmixwrite=30\nfsync=16\nend_fsync=1\nloops=2\n"
                          "number_ios=99\nrate_process=poisson\nsync=dsync\nrandseed=5");
    CHECK(j.depth == 32);
    CHECK(j.refill_at == 8);
    CHECK(j.kinds[0].rate_bytes == mib);
    CHECK(j.kinds[1].rate_bytes == 2 * mib);
    CHECK(j.think == 50_us);
    CHECK(j.think_blocks == 4);
    CHECK(j.runtime == 120_s);
    CHECK(j.time_based);
    CHECK(j.delay == 5_ms);
    CHECK(j.read_percent == 70);
    CHECK(j.flush_every == 16);
    CHECK(j.flush_at_end);
    CHECK(j.loops == 2);
    CHECK(j.number_ios == 99);
    CHECK(j.poisson);
    CHECK(j.kinds[1].fua);
    CHECK_FALSE(j.kinds[0].fua);
    CHECK(job("writefua=1\nrw=write\nsize=1m").kinds[1].fua);
    CHECK_FALSE(job("writefua=0\nrw=write\nsize=1m").kinds[1].fua);
    CHECK(job("readfua=1\nsize=1m").kinds[0].fua);
    CHECK_FALSE(job("readfua=0\nsize=1m").kinds[0].fua);
    CHECK_THROWS_WITH(
        fio::parse_jobs("[a]\nreadfua\nsize=1m\n", "j.fio", {mib, data_mode::tag, 0, 0, false}),
        Contains("j.fio:2:8: readfua: only queued reads of SATA") &&
            Contains("host.sata.ncq=true"));
    CHECK(job("rate_ignore_thinktime=1\nsize=1m").rate_skips_thinking);
    CHECK(job("unified_rw_reporting=1\nsize=1m").report == host::fio_report::together);
    CHECK(job("unified_rw_reporting=both\nsize=1m").report == host::fio_report::both);
    CHECK(j.seed == 5);
    CHECK(job("iodepth=16\niodepth_batch=4\nsize=1m").refill_at == 12);
    CHECK(job("iodepth=16\nioengine=psync\nsize=1m").depth == 1);
    CHECK(job("iodepth=16\nioengine=libaio\nsize=1m").depth == 16);
}

TEST_CASE("fio: laws of random positions")
{
    const auto law = [](const std::string& text) {
        return job("rw=randread\nsize=100m\nrandom_distribution=" + text).kinds[0];
    };
    CHECK(law("random").law == fio_law::uniform);
    CHECK(law("zipf").parameter == Approx(1.1));
    CHECK(law("zipf:0.8:0.25").parameter == Approx(0.8));
    CHECK(law("zipf:0.8:0.25").center == Approx(0.25));
    CHECK(law("pareto:0.3").law == fio_law::pareto);
    CHECK(law("normal:10").parameter == Approx(10.0));
    const auto zones = law("zoned:60/10:30/20:10/").zones;
    REQUIRE(zones.size() == 3);
    CHECK(zones[1].up_to == Approx(0.9));
    CHECK(zones[1].first == 10 * mib / 512);
    CHECK(zones[2].sectors == 70 * mib / 512);
    CHECK(law("zoned_abs:60/20m:40/80m").zones[0].sectors == 20 * mib / 512);
}

TEST_CASE("fio: verify, trims of what was written")
{
    CHECK(job("rw=write\nsize=1m\nverify=crc32c").verify);
    CHECK_FALSE(job("rw=write\nsize=1m\nverify=crc32c\ndo_verify=0").verify);
    CHECK_FALSE(job("rw=read\nsize=1m\nverify=md5").verify); // nothing written
    const fio_job t = job("rw=write\nsize=1m\ntrim_percentage=25\ntrim_backlog=64");
    CHECK(t.trim_share == Approx(0.25));
    CHECK(t.trim_backlog == 64);
    CHECK_THROWS_WITH(
        fio::parse_jobs("[a]\nrw=write\nverify=md5\n", "j.fio", {mib, data_mode::none, 0, 0}),
        Contains("j.fio:3:8: verify: the drive keeps no data"));
}

TEST_CASE("fio: options without effect are listed with the reason")
{
    const fio_config c = jobs("[global]\ndirect=1\nthread\n[a]\nsize=1m\nunlink=1\n");
    REQUIRE(c.notes.size() == 3);
    CHECK(c.notes[0].at == "j.fio:2:1");
    const fio_config endless = jobs("[a]\nsize=1m\ntime_based\n");
    CHECK_FALSE(endless.jobs[0].time_based);
    CHECK(endless.notes.at(0).at == "j.fio:3:1");
    CHECK_THAT(c.notes[0].text, Contains("direct: requests go straight to the drive"));
}

TEST_CASE("fio: include and the environment")
{
    const std::string name = "fio_jobs_test_" + std::to_string(getpid()) + ".inc";
    std::ofstream(name) << "bs=64k\n";
    ::setenv("SSDVP_TEST_SIZE", "3m", 1);
    const fio_job j = job("include " + name + "\nsize=${SSDVP_TEST_SIZE}");
    std::ofstream(name) << "bs=64k\nbs=1\n";
    const std::string nested = error("[a]\ninclude " + name + "\n");
    std::ofstream(name) << "include " << name << "\n";
    const std::string circle = error("[a]\ninclude " + name + "\n");
    std::remove(name.c_str());
    CHECK(j.kinds[0].sizes[0].sectors == 128);
    CHECK(j.sectors == 3 * mib / 512);
    CHECK_THAT(nested, Contains(name + ":2:4: bs: 1 bytes are no whole sectors"));
    CHECK_THAT(circle, Contains("include: more than 16 files deep"));
    CHECK_THAT(error("[a]\nsize=${NO_SUCH_NAME}\n"),
               Contains("j.fio:2:6: the environment has no variable 'NO_SUCH_NAME'"));
}

TEST_CASE("fio: files, lines and jobs without end are refused at once")
{
    std::string names[16];
    for (std::size_t i = 0; i < 15; ++i) { // 2^14 files, none deeper than 16
        names[i] = "/tmp/ssdvp_fio_" + std::to_string(::getpid()) + "_" + std::to_string(i);
        const std::string below = i == 0 ? "size=1M\n" : "include " + names[i - 1] + "\n";
        std::ofstream(names[i]) << below << below;
    }
    CHECK_THAT(error("[a]\ninclude " + names[14] + "\n"),
               Contains("include: more than 256 files included"));
    for (const std::string& n : names) {
        std::remove(n.c_str());
    }
    CHECK_THAT(error("[a]\ndescription=" + std::string(100000, 'x')),
               Contains("a line of more than 16384 characters"));
    ::setenv("SSDVP_TEST_LONG", std::string(1000, 'x').c_str(), 1);
    std::string many = "[a]\ndescription=";
    for (int i = 0; i < 100; ++i) {
        many += "${SSDVP_TEST_LONG}";
    }
    CHECK_THAT(error(many), Contains("a line of more than 16384 characters"));
    ::unsetenv("SSDVP_TEST_LONG");
    std::string sections;
    for (int i = 0; i < 100000; ++i) {
        sections += "[a]\n";
    }
    CHECK_THAT(error(sections), Contains("j.fio:1025:2: a: more than 1024 jobs"));
}

TEST_CASE("fio: errors name file, line, column, option and remedy")
{
    const std::pair<const char*, const char*> all[] = {
        {"", "j.fio: has no job; write a section"},
        {"[global]\nbs=4k\n", "j.fio: has no job"},
        {"bs=4k\n", "j.fio:1:1: bs: stands before the first section"},
        {"[a\n", "j.fio:1:3: a section's name without ']'"},
        {"[]\n", "j.fio:1:1: a section without a name"},
        {"[a]\n  rw=sideways\n", "j.fio:2:6: rw: 'sideways' is not known; give one of read"},
        {"[a]\nrw=read:8k:9\n", "j.fio:2:12: rw: more than one ':'"},
        {"[a]\nbs=1000\n", "j.fio:2:4: bs: 1000 bytes are no whole sectors; give a multiple of"},
        {"[a]\nbs=0\n", "j.fio:2:4: bs: 0 bytes"},
        {"[a]\nbs=4q\n", "j.fio:2:4: bs: '4q' is not a size"},
        {"[a]\nbs=4k,8k,1k,2k\n", "j.fio:2:13: bs: more than three values"},
        {"[a]\nbs=(4*1024)\n", "j.fio:2:4: bs: '(4*1024)' is not a number; write the number"},
        {"[a]\nbssplit=4k/60:8k/50\n", "j.fio:2:9: bssplit: the shares are 110 percent"},
        {"[a]\nbsrange=512-8m\n", "j.fio:2:9: bsrange: the second size is more than 8192 times"},
        {"[a]\niodepth=0\n", "j.fio:2:9: iodepth: 0 is out of range; give a number from 1"},
        {"[a]\nsize=2t\n", "j.fio:2:6: size: the files are"},
        {"[a]\nfilename=/dev/x\nsize=2g\n", "j.fio:3:6: size: 2147483648 bytes from byte 0 pass"},
        {"[a]\nfilename=/dev/x\noffset=2g\n", "j.fio:3:8: offset: job a begins at byte 2147483648"},
        {"[a]\nsize=2k\nbs=4k\n", "j.fio:2:6: size: 2048 bytes hold no block of 4096"},
        {"[a]\nsize=1z\n", "j.fio:2:6: size: '1z' is not a size; give bytes: the drive has no"},
        {"[a]\nruntime=5y\n", "j.fio:2:9: runtime: '5y' is not a time"},
        {"[a]\nstartdelay=1-5\n", "j.fio:2:12: startdelay: '1-5' is a range; give one time"},
        {"[a]\nioengine=net\n", "j.fio:2:10: ioengine: 'net' does something else"},
        {"[a]\nfilename=a:b\n", "j.fio:2:11: filename: more than one file"},
        {"[a]\nflow=8\n", "j.fio:2:1: flow: cannot be honoured; give rate"},
        {"[a]\niodeph=8\n", "j.fio:2:1: iodeph: is no option of fio that ssdvp knows; the "
                            "nearest is iodepth"},
        {"[a]\nwrite_bw_log=x/\n", "j.fio:2:14: write_bw_log: names no file; write write_bw_log="},
        {"[a]\nlog_hist_coarseness=7\n", "j.fio:2:21: log_hist_coarseness:"},
        {"[a]\nwait_for=b\n", "j.fio:2:10: wait_for: there is no job 'b' above"},
        {"[a]\ntrim_percentage=5\n", "j.fio:1:2: a: trim_percentage and trim_backlog need each"},
        {"[a]\nrandom_distribution=zoned:50/50:60/50\n", "the shares are 110 percent"},
        {"[a]\nrandom_distribution=zipf:x\n", "j.fio:2:26: random_distribution: 'x' is not"},
        {"[a]\nramp_time=1\nsize=1m\n[b]\nsize=1m\n", "j.fio:2:11: ramp_time: is not the same"},
        {"[a]\nzonemode=zbd\n", "j.fio:2:10: zonemode: the drive has no zones; use --set"},
        {"[a]\nzonemode=strided\n", "j.fio:2:10: zonemode: a stride over parts of the range"},
        {"[a]\nfilename=/dev/a\n[b]\nfilename=/dev/b\n",
         "j.fio:4:10: filename: '/dev/b' is another device than '/dev/a', and these jobs have one"},
        {"[a]\nnumjobs=1024\nsize=1k\nbs=512\n[b]\n", "more than 1024 jobs"},
    };
    for (const auto& [text, message] : all) {
        INFO(text);
        CHECK_THAT(error(text), Contains(message));
    }
}

TEST_CASE("fio: what is wrong with several options is told at once")
{
    const std::string all = error("[global]\nflow=8\n[a]\niodeph=8\nsize=1m\nbs=4q\n");
    CHECK_THAT(all, Contains("j.fio:2:1: flow: cannot be honoured"));
    CHECK_THAT(all, Contains("\nj.fio:4:1: iodeph: is no option"));
    CHECK_THAT(all, Contains("\nj.fio:6:4: bs: '4q' is not a size"));
    std::string many = "[a]\n";
    for (int i = 0; i < 1000; ++i) {
        many += "flow=8\n";
    }
    CHECK_THAT(error(many), Contains("and more"));
    CHECK(error(many).size() < 10000);
}

TEST_CASE("fio: engines of SPDK, and those that fio loads, work on devices")
{
    for (const char* engine : {"spdk", "spdk_bdev", "external:/opt/spdk_nvme", "./engine.so"}) {
        const std::string options = std::string("ioengine=") + engine +
                                    "\nfilename=trtype=PCIe traddr=0000.04.00.0 ns=1\n"
                                    "spdk_json_conf=x\niodepth=4\n[a]\noffset=25%\n[b]\nsize=1m\n";
        const auto c = jobs("[global]\n" + options).jobs;
        CHECK(c[0].first == 256 * mib / 512); // the whole drive
        CHECK(c[0].depth == 4);
        CHECK(c[1].first == 0);
    }
}

TEST_CASE("fio: a ramp may be that of jobs behind a stonewall, and a device have one name")
{
    const auto c = jobs("[global]\nstonewall\nramp_time=1\nfilename=/dev/a\n[a]\n[b]\n").jobs;
    CHECK(c[1].phase == 1);
    CHECK(c[1].ramp == 1_s);
}

TEST_CASE("fio: a command line says what a job file does")
{
    const auto of = [](const std::string& text) { return fio::read_jobs(text, drive); };
    CHECK(fio::is_command_line("--name=a"));
    CHECK_FALSE(fio::is_command_line("a.fio"));
    // As fio 3.33: one dash or two, values behind `=` or a blank, flags without any.
    const auto two = of("-size 1m --thread --bs=8k --name=a -rw randwrite --group_reporting "
                        "--name=b --rw=read --iodepth 4 --name=global --bs=16k --name c");
    REQUIRE(two.jobs.size() == 3);
    CHECK(two.jobs[0].kinds[1].used);
    CHECK(two.jobs[0].sectors == mib / 512);
    CHECK(two.jobs[0].report_group);
    CHECK(two.jobs[1].name == "b");
    CHECK(two.jobs[1].depth == 4);
    CHECK(two.jobs[1].kinds[0].sizes[0].sectors == 16);
    CHECK(two.jobs[2].name == "c");
    CHECK(two.jobs[2].kinds[0].sizes[0].sectors == 32);
    CHECK(of(fio::command_line_of({"--name=a b", "--description=it's \"so\"", "--size=1m"}))
              .jobs[0]
              .description == "it's \"so\"");
    CHECK_THROWS_WITH(of("--size=1m --rw=read"), Contains("has no job"));
    CHECK_THROWS_WITH(of("--name=a --rw=sideways"),
                      Contains("fio argument --rw=sideways: rw: 'sideways' is not known"));
    CHECK_THROWS_WITH(of("--name=a no_such.fio"), Contains("no_such.fio"));
    CHECK_THROWS_WITH(of("--name"), Contains("name: no name"));
    CHECK_THROWS_WITH(of("--name=a --"), Contains("is no option"));
    CHECK(of("--name=a --size=1m --output-format=json --eta=never").notes.size() == 2);
    // A job file among the words has the options before it.
    const std::string name = "fio_jobs_test_" + std::to_string(getpid()) + ".fio";
    std::ofstream(name) << "[j]\nrw=randread\nsize=1m\n";
    const auto with_file = of("--bs=64k " + name).jobs;
    std::remove(name.c_str());
    CHECK(with_file.at(0).kinds[0].sizes[0].sectors == 128);
}

TEST_CASE("fio: zones of a drive")
{
    const auto of = [](const std::string& text) {
        return fio::parse_jobs("[a]\n" + text + "\n", "j.fio", zoned).jobs.at(0);
    };
    const auto refused = [&](const std::string& text) {
        try {
            of(text);
        } catch (const config_error& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    const fio_job j = of("zonemode=zbd\nrw=randwrite\nbs=64k\nmax_open_zones=4\nzonesize=8m");
    CHECK(j.zone_sectors == 6 * mib / 512);
    CHECK(j.open_zones == 4);
    CHECK(j.sectors == zoned.bytes / 512);
    CHECK(of("zonemode=zbd\nrw=write\nbs=64k\nsize=10%").sectors == 4 * 6 * mib / 512);
    CHECK(of("rw=write\nbs=64k\nsize=12m").zone_sectors == 0);
    CHECK(of("rw=randread\nbs=4k").zone_sectors == 0);
    CHECK_THAT(refused("rw=randwrite"), Contains("zones are written in order; give zonemode=zbd"));
    CHECK_THAT(refused("rw=write\nbs=2k"), Contains("no multiple of 4096"));
    CHECK_THAT(refused("rw=trim"), Contains("only a reset of its zone deallocates"));
    CHECK_THAT(refused("rw=write\nsize=8m"), Contains("whole zones of 6291456 bytes"));
    CHECK_THAT(refused("zonemode=zbd\nrw=write\nbs=20k"), Contains("whole zones"));
    CHECK_THAT(refused("zonemode=zbd\nzonesize=4m"), Contains("have 8388608 bytes"));
    CHECK_THAT(refused("rw=write\nfilename=f\nsize=6m\nnumjobs=2"),
               Contains("a: writes zones while job a writes them"));
    CHECK_THAT(refused("zonemode=zbd\nzoneskip=4m"), Contains("zoneskip: the zones of a drive"));
}

TEST_CASE("fio: names of logs, and the times of their lines and samples")
{
    const auto logs = [](const std::string& options) { return job("size=1m\n" + options).logging; };
    CHECK(!logs("").any());
    CHECK(logs("").bandwidth_ms == 500);
    CHECK(logs("").iops_ms == 500);
    CHECK(logs("write_lat_log").latency == "a");
    CHECK(logs("write_lat_log=x").latency == "x");
    CHECK(logs("write_lat_log=/tmp/x/y").latency == "y");
    CHECK(logs("write_hist_log=x").histogram == "x");
    CHECK(jobs("[global]\nsize=1m\nwrite_iops_log\n[u/v]\n").jobs[0].logging.iops == "u_v");
    CHECK(jobs("[a]\nsize=1m\nnumjobs=2\nwrite_bw_log\n").logs());
    CHECK_FALSE(jobs("[a]\nsize=1m\n").logs());
    // A job that logs its samples takes one for each line, unless it says how often.
    CHECK(logs("write_bw_log").bandwidth_ms == 0);
    CHECK(logs("write_bw_log").iops_ms == 500);
    CHECK(logs("write_bw_log\nbwavgtime=20").bandwidth_ms == 0);
    CHECK(logs("write_bw_log\nlog_avg_msec=100").bandwidth_ms == 100);
    CHECK(logs("write_bw_log\nlog_avg_msec=100\nbwavgtime=20").bandwidth_ms == 20);
    CHECK(logs("bwavgtime=20\nlog_avg_msec=100").bandwidth_ms == 20);
    CHECK(logs("write_iops_log\nlog_avg_msec=100").iops_ms == 100);
    CHECK(logs("iopsavgtime=7").iops_ms == 7);
    const auto l = logs("log_avg_msec=3\nlog_max_value\nlog_offset=1\nlog_prio=1\nper_job_logs=0\n"
                        "log_hist_msec=9\nlog_hist_coarseness=2\ndisable_slat=1\n");
    CHECK(l.average_ms == 3);
    CHECK(l.maximum);
    CHECK(l.offset);
    CHECK(l.priority);
    CHECK_FALSE(l.per_job);
    CHECK(l.histogram_ms == 9);
    CHECK(l.coarseness == 2);
    CHECK(l.lat);
    CHECK(l.clat);
    CHECK_FALSE(l.slat);
    // The column of offsets counts from the file's begin.
    const auto c = jobs("[a]\nsize=1m\n[b]\noffset=64k\nsize=1m\n").jobs;
    CHECK(c[1].file == mib / 512);
    CHECK(c[1].first == (mib + 65536) / 512);
}

TEST_CASE("fio: no option is in two lists, and every list gives a reason")
{
    CHECK(fio::reason_to_pass_over("direct") != nullptr);
    CHECK(fio::reason_to_pass_over("no_such_option") == nullptr);
    CHECK(fio::reason_to_pass_over("") == nullptr);
    CHECK(fio::remedy_without("read_iolog") != nullptr);
    for (const char* honoured :
         {"rw", "bs", "iodepth", "verify", "fsync", "log_avg_msec", "bwavgtime"}) {
        CHECK(fio::reason_to_pass_over(honoured) == nullptr);
        CHECK(fio::remedy_without(honoured) == nullptr);
    }
}

} // namespace fio_jobs_test
