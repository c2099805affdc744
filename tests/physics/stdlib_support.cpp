#include "tests/physics/stdlib_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace mbc::test {

namespace {

// The constraints behind the rows, in order: `j.pos.x`, `j.pos.y`, `j.pos.z`, `j.ax1` are `j.pos`, `j.ax1`.
std::vector<std::string> constraints_of(const RowSet& rows) {
  std::vector<std::string> names;
  for (const std::string& row : rows.row_names) {
    const bool component = row.size() > 2 && row[row.size() - 2] == '.' && row.back() >= 'x' && row.back() <= 'z';
    const std::string name = component ? row.substr(0, row.size() - 2) : row;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

std::vector<double> residuals(Program& program, const std::vector<std::string>& constraints, double t,
                              const std::vector<double>& y) {
  std::vector<double> all;
  for (const std::string& c : constraints) {
    std::string error;
    const auto part = program.value(c + ".residual", t, y, error);
    REQUIRE_MESSAGE(part.has_value(), error);
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

}  // namespace

double matrix_error(Program& program, double t, const std::vector<double>& y) {
  const RowSet rows = program.rows(t, y);
  const std::vector<std::string> constraints = constraints_of(rows);
  const std::size_t coordinates = program.coordinates().size();
  std::vector<double> rest = y, rate(y.size());
  std::fill(rest.begin() + static_cast<std::ptrdiff_t>(coordinates), rest.end(), 0.0);
  const std::vector<double> at_rest = residuals(program, constraints, t, rest), here = residuals(program, constraints, t, y);
  REQUIRE(here.size() == rows.m);
  double worst = 0;
  for (std::size_t k = 0; k < rows.n; ++k) {
    std::vector<double> one = rest;
    one[coordinates + k] = 1;
    program.rhs(t, one, rate);
    std::vector<double> along(rows.m, 0.0);
    constexpr double h = 4e-3;
    constexpr double weights[] = {0.75, -0.15, 1.0 / 60};  // central, 6th order
    for (int step = 1; step <= 3; ++step)
      for (const int sign : {1, -1}) {
        std::vector<double> moved = rest;
        for (std::size_t i = 0; i < coordinates; ++i) moved[i] += sign * step * h * rate[i];
        const std::vector<double> r = residuals(program, constraints, t, moved);
        for (std::size_t i = 0; i < rows.m; ++i) along[i] += sign * weights[step - 1] / h * r[i];
      }
    std::vector<double> faster = y;
    faster[coordinates + k] += 1;
    const std::vector<double> r = residuals(program, constraints, t, faster);
    for (std::size_t i = 0; i < rows.m; ++i) {
      const bool velocity_level = here[i] != at_rest[i];
      const double wanted = velocity_level ? r[i] - here[i] : along[i];
      worst = std::max(worst, std::fabs(rows.A[i * rows.n + k] - wanted));
    }
  }
  return worst;
}

std::vector<double> shaken(const Program& program, std::vector<double> y, double size, unsigned seed) {
  std::mt19937 engine(seed);
  const std::size_t count = program.coordinates().size() + program.speeds().size();
  for (std::size_t i = 0; i < count; ++i)
    y[i] += size * (2.0 * static_cast<double>(engine()) / 4294967295.0 - 1.0);
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
