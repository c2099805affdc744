// SPDX-License-Identifier: Apache-2.0
// Searches a consistent state near the soft values and descends to the nearest one.
#include "runtime/constraints/assembly_level.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/contains.h"
#include "base/split_mix64.h"
#include "runtime/rows/mass_scaling.h"
#include "runtime/rows/row_basis.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr int kLargeAttempts = 3;  // perturbed starts of models of more than kLarge speeds
constexpr Eigen::Index kLarge = 200;
constexpr int kDampedSteps = 200;
constexpr int kQuick = 4;  // Gauss-Newton steps of a start that was near
constexpr int kDescentSteps = 200;

}  // namespace

AssemblyLevel::AssemblyLevel(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
                             ConstraintProjector& projector, bool position, double t, const std::vector<double>& y)
    : equations_(equations),
      info_(info),
      problem_(problem),
      projector_(projector),
      position_(position),
      t_(t),
      at_(position ? 0 : equations.layout().speeds_at()),
      size_(position ? equations.layout().n_coordinates : equations.layout().n_speeds),
      trial_(y),
      x0_(Eigen::Map<const Vector>(y.data() + at_, size_)) {
  extent_ = projector.extent(position, y.data());
  longest_ = kLongestDampedStep * std::max(1.0, size_ > 0 ? x0_.cwiseAbs().maxCoeff() : 0);
  for (std::size_t k = 0; k < info.rows.size(); ++k)
    if (position ? info.rows[k].level == problem::Level::position : info.rows[k].level != problem::Level::acceleration)
      rows_.push_back(static_cast<int>(k));
  for (std::size_t k = 0; k < problem.targets.size(); ++k)
    if (problem.targets[k].position == position && problem.targets[k].active)
      (problem.targets[k].soft ? soft_ : hard_).push_back(static_cast<int>(k));
  choose_columns();
  choose_scaling();
  weigh_wishes();
}

// At position level a column may be used if a soft coordinate depends on it. Hard coordinates that also depend on it
// (such as one component of a quaternion) get a row of their own that fixes them.
void AssemblyLevel::choose_columns() {
  for (std::uint32_t j = 0; j < equations_.layout().n_speeds; ++j) {
    bool free = problem_.all_soft || (!position_ && problem_.soft_speed[j]);
    for (std::uint32_t i = 0; position_ && !free && i < size_; ++i)
      free |= problem_.soft_coordinate[i] && contains(problem_.speeds_in_rate[i], j);
    if (!free) continue;
    free_.push_back(static_cast<int>(j));
    plain_ &= !position_ || info_.coordinate_of_speed[j] != problem::Problem::kNoCoordinate;
  }
  for (std::uint32_t i = 0; position_ && !problem_.all_soft && i < size_; ++i) {
    bool shared = false;
    for (int j : free_) shared |= contains(problem_.speeds_in_rate[i], static_cast<std::uint32_t>(j));
    if (shared && !problem_.soft_coordinate[i]) hard_coordinates_.push_back(static_cast<int>(i));
  }
}

void AssemblyLevel::choose_scaling() {
  Assembled s;
  // Only M is needed here. The rows may be undefined at these speeds.
  equations_.assemble(t_, trial_.data(), s, false);
  metric_.mass = s.M(free_, free_);
  const Vector diagonal = metric_.mass.diagonal();
  metric_.scaling = metric_.mass == Matrix(diagonal.asDiagonal()) ? MassScaling::diagonal(diagonal)
                                                                  : MassScaling::dense(metric_.mass);
  if (!metric_.scaling.valid() || !positive_definite(metric_.mass)) add_rows_to_mass();
  if (!metric_.scaling.valid()) {
    metric_.mass = Matrix::Identity(metric_.mass.rows(), metric_.mass.cols());
    metric_.scaling = MassScaling::identity(static_cast<int>(metric_.mass.rows()));
  }
  if (!plain_) metric_.rates.compute(rate_matrix(x0_));
  if (position_ && s.M.allFinite()) metric_.bodies = BodyOffsets(info_, s.M, x0_);
  Local here;
  metric_.soft = Vector::Ones(static_cast<Eigen::Index>(soft_.size()));
  if (soft_.empty() || !evaluate(x0_, here)) return;
  const Matrix g = metric_.scaling.scale_rows(here.S(Eigen::all, free_));
  for (Eigen::Index k = 0; k < g.rows(); ++k)
    if (const std::optional<double> weight = problem_.targets[static_cast<std::size_t>(soft_[k])].weight)
      metric_.soft(k) = 1 / std::sqrt(*weight);
    else if (const double norm = g.row(k).norm(); norm > 0 && std::isfinite(norm))
      metric_.soft(k) = norm;
}

