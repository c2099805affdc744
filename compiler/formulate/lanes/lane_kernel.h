// SPDX-License-Identifier: Apache-2.0
// The function `stage` of long and thin systems: q', u', s' as `rhs` gives them, and nothing else, in eight lanes.
//
//   state in lanes -> rows A, r, S_kk and their couplings S_kl -> elimination of each lane's rows in order -> what is
//   left for the tail, solved as expressions -> multipliers of the lanes backwards -> accelerations
//
// with S = A M^-1 A^T and r = b - A M^-1 f as everywhere; rows are divided by factors all their entries share
// (compiler/formulate/solve/row_factors.h). All rows take part: it is called when the certified set is all of them. A
// pivot at or below kSurePivot S_kk makes the accelerations NaN, and then, as when anything else is not finite, the
// function returns kGaveUp: `rhs` decides.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/formulate/lanes/code.h"
#include "compiler/formulate/lanes/partition.h"
#include "kernel/layout.h"

namespace mbc::formulate {

// Above what asks for a certification (runtime/constraints/certification.cpp, kAskBelow).
inline constexpr double kSurePivot = 1e-6;

class LaneStage {
 public:
  struct Context {
    const lower::System& system;
    const Pattern& pattern;
    const InertiaBlocks& blocks;
    const LanePartition& partition;
    const SystemLayout& layout;
    std::function<std::uint32_t(const char* name, std::uint32_t size)> room;  // in work
    std::function<Place(const graph::Node& global)> leaf_place;               // outside the lanes
    std::function<std::uint32_t(const lower::Part& part)> constants_of;       // in work
  };
  // Whether a system can be done so, as far as its form tells: literal masses, no work of constraints, no prescribed
  // forces.
  static bool suits(const lower::System& system, const InertiaBlocks& blocks);
  explicit LaneStage(Context context);  // of a system that suits

  // Whether M is positive definite, and the templates are few.
  [[nodiscard]] bool possible() const { return possible_; }
  // Appends to a function that has written the constants, and cleared the work rates in deriv. `motion`: all of deriv;
  // `full`: with the multipliers and pivots of the rows as they are written. The others: residuals, |G_k|^2 (also as
  // pivots), and the correction w with A w = -residual in the place of u'.
  enum class Wanted : std::uint8_t { motion, full, position, velocity };
  void emit(kernel::Function& f, Wanted wanted);
  // Whether all rows have residuals of that level.
  [[nodiscard]] bool has(Wanted level) const;

 private:
  // A number in a row's A: an entry that is stored, and its sign.
  struct Entry {
    std::uint32_t speed = 0;  // global
    std::uint32_t base = 0;   // which of the stored ones
    double sign = 1;
  };
  struct RowShape {                   // the same for all instances of a template
    std::vector<std::uint32_t> base;  // by contribution of jacobian
    std::vector<double> sign;
    std::uint32_t bases = 0;
  };
  struct Group {  // a template and its instances, made when the first instance comes
    std::unique_ptr<LaneTemplate> code;
  };
  using Groups = std::map<std::string, Group>;
  using Names = std::vector<std::uint32_t>;  // local rows, then roles

  // ---- what is known when compiling (stage_inertia.cpp)
  void find_inertia();
  void take_mass(const lower::Part& part, std::uint32_t instance);
  [[nodiscard]] double inverse(std::uint32_t i, std::uint32_t j) const;  // of M, global speeds

