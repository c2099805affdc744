// SPDX-License-Identifier: Apache-2.0
// Simulations of mbc_c.h: state, parameters, steps, equations, bytes.
#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include "api/c/objects.h"

using namespace mbc;

namespace {

template <class Call>
mbc_code on(mbc_simulation* simulation, c::AllNeeded needed, Call&& call) noexcept {
  if (simulation == nullptr) return c::no_object("the simulation");
  return c::enter(simulation->failure, needed, [&]() -> Result<void> { return call(simulation->simulation); });
}

// Returns a value by its index.
mbc_code value_on(mbc_simulation* simulation, std::size_t index, double* value,
                  Result<double> (*get)(Simulation&, std::size_t)) noexcept {
  return on(simulation, {{value, "the place for the value"}},
            [&](Simulation& s) { return c::put(get(s, index), value); });
}

Result<void> copy(std::span<const double> from, double* to, std::size_t count, const char* what) {
  if (count != from.size())
    return Error{ErrorCode::wrong_size,
                 std::string(what) + " has " + std::to_string(from.size()) + " entries, not " + std::to_string(count)};
  if (to == nullptr && count > 0) return c::missing(what);
  std::copy(from.begin(), from.end(), to);
  return {};
}

}  // namespace

extern "C" {

mbc_simulation* mbc_simulation_new(const mbc_model* model, const char* block) {
  return c::make<mbc_simulation>({{model, "the model"}}, [&]() -> Result<mbc_simulation*> {
    Result<Simulation> made = Simulation::create(model->model, c::text_or(block));
    if (!made) return made.error();
    return new mbc_simulation(*std::move(made));
  });
}

void mbc_simulation_free(mbc_simulation* simulation) { delete simulation; }

const char* mbc_simulation_message(const mbc_simulation* simulation) {
  return simulation != nullptr ? simulation->failure.message.c_str() : "";
}
const char* mbc_simulation_diagnostics(const mbc_simulation* simulation) {
  return simulation != nullptr ? simulation->failure.diagnostics.c_str() : "";
}
size_t mbc_simulation_error_index(const mbc_simulation* simulation) {
  return simulation != nullptr ? simulation->failure.index : 0;
}

double mbc_time(const mbc_simulation* simulation) {
  return simulation != nullptr ? simulation->simulation.time() : std::numeric_limits<double>::quiet_NaN();
}

mbc_code mbc_state(mbc_simulation* simulation, double* y, size_t count) {
  return on(simulation, {}, [&](Simulation& s) { return copy(s.state(), y, count, "the state"); });
}

mbc_code mbc_set_state(mbc_simulation* simulation, double time, const double* y, size_t count) {
  return on(simulation, {{y, "the state"}}, [&](Simulation& s) { return s.set_state(time, {y, count}); });
}

mbc_code mbc_parameter(mbc_simulation* simulation, size_t index, double* value) {
  return value_on(simulation, index, value, [](Simulation& s, std::size_t k) { return s.parameter(k); });
}
mbc_code mbc_set_parameter(mbc_simulation* simulation, size_t index, double value) {
  return on(simulation, {}, [&](Simulation& s) { return s.set_parameter(index, value); });
}
mbc_code mbc_input(mbc_simulation* simulation, size_t index, double* value) {
  return value_on(simulation, index, value, [](Simulation& s, std::size_t k) { return s.input(k); });
}
mbc_code mbc_set_input(mbc_simulation* simulation, size_t index, double value) {
  return on(simulation, {}, [&](Simulation& s) { return s.set_input(index, value); });
}
mbc_code mbc_held(mbc_simulation* simulation, const char* name, double* value) {
  return on(simulation, {{name, "the name"}, {value, "the place for the value"}},
            [&](Simulation& s) { return c::put(s.held(name), value); });
}
mbc_code mbc_set_held(mbc_simulation* simulation, const char* name, double value) {
  return on(simulation, {{name, "the name"}}, [&](Simulation& s) { return s.set_held(name, value); });
}
mbc_code mbc_discrete_state(mbc_simulation* simulation, double* values, size_t count) {
  return on(simulation, {}, [&](Simulation& s) -> Result<void> {
    const Result<std::vector<double>> found = s.discrete_state();
    return found ? copy(*found, values, count, "the discrete state") : found.error();
  });
}
mbc_code mbc_set_discrete_state(mbc_simulation* simulation, const double* values, size_t count) {
  return on(simulation, {}, [&](Simulation& s) -> Result<void> {
    if (values == nullptr && count > 0) return c::missing("the discrete state");
    return s.set_discrete_state({values, count});
  });
}
mbc_code mbc_settle(mbc_simulation* simulation) {
  return on(simulation, {}, [](Simulation& s) { return s.settle(); });
}
mbc_code mbc_output(mbc_simulation* simulation, size_t index, double* value) {
  return value_on(simulation, index, value, [](Simulation& s, std::size_t k) { return s.output(k); });
}

mbc_code mbc_value(mbc_simulation* simulation, const char* expression, double* values, size_t* count) {
  return on(simulation, {{expression, "the expression"}, {count, "the count"}}, [&](Simulation& s) -> Result<void> {
    const Result<std::vector<double>> found = s.value(expression);
    if (!found) return found.error();
    const std::size_t room = std::exchange(*count, found->size());
    if (room < found->size())
      return Error{ErrorCode::wrong_size, "the expression has " + std::to_string(found->size()) + " values"};
    return copy(*found, values, found->size(), "the place for the values");
  });
}

mbc_code mbc_reset(mbc_simulation* simulation) {
  return on(simulation, {}, [&](Simulation& s) -> Result<void> {
    s.reset();
    return {};
  });
}

mbc_code mbc_step(mbc_simulation* simulation, double h) {
  return on(simulation, {}, [&](Simulation& s) { return s.step(h); });
}
mbc_code mbc_run_until(mbc_simulation* simulation, double time) {
  return on(simulation, {}, [&](Simulation& s) { return s.run_until(time); });
}

mbc_code mbc_set_stop(mbc_simulation* simulation, const volatile int32_t* stop) {
  return on(simulation, {}, [&](Simulation& s) -> Result<void> {
    s.set_stop(stop);
    return {};
  });
}

mbc_code mbc_rhs(mbc_simulation* simulation, double time, const double* y, double* dy, size_t count) {
  return on(simulation, {{y, "the state"}, {dy, "the place for y'"}}, [&](Simulation& s) {
    return s.rhs(time, {y, count}, {dy, count});
  });
}

mbc_code mbc_accelerations(mbc_simulation* simulation, double time, const double* y, size_t y_count,
                           double* accelerations, size_t count) {
  return on(simulation, {{y, "the state"}}, [&](Simulation& s) -> Result<void> {
    std::vector<double> dy(s.model().state_size());
    if (Result<void> found = s.rhs(time, {y, y_count}, dy); !found) return found;
    const std::span<const double> all = dy;
    return copy(all.subspan(s.model().coordinate_count(), s.model().speeds().size()), accelerations, count,
                "the array of accelerations");
  });
}

mbc_code mbc_rows(mbc_simulation* simulation, double time, const double* y, size_t count, mbc_rows_at* rows) {
  return on(simulation, {{y, "the state"}, {rows, "the place for the rows"}}, [&](Simulation& s) -> Result<void> {
    if (Result<void> size = c::check_size(rows, "mbc_rows_at"); !size) return size;
    Result<RowSet> found = s.rows(time, {y, count});
    if (!found) return found.error();
    const RowSet& r = simulation->rows = *std::move(found);
    c::give({sizeof *rows, r.n, r.m, r.M.data(), r.A.data(), r.f.data(), r.b.data(), r.acceleration.data(),
             r.multiplier.data(), r.rank, r.C.data()},
            rows);
    return {};
  });
}

mbc_code mbc_jacobian(mbc_simulation* simulation, mbc_jacobian_of of, mbc_jacobian_by by, double time, const double* y,
                      size_t count, mbc_jacobian_at* jacobian) {
  return on(
      simulation, {{y, "the state"}, {jacobian, "the place for the derivatives"}}, [&](Simulation& s) -> Result<void> {
        if (Result<void> size = c::check_size(jacobian, "mbc_jacobian_at"); !size) return size;
        if (of < MBC_OF_RATES || of > MBC_OF_OUTPUTS || by < MBC_BY_DIRECTIONS || by > MBC_BY_TIME)
          return c::wrong("there is no such derivative");
        Result<Jacobian> found = s.jacobian(static_cast<JacobianOf>(of), static_cast<JacobianBy>(by), time, {y, count});
        if (!found) return found.error();
        const Jacobian& j = simulation->jacobian = *std::move(found);
        const auto texts = [](const std::vector<std::string>& names) {
          std::vector<const char*> out;
          for (const std::string& name : names) out.push_back(name.c_str());
          return out;
        };
        simulation->jacobian_of = texts(j.of);
        simulation->jacobian_by = texts(j.by);
        c::give({sizeof *jacobian, j.of.size(), j.by.size(), j.values.data(), simulation->jacobian_of.data(),
                 simulation->jacobian_by.data()},
                jacobian);
        return {};
      });
}

mbc_code mbc_rhs_function(mbc_simulation* simulation, mbc_plain_rhs* function) {
  return on(simulation, {{function, "the place for the function"}}, [&](Simulation& s) -> Result<void> {
    if (Result<void> size = c::check_size(function, "mbc_plain_rhs"); !size) return size;
    const Result<RhsFunction> made = s.rhs_function();
    if (!made) return made.error();
    c::give({sizeof *function, made->call, made->context, made->size}, function);
    return {};
  });
}

mbc_code mbc_save(mbc_simulation* simulation, const void** bytes, size_t* count) {
  return on(simulation, {{bytes, "the place for the bytes"}, {count, "the place for the bytes"}},
            [&](Simulation& s) -> Result<void> {
              simulation->saved = s.save();
              *bytes = simulation->saved.data();
              *count = simulation->saved.size();
              return {};
            });
}

mbc_code mbc_restore(mbc_simulation* simulation, const void* bytes, size_t count) {
  return on(simulation, {{bytes, "the bytes"}},
            [&](Simulation& s) { return s.restore(std::string(static_cast<const char*>(bytes), count)); });
}
}