// Replaces a singular mass matrix (of Euler parameters, of flat bodies in natural coordinates) in the metric of the
// steps. The square of the rows' change under a displacement is added to it, which is zero for displacements that
// satisfy the rows. The distance to the soft values is measured without this term, so that it is the same in all
// representations.
void AssemblyLevel::add_rows_to_mass() {
  Local here;
  if (!evaluate(x0_, here)) return;
  const Matrix rows = here.J(Eigen::all, free_);
  const double size = rows.squaredNorm();
  if (!(size > 0) || !std::isfinite(size)) return;
  const Matrix all = metric_.mass + metric_.mass.trace() / size * rows.transpose() * rows;
  metric_.scaling = MassScaling::dense(all);
}

// If wishes compete with quantities that nobody gave, the latter get no weight.
void AssemblyLevel::weigh_wishes() {
  metric_.weights = metric_.mass;
  if (problem_.all_soft) return;
  std::vector<char> wished(free_.size(), 0);
  for (std::size_t j = 0; j < free_.size(); ++j) {
    const auto speed = static_cast<std::uint32_t>(free_[j]);
    if (!position_) wished[j] = problem_.wished_speed[speed];
    for (std::uint32_t i = 0; position_ && i < size_; ++i)
      if (problem_.wished_coordinate[i] && contains(problem_.speeds_in_rate[i], speed)) wished[j] = 1;
  }
  const auto count = std::count(wished.begin(), wished.end(), 1);
  mixed_ = count < std::ssize(wished) && (count > 0 || !soft_.empty());
  if (!mixed_) return;
  metric_.bodies = {};
  for (std::size_t j = 0; j < wished.size(); ++j) {
    if (wished[j] != 0) continue;
    metric_.weights.row(static_cast<Eigen::Index>(j)).setZero();
    metric_.weights.col(static_cast<Eigen::Index>(j)).setZero();
  }
}

bool AssemblyLevel::evaluate(const Vector& x, Local& out) {
  for (std::uint32_t i = 0; i < size_; ++i) trial_[at_ + i] = x[i];
  Assembled here;
  equations_.assemble(t_, trial_.data(), here, false);
  equations_.residuals(t_, trial_.data());
  const double* e = equations_.residual(position_);
  const auto m = static_cast<Eigen::Index>(rows_.size()), h = static_cast<Eigen::Index>(hard_.size()),
             c = static_cast<Eigen::Index>(hard_coordinates_.size());
  const auto n = static_cast<Eigen::Index>(equations_.layout().n_speeds);
  out.e.setZero(m + h + c);
  out.J.setZero(m + h + c, n);
  for (Eigen::Index k = 0; k < m; ++k) {
    out.e[k] = e[rows_[static_cast<std::size_t>(k)]];
    out.J.row(k) = here.A.row(rows_[static_cast<std::size_t>(k)]);
  }
  if (!problem_.targets.empty()) {
    Vector residual;
    Matrix derivative;
    problem_.evaluate(t_, trial_.data(), residual, derivative);
    if (!rows_alone_) {
      out.e.segment(m, h) = residual(hard_);
      out.J.middleRows(m, h) = derivative(hard_, Eigen::all);
      if (still_off_.size() != 0) out.e.segment(m, h) -= still_off_;
    }
    out.s = residual(soft_);
    out.S = derivative(soft_, Eigen::all);
  }
  if (c > 0) {
    const Matrix W = rate_matrix(x);
    for (Eigen::Index k = 0; k < c; ++k) {
      const int i = hard_coordinates_[static_cast<std::size_t>(k)];
      out.e[m + h + k] = x[i] - x0_[i];
      for (std::size_t j = 0; j < free_.size(); ++j) out.J(m + h + k, free_[j]) = W(i, static_cast<Eigen::Index>(j));
    }
  }
  out.finite = out.e.allFinite() && out.s.allFinite() && out.S.allFinite();
  return out.finite;
}

