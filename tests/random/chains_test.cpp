// SPDX-License-Identifier: Apache-2.0
// Tests random chains that are long enough for lanes. Interpreter and native code must give the same bits. Motion and
// verdicts must be those of the same chain with masses as parameters, which has no lanes. MBC_RANDOM_MODELS=n tests
// n/10 chains.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

int chains() { return random_models(12, 10, 4); }

// `factor` is written before every mass.
class ChainText {
 public:
  ChainText(std::uint64_t seed, std::string factor) : rng_(seed), factor_(std::move(factor)) {}

  std::string text() {
    n_ = pick({30, 31, 41, 57, 73});
    const std::string last = std::to_string(n_);
    out_ = "mbd 1\nparam own = 1, c = 0.3\n";
    if (one_in(4) == 0) out_ += "gravity (0, 0.3, -9.81)\n";
    shape(last);
    ends();
    const int more = pick({0, 0, 1, 2});
    for (int k = 0; k < more; ++k) row(k);
    loads(last);
    const std::string how =
        pick<std::string>({"integrator = rk4; ", "integrator = rk4; ", "integrator = rk4; stabilise = none; ",
                           "integrator = dopri5; ", "integrator = rk4; stabilise = baumgarte(alpha = 5, beta = 5); "});
    return out_ + "simulate { " + how + "time = 0 .. 0.02 step 0.001 }\n";
  }

 private:
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + rng_.below(static_cast<std::uint32_t>(choices.size())));
  }
  std::uint32_t one_in(std::uint32_t n) { return rng_.below(n); }
  std::string any_particle(std::uint32_t from) {
    return std::to_string(from + rng_.below(static_cast<std::uint32_t>(n_) - from + 1));
  }

  void shape(const std::string& last) {
    const bool zigzag = one_in(2) == 0;
    const std::string mass = pick<std::string>({"1*", "2.5*", "0.1*i*"}) + factor_;
    out_ += "particle p[i in 1.." + last + "](" + mass + ") at " +
            (zigzag ? "(0.8*i, 0.6*(i - 2*floor(i/2)), 0)\n" : "(i, 0, 0)\n");
    out_ +=
        "constraint rod[i in 2.." + last + "]: " +
        pick<std::string>({"dist(p[i-1], p[i]) == 1\n", "dist(p[i-1], p[i])^2 == 1\n",
                           "dot(p[i].pos - p[i-1].pos, p[i].pos - p[i-1].pos) == 1\n", "2*dist(p[i], p[i-1]) == 2\n"});
  }

  void ends() {
    out_ += pick<std::string>({"", "constraint first: p[1].z == 0\n", "constraint first: p[1].vx == 0.3*p[1].vy\n",
                               "constraint first: p[1].vx*(1 + p[1].y^2) == 0.3*p[1].vz\n",
                               "constraint first: p[1].z == 0.1*sin(t)^2\n"});
  }

  // Adds rows, of which some repeat others.
  void row(int k) {
    const std::uint32_t at = 2 + rng_.below(static_cast<std::uint32_t>(n_) - 1);
    const std::string a = std::to_string(at - 1), b = std::to_string(at);
    out_ += "constraint more" + std::to_string(k) + ": " +
            pick<std::string>({"3*dist(p[" + a + "], p[" + b + "]) == 3\n", "dist(p[" + a + "], p[" + b + "])^3 == 1\n",
                               "p[" + b + "].vz == 0\n", "p[" + b + "].vx == 0.5*p[" + b + "].vy\n"});
  }

  void loads(const std::string& last) {
    if (one_in(2) == 0) out_ += "force drag[i in 1.." + last + "] on p[i]: -c*p[i].vel\n";
    if (one_in(3) == 0) out_ += "force bend[i in 3.." + last + "] on p[i] from p[i-2]: -c*(p[i].pos - p[i-2].pos)\n";
    if (one_in(3) == 0) out_ += "force pull on p[" + any_particle(1) + "]: (2, -1, sin(20*t))\n";
    if (one_in(4) == 0) {
      out_ += "state s = 1 where s' = -s + p[" + any_particle(1) + "].vz\n";
      out_ += "force push on p[" + any_particle(1) + "]: (s, 0, s)\n";
    }
    if (one_in(8) == 0) out_ += "force ends on p[" + any_particle(1) + "]: (sqrt(0.013 - t), 0, 0)\n";
  }

  Rng rng_;
  std::string factor_, out_;
  int n_ = 0;
};

// Returns the rank, the rows left out, the times of their changes, and the reason of the end.
std::vector<std::string> verdicts(const Run& run) {
  std::vector<std::string> out = run.result.dependent_rows;
  out.push_back(run.code() + " " + std::to_string(run.result.rank));
  for (const RankChange& c : run.result.rank_changes) out.push_back(std::to_string(c.time));
  return out;
}

}  // namespace

TEST_CASE("random chains: both engines, with lanes and without") {
  const int count = chains();
  int complete = 0;
  for (int k = 0; k < count; ++k) {
    const auto seed = static_cast<std::uint64_t>(7000 + k);
    const std::string text = ChainText(seed, "1").text();
    CAPTURE(text);
    const Run lanes = have_native() ? run_both(text) : run(text);
    const Run plain = run(ChainText(seed, "own").text());
    CHECK(verdicts(lanes) == verdicts(plain));
    REQUIRE(lanes.values.size() == plain.values.size());
    double apart = 0;
    for (std::size_t i = 0; i < lanes.values.size(); ++i)
      apart = std::max(apart, std::fabs(lanes.values[i] - plain.values[i]) / (1 + std::fabs(plain.values[i])));
    CHECK(apart < 1e-9);
    if (lanes.result.status == Status::complete) ++complete;
  }
  CHECK(complete * 10 >= count * 7);
}
