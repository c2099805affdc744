// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/looped/looped.h"

#include <algorithm>
#include <string_view>

#include "compiler/formulate/blocks/deduplicate_tables.h"
#include "compiler/formulate/lanes/lane_inertia.h"
#include "compiler/formulate/lanes/lane_kernel.h"
#include "compiler/formulate/looped/dense_steps.h"
#include "compiler/formulate/looped/loops.h"
#include "compiler/formulate/looped/quasi_steps.h"
#include "compiler/formulate/looped/solution_steps.h"
#include "kernel/support/mbc_support.h"

namespace mbc::formulate {

namespace {

bool is_rate(Target t) {  // A, c, Y, Z, M, N
  return t == Target::jacobian || t == Target::rate_offset || t == Target::quasi_row || t == Target::quasi_offset ||
         t == Target::mass || t == Target::momentum_offset;
}

bool is_motion(Target t) {
  return t == Target::rate || t == Target::state_rate || t == Target::force || t == Target::right_side ||
         t == Target::load_power;
}

}  // namespace

std::optional<LaneChoice> choose_lanes(const KernelBuilder& b) {
  const System& system = b.system();
  if (b.options().formulation->solve != Solve::schur || b.layout().quasi || !b.layout().inertia_rows.empty()) return {};
  InertiaBlocks all(b.pattern(), system.n_speeds);
  if (!suits_lanes(system, all)) return {};
  const std::vector<std::uint32_t> extra = repeated_rows(b.pattern());
  if (!extra.empty() && extra.size() <= system.n_rows / 4) {
    InertiaBlocks blocks(b.pattern(), system.n_speeds, extra);
    if (auto partition = partition_in_lanes(system, b.pattern(), blocks, extra))
      return LaneChoice{std::move(blocks), std::move(*partition)};
  }
  if (auto partition = partition_in_lanes(system, b.pattern(), all))
    return LaneChoice{std::move(all), std::move(*partition)};
  return {};
}

namespace {

class LoopedKernel {
 public:
  // The builder outlives the object.
  explicit LoopedKernel(KernelBuilder& builder) : b_(builder), layout_(builder.layout()), loops_(builder) {}

  // Adds all functions to the builder's kernel, or sets there why the system is too large. Functions in lanes exist if
  // the layout says `laned`.
  void build(const std::optional<LaneChoice>& lanes) {
    const SystemLayout& l = layout_;
    const auto room = [this](const char* name, std::uint32_t size) { return b_.field(name, size); };
    std::optional<SparsePlan> plan =
        choose_plan(l, b_.options().linear, b_.system().contact_rows, b_.options().contacts_apart);
    b_.out().layout.sparse = plan.has_value();
    if (plan) b_.out().layout.border_rows = plan->words[MBC_SPARSE_BORDER];
    b_.out().too_large = why_too_large(l, plan, b_.work_at());
    if (!b_.out().too_large.empty()) return;
    if (plan && b_.options().contacts_apart) {
      apart_.resize(l.n_rows);
      for (const std::uint32_t row : b_.system().contact_rows) apart_[row] = 1;
    }
    for (const Part& part : b_.system().parts)
      if (!part.family.constants.empty()) static_cast<void>(loops_.constants_of(part));
    const DenseSteps dense(l, b_.options().inertia_rows == InertiaRows::light, room, std::move(plan));
    b_.places().set_accelerations(dense.acceleration_at());
    std::optional<QuasiSteps> quasi;
    if (l.quasi) quasi.emplace(l, dense, b_.options().formulation->solve, b_.options().momenta, room);
    add_rhs(dense, quasi ? &*quasi : nullptr);
    if (quasi) add_quasi_functions(dense, *quasi);
    add_corrections(dense);
    // Lanes may need more room than that, but data behind it belongs to others.
    if (lanes) add_fast_functions(*lanes, dense.scratch_end() == b_.work_at() ? dense.scratch_at() : b_.work_at());
    add_observers();
  }

 private:
  // Returns whether a part belongs to rows that most functions leave out (options.h, contacts_apart).
  [[nodiscard]] bool is_apart(const Part& part) const {
    return !apart_.empty() && std::string_view(part.what) == "constraint" &&
           std::all_of(part.family.items.begin(), part.family.items.end(),
                       [this](std::uint32_t row) { return apart_[row] != 0; });
  }

