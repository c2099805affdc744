// SPDX-License-Identifier: Apache-2.0
// Counting, and corrections in the counted directions.
#include "runtime/constraints/singular/usual_rank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/epsilon.h"
#include "base/split_mix64.h"
#include "runtime/constraints/offset_from_singularity.h"
#include "runtime/constraints/row_parts.h"

namespace mbc::runtime {

namespace {

constexpr double kNearPart = 1e-2;  // of the usual pivot: from here on a row may be near to depending on others
// States at which the usual pivot is looked for: turns of the fastest row, in units of kOffsetTurn.
constexpr std::array<double, 5> kAround{0, 20, -20, 80, -80};
constexpr double kUncounted = 100;     // times a direction that is not counted, one that is has to be larger
constexpr double kProbe = 1e-3;        // of the largest coordinate: a step beside a state at rest
constexpr double kOffPosition = 1e-2;  // of that: a singular value there that is not the position's
constexpr double kFromNothing = 1e6;   // times its size at rest: a row beside it that was zero but for rounding
constexpr double kStill = 1e-9;        // of the rows of a part: a change where the fastest of all turn by kOffsetTurn
constexpr double kDrivenPart = 1e-3;   // of what acts on a part: an acceleration that leads it off
constexpr double kSoundPivot = 1e-8;   // usual d/S of a row that is watched
constexpr double kGap = 1e-6;          // ratio of two singular values between which the rank of a start is
constexpr double kUsualRankNothing = 1e-13;  // singular values that are none
constexpr int kUsualRankMaxIterations = 12;
constexpr double kUsualRankRoundOff = 1e4;  // of a correction that round-off stopped, times eps and the extent
constexpr double kSameRank = 1e-6;          // ratio of singular values at which those of one level alone are told apart

std::vector<double> rows_of(const problem::Problem& info, bool position) {
  std::vector<double> out;
  for (const problem::Row& row : info.rows)
    out.push_back((position ? row.level == problem::Level::position : row.level != problem::Level::acceleration) ? 1.0
                                                                                                                 : 0.0);
  return out;
}

}  // namespace

UsualRank::UsualRank(Equations& equations, const problem::Problem& info, ConstraintProjector& projector)
    : equations_(equations), info_(info), projector_(projector), watched_(info.rows.size(), 0.0) {
  if (equations.beyond_dense() || info.rows.empty()) return;
  equations.counted().parts = row_parts(equations.layout(), info);
  for (const CountedPart& part : equations.counted().parts)
    if (part.by_position)
      for (const Eigen::Index r : part.rows) watched_[static_cast<std::size_t>(r)] = 1;
  watches_ = std::find(watched_.begin(), watched_.end(), 1.0) != watched_.end();
  if (!watches_) return;
  position_.parts = restricted(equations.counted().parts, rows_of(info, true));
  velocity_.parts = restricted(equations.counted().parts, rows_of(info, false));
  for (CountedInverse* level : {&equations.counted(), &position_, &velocity_})
    level->weight = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(info.rows.size()));
  usual_.resize(info.rows.size());
  limits_.resize(info.rows.size());
  scratch_.resize(equations.layout().n_y());
}

// The usual pivot, and the usual size of rows, from what the last rhs has left.
void UsualRank::raise_references() {
  Eigen::VectorXd& weight = equations_.counted().weight;
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    const double pivot = equations_.pivot()[k], scale = equations_.pivot_scale()[k];
    const auto row = static_cast<Eigen::Index>(k);
    if (scale > 0) weight[row] = std::min(weight[row], 1 / std::sqrt(scale));
    if (std::isfinite(pivot)) usual_[k] = std::max(usual_[k], pivot);
  }
}

