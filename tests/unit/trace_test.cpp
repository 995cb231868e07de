// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "models/host/workload/trace.h"
#include "models/host/workload/trace_source.h"
#include "models/host/workload/trace_text.h"

namespace trace_test {

using namespace ssdvp;
using namespace ssdvp::host;
using namespace ssdvp::literals;

namespace {

constexpr std::uint64_t drive = 1u << 20; // sectors
constexpr std::uint64_t mib = 2048;       // sectors

/// A file of the test's process that goes away with the object.
struct file {
    std::string name;
    file(const std::string& ending, const std::string& bytes)
        : name("trace_test_" + std::to_string(getpid()) + "." + ending)
    {
        std::ofstream(name, std::ios::binary) << bytes;
    }
    file(const file&) = delete;
    file& operator=(const file&) = delete;
    ~file() { std::remove(name.c_str()); }
};

std::string gzip(const std::string& text)
{
    z_stream z{};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(text.size() + 1024, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(&out[0]);
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

std::string zstd(const std::string& text)
{
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(&out[0], out.size(), text.data(), text.size(), 3));
    return out;
}

trace_config config_of(const file& f)
{
    trace_config c;
    c.file = f.name;
    return c;
}

std::vector<request> replay(const trace_config& c, std::uint64_t capacity = drive)
{
    trace_source source(c, scan_trace(c, capacity), capacity, 0);
    std::vector<request> all;
    request r;
    while (source.next(sim_time(), r)) {
        all.push_back(r);
    }
    CHECK(source.error().empty());
    return all;
}

std::string error_of(const std::string& ending, const std::string& text,
                     trace_format format = trace_format::automatic)
{
    const file f(ending, text);
    trace_config c = config_of(f);
    c.format = format;
    try {
        scan_trace(c, 0);
    } catch (const trace_error& e) {
        const std::string what = e.what();
        return what.compare(0, f.name.size(), f.name) == 0 ? what.substr(f.name.size()) : what;
    }
    return "no error";
}

void check(const request& r, sim_time arrival, request_kind kind, std::uint64_t lba,
           std::uint32_t sectors)
{
    CHECK(r.arrival == arrival);
    CHECK(r.kind == kind);
    CHECK(r.lba == lba);
    CHECK(r.sectors == sectors);
}

constexpr request_kind R = request_kind::read;
constexpr request_kind W = request_kind::write;

} // namespace

TEST_CASE("msr: 100 ns since 1601, bytes, response ignored, any case, CRLF and blank lines")
{
    const file f("msr.csv", "128166372003061629,hm,0,Read,1048576,4096,1331\r\n"
                            "\r\n"
                            "128166372003061630,hm,0,wRITE,1049088,512\r\n"
                            "   \n"
                            "128166372013061629,hm,0,r,1000,1000,x"); // no newline at the end
    const auto all = replay(config_of(f));
    REQUIRE(all.size() == 3);
    check(all[0], 0_ps, R, mib, 8);
    check(all[1], 100_ns, W, mib + 1, 1);
    check(all[2], 1_s, R, 1, 3); // bytes 1000..1999 lie in sectors 1, 2, 3
}

TEST_CASE("spc: asu, lba in sectors, bytes, seconds")
{
    const file f("spc", "0,20941264,8192,W,0.551706\n0,20939840,8192,r,0.551707000001,extra\n");
    const auto all = replay(config_of(f), 1u << 25);
    REQUIRE(all.size() == 2);
    check(all[0], 0_ps, W, 20941264, 16);
    check(all[1], 1000001_ps, R, 20939840, 16); // exact to the picosecond
}

TEST_CASE("disksim: milliseconds, flags in hexadecimal with bit 0 for reads")
{
    const file f("disksim", "7961.833 0 100 8 0\n7961.8330000019 0 108 8 1\n"
                            "  8000\t0 116 8 1F\n8000.1 0 124 8 10\n");
    const auto all = replay(config_of(f));
    REQUIRE(all.size() == 4);
    check(all[0], 0_ps, W, 100, 8);
    check(all[1], 1_ps, R, 108, 8); // digits below a picosecond are dropped
    check(all[2], 38167_us, R, 116, 8);
    check(all[3], 38267_us, W, 124, 8);
}

TEST_CASE("ssdsim and mqsim: nanoseconds, 1 reads, 0 writes")
{
    for (const char* ending : {"ssdsim", "mqsim"}) {
        const file f(ending, "938513000 4 100 16 0\n938828000 4 200 8 1\n");
        const auto all = replay(config_of(f));
        REQUIRE(all.size() == 2);
        check(all[0], 0_ps, W, 100, 16);
        check(all[1], 315_us, R, 200, 8);
    }
}

TEST_CASE("blkparse: queued requests, flushes and trims, other records and totals passed over")
{
    const file f("blkparse", "254,0  0  1  0.000000001  77  Q  R 100 + 8 [cat]\n"
                             "254,0  0  2  0.000000002  77  G  R 100 + 8 [cat]\n"
                             "254,0  0  3  0.000001001  77  Q  WS 200 + 16 [two words]\n"
                             "254,0  0  4  0.000002001  77  Q  FWFSM 300 + 8 [jbd2/vda-8]\n"
                             "254,0  0  5  0.000003001  77  Q  FWS [sync]\n"
                             "254,0  0  6  0.000004001  77  Q  DS 0 + 2048 [rm]\n"
                             "254,0  0  7  0.000005001  77  Q  N [x]\n"
                             "254,0  0  8  0.000005001  77  m  N cfq schedule dispatch\n"
                             "CPU0 (vda):\n"
                             " Reads Queued:           1,        4KiB\n"
                             "Total (vda):\n"
                             " Reads Queued:           1,        4KiB\n");
    const trace_summary s = scan_trace(config_of(f), drive);
    CHECK(s.records == 5);
    CHECK(s.reads == 1);
    CHECK(s.trims == 1);
    CHECK(s.flushes == 1);
    CHECK(s.sectors_written == 24);
    REQUIRE(s.devices.size() == 1);
    CHECK(s.devices[0].number == 254u << 20);
    const auto all = replay(config_of(f));
    REQUIRE(all.size() == 6);
    check(all[0], 0_ps, R, 100, 8);
    check(all[1], 1_us, W, 200, 16);
    check(all[2], 2_us, request_kind::flush, 0, 0); // before its write
    check(all[3], 2_us, W, 300, 8);
    check(all[4], 3_us, request_kind::flush, 0, 0);
    check(all[5], 4_us, request_kind::trim, 0, 2048);
    CHECK(!all[1].fua);
    CHECK(all[3].fua);
    CHECK(!all[5].fua);
}

TEST_CASE("fio iolog version 2: waits move the time, each file is a device")
{
    const file f("fio", "fio version 2 iolog\n/dev/a add\n/dev/b add\n/dev/a open\n"
                        "/dev/a write 4096 8192\n/dev/a wait 150 0\n/dev/b read 0 512\n"
                        "/dev/a wait 50 0\n/dev/a sync 0 0\n/dev/a datasync\n"
                        "/dev/a trim 1048576 1048576\n/dev/a close\n");
    const auto all = replay(config_of(f));
    REQUIRE(all.size() == 5);
    check(all[0], 0_us, W, 8, 16);
    check(all[1], 150_us, R, 2 * mib, 1); // behind the 2 MiB of the first file
    check(all[2], 200_us, request_kind::flush, 0, 0);
    check(all[3], 200_us, request_kind::flush, 0, 0);
    check(all[4], 200_us, request_kind::trim, mib, 2048);
}

TEST_CASE("fio iolog version 3: microseconds before each line")
{
    const file f("fio", "fio version 3 iolog\n0 /dev/a add\n3 /dev/a open\n"
                        "10 /dev/a read 0 4096\n12 /dev/a write 4096 4096\n"
                        "40 /dev/a datasync 0 0\n40 /dev/a close\n");
    const auto all = replay(config_of(f));
    REQUIRE(all.size() == 3);
    check(all[0], 0_us, R, 0, 8);
    check(all[1], 2_us, W, 8, 8);
    check(all[2], 30_us, request_kind::flush, 0, 0);
    trace_config scaled = config_of(f);
    scaled.replay = trace_replay::scaled;
    scaled.scale = 0.5;
    CHECK(replay(scaled)[2].arrival == 15_us);
}

TEST_CASE("every format: timed, scaled and asap, plain and compressed")
{
    const std::pair<const char*, std::string> formats[] = {
        {"msr", "10,h,0,Read,4096,4096,1\n110,h,0,Write,8192,512,1\n"},
        {"spc", "0,8,4096,r,0\n0,16,512,w,0.00001\n"},
        {"disksim", "0 0 8 8 1\n0.01 0 16 1 0\n"},
        {"ssdsim", "5 0 8 8 1\n10005 0 16 1 0\n"},
        {"mqsim", "5 0 8 8 1\n10005 0 16 1 0\n"},
        {"blkparse", "8,0 0 1 0.0 7 Q R 8 + 8 [x]\n8,0 0 2 0.00001 7 Q W 16 + 1 [x]\n"},
        {"fio", "fio version 3 iolog\n0 /f read 4096 4096\n10 /f write 8192 512\n"},
    };
    for (const auto& [name, text] : formats) {
        INFO(name);
        const std::string ending = name;
        const std::pair<std::string, std::string> files[] = {
            {ending, text}, {ending + ".gz", gzip(text)}, {ending + ".zst", zstd(text)}};
        for (const auto& [file_ending, bytes] : files) {
            const file f(file_ending, bytes);
            trace_config c = config_of(f);
            for (const trace_replay how :
                 {trace_replay::timed, trace_replay::scaled, trace_replay::asap}) {
                c.replay = how;
                c.scale = 3.0;
                const auto all = replay(c);
                REQUIRE(all.size() == 2);
                const sim_time second = how == trace_replay::scaled ? 30_us : 10_us;
                check(all[0], 0_us, R, 8, 8);
                check(all[1], how == trace_replay::asap ? all[1].arrival : second, W, 16, 1);
            }
            c.replay = trace_replay::asap;
            CHECK_FALSE(trace_source(c, scan_trace(c, drive), drive, 0).timed());
        }
    }
}

TEST_CASE("gzip and zstd give the same as plain text, larger than any buffer")
{
    std::string text;
    for (unsigned i = 0; i < 20000; ++i) {
        text += std::to_string(i * 1000) + " 0 " + std::to_string(i * 8 % 100000) + " 8 " +
                std::to_string(i % 2) + "\n";
    }
    const file plain("plain.ssdsim", text);
    const file gz("ssdsim.gz", gzip(text));
    const file members("two.ssdsim.gz", gzip(text.substr(0, 1000)) + gzip(text.substr(1000)));
    const file zst("ssdsim.zst", zstd(text));
    const file frames("two.ssdsim.zst", zstd(text.substr(0, 1000)) + zstd(text.substr(1000)));
    const auto expected = replay(config_of(plain));
    REQUIRE(expected.size() == 20000);
    for (const file* f : {&gz, &members, &zst, &frames}) {
        const auto all = replay(config_of(*f));
        REQUIRE(all.size() == expected.size());
        for (std::size_t i = 0; i < all.size(); i += 997) {
            CHECK(all[i].lba == expected[i].lba);
            CHECK(all[i].arrival == expected[i].arrival);
        }
        CHECK(all.back().lba == expected.back().lba);
    }
}

TEST_CASE("a compressed file cut short or damaged is an error")
{
    std::string text;
    for (unsigned i = 0; i < 5000; ++i) {
        text += std::to_string(i * 7919) + " 0 " + std::to_string(i * 104729 % 99991) + " 8 1\n";
    }
    std::string gz = gzip(text);
    CHECK(error_of("ssdsim.gz", gz.substr(0, gz.size() - 1)) ==
          ": compressed data ends too early; copy the file again");
    CHECK(error_of("ssdsim.gz", gz.substr(0, gz.size() / 2)).find("ends too early") !=
          std::string::npos);
    gz[gz.size() / 2] = static_cast<char>(gz[gz.size() / 2] ^ 0x55);
    CHECK(error_of("ssdsim.gz", gz) != "no error");
    const std::string zst = zstd(text);
    CHECK(error_of("ssdsim.zst", zst.substr(0, zst.size() / 2)).find("ends too early") !=
          std::string::npos);
    CHECK(error_of("ssdsim.gz", text).find("is not compressed as its name says") !=
          std::string::npos);
}

TEST_CASE("the format follows the name, or is said")
{
    CHECK(format_of_name("a/b.d/hm_0.msr.csv") == trace_format::msr);
    CHECK(format_of_name("x.msr") == trace_format::msr);
    CHECK(format_of_name("x.MSR.CSV.GZ") == trace_format::msr);
    CHECK(format_of_name("x.fio.gz") == trace_format::fio);
    CHECK(format_of_name("x.spc") == trace_format::spc);
    CHECK(format_of_name("x.disksim.zst") == trace_format::disksim);
    CHECK(format_of_name("x.ssdsim") == trace_format::ssdsim);
    CHECK(format_of_name("mqsim.mqsim.gz") == trace_format::mqsim);
    CHECK_THROWS_WITH(format_of_name("dir.msr/x.csv"), Catch::Contains("format=FORMAT"));
    CHECK_THROWS_AS(format_of_name("x"), trace_error);
    const file f("txt", "0 0 0 8 1\n");
    trace_config c = config_of(f);
    c.format = trace_format::ssdsim;
    CHECK(replay(c).size() == 1);
}

TEST_CASE("malformed lines name file, line, fault and remedy")
{
    const std::string good = "1,h,0,Read,0,512,1\n";
    const std::string v2 = "fio version 2 iolog\n";
    const std::string v3 = "fio version 3 iolog\n";
    struct bad {
        const char* ending;
        std::string text;
        const char* message;
    };
    const bad all[] = {
        {"msr.csv", good + "\n1,h,0,Read,0\n", ":3:13: 5 fields, expected 7"},
        {"msr.csv", good + "1,h,0,Read,0,512,1,2\n", ":2:21: 8 fields"},
        {"msr.csv", "x,h,0,Read,0,512,1\n", ":1:1: timestamp \"x\" is not"},
        {"msr.csv", "-1,h,0,Read,0,512,1\n", ":1:1: timestamp \"-1\""},
        {"msr.csv", "1,h,a,Read,0,512,1\n", ":1:5: disk \"a\""},
        {"msr.csv", "1,h,0,Trim,0,512,1\n", ":1:7: operation \"Trim\" is not Read or Write"},
        {"msr.csv", "1,h,0,Read,1e3,512,1\n", ":1:12: offset \"1e3\""},
        {"msr.csv", "1,h,0,Read,0,12x,1\n", ":1:14: size \"12x\""},
        {"msr.csv", "1,h,0,Read,0,0,1\n", ":1:14: request of length 0"},
        {"msr.csv", "1,h,0,Read,0,99999999999999,1\n", ":1:14: request of 99999999999999 bytes"},
        {"msr.csv", "1,h,0,Read,18446744073709551615,1,1\n", "too large"},
        {"spc", "0,1,512,w\n", ":1:10: 4 fields, expected 5"},
        {"spc", "0,1,512,w,1.2.3\n", ":1:11: time \"1.2.3\""},
        {"spc", "0,1,512,w,1.\n", ":1:11: time \"1.\""},
        {"spc", "0,1,512,x,1\n", ":1:9: operation \"x\" is not r or w"},
        {"disksim", "0 0 0 8 1\n1 0 0 8\n", ":2:8: 4 fields, expected 5"},
        {"disksim", "0 0 0 8 g\n", ":1:9: flags \"g\""},
        {"disksim", ".5 0 0 8 1\n", ":1:1: time \".5\""},
        {"ssdsim", "  0 0 0 0 1\n", ":1:9: request of length 0"},
        {"ssdsim", "0 0 0 8 2\n", ":1:9: operation \"2\" is not 0 (write) or 1 (read)"},
        {"ssdsim", "0 0 -5 8 1\n", ":1:5: sector \"-5\""},
        {"mqsim", "0 0 0 4294967296 1\n", ":1:7: length \"4294967296\""},
        {"mqsim", "0 x 0 8 1\n", ":1:3: device \"x\""},
        {"blkparse", "254,0 0 1 0.0 77 Q\n", ":1:19: 6 fields, expected 7 or more"},
        {"blkparse", "254 0 1 0.0 77 Q R 0 + 8 [x]\n", ":1:1: device \"254\" is not major,minor"},
        {"blkparse", "254,0 0 1 0,1 77 Q R 0 + 8 [x]\n", ":1:11: time \"0,1\""},
        {"blkparse", "254,0 0 1 0.0 77 Z R 0 + 8 [x]\n", ":1:18: action \"Z\" is not a letter"},
        {"blkparse", "254,0 0 1 0.0 77 G R 0 + 8 [x]\nhello\n", ":2:1: device \"hello\" is not"},
        {"blkparse", "254,0 0 1 noon 77 G R 0 + 8 [x]\n", ":1:11: time \"noon\""},
        {"blkparse", "CPU0 (vda):\n Reads Queued: 1\na b c d e f g\n", ":3:1: device \"a\""},
        {"blkparse", "254,0 0 1 0.0 77 Q X 0 + 8 [x]\n", ":1:20: operation \"X\" is not R, W, D"},
        {"blkparse", "254,0 0 1 0.0 77 Q R [x]\n", ":1:25: no \"sector + sectors\""},
        {"blkparse", "254,0 0 1 0.0 77 Q R 1x + 8 [x]\n", ":1:22: sector \"1x\""},
        {"blkparse", "254,0 0 1 0.0 77 Q R 1 + 8k [x]\n", ":1:26: length \"8k\""},
        {"blkparse", "254,0 0 1 0.0 77 Q R 1 + 0 [x]\n", ":1:26: request of length 0"},
        {"fio", "fio version 4 iolog\n", ":1:1: first line \"fio version 4 iolog\" is not"},
        {"fio", v2 + "/d read 0\n", ":2:10: 3 fields, expected 2 or 4"},
        {"fio", v2 + "/d peek 0 512\n", ":2:4: action \"peek\" is not read, write"},
        {"fio", v2 + "/d read\n", ":2:8: 2 fields, expected two more"},
        {"fio", v2 + "/d wait\n", ":2:8: 2 fields, expected two more"},
        {"fio", v2 + "/d read x 512\n", ":2:9: offset \"x\""},
        {"fio", v2 + "/d read 0 5k\n", ":2:11: length \"5k\""},
        {"fio", v2 + "/d read 0 0\n", ":2:11: request of length 0"},
        {"fio", v2 + "/d wait 2000000000000000 0\n", ":2:9: wait"},
        {"fio", v3 + "/d add\n", ":2:7: 2 fields, expected 3 or 5"},
        {"fio", v3 + "x /d read 0 512\n", ":2:1: time \"x\" is not a number of micro"},
        {"fio", v3 + "5 /d wait 0 512\n", ":2:6: action \"wait\" is not read, write"},
        {"mqsim", std::string(5000, '1') + "\n", ":1:4097: line longer than 4096"},
        {"mqsim", "0 0 0 8 1\n9999999999999999999 0 0 8 1\n", ":2:1: more than 106 days"},
    };
    for (const bad& b : all) {
        const std::string message = error_of(b.ending, b.text);
        INFO(message);
        CHECK(message.find(b.message) != std::string::npos);
    }
    CHECK(error_of("ssdsim", "0 0 0 8\n")
              .find("a line of format ssdsim is: nanoseconds device sector sectors 0|1; correct") !=
          std::string::npos);
}

TEST_CASE("files that cannot be replayed at all")
{
    trace_config c;
    c.file = "no_such_file.ssdsim";
    CHECK_THROWS_WITH(scan_trace(c, 0), Catch::Contains("no_such_file.ssdsim: cannot be read"));
    c.file = "/";
    c.format = trace_format::msr;
    CHECK_THROWS_WITH(scan_trace(c, 0), Catch::Contains("is a folder"));
    CHECK(error_of("ssdsim", "").find("holds no request") != std::string::npos);
    CHECK(error_of("ssdsim", "\n\n").find("holds no request") != std::string::npos);
}

TEST_CASE("each device gets its own range, in order of first use, in whole MiB")
{
    const file f("ssdsim", "0 7 100 8 1\n1 3 2048 1 0\n2 7 0 8 1\n3 5 4095 1 1\n4 3 0 1 1\n");
    const trace_summary s = scan_trace(config_of(f), drive);
    REQUIRE(s.devices.size() == 3);
    CHECK(s.devices[0].number == 7);
    CHECK(s.devices[0].base == 0);
    CHECK(s.devices[0].first_sector == 0);
    CHECK(s.devices[0].end_sector == 108);
    CHECK(s.devices[1].number == 3);
    CHECK(s.devices[1].base == mib);
    CHECK(s.devices[2].base == 3 * mib); // device 3 ends at 2049: two MiB
    CHECK(s.span == 5 * mib);
    CHECK(s.records == 5);
    CHECK(s.reads == 4);
    CHECK(s.sectors_read == 18);
    CHECK(s.sectors_written == 1);
    const auto all = replay(config_of(f));
    CHECK(all[0].lba == 100);
    CHECK(all[1].lba == mib + 2048);
    CHECK(all[2].lba == 0);
    CHECK(all[3].lba == 3 * mib + 4095);
    CHECK(all[4].lba == mib);
}

TEST_CASE("one device of several, one that is not there is an error")
{
    const file f("ssdsim", "0 7 100 8 1\n1000 3 2048 1 0\n3000 3 5 1 1\n");
    trace_config c = config_of(f);
    c.device = 3;
    const auto all = replay(c);
    REQUIRE(all.size() == 2);
    check(all[0], 0_ps, W, 2048, 1); // its own start is the start
    check(all[1], 2_us, R, 5, 1);
    c.device = 4;
    CHECK_THROWS_WITH(scan_trace(c, 0), Catch::Contains("no request of device 4; it has 3, 7"));
}

TEST_CASE("as many devices and names as lines take a time that grows as they do")
{
    constexpr std::uint64_t many = 200000; // each looked for among all others took minutes
    std::string numbers;
    std::string hosts;
    for (std::uint64_t i = 0; i < many; ++i) {
        const std::string n = std::to_string(i * 7919 % many);
        numbers += "1 " + n + " 3 8 1\n";
        hosts += "1,host" + n + ",0,Read,512,512,1\n";
    }
    const file f("ssdsim", numbers);
    CHECK(scan_trace(config_of(f), 0).devices.size() == many);
    const auto all = replay(config_of(f), many * mib);
    REQUIRE(all.size() == many);
    CHECK(all[many - 1].lba == (many - 1) * mib + 3);
    trace_config c = config_of(f);
    c.device = many;
    CHECK_THROWS_WITH(scan_trace(c, 0),
                      Catch::Contains("it has 0, 1, 2,") && Catch::EndsWith(" 19 and 199980 more"));
    const file g("msr", hosts);
    CHECK(scan_trace(config_of(g), 0).devices.size() == many);
}

TEST_CASE("disks of different msr hosts are different devices")
{
    const file f("msr", "1,a,0,Read,0,512,1\n2,b,0,Read,0,512,1\n3,a,0,Read,512,512,1\n");
    const auto all = replay(config_of(f));
    REQUIRE(all.size() == 3);
    CHECK(all[0].lba == 0);
    CHECK(all[1].lba == mib);
    CHECK(all[2].lba == 1);
}

TEST_CASE("timestamps out of order are moved to the one before, and counted")
{
    const file f("ssdsim", "100 0 0 8 1\n300 0 0 8 1\n200 0 0 8 1\n50 0 0 8 1\n400 0 0 8 1\n");
    const trace_summary s = scan_trace(config_of(f), drive);
    CHECK(s.out_of_order == 2);
    CHECK(s.duration == 300_ns);
    const auto all = replay(config_of(f));
    CHECK(all[1].arrival == 200_ns);
    CHECK(all[2].arrival == 200_ns);
    CHECK(all[3].arrival == 200_ns);
    CHECK(all[4].arrival == 300_ns);
}

TEST_CASE("wrap: beyond the end goes on at the start, in pieces")
{
    const file f("ssdsim", "0 0 990 20 1\n1000 0 2005 8 0\n2000 0 0 2500 0\n"
                           "3000 0 0 8 1\n3000 0 8 8 1\n4000 0 992 8 1\n");
    CHECK(scan_trace(config_of(f), 1000).folded == 3);
    const auto all = replay(config_of(f), 1000);
    REQUIRE(all.size() == 9);
    check(all[0], 0_ps, R, 990, 10);
    check(all[1], 0_ps, R, 0, 10);
    check(all[2], 1_us, W, 5, 8);
    check(all[3], 2_us, W, 0, 1000); // larger than the drive
    check(all[4], 2_us, W, 0, 1000);
    check(all[5], 2_us, W, 0, 500);
}

TEST_CASE("wrap: a trace of which more than half would be folded is refused with the counts")
{
    const file f("ssdsim", "0 0 0 8 1\n1 0 1000 8 1\n2 7 0 8 1\n");
    trace_config c = config_of(f);
    CHECK_THROWS_WITH(scan_trace(c, 1000), Catch::Contains(f.name + ": 2 of 3 requests lie beyond "
                                                                    "the drive's 1000 sectors"));
    CHECK(scan_trace(c, 1008).folded == 1); // device 7 begins at 1 MiB
    CHECK(scan_trace(c, 4 * mib).folded == 0);
    c.fit = trace_fit::scale;
    CHECK(scan_trace(c, 1000).folded == 0);
    c.fit = trace_fit::wrap;
    c.device = 7;
    CHECK(scan_trace(c, 1000).folded == 0);
}

TEST_CASE("one range for all devices: a sector is the same for each of them")
{
    const file f("ssdsim", "0 7 100 8 1\n1 3 2048 1 0\n2 7 0 8 1\n");
    trace_config c = config_of(f);
    c.ranges = trace_ranges::one;
    CHECK(scan_trace(c, 2 * mib).span == 2 * mib); // the longest, not the sum
    const auto all = replay(c, 2 * mib);
    REQUIRE(all.size() == 3);
    CHECK(all[0].lba == 100);
    CHECK(all[1].lba == 2048);
    CHECK(all[2].lba == 0);
}

TEST_CASE("repeat: the trace goes on from its first line, at the time of its last")
{
    const file f("ssdsim.gz", gzip("1000 0 0 8 1\n4000 0 8 8 0\n"));
    trace_config c = config_of(f);
    c.repeat = 3;
    c.replay = trace_replay::scaled;
    c.scale = 2.0;
    const auto all = replay(c);
    REQUIRE(all.size() == 6);
    for (std::size_t i = 0; i < 3; ++i) {
        check(all[2 * i], i * 6_us, R, 0, 8);
        check(all[2 * i + 1], (i + 1) * 6_us, W, 8, 8);
    }
    const file year("ssdsim", "0 0 0 8 1\n86400000000000 0 8 8 0\n"); // a day
    trace_config long_one = config_of(year);
    long_one.repeat = 106;
    CHECK_NOTHROW(scan_trace(long_one, 0));
    long_one.repeat = 107;
    CHECK_THROWS_WITH(scan_trace(long_one, 0), Catch::Contains("107 times as long as it is"));
}

TEST_CASE("scale: positions shrink with the trace's span, sizes stay")
{
    // Span 4 MiB on a drive of 2 MiB: pages move to half their number.
    const file f("ssdsim", "0 0 4003 8 1\n0 0 8190 2 0\n0 0 80 16 1\n");
    trace_config c = config_of(f);
    c.fit = trace_fit::scale;
    const auto all = replay(c, 2 * mib);
    REQUIRE(all.size() == 3);
    CHECK(all[0].lba == 500 / 2 * 8 + 3);
    CHECK(all[1].lba == 1023 / 2 * 8 + 6);
    CHECK(all[2].lba == 40);
    CHECK(all[2].sectors == 16);
    // A drive that is large enough changes nothing.
    CHECK(replay(c, 8192)[0].lba == 4003);
}

TEST_CASE("error: a request beyond the drive is named with its line")
{
    const file f("ssdsim", "0 0 0 8 1\n1 1 0 8 1\n2 1 100 8 0\n3 1 50 8 1\n");
    trace_config c = config_of(f);
    c.fit = trace_fit::error;
    CHECK_NOTHROW(scan_trace(c, mib + 108));
    CHECK_THROWS_WITH(scan_trace(c, mib + 107),
                      Catch::Contains(f.name + ":3: request of device 1 ends at sector 2156"));
    c.fit = trace_fit::wrap;
    CHECK_NOTHROW(scan_trace(c, mib + 107));
}

TEST_CASE("a file that changes after its validation ends the replay with the reason")
{
    const file f("ssdsim", "0 0 0 8 1\n1 0 0 8 1\n");
    const trace_config c = config_of(f);
    const trace_summary s = scan_trace(c, drive);
    std::ofstream(f.name) << "0 0 0 8 1\nrubbish\n";
    trace_source source(c, s, drive, 0);
    request r;
    CHECK(source.next(sim_time(), r));
    CHECK_FALSE(source.next(sim_time(), r));
    CHECK(source.error().find(":2:8: 1 fields") != std::string::npos);
}

} // namespace trace_test
