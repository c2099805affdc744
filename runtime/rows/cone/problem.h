// SPDX-License-Identifier: Apache-2.0
// The contact problem: contact forces and frictions of one instant, one impact or one step.
//
// Rows B are given in the metric of the masses (M = L L^T, B = A L^-T) and as the equations of the model leave them.
// Multipliers p of these rows change the speeds, in the same metric, by w = B^T p. Wanted are p such that
//
//   0 <= p_i,  B_i w >= d_i, one of the two being equal        for each unilateral row
//   |p_f| <= L_f(p)  and  B_f w = d_f,  or
//   p_f = -L_f(p) s/|s|,  s = B_f w - d_f                      for each friction, of one row or two
//   B_i w = d_i                                                for each row that is held whatever it takes
//   p_i = g_i(p)                                               for each force that is given: a friction that slides in
//                                                              a known direction, a load that knows multipliers
//
// The limits L and the given forces g are functions of all multipliers. The laws of impact differ in d only. With
// speeds these are impulses and jumps, with accelerations forces and accelerations.
//
// If several multipliers give one motion, the result is the limit of problems in which each row gives way by the same
// small compliance, with B_i w + c l_i^2 p_i in place of B_i w, where l_i is its residual for one metre. It is the
// limit of equal springs and a function of the state alone.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/rows/cone/row_list.h"

namespace mbc::runtime {

struct ConeProblem {
  struct Friction {
    std::uint32_t row = 0, count = 1;  // its rows, at most two
  };
  RowList rows;                           // B
  std::uint32_t n = 0;                    // speeds
  std::vector<double> wanted;             // d, by row
  std::vector<double> lengths;            // by row: what its residual is for one metre; 1 where there is none
  std::vector<std::uint32_t> unilateral;  // rows
  std::vector<Friction> frictions;
  std::vector<std::uint32_t> held, given;  // rows
  // With these multipliers the limits of all frictions, then all given forces. A limit below zero counts as none.
  std::function<void(const Eigen::VectorXd& multipliers, std::vector<double>& limits)> limits;
  // With unilateral and held rows alone, the least jump is asked for.
  // The rows whose multipliers each of these holds; nothing: of all of them any.
  std::vector<std::vector<std::uint32_t>> limit_rows;
  [[nodiscard]] bool is_convex() const { return frictions.empty() && given.empty(); }
  double size = 0;         // of the speeds, in the metric of the masses: errors are measured by it
  double tolerance = 0;    // of them
  bool any_share = false;  // of several multipliers that give one motion any will do
};

struct ConeSolution {
  bool settled = false;
  Eigen::VectorXd jump, multipliers;  // w, p
  double error = 0;                   // natural map at p, of the size of the speeds
  std::uint32_t worst = 0;            // the row by which most is missing
};

// start: multipliers to begin with, by row; those that are missing are zero. Without any, rest is tried first, so that
// it is preferred to other motions. Where rounding of the multipliers is more
// than the speeds may be off by, they say nothing, and nothing is settled: where friction holds against what presses it
// (a wedge that locks itself) multipliers without end fulfil the conditions.
// first_stage: it is given up where Newton's method from the start does not get there.
enum class ConeEffort : std::uint8_t { first_stage, all };
ConeSolution solve_cones(const ConeProblem& problem, const Eigen::VectorXd& start, ConeEffort effort = ConeEffort::all);

}  // namespace mbc::runtime