// At the state and at states around it along the motion, off the constraints as they are.
void UsualRank::look_around(double t, const double* y, bool goes_on) {
  const kernel::SystemLayout& l = equations_.layout();
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  Eigen::VectorXd& weights = equations_.counted().weight;
  if (!goes_on) {
    weights = Eigen::VectorXd::Constant(l.n_rows, kUnknown);
    std::fill(usual_.begin(), usual_.end(), 0.0);
  }
  for (double& weight : weights)
    if (weight == 0) weight = kUnknown;
  const double e = offset_from_singularity(equations_, t, y, rates_.data());
  for (const double place : kAround) {
    beside_.assign(y, y + l.n_y());
    for (std::uint32_t i = 0; i < l.n_coordinates; ++i) beside_[i] += place * e * rates_[i];
    if (equations_.rhs_in(SolveMode::fast, t + place * e, beside_.data(), scratch_.data()) == 0) raise_references();
  }
  for (double& weight : weights)
    if (!std::isfinite(weight)) weight = 0;  // zero rows hold nothing
}

bool UsualRank::count_beside(double t, const double* y, double offset) {
  beside_.assign(y, y + equations_.layout().n_y());
  for (std::uint32_t i = 0; i < equations_.layout().n_coordinates; ++i) beside_[i] += offset * rates_[i];
  normalise(info_, beside_.data());
  return count_there(t + offset);
}

// A row that is zero at rest, or as good as zero, has no usual size. At first those that are so but for rounding are
// told by how they grow; then each has, as far beside as beside_ is, the size of that step.
bool UsualRank::weigh_vanishing(double t, bool first) {
  Assembled there;
  if (equations_.assemble(t, beside_.data(), there, false) != 0) return false;
  const Eigen::VectorXd norms = there.scaling.scale_rows(there.A).rowwise().norm();
  Eigen::VectorXd& weight = equations_.counted().weight;
  for (Eigen::Index k = 0; k < weight.size(); ++k)
    if (first)
      weight[k] = weight[k] * norms[k] > kFromNothing ? 0 : weight[k];
    else if (weight[k] == 0 && norms[k] > 0)
      weight[k] = kProbe / norms[k];
  return true;
}

// beside_: as far from y as w, in mass-scaled directions, where `here` is assembled.
void UsualRank::displace(double t, const double* y, const Assembled& here, const Eigen::VectorXd& w) {
  beside_.assign(y, y + equations_.layout().n_y());
  const Eigen::VectorXd displacement = here.scaling.from_scaled(w);
  projector_.displace(true, t, beside_.data(), displacement.data());
}

// Rows that are zero at y but for rounding have no weight any more.
bool UsualRank::find_vanishing(double t, const double* y, const Assembled& here, SplitMix64& random) {
  const auto any = [&](Eigen::Index) { return random.next(); };
  displace(t, y, here,
           kProbe * extent(y) * Eigen::VectorXd::NullaryExpr(equations_.layout().n_speeds, any).normalized());
  return weigh_vanishing(t, true);
}

// Nothing moves, so no side is that of the motion: a step along what the rows leave open at the state, and back onto
// them, tells whether they hold more beside it. Three such steps, made up from all those directions.
bool UsualRank::singular_at_rest(double t, const double* y) {
  const kernel::SystemLayout& l = equations_.layout();
  CountedInverse& all = equations_.counted();
  const Eigen::VectorXd known = all.weight;
  Assembled here;
  if (equations_.assemble(t, y, here, false) != 0) return false;
  const double length = kProbe * extent(y);
  SplitMix64 random(1);
  if (!find_vanishing(t, y, here, random) || !all.decompose(here.scaling.scale_rows(here.A))) {
    all.weight = known;
    return false;
  }
  const std::vector<CountedPart> parts = all.parts;
  const Eigen::VectorXd weights = all.weight;
  for (int probe = 0; probe < 3; ++probe) {
    Eigen::VectorXd w = Eigen::VectorXd::Zero(l.n_speeds);
    for (const CountedPart& part : parts) {
      const Eigen::Index open = (part.values.array() > kSameRank).count();
      const Eigen::VectorXd mix =
          Eigen::VectorXd::NullaryExpr(part.V.cols() - open, [&](Eigen::Index) { return random.next(); });
      if (mix.size() > 0) w(part.columns) = length * (part.V.rightCols(mix.size()) * mix).normalized();
    }
    displace(t, y, here, w);
    all.weight = weights;
    if (!weigh_vanishing(t, false) || !count_there(t)) continue;
    for (std::size_t k = 0; k < parts.size(); ++k)
      // a row such as y^2 == 0 holds something off the constraints only, where the step was not undone altogether
      if (parts[k].by_position && all.parts[k].rank > (parts[k].values.array() > kSameRank).count() &&
          all.parts[k].smallest() > kOffPosition * kProbe)
        return true;
  }
  all.parts = parts;
  all.weight = known;
  return false;
}