AssemblyLevel::Vector AssemblyLevel::displaced(const Vector& x, const Vector& w) {
  std::vector<double> there(trial_), full(equations_.layout().n_speeds, 0.0);
  for (std::uint32_t i = 0; i < size_; ++i) there[at_ + i] = x[i];
  for (std::size_t j = 0; j < free_.size(); ++j)
    full[static_cast<std::size_t>(free_[j])] = w[static_cast<Eigen::Index>(j)];
  projector_.displace(position_, t_, there.data(), full.data());
  return Eigen::Map<const Vector>(there.data() + at_, size_);
}

ProjectionReport AssemblyLevel::project(Vector& x) {
  ConstraintFunctions functions;
  functions.evaluate = [this](const Vector& at, ConstraintValues& out) {
    Local here;
    if (!evaluate(at, here)) return false;
    out.e = std::move(here.e);
    out.J = here.J(Eigen::all, free_);
    return true;
  };
  functions.displace = [this](const Vector& at, const Vector& w, Vector& out) { out = displaced(at, w); };
  ProjectionOptions options;
  options.tolerance = kAssemblyTolerance * extent_;
  options.max_iterations = 50;
  return runtime::project(functions, metric_.scaling, x, options);
}

bool AssemblyLevel::good(const ProjectionReport& report) const {
  return report.converged() ||
         (report.status != ProjectionStatus::not_evaluable && report.worst <= kResidualRounding * extent_);
}

// Returns 1/|row| at the soft values. Rows that vanish there get the weight of the largest row.
AssemblyLevel::Vector AssemblyLevel::row_weights() {
  Local here;
  if (!evaluate(x0_, here)) return Vector::Ones(here.e.size());
  Vector D = metric_.scaling.scale_rows(here.J(Eigen::all, free_)).rowwise().norm();
  if (D.size() == 0 || !D.allFinite()) return Vector::Ones(here.e.size());
  const double typical = D.maxCoeff() > 0 ? D.maxCoeff() : 1;
  for (double& d : D) d = 1 / (d > 1e-3 * typical ? d : typical);
  return D;
}

// Minimises |D e|^2 from x by damped steps.
double AssemblyLevel::damped(Vector& x) {
  Local here;
  if (!evaluate(x, here)) return std::numeric_limits<double>::infinity();
  Matrix G = metric_.scaling.scale_rows(here.J(Eigen::all, free_));
  if (!G.allFinite() || G.size() == 0) return here.e.norm();
  const Vector D = row_weights();
  Vector r = D.cwiseProduct(here.e);
  double size = r.squaredNorm(), damping = (D.asDiagonal() * G).colwise().squaredNorm().maxCoeff();
  for (int k = 0; k < kDampedSteps && size > 0 && damping < 1e12 && !problem_.stopped(); ++k) {
    const Matrix J = D.asDiagonal() * G;
    const Vector gradient = J.transpose() * r;
    if (gradient.norm() <= 1e-15 * std::sqrt(size)) break;
    Matrix H = J.transpose() * J;
    H.diagonal().array() += damping;
    Vector w = metric_.scaling.from_scaled(-solve_semidefinite(H, gradient));
    if (const double length = w.cwiseAbs().maxCoeff(); length > longest_) w *= longest_ / length;
    const Vector next = displaced(x, w);
    Local there;
    const double now = evaluate(next, there) ? D.cwiseProduct(there.e).squaredNorm() : size;
    const Matrix turned = now < size ? metric_.scaling.scale_rows(there.J(Eigen::all, free_)) : Matrix();
    if (!(now < size) || !turned.allFinite()) {
      damping *= 4;
      continue;
    }
    damping = std::max(damping / 5, 1e-14);
    const bool slow = now > (1 - 1e-10) * size;
    x = next;
    G = turned;
    r = D.cwiseProduct(there.e);
    size = now;
    if (slow) break;
  }
  return std::sqrt(size);
}

// Leads the hard targets in small steps from their values in a state that satisfies only the rows to their wanted
// values. If the path ends before, the result is false and x does not change.
bool AssemblyLevel::lead(const Vector& start, Vector& x) {
  Vector here = start;
  Local there;
  const double best = best_;
  rows_alone_ = true;
  const bool begun = attempt(start, here);
  rows_alone_ = false;
  best_ = best;
  if (!begun || !evaluate(here, there)) return false;
  const Vector off = there.e.segment(static_cast<Eigen::Index>(rows_.size()), static_cast<Eigen::Index>(hard_.size()));
  double done = 0, step = kFirstPart;
  while (done < 1 && step >= kLeastPart && !problem_.stopped()) {
    const double next = std::min(1.0, done + step);
    still_off_ = (1 - next) * off;
    Vector nearer = here;
    const ProjectionReport made = project(nearer);
    if (!good(made) || made.iterations > kQuick || (nearer - here).cwiseAbs().maxCoeff() > longest_) {
      step /= 2;
      continue;
    }
    here = nearer;
    done = next;
    step *= 1.5;
  }
  still_off_.resize(0);
  if (done < 1) return false;
  x = here;
  return true;
}