  // ---- places
  void make_room();
  [[nodiscard]] bool motion() const { return wanted_ == Wanted::motion || wanted_ == Wanted::full; }
  // M^-1 f of a speed is a number known now.
  [[nodiscard]] bool known(std::uint32_t speed) const { return !motion() || literal_force_[speed]; }
  [[nodiscard]] double free(std::uint32_t speed) const { return motion() ? free_[speed] : 0.0; }
  [[nodiscard]] std::uint32_t in_lane(std::uint32_t at, LaneMember m) const { return at + m.local * kLanes + m.lane; }
  [[nodiscard]] Place place_of(const lower::Part& part, std::uint32_t instance, std::uint32_t slot) const;
  [[nodiscard]] std::uint32_t row_place(std::uint32_t lanes_at, std::uint32_t tail_at, std::uint32_t row) const;
  // Of what there is one for each speed, those in lanes first.
  [[nodiscard]] std::uint32_t speed_place(std::uint32_t at, std::uint32_t speed) const {
    return at + speed_order_[speed];
  }
  static void add_places(LaneTemplate& code, const std::vector<std::vector<std::uint32_t>>& by_lane,
                         std::uint32_t run = 0);
  [[nodiscard]] std::uint32_t base_place(std::uint32_t row, std::uint32_t base) const;
  [[nodiscard]] std::uint32_t name_of(std::uint32_t row, std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t coupling_place(std::uint32_t row, std::uint32_t other) const;

  // ---- the steps
  void into_lanes(kernel::Function& f) const;
  void rows(kernel::Function& f);  // stage_rows.cpp
  Group& row_group(Groups& groups, const lower::Part& part, std::uint32_t instance);
  void add_row(Groups& groups, const Across& rows, std::uint32_t lanes, std::uint32_t run = 0);
  void couplings(kernel::Function& f);
  void add_coupling(Groups& groups, const Across& rows, const Across& others, std::uint32_t lanes,
                    std::uint32_t run = 0);
  void plan_elimination();  // stage_solve.cpp
  struct Column;
  [[nodiscard]] std::vector<Column> columns() const;
  void eliminate(kernel::Function& f) const;
  void solve_tail(kernel::Function& f) const;
  void substitute_back(kernel::Function& f) const;
  void row_results(kernel::Function& f) const;
  void accelerations(kernel::Function& f) const;  // stage_motion.cpp
  void free_accelerations(kernel::Function& f) const;
  void add_acceleration(Groups& groups, const std::vector<Across>& speeds, std::uint32_t lanes) const;
  void rates(kernel::Function& f) const;
  void out_of_lanes(kernel::Function& f) const;

  Context c_;
  bool possible_ = true;
  Wanted wanted_ = Wanted::motion;
  std::vector<double> inverse_;                // of each block, full
  std::vector<std::size_t> inverse_begin_;     // by block
  std::vector<std::uint32_t> place_in_block_;  // by speed
  std::vector<double> free_;                   // M^-1 f by speed, where literal
  std::vector<bool> literal_force_;            // by speed: f of its block is literal
  bool all_literal_ = true;

  std::vector<std::pair<const lower::Part*, std::uint32_t>> instance_of_row_;
  std::map<const lower::Part*, RowShape> shapes_;
  std::vector<std::vector<Entry>> entries_;  // by row

  // In work, [local][lane] and, for the tail, by index:
  std::uint32_t q_ = 0, u_ = 0, A_ = 0, r_ = 0, S_ = 0, scale_ = 0, pivot_inverse_ = 0, coupling_ = 0, lambda_ = 0;
  std::uint32_t role_coupling_ = 0, role_r_ = 0, role_lambda_ = 0, acceleration_ = 0;
  std::uint32_t tail_A_ = 0, tail_r_ = 0, tail_S_ = 0, tail_scale_ = 0, tail_coupling_ = 0, tail_lambda_ = 0;
  std::vector<std::uint32_t> base_begin_;  // by local row; behind them by index of the tail
  std::vector<Names> reach_;               // by local row: what its column of L holds, ascending
  std::vector<std::uint32_t> reach_begin_;
  std::vector<Names> coupled_;  // by local row: later rows and roles it shares speeds with
  std::vector<std::uint32_t> speed_order_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> tail_pair_;  // indices of the tail, first < second
  std::uint32_t row_inverse_ = 0, tail_row_inverse_ = 0;                        // of what rows are divided by
  std::uint32_t guard_ = 0;                // of the tail, each > 0 where its pivot is sure
  std::uint32_t force_ = 0, free_at_ = 0;  // f and M^-1 f where they are not literal: by speed
};

}  // namespace mbc::formulate
