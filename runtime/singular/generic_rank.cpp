// SPDX-License-Identifier: Apache-2.0
// Deciding on the rank, and corrections in the leading directions.
#include "runtime/singular/generic_rank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/contains.h"
#include "base/epsilon.h"
#include "base/split_mix64.h"
#include "runtime/constraints/determined_rows.h"
#include "runtime/constraints/row_components.h"
#include "runtime/rows/decompositions.h"
#include "runtime/singular/offset_from_singularity.h"

namespace mbc::runtime {

namespace {

constexpr double kNearPart = 1e-2;  // of the usual pivot: from here on a row may be near to depending on others
// States at which the usual pivot is looked for: turns of the fastest row, in units of kOffsetTurn.
constexpr std::array<double, 5> kAround{0, 20, -20, 80, -80};
constexpr double kUncounted = 100;     // times a direction that is not counted, one that is has to be larger
constexpr double kProbe = 1e-3;        // of the largest coordinate: a step beside a state at rest
constexpr double kOffPosition = 1e-2;  // of that: a singular value there that is not the position's
constexpr double kStill = 1e-9;        // of the rows of a part: a change where the fastest of all turn by kOffsetTurn
constexpr double kDrivenPart = 1e-3;   // of what acts on a part: an acceleration that leads it off
constexpr double kSoundPivot = 1e-8;   // usual d/S of a row that is watched
constexpr double kGap = 1e-6;          // ratio of two singular values between which the rank of a start is
constexpr double kGenericRankNothing = 1e-13;  // singular values that are none
constexpr int kGenericRankMaxIterations = 12;
constexpr double kGenericRankRoundOff = 1e4;  // of a correction that round-off stopped, times eps and the extent
constexpr double kSameRank = 1e-6;  // ratio of singular values at which those of one level alone are told apart

}  // namespace

GenericRank::GenericRank(Equations& equations, const problem::Problem& info, ConstraintProjector& projector)
    : equations_(equations), info_(info), projector_(projector), watched_(info.rows.size(), 0.0) {
  if (equations.beyond_dense() || info.rows.empty()) return;
  equations.truncated().parts = row_components(equations.layout(), info);
  for (const RowComponent& part : equations.truncated().parts)
    if (part.by_position)
      for (const Eigen::Index r : part.rows) watched_[static_cast<std::size_t>(r)] = 1;
  watches_ = contains(watched_, 1.0);
  if (!watches_) return;
  equations.truncated().weight = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(info.rows.size()));
  position_ = velocity_ = equations.truncated();
  usual_.resize(info.rows.size());
  limits_.resize(info.rows.size());
  scratch_.resize(equations.layout().n_y());
}

// The pivots of a state off the singular position, and the sizes of its rows, from what the last rhs has left.
void GenericRank::raise_references() {
  Eigen::VectorXd& weight = equations_.truncated().weight;
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    const double pivot = equations_.pivot()[k], scale = equations_.pivot_scale()[k];
    const auto row = static_cast<Eigen::Index>(k);
    if (scale > 0) weight[row] = std::min(weight[row], 1 / std::sqrt(scale));
    if (std::isfinite(pivot)) usual_[k] = std::max(usual_[k], pivot);
  }
}

// At the state and at states around it along the motion, off the constraints as they are.
void GenericRank::look_around(double t, const double* y, double e, bool goes_on) {
  const kernel::SystemLayout& l = equations_.layout();
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  Eigen::VectorXd& weights = equations_.truncated().weight;
  if (!goes_on) {
    weights = Eigen::VectorXd::Constant(l.n_rows, kUnknown);
    std::fill(usual_.begin(), usual_.end(), 0.0);
  }
  weights = (weights.array() == 0).select(kUnknown, weights);
  for (const double place : kAround) {
    beside_.assign(y, y + l.n_y());
    for (std::uint32_t i = 0; i < l.n_coordinates; ++i) beside_[i] += place * e * rates_[i];
    if (equations_.rhs_in(SolveMode::fast, t + place * e, beside_.data(), scratch_.data()) == 0) raise_references();
  }
  weights = (weights.array() == kUnknown).select(0, weights);  // zero rows hold nothing
}

