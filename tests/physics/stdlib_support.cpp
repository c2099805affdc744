// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/stdlib_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace mbc::test {

namespace {

// Returns all residuals as one expression: for the rows `j.pos.x` and `j.ax1` the vector (j.pos.residual.x,
// j.ax1.residual).
std::string residuals_of(const RowSet& rows) {
  std::string list;
  for (const std::string& row : rows.row_names) {
    const bool component = row.size() > 2 && row[row.size() - 2] == '.' && row.back() >= 'x' && row.back() <= 'z';
    list += list.empty() ? "(" : ", ";
    list += component ? row.substr(0, row.size() - 2) + ".residual" + row.substr(row.size() - 2) : row + ".residual";
  }
  return list + ")";
}

std::vector<double> evaluate(Simulation& program, const std::string& expression, double t,
                             const std::vector<double>& y) {
  const auto value = program.value(expression, t, y);
  REQUIRE_MESSAGE(value.ok(), value.error().message);
  return *value;
}

}  // namespace

double matrix_error(Simulation& program, double t, const std::vector<double>& y) {
  const RowSet rows = program.rows(t, y).value();
  const std::string residuals = residuals_of(rows);
  const std::size_t coordinates = program.model().coordinates().size();
  std::vector<double> rest = y, rate(y.size());
  std::fill(rest.begin() + static_cast<std::ptrdiff_t>(coordinates), rest.end(), 0.0);
  const std::vector<double> here = evaluate(program, residuals, t, y);
  const std::vector<double> at_rest = evaluate(program, residuals, t, rest);
  std::vector<double> kicked = rest;
  for (std::size_t k = 0; k < rows.n; ++k) kicked[coordinates + k] = 1 / (1.0 + static_cast<double>(k));
  const std::vector<double> at_speed = evaluate(program, residuals, t, kicked);
  REQUIRE(here.size() == rows.m);
  double worst = 0;
  for (std::size_t k = 0; k < rows.n; ++k) {
    std::vector<double> one = rest;
    one[coordinates + k] = 1;
    program.rhs(t, one, rate).value();
    std::vector<double> along(rows.m, 0.0);
    constexpr double h = 4e-3;
    constexpr double weights[] = {0.75, -0.15, 1.0 / 60};  // central differences of 6th order
    for (int step = 1; step <= 3; ++step)
      for (const int sign : {1, -1}) {
        std::vector<double> moved = rest;
        for (std::size_t i = 0; i < coordinates; ++i) moved[i] += sign * step * h * rate[i];
        const std::vector<double> r = evaluate(program, residuals, t, moved);
        for (std::size_t i = 0; i < rows.m; ++i) along[i] += sign * weights[step - 1] / h * r[i];
      }
    std::vector<double> faster = y;
    faster[coordinates + k] += 1;
    const std::vector<double> r = evaluate(program, residuals, t, faster);
    for (std::size_t i = 0; i < rows.m; ++i) {
      const bool velocity_level = at_speed[i] != at_rest[i];
      const double wanted = velocity_level ? r[i] - here[i] : along[i];
      worst = std::max(worst, std::fabs(rows.A[i * rows.n + k] - wanted));
    }
  }
  return worst;
}

std::vector<double> shaken(const Model& model, std::vector<double> y, double size, unsigned seed) {
  std::mt19937 engine(seed);
  const std::size_t count = model.coordinates().size() + model.speeds().size();
  for (std::size_t i = 0; i < count; ++i) y[i] += size * (2.0 * static_cast<double>(engine()) / 4294967295.0 - 1.0);
  return y;
}

double spread(const Run& run, const std::string& column) {
  const std::size_t c = run.column(column);
  double low = run.values[c], high = low;
  for (std::size_t row = 0; row < run.rows(); ++row) {
    low = std::min(low, run.values[row * run.names.size() + c]);
    high = std::max(high, run.values[row * run.names.size() + c]);
  }
  return high - low;
}

double largest(const Run& run, const std::string& column) {
  const std::size_t c = run.column(column);
  double most = 0;
  for (std::size_t row = 0; row < run.rows(); ++row)
    most = std::max(most, std::fabs(run.values[row * run.names.size() + c]));
  return most;
}

std::vector<std::string> columns_with(const Run& run, const std::string& prefix) {
  std::vector<std::string> found;
  for (const std::string& name : run.names)
    if (name.starts_with(prefix)) found.push_back(name);
  return found;
}

}  // namespace mbc::test
