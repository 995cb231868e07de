// SPDX-License-Identifier: Apache-2.0
//
// The bus checker on a real bus: it names what a controller does wrong, and the controller of this
// channel does nothing wrong where it nearly could. All other channel tests run under it, too.
#include "tests/models/flash_bare_bus.h"
#include "tests/models/flash_bench.h"

namespace flash_onfi_channel_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

TEST_CASE("a status poll before tWB is over is named, at its edge it is legal")
{
    bare_bus b("bare", sdr5_pair());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.send(status(), b.send(read_page()) + 100_ns);
    b.run_to(1_ms);
    CHECK(b.faults.count() == 0);
    b.send(status(), b.send(read_page()) - now() + 100_ns - 1_ps);
    b.run_to(2_ms);
    CHECK(b.fault() == "tWB of lun0 broken at 1000239999 ps: command after array's confirm 1 ps "
                       "earlier than 100000 ps");
}

TEST_CASE("the next plane's command before tDBSY is over is named, at its edge it is legal")
{
    bare_bus b("bare", sdr5_pair());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const sim_time wait = 100_ns + 500_ns;
    b.send(read_page(), b.send(read_page(onfi::READ_MULTI_PLANE, 0, 1)) + wait);
    b.run_to(1_ms);
    CHECK(b.faults.count() == 0);
    const sim_time end = b.send(read_page(onfi::READ_MULTI_PLANE, 0, 1));
    b.send(read_page(), end - now() + wait - 1_ps);
    b.run_to(2_ms);
    CHECK(b.fault().rfind("tDBSY of lun0 broken at ", 0) == 0);
}

TEST_CASE("a command to a busy LUN is named when R/B# rises, at the edge it is legal")
{
    bare_bus b("bare", sdr5_pair());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const sim_time ready = b.send(read_page()) + 100_ns + 40_us;
    b.run_to(ready);
    b.run_to(ready); // the edge's delta cycle
    const sim_time next = b.send(read_page()) + 100_ns + 40_us;
    CHECK(b.faults.count() == 0);
    b.run_to(next - 1_ps);
    b.send(read_page());
    b.run_to(1_ms);
    REQUIRE(b.faults.count() == 2); // the LUN refused it, too
    CHECK(b.faults.faults()[1].what == "R/B# of lun0 broken at " +
                                           std::to_string((next - 1_ps).ps()) +
                                           " ps: command 1 ps before R/B# high");
}

TEST_CASE("tRCBSY: a command within 31h's busy time is named, at the edge it is legal")
{
    channel_config config = sdr5_pair();
    config.die.timing.tRCBSY = 3_us;
    bare_bus b("bare", config);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.send(read_page());
    b.run_to(1_ms);
    onfi::extension next;
    next.first = onfi::READ_CACHE;
    const sim_time ready = b.send(next) + 100_ns + 3_us;
    b.run_to(ready);
    b.run_to(ready); // the edge's delta cycle
    // The array has just begun: 3Fh waits for it, and once more for the registers.
    next.first = onfi::READ_CACHE_END;
    b.send(next);
    const sim_time end = ready + 40_us + 3_us;
    b.run_to(end);
    b.run_to(end);
    CHECK(b.faults.count() == 0);
    b.send(read_page());
    b.run_to(2_ms);
    next.first = onfi::READ_CACHE;
    const sim_time again = b.send(next) + 100_ns + 3_us;
    b.run_to(again - 1_ps);
    next.first = onfi::READ_CACHE_END;
    b.send(next);
    b.run_to(3_ms);
    REQUIRE(b.faults.count() == 2); // the LUN refused it, too
    CHECK(b.faults.faults()[1].what.find("command 1 ps before R/B# high") != std::string::npos);
}

TEST_CASE("a cache read without a page in the register is refused, and so is 3Fh without 31h")
{
    bare_bus b("bare", sdr5_pair());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    onfi::extension g;
    g.first = onfi::READ_CACHE;
    b.send(g);
    CHECK(b.faults.count() == 1);
    g.first = onfi::READ_CACHE_END;
    b.send(g, 1_us);
    CHECK(b.faults.count() == 2);
    b.send(read_page(onfi::READ_CACHE), 2_us);
    CHECK(b.faults.count() == 3);
}

