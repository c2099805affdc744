// SPDX-License-Identifier: Apache-2.0
// mbc::Simulation: every call checks its arguments and goes through guarded().
#include "mbc/simulation.h"

#include <cmath>

#include "api/model/guard.h"
#include "api/simulation/simulation_impl.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"

namespace mbc {

namespace {

Error out_of_range(const char* what, std::size_t index, std::size_t count) {
  return {ErrorCode::out_of_range, "there is no " + std::string(what) + " " + std::to_string(index) + ": there " +
                                       (count == 1 ? "is 1" : "are " + std::to_string(count))};
}

// Largest number of steps of the block's size in one call, since a call cannot be interrupted: that many steps take an
// hour or more.
constexpr double kMostSteps = 1e10;

Error bad_time(const char* what) { return {ErrorCode::not_finite, std::string(what) + " is not finite"}; }

// Checks that a step is finite and positive.
Result<void> check_step(double h) {
  if (!std::isfinite(h)) return bad_time("the step");
  if (h <= 0) return Error{ErrorCode::invalid_argument, "a step has a size above 0"};
  return {};
}

}  // namespace

Result<void> Simulation::Impl::check_reach(double h) const {
  if (h / chosen_block().step <= kMostSteps) return {};
  return Error{ErrorCode::invalid_argument, "the time is more than 1e10 steps of the block away"};
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Result<Simulation> Simulation::create(const Model& model, const std::string& simulation) {
  if (!model.ok()) return model_error(model);
  return api::guarded([&]() -> Result<Simulation> {
    Model shaped = model;
    if (!simulation.empty()) {
      Result<Model> made = model.shaped(simulation);
      if (!made) return made.error();
      if (!made->ok()) return model_error(*made);
      shaped = *std::move(made);
    }
    auto impl = std::make_unique<Impl>(std::move(shaped), simulation);
    impl->ready();
    if (Result<void> native = impl->check_native(); !native) return native.error();
    return Simulation(std::move(impl));
  });
}

const Model& Simulation::model() const { return impl_->model; }
double Simulation::time() const { return impl_->time; }

const std::vector<double>& Simulation::state() {
  const kernel::StrictFloatingPoint strict;
  return impl_->state();
}

Result<void> Simulation::set_state(double time, std::span<const double> y) {
  if (Result<void> free = impl_->check_free(); !free) return free;
  if (Result<void> fits = impl_->check_state(time, y); !fits) return fits;
  impl_->motion.reset();
  impl_->time = time;
  impl_->y.assign(y.begin(), y.end());
  impl_->fresh = false;
  impl_->decided = false;
  impl_->forget_contacts(impl_->held);
  return {};
}

Result<double> Simulation::parameter(std::size_t index) const {
  if (index >= impl_->params.size()) return out_of_range("parameter", index, impl_->params.size());
  return impl_->params[index];
}
Result<double> Simulation::parameter(const std::string& name) const {
  const Result<std::size_t> index = impl_->model.parameter_index(name);
  return index ? parameter(*index) : index.error();
}
Result<void> Simulation::set_parameter(std::size_t index, double value) {
  if (index >= impl_->params.size()) return out_of_range("parameter", index, impl_->params.size());
  if (!std::isfinite(value)) return Error{ErrorCode::not_finite, "a parameter has a finite value", {}, index};
  return api::guarded([&] { return impl_->set_parameter(index, value); });
}
Result<void> Simulation::set_parameter(const std::string& name, double value) {
  const Result<std::size_t> index = impl_->model.parameter_index(name);
  return index ? set_parameter(*index, value) : index.error();
}

Result<double> Simulation::input(std::size_t index) const {
  if (index >= impl_->inputs.size()) return out_of_range("input", index, impl_->inputs.size());
  return api::guarded([&]() -> Result<double> { return impl_->input(index); });
}
Result<double> Simulation::input(const std::string& name) const {
  const Result<std::size_t> index = impl_->model.input_index(name);
  return index ? input(*index) : index.error();
}
Result<void> Simulation::set_input(std::size_t index, double value) {
  if (index >= impl_->inputs.size()) return out_of_range("input", index, impl_->inputs.size());
  if (!std::isfinite(value)) return Error{ErrorCode::not_finite, "an input has a finite value", {}, index};
  return api::guarded([&] { return impl_->set_input(index, value); });
}
Result<void> Simulation::set_input(const std::string& name, double value) {
  const Result<std::size_t> index = impl_->model.input_index(name);
  return index ? set_input(*index, value) : index.error();
}

std::vector<std::string> Simulation::held_names() const {
  std::vector<std::string> names;
  for (const problem::DiscreteVariable& h : impl_->facts().info.events.discrete)
    if (h.is_told()) names.push_back(h.name);
  return names;
}
Result<double> Simulation::held(const std::string& name) const {
  const std::optional<std::size_t> index = impl_->held_index(name);
  if (index) return impl_->held[*index];
  return Error{ErrorCode::no_such_name, "nothing that events change is called `" + printable(name) + "`"};
}
Result<void> Simulation::set_held(const std::string& name, double value) {
  if (const Result<double> there = held(name); !there) return there.error();
  if (!std::isfinite(value)) return Error{ErrorCode::not_finite, "what events change has a finite value"};
  if (Result<void> free = impl_->check_free(); !free) return free;
  const std::size_t index = *impl_->held_index(name);
  const std::uint32_t labels = impl_->facts().info.events.discrete[index].choices();
  if (labels > 0 && !(value >= 0 && value < labels && value == std::floor(value)))
    return Error{ErrorCode::invalid_argument,
                 "`" + printable(name) + "` is a whole number from 0 to " + std::to_string(labels - 1)};
  if (!impl_->facts().info.events.discrete[index].may_be(value))
    return Error{ErrorCode::invalid_argument,
                 "`" + printable(name) + "` is a number of firings: a whole number, and not below 0"};
  impl_->motion.reset();
  impl_->held[index] = value;
  impl_->decided = false;
  return {};
}

std::vector<std::string> Simulation::discrete_names() const {
  std::vector<std::string> names;
  for (const problem::DiscreteVariable& v : impl_->facts().info.events.discrete) names.push_back(v.name);
  return names;
}
Result<std::vector<double>> Simulation::discrete_state() {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  return api::guarded([&]() -> Result<std::vector<double>> {
    const std::vector<double> y = impl_->state();
    const Result<runtime::Equations*> here = impl_->equations_at(impl_->time, y);
    if (!here) return here.error();
    if (impl_->held.empty()) return std::vector<double>();
    return impl_->discrete_state(**here).values();
  });
}
Result<void> Simulation::set_discrete_state(std::span<const double> values) {
  if (Result<void> free = impl_->check_free(); !free) return free;
  const problem::DiscreteVariables& variables = impl_->facts().info.events.discrete;
  if (values.size() != impl_->held.size())
    return Error{ErrorCode::wrong_size, "the discrete state of the model has " + std::to_string(impl_->held.size()) +
                                            " entries, not " + std::to_string(values.size())};
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!variables[k].may_be(values[k]))
      return Error{ErrorCode::invalid_argument,
                   "`" + printable(variables[k].name) + "` cannot be " + text::short_number(values[k], 6),
                   {},
                   k};
  impl_->state();
  impl_->motion.reset();
  impl_->held.assign(values.begin(), values.end());
  impl_->decided = true;
  return {};
}

Result<double> Simulation::output(std::size_t index) {
  const std::size_t count = impl_->facts().info.outputs.size();
  if (index >= count) return out_of_range("output", index, count);
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  return api::guarded([&]() -> Result<double> {
    const std::vector<double> y = impl_->state();
    const Result<std::vector<double>> values = impl_->outputs_at(impl_->time, y);
    if (!values) return values.error();
    if (std::isfinite((*values)[index])) return (*values)[index];
    return Error{ErrorCode::undefined_value,
                 "the output `" + printable(impl_->facts().info.outputs[index].name) + "` is undefined here",
                 {},
                 index};
  });
}
Result<double> Simulation::output(const std::string& name) {
  const Result<std::size_t> index = impl_->model.output_index(name);
  return index ? output(*index) : index.error();
}

Result<std::vector<double>> Simulation::columns() {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  return api::guarded([&] { return impl_->columns(); });
}

void Simulation::reset() { impl_->begin_anew(); }

std::vector<double> Simulation::initial_state() {
  const kernel::StrictFloatingPoint strict;
  return impl_->initial_state();
}

Result<InitialState> Simulation::initial(double time, bool assemble) {
  if (!std::isfinite(time)) return bad_time("the time");
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  return api::guarded([&]() -> Result<InitialState> { return impl_->initial(time, assemble); });
}

Result<void> Simulation::settle() {
  return api::guarded([&] { return impl_->move([](api::Motion&) { return true; }); });
}

void Simulation::set_stop(const volatile std::sig_atomic_t* stop) {
  impl_->stop_flag = stop;
  if (impl_->motion) impl_->motion->set_stop(stop);
}

Result<void> Simulation::step(double h) {
  if (Result<void> good = check_step(h); !good) return good;
  if (!std::isfinite(impl_->time + h)) return bad_time("the time after the step");
  if (Result<void> near = impl_->check_reach(h); !near) return near;
  return api::guarded([&] { return impl_->move([h](api::Motion& motion) { return motion.step(h); }); });
}

Result<void> Simulation::run_until(double time) {
  if (!std::isfinite(time)) return bad_time("the time");
  if (time < impl_->time) return Error{ErrorCode::invalid_argument, "the time lies before the present one"};
  if (Result<void> near = impl_->check_reach(time - impl_->time); !near) return near;
  return api::guarded([&] { return impl_->move([time](api::Motion& motion) { return motion.run_until(time); }); });
}

RunResult Simulation::run(const RunOptions& options, const Observer& observer) {
  const kernel::StrictFloatingPoint strict;
  RunResult result;
  try {
    if (Result<void> free = impl_->check_free(); !free) {
      result.status = Status::model_error;
      result.rendered = free.error().message + "\n";
      return result;
    }
    impl_->certified = false;
    result = impl_->run(options, observer);
  } catch (const InternalError& e) {
    result.status = Status::internal_error;
    result.rendered = api::internal(e).message + "\n";
  }
  if (result.state.size() != impl_->model.state_size()) return result;
  impl_->motion.reset();
  if (!options.simulation.empty()) impl_->block = options.simulation;
  impl_->discrete_search.forget();  // another block may choose other reactions
  impl_->time = result.reached;
  impl_->y = result.state;
  if (impl_->equations) impl_->take_discrete_state(*impl_->equations);
  impl_->fresh = false;
  impl_->decided = true;
  return result;
}

Result<void> Simulation::rhs(double time, std::span<const double> y, std::span<double> dy) {
  if (Result<void> free = impl_->check_free(); !free) return free;
  return api::guarded([&]() -> Result<void> {
    runtime::Equations& equations = impl_->ready();
    const std::size_t size = equations.layout().n_y();
    if (y.size() != size || dy.size() != size)
      return Error{ErrorCode::wrong_size, "the state of the model has " + std::to_string(size) + " entries"};
    if (Result<void> fits = impl_->check_state(time, y); !fits) return fits;
    if (Result<runtime::Equations*> here = impl_->equations_at(time, y); !here) return here.error();
    const bool fast = !impl_->certified && equations.fast_rhs(time, y.data(), dy.data());
    const int failed = fast ? 0 : equations.rhs(time, y.data(), dy.data());
    if (failed == 0) return {};
    const auto index = static_cast<std::size_t>(failed) - 1;
    return Error{ErrorCode::undefined_value, "entry " + std::to_string(index) + " of y' is not finite", {}, index};
  });
}

Result<RhsFunction> Simulation::rhs_function() {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  return api::guarded([&]() -> Result<RhsFunction> { return impl_->rhs_function(); });
}

Result<RowSet> Simulation::rows(double time, std::span<const double> y) {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  if (Result<void> fits = impl_->check_state(time, y); !fits) return fits.error();
  return api::guarded([&]() -> Result<RowSet> {
    if (impl_->ready().beyond_dense())
      return Error{ErrorCode::too_large, "the rows are looked at as full matrices, of at most " +
                                             std::to_string(kernel::kMaxDenseRows) + " rows"};
    return impl_->rows(time, y);
  });
}

Result<Evaluated> Simulation::evaluate(const std::string& expression, double time, std::span<const double> y) {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  if (Result<void> fits = impl_->check_state(time, y); !fits) return fits.error();
  return api::guarded([&] { return impl_->value(expression, time, y); });
}

Result<std::vector<double>> Simulation::value(const std::string& expression, double time, std::span<const double> y) {
  Result<Evaluated> found = evaluate(expression, time, y);
  if (!found) return found.error();
  return std::move(found->values);
}
Result<std::vector<double>> Simulation::value(const std::string& expression) {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  const std::vector<double> y = state();
  return value(expression, time(), y);
}

Result<TestResult> Simulation::run_test(std::size_t index, const volatile std::sig_atomic_t* stop) {
  const std::size_t count = impl_->facts().tests.size();
  if (index >= count) return out_of_range("test", index, count);
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  // A copy runs the test, since a block with another representation of bodies would leave its own kind of state.
  return api::guarded([&] { return impl_->copy()->run_test(index, stop); });
}

}  // namespace mbc