// Whose rows do not change along the motion, by number of the part.
std::vector<char> UsualRank::still_parts(double t, const double* y, const Assembled& here, double e) {
  const kernel::SystemLayout& l = equations_.layout();
  const CountedInverse& all = equations_.counted();
  std::vector<char> still(all.parts.size());
  beside_.assign(y, y + l.n_y());
  for (std::uint32_t i = 0; i < l.n_coordinates; ++i) beside_[i] += e * rates_[i];
  Assembled there;
  if (equations_.assemble(t + e, beside_.data(), there, false) != 0) return still;
  const Eigen::MatrixXd before = here.scaling.scale_rows(here.A), after = there.scaling.scale_rows(there.A);
  for (std::size_t k = 0; k < still.size(); ++k) {
    const Eigen::MatrixXd rows = all.scaled_rows(k, before);
    still[k] = all.parts[k].by_position && (all.scaled_rows(k, after) - rows).norm() <= kStill * rows.norm() ? 1 : 0;
  }
  return still;
}

// e: the offset of states beside this one (offset_from_singularity.h), along whose motion parts are still or not.
bool UsualRank::leads_off(double t, const double* y, double e) {
  CountedInverse& all = equations_.counted();
  Assembled here;
  if (equations_.assemble(t, y, here, false) != 0) return false;
  const Eigen::VectorXd known = all.weight;
  SplitMix64 random(1);
  std::vector<char> still;
  if (find_vanishing(t, y, here, random)) still = still_parts(t, y, here, e);
  const bool off = std::find(still.begin(), still.end(), 1) != still.end() && leads_off(t, y, here, still);
  if (!off) all.weight = known;
  return off;
}

// A step along the accelerations that the counted rows leave, and back onto the rows, tells whether they hold more
// there: at this time, and where rows move as far on as these accelerations take for that step.
bool UsualRank::leads_off(double t, const double* y, const Assembled& here, const std::vector<char>& still) {
  CountedInverse& all = equations_.counted();
  if (rhs(t, y, scratch_.data()) != 0) return false;
  const kernel::SystemLayout& l = equations_.layout();
  const Eigen::VectorXd free = here.scaling.to_scaled(here.free_acceleration()),
                        made = here.scaling.to_scaled(
                            Eigen::Map<const Eigen::VectorXd>(scratch_.data() + l.speeds_at(), l.n_speeds));
  Eigen::VectorXd w = Eigen::VectorXd::Zero(l.n_speeds);
  double largest = 0;
  for (std::size_t k = 0; k < still.size(); ++k) {
    const CountedPart& part = all.parts[k];
    const double found = made(part.columns).norm(), forces = free(part.columns).norm(),
                 rows = here.b(part.rows).cwiseProduct(all.weight(part.rows)).norm();
    if (still[k] == 0 || found <= kDrivenPart * std::max(forces, rows)) continue;
    w(part.columns) = kProbe * extent(y) * made(part.columns) / found;
    largest = std::max(largest, found);
  }
  if (largest == 0) return false;
  const std::vector<CountedPart> parts = all.parts;
  const Eigen::VectorXd weights = all.weight;
  for (const double later : {0.0, std::sqrt(2 * kProbe * extent(y) / largest)}) {
    displace(t, y, here, w);
    for (std::uint32_t i = 0; i < l.n_coordinates; ++i) beside_[i] += later * rates_[i];
    all.weight = weights;
    if (weigh_vanishing(t + later, false) && hold_more_there(t + later, parts, still)) return true;
  }
  return false;
}

