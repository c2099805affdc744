// SPDX-License-Identifier: Apache-2.0
#include "tests/random/doors.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

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

std::string far(const std::vector<double>& found, const std::vector<double>& wanted, double size = 1) {
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

// Gives quaternions that follow from rotation matrices the signs that they have in `like`. A run chooses them by
// continuity from row to row (docs/language.md); to a state alone belong both.
void take_signs(const Model& model, const std::vector<double>& like, std::vector<double>& values) {
  const std::vector<std::string> names = names_of(model.columns()), coordinates = names_of(model.coordinates());
  for (std::size_t c = 0; c + 3 < names.size(); ++c) {
    if (!names[c].ends_with(".p0") || std::find(coordinates.begin(), coordinates.end(), names[c]) != coordinates.end())
      continue;
    double along = 0;
    for (std::size_t k = c; k < c + 4; ++k) along += like[k] * values[k];
    for (std::size_t k = c; k < c + 4 && along < 0; ++k) values[k] = -values[k];
  }
}

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

Model compiled(const DoorModel& of, bool interpret) {
  CompileOptions options;
  options.interpret = interpret;
  options.native_at_once = !interpret;
  options.set = of.set;
  options.folder = folder_of(of.file);
  const Model model = Model::from_string(of.text, "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return model;
}

// The interface to C as a host has it that opens the library.
template <class Function>
Function* c_function(const char* name) {
  static void* const library = dlopen(MBC_C_LIBRARY, RTLD_NOW | RTLD_LOCAL);  // open to the end of the program
  REQUIRE_MESSAGE(library != nullptr, dlerror());
  return reinterpret_cast<Function*>(dlsym(library, name));
}
#define MBC_C(name) c_function<decltype(name)>(#name)

// A simulation by the interface to C.
struct CSimulation {
  explicit CSimulation(const DoorModel& of) {
    std::vector<const char*> set;
    for (const std::string& s : of.set) set.push_back(s.c_str());
    const std::string folder = folder_of(of.file);
    mbc_compile_options options{};
    options.size = sizeof options;
    options.set = set.data();
    options.set_count = set.size();
    options.engine = MBC_ENGINE_INTERPRETER;
    options.folder = folder.c_str();
    given = MBC_C(mbc_model_from_text)(of.text.c_str(), "model.mbd", &options);
    REQUIRE(given != nullptr);
    simulation = MBC_C(mbc_simulation_new)(given, of.block.empty() ? nullptr : of.block.c_str());
    REQUIRE(simulation != nullptr);
  }
  ~CSimulation() {
    MBC_C(mbc_simulation_free)(simulation);
    MBC_C(mbc_model_free)(given);
  }
  CSimulation(const CSimulation&) = delete;
  CSimulation& operator=(const CSimulation&) = delete;

  mbc_model* given = nullptr;
  mbc_simulation* simulation = nullptr;
};

}  // namespace

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

std::string PythonDoor::model(const DoorModel& model) {
  std::string file = model.file;
  if (file.empty()) {
    file = folder_ + "/" + std::to_string(++models_) + ".mbd";
    std::ofstream(file) << model.text;
  }
  head_ = file + "\t" + model.block + "\t";
  for (const std::string& s : model.set) head_ += s + ";";
  return file;
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

namespace {

std::vector<DoorRow> rows_of_run(Simulation& of, const RunOptions& options, RunResult* result = nullptr) {
  std::vector<DoorRow> rows;
  RunOptions with = options;
  with.multipliers = true;
  const std::size_t n_inputs = of.model().inputs().size();
  const RunResult made = of.run(with, [&](const Row& row) {
    rows.push_back({row.time, copied(row.values), copied(row.state), copied(row.multipliers),
                    copied(row.inputs.subspan(n_inputs))});
    return !options.span;
  });
  if (result != nullptr) *result = made;
  return rows;
}

// Returns the gains of the block, which follow the parameters of machine code.
std::vector<double> gains_of(const std::string& text) {
  std::vector<double> gains;
  const std::size_t block = text.find("baumgarte(");
  for (const char* gain : {"alpha = ", "beta = "})
    if (block != std::string::npos) gains.push_back(std::stod(text.substr(text.find(gain, block) + std::strlen(gain))));
  return gains;
}

}  // namespace

Doors::Doors(const DoorModel& model, PythonDoor& python, DoorCounts& counts)
    : of_(model),
      file_(python.model(model)),
      model_(compiled(model, true)),
      native_(have_native() ? compiled(model, false) : model_),
      python_(python),
      counts_(counts) {
  ++counts_.models;
  Simulation whole = simulation(model_);
  RunResult result;
  rows_ = rows_of_run(whole, {}, &result);
  counts_.not_run += rows_.empty() ? 1 : 0;
  counts_.stopped += !rows_.empty() && result.status != Status::complete ? 1 : 0;
  runs_by_others(result);
}

// Runs end alike by native code and by the interface to C, with the same rows and the same state.
void Doors::runs_by_others(const RunResult& result) {
  Simulation other = simulation(native_);
  RunResult native;
  const std::vector<DoorRow> rows = rows_of_run(other, {}, &native);
  CHECK(native.status == result.status);
  CHECK(difference(native.state, result.state) == "");
  REQUIRE(rows.size() == rows_.size());
  for (std::size_t k = 0; k < rows.size(); ++k) CHECK(difference(rows[k].values, rows_[k].values) == "");
  const CSimulation c(of_);
  mbc_run_result made{};
  made.size = sizeof made;
  const mbc_code code = MBC_C(mbc_run)(c.simulation, nullptr, &made);
  CHECK((code == MBC_OK) == (result.status == Status::complete));
  CHECK((code == MBC_INCONSISTENT) == (result.status == Status::inconsistent));
  CHECK(made.rows == result.rows);
  CHECK(made.steps == result.steps);
}

void Doors::along_a_run() {
  for (std::size_t k = 0; k < rows_.size(); k += std::max<std::size_t>(rows_.size() / kStates, 1)) at_row(rows_[k]);
}

void Doors::at_row(DoorRow row) {
  CAPTURE(row.time);
  ++counts_.rows;
  for (const Model* model : {&model_, &native_}) {
    Simulation asked = simulation(*model);
    counts_.native += model == &native_ ? 1 : 0;
    const std::vector<std::string> names = names_of(asked.model().columns());
    REQUIRE(asked.set_state(row.time, row.state));
    if (const Result<std::vector<double>> found = asked.columns(); found && model == &model_)
      counts_.alike += difference(*found, row.values).empty() ? 1 : 0;
    REQUIRE(asked.set_discrete_state(row.discrete));
    const std::vector<double> found = asked.columns().value();
    if (model == &model_) {
      take_signs(asked.model(), found, row.values);
      take_roundings(asked, found, row);
    }
    CHECK(difference(found, row.values, names) == "");
    equations_at(asked, row, model == &model_);
    CHECK(asked.state() == row.state);
    CHECK(asked.discrete_state().value() == row.discrete);
    CHECK(difference(asked.columns().value(), row.values, names) == "");
  }
  by_c(row);
}

// Which of dependent rows a run leaves out is a matter of its history and no part of the discrete state. Where it left
// out others than a query does, the answers have other roundings, and the doors are compared with the query's.
void Doors::take_roundings(Simulation& asked, const std::vector<double>& found, DoorRow& row) {
  const RowSet set = asked.rows(row.time, row.state).value();
  if (set.rank == static_cast<int>(set.m) || far(found, row.values) != "" || far(set.multiplier, row.multipliers) != "")
    return;
  if (difference(found, row.values) == "" && difference(set.multiplier, row.multipliers) == "") return;
  ++counts_.other_rows;
  row.values = found;
  row.multipliers = set.multiplier;
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
  double size = 1;                                // of the terms, which cancel where rows hold loads
  for (std::size_t i = 0; i < set.n; ++i) {
    right[i] = set.f[i] + set.C[i];
    size = std::max({size, std::fabs(set.f[i]), std::fabs(set.C[i])});
    for (std::size_t j = 0; j < set.n; ++j) left[i] += set.M[i * set.n + j] * set.acceleration[j];
    for (std::size_t k = 0; k < set.m; ++k) {
      const double term = set.A[k * set.n + i] * set.multiplier[k];
      right[i] += term;
      size = std::max(size, std::fabs(term));
    }
  }
  CHECK(far(left, right, size) == "");
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
      const bool folded = std::find(of_.set.begin(), of_.set.end(), "bodies=tree") != of_.set.end();
      if (value && folded) CHECK(far(*value, {row.values[c]}) == "");
      if (value && !folded) CHECK(difference(*value, {row.values[c]}, {outputs[out].name}) == "");
    }
  if (to_python) python_.row(row, of_outputs, set);
  by_objects(asked, row, set);
}

void Doors::by_c(const DoorRow& row) {
  const CSimulation c(of_);
  mbc_simulation* const s = c.simulation;
  mbc_model* model = MBC_C(mbc_model_from_simulation)(s);
  REQUIRE(MBC_C(mbc_set_state)(s, row.time, row.state.data(), row.state.size()) == MBC_OK);
  REQUIRE(MBC_C(mbc_set_discrete_state)(s, row.discrete.data(), row.discrete.size()) == MBC_OK);
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
  ++counts_.by_c;
}

void Doors::by_objects(Simulation& asked, const DoorRow& row, const RowSet& set) {
  const bool independent = set.rank == static_cast<int>(set.m);
  const bool callable = asked.model().shape().formulation == Formulation::udwadia_kalaba;
  if (!have_native() || !row.discrete.empty() || !independent || !callable) return;
  ++counts_.fit_objects;
  std::vector<double> params, inputs;
  for (std::size_t k = 0; k < asked.model().parameters().size(); ++k) params.push_back(asked.parameter(k).value());
  for (std::size_t k = 0; k < asked.model().inputs().size(); ++k) inputs.push_back(asked.input(k).value());
  for (const double gain : gains_of(of_.text)) params.push_back(gain);
  for (const bool links : {false, true}) {
    std::optional<SharedObject>& object = links ? linked_ : shared_;
    if (!object) object.emplace(asked.model(), links);
    const std::vector<double> rate = object->rates(row.time, row.state, params, inputs);
    const auto first = rate.begin() + static_cast<std::ptrdiff_t>(asked.model().coordinates().size());
    CHECK(far({first, first + static_cast<std::ptrdiff_t>(set.n)}, set.acceleration) == "");
    ++(links ? counts_.linked : counts_.shared);
  }
}

void Doors::with_an_fmu() {
  if (!have_native() || rows_.empty()) return;
  const Folder folder;
  std::string why;
  const std::unique_ptr<Fmu> fmu = exported_fmu(folder, file_, of_.set, why);
  if (!fmu) {
    ++counts_.refused;
    MESSAGE("no FMU: " << why);
    return;
  }
  Instance3 one(*fmu);
  REQUIRE(one.made());
  CHECK_MESSAGE(one.begin(rows_.front().time) == 0, one.log);
  const std::vector<Quantity> columns = model_.columns();
  std::vector<double> found, wanted;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!model_.output_index(columns[c].name)) continue;
    found.push_back(one.value(columns[c].name));
    wanted.push_back(rows_.front().values[c]);
  }
  CHECK(far(found, wanted) == "");
  ++counts_.fmus;
}

void Doors::at_random_states(std::uint64_t seed) {
  SplitMix64 random(seed);
  if (rows_.empty()) return;
  for (int k = 0; k < kRandomStates; ++k) {
    const auto drawn = static_cast<std::size_t>(0.5 * (random.next() + 1) * static_cast<double>(rows_.size()));
    const DoorRow& row = rows_[drawn % rows_.size()];
    std::vector<double> y = row.state;
    for (std::size_t i = 0; i + 2 < y.size(); ++i) y[i] += kDisturbance * random.next();
    RunOptions assemble;
    assemble.span = {row.time, row.time + 1e-3};
    assemble.state = y;
    assemble.assemble = true;
    Simulation other = simulation(model_);
    const std::vector<DoorRow> first = rows_of_run(other, assemble);
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
  Simulation run_here = simulation(model_), asked = simulation(model_);
  const std::vector<DoorRow> first = rows_of_run(run_here, options);
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