TEST_CASE("groups that overlap are named with both LUNs' bus, once")
{
    bare_bus b("bare", sdr5_pair());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const sim_time end = b.send(read_page());
    b.send(read_page(onfi::READ_2, 1), end - 1_ps);
    b.run_to(1_ms);
    CHECK(b.fault() == "overlap of lun1 broken at 139999 ps: first cycle after last cycle 1 ps "
                       "earlier than 0 ps");
}

TEST_CASE("a read that comes just after an erase's command waits for tWB with its suspend")
{
    channel_config config = small_config();
    config.die.suspend.kind = suspend_kind::immediate;
    config.die.erase.resume_overhead = 10_us;
    bench b(config);
    b.submit(descriptor(FLASH_OP_ERASE, 1));
    b.run_to(130_ns); // 60h, three cycles, D0h: 125 ns; R/B# is low at 225 ns
    flash_desc read = descriptor(FLASH_OP_READ, 2);
    read.block = 1;
    b.submit(read);
    b.run();
    // 61h and three address cycles from 225 ns, then the overhead.
    CHECK(b.answers.at(2).start_ns == (225_ns + 4 * 25_ns + 100_us).ns());
    CHECK(b.answers.at(1).suspends == 1);
}

TEST_CASE("R/B# is low tWB after a resume, also when a read stops the erase again in its ramp")
{
    channel_config config = small_config();
    config.die.suspend.kind = suspend_kind::immediate;
    config.die.suspend.reads_per_stop = 1;
    config.die.erase.resume_overhead = 10_us;
    bench b(config);
    b.submit(descriptor(FLASH_OP_ERASE, 1));
    b.run_to(1_ms);
    flash_desc read = descriptor(FLASH_OP_READ, 2);
    read.block = 1;
    b.put(read);
    read.tag = 3;
    b.put(read);
    b.ring();
    b.run();
    CHECK(b.answers.at(1).suspends == 2);
    // Erase, status; per read suspend, command, data; two resumes.
    REQUIRE(b.channel.onfi_check() != nullptr);
    CHECK(b.channel.onfi_check()->groups() == 2 + 2 * 3 + 2);
}

TEST_CASE("85h without the 80h that opens a page register is refused")
{
    bare_bus b("bare", sdr5_pair());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    onfi::extension g;
    g.first = onfi::CHANGE_WRITE_COLUMN;
    g.second = onfi::PROGRAM_2;
    g.column_cycles = 2;
    g.data_in = true;
    b.send(g);
    b.run_to(1_ms);
    CHECK(b.fault() == "illegal command sequence");
}

namespace {

/// 35h of a page, then 85h c r 10h `early` before R/B# is high.
std::vector<std::string> copyback_faults(bare_bus& b, sim_time early)
{
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const sim_time ready = b.send(read_page(onfi::COPYBACK_READ)) + 100_ns + 40_us;
    b.run_to(ready - early);
    if (early == sim_time()) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME); // the edge is of this instant
    }
    onfi::extension program = read_page(onfi::PROGRAM_2);
    program.first = onfi::CHANGE_WRITE_COLUMN;
    b.send(program);
    b.run_to(1_ms);
    std::vector<std::string> what;
    for (const fault_log::fault& f : b.faults.faults()) {
        what.push_back(f.what);
    }
    return what;
}

} // namespace

TEST_CASE("copyback: 85h when R/B# is high is legal")
{
    bare_bus b("bare", sdr5_pair());
    CHECK(copyback_faults(b, sim_time()).empty());
}

TEST_CASE("copyback: 85h 1 ps before R/B# is high is named")
{
    bare_bus b("bare", sdr5_pair());
    const auto what = copyback_faults(b, 1_ps);
    REQUIRE(what.size() == 2); // the LUN refused it, too
    CHECK(what[1].find("R/B# of lun0 broken at") == 0);
    CHECK(what[1].find("command 1 ps before R/B# high") != std::string::npos);
}

} // namespace flash_onfi_channel_test
