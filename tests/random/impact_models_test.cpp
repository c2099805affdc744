// SPDX-License-Identifier: Apache-2.0
// One impact of random configurations: masses that are coupled, up to 30 contacts that touch at once, many of them
// dependent, with and without friction. No law adds energy with one restitution, nor with lowered ones where they
// differ; impulses push, and what was pushed has the speed that its law gives it.
// MBC_RANDOM_MODELS=n: n/10 configurations of each kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/split_mix64.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr int kMostContacts = 30;

int models() { return random_models(300, 10); }

struct Kind {
  bool rubs = false, one_restitution = true, parts = false;  // parts: some of the sides part before the impact
};

// n coordinates at 0 with random rates, M = 1 + B^T B, rows a q >= 0 that all touch.
class Configuration {
 public:
  Configuration(std::uint64_t seed, const Kind& kind) : random_(seed) {
    n_ = 2 + whole(9);
    const int contacts = 1 + whole(kMostContacts);
    std::string kinetic;
    for (int j = 0; j < n_; ++j) {
      rates_.push_back(value(-2, 2));
      masses_.push_back(value(0.5, 2));
      const std::string q = "q" + std::to_string(j);
      text_ += "coord " + q + " = 0 rate " + number(rates_.back()) + "\n";
      kinetic += (j == 0 ? "0.5*" : " + 0.5*") + number(masses_.back()) + "*" + q + "'^2";
    }
    for (int k = 0; k < 2; ++k) {
      coupling_.push_back(row());
      kinetic += " + 0.5*(" + sum(coupling_.back(), "'") + ")^2";
    }
    text_ += "kinetic T: " + kinetic + "\noutput E = energy.kinetic\n";
    const double e = one_in(4) ? 1 : one_in(4) ? 0 : value(0, 1);
    for (int k = 0; k < contacts; ++k) contact(k, kind.one_restitution ? e : value(0, 1), kind.parts);
    for (int k = 0; kind.rubs && k < contacts; ++k)
      if (one_in(2)) friction(k);
  }

  [[nodiscard]] std::string text(const std::string& law) const {
    return "mbd 1\nspace 1\n" + text_ + "simulate { time = 0 .. 1e-9 step 1e-9; impact = " + law + " }\n";
  }
  [[nodiscard]] std::size_t contacts() const { return rows_.size(); }
  [[nodiscard]] std::vector<double> before() const { return rates_; }
  [[nodiscard]] std::vector<double> behind(const Run& r) const {
    std::vector<double> rates;
    for (int j = 0; j < n_; ++j) rates.push_back(r.last("q" + std::to_string(j) + "'"));
    return rates;
  }
  [[nodiscard]] double energy(const std::vector<double>& rates) const {
    double twice = 0;
    for (std::size_t j = 0; j < rates.size(); ++j) twice += masses_[j] * rates[j] * rates[j];
    for (const Row& c : coupling_) twice += dot(c, rates) * dot(c, rates);
    return 0.5 * twice;
  }
  [[nodiscard]] double speed(std::size_t k, const std::vector<double>& rates) const { return dot(rows_[k], rates); }
  [[nodiscard]] double restitution(std::size_t k) const { return restitutions_[k]; }

 private:
  using Row = std::vector<double>;
  Row row() {
    Row made;
    for (int j = 0; j < n_; ++j) made.push_back(one_in(3) ? 0 : value(-1, 1));
    if (std::all_of(made.begin(), made.end(), [](double x) { return x == 0; })) made[0] = 1;
    return made;
  }
  [[nodiscard]] static double dot(const Row& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
  }
  [[nodiscard]] static std::string sum(const Row& row, const std::string& prime) {
    std::string out;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) out += (out.empty() ? "" : " + ") + number(row[j]) + "*q" + std::to_string(j) + prime;
    return out;
  }
  void contact(int k, double e, bool parts) {
    Row made = row();
    if (k > 1 && one_in(3)) {  // between two others
      const Row &a = rows_[static_cast<std::size_t>(whole(k))], &b = rows_[static_cast<std::size_t>(whole(k))];
      const double part = value(0.2, 0.8);
      for (std::size_t j = 0; j < made.size(); ++j) made[j] = part * a[j] + (1 - part) * b[j];
    }
    if (dot(made, rates_) > 0 && !(parts && one_in(4)))
      for (double& x : made) x = -x;
    rows_.push_back(made);
    restitutions_.push_back(e);
    const std::string n = std::to_string(k);
    text_ += "constraint c" + n + ": " + sum(made, "") + " >= 0 restitution " + number(e) + "\noutput p" + n + " = c" +
             n + ".impulse\n";
  }
  void friction(int k) {
    const std::string n = std::to_string(k);
    text_ += "friction f" + n + " on " + sum(row(), "'") + ": " + value_text(0.05, 0.5) + "*c" + n + ".lambda\n";
  }

  int whole(int n) { return static_cast<int>(0.5 * (random_.next() + 1) * n) % n; }
  bool one_in(int n) { return whole(n) == 0; }
  double value(double low, double high) { return low + 0.5 * (random_.next() + 1) * (high - low); }
  std::string value_text(double low, double high) { return number(value(low, high)); }

  SplitMix64 random_;
  int n_ = 0;
  std::vector<double> rates_, masses_, restitutions_;
  std::vector<Row> rows_, coupling_;
  std::string text_;
};

