// SPDX-License-Identifier: Apache-2.0
// The system: M(q,t) u' = f(t,q,u) + A^T lambda, A u' = b, as families of templates with the places that their values
// add to. Every formulation starts from it (formulate/), whatever entities the model was written with.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/lower/names.h"
#include "compiler/lower/template.h"
#include "compiler/lower/tree_dynamics.h"
#include "compiler/sema/model.h"

namespace mbc::lower {

// The quantity that a value of a template contributes to. Slots i, j are speed slots of the instance row; `row`, `item`
// are the instance's own. Of an output i counts from the item on.
enum class Target : std::uint8_t {
#define MBC_TARGET(name, ...) name,
#include "compiler/lower/targets.def"
};

// The columns of targets.def.
struct TargetColumns {
  enum class Index : std::uint8_t { whole, item, speed, entry, pair } index;
  enum class Kind : std::uint8_t { added, stored } kind;
  enum class For : std::uint8_t { motion, told } serves;
  std::string_view text;
};
const TargetColumns& columns_of(Target target);
// Returns whether the value of such a target is a term of a sum.
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
  std::vector<TreeLink> links = {};  // of a tree, with speeds as slots
  const char* of = "";  // of loads, "nonideal" ones too: "force", "torque", "load", the list that the items are from
};

// The use of a row. M of bodies described by Euler parameters has no inverse without their own row; M of natural
// coordinates may have none (rods, laminas).
enum class RowUse : std::uint8_t { user, natural, euler_parameters };

struct System {
  std::uint32_t n_coordinates = 0, n_speeds = 0, n_rows = 0, n_states = 0, n_params = 0, n_inputs = 0, n_outputs = 0;
  std::optional<std::uint32_t> gains;  // lower/baumgarte.h: the last two parameters are its alpha and beta
  std::vector<Part> parts;
  std::vector<RowUse> row_use;                  // n_rows
  std::vector<std::uint32_t> contact_rows;      // of inequalities and frictions
  std::vector<std::uint32_t> friction_torques;  // items of parts "torque" that are frictions of contacts
  std::uint32_t n_quasi = 0;                    // quasi-velocities of the user (`speed`)
  // All rows are A u + c = 0 with A and c free of speeds, so that the speeds are a linear function of independent ones.
  bool linear_rows = true;
  // No kinetic energy has pieces that depend on the speeds; if T_uu is then free of speeds, T is quadratic. T = |u| has
  // pieces: T_uu = 0 within them, and its momentum jumps between them.
  bool kinetic_in_one_piece = true;
  bool nonideal = false;  // there are `nonideal` forces
  // The sources whose work is reported separately: constraints that do any (their rows move with time, or are not
  // linear and homogeneous in the velocities), by number in the model, and the prescribed forces.
  static constexpr std::uint32_t kPrescribed = 0xffffffffu, kNoWork = 0xffffffffu;
  std::vector<std::uint32_t> works;     // constraint, or kPrescribed
  std::vector<std::uint32_t> row_work;  // n_rows: index into `works`, or kNoWork
};

// `with_watched`: the values that tests and sweeps observe are computed too, behind the outputs (Model::probes).
System lower(const sema::Model& model, bool with_watched = false);

// Prints every template with its contributions, then the rows (mbc compile --emit=system).
std::string print(const System& system, const sema::Model& model);

}  // namespace mbc::lower
