// SPDX-License-Identifier: Apache-2.0
// Tests one impact of random configurations: coupled masses and up to 30 contacts that touch at once, many of them
// dependent, with and without friction of one or two slips, some with a static limit or a restitution of their own. No
// law adds energy with one restitution, or with lowered ones if they differ. The equations, the complementarity of each
// contact and Coulomb's law hold (impact_laws.h), for Poisson's law in both of its phases. If rigid bodies do not
// determine the motion, the run stops with a code that says so. MBC_RANDOM_MODELS=n tests n/10 configurations of each
// kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/split_mix64.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"
#include "tests/random/impact_laws.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kStep = 1e-9;
constexpr int kMostContacts = 30;
// number of contacts beside frictions of two slips, whose directions are found iteratively
constexpr int kMostWithCones = 6;

int models() { return random_models(100, 10); }

struct Kind {
  bool rubs = false, one_restitution = true, parts = false;  // some contacts separate before the impact
  bool cones = false;                                        // Some frictions have two slips.
  bool own = false;                                          // Some frictions have a static limit or a restitution.
};

// A Configuration has n coordinates at 0 with random rates, M = 1 + B^T B, and rows a q >= 0 whose contacts all touch.
class Configuration {
 public:
  using Rates = std::vector<double>;
  using Row = std::vector<double>;

  Configuration(std::uint64_t seed, const Kind& kind) : random_(seed) {
    n_ = 2 + whole(9);
    const int contacts = 1 + whole(kind.cones ? kMostWithCones : kMostContacts);
    std::string kinetic;
    text_ = "param all = 1\n";
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
      if (one_in(2)) friction(k, kind);
  }

