// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/cone/natural_map.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kLimitDifference = 1e-6;  // of the multipliers: limits are differentiated by it
constexpr double kLimitForetold = 1e-6;    // of the limits: derivatives that miss them by more are evaluated anew

}  // namespace

NaturalMap::NaturalMap(const ConeProblem& problem) : problem_(problem) {
  const auto m = static_cast<Eigen::Index>(problem.rows.size());
  scale_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) scale_[k] = std::sqrt(problem.rows.square(static_cast<std::size_t>(k)));
  for (const auto& [row, count] : problem.frictions)
    scale_.segment(row, count).setConstant(scale_.segment(row, count).norm());
  // A row that is zero moves nothing.
  scale_ = (scale_.array() > 0).select(scale_, 1.0);
  for (std::size_t k = 0; k < problem.rows.size(); ++k) {
    for (std::uint32_t e = problem.rows.begin[k]; e < problem.rows.begin[k + 1]; ++e)
      rows_.add(problem.rows.column[e], problem.rows.value[e] / scale_[static_cast<Eigen::Index>(k)]);
    rows_.close();
  }
  wanted_ = Eigen::Map<const Vector>(problem.wanted.data(), m).cwiseQuotient(scale_);
  compliance_ = scale_.array().square().inverse();
  for (std::size_t k = 0; k < problem.lengths.size(); ++k)
    compliance_[static_cast<Eigen::Index>(k)] *= problem.lengths[k] * problem.lengths[k];
  if (const auto [sum, count] = sizes_of_acting(); count > 0) compliance_ *= std::exp(sum / count);  // around 1
  center_ = residual_ = at_ = Vector::Zero(m);
  limits_ = Vector::Zero(static_cast<Eigen::Index>(problem.frictions.size()));
  given_.resize(problem.frictions.size() + problem.given.size());
  speeds_ = Vector::Zero(problem.n);
  weigh_slips(1);
  group_columns();
}

// A column gets the first group without another one of a limit that it is in.
void NaturalMap::group_columns() {
  const auto m = static_cast<std::uint32_t>(scale_.size());
  group_of_.assign(m, 0);
  if (given_.empty()) return;
  if (problem_.limit_rows.empty()) {
    for (std::uint32_t j = 0; j < m; ++j) groups_.push_back({group_of_[j] = j});
    return;
  }
  std::vector<std::vector<std::uint32_t>> laws(m), taken(given_.size());
  for (std::uint32_t k = 0; k < given_.size(); ++k)
    for (const std::uint32_t row : problem_.limit_rows[k]) laws[row].push_back(k);
  for (std::uint32_t j = 0; j < m; ++j) {
    if (laws[j].empty()) continue;
    const auto is_taken = [&](std::uint32_t group) {
      return std::any_of(laws[j].begin(), laws[j].end(), [&](std::uint32_t k) { return contains(taken[k], group); });
    };
    while (is_taken(group_of_[j])) ++group_of_[j];
    for (const std::uint32_t k : laws[j]) taken[k].push_back(group_of_[j]);
    if (group_of_[j] == groups_.size()) groups_.emplace_back();
    groups_[group_of_[j]].push_back(j);
  }
}

// The logarithms of C of rows that are part of the problem, negative, and how many they are.
std::pair<double, int> NaturalMap::sizes_of_acting() const {
  std::pair<double, int> out;
  const auto add = [&](std::uint32_t row) {
    out.first -= std::log(compliance_[row]);
    ++out.second;
  };
  for (const std::vector<std::uint32_t>* rows : {&problem_.unilateral, &problem_.held, &problem_.given})
    std::for_each(rows->begin(), rows->end(), add);
  for (const auto& [row, count] : problem_.frictions)
    for (std::uint32_t i = 0; i < count; ++i) add(row + i);
  return out;
}

std::size_t NaturalMap::products() {
  if (products_.size() < rows_.size()) take_products();
  return products_.column.size();
}

