// SPDX-License-Identifier: Apache-2.0
// Tests boxes tossed onto a plane by time steps. Four corners require slightly more than three can provide, in any
// order.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

std::string toss(std::mt19937& random, const std::string& mu, const std::string& e) {
  const auto within = [&](double most) {
    return std::to_string(most * (static_cast<double>(random() % 2001) / 1000 - 1));
  };
  return "mbd 1\ngravity (0, 0, -9.81)\n"
         "body c(mass = 1, inertia = diag(.003, .004, .005)) at (0, 0, .3) moving (" +
         within(.5) + ", " + within(.5) + ", 0) rotated roty(" + within(1.5) + ")*rotx(" + within(1.5) +
         ") spinning (" + within(4) + ", " + within(4) + ", " + within(4) +
         ")\nshape s on c: box(.2, .16, .1)\nshape g on ground: plane(ez)\nContact k(s, g, restitution = " + e +
         ", mu = " + mu + ")\noutput E = energy.total\nsimulate { time = 0 .. 1.2 step 0.001; contact = timestep }\n";
}

}  // namespace

TEST_CASE("boxes tossed onto a plane come to rest, with the laws of contact met in every step") {
  std::mt19937 random(11);
  for (const char* mu : {"0", "0.1", "0.25", "0.5", "1"})
    for (const char* e : {"0", "0.3"}) {
      const std::string text = toss(random, mu, e);
      CAPTURE(text);
      const Run r = run(text);
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(r.result.contact_error < 1e-9);
      CHECK(r.result.penetration < 5e-4);  // The size is 0.05 and more, in steps that turn a corner by 1e-2.
      double most = r.at(0, "E");
      bool grows = false;
      for (std::size_t k = 0; k < r.rows(); ++k) {
        // The growth is of first order, here at most 0.11 J for a step of 1 s.
        grows = grows || r.at(k, "E") > most + 3e-4;
        most = std::min(most, r.at(k, "E"));
      }
      CHECK(!grows);
      // The box lies on one of its sides or, without friction, is still turning.
      if (std::string(mu) == "0") continue;
      const double z = r.last("c.z"), rate = std::fabs(r.last("c.vz"));
      const bool lies = std::fabs(z - 0.05) < 1e-3 || std::fabs(z - 0.08) < 1e-3 || std::fabs(z - 0.1) < 1e-3;
      CHECK((lies || rate > 1e-3));
    }
}
