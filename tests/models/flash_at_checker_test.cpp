// SPDX-License-Identifier: Apache-2.0
//
// The base-protocol checker lets good transactions through and catches bad ones.
#include <catch2/catch.hpp>

#include "models/common/at_checker.h"
#include "models/common/data_mode.h"

namespace flash_at_checker_test {

using namespace ssdvp;

namespace {

struct target final : sc_core::sc_module {
    tlm_utils::simple_target_socket<target> in;
    tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;
    tlm::tlm_sync_enum sync = tlm::TLM_COMPLETED;
    tlm::tlm_phase phase_back = tlm::BEGIN_REQ;
    sc_core::sc_time delay_back;
    bool go_back = false;

    explicit target(const sc_core::sc_module_name& name) : sc_core::sc_module(name), in("in")
    {
        in.register_nb_transport_fw(this, &target::nb_transport_fw);
        in.register_b_transport(this, &target::b_transport);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay)
    {
        gp.set_response_status(answer);
        phase = phase_back;
        delay = go_back ? sc_core::SC_ZERO_TIME : delay + delay_back;
        return sync;
    }
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
    {
        gp.set_response_status(answer);
        delay += delay_back;
    }
};

struct modules final : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<modules> out{"out"};
    at_checker checker;
    target end{"target"};

    modules(const sc_core::sc_module_name& name, fault_log& faults)
        : sc_core::sc_module(name), checker("checker", &faults)
    {
        out.register_nb_transport_bw(this, &modules::back);
        out.bind(checker.in);
        checker.out.bind(end.in);
    }
    tlm::tlm_sync_enum back(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)
    {
        return tlm::TLM_ACCEPTED;
    }
};

struct fixture {
    fault_log faults;
    modules all{"all", faults};
    at_checker& checker = all.checker;
    target& end = all.end;
    unsigned char data[sector_size] = {};
    tlm::tlm_generic_payload gp;
    fixture()
    {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        gp.set_command(tlm::TLM_READ_COMMAND);
        gp.set_data_ptr(data);
        gp.set_data_length(sizeof data);
        gp.set_streaming_width(sizeof data);
    }
    std::uint64_t send(tlm::tlm_phase phase = tlm::BEGIN_REQ, std::uint64_t delay_ps = 1000)
    {
        const std::uint64_t before = checker.violations();
        sc_core::sc_time delay = sc_core::sc_time::from_value(delay_ps);
        all.out->nb_transport_fw(gp, phase, delay);
        CHECK(faults.count() == checker.violations());
        return checker.violations() - before;
    }
};

} // namespace

TEST_CASE("at_checker passes legal transactions")
{
    fixture f;
    CHECK(f.send() == 0);
    set_byte_enables(f.gp, data_mode::tag);
    f.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    f.end.delay_back = sc_core::sc_time(5, sc_core::SC_NS);
    CHECK(f.send() == 0);
    f.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    f.all.out->b_transport(f.gp, delay);
    CHECK(f.checker.violations() == 0);
    CHECK(f.checker.checked() == 3);
}

TEST_CASE("at_checker passes the four phases in order")
{
    fixture f;
    f.end.sync = tlm::TLM_UPDATED;
    f.end.phase_back = tlm::END_REQ;
    f.end.answer = tlm::TLM_INCOMPLETE_RESPONSE;
    CHECK(f.send() == 0);
    f.gp.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    f.end.in->nb_transport_bw(f.gp, phase, delay);
    CHECK(f.checker.violations() == 0);
    f.end.answer = tlm::TLM_OK_RESPONSE;
    f.end.sync = tlm::TLM_COMPLETED;
    CHECK(f.send(tlm::END_RESP) == 0);
}

TEST_CASE("at_checker catches a null data pointer")
{
    fixture f;
    f.gp.set_data_ptr(nullptr);
    CHECK(f.send() == 1);
}

TEST_CASE("at_checker catches a data length of 0")
{
    fixture f;
    f.gp.set_data_length(0);
    CHECK(f.send() == 1);
}

TEST_CASE("at_checker catches a streaming width of 0")
{
    fixture f;
    f.gp.set_streaming_width(0);
    CHECK(f.send() == 1);
}

TEST_CASE("at_checker catches byte enables without a length")
{
    fixture f;
    set_byte_enables(f.gp, data_mode::tag);
    f.gp.set_byte_enable_length(0);
    CHECK(f.send() == 1);
}

TEST_CASE("at_checker catches a response status that was not reset")
{
    fixture f;
    CHECK(f.send() == 0);
    CHECK(f.send() == 1);
}

TEST_CASE("at_checker catches a completion without a status")
{
    fixture f;
    f.end.answer = tlm::TLM_INCOMPLETE_RESPONSE;
    CHECK(f.send() == 1);
}

TEST_CASE("at_checker catches phases that go the wrong way or come out of order")
{
    fixture f;
    CHECK(f.send(tlm::END_RESP) == 1);
    f.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    CHECK(f.send(tlm::BEGIN_RESP) == 1);
    f.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    f.end.sync = tlm::TLM_ACCEPTED;
    CHECK(f.send() == 0);
    f.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    // Twice for the same transaction, and before the END_REQ of the one before.
    CHECK(f.send() == 2);
}

TEST_CASE("at_checker catches a backward call for nothing")
{
    fixture f;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    f.end.in->nb_transport_bw(f.gp, phase, delay);
    CHECK(f.checker.violations() == 1);
}

TEST_CASE("at_checker catches a delay that goes back or below zero")
{
    fixture f;
    f.end.go_back = true;
    CHECK(f.send() == 1);
    f.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    f.end.go_back = false;
    CHECK(f.send(tlm::BEGIN_REQ, ~std::uint64_t{0} - 5) >= 1);
}

} // namespace flash_at_checker_test
