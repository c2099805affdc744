// SPDX-License-Identifier: Apache-2.0
// Simulation::equilibrium: the search from the initial state of the block and from drawn ones.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "api/analysis/linear_model.h"
#include "api/model/guard.h"
#include "api/model/info.h"
#include "base/numbers.h"
#include "base/text.h"
#include "runtime/contact/joint_rest.h"
#include "runtime/linear/equilibrium_search.h"
#include "runtime/tolerances.h"

namespace mbc::api {

namespace {

using Outcome = runtime::EquilibriumFound::Outcome;

class Equilibria {
 public:
  Equilibria(Simulation::Impl& simulation, const EquilibriumOptions& options)
      : simulation_(simulation), options_(options), question_(simulation) {}

  Result<EquilibriumReport> run() {
    if (Result<void> begun = question_.begin(); !begun) return begun.error();
    const double t = simulation_.time;
    const std::vector<double> first = simulation_.state();
    out_.coordinates = quantities(question_.info().coordinates);
    out_.states = quantities(question_.info().states);
    for (const problem::Row& row : question_.info().rows) out_.rows.push_back(row.name.text());
    from(t, first);
    if (!question_.known()) return *first_failure_;
    for (std::size_t k = 0; k < options_.starts; ++k) {
      runtime::EquilibriumSearch search(question_.derivatives(), question_.equations(), question_.info());
      if (const auto drawn = search.drawn(t, first, options_.seed * 1000003u + k)) from(t, *drawn);
    }
    if (out_.found.empty()) return *first_failure_;
    return std::move(out_);
  }

 private:
  // Tries one start. The first failure is kept until all were tried.
  void from(double t, std::vector<double> y) {
    ++out_.starts;
    const kernel::SystemLayout& l = simulation_.variant().layout();
    std::fill(y.begin() + l.speeds_at(), y.begin() + l.states_at(), 0.0);
    Result<runtime::Equations*> here = question_.equations_at(t, y);
    if (!here) return note(here.error());
    std::optional<runtime::EquilibriumSearch> search;
    search.emplace(question_.derivatives(), **here, question_.info());
    runtime::EquilibriumFound found = search->from(t, std::move(y));
    if (found.outcome != Outcome::found) return note(failure(found, t));
    // The rows that act may be others where the search ended.
    const runtime::Equations* acting = *here;
    here = question_.equations_at(t, found.y);
    if (!here) return note(here.error());
    if (*here != acting) search.emplace(question_.derivatives(), **here, question_.info());
    found = search->from(t, found.y);
    if (found.outcome != Outcome::found) return note(failure(found, t));
    Result<LinearModel> model = linear_model(question_, simulation_, t, found.y, true);
    if (!model) return note(model.error());
    if (Equilibrium* before = known(*model)) {
      ++before->found_from;
      return;
    }
    Equilibrium made;
    made.model = *std::move(model);
    made.remaining = found.remaining;
    made.singular_stiffness = found.singular;
    made.found_from = 1;
    made.coordinates.assign(found.y.begin(), found.y.begin() + l.n_coordinates);
    made.states.assign(found.y.begin() + l.states_at(), found.y.begin() + l.work_at());
    std::vector<double> dy(found.y.size());
    runtime::Equations& e = question_.equations();
    e.rhs(t, found.y.data(), dy.data());
    runtime::shared_multipliers(e, question_.info(), t, found.y.data());
    made.multipliers.assign(e.lambda(), e.lambda() + l.n_rows);
    out_.found.push_back(std::move(made));
  }

  void note(Error error) {
    if (!first_failure_) first_failure_ = std::move(error);
  }

  [[nodiscard]] Error failure(const runtime::EquilibriumFound& found, double t) {
    const problem::Problem& info = question_.info();
    if (found.outcome == Outcome::moving)
      return question_.refused(Kind::rests_nowhere, info.rows[found.row].span,
                               {quoted(info.rows[found.row].name.text())}, t);
    if (found.outcome == Outcome::undefined) return question_.undefined(t, found.y);
    const auto n = static_cast<std::uint32_t>(info.speeds.size());
    const std::string name = question_.displacement(n + found.fastest).name;
    const Span place = found.fastest < n ? info.speed_spans[found.fastest] : info.state_spans[found.fastest - n];
    return question_.refused(Kind::no_equilibrium, place, {quoted(name), text::short_number(found.fastest_rate, 3)}, t);
  }

  // Returns the equilibrium with the same coordinates and states. Angles, and in models without units all coordinates,
  // may differ by whole turns if the linear model is the same.
  [[nodiscard]] Equilibrium* known(const LinearModel& model) {
    const auto found = std::find_if(out_.found.begin(), out_.found.end(), [&](const Equilibrium& other) {
      bool turned = false;
      return same_place(model.state, other.model.state, turned) && (!turned || same_matrix(model.A, other.model.A));
    });
    return found == out_.found.end() ? nullptr : &*found;
  }

  [[nodiscard]] bool same_place(std::vector<double> y, const std::vector<double>& other, bool& turned) const {
    const problem::Problem& info = question_.info();
    for (const std::uint32_t first : info.quaternions) {  // p and -p are one rotation
      const auto p = y.begin() + first;
      if (std::inner_product(p, p + 4, other.begin() + first, 0.0) < 0) std::transform(p, p + 4, p, std::negate<>());
    }
    const kernel::SystemLayout& l = simulation_.variant().layout();
    using Size = problem::Problem::Size;
    const auto may_turn = [&](std::uint32_t k) { return info.sizes[k] == Size::one || info.sizes[k] == Size::own; };
    double largest = 1;
    for (std::uint32_t k = 0; k < l.n_coordinates; ++k)
      if (!may_turn(k)) largest = std::max(largest, std::fabs(y[k]));
    for (std::uint32_t k = 0; k < l.work_at(); ++k) {
      if (k >= l.speeds_at() && k < l.states_at()) continue;
      double apart = y[k] - other[k];
      if (k < l.n_coordinates && may_turn(k)) apart = std::remainder(apart, 2 * std::numbers::pi);
      turned = turned || std::fabs(apart - (y[k] - other[k])) > 1;
      if (!(std::fabs(apart) <= runtime::kDirectionPart * largest)) return false;
    }
    return true;
  }

  [[nodiscard]] static bool same_matrix(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0, apart = 0;
    for (std::size_t k = 0; k < a.size() && a.size() == b.size(); ++k) {
      largest = std::max(largest, std::fabs(a[k]));
      apart = std::max(apart, std::fabs(a[k] - b[k]));
    }
    return a.size() == b.size() && apart <= runtime::kDirectionPart * largest;
  }

  Simulation::Impl& simulation_;
  const EquilibriumOptions& options_;
  StateQuestion question_;
  EquilibriumReport out_;
  std::optional<Error> first_failure_;
};

}  // namespace

Result<EquilibriumReport> equilibrium(Simulation::Impl& simulation, const EquilibriumOptions& options) {
  return Equilibria(simulation, options).run();
}

}  // namespace mbc::api

namespace mbc {

Result<EquilibriumReport> Simulation::equilibrium(const EquilibriumOptions& options) {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  return api::guarded([&]() -> Result<EquilibriumReport> {
    const std::unique_ptr<Impl> aside = impl_->copy();
    if (Result<void> begun = api::begin_block(*aside); !begun) return begun.error();
    return api::equilibrium(*aside, options);
  });
}

}  // namespace mbc