// G, when it is asked for, row by row, by way of the rows that have a speed in common.
void NaturalMap::take_products() {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> of_speed(problem_.n);
  for (std::uint32_t k = 0; k < rows_.size(); ++k)
    for (std::uint32_t e = rows_.begin[k]; e < rows_.begin[k + 1]; ++e)
      of_speed[rows_.column[e]].emplace_back(k, rows_.value[e]);
  std::vector<double> sum(rows_.size());
  std::vector<char> there(rows_.size());
  std::vector<std::uint32_t> columns;
  for (std::uint32_t k = 0; k < rows_.size(); ++k) {
    columns.clear();
    for (std::uint32_t e = rows_.begin[k]; e < rows_.begin[k + 1]; ++e)
      for (const auto& [other, value] : of_speed[rows_.column[e]]) {
        if (there[other] == 0) columns.push_back(other);
        there[other] = 1;
        sum[other] += value * rows_.value[e];
      }
    for (const std::uint32_t c : columns) {
      products_.add(c, sum[c]);
      sum[c] = there[c] = 0;
    }
    products_.close();
  }
}

void NaturalMap::give_way(double compliance) {
  share_ = compliance;
  center_.setZero();
}

void NaturalMap::pull_to(const Vector& center, double compliance) {
  share_ = compliance;
  center_ = center;
}

void NaturalMap::weigh_slips(double factor) {
  weight_ = Vector::Ones(scale_.size());
  for (const auto& [row, count] : problem_.frictions) weight_.segment(row, count).setConstant(factor);
}

void NaturalMap::weigh_by_compliance() { weight_ = (share_ * compliance_).cwiseInverse(); }

double NaturalMap::potential() const {
  double twice = speeds_.squaredNorm();
  for (const std::uint32_t row : problem_.unilateral)
    twice += share_ * compliance_[row] * std::pow(std::max(at_[row], 0.0), 2);
  for (const std::uint32_t row : problem_.held) twice += share_ * compliance_[row] * std::pow(at_[row], 2);
  return 0.5 * twice;
}

Vector NaturalMap::jump(const Vector& q) const {
  Vector w = Vector::Zero(problem_.n);
  for (Eigen::Index k = 0; k < q.size(); ++k)
    if (q[k] != 0) rows_.add_to(static_cast<std::size_t>(k), q[k], w.data());
  return w;
}

// Returns the row whose scale the limit of a friction, or a given force, has.
std::uint32_t NaturalMap::row_of_law(std::size_t law) const {
  const std::size_t frictions = problem_.frictions.size();
  return law < frictions ? problem_.frictions[law].row : problem_.given[law - frictions];
}

// In the scale of q.
void NaturalMap::take_limits(const Vector& q) {
  if (given_.empty()) return;
  problem_.limits(q.cwiseQuotient(scale_), given_);
  for (std::size_t k = 0; k < given_.size(); ++k) given_[k] *= scale_[row_of_law(k)];
  for (Eigen::Index k = 0; k < limits_.size(); ++k) limits_[k] = std::max(given_[static_cast<std::size_t>(k)], 0.0);
}

double NaturalMap::evaluate(const Vector& q) {
  speeds_.setZero();
  for (std::size_t k = 0; k < rows_.size(); ++k)
    if (const double x = q[static_cast<Eigen::Index>(k)]; x != 0) rows_.add_to(k, x, speeds_.data());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double y = rows_.times(k, speeds_.data()) + share_ * compliance_[i] * (q[i] - center_[i]) - wanted_[i];
    at_[i] = q[i] - weight_[i] * y;
  }
  take_limits(q);
  residual_ = q;
  for (const std::uint32_t row : problem_.unilateral) residual_[row] = q[row] - std::max(at_[row], 0.0);
  for (std::size_t k = 0; k < problem_.frictions.size(); ++k) {
    const auto [row, count] = problem_.frictions[k];
    const double most = limits_[static_cast<Eigen::Index>(k)], force = at_.segment(row, count).norm();
    residual_.segment(row, count) -= (force > most ? most / force : 1) * at_.segment(row, count);
  }
  for (const std::uint32_t row : problem_.held) residual_[row] -= at_[row];
  for (std::size_t k = 0; k < problem_.given.size(); ++k)
    residual_[problem_.given[k]] -= given_[problem_.frictions.size() + k];
  error_ = residual_.size() > 0 ? residual_.cwiseAbs().maxCoeff() : 0;
  if (!residual_.allFinite()) error_ = std::numeric_limits<double>::infinity();
  return error_;
}

