// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/backward_rule.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/disjoint_sets.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace

BackwardRule::BackwardRule(const PartialsCode& code, Equations& equations, const std::vector<std::uint32_t>& rows)
    : equations_(equations),
      layout_(equations.layout()),
      rows_(rows),
      slopes_(code, equations),
      masses_(layout_),
      row_values_(layout_.column.size()),
      lightness_(layout_.n_speeds) {}

bool BackwardRule::begin(double t, double h, const double* y) {
  h_ = h;
  half_ = kHalfBackward;
  stiffest_ = 0;
  held_.clear();
  seen_.clear();
  marked_.clear();
  parts_.clear();
  if (layout_.inertia_rows.empty()) {
    equations_.assemble(t, y);
    mass_values_.assign(equations_.mass_values(), equations_.mass_values() + layout_.mass.size());
  } else {
    if (equations_.assemble(t, y, full_, false) != 0) return false;
    const Matrix& M = full_.solved_mass();
    mass_values_.clear();
    for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
      for (std::uint32_t j = 0; j <= i; ++j) mass_values_.push_back(M(i, j));
  }
  std::copy_n(equations_.row_values(), row_values_.size(), row_values_.begin());
  if (layout_.inertia_rows.empty() ? !masses_.factor(mass_values_.data()) : !masses_.factor(full_.solved_mass()))
    return false;
  RowList unit;
  for (std::uint32_t i = 0; i < layout_.n_speeds; ++i) {
    unit.clear();
    constexpr double one = 1;
    masses_.add_scaled({&i, 1}, &one, unit);
    lightness_[i] = std::sqrt(unit.square(0));
  }
  return true;
}

bool BackwardRule::look(double t, const double* y) {
  seen_.push_back({slopes_.evaluate(t, y)});
  if (!mark() && parts_.empty()) return false;
  choose();
  return true;
}

void BackwardRule::hold(std::vector<Row> rows) {
  held_ = std::move(rows);
  if (!parts_.empty()) choose();
}

void BackwardRule::take_whole() {
  half_ = kStiffLoad;
  choose();
}

void BackwardRule::choose() {
  gather_parts();
  for (Part& part : parts_) {
    add_mass(part);
    leave_free(part);
    choose_shares(part);
  }
  take_metric();
}

// Marks the entries that are stiff at the last state. Returns whether there are any.
bool BackwardRule::mark() {
  const std::vector<LoadSlopes::Entry>& entries = seen_.back().entries;
  marked_.resize(entries.size());
  bool any = false;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const LoadSlopes::Entry& e = entries[k];
    const double light = lightness_[e.i] * lightness_[e.j], spring = h_ * h_ * std::fabs(e.stiffness) * light,
                 damper = h_ * std::fabs(e.damping) * light;
    if (!(spring + damper * damper > kStiffLoad)) continue;
    any = true;
    marked_[k] = 1;
    stiffest_ = std::max({stiffest_, spring, damper});
  }
  return any;
}

// Joins the speeds of stiff entries and those that loads join to them, those that M couples, and those in one row.
void BackwardRule::gather_parts() {
  DisjointSets sets(layout_.n_speeds);
  const bool all = !layout_.inertia_rows.empty();
  for (std::uint32_t i = 1; all && i < layout_.n_speeds; ++i) sets.join(0, i);
  for (const auto& [i, j] : layout_.mass) sets.join(i, j);
  for (const std::uint32_t row : rows_)
    for (std::uint32_t e = layout_.row_ptr[row] + 1; e < layout_.row_ptr[row + 1]; ++e)
      sets.join(layout_.column[e - 1], layout_.column[e]);
  for (const Row& row : held_)
    for (const std::uint32_t column : row.columns) sets.join(row.columns.front(), column);
  const std::vector<LoadSlopes::Entry>& entries = seen_.back().entries;
  std::vector<char> stiff(layout_.n_speeds);
  std::vector<char> touched(layout_.n_speeds);
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (marked_[k] != 0) touched[entries[k].i] = touched[entries[k].j] = 1;
  for (const LoadSlopes::Entry& e : entries)
    if (touched[e.i] != 0 || touched[e.j] != 0) sets.join(e.i, e.j);
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (marked_[k] != 0) stiff[sets.root(entries[k].i)] = 1;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
    if (const std::uint32_t root = sets.root(i); stiff[root] != 0) members[root].push_back(i);
  parts_.clear();
  for (auto& [root, speeds] : members) {
    parts_.emplace_back();
    parts_.back().speeds = std::move(speeds);
  }
}