// x becomes a consistent state, or otherwise the state with the smallest residuals of all attempts so far.
bool AssemblyLevel::attempt(const Vector& start, Vector& x) {
  Vector near = start;
  const ProjectionReport direct = project(near);
  const bool found = good(direct);
  if (found) x = near;
  if (found && (!position_ || (direct.iterations <= kQuick && (near - start).cwiseAbs().maxCoeff() <= longest_)))
    return true;
  if (position_ && !hard_.empty() && !rows_alone_ && lead(start, x)) return true;
  // Long steps or many steps may have led far away; damped steps stay nearer.
  near = start;
  const double left = damped(near);
  Vector exact = near;
  if (good(project(exact)) && (!found || objective(exact) < objective(x))) {
    x = exact;
    return true;
  }
  if (found) return true;
  if (left < best_) {
    best_ = left;
    x = near;
  }
  return false;
}

// Moves the soft values at random by 1e-3 to 2 times the largest value of the same unit.
AssemblyLevel::Vector AssemblyLevel::perturbed(int attempt) {
  constexpr double kSizes[] = {1e-3, 1e-2, 0.1, 0.3, 1, 2};
  const auto& quantities = position_ ? info_.coordinates : info_.speeds;
  SplitMix64 noise(static_cast<std::uint64_t>(attempt));
  Vector w(static_cast<Eigen::Index>(free_.size()));
  for (std::size_t j = 0; j < free_.size(); ++j) {
    const auto speed = static_cast<std::size_t>(free_[j]);
    const std::uint32_t i = position_ ? info_.coordinate_of_speed[speed] : static_cast<std::uint32_t>(speed);
    double scale = 0;
    for (std::uint32_t k = 0; k < size_ && i != problem::Problem::kNoCoordinate; ++k)
      if (quantities.unit(k) == quantities.unit(i)) scale = std::max(scale, std::fabs(x0_[k]));
    if (scale == 0) scale = 1;
    w(static_cast<Eigen::Index>(j)) = kSizes[(attempt - 1) % 6] * scale * noise.next();
  }
  return displaced(x0_, w);
}

bool AssemblyLevel::solve(std::vector<double>& y, int most_attempts) {
  Vector x = x0_;
  best_ = std::numeric_limits<double>::infinity();
  bool found = attempt(x0_, x);
  // Speeds enter almost always linearly. If they do not, no starting direction is better than another.
  const int attempts = found || !position_ || free_.empty() ? 0
                       : size_ > kLarge                     ? std::min(kLargeAttempts, most_attempts)
                                                            : most_attempts;
  double nearest = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= attempts && (!found || k <= kFewAttempts) && !problem_.stopped(); ++k) {
    Vector other = x;
    if (!attempt(perturbed(k), other)) {
      if (!found) x = other;
      continue;
    }
    const double away = objective(other);
    if (found && away >= nearest) continue;
    found = true;
    nearest = away;
    x = other;
  }
  if (found) descend(x);
  const Vector d = offset(x);
  const double beside = metric_.bodies.empty() ? 0 : 2 * metric_.bodies.value(x);
  distance_ = d.size() == 0 ? 0 : std::sqrt(std::max(0.0, d.dot(metric_.mass * d) + beside));
  for (std::uint32_t i = 0; i < size_; ++i) y[at_ + i] = x[i];
  return found;
}

// Computes W at x as q' = W u for unit speeds minus q' at rest.
AssemblyLevel::Matrix AssemblyLevel::rate_matrix(const Vector& x) {
  const kernel::SystemLayout& l = equations_.layout();
  std::vector<double> y(trial_), rate(l.n_y());
  for (std::uint32_t i = 0; i < size_; ++i) y[at_ + i] = x[i];
  std::fill(y.begin() + l.speeds_at(), y.begin() + l.states_at(), 0.0);
  equations_.rates(t_, y.data(), rate.data());
  const Vector rest = Eigen::Map<const Vector>(rate.data(), l.n_coordinates);
  Matrix W(l.n_coordinates, static_cast<Eigen::Index>(free_.size()));
  for (std::size_t j = 0; j < free_.size(); ++j) {
    const auto at = l.speeds_at() + static_cast<std::size_t>(free_[j]);
    y[at] = 1;
    equations_.rates(t_, y.data(), rate.data());
    y[at] = 0;
    W.col(static_cast<Eigen::Index>(j)) = Eigen::Map<const Vector>(rate.data(), l.n_coordinates) - rest;
  }
  return W;
}

