// SPDX-License-Identifier: Apache-2.0
// Tests changed bytes of saved simulations and runs with a matching check sum. The restore either fails or gives a
// simulation that continues like one whose values a host has set. Nothing is read out of bounds, nothing runs forever,
// and no success comes with a state that is not finite. MBC_FORGED sets the number of cases (400) and MBC_FORGED_SEED
// the first seed. A failure prints the seed of its case.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/archive.h"
#include "base/digest.h"
#include "mbc/mbc.h"
#include "tests/physics/findings.h"

using namespace mbc;

namespace {

constexpr std::size_t kSum = sizeof(std::uint64_t);

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

std::string with_sum(std::string bytes) {
  Archive end;
  std::uint64_t sum = digest(bytes);
  end(sum);
  return bytes + end.bytes();
}
std::string without_sum(const std::string& bytes) { return bytes.substr(0, bytes.size() - kSum); }

// ---- the saved simulations

struct Kept {
  const char* name;
  const char* text;
  std::vector<std::string> set;
};

const char* const kPendulum = R"(mbd 1
gravity (0, 0, -9.81)
particle bob(2) at (0.5, 0, 0)
constraint rod: dist(ground, bob) == 0.5
simulate swing { time = 0 .. 1 step 0.01 }
)";
const char* const kEvents = R"(mbd 1
input push = 0
state n = 0, phase in (up, down) = up
gravity (0, 0, -9.81)
particle bob(2) at (0.5, 0, 0)
constraint rod: dist(ground, bob) == 0.5
force on bob: (push, 0, 0)
every tick: 0.1 { n = n + 1 }
at once: 0.25 { n = n + 10 }
when low: bob.z + 0.3 falling { phase = phase.down }
when fast: bob.vx < -1 { bob.vy = 0.1 }
output n*bob.x
simulate swing { time = 0 .. 1 step 0.01; input.push = table(t, (0, 0.3, 0.6, 2), (0, 1, -1, 0)) }
)";
const char* const kContacts = R"(mbd 1
gravity (0, 0, -9.81)
particle ball(1) at (0, 0, 0.1) moving (0.5, 0, 0)
particle box(2) at (1, 0, 0) moving (0.7, 0, 0)
constraint below: ball.z >= 0 restitution 0.6
constraint under: box.z >= 0 restitution 0
friction slide on box.vx: 0.3*under.lambda
simulate fall { time = 0 .. 1 step 0.01 }
)";
const char* const kBody = R"(mbd 1
gravity (0, 0, -9.81)
body top(mass = 1, inertia = diag(0.1, 0.2, 0.3)) at (0, 0, 0) moving (2.5, -0.5, 0) spinning (1, 5, 0.1)
point tip on top at (0, 0, -0.5)
constraint pin: tip.pos == (0, 0, -0.5)
simulate spin { time = 0 .. 1 step 0.01 }
)";

std::vector<Kept> kept() {
  std::vector<Kept> all;
  for (const char* integrator : {"rk4", "ab4", "dopri5", "dop853", "taylor", "bdf", "gauss4", "auto"})
    all.push_back({"pendulum", kPendulum, {std::string("integrator=") + integrator}});
  for (const char* integrator : {"rk4", "ab4", "auto", "bdf"})
    all.push_back({"events", kEvents, {std::string("integrator=") + integrator}});
  for (const char* integrator : {"rk4", "auto"})
    all.push_back({"contacts", kContacts, {std::string("integrator=") + integrator}});
  all.push_back({"contacts", kContacts, {"contact=timestep"}});
  for (const char* formulation : {"kane", "maggi", "volterra", "augmented"})
    all.push_back({"body", kBody, {std::string("formulation=") + formulation, "integrator=rk4"}});
  all.push_back({"body", kBody, {"stabilise=partition", "integrator=dop853"}});
  all.push_back({"body", kBody, {"stabilise=baumgarte(alpha = 5, beta = 5)", "integrator=ab4"}});
  all.push_back({"body", kBody, {"integrator=gauss4"}});
  return all;
}

// ---- the changes

class Forger {
 public:
  explicit Forger(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : engine_() % n; }

  // `other` holds bytes of the same model at another time.
  std::string forged(std::string bytes, const std::string& other) {
    for (std::size_t k = 1 + below(3); k > 0; --k) change(bytes, other);
    return bytes;
  }

