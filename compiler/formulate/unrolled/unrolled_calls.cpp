// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/unrolled/unrolled_calls.h"

#include "compiler/formulate/looped/solution_steps.h"

namespace mbc::formulate {

namespace {

void put_A(const KernelBuilder& b, std::vector<Store>& stores, const LinearSystem& linear) {
  for (std::uint32_t r = 0; r < b.system().n_rows; ++r)
    for (const auto& [c, a] : linear.rows[r]) stores.push_back({{Space::work, false, b.places().of_A(r, c)}, a, false});
}

void put_Y(const KernelBuilder& b, std::vector<Store>& stores, const UnrolledValues& values) {
  for (std::uint32_t k = 0; k < b.system().n_quasi; ++k)
    for (const auto& [c, a] : values.rows(Target::quasi_row)[k])
      stores.push_back({{Space::work, false, b.places().of_Y(k, c)}, a, false});
}

class CallWriter {
 public:
  CallWriter(KernelBuilder& b, const UnrolledParts& parts, const DenseSteps& dense, const QuasiSteps* quasi)
      : b_(b), l_(b.layout()), p_(parts), g_(parts.g), dense_(dense), quasi_(quasi) {}

  [[nodiscard]] kernel::Function rhs() const;
  // Adds `rates`, and with independent speeds in the state `expand` and `rhs_quasi`.
  void add_quasi_functions();

 private:
  [[nodiscard]] std::vector<Store> rate_stores() const;
  [[nodiscard]] std::vector<Store> force_stores() const;
  [[nodiscard]] std::vector<Store> power_stores() const;
  void add_solution(kernel::Function& f) const {
    formulate::add_solution(b_, f, dense_, quasi_, [this](kernel::Function& to) {
      push_block(to, b_.block_of("nonideal", nonideal_stores(b_, p_), g_));
    });
  }

  KernelBuilder& b_;
  const SystemLayout& l_;
  const UnrolledParts& p_;
  Graph& g_;
  const DenseSteps& dense_;
  const QuasiSteps* quasi_;
};

kernel::Function CallWriter::rhs() const {
  kernel::Function f = *b_.out().kernel.function("assemble");
  f.name = "rhs";
  if (quasi_) {
    std::vector<Store> speeds;
    put_Y(b_, speeds, p_.values);
    put(speeds, Space::work, l_.quasi->bias, p_.values.of(Target::quasi_bias));
    push_block(f, b_.block_of("quasi-velocities", speeds, g_));
  }
  add_solution(f);
  push_block(f, b_.out().kernel.function("constraint_power")->blocks[0]);
  return f;
}

// Returns the stores of the values that convert the state [q; y; s] to speeds: A, c, Y, Z, M, N.
std::vector<Store> CallWriter::rate_stores() const {
  std::vector<Store> stores;
  put_A(b_, stores, p_.linear);
  for (const auto& [ij, m] : p_.linear.mass)
    stores.push_back({{Space::work, false, b_.places().of_M(ij.first, ij.second)}, m, false});
  put_Y(b_, stores, p_.values);
  put(stores, Space::work, l_.quasi->offset, p_.values.of(Target::rate_offset));
  put(stores, Space::work, l_.quasi->Z, p_.values.of(Target::quasi_offset));
  if (l_.quasi->n_momenta == 0) return stores;
  std::vector<NodeId> offset;
  for (const auto& terms : p_.values.terms(Target::momentum_offset)) offset.push_back(g_.sum(terms));
  put(stores, Space::work, l_.quasi->momentum_offset, offset);
  return stores;
}

std::vector<Store> CallWriter::force_stores() const {
  std::vector<Store> stores;
  put(stores, Space::deriv, 0, p_.values.of(Target::rate));
  put(stores, Space::work, l_.b, p_.linear.right_side);
  put(stores, Space::work, l_.f, p_.linear.force);
  put(stores, Space::work, l_.quasi->bias, p_.values.of(Target::quasi_bias));
  put(stores, Space::deriv, l_.states_at(), p_.values.of(Target::state_rate));
  put(stores, Space::deriv, l_.work_at(), {g_.sum(p_.values.all_terms(Target::load_power))});
  put(stores, Space::deriv, l_.work_at() + 1, std::vector<NodeId>(l_.n_works - 1, g_.zero()));
  return stores;
}

std::vector<Store> CallWriter::power_stores() const {
  std::vector<NodeId> given;
  for (std::uint32_t r = 0; r < b_.system().n_rows; ++r) given.push_back(g_.leaf(LeafKind::multiplier, r));
  std::vector<Store> power;
  put(power, Space::deriv, l_.work_at() + 1, p_.values.constraint_powers(g_, b_.system(), given));
  return power;
}

void CallWriter::add_quasi_functions() {
  const std::vector<Store> rates = rate_stores();
  b_.add_function("rates", rates, g_);
  quasi_->directions(b_.out().kernel.functions.back());
  if (!l_.quasi->state) return;
  kernel::Function expand;
  expand.name = "expand";
  push_block(expand, b_.block_of("rates", rates, g_));
  quasi_->expand(expand);
  kernel::Function rhs = expand;
  rhs.name = "rhs_quasi";
  b_.places().read_speeds_from_work(true);
  push_block(rhs, b_.block_of("forces", force_stores(), g_));
  add_solution(rhs);
  push_block(rhs, b_.block_of("constraint_power", power_stores(), g_));
  b_.places().read_speeds_from_work(false);
  b_.add_function(std::move(expand));
  b_.add_function(std::move(rhs));
}

}  // namespace

std::vector<Store> nonideal_stores(const KernelBuilder& b, const UnrolledParts& parts) {
  std::vector<NodeId> force = parts.linear.force;
  for (std::uint32_t i = 0; i < b.system().n_speeds; ++i)
    force[i] = parts.g.add(force[i], parts.g.sum(parts.values.terms(Target::nonideal_force)[i]));
  std::vector<Store> stores;
  put(stores, Space::work, b.layout().f, force);
  return stores;
}

void add_functions_by_calls(KernelBuilder& b, const UnrolledParts& parts) {
  const SystemLayout& l = b.layout();
  const auto room = [&b](const char* name, std::uint32_t size) { return b.field(name, size); };
  const DenseSteps dense(l, b.options().inertia_rows == InertiaRows::light, room);
  b.places().set_accelerations(dense.acceleration_at());
  std::optional<QuasiSteps> quasi;
  if (l.quasi) quasi.emplace(l, dense, b.options().formulation->solve, b.options().momenta, room);
  CallWriter writer(b, parts, dense, quasi ? &*quasi : nullptr);
  kernel::Function rhs = writer.rhs();
  auto& functions = b.out().kernel.functions;
  functions.insert(functions.begin(), std::move(rhs));
  if (quasi) writer.add_quasi_functions();
}

}  // namespace mbc::formulate