  // Adds the parts of all rows; contact rows that are left out elsewhere are included only with `contacts`.
  template <class Wanted>
  void add_parts(kernel::Function& f, bool contacts, Wanted&& wanted) {
    for (const Part& part : b_.system().parts)
      if (contacts || !is_apart(part)) loops_.add_part(f, part, wanted);
  }

  kernel::Function assemble(const char* name, bool contacts = false) {
    const SystemLayout& l = layout_;
    kernel::Function f = loops_.function(name);
    add_clear(f, Space::work, l.M, static_cast<std::uint32_t>(l.mass.size()));
    add_clear(f, Space::work, l.f, l.n_speeds);
    add_clear(f, Space::deriv, l.work_at(), l.n_works);
    add_parts(f, contacts, [](Target t) { return is_motion(t) || t == Target::mass || t == Target::jacobian; });
    if (l.inertia_rows.empty()) return f;
    formulate::add_constants(f, l.weight, b_.plain_weights());
    for (const Part& part : b_.system().parts)
      loops_.add_part(f, part,
                      [&](Target t) { return t == Target::row_weight && b_.inertia_rows()[part.family.items[0]]; });
    return f;
  }

  void add_residuals(const char* name, bool contacts) {
    kernel::Function f = loops_.function(name);
    add_clear(f, Space::work, layout_.position_residual, 2 * layout_.n_rows);
    add_parts(f, contacts, [](Target t) { return t == Target::position_residual || t == Target::velocity_residual; });
    b_.add_function(std::move(f));
  }

  // or only the energies
  void add_outputs(const char* name, bool with_outputs) {
    kernel::Function f = loops_.function(name);
    add_clear(f, Space::work, layout_.kinetic, 2);
    loops_.add_parts(f, [with_outputs](Target t) {
      return t == Target::kinetic_energy || t == Target::potential_energy || (with_outputs && t == Target::output);
    });
    b_.add_function(std::move(f));
  }

  void add_rhs(const DenseSteps& dense, const QuasiSteps* quasi) {
    kernel::Function assembled = assemble("assemble"), rhs = assembled;
    rhs.name = "rhs";
    if (quasi) {
      clear_quasi(rhs);
      loops_.add_parts(rhs, [](Target t) { return t == Target::quasi_row || t == Target::quasi_bias; });
    }
    add_solution(rhs, dense, quasi);
    loops_.add_constraint_power(rhs);
    b_.add_function(std::move(rhs));
    b_.add_function(std::move(assembled));
  }

  // Clears entries that parts may leave unwritten: a row without c, a quasi-velocity without Z.
  void clear_quasi(kernel::Function& f) const {
    const QuasiLayout& q = *layout_.quasi;
    add_clear(f, Space::work, q.Z, q.n_user);
    add_clear(f, Space::work, q.bias, q.n_user);
    add_clear(f, Space::work, q.offset, b_.system().n_rows);
    if (q.n_momenta > 0) add_clear(f, Space::work, q.momentum_offset, b_.system().n_speeds);
  }

  void add_quasi_functions(const DenseSteps& dense, const QuasiSteps& quasi) {
    const SystemLayout& l = layout_;
    const bool momenta = l.quasi->n_momenta > 0;
    kernel::Function rates = loops_.function("rates");
    add_clear(rates, Space::work, l.M, static_cast<std::uint32_t>(l.mass.size()));
    clear_quasi(rates);
    loops_.add_parts(rates, [momenta](Target t) { return is_rate(t) && (momenta || t != Target::momentum_offset); });
    if (l.quasi->state) {
      kernel::Function expand = rates;
      expand.name = "expand";
      quasi.expand(expand);
      kernel::Function rhs = expand;
      rhs.name = "rhs_quasi";
      b_.places().read_speeds_from_work(true);
      add_clear(rhs, Space::work, l.f, l.n_speeds);
      add_clear(rhs, Space::deriv, l.work_at(), l.n_works);
      loops_.add_parts(rhs, [](Target t) { return is_motion(t) || t == Target::quasi_bias; });
      add_solution(rhs, dense, &quasi);
      loops_.add_constraint_power(rhs);
      b_.places().read_speeds_from_work(false);
      b_.add_function(std::move(expand));
      b_.add_function(std::move(rhs));
    }
    quasi.directions(rates);
    b_.add_function(std::move(rates));
  }