// Than at the state, of which `parts` are; those that do not are left as they were.
bool UsualRank::hold_more_there(double t, const std::vector<CountedPart>& parts, const std::vector<char>& which) {
  std::vector<CountedPart>& all = equations_.counted().parts;
  const bool counted = count_there(t);
  bool any = false;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool more = counted && which[k] != 0 && all[k].rank > (parts[k].values.array() > kSameRank).count() &&
                      all[k].smallest() > kOffPosition * kProbe;
    if (!more) all[k] = parts[k];
    any = any || more;
  }
  return any;
}

// The rank of each part near to beside_, where singular values are far apart.
bool UsualRank::count_there(double t) {
  CountedInverse& all = equations_.counted();
  if (!projector_.project(t, beside_.data(), 1e-14, true).converged) return false;
  Assembled there;
  if (equations_.assemble(t, beside_.data(), there, false) != 0 || !all.decompose(there.scaling.scale_rows(there.A)))
    return false;
  for (CountedPart& part : all.parts) {
    double widest = 1 / kGap;  // at least
    part.rank = static_cast<int>(part.values.size());
    for (Eigen::Index k = part.values.size() - 1; k > 0; --k) {
      const double ratio = part.values[k - 1] / std::max(part.values[k], kUsualRankNothing);
      if (part.values[k - 1] > kUsualRankNothing && ratio > widest) {
        widest = ratio;
        part.rank = static_cast<int>(k);
      }
    }
  }
  return true;
}

bool UsualRank::count(double t, const double* y, bool clear, bool goes_on) {
  if (!watches_) return true;
  rates_.resize(scratch_.size());
  equations_.rates(t, y, rates_.data());
  look_around(t, y, goes_on);
  CountedInverse& all = equations_.counted();
  const auto rank_of_mask = [&](const CountedPart& part) {
    int rank = 0;
    for (const Eigen::Index r : part.rows) rank += equations_.mask[static_cast<std::size_t>(r)] != 0 ? 1 : 0;
    return rank;
  };
  for (CountedPart& part : all.parts) part.rank = rank_of_mask(part);
  bool sure = true;
  const double e = offset_from_singularity(equations_, t, y, rates_.data());
  at_rest_ = !clear && e == 0 && singular_at_rest(t, y);
  if (!clear && e > 0) {
    std::vector<int> before;
    sure = count_beside(t, y, -e);
    for (const CountedPart& part : all.parts) before.push_back(part.rank);
    sure = count_beside(t, y, e) && sure;
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (all.parts[k].by_position && before[k] != all.parts[k].rank) sure = false;
      if (!all.parts[k].by_position) all.parts[k].rank = rank_of_mask(all.parts[k]);
    }
  }
  driven_off_ = sure && !clear && e > 0 && leads_off(t, y, e);
  if (!sure)  // nothing is known of what is beside the start: as the certification has it, and no more
    for (CountedPart& part : all.parts) {
      part.rank = rank_of_mask(part);
      leave(part);
    }
  find_determined(t, y);
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    // of a row that is always nearly dependent the elimination leaves a pivot of rounding
    const double weight = all.weight[static_cast<Eigen::Index>(k)];
    const bool sound = usual_[k] * weight * weight > kSoundPivot;
    limits_[k] = watched_[k] != 0 && equations_.mask[k] != 0 && sound ? kNearPart * usual_[k] : 0;
  }
  for (const bool position : {true, false}) {
    CountedInverse& level = position ? position_ : velocity_;
    level.weight = all.weight;
    level.parts = restricted(all.parts, rows_of(info_, position));
    take_ranks(level, t, y);
  }
  return sure;
}

// Its rows are the certification's from here on.
void UsualRank::leave(CountedPart& part) {
  part.by_position = false;
  for (const Eigen::Index r : part.rows)
    limits_[static_cast<std::size_t>(r)] = watched_[static_cast<std::size_t>(r)] = 0;
}

