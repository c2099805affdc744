// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/partials.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/formulate/blocks/deduplicate_tables.h"
#include "compiler/formulate/blocks/emit_block.h"
#include "compiler/formulate/builder/places.h"
#include "compiler/lower/baumgarte.h"
#include "compiler/lower/partials.h"

namespace mbc::formulate {

namespace {

using lower::Partial;
using lower::PartialsOfPart;
using lower::Residual;

class PartialsKernel {
 public:
  PartialsKernel(const System& system, const SystemLayout& layout, kernel::PartialsScope scope)
      : layout_(layout),
        parts_(lower::partials(system, scope)),
        out_{.kernel = {}, .layout = layout_of(system, scope)} {
    find_entries();
    find_loads();
    out_.layout.values = field("partials", static_cast<std::uint32_t>(out_.layout.entries.size()));
    out_.layout.lambda = field("lambda", system.n_rows);
    out_.layout.ideal = system.nonideal ? field("ideal", system.n_rows) : out_.layout.lambda;
    out_.kernel.n_state = layout.n_y();
    out_.kernel.n_params = system.n_params;
    out_.kernel.n_inputs = system.n_inputs;
    out_.kernel.n_mask = system.n_rows;
  }

  kernel::Partials make() {
    kernel::Function f;
    f.name = "partials";
    add_clear(f, Space::work, out_.layout.values, static_cast<std::uint32_t>(out_.layout.entries.size()));
    for (const PartialsOfPart& part : parts_) add_part(f, part);
    deduplicate_tables(f);
    out_.kernel.n_work = work_;
    out_.kernel.functions.push_back(std::move(f));
    return std::move(out_);
  }

 private:
  static kernel::PartialsLayout layout_of(const System& system, kernel::PartialsScope scope) {
    kernel::PartialsLayout l;
    l.n_coordinates = system.n_coordinates;
    l.n_speeds = system.n_speeds;
    l.n_states = system.n_states;
    l.n_rows = system.n_rows;
    l.nonideal = system.nonideal;
    l.scope = scope;
    if (scope != kernel::PartialsScope::manifold) return l;
    l.n_inputs = system.n_inputs;
    l.n_outputs = system.n_outputs;
    return l;
  }

  std::uint32_t field(const char* name, std::uint32_t size) {
    out_.kernel.fields.push_back({name, Space::work, work_, size});
    work_ += size;
    return work_ - size;
  }

  [[nodiscard]] std::uint32_t row_of(const PartialsOfPart& part, const Partial& p, std::uint32_t instance) const {
    const kernel::PartialsLayout& l = out_.layout;
    const std::uint32_t item = part.family.items[instance];
    switch (p.residual) {
      case Residual::rate:
        return item;
      case Residual::motion:
        return l.motion_at() + part.family.index(instance, p.of);
      case Residual::state_rate:
        return l.states_at() + item;
      case Residual::constraint:
        return l.constraints_at() + item;
      case Residual::nonideal:
        return l.nonideal_at() + part.family.index(instance, p.of);
      case Residual::position:
        return l.position_at() + item;
      case Residual::velocity:
        return l.velocity_at() + item;
      case Residual::output:
        return l.outputs_at() + item;
    }
    fail_check(__FILE__, __LINE__, "p.residual", "every residual has a row");
  }

  [[nodiscard]] std::uint32_t column_of(const PartialsOfPart& part, const Partial& p, std::uint32_t instance) const {
    const kernel::PartialsLayout& l = out_.layout;
    if (p.by == Partial::kTime) return l.time_at();
    return first_column(part.family.shape.slots[p.by].kind) + part.family.index(instance, p.by);
  }

  [[nodiscard]] std::uint32_t first_column(LeafKind kind) const {
    const kernel::PartialsLayout& l = out_.layout;
    switch (kind) {
      case LeafKind::coordinate:
        return 0;
      case LeafKind::speed:
        return l.n_coordinates;
      case LeafKind::state:
        return l.states_at();
      case LeafKind::input:
        return l.inputs_at();
      case LeafKind::ideal:
        return l.ideal_at();
      case LeafKind::accel:
        return l.accelerations_at();
      case LeafKind::multiplier:
        return l.multipliers_at();
      case LeafKind::state_rate:
        return l.state_rates_at();
      case LeafKind::time:
      case LeafKind::param:
      case LeafKind::slot_constant:
      case LeafKind::mask:
        break;
    }
    fail_check(__FILE__, __LINE__, "kind", "nothing is differentiated by leaves of the other kinds");
  }

