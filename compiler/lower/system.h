// SPDX-License-Identifier: Apache-2.0
// The system: M(q,t) u' = f(t,q,u) + A^T lambda, A u' = b, as families of templates with the places their values add
// to. What every formulation starts from (formulate/), whatever entities the model was written with.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/lower/names.h"
#include "compiler/lower/template.h"
#include "compiler/sema/model.h"

namespace mbc::lower {

// Where a value of a template goes. Slots i, j are speed slots of the instance row; `row`, `item` the instance's own.
enum class Target : std::uint8_t {
#define MBC_TARGET(name, ...) name,
#include "compiler/lower/targets.def"
};

// These are the columns of targets.def.
struct TargetColumns {
  enum class Index : std::uint8_t { whole, item, speed, entry, pair } index;
  enum class Kind : std::uint8_t { added, stored } kind;
  std::string_view text;
};
const TargetColumns& columns_of(Target target);
// The value of such a target is a term of a sum.
inline bool is_added(Target target) { return columns_of(target).kind == TargetColumns::Kind::added; }

struct Contribution {
  Target target{};
  std::uint32_t i = 0, j = 0;
  NodeId value;
};

struct Part {
  Family family;
  std::vector<Contribution> contributions;
  const char* what = "";  // "rate", "particle", "force", "load", "energy", "constraint", "speed", "output", ...
  const char* of = "";    // of loads, "nonideal" ones too: "force", "torque", "load", the list the items are from
};

// What a row is for. M of bodies described by Euler parameters has no inverse without their own row; that of natural
// coordinates may have none (rods, laminas).
enum class RowUse : std::uint8_t { user, natural, euler_parameters };

struct System {
  std::uint32_t n_coordinates = 0, n_speeds = 0, n_rows = 0, n_states = 0, n_params = 0, n_inputs = 0, n_outputs = 0;
  std::optional<std::uint32_t> gains;  // lower/baumgarte.h: the last two parameters are its alpha and beta
  std::vector<Part> parts;
  std::vector<RowUse> row_use;              // n_rows
  std::vector<std::uint32_t> contact_rows;  // of inequalities and frictions
  std::uint32_t n_quasi = 0;                // quasi-velocities of the user (`speed`)
  // All rows are A u + c = 0 with A and c free of speeds: the speeds are then a linear function of independent ones.
  bool linear_rows = true;
  // No kinetic energy has pieces that depend on the speeds: where T_uu is free of them, T is quadratic. T = |u| has
  // T_uu = 0 within its pieces, and its momentum jumps between them.
  bool kinetic_in_one_piece = true;
  bool nonideal = false;  // there are `nonideal` forces
  // Whose work is booked apart: constraints that do any (their rows move with time, or are not linear and homogeneous
  // in the velocities), by number in the model, and the prescribed forces.
  static constexpr std::uint32_t kPrescribed = 0xffffffffu, kNoWork = 0xffffffffu;
  std::vector<std::uint32_t> works;     // constraint, or kPrescribed
  std::vector<std::uint32_t> row_work;  // n_rows: index into `works`, or kNoWork
};

// `with_watched`: what tests look at is computed as well, behind the outputs (Model::probes).
System lower(const sema::Model& model, bool with_watched = false);

// Every template with its contributions, then the rows (mbc compile --emit=system); `flat` writes out each instance.
std::string print(const System& system, const sema::Model& model);

}  // namespace mbc::lower