// Returns the displacement from the soft values. It is a difference if q' = u, and otherwise W^+ (x - x0) with W at the
// soft values. For a quaternion this is twice the vector part of the relative rotation, 2 sin(angle/2).
AssemblyLevel::Vector AssemblyLevel::offset(const Vector& x) {
  if (!plain_) return metric_.rates.times(Vector(x - x0_));
  Vector d(static_cast<Eigen::Index>(free_.size()));
  for (std::size_t j = 0; j < free_.size(); ++j) {
    const auto speed = static_cast<std::size_t>(free_[j]);
    const auto i = position_ ? static_cast<Eigen::Index>(info_.coordinate_of_speed[speed]) : free_[j];
    d(static_cast<Eigen::Index>(j)) = x[i] - x0_[i];
  }
  return d;
}

double AssemblyLevel::objective(const Vector& x) {
  const Vector d = offset(x);
  double total = d.size() == 0 ? 0 : d.dot(metric_.weights * d);
  if (!metric_.bodies.empty()) total += 2 * metric_.bodies.value(x);
  if (!soft_.empty()) {
    Local here;
    if (!evaluate(x, here)) return std::numeric_limits<double>::infinity();
    total += here.s.cwiseQuotient(metric_.soft).squaredNorm();
  }
  return total / 2;
}

// Computes the mass-scaled gradient of the objective along the constraints. `whole` is the size of the whole gradient.
// The result is false if the gradient is not defined.
bool AssemblyLevel::slope_along(const Vector& x, Vector& gradient, double& whole) {
  Local here;
  if (!evaluate(x, here)) return false;
  Vector slope = metric_.weights * offset(x);
  if (!plain_) slope = metric_.rates.times(rate_matrix(x)).transpose() * slope;
  if (!metric_.bodies.empty()) slope += rate_matrix(x).transpose() * metric_.bodies.gradient(x);
  if (!soft_.empty())
    slope += here.S(Eigen::all, free_).transpose() * here.s.cwiseQuotient(metric_.soft.cwiseProduct(metric_.soft));
  const RankOptions rank;
  const Vector scaled = metric_.scaling.scale_rows(slope.transpose()).transpose();
  const ScaledRows rows = scale_rows(metric_.scaling.scale_rows(here.J(Eigen::all, free_)), {}, {}, rank);
  const RowBasis basis = basis_in_order(rows, rank.tolerance);
  gradient = scaled - basis.basis() * (basis.basis().transpose() * scaled);
  whole = scaled.norm();
  return true;
}

void AssemblyLevel::descend(Vector& x) {
  if (free_.empty()) return;
  double value = objective(x), length = 1, whole = 0;
  Vector gradient, there_along, last_gradient, last_step;
  for (int k = 0; k < kDescentSteps; ++k) {
    if (!slope_along(x, gradient, whole) || !(gradient.norm() > kStationary * whole)) return;
    if (last_step.size() != 0) {
      const double curvature = last_step.dot(gradient - last_gradient);
      length = curvature > 0 ? std::clamp(last_step.squaredNorm() / curvature, 1e-3, 10.0) : 1.0;
    }
    bool shorter = false;
    for (int halving = 0; halving < 30 && !shorter; ++halving, length *= shorter ? 1.0 : 0.5) {
      Vector next = displaced(x, metric_.scaling.from_scaled(-length * gradient));
      if (!good(project(next))) continue;
      const double there = objective(next), gained = 1e-4 * length * gradient.squaredNorm();
      shorter = there < value - gained;
      if (!shorter && std::fabs(there - value) <= kCancelled * std::fabs(value))
        shorter = slope_along(next, there_along, whole) && there_along.norm() < 0.9 * gradient.norm();
      if (!shorter) continue;
      last_step = -length * gradient;
      last_gradient = gradient;
      x = next;
      value = there;
    }
    if (!shorter) return;  // The decrease is below round-off.
  }
}

}  // namespace mbc::runtime
