// SPDX-License-Identifier: Apache-2.0
// GNU Octave interface based on mbc_c.h: one function, `__mbc__ (what, ...)`, which the functions `mbc_*.m` call. A
// simulation is an Octave value that is freed with its last reference.
#include <mbc/mbc_c.h>
#include <octave/interpreter.h>
#include <octave/oct.h>
#include <octave/ov-struct.h>

#include <memory>
#include <string>
#include <vector>

namespace {

void fail(const char* message) { error("mbc: %s", message); }

class octave_mbc final : public octave_base_value {
 public:
  octave_mbc() = default;
  octave_mbc(mbc_model* model, mbc_simulation* simulation)
      : model_(model, mbc_model_free), simulation_(simulation, mbc_simulation_free) {}
  bool is_defined() const override { return true; }
  bool is_constant() const override { return true; }
  void print(std::ostream& out, bool) override { out << "an mbc simulation at t = " << mbc_time(simulation()) << "\n"; }
  [[nodiscard]] mbc_model* model() const { return model_.get(); }
  [[nodiscard]] mbc_simulation* simulation() const { return simulation_.get(); }

 private:
  std::shared_ptr<mbc_model> model_;
  std::shared_ptr<mbc_simulation> simulation_;
  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};
DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA(octave_mbc, "mbc simulation", "mbc simulation");

const octave_mbc& of(const octave_value_list& args) {
  const auto* held = args.length() > 1 ? dynamic_cast<const octave_mbc*>(&args(1).get_rep()) : nullptr;
  if (held == nullptr || held->simulation() == nullptr) fail("the first argument is what mbc_load gave");
  return *held;
}

void check(const octave_mbc& s, mbc_code code) {
  if (code == MBC_OK) return;
  const std::string message = mbc_simulation_message(s.simulation());
  fail((message.empty() ? std::string(mbc_code_name(code)) : message).c_str());
}

std::string text_in(const octave_value_list& args, int k) {
  return k < args.length() ? args(k).xstring_value("mbc: argument %d is no text", k) : std::string();
}

double number(const octave_value_list& args, int k) {
  if (k >= args.length()) fail("a number is missing");
  return args(k).xdouble_value("mbc: argument %d is no number", k);
}

ColumnVector column(const octave_value_list& args, int k) {
  if (k >= args.length()) fail("a vector is missing");
  return ColumnVector(args(k).xvector_value("mbc: argument %d is no vector", k));
}

std::size_t index(const octave_mbc& s, mbc_list list, const std::string& name) {
  std::size_t at = 0;
  if (mbc_model_index(s.model(), list, name.c_str(), &at) != MBC_OK) fail(mbc_model_message(s.model()));
  return at;
}

bool is_in(const octave_mbc& s, mbc_list list, const std::string& name) {
  std::size_t at = 0;
  return mbc_model_index(s.model(), list, name.c_str(), &at) == MBC_OK;
}

Cell texts(const octave_mbc& s, mbc_list list, const char* (*of_one)(mbc_model*, mbc_list, std::size_t),
           const char* first) {
  const std::size_t before = first != nullptr ? 1 : 0, n = mbc_model_count(s.model(), list);
  Cell out(1, static_cast<octave_idx_type>(n + before));
  if (first != nullptr) out(0) = first;
  for (std::size_t k = 0; k < n; ++k)
    if (const char* t = of_one(s.model(), list, k)) out(static_cast<octave_idx_type>(k + before)) = t;
  return out;
}

octave_value_list load(const octave_value_list& args) {
  std::vector<std::string> given;
  for (int k = 3; k < args.length(); ++k) given.push_back(text_in(args, k));
  std::vector<const char*> set;
  for (const std::string& g : given) set.push_back(g.c_str());
  mbc_compile_options options{};
  options.size = sizeof options;
  options.set = set.data();
  options.set_count = set.size();
  mbc_model* model = mbc_model_from_file(text_in(args, 1).c_str(), &options);
  if (model == nullptr) fail(mbc_error_message());
  const std::string block = text_in(args, 2);
  mbc_simulation* simulation = mbc_simulation_new(model, block.empty() ? nullptr : block.c_str());
  if (simulation == nullptr) {
    mbc_model_free(model);
    fail(mbc_error_message());
  }
  mbc_model* shaped = mbc_model_from_simulation(simulation);
  mbc_model_free(model);
  return octave_value(new octave_mbc(shaped, simulation));
}

octave_value_list run(const octave_value_list& args) {
  const octave_mbc& s = of(args);
  const std::unique_ptr<mbc_table, void (*)(mbc_table*)> table(mbc_table_new(), mbc_table_free);
  mbc_run_options options{};
  mbc_run_result result{};
  options.size = sizeof options;
  result.size = sizeof result;
  options.table = table.get();
  check(s, mbc_run(s.simulation(), &options, &result));
  const auto rows = static_cast<octave_idx_type>(mbc_table_rows(table.get()));
  const auto columns = static_cast<octave_idx_type>(mbc_table_columns(table.get()));
  const double* values = mbc_table_values(table.get());
  Matrix out(rows, columns);
  for (octave_idx_type r = 0; r < rows; ++r)
    for (octave_idx_type c = 0; c < columns; ++c) out(r, c) = values[r * columns + c];
  octave_scalar_map all;
  all.assign("names", texts(s, MBC_COLUMNS, mbc_model_name, "time"));
  all.assign("units", texts(s, MBC_COLUMNS, mbc_model_unit, mbc_model_time_unit(s.model())));
  all.assign("values", out);
  all.assign("summary", std::string(result.summary));
  return octave_value(all);
}

ColumnVector state(const octave_mbc& s) {
  ColumnVector y(static_cast<octave_idx_type>(mbc_model_state_size(s.model())));
  check(s, mbc_state(s.simulation(), y.fortran_vec(), static_cast<std::size_t>(y.numel())));
  return y;
}

octave_value_list rates(const octave_value_list& args, bool accelerations) {
  const octave_mbc& s = of(args);
  const double t = number(args, 2);
  const ColumnVector y = column(args, 3);
  const auto n = static_cast<std::size_t>(y.numel());
  ColumnVector out(accelerations ? static_cast<octave_idx_type>(mbc_model_count(s.model(), MBC_SPEEDS)) : y.numel());
  const auto m = static_cast<std::size_t>(out.numel());
  check(s, accelerations ? mbc_accelerations(s.simulation(), t, y.data(), n, out.fortran_vec(), m)
                         : mbc_rhs(s.simulation(), t, y.data(), out.fortran_vec(), n));
  return octave_value(out);
}

octave_value_list value(const octave_value_list& args) {
  const octave_mbc& s = of(args);
  const std::string expression = text_in(args, 2);
  std::size_t count = 1;
  ColumnVector out(1);
  mbc_code code = mbc_value(s.simulation(), expression.c_str(), out.fortran_vec(), &count);
  if (code == MBC_WRONG_SIZE) {
    out.resize(static_cast<octave_idx_type>(count));
    code = mbc_value(s.simulation(), expression.c_str(), out.fortran_vec(), &count);
  }
  check(s, code);
  return octave_value(out);
}

// Returns a parameter or an input by its name.
octave_value_list get(const octave_value_list& args) {
  const octave_mbc& s = of(args);
  const std::string name = text_in(args, 2);
  double out = 0;
  if (is_in(s, MBC_INPUTS, name))
    check(s, mbc_input(s.simulation(), index(s, MBC_INPUTS, name), &out));
  else
    check(s, mbc_parameter(s.simulation(), index(s, MBC_PARAMETERS, name), &out));
  return octave_value(out);
}

octave_value_list set(const octave_value_list& args) {
  const octave_mbc& s = of(args);
  const std::string name = text_in(args, 2);
  const double to = number(args, 3);
  if (is_in(s, MBC_INPUTS, name))
    check(s, mbc_set_input(s.simulation(), index(s, MBC_INPUTS, name), to));
  else
    check(s, mbc_set_parameter(s.simulation(), index(s, MBC_PARAMETERS, name), to));
  return {};
}

octave_value_list move(const octave_value_list& args, const std::string& how) {
  const octave_mbc& s = of(args);
  if (how == "reset") check(s, mbc_reset(s.simulation()));
  if (how == "step") check(s, mbc_step(s.simulation(), number(args, 2)));
  if (how == "run_until") check(s, mbc_run_until(s.simulation(), number(args, 2)));
  if (how == "set_state") {
    const ColumnVector y = column(args, 3);
    check(s, mbc_set_state(s.simulation(), number(args, 2), y.data(), static_cast<std::size_t>(y.numel())));
  }
  return {};
}

mbc_list list_named(const std::string& name) {
  static const char* const kNames[] = {"parameters", "inputs", "coordinates", "speeds",      "states",  "outputs",
                                       "columns",    "events", "simulations", "constraints", "discrete"};
  for (mbc_list k = 0; k < static_cast<mbc_list>(std::size(kNames)); ++k)
    if (name == kNames[k]) return k;
  fail("there is no such list: parameters, inputs, coordinates, speeds, states, outputs, columns, events, ...");
  return 0;
}

}  // namespace

DEFMETHOD_DLD(__mbc__, interpreter, args, , "Called by the functions mbc_*: see `help mbc_load`.") {
  static bool registered = false;
  if (!registered) {
    octave_mbc::register_type();
    interpreter.mlock();  // its values may outlive every function
    registered = true;
  }
  const std::string what = text_in(args, 0);
  if (what == "version") return octave_value(mbc_version());
  if (what == "load") return load(args);
  if (what == "run") return run(args);
  if (what == "state") return octave_value(state(of(args)));
  if (what == "time") return octave_value(mbc_time(of(args).simulation()));
  if (what == "rhs" || what == "accelerations") return rates(args, what == "accelerations");
  if (what == "value") return value(args);
  if (what == "get") return get(args);
  if (what == "set") return set(args);
  if (what == "names") return octave_value(texts(of(args), list_named(text_in(args, 2)), mbc_model_name, nullptr));
  return move(args, what);
}