// Parts that cannot move, and so cross nothing: their rows leave no speed free, and ask for none, at this time and at
// others.
void UsualRank::find_determined(double t, const double* y) {
  constexpr std::array<double, 3> kTimes{0, 0.618, 61.8};
  const kernel::SystemLayout& l = equations_.layout();
  const std::vector<char> of_contact = info_.events.rows_of_contact(info_.rows.size());
  std::vector<char> moves(l.n_rows);
  for (const double later : kTimes) {
    equations_.assemble(t + later, y);
    const double* b = equations_.work().data() + l.b;
    for (std::uint32_t k = 0; k < l.n_rows; ++k) moves[k] |= static_cast<char>(of_contact[k] != 0 || b[k] != 0);
    equations_.residuals(t + later, y);
    for (std::uint32_t k = 0; k < l.n_rows; ++k) moves[k] |= static_cast<char>(equations_.velocity_residual()[k] != 0);
  }
  std::vector<std::uint32_t> rows, speeds;
  for (CountedPart& part : equations_.counted().parts) {
    const auto moves_row = [&](Eigen::Index k) { return moves[static_cast<std::size_t>(k)] != 0; };
    const auto moving = [&](Eigen::Index j) { return y[l.speeds_at() + static_cast<std::uint32_t>(j)] != 0; };
    if (part.rank < static_cast<int>(part.columns.size()) ||
        std::any_of(part.rows.begin(), part.rows.end(), moves_row) ||
        std::any_of(part.columns.begin(), part.columns.end(), moving))
      continue;
    rows.insert(rows.end(), part.rows.begin(), part.rows.end());
    speeds.insert(speeds.end(), part.columns.begin(), part.columns.end());
    leave(part);
  }
  equations_.set_determined(std::move(rows), std::move(speeds));
}

// Of a level that has all rows of a part the rank is that of the part; else it is counted by itself.
void UsualRank::take_ranks(CountedInverse& level, double t, const double* y) {
  const std::vector<CountedPart>& all = equations_.counted().parts;
  bool known = true;
  for (std::size_t k = 0; k < all.size(); ++k) {
    level.parts[k].rank = level.parts[k].rows.size() == all[k].rows.size() ? all[k].rank : 0;
    known = known && (level.parts[k].rank == all[k].rank || level.parts[k].rows.empty());
  }
  if (known) return;
  Assembled here;
  if (equations_.assemble(t, y, here, false) != 0 || !level.decompose(here.scaling.scale_rows(here.A))) return;
  for (std::size_t k = 0; k < all.size(); ++k) {
    CountedPart& part = level.parts[k];
    if (part.rows.size() == all[k].rows.size()) continue;
    part.rank = 0;
    while (part.rank < part.values.size() && part.values[part.rank] > kSameRank * part.values[0]) ++part.rank;
  }
}

double UsualRank::least_pivot() const {
  double least = 1;
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    if (!(limits_[k] > 0)) continue;
    const double ratio = equations_.pivot()[k] / usual_[k];
    least = ratio > least ? least : ratio;  // NaN is taken
  }
  return least;
}

std::int32_t UsualRank::rhs(double t, const double* y, double* dy) {
  return equations_.rhs_in(SolveMode::counted, t, y, dy);
}

double UsualRank::clearance(double bound) const {
  double least = std::numeric_limits<double>::infinity();
  for (const CountedPart& part : equations_.counted().parts)
    if (part.by_position && part.rank > 0)
      least = std::min(least, part.smallest() / std::max(bound, kUncounted * part.largest_uncounted()));
  return least;
}

bool UsualRank::give_up(double bound) {
  bool any = false;
  std::vector<CountedPart>& parts = equations_.counted().parts;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k].by_position || parts[k].smallest() >= bound) continue;
    any = true;
    parts[k].rank -= parts[k].weak(bound);
    for (CountedInverse* level : {&equations_.counted(), &position_, &velocity_}) leave(level->parts[k]);
  }
  return any;
}

