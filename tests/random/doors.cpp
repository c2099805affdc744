// SPDX-License-Identifier: Apache-2.0
#include "tests/random/doors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::test {

namespace {

constexpr std::size_t kStates = 8;
constexpr double kSame = 1e-9;  // relative, of values: a friction at rest is found from forces that cancel

struct Recorded {
  double time;
  std::vector<double> values, state, discrete;
};

std::vector<double> copied(std::span<const double> values) { return {values.begin(), values.end()}; }

std::vector<Recorded> recorded(Simulation& s) {
  std::vector<Recorded> rows;
  const std::size_t n_inputs = s.model().inputs().size();
  s.run({}, [&](const Row& row) {
    rows.push_back({row.time, copied(row.values), copied(row.state), copied(row.inputs.subspan(n_inputs))});
    return true;
  });
  REQUIRE_FALSE(rows.empty());
  return rows;
}

bool same(const std::vector<double>& found, const std::vector<double>& wanted) {
  double size = 1;
  for (const double w : wanted) size = std::max(size, std::fabs(w));
  if (found.size() != wanted.size()) return false;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (!(std::fabs(found[k] - wanted[k]) <= kSame * size)) return false;
  return true;
}

}  // namespace

int check_doors(const std::string& text) {
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_string(text, "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Simulation run = Simulation::create(model).value(), asked = Simulation::create(model).value();
  const std::vector<Recorded> rows = recorded(run);
  int alike = 0;
  for (std::size_t k = 0; k < rows.size(); k += std::max<std::size_t>(rows.size() / kStates, 1)) {
    const Recorded& row = rows[k];
    CAPTURE(row.time);
    REQUIRE(asked.set_state(row.time, row.state));
    if (const Result<std::vector<double>> found = asked.columns()) alike += same(*found, row.values) ? 1 : 0;
    REQUIRE(asked.set_discrete_state(row.discrete));
    CHECK(same(asked.columns().value(), row.values));
    const RowSet set = asked.rows(row.time, row.state).value();
    std::vector<double> rate(row.state.size());
    REQUIRE(asked.rhs(row.time, row.state, rate));
    const auto first = rate.begin() + static_cast<std::ptrdiff_t>(model.coordinates().size());
    CHECK(same(set.acceleration, {first, first + static_cast<std::ptrdiff_t>(set.n)}));
    for (std::size_t out = 0; out < model.outputs().size(); ++out)
      CHECK(same({asked.output(out).value()}, asked.value(model.outputs()[out].name).value()));
    CHECK(asked.state() == row.state);
    CHECK(asked.discrete_state().value() == row.discrete);
  }
  return alike;
}

}  // namespace mbc::test
