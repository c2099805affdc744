// SPDX-License-Identifier: Apache-2.0
#include "tests/random/doors.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/split_mix64.h"
#include "mbc/mbc_c.h"
#include "tests/physics/run.h"
#include "tests/support/scratch.h"

namespace mbc::test {

namespace {

constexpr std::size_t kStates = 8;
constexpr int kRandomStates = 3;
constexpr double kClose = 1e-12;       // relative to the largest number of the same kind: another way of computation
constexpr double kDisturbance = 1e-3;  // of the coordinates and speeds at a random state, before they are assembled

// Returns where two lists differ in a bit; empty if they do not.
std::string difference(const std::vector<double>& found, const std::vector<double>& wanted,
                       const std::vector<std::string>& names = {}) {
  if (found.size() != wanted.size())
    return "sizes " + std::to_string(found.size()) + ", " + std::to_string(wanted.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    if (std::bit_cast<std::uint64_t>(found[k]) != std::bit_cast<std::uint64_t>(wanted[k]))
      return (k < names.size() ? names[k] : std::to_string(k)) + ": " + number(found[k]) + " for " + number(wanted[k]);
  return {};
}

std::string far(const std::vector<double>& found, const std::vector<double>& wanted) {
  double size = 1;
  for (const double w : wanted) size = std::max(size, std::fabs(w));
  if (found.size() != wanted.size()) return "sizes";
  for (std::size_t k = 0; k < found.size(); ++k)
    if (!(std::fabs(found[k] - wanted[k]) <= kClose * size))
      return std::to_string(k) + ": " + number(found[k]) + " for " + number(wanted[k]) + " of size " + number(size);
  return {};
}

std::vector<double> copied(std::span<const double> values) { return {values.begin(), values.end()}; }
std::vector<double> copied(const double* values, std::size_t count) { return {values, values + count}; }

std::vector<std::string> names_of(const std::vector<Quantity>& list) {
  std::vector<std::string> names;
  for (const Quantity& q : list) names.push_back(q.name);
  return names;
}

Model compiled(const std::string& text, const std::vector<std::string>& set, bool interpret) {
  CompileOptions options;
  options.interpret = interpret;
  options.native_at_once = !interpret;
  options.set = set;
  const Model model = Model::from_string(text, "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return model;
}

// The interface to C as a host has it that opens the library.
class CLibrary {
 public:
  CLibrary() : handle_(dlopen(MBC_C_LIBRARY, RTLD_NOW | RTLD_LOCAL)) { REQUIRE_MESSAGE(handle_ != nullptr, dlerror()); }
  template <class Function>
  Function* operator()(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_;  // open to the end of the program
};
#define MBC_C(name) c.operator()<decltype(name)>(#name)

}  // namespace

// ---- machine code

SharedObject::SharedObject(const Model& model) {
  const std::string header = model.emit(Stage::header, "model").value();
  const auto size = [&](const std::string& of) {
    const std::string name = "model_" + of + "_size = ";
    return static_cast<std::size_t>(std::stoul(header.substr(header.find(name) + name.size())));
  };
  mask_.assign(size("mask") + 1, 1);
  work_.assign(size("work"), 0);
  const Folder folder;
  const std::string path = folder / "model.so";
  std::ofstream(path, std::ios::binary) << machine_code(model, {}).value();
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library_ != nullptr, dlerror());
  function_ = reinterpret_cast<Function*>(dlsym(library_, "model_rhs"));
  REQUIRE((function_ != nullptr));
}

SharedObject::~SharedObject() { dlclose(library_); }

std::vector<double> SharedObject::rates(double time, const std::vector<double>& state,
                                        const std::vector<double>& params, const std::vector<double>& inputs) {
  std::vector<double> rate(state.size());
  const std::int32_t failed =
      function_(time, state.data(), params.data(), inputs.data(), mask_.data(), work_.data(), rate.data());
  CHECK(failed == 0);
  return rate;
}

// ---- Python

namespace {

std::string words(const std::vector<double>& values) {
  std::string text;
  char word[32];
  for (const double v : values) {
    std::snprintf(word, sizeof word, "%.17g ", v);
    text += word;
  }
  return text;
}

}  // namespace

void PythonDoor::model(const std::string& text, const std::string& block, const std::vector<std::string>& set) {
  const std::string file = folder_ + "/" + std::to_string(++models_) + ".mbd";
  std::ofstream(file) << text;
  head_ = file + "\t" + block + "\t";
  for (const std::string& s : set) head_ += s + ";";
}

void PythonDoor::row(const DoorRow& row, const std::vector<double>& outputs, const RowSet& set) {
  lines_ += head_;
  for (const std::vector<double>& list :
       {std::vector<double>{row.time}, row.state, row.discrete, outputs, set.acceleration, row.multipliers})
    lines_ += "\t" + words(list);
  lines_ += "\n";
  ++rows_;
}

int PythonDoor::ask() {
  const std::string cases = folder_ + "/cases", said = folder_ + "/said";
  std::ofstream(cases) << lines_;
  if (std::system("/usr/bin/python3 -c 'import ctypes' 2>/dev/null") != 0) return -1;
  const std::string command = "MBC_LIBRARY='" MBC_C_LIBRARY "' PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" MBC_SOURCE_DIR
                              "/api/python' /usr/bin/python3 '" MBC_TEST_DATA_DIR "/random/doors.py' " +
                              cases + " >" + said + " 2>&1";
  const int code = std::system(command.c_str());
  CHECK_MESSAGE(code == 0, read_file(said));
  return code == 0 && std::stoi(read_file(said)) == rows_ ? rows_ : 0;
}

// ---- all of them

Doors::Doors(const std::string& text, const std::vector<std::string>& set, const std::string& block, PythonDoor& python,
             DoorCounts& counts)
    : text_(text),
      block_(block),
      set_(set),
      model_(compiled(text, set, true)),
      native_(have_native() ? compiled(text, set, false) : model_),
      python_(python),
      counts_(counts) {
  ++counts_.models;
  python_.model(text, block, set);
}

std::vector<DoorRow> Doors::run(Simulation& of, const RunOptions& options) const {
  std::vector<DoorRow> rows;
  RunOptions with = options;
  with.multipliers = true;
  const std::size_t n_inputs = of.model().inputs().size();
  of.run(with, [&](const Row& row) {
    rows.push_back({row.time, copied(row.values), copied(row.state), copied(row.multipliers),
                    copied(row.inputs.subspan(n_inputs))});
    return options.span ? false : true;
  });
  return rows;
}

void Doors::along_a_run() {
  Simulation whole = Simulation::create(model_, block_).value();
  const std::vector<DoorRow> rows = run(whole, {});
  for (std::size_t k = 0; k < rows.size(); k += std::max<std::size_t>(rows.size() / kStates, 1)) at_row(rows[k]);
}

void Doors::at_row(const DoorRow& row) {
  CAPTURE(row.time);
  ++counts_.rows;
  for (const Model* model : {&model_, &native_}) {
    Simulation asked = Simulation::create(*model, block_).value();
    const std::vector<std::string> names = names_of(asked.model().columns());
    REQUIRE(asked.set_state(row.time, row.state));
    if (const Result<std::vector<double>> found = asked.columns(); found && model == &model_)
      counts_.alike += difference(*found, row.values).empty() ? 1 : 0;
    REQUIRE(asked.set_discrete_state(row.discrete));
    CHECK(difference(asked.columns().value(), row.values, names) == "");
    equations_at(asked, row, model == &model_);
    CHECK(asked.state() == row.state);
    CHECK(asked.discrete_state().value() == row.discrete);
    CHECK(difference(asked.columns().value(), row.values, names) == "");
  }
  by_c(row);
}

// The rows, rates, outputs and expressions are those of the row.
void Doors::equations_at(Simulation& asked, const DoorRow& row, bool to_python) {
  const Model& model = asked.model();
  const RowSet set = asked.rows(row.time, row.state).value();
  CHECK(difference(set.multiplier, row.multipliers, set.row_names) == "");
  std::vector<double> rate(row.state.size());
  REQUIRE(asked.rhs(row.time, row.state, rate));
  const auto first = rate.begin() + static_cast<std::ptrdiff_t>(model.coordinates().size());
  CHECK(far(set.acceleration, {first, first + static_cast<std::ptrdiff_t>(set.n)}) == "");
  std::vector<double> left(set.n), right(set.n);  // M u' and f + C + A^T lambda
  for (std::size_t i = 0; i < set.n; ++i) {
    right[i] = set.f[i] + set.C[i];
    for (std::size_t j = 0; j < set.n; ++j) left[i] += set.M[i * set.n + j] * set.acceleration[j];
    for (std::size_t k = 0; k < set.m; ++k) right[i] += set.A[k * set.n + i] * set.multiplier[k];
  }
  CHECK(far(left, right) == "");
  const std::vector<Quantity> outputs = model.outputs(), columns = model.columns();
  std::vector<double> of_outputs(outputs.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t out = 0; out < outputs.size(); ++out) {
      if (columns[c].name != outputs[out].name) continue;
      of_outputs[out] = row.values[c];
      CHECK(difference({asked.output(out).value()}, {row.values[c]}, {outputs[out].name}) == "");
      const Result<std::vector<double>> value = asked.value(outputs[out].name);
      CHECK_MESSAGE(value.ok(), (value ? "" : value.error().message));
      // Expressions that are asked for later are not folded as those of a tree's model are.
      const bool folded = std::find(set_.begin(), set_.end(), "bodies=tree") != set_.end();
      if (value && folded) CHECK(far(*value, {row.values[c]}) == "");
      if (value && !folded) CHECK(difference(*value, {row.values[c]}, {outputs[out].name}) == "");
    }
  if (to_python) python_.row(row, of_outputs, set);
  by_shared_object(asked, row, set);
}

void Doors::by_c(const DoorRow& row) {
  static const CLibrary c;
  std::vector<const char*> set;
  for (const std::string& s : set_) set.push_back(s.c_str());
  mbc_compile_options options{};
  options.size = sizeof options;
  options.set = set.data();
  options.set_count = set.size();
  options.engine = MBC_ENGINE_INTERPRETER;
  mbc_model* given = MBC_C(mbc_model_from_text)(text_.c_str(), "model.mbd", &options);
  REQUIRE(given != nullptr);
  mbc_simulation* s = MBC_C(mbc_simulation_new)(given, block_.empty() ? nullptr : block_.c_str());
  REQUIRE(s != nullptr);
  mbc_model* model = MBC_C(mbc_model_from_simulation)(s);
  REQUIRE(MBC_C(mbc_set_state)(s, row.time, row.state.data(), row.state.size()) == MBC_OK);
  const std::vector<double> discrete = row.discrete.empty() ? std::vector<double>(1) : row.discrete;
  REQUIRE(MBC_C(mbc_set_discrete_state)(s, discrete.data(), row.discrete.size()) == MBC_OK);
  mbc_rows_at rows{};
  rows.size = sizeof rows;
  REQUIRE(MBC_C(mbc_rows)(s, row.time, row.state.data(), row.state.size(), &rows) == MBC_OK);
  CHECK(difference(copied(rows.multiplier, rows.rows), row.multipliers) == "");
  const std::vector<double> acceleration = copied(rows.acceleration, rows.speeds);
  std::vector<double> rate(row.state.size());
  REQUIRE(MBC_C(mbc_rhs)(s, row.time, row.state.data(), rate.data(), rate.size()) == MBC_OK);
  const std::size_t speeds_at = MBC_C(mbc_model_count)(model, MBC_COORDINATES);
  CHECK(far(acceleration, copied(rate.data() + speeds_at, rows.speeds)) == "");
  const std::size_t columns = MBC_C(mbc_model_count)(model, MBC_COLUMNS);
  const std::size_t outputs = MBC_C(mbc_model_count)(model, MBC_OUTPUTS);
  REQUIRE(columns == row.values.size());
  for (std::size_t k = 0; k < columns; ++k) {
    const std::string name = MBC_C(mbc_model_name)(model, MBC_COLUMNS, k);
    std::size_t out = 0;
    if (MBC_C(mbc_model_index)(model, MBC_OUTPUTS, name.c_str(), &out) != MBC_OK || out >= outputs) continue;
    double value = 0;
    REQUIRE(MBC_C(mbc_output)(s, out, &value) == MBC_OK);
    CHECK(difference({value}, {row.values[k]}, {name}) == "");
  }
  MBC_C(mbc_model_free)(model);
  MBC_C(mbc_simulation_free)(s);
  MBC_C(mbc_model_free)(given);
}

void Doors::by_shared_object(Simulation& asked, const DoorRow& row, const RowSet& set) {
  if (!have_native() || !row.discrete.empty() || set.rank < static_cast<int>(set.m)) return;
  if (!object_) object_.emplace(asked.model());
  std::vector<double> params, inputs(1);
  for (std::size_t k = 0; k < asked.model().parameters().size(); ++k) params.push_back(asked.parameter(k).value());
  for (std::size_t k = 0; k < asked.model().inputs().size(); ++k) inputs.push_back(asked.input(k).value());
  params.push_back(0);
  const std::vector<double> rate = object_->rates(row.time, row.state, params, {inputs.begin() + 1, inputs.end()});
  const auto first = rate.begin() + static_cast<std::ptrdiff_t>(asked.model().coordinates().size());
  CHECK(far({first, first + static_cast<std::ptrdiff_t>(set.n)}, set.acceleration) == "");
  ++counts_.objects;
}

void Doors::at_random_states(std::uint64_t seed) {
  SplitMix64 random(seed);
  Simulation whole = Simulation::create(model_, block_).value();
  const std::vector<DoorRow> rows = run(whole, {});
  if (rows.empty()) return;
  for (int k = 0; k < kRandomStates; ++k) {
    const DoorRow& row =
        rows[static_cast<std::size_t>(0.5 * (random.next() + 1) * static_cast<double>(rows.size())) % rows.size()];
    std::vector<double> y = row.state;
    for (std::size_t i = 0; i + 2 < y.size(); ++i) y[i] += kDisturbance * random.next();
    RunOptions assemble;
    assemble.span = {row.time, row.time + 1e-3};
    assemble.state = y;
    assemble.assemble = true;
    Simulation other = Simulation::create(model_, block_).value();
    const std::vector<DoorRow> first = run(other, assemble);
    if (first.empty()) {
      ++counts_.not_begun;
      continue;
    }
    begin_at(row.time, first.front().state);
  }
}

void Doors::begin_at(double time, const std::vector<double>& state) {
  CAPTURE(time);
  RunOptions options;
  options.span = {time, time + 1e-3};
  options.state = state;
  Simulation run_here = Simulation::create(model_, block_).value(), asked = Simulation::create(model_, block_).value();
  const std::vector<DoorRow> first = run(run_here, options);
  if (first.empty()) {
    ++counts_.not_begun;
    return;
  }
  ++counts_.begun;
  const std::vector<std::string> names = names_of(asked.model().columns());
  REQUIRE(asked.set_state(time, state));
  const std::vector<double> found = asked.columns().value(), discrete = asked.discrete_state().value();
  // The doors agree with each other without a discrete state that is given.
  DoorRow row{time, found, state, asked.rows(time, state).value().multiplier, discrete};
  equations_at(asked, row, false);
  by_c(row);
  const Result<void> settled = asked.settle();
  REQUIRE_MESSAGE(settled.ok(), settled.error().message);
  CHECK(difference(asked.state(), first.front().state) == "");
  CHECK(difference(asked.columns().value(), first.front().values, names) == "");
}

}  // namespace mbc::test
