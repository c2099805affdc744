// SPDX-License-Identifier: Apache-2.0
// Describes by how much contradicting rows differ. The rows of a minimal conflicting set have one combination c that is
// zero, c^T A = 0, while c^T r is not. r are the required values: residuals of positions, of velocities, or the
// accelerations b - A a. A change of row k by c^T r / c_k makes all rows agree.
#include "runtime/constraints/conflict_text.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/user_place.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

struct Misfit {
  problem::Level level{};
  std::size_t row = 0;  // place in the list of rows: the row that would have to change
  double size = 0, relative = 0;
};

class Sizes {
 public:
  Sizes(Equations& equations, const problem::Problem& info, const std::vector<int>& rows, double t, const double* y)
      : equations_(equations), info_(info), rows_(rows), t_(t), y_(y) {}

  std::optional<Misfit> find() {
    if (equations_.beyond_dense()) return {};
    Assembled s;
    equations_.assemble(t_, y_, s, false);
    const Eigen::MatrixXd A = s.A(rows_, Eigen::all);
    if (!A.allFinite() || !s.b.allFinite()) return {};
    combine(A);
    const kernel::SystemLayout& l = equations_.layout();
    equations_.residuals(t_, y_);
    if (all_at(problem::Level::position))
      if (auto m = misfit(problem::Level::position, pick(equations_.position_residual()), largest(0, l.n_coordinates)))
        return m;
    if (none_at(problem::Level::acceleration))
      if (auto m = misfit(problem::Level::velocity, pick(equations_.velocity_residual()),
                          largest(l.speeds_at(), l.n_speeds)))
        return m;
    if (!s.scaling.valid()) return {};
    const Eigen::VectorXd a = s.free_acceleration();
    const Eigen::VectorXd terms = s.b.cwiseAbs() + s.A.cwiseAbs() * a.cwiseAbs();
    const Eigen::VectorXd r = s.b - s.A * a;
    std::optional<Misfit> found = misfit(problem::Level::acceleration, r(rows_), 0);
    if (found) {
      const double size = terms(rows_[found->row]);
      found->relative = size > 0 ? found->size / size : 1;
    }
    return found;
  }

 private:
  // Computes the combination of the rows, each scaled to norm 1, that is closest to zero.
  void combine(const Eigen::MatrixXd& A) {
    norms_ = A.rowwise().norm();
    for (Eigen::Index k = 0; k < norms_.size(); ++k)
      if (!(norms_[k] > 0)) norms_[k] = 1;
    const Eigen::MatrixXd scaled = norms_.cwiseInverse().asDiagonal() * A;
    combination_ = symmetric_eigensystem(scaled * scaled.transpose()).vectors.col(0);
  }

  // Returns nothing for a level at which the rows agree. `extent` is the size of the quantities of the level.
  [[nodiscard]] std::optional<Misfit> misfit(problem::Level level, const Eigen::VectorXd& asked, double extent) const {
    const double apart = std::fabs(combination_.dot(asked.cwiseQuotient(norms_)));
    if (!(apart > kResidualRounding * extent)) return {};
    Eigen::Index row = 0;
    combination_.cwiseAbs().maxCoeff(&row);
    const double scaled = apart / std::fabs(combination_[row]);
    return Misfit{level, static_cast<std::size_t>(row), scaled * norms_[row], extent > 0 ? scaled / extent : 1};
  }