// The rank of each component at beside_, brought back onto the rows: where singular values are farthest apart.
bool GenericRank::rank_at(double t) {
  TruncatedInverse& all = equations_.truncated();
  if (!projector_.project(t, beside_.data(), 1e-14, true).converged) return false;
  Assembled there;
  if (equations_.assemble(t, beside_.data(), there, false) != 0 || !all.decompose(there.scaling.scale_rows(there.A)))
    return false;
  for (RowComponent& part : all.parts) {
    double widest = 1 / kGap;  // at least
    part.rank = static_cast<int>(part.values.size());
    for (Eigen::Index k = part.values.size() - 1; k > 0; --k) {
      const double ratio = part.values[k - 1] / std::max(part.values[k], kGenericRankNothing);
      if (part.values[k - 1] > kGenericRankNothing && ratio > widest) {
        widest = ratio;
        part.rank = static_cast<int>(k);
      }
    }
  }
  return true;
}

// Takes the ranks on both sides of the state along the motion; components that are not watched keep theirs.
bool GenericRank::agrees_on_both_sides(double t, const double* y, double e) {
  std::vector<RowComponent>& parts = equations_.truncated().parts;
  const std::vector<RowComponent> by_mask = parts;
  std::vector<int> before;
  bool sure = true;
  for (const double side : {-e, e}) {
    for (const RowComponent& part : parts) before.push_back(part.rank);
    beside_.assign(y, y + equations_.layout().n_y());
    for (std::uint32_t i = 0; i < equations_.layout().n_coordinates; ++i) beside_[i] += side * rates_[i];
    normalise(info_, beside_.data());
    sure = rank_at(t + side) && sure;
  }
  for (std::size_t k = 0; k < parts.size(); ++k)
    sure = sure && (!parts[k].by_position || before[parts.size() + k] == parts[k].rank);
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!sure || !parts[k].by_position) parts[k].rank = by_mask[k].rank;
  return sure;
}

// A row that is zero at rest has no size: it gets that of the step to beside_.
bool GenericRank::weigh_vanishing(double t) {
  Assembled there;
  if (equations_.assemble(t, beside_.data(), there, false) != 0) return false;
  const Eigen::VectorXd norms = there.scaling.scale_rows(there.A).rowwise().norm();
  Eigen::VectorXd& weight = equations_.truncated().weight;
  for (Eigen::Index k = 0; k < weight.size(); ++k)
    if (weight[k] == 0 && norms[k] > 0) weight[k] = kProbe / norms[k];
  return true;
}

// beside_: as far from y as w, in mass-scaled directions, where `here` is assembled.
void GenericRank::displace(double t, const double* y, const Assembled& here, const Eigen::VectorXd& w) {
  beside_.assign(y, y + equations_.layout().n_y());
  const Eigen::VectorXd displacement = here.scaling.from_scaled(w);
  projector_.displace(true, t, beside_.data(), displacement.data());
}

// Components whose rows do not change along the motion. Of a model in which something moves (e > 0) only those whose
// accelerations change their rows: a load that they balance, or that carries all along, leads off no position.
std::vector<char> GenericRank::still_components(double t, const double* y, const Assembled& here, double e) {
  const kernel::SystemLayout& l = equations_.layout();
  const TruncatedInverse& all = equations_.truncated();
  std::vector<char> still(all.parts.size(), e == 0 ? 1 : 0);
  if (e == 0 || rhs(t, y, scratch_.data()) != 0) return still;
  const Eigen::VectorXd free = here.scaling.to_scaled(here.free_acceleration()),
                        made = here.scaling.to_scaled(
                            Eigen::Map<const Eigen::VectorXd>(scratch_.data() + l.speeds_at(), l.n_speeds));
  Eigen::VectorXd w = Eigen::VectorXd::Zero(l.n_speeds);
  for (const RowComponent& part : all.parts) {
    const double found = made(part.columns).norm(),
                 acts =
                     std::max(free(part.columns).norm(), here.b(part.rows).cwiseProduct(all.weight(part.rows)).norm());
    if (found > kDrivenPart * acts) w(part.columns) = kProbe * extent(y) * made(part.columns) / found;
  }
  Assembled along, driven;
  displace(t, y, here, w);
  if (equations_.assemble(t, beside_.data(), driven, false) != 0) return still;
  beside_.assign(y, y + l.n_y());
  for (std::uint32_t i = 0; i < l.n_coordinates; ++i) beside_[i] += e * rates_[i];
  if (equations_.assemble(t + e, beside_.data(), along, false) != 0) return still;
  for (std::size_t k = 0; k < still.size(); ++k) {
    const Eigen::MatrixXd rows = all.scaled_rows(k, here.scaling.scale_rows(here.A));
    const auto changes = [&](const Assembled& there) {
      return (all.scaled_rows(k, there.scaling.scale_rows(there.A)) - rows).norm() > kStill * rows.norm();
    };
    still[k] = all.parts[k].by_position && !changes(along) && changes(driven) ? 1 : 0;
  }
  return still;
}