  void find_entries() {
    auto& entries = out_.layout.entries;
    for (const PartialsOfPart& part : parts_)
      for (std::uint32_t k = 0; k < part.family.count; ++k)
        for (const Partial& p : part.partials) entries.emplace_back(row_of(part, p, k), column_of(part, p, k));
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    entries.shrink_to_fit();
  }

  void find_loads() {
    for (const PartialsOfPart& part : parts_)
      for (std::uint32_t k = 0; k < part.family.count && part.load; ++k) {
        kernel::PartialsLayout::Load load{{}, part.part, part.family.items[k], {}};
        for (const Partial& p : part.partials) load.entries.push_back(entry_of(part, p, k));
        out_.layout.loads.push_back(std::move(load));
      }
  }

  [[nodiscard]] std::uint32_t entry_of(const PartialsOfPart& part, const Partial& p, std::uint32_t instance) const {
    const auto& entries = out_.layout.entries;
    const std::pair wanted{row_of(part, p, instance), column_of(part, p, instance)};
    return static_cast<std::uint32_t>(std::lower_bound(entries.begin(), entries.end(), wanted) - entries.begin());
  }

  [[nodiscard]] std::uint32_t place_of(const PartialsOfPart& part, const Partial& p, std::uint32_t instance) const {
    return out_.layout.values + entry_of(part, p, instance);
  }

  [[nodiscard]] Place place_of_leaf(LeafKind kind, std::uint32_t index, std::uint32_t constants) const {
    if (kind == LeafKind::multiplier) return {Space::work, true, out_.layout.lambda + index};
    if (kind == LeafKind::ideal) return {Space::work, true, out_.layout.ideal + index};
    if (kind == LeafKind::slot_constant) return {Space::work, true, constants + index};
    CHECK(kind != LeafKind::time, "time has no slot");
    Place place = KernelPlaces(layout_).of_leaf({.leaf = kind, .a = index});
    place.indexed = true;
    return place;
  }

  void add_part(kernel::Function& f, const PartialsOfPart& part) {
    const lower::Family& family = part.family;
    const auto n_slots = static_cast<std::uint32_t>(family.shape.slots.size());
    const bool differ = !family.constants.empty();  // literals differ between instances
    const std::uint32_t constants =
        differ ? field("constants", static_cast<std::uint32_t>(family.constants.size())) : 0;
    if (differ) add_constants(f, constants, family.constants);
    std::vector<Store> stores;
    for (const Partial& p : part.partials)
      stores.push_back({{Space::work, true, n_slots + static_cast<std::uint32_t>(stores.size())}, p.value, true});
    Block block = emit_block(family.shape.graph, part.what, stores, [&](const Node& n) -> Place {
      if (n.leaf == LeafKind::time) return {Space::time, false, 0};
      return {place_of_leaf(n.leaf, 0, 0).space, true, n.a};
    });
    block.count = family.count;
    block.columns = n_slots + static_cast<std::uint32_t>(stores.size());
    block.table = {block.count, block.columns, [&](std::uint32_t k, std::uint32_t column) {
                     if (column >= n_slots) return place_of(part, part.partials[column - n_slots], k);
                     return place_of_leaf(family.shape.slots[column].kind, family.index(k, column), constants).index;
                   }};
    push_block(f, std::move(block));
  }

  const SystemLayout& layout_;
  std::vector<PartialsOfPart> parts_;
  kernel::Partials out_;
  std::uint32_t work_ = 0;
};

}  // namespace

kernel::Partials formulate_partials(const System& system, const SystemLayout& layout, kernel::PartialsScope scope) {
  if (layout.gains && !system.gains) return formulate_partials(lower::with_baumgarte(system), layout, scope);
  return PartialsKernel(system, layout, scope).make();
}

}  // namespace mbc::formulate