bool UsualRank::correct(bool position, double t, double* y, double tolerance, Correction& made) {
  const kernel::SystemLayout& l = equations_.layout();
  CountedInverse& level = position ? position_ : velocity_;
  tolerance *= projector_.size().of(position);
  Assembled here;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kUsualRankMaxIterations; ++iteration) {
    if (equations_.assemble(t, y, here, false) != 0 || !level.decompose(here.scaling.scale_rows(here.A))) return false;
    equations_.residuals(t, y);
    const Eigen::VectorXd e = Eigen::Map<const Eigen::VectorXd>(
        position ? equations_.position_residual() : equations_.velocity_residual(), l.n_rows);
    double size = 0;
    made.uncounted = 0;
    Eigen::VectorXd w = Eigen::VectorXd::Zero(l.n_speeds);
    for (std::size_t k = 0; k < level.parts.size(); ++k) {
      const CountedPart& part = level.parts[k];
      const Eigen::VectorXd z = level.counted(k, e), rest = level.uncounted(k, e);
      if (z.size() > 0) size = std::max(size, z.cwiseAbs().maxCoeff());
      if (rest.size() > 0) made.uncounted = std::max(made.uncounted, rest.cwiseAbs().maxCoeff());
      w(part.columns) = -part.V.leftCols(part.rank) * part.over_values(z);
    }
    if (!std::isfinite(size)) return false;
    const double round_off = kEpsilon * projector_.extent(position, y);
    if (size <= round_off || (iteration > 1 && size > 0.5 * last))
      return size <= std::max(tolerance, kUsualRankRoundOff * round_off);
    const Eigen::VectorXd displacement = here.scaling.from_scaled(w);
    projector_.displace(position, t, y, displacement.data());
    if (position) made.moved += w.norm();
    last = size;
  }
  return last <= tolerance;
}

UsualRank::Correction UsualRank::project(double t, double* y, double tolerance) {
  Correction made;
  made.converged = correct(true, t, y, tolerance, made);
  const double uncounted = made.uncounted;
  made.converged = made.converged && correct(false, t, y, tolerance, made);
  made.uncounted = uncounted;
  return made;
}

bool UsualRank::project_strong(double t, double* y, std::size_t k, int weak, Eigen::VectorXd& e) {
  const kernel::SystemLayout& l = equations_.layout();
  Assembled here;
  if (position_.parts[k].rows.size() != equations_.counted().parts[k].rows.size()) {  // rows of other levels as well
    e.resize(0);
    return true;
  }
  for (int iteration = 0; iteration < 4; ++iteration) {
    if (equations_.assemble(t, y, here, false) != 0 || !position_.decompose(here.scaling.scale_rows(here.A)))
      return false;
    const CountedPart& part = position_.parts[k];
    const Eigen::Index strong = std::max(part.rank - weak, 0);
    e = off(t, y, k);
    if (iteration == 3) return true;
    Eigen::VectorXd w = Eigen::VectorXd::Zero(l.n_speeds);
    w(part.columns) =
        -part.V.leftCols(strong) * (part.U.leftCols(strong).transpose() * e).cwiseQuotient(part.values.head(strong));
    const Eigen::VectorXd displacement = here.scaling.from_scaled(w);
    projector_.displace(true, t, y, displacement.data());
  }
  return true;
}

Eigen::VectorXd UsualRank::off(double t, const double* y, std::size_t k) {
  equations_.residuals(t, y);
  const Eigen::VectorXd all =
      Eigen::Map<const Eigen::VectorXd>(equations_.position_residual(), equations_.layout().n_rows);
  const std::vector<Eigen::Index>& rows = position_.parts[k].rows;
  return all(rows).cwiseProduct(position_.weight(rows));
}

void UsualRank::transfer(Archive& archive) {
  if (!watches_) return;
  archive.fixed(usual_, limits_);
  for (CountedInverse* level : {&equations_.counted(), &position_, &velocity_}) {
    level->weight.conservativeResize(static_cast<Eigen::Index>(watched_.size()));
    for (double& w : level->weight) archive(w);
    archive.expect(level->weight.allFinite());
    for (CountedPart& part : level->parts) {
      archive(part.rank, part.by_position);
      archive.expect(part.rank >= 0 && part.rank <= static_cast<int>(std::min(part.rows.size(), part.columns.size())));
    }
  }
}

}  // namespace mbc::runtime
