// SPDX-License-Identifier: Apache-2.0
// Simulation::save() and restore(): a head with the model, the version and the variant, the data of the simulation, and
// a check sum.
#include "api/simulation/saved.h"

#include <cmath>

#include "api/model/guard.h"
#include "api/model/settings.h"
#include "api/simulation/simulation_impl.h"
#include "base/digest.h"

namespace mbc {

using api::model_digest;

namespace {

constexpr const char* kMagic = "mbc simulation 3";

// Archive finds known(), which accepts the valid enumerators, in the namespace of the enumerations.
}  // namespace

constexpr bool known(Representation bodies) { return bodies <= Representation::tree; }
constexpr bool known(InertiaRows rows) { return rows <= InertiaRows::light; }

namespace {

// The head identifies the equations: all properties of the variant besides the text.
struct Head {
  std::string magic = kMagic, block, formulation;
  std::uint64_t model = 0;
  Representation bodies{};
  InertiaRows inertia_rows{};
  bool baumgarte = false, moving = false, model_exchange = false;
  std::string signal_block, signals;  // inputs with signals, one in each line

  void transfer(Archive& a) {
    a(magic, model, block, formulation, bodies, inertia_rows, baumgarte, moving, model_exchange, signal_block, signals);
  }
};

std::string lines_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += name + "\n";
  return out;
}

sema::InputSignals signals_in(const Head& head) {
  sema::InputSignals out{head.signal_block, {}};
  for (std::size_t at = 0, end = 0; (end = head.signals.find('\n', at)) != std::string::npos; at = end + 1)
    out.inputs.push_back(head.signals.substr(at, end - at));
  return out;
}

// Returns the model with these input signals.
Model with_signals(const Model& model, const sema::InputSignals& signals) {
  auto state = std::make_shared<Model::State>(*model.state());
  const api::EquationVariant& variant = *state->variant;
  state->variant = state->family->with_bodies(variant, variant.facts().bodies, variant.wanted(), signals);
  return Model(std::move(state));
}

struct Value {
  std::uint32_t index = 0;
  double value = 0;
  void transfer(Archive& a) { a(index, value); }
};

// Transfers pairs of an index below `count` and a finite value.
void transfer_list(Archive& a, std::vector<std::pair<std::uint32_t, double>>& list, std::size_t count) {
  std::vector<Value> values;
  for (const auto& [index, value] : list) values.push_back({index, value});
  a(values);
  list.clear();
  for (const Value& v : values) {
    a.expect(v.index < count && std::isfinite(v.value));
    list.emplace_back(v.index, v.value);
  }
}

Error wrong(const std::string& why) { return {ErrorCode::wrong_bytes, why}; }

}  // namespace

void Simulation::Impl::transfer(Archive& archive) {
  archive(time);
  archive.fixed(y);
  archive(fresh);
  archive.expect(check_state(time, y).ok());
  transfer_list(archive, set_params, facts().parameters.size());
  transfer_list(archive, set_inputs, facts().info.inputs.size());
  if (archive.reading() && archive.good()) {
    params = facts().written.parameters(set_params);
    values_checked = false;
    inputs = facts().written.inputs(params);
    for (const auto& [index, value] : set_inputs) inputs[index] = value;
  }
  archive.fixed(held);
  for (std::size_t k = 0; k < held.size(); ++k) archive.expect(facts().info.events.discrete[k].may_be(held[k]));
  if (archive.reading()) decided = motion != nullptr;
  if (!motion || !archive.good()) return;
  archive(*motion);
  archive.expect(model_exchange || motion->time() == time);  // a time that is far away would never be reached
}

std::string Simulation::save() {
  const kernel::StrictFloatingPoint strict;
  impl_->state();
  Head head;
  head.model = model_digest(impl_->variant());
  head.block = impl_->block;
  head.formulation = impl_->variant().wanted().method->name;
  const ModelShape shape = impl_->model.shape();
  head.bodies = shape.bodies;
  head.inertia_rows = shape.inertia_rows;
  head.baumgarte = shape.baumgarte;
  head.moving = impl_->motion != nullptr;
  head.model_exchange = impl_->model_exchange;
  head.signal_block = impl_->facts().signals.block;
  head.signals = lines_of(impl_->facts().signals.inputs);
  Archive archive;
  archive(head);
  impl_->transfer(archive);
  std::uint64_t sum = digest(archive.bytes());
  archive(sum);
  return archive.bytes();
}

Result<void> Simulation::restore(const std::string& bytes) {
  if (Result<void> free = impl_->check_free(); !free) return free;
  return api::guarded([&]() -> Result<void> {
    constexpr std::size_t kSum = sizeof(std::uint64_t);
    if (bytes.size() < kSum) return wrong("these bytes hold no simulation");
    std::uint64_t sum = 0;
    Archive end(bytes.substr(bytes.size() - kSum));
    end(sum);
    if (sum != digest(std::string_view(bytes).substr(0, bytes.size() - kSum)))
      return wrong("these bytes hold no simulation, or not the whole of one");
    Archive archive(bytes.substr(0, bytes.size() - kSum));
    Head head;
    archive(head);
    if (!archive.good() || head.magic != kMagic) return wrong("these bytes hold no simulation");
    ShapeSettings settings;
    settings.bodies = head.bodies;
    settings.inertia_rows = head.inertia_rows;
    settings.baumgarte = head.baumgarte;
    for (const formulate::Formulation* m : formulate::formulations())
      if (m->name == head.formulation) settings.formulation = api::formulation(*m);
    Result<Model> shaped = impl_->model.shaped(settings);
    if (!shaped) return shaped.error();
    if (shaped->ok()) shaped = with_signals(*shaped, signals_in(head));
    if (!shaped->ok() || model_digest(*shaped->state()->variant) != head.model)
      return wrong("this simulation is of another model, or of another version of mbc");
    auto made = std::make_unique<Impl>(*std::move(shaped), head.block);
    made->y.resize(made->model.state_size());
    made->model_exchange = head.model_exchange;
    if (head.moving) {
      made->take_gains();
      made->motion = made->make_motion();
    }
    made->transfer(archive);
    if (!archive.good() || !archive.at_end() || made->y.size() != made->model.state_size())
      return wrong("these bytes hold no simulation, or not the whole of one");
    impl_ = std::move(made);
    return {};
  });
}

}  // namespace mbc
