// SPDX-License-Identifier: Apache-2.0
// Runs of mbc_c.h, and the tables for their rows.
#include <csignal>

#include "api/c/objects.h"

using namespace mbc;

static_assert(std::is_same_v<std::sig_atomic_t, std::int32_t>);

namespace {

Result<void> check(const mbc_run_options& o) {
  if (o.reserved != 0) return c::wrong("mbc_run_options.reserved is not 0");
  if (o.state == nullptr && o.state_count > 0) return c::missing("mbc_run_options.state");
  if (o.state != nullptr && o.state_count == 0)
    return Error{ErrorCode::wrong_size, "mbc_run_options.state has no entries", {}, 0};
  if (o.state != nullptr && o.has_span == 0) return c::wrong("a state for the beginning goes with a span");
  return {};
}

RunOptions run_options(const mbc_run_options& o) {
  RunOptions out;
  out.simulation = c::text_or(o.simulation);
  out.output_every = o.output_every == 0 ? 1 : o.output_every;
  out.assemble = o.assemble != 0;
  out.stop = o.stop;
  if (o.has_span != 0) out.span = {o.begin, o.end};
  if (o.state != nullptr) out.state.assign(o.state, o.state + o.state_count);
  out.until_event = c::text_or(o.until_event);
  if (o.progress != nullptr) out.progress = [o](double t) { o.progress(o.user, t); };
  if (o.drive != nullptr)
    out.drive = [o](double t, std::span<const double> y, std::span<double> inputs) {
      o.drive(o.user, t, y.data(), y.size(), inputs.data(), inputs.size());
    };
  if (o.on_event != nullptr)
    out.on_event = [o](double t, const std::string& event) { o.on_event(o.user, t, event.c_str()); };
  return out;
}

Observer observer(const mbc_run_options& o) {
  if (o.table == nullptr && o.on_row == nullptr) return {};
  return [o](const Row& row) {
    if (o.table != nullptr) {
      o.table->columns = row.values.size() + 1;
      o.table->values.push_back(row.time);
      o.table->values.insert(o.table->values.end(), row.values.begin(), row.values.end());
      ++o.table->rows;
    }
    return o.on_row == nullptr ||
           o.on_row(o.user, row.time, row.values.data(), row.values.size(), row.state.data(), row.state.size()) == 0;
  };
}

// Keeps the message of the run, or that the host ended it.
void keep_failure(const RunResult& result, c::Failure& failure) {
  failure.code = c::code_of(result.status);
  failure.message = c::message_of(result.rendered, "the run was ended by its host");
  if (result.diagnostic) failure.diagnostics = c::json_of({*result.diagnostic});
}

void report(const RunResult& r, mbc_simulation& kept, mbc_run_result* result) {
  kept.summary = summary_text(r);
  kept.summary_json = summary_json(r);
  kept.warnings = c::json_of(r.warnings);
  mbc_run_result out{};
  out.steps = r.steps;
  out.rows = r.rows;
  out.evaluations = r.evaluations;
  out.events = r.events;
  out.begin = r.begin;
  out.end = r.end;
  out.reached = r.reached;
  out.wall_seconds = r.wall_seconds;
  out.rank = r.rank;
  out.freedoms = r.freedoms;
  out.summary = kept.summary.c_str();
  out.summary_json = kept.summary_json.c_str();
  out.warnings = kept.warnings.c_str();
  c::give(out, result);
}

}  // namespace

extern "C" {

mbc_table* mbc_table_new(void) {
  return c::make<mbc_table>({}, []() -> Result<mbc_table*> { return new mbc_table; });
}
void mbc_table_free(mbc_table* table) { delete table; }
size_t mbc_table_rows(const mbc_table* table) { return table != nullptr ? table->rows : 0; }
size_t mbc_table_columns(const mbc_table* table) { return table != nullptr ? table->columns : 0; }
const double* mbc_table_values(const mbc_table* table) {
  return table != nullptr && table->rows > 0 ? table->values.data() : nullptr;
}

mbc_code mbc_run(mbc_simulation* simulation, const mbc_run_options* options, mbc_run_result* result) {
  if (simulation == nullptr) return c::no_object("the simulation");
  mbc_code code = MBC_OK;
  const mbc_code called = c::enter(simulation->failure, [&]() -> Result<void> {
    mbc_run_options o;
    if (Result<void> taken = c::take(options, o, "mbc_run_options"); !taken) return taken;
    if (Result<void> size = c::check_size(result, "mbc_run_result"); !size) return size;
    if (Result<void> good = check(o); !good) return good;
    if (o.table != nullptr) *o.table = {0, simulation->simulation.model().column_count() + 1, {}};
    const RunResult run = simulation->simulation.run(run_options(o), observer(o));
    report(run, *simulation, result);
    code = c::code_of(run.status);
    simulation->failure = {};  // failures inside callbacks were reported there
    if (code != MBC_OK) keep_failure(run, simulation->failure);
    return {};
  });
  return called != MBC_OK ? called : code;
}
}