 private:
  template <class T>
  void put(std::string& bytes, T value) {
    if (bytes.size() < sizeof value) return;
    std::memcpy(bytes.data() + below(bytes.size() - sizeof value + 1), &value, sizeof value);
  }
  void change(std::string& bytes, const std::string& other) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    const double kNumbers[] = {0,      -0.0, 1,   -1,          0.5,       1e-300,     1e300,
                               -1e300, 1e-9, 1e9, 4294967296., kInfinite, -kInfinite, std::nan("")};
    constexpr std::uint64_t kWhole[] = {0,
                                        1,
                                        2,
                                        3,
                                        7,
                                        255,
                                        65535,
                                        0x7fffffff,
                                        0xffffffff,
                                        std::uint64_t{1} << 32,
                                        std::uint64_t{1} << 52,
                                        ~std::uint64_t{0},
                                        ~std::uint64_t{0} >> 1};
    switch (below(8)) {
      case 0:
        return put(bytes, kNumbers[below(std::size(kNumbers))]);
      case 1:
        return put(bytes, kWhole[below(std::size(kWhole))]);
      case 2:
        return put(bytes, static_cast<std::uint32_t>(kWhole[below(std::size(kWhole))]));
      case 3:
        return put(bytes, static_cast<std::uint8_t>(below(256)));
      case 4: {  // This case puts a field in the place of another one.
        std::uint64_t field = 0;
        if (bytes.size() < sizeof field) return;
        std::memcpy(&field, bytes.data() + below(bytes.size() - sizeof field + 1), sizeof field);
        return put(bytes, field);
      }
      case 5:  // This case makes a list longer or shorter.
        if (below(2) == 0)
          bytes.insert(below(bytes.size() + 1), std::string(8 * (1 + below(3)), '\0'));
        else
          bytes.erase(below(bytes.size()), 8 * (1 + below(3)));
        return;
      case 6: {  // This case appends the rest of another state.
        const std::size_t at = below(std::min(bytes.size(), other.size()));
        bytes = bytes.substr(0, at) + other.substr(at);
        return;
      }
      default: {  // This case changes a number slightly.
        double number = 0;
        const std::size_t at = below(bytes.size() - sizeof number + 1);
        std::memcpy(&number, bytes.data() + at, sizeof number);
        number = below(2) == 0 ? -number : number * (1 + 1e-3);
        std::memcpy(bytes.data() + at, &number, sizeof number);
      }
    }
  }

  std::mt19937_64 engine_;
};

// The handler prints the seed of a case that does not end.
volatile std::uint64_t seed_at_hand = 0;
extern "C" void on_alarm(int) {
  char text[80] = "forged state without end: MBC_FORGED=1 MBC_FORGED_SEED=";
  std::size_t at = std::strlen(text);
  char digits[24];
  std::size_t n = 0;
  for (std::uint64_t left = seed_at_hand; n == 0 || left > 0; left /= 10)
    digits[n++] = static_cast<char>('0' + left % 10);
  while (n > 0) text[at++] = digits[--n];
  text[at++] = '\n';
  static_cast<void>(!write(2, text, at));
  _exit(99);
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

Simulation fresh(const Model& model) { return *Simulation::create(model); }

// Returns whether the bytes were accepted. In that case the simulation must continue with finite states or give a
// reason for stopping.
bool goes_on(const Model& model, const std::string& bytes) {
  Simulation s = fresh(model);
  const Result<void> read = s.restore(bytes);
  if (!read) {
    CHECK(read.error().code != ErrorCode::internal);
    CHECK(s.time() == 0);
    return false;
  }
  CHECK(std::isfinite(s.time()));
  CHECK(finite(s.state()));
  for (int k = 0; k < 3; ++k) {
    const Result<void> made = s.step(0.01);
    if (!made) CHECK(made.error().code != ErrorCode::internal);
    CHECK(std::isfinite(s.time()));
    if (made) CHECK(finite(s.state()));
    if (!made) break;
    if (const Result<std::vector<double>> row = s.columns()) CHECK(finite(*row));
  }
  const Result<void> there = s.run_until(s.time() + 0.2);
  if (!there) CHECK(there.error().code != ErrorCode::internal);
  if (there) CHECK(finite(s.state()));
  std::vector<double> dy(s.state().size());
  static_cast<void>(s.rhs(s.time(), s.state(), dy));
  return true;
}

}  // namespace