  // With a time step the impulses of frictions are also known: t0_1, ...
  [[nodiscard]] std::string text(const std::string& law, bool by_a_time_step = false) const {
    std::string out = "mbd 1\nspace 1\n" + text_;
    for (std::size_t k = 0; by_a_time_step && k < frictions_.size(); ++k)
      for (std::size_t i = 1; i <= frictions_[k].rows.size(); ++i)
        out += "output " + impulse_name(k, i) + " = " + number(kStep) + "*f" + std::to_string(frictions_[k].contact) +
               ".lambda" + (frictions_[k].rows.size() > 1 ? "[" + std::to_string(i) + "]" : "") + "\n";
    return out + "simulate { time = 0 .. " + number(kStep) + " step " + number(kStep) + "; impact = " + law +
           (by_a_time_step ? "; contact = timestep }\n" : "; reactions = unique }\n");
  }
  void take_impulses(const Run& r, OneImpact& impact) const {
    for (std::size_t k = 0; r.result.time_stepping && k < frictions_.size(); ++k) {
      Eigen::VectorXd& made = impact.slips[k].impulse;
      made.resize(static_cast<Eigen::Index>(frictions_[k].rows.size()));
      for (Eigen::Index i = 0; i < made.size(); ++i)
        made[i] = r.at(1, impulse_name(k, static_cast<std::size_t>(i) + 1));
    }
  }
  // Returns the first row for events, and the row after the step for time steps.
  [[nodiscard]] static std::size_t row_behind(const Run& r) { return r.result.time_stepping ? 1 : 0; }
  [[nodiscard]] std::size_t contacts() const { return rows_.size(); }
  [[nodiscard]] std::vector<double> before() const { return rates_; }
  [[nodiscard]] std::vector<double> behind(const Run& r) const {
    std::vector<double> rates;
    for (int j = 0; j < n_; ++j) rates.push_back(r.at(row_behind(r), "q" + std::to_string(j) + "'"));
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

  // Returns the impact from one vector of rates to another with impulses p, none of which is below `given`. No speed is
  // required to return.
  [[nodiscard]] OneImpact impact(const Rates& before, const Rates& after, const Rates& p, const Rates& given) const {
    OneImpact out{vector(rates_).norm(),
                  Eigen::MatrixXd(),
                  matrix(rows_),
                  vector(before),
                  vector(after),
                  vector(p),
                  vector(given),
                  {},
                  {}};
    const Eigen::MatrixXd coupling = matrix(coupling_);
    out.M = coupling.transpose() * coupling;
    out.M.diagonal() += vector(masses_);
    out.wanted = Eigen::VectorXd::Zero(out.A.rows());
    for (const Rubbing& f : frictions_) {
      const double push = std::max(p[f.contact], 0.0);
      out.slips.push_back({matrix(f.rows), f.limit * push, f.still * push, Eigen::VectorXd::Zero(f.rows.size()), {}});
    }
    return out;
  }
  // Requires the fraction `share` of all restitutions: by Newton's or Moreau's law of the approach speeds, and of slips
  // before the impact. `usual` is the restitution of frictions that name none.
  void want_back(OneImpact& impact, double share) const {
    const Eigen::VectorXd met = impact.A * impact.before;
    for (Eigen::Index k = 0; k < met.size(); ++k)
      impact.wanted[k] = std::max(0.0, -share * restitutions_[static_cast<std::size_t>(k)] * met[k]);
  }
  void want_slips_back(OneImpact& impact, double share, double usual) const {
    for (std::size_t k = 0; k < frictions_.size(); ++k) {
      const double e = frictions_[k].names_restitution ? frictions_[k].restitution : usual;
      impact.slips[k].back = -share * e * (impact.slips[k].rows * vector(rates_));
    }
  }
  // Returns the least restitution of the contacts that close.
  [[nodiscard]] double least_restitution() const {
    double least = 1;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (speed(k, rates_) < 0) least = std::min(least, restitutions_[k]);
    return least;
  }

 private:
  struct Rubbing {
    std::size_t contact = 0;
    std::vector<Row> rows;
    double limit = 0, still = 0, restitution = 0;
    bool names_restitution = false;
  };

  static std::string impulse_name(std::size_t friction, std::size_t component) {
    return "t" + std::to_string(friction) + "_" + std::to_string(component);
  }
  [[nodiscard]] static Eigen::VectorXd vector(const Rates& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  }
  [[nodiscard]] Eigen::MatrixXd matrix(const std::vector<Row>& rows) const {
    Eigen::MatrixXd out(static_cast<Eigen::Index>(rows.size()), n_);
    for (std::size_t k = 0; k < rows.size(); ++k) out.row(static_cast<Eigen::Index>(k)) = vector(rows[k]).transpose();
    return out;
  }
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
    if (k > 1 && one_in(3)) {  // This row is a combination of two others.
      const Row &a = rows_[static_cast<std::size_t>(whole(k))], &b = rows_[static_cast<std::size_t>(whole(k))];
      const double part = value(0.2, 0.8);
      for (std::size_t j = 0; j < made.size(); ++j) made[j] = part * a[j] + (1 - part) * b[j];
    }
    if (dot(made, rates_) > 0 && !(parts && one_in(4)))
      for (double& x : made) x = -x;
    rows_.push_back(made);
    restitutions_.push_back(e);
    const std::string n = std::to_string(k);
    text_ += "constraint c" + n + ": " + sum(made, "") + " >= 0 restitution all*" + number(e) + "\noutput p" + n +
             " = c" + n + ".impulse\n";
  }
  void friction(int k, const Kind& kind) {
    const std::string n = std::to_string(k), push = "*c" + n + ".lambda";
    Rubbing made{static_cast<std::size_t>(k), {row()}, value(0.05, 0.5)};
    if (kind.cones && !one_in(3)) made.rows.push_back(row());
    made.still = made.limit * (kind.own && one_in(4) ? value(1, 2) : 1);
    made.names_restitution = kind.own && one_in(6);
    if (made.names_restitution) made.restitution = value(0, 1);
    std::string slip = sum(made.rows[0], "'");
    if (made.rows.size() > 1) slip = "(" + slip + ", " + sum(made.rows[1], "'") + ")";
    text_ += "friction f" + n + " on " + slip + ": " + number(made.limit) + push;
    if (made.still > made.limit) text_ += " static " + number(made.still) + push;
    if (made.names_restitution) text_ += " restitution all*" + number(made.restitution);
    text_ += "\n";
    frictions_.push_back(made);
  }

  int whole(int n) { return static_cast<int>(0.5 * (random_.next() + 1) * n) % n; }
  bool one_in(int n) { return whole(n) == 0; }
  double value(double low, double high) { return low + 0.5 * (random_.next() + 1) * (high - low); }

  SplitMix64 random_;
  int n_ = 0;
  std::vector<double> rates_, masses_, restitutions_;
  std::vector<Row> rows_, coupling_;
  std::vector<Rubbing> frictions_;
  std::string text_;
};

