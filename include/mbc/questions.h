// SPDX-License-Identifier: Apache-2.0
// Questions at a state: derivatives along the manifold of the constraints, the linear model, equilibria
// (Simulation::jacobian, linearize, equilibrium; `mbc linearize`, `mbc equilibrium`). docs/questions.md explains them.
//
// The *directions* are the independent coordinates, then the independent speeds, then the states of the model. Together
// they are local coordinates of all states that satisfy the constraints. The orientation of a body in quaternions has
// three directions, the components of a small rotation vector in its axes, named `b.thetax` to `b.thetaz`.
//
// All numbers are in SI units. Matrices are row-major.
#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/export.h"
#include "mbc/quantities.h"

namespace MBC_API mbc {

// The quantities that Simulation::jacobian differentiates.
enum class JacobianOf : std::uint8_t {
  rates,          // the rates of the directions
  accelerations,  // the rates of all speeds, in the order of Model::speeds()
  multipliers,    // one for each constraint row; those of dependent rows are not unique and are left out
  outputs         // the outputs of the model, in the order of Model::outputs()
};

// The arguments that it differentiates them by.
enum class JacobianBy : std::uint8_t {
  directions,  // the state moves along the manifold
  inputs,      // the inputs of the model, in the order of Model::inputs()
  time         // the state moves with the constraints while the independent coordinates and speeds stay
};

struct Jacobian {
  std::vector<std::string> of, by;  // names of the rows and columns
  std::vector<double> values;       // of.size() x by.size()
  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return values[row * by.size() + column]; }
};

struct LinearizeOptions {
  std::optional<double> at;  // the time of the run at which the state is taken; nothing: where the block begins
  bool equilibrium = false;  // take the equilibrium that equilibrium() finds from there
};

struct Pole {
  std::complex<double> value;               // 1/s
  double error = 0;                         // bound of the rounding error of the value, to first order
  double frequency = 0;                     // |value|/(2 pi), Hz
  double damping = 0;                       // -Re(value)/|value|: 1 decays without oscillation
  std::vector<std::complex<double>> shape;  // one entry for each direction; the largest is 1
};

enum class Stability : std::uint8_t {
  unstable,        // poles with a positive real part, beyond their error
  asymptotically,  // all poles have a negative real part, beyond their error
  energy_minimum,  // conservative, and the potential energy has a strict minimum on the manifold
  spectrally,      // no pole grows beyond its error and none is zero, which does not decide stability
  zero_poles       // no pole grows beyond its error, but some are zero
};

// The linear model x' = A x + B u, y = C x + D u of the differences to a state. x are the directions.
struct LinearModel {
  double time = 0;
  std::vector<double> state;                          // y as in Simulation::state()
  std::vector<Quantity> directions, inputs, outputs;  // names and units of x, u, y
  std::vector<double> A, B, C, D;
  std::vector<std::string> outputs_left_out;  // they hold multipliers that are not unique
  std::vector<double> drift;                  // the rates of x at the state
  bool equilibrium = false;                   // every rate is zero
  // The speeds are constant and A is the same along the motion, as it is at an equilibrium.
  bool steady = false;
  std::string fastest;  // if it is not steady: the speed or state with the largest rate, or what moves fastest
  double fastest_rate = 0;
  bool depends_on_time = false;              // rates, forces or rows contain the time
  bool poles_found = true;                   // The iteration for the eigenvalues has converged.
  std::vector<Pole> poles;                   // those that are not zero, ascending by frequency
  std::vector<std::size_t> zero_blocks;      // sizes of the Jordan blocks of the pole zero, descending
  std::vector<std::string> zero_directions;  // the directions in which the poles zero move the state at first
  std::size_t speeds = 0;  // of the model, as many as directions of positions before constraints: a quaternion counts 3
  std::size_t position_rank = 0, velocity_rank = 0;  // ranks of the rows that restrict positions and speeds
  Stability stability{};                             // of an equilibrium or a steady motion
  std::size_t growing = 0;                           // number of unstable poles
  [[nodiscard]] std::size_t pole_count() const { return directions.size(); }
};

struct EquilibriumOptions {
  std::size_t starts = 0;  // number of drawn initial positions, beside that of the block
  std::uint64_t seed = 1;
};

struct Equilibrium {
  LinearModel model;                        // at the equilibrium
  std::vector<double> coordinates, states;  // as the lists of the report
  std::vector<double> multipliers;          // of the rows; the minimum-norm ones where they are not unique
  double remaining = 0;  // acceleration that is left, relative to that of a displacement by the size of the model
  std::size_t singular_stiffness = 0;  // directions in which the loads do not change to first order
  std::size_t found_from = 0;          // number of starts that led here
};

struct EquilibriumReport {
  std::vector<Equilibrium> found;  // the one of the block's initial state first, if it led to one
  std::size_t starts = 0;          // how many starts were tried
  std::vector<Quantity> coordinates, states;
  std::vector<std::string> rows;  // names of the constraint rows
};

}  // namespace mbc