TEST_CASE("forged states are refused, or go on like states that a host has set") {
  const std::uint64_t first = from_environment("MBC_FORGED_SEED", 1), count = from_environment("MBC_FORGED", 400);
  signal(SIGALRM, on_alarm);
  const std::vector<Kept> list = kept();
  struct Saved {
    Model model;
    std::vector<std::string> bytes;
  };
  std::vector<Saved> saved;
  for (const Kept& k : list) {
    CompileOptions options;
    options.interpret = true;
    options.set = k.set;
    Saved& made = saved.emplace_back(Saved{Model::from_string(k.text, k.name, options), {}});
    REQUIRE_MESSAGE(made.model.ok(), made.model.render_diagnostics());
    Simulation s = fresh(made.model);
    made.bytes.push_back(s.save());
    for (const double t : {0.05, 0.31, 0.74}) {
      REQUIRE(s.run_until(t).ok());
      made.bytes.push_back(s.save());
      REQUIRE_MESSAGE(goes_on(made.model, made.bytes.back()), k.name << " " << k.set.front());
    }
  }
  std::size_t accepted = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    seed_at_hand = seed;
    alarm(120);
    Forger forger(seed);
    const std::size_t which = forger.below(saved.size());
    const Saved& of = saved[which];
    const std::string& bytes = of.bytes[forger.below(of.bytes.size())];
    const std::string& other = of.bytes[forger.below(of.bytes.size())];
    INFO("MBC_FORGED=1 MBC_FORGED_SEED=" << seed << " " << list[which].name << " " << list[which].set.front());
    if (goes_on(of.model, with_sum(forger.forged(without_sum(bytes), without_sum(other))))) ++accepted;
  }
  alarm(0);
  MESSAGE(accepted << " of " << count << " accepted");
  if (count >= 400) CHECK(accepted > count / 50);  // Otherwise nothing after the header would be tested.
}

TEST_CASE("forged runs are refused, or go on to rows of numbers") {
  const std::uint64_t first = from_environment("MBC_FORGED_SEED", 1), count = from_environment("MBC_FORGED", 400) / 4;
  signal(SIGALRM, on_alarm);
  for (const Kept& k : kept()) {
    CompileOptions options;
    options.interpret = true;
    options.set = k.set;
    const Model model = Model::from_string(k.text, k.name, options);
    RunOptions run;
    std::vector<std::string> saved;
    run.pause = [&](const Pause& pause) {
      if (pause.time > 0.2 + 0.3 * static_cast<double>(saved.size()) && saved.size() < 3) saved.push_back(pause.save());
      return std::string();
    };
    REQUIRE(fresh(model).run(run).status == Status::complete);
    REQUIRE(saved.size() >= 2);
    for (std::uint64_t seed = first; seed < first + count / 10 + 1; ++seed) {
      seed_at_hand = seed;
      alarm(120);
      INFO("MBC_FORGED=1 MBC_FORGED_SEED=" << seed << " " << k.name << " " << k.set.front());
      Forger forger(seed);
      // The bytes of the run are nested inside those that identify the model.
      Archive whole(without_sum(saved[0])), next(without_sum(saved[1]));
      std::string magic, version, inner, other;
      std::uint64_t of_model = 0, settings = 0;
      whole(magic, version, of_model, settings, inner);
      next(magic, version, of_model, settings, other);
      REQUIRE((whole.good() && whole.at_end()));
      inner = forger.forged(inner, other);
      Archive made;
      made(magic, version, of_model, settings, inner);
      RunOptions resumed;
      resumed.resume = with_sum(made.bytes());
      bool numbers = true;
      const RunResult result = fresh(model).run(resumed, [&](const Row& row) {
        numbers = numbers && std::isfinite(row.time) &&
                  std::all_of(row.values.begin(), row.values.end(), [](double x) { return std::isfinite(x); });
        return true;
      });
      CHECK(result.status != Status::internal_error);
      CHECK(numbers);
      static_cast<void>(summary_text(result));
      static_cast<void>(summary_json(result));
    }
  }
  alarm(0);
}

TEST_CASE("a forged state that was read out of bounds: the event of a timer") {
  const std::string text = test::finding("forged_event");
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_string(text, "ev.mbd", options);
  REQUIRE(model.ok());
  Simulation s = fresh(model);
  REQUIRE(s.run_until(0.35).ok());
  const std::string bytes = without_sum(s.save());
  const double from = 0, period = 0.1;
  Archive timer;
  std::uint32_t event = 0;
  double first = from, apart = period;
  timer(event, first, apart);
  const std::size_t at = bytes.find(timer.bytes());
  REQUIRE(at != std::string::npos);
  for (const std::uint32_t wrong : {1u, 2u, 0x7fffffffu, 0xffffffffu}) {
    std::string forged = bytes;
    std::memcpy(forged.data() + at, &wrong, sizeof wrong);
    Simulation other = fresh(model);
    const Result<void> read = other.restore(with_sum(forged));
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::wrong_bytes);
  }
  CHECK(fresh(model).restore(with_sum(bytes)).ok());
}