// Derivatives of the limits by differences; they are kept as long as they foretell the limits.
void NaturalMap::take_slopes(const Vector& q) {
  if (given_.empty()) return;
  if (slopes_known_) {
    const Vector moved = q - slopes_at_;
    double off = 0, most = 0;
    for (std::size_t k = 0; k < given_.size(); ++k) {
      off = std::max(off, std::fabs(given_there_[k] + slopes_.times(k, moved.data()) - given_[k]));
      most = std::max(most, std::fabs(given_[k]));
    }
    if (off <= kLimitForetold * most) return;
  }
  const double size = std::max(q.cwiseAbs().maxCoeff(), wanted_.cwiseAbs().maxCoeff());
  const double step = kLimitDifference * (size > 0 ? size : 1);
  std::vector<std::vector<std::pair<std::uint32_t, double>>> found(given_.size());
  std::vector<double> there(given_.size());
  Vector moved = q.cwiseQuotient(scale_);
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    for (const std::uint32_t j : groups_[group]) moved[j] += step / scale_[j];
    problem_.limits(moved, there);
    for (const std::uint32_t j : groups_[group]) moved[j] = q[j] / scale_[j];
    const auto is_of_group = [&](std::uint32_t j) { return group_of_[j] == group; };
    for (std::size_t k = 0; k < there.size(); ++k) {
      const std::vector<std::uint32_t>& columns = problem_.limit_rows.empty() ? groups_[group] : problem_.limit_rows[k];
      const auto j = std::find_if(columns.begin(), columns.end(), is_of_group);
      if (const double slope = (there[k] * scale_[row_of_law(k)] - given_[k]) / step;
          j != columns.end() && slope != 0 && std::isfinite(slope))
        found[k].emplace_back(*j, slope);
    }
  }
  slopes_.clear();
  for (auto& row : found) {
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) slopes_.add(column, value);
    slopes_.close();
  }
  slopes_at_ = q;
  given_there_ = given_;
  slopes_known_ = true;
}

bool NaturalMap::slides(std::size_t friction) const {
  const auto [row, count] = problem_.frictions[friction];
  return at_.segment(row, count).norm() > limits_[static_cast<Eigen::Index>(friction)];
}

std::vector<std::uint32_t> NaturalMap::touching(const Vector& q, double apart) const {
  std::vector<std::uint32_t> rows = problem_.held;
  for (const std::uint32_t row : problem_.given)
    if (q[row] != 0) rows.push_back(row);
  for (const std::uint32_t row : problem_.unilateral)
    if (q[row] > 0 || at_[row] >= -apart) rows.push_back(row);
  for (std::size_t k = 0; k < problem_.frictions.size(); ++k)
    for (std::uint32_t i = 0; i < problem_.frictions[k].count; ++i) {
      const std::uint32_t row = problem_.frictions[k].row + i;
      if (q[row] != 0 || (limits_[static_cast<Eigen::Index>(k)] > 0 && !slides(k))) rows.push_back(row);
    }
  return rows;
}

bool NaturalMap::holding(std::vector<std::uint32_t>& rows) const {
  rows = problem_.held;
  for (const std::uint32_t row : problem_.unilateral)
    if (at_[row] > 0) rows.push_back(row);
  for (std::size_t k = 0; k < problem_.frictions.size(); ++k) {
    if (slides(k) && limits_[static_cast<Eigen::Index>(k)] > 0) return false;
    for (std::uint32_t i = 0; !slides(k) && i < problem_.frictions[k].count; ++i)
      rows.push_back(problem_.frictions[k].row + i);
  }
  return problem_.given.empty();
}