  [[nodiscard]] bool all_at(problem::Level level) const {
    return std::all_of(rows_.begin(), rows_.end(), [&](int k) { return of(k).level == level; });
  }
  [[nodiscard]] bool none_at(problem::Level level) const {
    return std::none_of(rows_.begin(), rows_.end(), [&](int k) { return of(k).level == level; });
  }
  [[nodiscard]] const problem::Row& of(int k) const { return info_.rows[static_cast<std::size_t>(k)]; }
  [[nodiscard]] double largest(std::uint32_t at, std::uint32_t count) const {
    double size = 0;
    for (std::uint32_t i = at; i < at + count; ++i) size = std::max(size, std::fabs(y_[i]));
    return size;
  }
  [[nodiscard]] Eigen::VectorXd pick(const double* values) const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t k = 0; k < rows_.size(); ++k) out[static_cast<Eigen::Index>(k)] = values[rows_[k]];
    return out;
  }

  Equations& equations_;
  const problem::Problem& info_;
  const std::vector<int>& rows_;
  double t_;
  const double* y_;
  Eigen::VectorXd norms_, combination_;
};

std::string share(double relative, const char* of) {
  return relative < 1e-3 ? text::short_number(relative, 2) + " of " + of
                         : text::short_number(100 * relative, 2) + " % of " + of;
}

// Returns how often a row of its level is differentiated to obtain a value at the other level.
int per_time(problem::Level row, problem::Level at) { return static_cast<int>(at) - static_cast<int>(row); }

std::string apart(const Misfit& m, const problem::Row& row) {
  const std::string size = in_unit(m.size, row.unit, per_time(row.level, m.level));
  if (m.level == problem::Level::position)
    return quoted_name(row.name) + " is off by " + size + " where the others hold, " +
           share(m.relative, "the largest coordinate");
  if (m.level == problem::Level::velocity)
    return (row.level == problem::Level::position ? "the rate of " : "") + quoted_name(row.name) + " is off by " +
           size + " where the others hold, " + share(m.relative, "the largest speed");
  return "with the others, " + quoted_name(row.name) +
         " asks for another acceleration: its second derivative is off by " + size + ", " +
         share(m.relative, "its terms");
}

const char* asked_at(problem::Level level) {
  return level == problem::Level::velocity       ? "its rate is off by "
         : level == problem::Level::acceleration ? "it asks for a second derivative of "
                                                 : "it is off by ";
}

Diagnostic vanishing(const std::optional<Misfit>& m, const problem::Row& row) {
  std::string off;
  if (m) off = std::string(", and ") + asked_at(m->level) + in_unit(m->size, row.unit, per_time(row.level, m->level));
  return diagnostic_of(Kind::vanishing_gradient, {}, {quoted_name(row.name), off});
}

}  // namespace

std::string in_unit(double value, const std::string& unit, int per_time) {
  std::string text = text::short_number(value, 3);
  if (unit.empty()) return text;
  constexpr const char* kPer[] = {"", "/s", "/s^2"};
  if (unit == "1") return per_time == 0 ? text : text + " [1" + kPer[per_time] + "]";
  return text + " [" + unit + kPer[per_time] + "]";
}

Diagnostic conflict_diagnostic(Equations& equations, const problem::Problem& info, const std::vector<int>& rows,
                               double t, const double* y, std::optional<double> agreed) {
  const std::optional<Misfit> misfit = Sizes(equations, info, rows, t, y).find();
  const auto row = [&](std::size_t k) -> const problem::Row& { return info.rows[static_cast<std::size_t>(rows[k])]; };
  Diagnostic d;
  if (rows.size() == 1) {
    d = vanishing(misfit, row(0));
    d.help = agreed ? "write it so that its gradient does not vanish on the way, or end the run before"
                    : "start at a position where a small motion changes it";
  } else {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < rows.size(); ++k) names.push_back(quoted_name(row(k).name));
    d = diagnostic_of(Kind::conflicting_rows, t, {some_of(names, names.size())}, "leave out or change one of them");
    if (misfit) d.notes.push_back(apart(*misfit, row(misfit->row)));
  }
  d.time = t;
  for (int k : rows) point_at_row(d, info, static_cast<std::size_t>(k), "contradicts it");
  if (agreed && *agreed < t && rows.size() > 1)
    d.notes.push_back("they still agreed at t = " + text::short_number(*agreed, 12));
  return d;
}

}  // namespace mbc::runtime
