// SPDX-License-Identifier: Apache-2.0
// Compares what the doors of a simulation say at one state: the session's queries of C++, the interface to C, native
// code, a shared object, Python. The state is one of a run's rows, with its discrete state, or a random state on the
// constraints, whose discrete state the doors find themselves.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::test {

struct DoorCounts {
  int models = 0, rows = 0;      // compared models; compared rows of their runs
  int alike = 0;                 // rows whose columns do not change if the discrete state is not given
  int begun = 0, not_begun = 0;  // random states at which a run begins, and at which none does
  int objects = 0;               // rows compared with a shared object
};

// A row of a run as a host can keep it.
struct DoorRow {
  double time = 0;
  std::vector<double> values, state, multipliers, discrete;
};

// A SharedObject is a model as machine code without mbc. It has the equations of models without a discrete state whose
// rows are independent.
class SharedObject {
 public:
  explicit SharedObject(const Model& model);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  [[nodiscard]] std::vector<double> rates(double time, const std::vector<double>& state,
                                          const std::vector<double>& params, const std::vector<double>& inputs);

 private:
  using Function = std::int32_t(double, const double*, const double*, const double*, const double*, double*, double*);
  std::vector<double> mask_, work_;
  void* library_ = nullptr;
  Function* function_ = nullptr;
};

// Collects rows for the Python package (doors.py), which is asked in one process.
class PythonDoor {
 public:
  explicit PythonDoor(const std::string& folder) : folder_(folder) {}
  // Adds a model, to which the rows that follow belong.
  void model(const std::string& text, const std::string& block, const std::vector<std::string>& set);
  void row(const DoorRow& row, const std::vector<double>& outputs, const RowSet& set);
  // Asks Python. Returns the number of rows that it found equal; -1 without a Python.
  int ask();

 private:
  std::string folder_, head_, lines_;
  int models_ = 0, rows_ = 0;
};

class Doors {
 public:
  // `block` names the simulation; `set` as `mbc run --set`.
  Doors(const std::string& text, const std::vector<std::string>& set, const std::string& block, PythonDoor& python,
        DoorCounts& counts);

  // Compares all doors at eight rows of the run.
  void along_a_run();
  // Compares all doors at random states, and with the first row of a run that begins there.
  void at_random_states(std::uint64_t seed);

 private:
  void at_row(const DoorRow& row);
  void equations_at(Simulation& asked, const DoorRow& row, bool to_python);
  void by_c(const DoorRow& row);
  void by_shared_object(Simulation& asked, const DoorRow& row, const RowSet& set);
  void begin_at(double time, const std::vector<double>& state);
  std::vector<DoorRow> run(Simulation& of, const RunOptions& options) const;

  std::string text_, block_;
  std::vector<std::string> set_;
  Model model_, native_;
  std::optional<SharedObject> object_;  // made for the first row that it fits
  PythonDoor& python_;
  DoorCounts& counts_;
};

}  // namespace mbc::test