std::vector<double> impulses(const Configuration& made, const Run& r) {
  std::vector<double> out;
  for (std::size_t k = 0; k < made.contacts(); ++k)
    out.push_back(r.at(Configuration::row_behind(r), "p" + std::to_string(k)));
  return out;
}

// Returns the fraction of all restitutions that remains if they are lowered: the largest one for which no contact
// separates more slowly.
double share_left(const Configuration& made, const std::vector<double>& after) {
  double share = 1;
  for (std::size_t k = 0; k < made.contacts(); ++k) {
    const double back = -made.restitution(k) * made.speed(k, made.before());
    if (back > 0) share = std::min(share, std::max(0.0, made.speed(k, after) / back));
  }
  return share;
}

// Splits an impact by Poisson's law. In the first phase the impulses p1 stop all closing contacts, as Newton's law
// without restitution. The second phase applies at least e p1 and lets no contact close. Frictions act against the
// slips of each phase; their restitution belongs to the second.
std::vector<OneImpact> parts_by_poisson(const Configuration& made, const Run& r) {
  const Run stopped = run(made.text("newton"), Engine::interpreter, {"all = 0"});
  REQUIRE(stopped.result.status == Status::complete);
  const std::vector<double> middle = made.behind(stopped), first = impulses(made, stopped), all = impulses(made, r);
  std::vector<double> given, rest;
  for (std::size_t k = 0; k < first.size(); ++k) {
    given.push_back(made.restitution(k) * first[k]);
    rest.push_back(all[k] - first[k]);
  }
  std::vector<OneImpact> parts{made.impact(made.before(), middle, first, std::vector<double>(first.size())),
                               made.impact(middle, made.behind(r), rest, given)};
  made.want_slips_back(parts[1], 1, 0);
  return parts;
}

std::vector<OneImpact> parts_of(const Configuration& made, const Run& r, const std::string& law) {
  if (law == "poisson") return parts_by_poisson(made, r);
  const std::vector<double> after = made.behind(r), p = impulses(made, r);
  const double share = r.result.lowered_restitutions > 0 ? share_left(made, after) : 1;
  OneImpact out = made.impact(made.before(), after, p, std::vector<double>(p.size()));
  made.want_back(out, share);
  made.take_impulses(r, out);
  made.want_slips_back(out, share, law == "moreau" ? made.least_restitution() : 0);
  return {out};
}

struct Figures {
  std::map<std::string, int> ends, reasons;
  int lowered = 0, solved = 0, held = 0;  // held: solved, and the laws hold to 1e-9
  double energy = 0, exact = 0;           // relative: growth; errors of the laws if no restitution is lowered
  MissedLaws worst;                       // includes the numbers of all frictions
};

constexpr double kHeldLaws = 1e-9;

void look_at_laws(const std::vector<OneImpact>& parts, bool lowered, Figures& f) {
  double most = 0;
  for (const OneImpact& part : parts) {
    const MissedLaws m = missed_laws(part);
    most = std::max(most, m.most());
    f.worst.pulls = std::max(f.worst.pulls, m.pulls);
    f.worst.closes = std::max(f.worst.closes, m.closes);
    f.worst.neither = std::max(f.worst.neither, m.neither);
    f.worst.over = std::max(f.worst.over, m.over);
    f.worst.momentum = std::max(f.worst.momentum, m.momentum);
    f.worst.slides += m.slides;
    f.worst.holds += m.holds;
    f.worst.shared += m.shared;
  }
  f.held += most <= kHeldLaws ? 1 : 0;
  if (!lowered) f.exact = std::max(f.exact, most);
}

Figures figures(const Kind& kind, const std::string& law, int count, bool by_a_time_step = false) {
  Figures f;
  for (int seed = 0; seed < count; ++seed) {
    const Configuration made(static_cast<std::uint64_t>(seed) + 1, kind);
    const Run r = run(made.text(law, by_a_time_step));
    ++f.ends[r.code()];
    if (r.code() == "E0695")
      ++f.reasons[r.result.diagnostic->message.substr(r.result.diagnostic->message.find("leaves"))];
    if (r.result.status != Status::complete) continue;  // The run reports this, and it is counted.
    ++f.solved;
    const bool lowered = r.result.lowered_restitutions > 0;
    f.lowered += lowered ? 1 : 0;
    f.energy = std::max(f.energy, made.energy(made.behind(r)) / made.energy(made.before()) - 1);
    look_at_laws(parts_of(made, r, law), lowered, f);
  }
  return f;
}