struct Figures {
  std::map<std::string, int> ends, reasons;
  int lowered = 0;
  double energy = 0, closing = 0, unequal = 0;  // relative: growth; speeds behind it, and against Newton's law
};

Figures figures(const Kind& kind, const std::string& law, int count) {
  Figures f;
  for (int seed = 0; seed < count; ++seed) {
    const Configuration made(static_cast<std::uint64_t>(seed) + 1, kind);
    const Run r = run(made.text(law));
    ++f.ends[r.code()];
    if (r.code() == "E0695")
      ++f.reasons[r.result.diagnostic->message.substr(r.result.diagnostic->message.find("leaves"))];
    if (r.result.status != Status::complete) continue;
    f.lowered += r.result.lowered_restitutions > 0 ? 1 : 0;
    const std::vector<double> u = made.behind(r);
    f.energy = std::max(f.energy, made.energy(u) / made.energy(made.before()) - 1);
    for (std::size_t k = 0; k < made.contacts(); ++k) {
      f.closing = std::max(f.closing, -made.speed(k, u));
      if (r.result.lowered_restitutions > 0 || law == "poisson") continue;
      const double v = made.speed(k, made.before()), over = made.speed(k, u) + std::min(0.0, made.restitution(k) * v);
      f.closing = std::max(f.closing, -over);
      f.unequal = std::max(f.unequal, std::min(std::fabs(over), r.last("p" + std::to_string(k))));
    }
  }
  return f;
}

void report(const std::string& what, const Figures& f) {
  std::string ends;
  for (const auto& [code, n] : f.ends) ends += (code.empty() ? "complete" : code) + " " + std::to_string(n) + " ";
  for (const auto& [reason, n] : f.reasons) ends += "(" + reason + ": " + std::to_string(n) + ") ";
  MESSAGE(what, ": ", ends, ", lowered ", f.lowered, ", energy ", f.energy, ", closing ", f.closing, ", unequal ",
          f.unequal);
}

const char* kLaws[] = {"newton", "poisson", "moreau"};

}  // namespace

TEST_CASE("random impacts without friction and one restitution: no energy, nothing closes, whatever depends on what") {
  for (const std::string law : kLaws) {
    CAPTURE(law);
    const Figures f = figures({}, law, models());
    report(law, f);
    CHECK(f.ends.size() == 1);
    CHECK(f.lowered == 0);
    CHECK(f.energy < 1e-12);
    CHECK(f.closing < 1e-12);
    CHECK(f.unequal < 1e-12);
  }
}

TEST_CASE(
    "random impacts of sides some of which part, with different restitutions: lowered where they would add energy") {
  for (const std::string law : kLaws)
    for (const bool one : {true, false}) {
      CAPTURE(law);
      const Figures f = figures({false, one, true}, law, models() / 3 + 1);
      report(law, f);
      CHECK(f.energy < 1e-12);
      CHECK(f.closing < 1e-9);
    }
}

TEST_CASE("random impacts with friction: by Moreau's law one restitution adds no energy, others are lowered") {
  for (const std::string law : kLaws)
    for (const bool one : {true, false}) {
      CAPTURE(law);
      const Figures f = figures({true, one, false}, law, models() / 3 + 1);
      report(law + " with friction", f);
      CHECK(f.energy < 1e-12);
      CHECK(f.closing < 1e-9);
      if (law == "moreau" && one) CHECK(f.lowered == 0);
    }
}