// No side of the state is that of the motion of components that are still: steps along what their rows leave open, and
// back onto them, tell whether they hold more there. Three such steps, along combinations of all those directions.
// Their ranks become those found; the others stay.
bool GenericRank::probe(double t, const double* y, const Assembled& here, const std::vector<char>& still) {
  TruncatedInverse& all = equations_.truncated();
  const std::vector<RowComponent> parts = all.parts;
  const Eigen::VectorXd weights = all.weight;
  const auto held = [](const RowComponent& part) { return (part.values.array() > kSameRank).count(); };
  SplitMix64 random(1);
  for (int step = 0; step < 3; ++step) {
    Eigen::VectorXd w = Eigen::VectorXd::Zero(equations_.layout().n_speeds);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Eigen::VectorXd mix =
          Eigen::VectorXd::NullaryExpr(parts[k].V.cols() - held(parts[k]), [&](Eigen::Index) { return random.next(); });
      if (mix.size() > 0 && still[k] != 0)
        w(parts[k].columns) = kProbe * extent(y) * (parts[k].V.rightCols(mix.size()) * mix).normalized();
    }
    displace(t, y, here, w);
    all.weight = weights;
    const bool counted = weigh_vanishing(t) && rank_at(t);
    bool any = false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      // a row such as y^2 == 0 holds something off the constraints only, where the step was not undone altogether
      const bool more = counted && still[k] != 0 && parts[k].by_position && all.parts[k].rank > held(parts[k]) &&
                        all.parts[k].smallest() > kOffPosition * kProbe;
      if (!more) all.parts[k] = parts[k];
      any = any || more;
    }
    if (any) return true;
  }
  return false;
}

// Returns whether components at rest hold more directions near the state than at it. Nothing moves (e = 0), or
// something moves and loads drive off what does not.
bool GenericRank::holds_more_at_rest(double t, const double* y, double e, const RankReport& start) {
  TruncatedInverse& all = equations_.truncated();
  Assembled here;
  if (equations_.assemble(t, y, here, false) != 0) return false;
  const Eigen::VectorXd known = all.weight;
  for (std::size_t k = 0; k < start.rows.size(); ++k)
    if (start.rows[k].state == RowState::zero) all.weight[static_cast<Eigen::Index>(k)] = 0;
  const std::vector<char> still = still_components(t, y, here, e);
  if (contains(still, 1) && all.decompose(here.scaling.scale_rows(here.A)) && probe(t, y, here, still)) return true;
  all.weight = known;
  return false;
}

// Its rows are the certification's from here on.
void GenericRank::leave(RowComponent& part) {
  part.by_position = false;
  for (const Eigen::Index r : part.rows)
    limits_[static_cast<std::size_t>(r)] = watched_[static_cast<std::size_t>(r)] = 0;
}