void report(const std::string& what, const Figures& f) {
  std::string ends;
  for (const auto& [code, n] : f.ends) ends += (code.empty() ? "complete" : code) + " " + std::to_string(n) + " ";
  for (const auto& [reason, n] : f.reasons) ends += "(" + reason + ": " + std::to_string(n) + ") ";
  const MissedLaws& m = f.worst;
  MESSAGE(what, ": ", ends, ", lowered ", f.lowered, ", laws held in ", f.held, " of ", f.solved, ", missed: pulls ",
          m.pulls, ", closes ", m.closes, ", neither ", m.neither, ", over ", m.over, ", momentum ", m.momentum,
          ", energy ", f.energy, "; slide ", m.slides, ", hold ", m.holds, ", share ", m.shared);
}

const char* kLaws[] = {"newton", "poisson", "moreau"};

// A run may stop only because rigid bodies do not determine the motion (docs/diagnostics.md).
void rubs_by_its_laws(const Kind& kind, const std::string& law, int count) {
  CAPTURE(law);
  CAPTURE(kind.one_restitution);
  CAPTURE(kind.cones);
  const Figures f = figures(kind, law, count);
  report(law + (kind.cones ? " with cones" : " with friction"), f);
  CHECK(f.energy < 1e-12);
  CHECK(f.worst.pulls < 1e-12);
  CHECK(f.worst.closes < 1e-9);
  CHECK(f.held == f.solved);
  if (law == "moreau" && kind.one_restitution && !kind.own) CHECK(f.lowered == 0);
  for (const auto& end : f.ends) {
    const std::string& code = end.first;
    CAPTURE(code);
    const bool open = code == "E0695" || code == "E0697" || (code == "E0670" && law == "poisson");
    CHECK((code.empty() || open));
  }
}

}  // namespace

TEST_CASE("random impacts without friction and one restitution: no energy, and the laws, whatever depends on what") {
  for (const std::string law : kLaws) {
    CAPTURE(law);
    const Figures f = figures({}, law, models());
    report(law, f);
    CHECK(f.solved == models());
    CHECK(f.lowered == 0);
    CHECK(f.energy < 1e-12);
    CHECK(f.worst.most() < 1e-12);
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
      CHECK(f.exact < 1e-12);  // Lowered restitutions leave up to 4e-10 if the separating contacts leave no margin.
      CHECK(f.held == f.solved);
      for (const auto& [code, n] : f.ends) CHECK((code.empty() || (code == "E0670" && law == "poisson")));
    }
}

TEST_CASE("random impacts with friction: by Moreau's law one restitution adds no energy, others are lowered") {
  for (const std::string law : kLaws)
    for (const bool one : {true, false})
      rubs_by_its_laws({.rubs = true, .one_restitution = one}, law, models() / 3 + 1);
}

// The problem is solved even if its solution is not unique, so that hardly any case remains.
TEST_CASE("random impacts with friction by a time step: 999 of 1000 by the laws to 1e-9, and the others are told") {
  int drawn = 0, held = 0;
  for (const std::string law : {"newton", "moreau"})
    for (const bool one : {true, false})
      for (const bool cones : {false, true}) {
        CAPTURE(law);
        const Kind kind{.rubs = true, .one_restitution = one, .cones = cones, .own = cones};
        const int count = models() / (cones ? 6 : 3) + 1;
        const Figures f = figures(kind, law, count, true);
        report(law + (cones ? " with cones by a time step" : " with friction by a time step"), f);
        CHECK(f.energy < 1e-11);
        CHECK(f.worst.pulls < 1e-12);
        for (const auto& [code, n] : f.ends) CHECK((code.empty() || code == "E0673"));
        drawn += count;
        held += f.held;
      }
  CHECK(1000 * held >= 999 * drawn);
}

TEST_CASE("random impacts with friction of one slip or two, with limits at rest and restitutions of their own") {
  for (const std::string law : kLaws)
    for (const bool one : {true, false})
      rubs_by_its_laws({.rubs = true, .one_restitution = one, .cones = true, .own = true}, law, models() / 6 + 1);
}
