// SPDX-License-Identifier: Apache-2.0
//
// The network against closed formulas, and against small steps of the differential equations.
#include <catch2/catch.hpp>
#include <cmath>

#include "models/thermal/network.h"

namespace thermal_network_test {

using namespace ssdvp::thermal;

namespace {

constexpr double nothing_flows = 1e12; // K/W

/// Case alone: what the others could take is too far away.
thermal_config one_node()
{
    thermal_config c;
    c.on = true;
    c.ambient = 20.0;
    c.start = 20.0;
    c.die = {nothing_flows, 1.0};
    c.controller = {nothing_flows, 1.0};
    c.chassis = {5.0, 12.0};
    return c;
}

thermal_config drive()
{
    thermal_config c;
    c.on = true;
    c.ambient = 25.0;
    c.start = 25.0;
    c.die = {20.0, 0.1};
    c.controller = {4.0, 1.5};
    c.chassis = {8.0, 12.0};
    return c;
}

heat power(std::vector<double> dies, double controller, double chassis)
{
    return {std::move(dies), controller, chassis};
}

} // namespace

TEST_CASE("thermal: one node heats up by 1 - e^(-t/RC)", "[thermal]")
{
    network n(one_node(), 1);
    // 3 W over 5 K/W: 15 K in the end, with a time constant of 60 s.
    n.advance(60.0, power({0.0}, 0.0, 3.0));
    CHECK(n.chassis() == Approx(20.0 + 15.0 * (1.0 - std::exp(-1.0))).epsilon(1e-9));
    n.advance(120.0, power({0.0}, 0.0, 3.0));
    CHECK(n.chassis() == Approx(20.0 + 15.0 * (1.0 - std::exp(-3.0))).epsilon(1e-9));
    const double hot = n.chassis();
    n.advance(30.0, power({0.0}, 0.0, 0.0));
    CHECK(n.chassis() == Approx(20.0 + (hot - 20.0) * std::exp(-0.5)).epsilon(1e-9));
}

TEST_CASE("thermal: in the steady state resistances are in series", "[thermal]")
{
    network n(drive(), 4);
    n.advance(1e5, power({0.5, 0.25, 0.25, 0.0}, 2.0, 0.5));
    const double chassis = 25.0 + 8.0 * 3.5; // all of the power over the case's resistance
    CHECK(n.chassis() == Approx(chassis));
    CHECK(n.controller() == Approx(chassis + 4.0 * 2.0));
    CHECK(n.die(0) == Approx(chassis + 20.0 * 0.5));
    CHECK(n.die(1) == Approx(chassis + 20.0 * 0.25));
    CHECK(n.die(3) == Approx(chassis));
    CHECK(n.hottest_die() == Approx(n.die(0)));
    CHECK(n.flash() == Approx(chassis + 20.0 * 0.25));
    CHECK(n.composite() == Approx(n.die(0)));
}

TEST_CASE("thermal: one long step is as many short ones", "[thermal]")
{
    network once(drive(), 3);
    network often(drive(), 3);
    const heat watts = power({0.9, 0.1, 0.2}, 1.5, 0.3);
    once.advance(20.0, watts);
    for (int i = 0; i < 2000; ++i) {
        often.advance(0.01, watts);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(once.die(i) == Approx(often.die(i)).epsilon(1e-10));
    }
    CHECK(once.controller() == Approx(often.controller()).epsilon(1e-10));
    CHECK(once.chassis() == Approx(often.chassis()).epsilon(1e-10));
    CHECK(once.given_off() == Approx(often.given_off()).epsilon(1e-10));
}

TEST_CASE("thermal: the modes say what small steps of the equations say", "[thermal]")
{
    const thermal_config c = drive();
    const double watts[] = {0.9, 0.1};
    double die[] = {25.0, 25.0};
    double controller = 25.0;
    double chassis = 25.0;
    constexpr double dt = 1e-4;
    for (int i = 0; i < 100000; ++i) { // 10 s
        const double from[] = {(die[0] - chassis) / c.die.resistance,
                               (die[1] - chassis) / c.die.resistance};
        const double ctl = (controller - chassis) / c.controller.resistance;
        const double off = (chassis - c.ambient) / c.chassis.resistance;
        die[0] += dt * (watts[0] - from[0]) / c.die.capacity;
        die[1] += dt * (watts[1] - from[1]) / c.die.capacity;
        controller += dt * (1.5 - ctl) / c.controller.capacity;
        chassis += dt * (from[0] + from[1] + ctl + 0.2 - off) / c.chassis.capacity;
    }
    network n(c, 2);
    n.advance(10.0, power({watts[0], watts[1]}, 1.5, 0.2));
    CHECK(n.die(0) == Approx(die[0]).epsilon(1e-5));
    CHECK(n.die(1) == Approx(die[1]).epsilon(1e-5));
    CHECK(n.controller() == Approx(controller).epsilon(1e-5));
    CHECK(n.chassis() == Approx(chassis).epsilon(1e-5));
}

TEST_CASE("thermal: energy in is heat stored and heat given off", "[thermal]")
{
    thermal_config c = drive();
    c.start = 40.0; // it begins by giving off what it has
    network n(c, 2);
    double in = 0.0;
    for (int i = 1; i < 200; ++i) {
        const heat watts = power({0.01 * i, 1.0 / i}, i % 7, 0.2);
        const double seconds = 0.05 * (i % 11 + 1);
        in += (0.01 * i + 1.0 / i + i % 7 + 0.2) * seconds;
        n.advance(seconds, watts);
    }
    CHECK(n.taken() == Approx(in).epsilon(1e-12));
    CHECK(std::fabs(n.stored() + n.given_off() - in) < 1e-9 * in);
}

TEST_CASE("thermal: more resistance is hotter, more capacity later", "[thermal]")
{
    const heat watts = power({0.3, 0.3}, 2.0, 0.2);
    const auto after = [&](const thermal_config& c, double seconds) {
        network n(c, 2);
        n.advance(seconds, watts);
        return n;
    };
    const network base = after(drive(), 10.0);
    thermal_config c = drive();
    c.chassis.resistance *= 2.0;
    CHECK(after(c, 1000.0).chassis() > after(drive(), 1000.0).chassis() + 5.0);
    c = drive();
    c.controller.resistance *= 2.0;
    CHECK(after(c, 1000.0).controller() > after(drive(), 1000.0).controller() + 5.0);
    c = drive();
    c.die.resistance *= 2.0;
    CHECK(after(c, 1000.0).hottest_die() > after(drive(), 1000.0).hottest_die() + 5.0);
    for (part_config thermal_config::*part :
         {&thermal_config::die, &thermal_config::controller, &thermal_config::chassis}) {
        c = drive();
        (c.*part).capacity *= 4.0;
        CHECK(after(c, 1.0).flash() + after(c, 1.0).controller() + after(c, 1.0).chassis() <
              after(drive(), 1.0).flash() + after(drive(), 1.0).controller() +
                  after(drive(), 1.0).chassis());
    }
    CHECK(base.composite() > 25.0);
}

} // namespace thermal_network_test