  void add_corrections(const DenseSteps& dense) {
    const SystemLayout& l = layout_;
    for (const bool position : {true, false}) {
      kernel::Function f = assemble(position ? "correct_position" : "correct_velocity");
      const Target wanted = position ? Target::position_residual : Target::velocity_residual;
      const std::uint32_t residual = position ? l.position_residual : l.velocity_residual;
      add_clear(f, Space::work, residual, l.n_rows);
      add_clear(f, Space::work, l.f, l.n_speeds);
      add_parts(f, false, [wanted](Target t) { return t == wanted; });
      add_negated(f, residual, l.b, l.n_rows);
      dense.correction(f);
      b_.add_function(std::move(f));
      deduplicate_tables(b_.out().kernel);  // before the next function doubles the common tables
    }
  }

  // `scratch` belongs to the linear solve, which no function in lanes calls; the lanes store their data there.
  void add_fast_functions(const LaneChoice& lanes, std::uint32_t scratch) {
    const std::uint32_t behind = b_.work_at();
    b_.set_work_at(scratch);
    LaneKernel in_lanes({b_.system(), b_.pattern(), lanes.blocks, lanes.partition, layout_,
                         [this](const char* name, std::uint32_t size) { return b_.field(name, size); },
                         [this](const Node& n) { return b_.places().of_leaf(n); },
                         [this](const Part& part) { return loops_.constants_of(part); }});
    b_.set_work_at(std::max(b_.work_at(), behind));
    std::vector<kernel::Function> made;
    for (const auto& [name, wanted] :
         {std::pair{"fast_rhs", LaneFunction::motion}, std::pair{"fast_full", LaneFunction::full},
          std::pair{"fast_position", LaneFunction::position}, std::pair{"fast_velocity", LaneFunction::velocity}}) {
      if (!in_lanes.possible() || !in_lanes.has(wanted)) continue;
      kernel::Function f = loops_.function(name);
      if (of_motion(wanted)) add_clear(f, Space::deriv, layout_.work_at(), layout_.n_works);
      in_lanes.emit(f, wanted);
      deduplicate_tables(f);
      made.push_back(std::move(f));
    }
    if (!in_lanes.possible()) return;
    b_.out().layout.laned = true;
    b_.out().layout.lanes_without = lanes.partition.extra;
    for (kernel::Function& f : made) b_.add_function(std::move(f));
  }

  // Adds functions of a given state: powers, residuals, outputs, and prescribed forces.
  void add_observers() {
    kernel::Function power = loops_.function("constraint_power");
    loops_.add_constraint_power(power);
    b_.add_function(std::move(power));
    add_residuals("residuals", false);
    add_outputs("outputs", true);
    if (!apart_.empty()) add_contact_functions();
    if (!layout_.ideal) return;
    kernel::Function nonideal = loops_.function("nonideal");  // after `assemble`
    loops_.add_parts(nonideal, [](Target t) { return t == Target::nonideal_force; });
    b_.add_function(std::move(nonideal));
  }

  // Adds the functions of the contact rows, and a function of the energies alone, since outputs contain all gaps.
  void add_contact_functions() {
    b_.add_function(assemble("contact_rows", true));
    add_residuals("contact_residuals", true);
    add_outputs("energies", false);
  }

  void add_solution(kernel::Function& f, const DenseSteps& dense, const QuasiSteps* quasi) {
    formulate::add_solution(b_, f, dense, quasi, [this](kernel::Function& to) {
      loops_.add_parts(to, [](Target t) { return t == Target::nonideal_force; });
    });
  }

  KernelBuilder& b_;
  const SystemLayout& layout_;
  LoopWriter loops_;
  std::vector<char> apart_;  // by row: 1 if most functions leave it out; empty: none is left out
};

}  // namespace

void build_looped(KernelBuilder& builder, const std::optional<LaneChoice>& lanes) {
  LoopedKernel(builder).build(lanes);
}

}  // namespace mbc::formulate