// Rows of the derivative that are not those of a unit matrix.
void NaturalMap::find_unknowns(Derivative& out) {
  place_.assign(rows_.size(), -1);
  out.unknowns.clear();
  const auto take = [&](std::uint32_t row) {
    place_[row] = static_cast<int>(out.unknowns.size());
    out.unknowns.push_back(row);
  };
  for (const std::uint32_t row : problem_.unilateral)
    if (at_[row] > 0) take(row);
  for (const std::uint32_t row : problem_.held) take(row);
  for (const std::uint32_t row : problem_.given) take(row);
  out.symmetric = problem_.given.empty();
  std::vector<char> presses(place_.size());
  for (std::size_t k = 0; k < place_.size(); ++k) presses[k] = place_[k] >= 0 ? 1 : 0;
  for (std::size_t k = 0; k < problem_.frictions.size(); ++k) {
    const bool slips = slides(k);
    bool any = !slips || limits_[static_cast<Eigen::Index>(k)] > 0;
    for (std::uint32_t e = slopes_.begin[k]; !any && e < slopes_.begin[k + 1]; ++e)
      any = presses[slopes_.column[e]] != 0;
    if (!any) continue;
    out.symmetric = out.symmetric && !slips;
    for (std::uint32_t i = 0; i < problem_.frictions[k].count; ++i) take(problem_.frictions[k].row + i);
  }
}

// factor times the row of y, differentiated.
template <class Add>
void NaturalMap::add_response(std::uint32_t row, double factor, const Add& add) const {
  for (std::uint32_t e = products_.begin[row]; e < products_.begin[row + 1]; ++e)
    add(products_.column[e], factor * products_.value[e]);
  add(row, factor * share_ * compliance_[row]);
}

template <class Add>
void NaturalMap::add_sliding(std::size_t friction, std::uint32_t component, const Add& add) const {
  const auto [row, count] = problem_.frictions[friction];
  const Vector force = at_.segment(row, count);
  const double size = force.norm(), most = limits_[static_cast<Eigen::Index>(friction)];
  const double along = force[component] / size;
  add(row + component, 1.0);
  for (std::uint32_t j = 0; j < count && count > 1 && most > 0; ++j) {
    const double turned = most / size * ((j == component ? 1 : 0) - along * force[j] / size);
    add(row + j, -turned);
    add_response(row + j, turned * weight_[row], add);
  }
  if (given_[friction] < 0) return;
  for (std::uint32_t e = slopes_.begin[friction]; e < slopes_.begin[friction + 1]; ++e)
    add(slopes_.column[e], -along * slopes_.value[e]);
}

void NaturalMap::differentiate(const Vector& q, Derivative& out) {
  if (products_.size() < rows_.size()) take_products();
  take_slopes(q);
  find_unknowns(out);
  out.entries.clear();
  out.right.resize(static_cast<Eigen::Index>(out.unknowns.size()));
  std::uint32_t at = 0;
  double known = 0;
  const auto add = [&](std::uint32_t column, double value) {
    if (const int place = place_[column]; place >= 0)
      out.entries.push_back({at, static_cast<std::uint32_t>(place), value});
    else
      known += value * residual_[column];
  };
  const auto close = [&](std::uint32_t row, double weight) {
    out.right[at++] = known - residual_[row] / weight;
    known = 0;
  };
  // In the order of find_unknowns().
  const auto add_held = [&](std::uint32_t row) {
    if (place_[row] < 0) return;
    add_response(row, 1, add);
    close(row, weight_[row]);
  };
  std::for_each(problem_.unilateral.begin(), problem_.unilateral.end(), add_held);
  std::for_each(problem_.held.begin(), problem_.held.end(), add_held);
  for (std::size_t k = problem_.frictions.size(); k < given_.size(); ++k) {
    const std::uint32_t row = row_of_law(k);
    add(row, 1.0);
    for (std::uint32_t e = slopes_.begin[k]; e < slopes_.begin[k + 1]; ++e) add(slopes_.column[e], -slopes_.value[e]);
    close(row, 1);
  }
  for (std::size_t k = 0; k < problem_.frictions.size(); ++k) {
    const auto [row, count] = problem_.frictions[k];
    if (place_[row] < 0) continue;
    const bool slips = slides(k);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (slips)
        add_sliding(k, i, add);
      else
        add_response(row + i, 1, add);
      close(row + i, slips ? 1 : weight_[row]);
    }
  }
}

}  // namespace mbc::runtime