// Parts that cannot move, and so cross nothing: their rows leave no speed free, and ask for none, at this time and at
// others.
void GenericRank::leave_determined(double t, const double* y) {
  const kernel::SystemLayout& l = equations_.layout();
  const std::vector<char> of_contact = info_.events.rows_of_contact(info_.rows.size()),
                          moves = rows_that_move(equations_, t, y);
  const auto moves_row = [&](Eigen::Index k) {
    return moves[static_cast<std::size_t>(k)] != 0 || of_contact[static_cast<std::size_t>(k)] != 0;
  };
  const auto moving = [&](Eigen::Index j) { return y[l.speeds_at() + static_cast<std::uint32_t>(j)] != 0; };
  Assembled here;
  TruncatedInverse& all = equations_.truncated();
  for (std::size_t k = 0; k < all.parts.size(); ++k) {
    RowComponent& part = all.parts[k];
    if (part.rank < static_cast<int>(part.columns.size()) ||
        std::any_of(part.rows.begin(), part.rows.end(), moves_row) ||
        std::any_of(part.columns.begin(), part.columns.end(), moving))
      continue;
    if (here.A.size() == 0 && equations_.assemble(t, y, here, false) != 0) return;
    const Eigen::MatrixXd G = here.scaling.scale_rows(here.A);
    const Eigen::VectorXd values = singular_values(all.scaled_rows(k, G));
    if (values.size() < part.rank || !(values[part.rank - 1] > kSameRank * values[0])) continue;  // a row is zero here
    leave(part);
  }
}

GenericRank::Start GenericRank::decide(double t, const double* y, const RankReport* doubtful, bool goes_on) {
  if (!watches_) return Start::moves;
  rates_.resize(scratch_.size());
  equations_.rates(t, y, rates_.data());
  const double e = offset_from_singularity(equations_, t, y, rates_.data());
  look_around(t, y, e, goes_on);
  TruncatedInverse& all = equations_.truncated();
  for (RowComponent& part : all.parts)
    part.rank = static_cast<int>(std::count_if(part.rows.begin(), part.rows.end(), [this](Eigen::Index r) {
      return equations_.mask[static_cast<std::size_t>(r)] != 0;
    }));
  Start start = Start::moves;
  if (doubtful && e > 0 && !agrees_on_both_sides(t, y, e))  // nothing is known beside the start
    for (RowComponent& part : all.parts) leave(part);
  else if (doubtful && holds_more_at_rest(t, y, e, *doubtful))
    start = e > 0 ? Start::driven_off : Start::at_rest;
  leave_determined(t, y);
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    // of a row that is always nearly dependent the elimination leaves a pivot of rounding
    const double weight = all.weight[static_cast<Eigen::Index>(k)];
    const bool sound = usual_[k] * weight * weight > kSoundPivot;
    limits_[k] = watched_[k] != 0 && equations_.mask[k] != 0 && sound ? kNearPart * usual_[k] : 0;
  }
  take_level(true, t, y);
  take_level(false, t, y);
  return start;
}

// Rows of other levels have no weight in it. The rank of components with such rows is decided at the state.
void GenericRank::take_level(bool position, double t, const double* y) {
  const std::vector<double> of = rows_of_level(info_, position);
  TruncatedInverse& level = position ? position_ : velocity_;
  level = equations_.truncated();
  level.weight.array() *= Eigen::Map<const Eigen::ArrayXd>(of.data(), level.weight.size());
  const auto mixed = [&](const RowComponent& part) {
    return std::any_of(part.rows.begin(), part.rows.end(),
                       [&](Eigen::Index r) { return of[static_cast<std::size_t>(r)] == 0; });
  };
  Assembled here;
  if (std::none_of(level.parts.begin(), level.parts.end(), mixed) || equations_.assemble(t, y, here, false) != 0 ||
      !level.decompose(here.scaling.scale_rows(here.A)))
    return;
  for (RowComponent& part : level.parts)
    if (mixed(part))
      part.rank =
          static_cast<int>((part.values.array() > std::max(kSameRank * part.values[0], kGenericRankNothing)).count());
}

double GenericRank::least_pivot() const {
  double least = 1;
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    if (!(limits_[k] > 0)) continue;
    const double ratio = equations_.pivot()[k] / usual_[k];
    least = ratio > least ? least : ratio;  // NaN is taken
  }
  return least;
}