void BackwardRule::add_mass(Part& part) const {
  const auto m = static_cast<Eigen::Index>(part.speeds.size());
  std::vector<Eigen::Index> place(layout_.n_speeds, -1);
  for (Eigen::Index k = 0; k < m; ++k) place[part.speeds[static_cast<std::size_t>(k)]] = k;
  Matrix M = Matrix::Zero(m, m);
  if (layout_.inertia_rows.empty()) {
    for (std::size_t k = 0; k < layout_.mass.size(); ++k) {
      const auto [i, j] = layout_.mass[k];
      if (place[i] >= 0) M(place[i], place[j]) = M(place[j], place[i]) = mass_values_[k];
    }
  } else {
    M = full_.solved_mass();
  }
  cholesky(M, part.root);
}

// Returns orthonormal columns, what rows of norm 1 leave of a space.
Matrix BackwardRule::beside(const std::vector<Vector>& rows, Eigen::Index size) {
  if (rows.empty() || size == 0) return Matrix::Identity(size, size);
  Matrix G(static_cast<Eigen::Index>(rows.size()), size);
  for (std::size_t k = 0; k < rows.size(); ++k) G.row(static_cast<Eigen::Index>(k)) = rows[k].transpose();
  const RightSingular made = full_right_singular(G);
  const Eigen::Index rank = (made.values.array() > kRankTolerance * made.values[0]).count();
  return made.V.rightCols(size - rank);
}

// Finds the directions that the equations leave free, and those that contacts do. Rows that are switched off are zero.
void BackwardRule::leave_free(Part& part) const {
  const auto m = static_cast<Eigen::Index>(part.speeds.size());
  std::vector<Eigen::Index> place(layout_.n_speeds, -1);
  for (Eigen::Index k = 0; k < m; ++k) place[part.speeds[static_cast<std::size_t>(k)]] = k;
  const auto scaled = [&](const std::uint32_t* columns, const double* values, std::size_t count) {
    Vector a = Vector::Zero(m);
    for (std::size_t e = 0; e < count && place[columns[e]] >= 0; ++e) a[place[columns[e]]] += values[e];
    if (!a.allFinite()) a.setZero();
    part.root.triangularView<Eigen::Lower>().solveInPlace(a);
    return a;
  };
  std::vector<Vector> equations, contacts;
  for (const std::uint32_t row : rows_) {
    const std::uint32_t from = layout_.row_ptr[row];
    const Vector a = scaled(layout_.column.data() + from, row_values_.data() + from, layout_.row_ptr[row + 1] - from);
    if (!a.isZero(0)) equations.push_back(a.normalized());
  }
  part.free = beside(equations, m);
  for (const Row& row : held_) {
    const Vector a = scaled(row.columns.data(), row.values.data(), row.columns.size());
    const Vector left = part.free.transpose() * a;
    if (left.norm() > kRankTolerance * a.norm()) contacts.push_back(left.normalized());
  }
  part.loose = beside(contacts, part.free.cols());
}

// N^T L^-1 X L^-T N of the matrices of the entries.
void BackwardRule::reduce(Part& part, const std::vector<LoadSlopes::Entry>& entries, Matrix& stiffness,
                          Matrix& damping) const {
  const auto m = static_cast<Eigen::Index>(part.speeds.size());
  std::vector<Eigen::Index> place(layout_.n_speeds, -1);
  for (Eigen::Index k = 0; k < m; ++k) place[part.speeds[static_cast<std::size_t>(k)]] = k;
  stiffness = damping = Matrix::Zero(m, m);
  for (const LoadSlopes::Entry& e : entries) {
    if (place[e.i] < 0 || place[e.j] < 0) continue;
    stiffness(place[e.i], place[e.j]) += h_ * h_ * e.stiffness;
    damping(place[e.i], place[e.j]) += h_ * e.damping;
  }
  const auto L = part.root.triangularView<Eigen::Lower>();
  for (Matrix* X : {&stiffness, &damping}) {
    L.solveInPlace(*X);
    X->transposeInPlace();
    L.solveInPlace(*X);
    X->transposeInPlace();
    *X = (part.free.transpose() * *X * part.free).eval();
  }
}

// The matrix with functions of its eigenvalues.
template <class Function>
Matrix mapped(const Matrix& symmetric, Function&& function) {
  if (symmetric.size() == 0) return symmetric;
  const Eigensystem made = symmetric_eigensystem(symmetric);
  return made.vectors * made.values.unaryExpr(function).asDiagonal() * made.vectors.transpose();
}