double GenericRank::clearance(double bound) const {
  double least = std::numeric_limits<double>::infinity();
  for (const RowComponent& part : equations_.truncated().parts)
    if (part.by_position && part.rank > 0)
      least = std::min(least, part.smallest() / std::max(bound, kUncounted * part.largest_truncated()));
  return least;
}

bool GenericRank::give_up(double bound) {
  bool any = false;
  std::vector<RowComponent>& parts = equations_.truncated().parts;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k].by_position || parts[k].smallest() >= bound) continue;
    any = true;
    parts[k].rank -= parts[k].weak(bound);
    for (TruncatedInverse* level : {&equations_.truncated(), &position_, &velocity_}) leave(level->parts[k]);
  }
  return any;
}

bool GenericRank::correct(bool position, double t, double* y, double tolerance, double& moved) {
  const kernel::SystemLayout& l = equations_.layout();
  TruncatedInverse& level = position ? position_ : velocity_;
  tolerance *= projector_.size().of(position);
  Assembled here;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kGenericRankMaxIterations; ++iteration) {
    if (equations_.assemble(t, y, here, false) != 0 || !level.decompose(here.scaling.scale_rows(here.A))) return false;
    equations_.residuals(t, y);
    const Eigen::VectorXd e = Eigen::Map<const Eigen::VectorXd>(equations_.residual(position), l.n_rows);
    double size = 0;
    Eigen::VectorXd w = Eigen::VectorXd::Zero(l.n_speeds);
    for (std::size_t k = 0; k < level.parts.size(); ++k) {
      const RowComponent& part = level.parts[k];
      const Eigen::VectorXd z = level.leading(k, e);
      if (z.size() > 0) size = std::max(size, z.cwiseAbs().maxCoeff());
      w(part.columns) = -part.V.leftCols(part.rank) * part.over_values(z);
    }
    if (!std::isfinite(size)) return false;
    const double round_off = kEpsilon * projector_.extent(position, y);
    if (size <= round_off || (iteration > 1 && size > 0.5 * last))
      return size <= std::max(tolerance, kGenericRankRoundOff * round_off);
    const Eigen::VectorXd displacement = here.scaling.from_scaled(w);
    projector_.displace(position, t, y, displacement.data());
    if (position) moved += w.norm();
    last = size;
  }
  return last <= tolerance;
}

bool GenericRank::project(double t, double* y, double tolerance, double* moved) {
  double way = 0;
  const bool converged = correct(true, t, y, tolerance, way) && correct(false, t, y, tolerance, way);
  if (moved) *moved = way;
  return converged;
}

bool GenericRank::project_strong(double t, double* y, double tolerance, std::size_t k, int weak) {
  int& rank = position_.parts[k].rank;
  const int kept = std::exchange(rank, std::max(rank - weak, 0));
  double way = 0;
  const bool converged = correct(true, t, y, tolerance, way);
  rank = kept;
  return converged;
}

Eigen::VectorXd GenericRank::off(double t, const double* y, std::size_t k) {
  const std::vector<Eigen::Index>& rows = position_.parts[k].rows;
  const auto other = [this](Eigen::Index r) {
    return info_.rows[static_cast<std::size_t>(r)].level != problem::Level::position;
  };
  if (std::any_of(rows.begin(), rows.end(), other)) return {};
  equations_.residuals(t, y);
  const Eigen::VectorXd all =
      Eigen::Map<const Eigen::VectorXd>(equations_.position_residual(), equations_.layout().n_rows);
  return all(rows).cwiseProduct(position_.weight(rows));
}

void GenericRank::transfer(Archive& archive) {
  if (!watches_) return;
  archive.fixed(usual_, limits_);
  for (TruncatedInverse* level : {&equations_.truncated(), &position_, &velocity_}) {
    level->weight.conservativeResize(static_cast<Eigen::Index>(watched_.size()));
    for (double& w : level->weight) archive(w);
    archive.expect(level->weight.allFinite());
    for (RowComponent& part : level->parts) {
      archive(part.rank, part.by_position);
      archive.expect(part.rank >= 0 && part.rank <= static_cast<int>(std::min(part.rows.size(), part.columns.size())));
    }
  }
}

}  // namespace mbc::runtime