void BackwardRule::choose_shares(Part& part) const {
  const Eigen::Index r = part.free.cols();
  Matrix before, bends = Matrix::Zero(r, r);
  for (const Seen& seen : seen_) {
    reduce(part, seen.entries, part.stiffness, part.damping);
    const Matrix S = 0.5 * (part.stiffness + part.stiffness.transpose()) + part.damping.transpose() * part.damping;
    if (&seen == &seen_.front()) {
      part.seen = S;
    } else {
      part.seen += mapped(S - part.seen, [](double s) { return std::max(s, 0.0); });
      bends += mapped(S - before, [](double s) { return std::fabs(s); });
    }
    before = S;
  }
  const Matrix shares = mapped(part.loose.transpose() * (part.seen + kBend * bends) * part.loose,
                               [half = half_](double s) { return s * s / (s * s + half * half); });
  part.share = part.loose * shares * part.loose.transpose();
  const Matrix T = 0.5 * (Matrix::Identity(r, r) + part.share);
  // Newton's matrix is 1 + (C + K T) T, similar to 1 + T (C + K T): for contacts that T leaves as they are both answer
  // an impulse alike.
  const Matrix slopes = part.damping + part.stiffness * T, answers = T * slopes;
  const Matrix both = 0.5 * (answers + answers.transpose());
  part.symmetric = mapped(both, [](double s) { return std::max(s, 0.0); });
  part.answer = mapped(both, [](double s) { return 1 / (1 + std::max(s, 0.0)); });
  part.factors.compute(Matrix::Identity(r, r) + slopes * T);
}

// M + L N X N^T L^T of each part, X the symmetric part of the matrix of Newton's method.
void BackwardRule::take_metric() {
  std::vector<std::vector<std::uint32_t>> joined;
  for (const Part& part : parts_) joined.push_back(part.speeds);
  if (!metric_ || joined != joined_) {
    joined_ = std::move(joined);
    metric_ = std::make_unique<MassBlocks>(layout_, joined_);
  }
  std::vector<MassBlocks::Added> added;
  for (const Part& part : parts_) {
    const Matrix spread = part.root.triangularView<Eigen::Lower>() * part.free;
    added.push_back({&part.speeds, spread * part.symmetric * spread.transpose()});
  }
  if (layout_.inertia_rows.empty())
    metric_->factor(mass_values_.data(), added);
  else
    metric_->factor(full_.solved_mass(), added);
}

Vector BackwardRule::to_reduced(const Part& part, const Vector& change) {
  Vector own(static_cast<Eigen::Index>(part.speeds.size()));
  for (std::size_t k = 0; k < part.speeds.size(); ++k) own[static_cast<Eigen::Index>(k)] = change[part.speeds[k]];
  return part.free.transpose() * (part.root.triangularView<Eigen::Lower>().transpose() * own);
}

void BackwardRule::add(const Part& part, const Vector& reduced, Vector& change) {
  Vector own = part.free * reduced;
  part.root.triangularView<Eigen::Lower>().transpose().solveInPlace(own);
  for (std::size_t k = 0; k < part.speeds.size(); ++k) change[part.speeds[k]] += own[static_cast<Eigen::Index>(k)];
}

Vector BackwardRule::stiff_part(const Vector& change) const {
  Vector out = Vector::Zero(change.size());
  for (const Part& part : parts_) add(part, part.share * to_reduced(part, change), out);
  return out;
}

Vector BackwardRule::weighed(const Vector& change) const { return 0.5 * (change + stiff_part(change)); }

Vector BackwardRule::correction(const Vector& residual) const {
  Vector out = residual;
  for (const Part& part : parts_) {
    const Vector reduced = to_reduced(part, residual);
    Matrix solved(reduced.size(), 1);
    part.factors.solve(Matrix(reduced), solved);
    add(part, solved.col(0) - reduced, out);
  }
  return out;
}

Vector BackwardRule::impulse_of(const Vector& jump) const {
  Vector out = jump;
  for (const Part& part : parts_) add(part, part.symmetric * to_reduced(part, jump), out);
  return out;
}

Vector BackwardRule::jump_of(const Vector& impulse) const {
  Vector out = impulse;
  for (const Part& part : parts_) {
    const Vector reduced = to_reduced(part, impulse);
    add(part, part.answer * reduced - reduced, out);
  }
  return out;
}

double BackwardRule::loss(const Vector& change, const Vector& speeds) const {
  double lost = 0;
  for (const Part& part : parts_) {
    const Vector c = to_reduced(part, change), d = to_reduced(part, speeds);
    lost += 0.5 * (c.dot(part.share * c) + (part.share * d).dot(part.stiffness * d));
  }
  return lost;
}

}  // namespace mbc::runtime
