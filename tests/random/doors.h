// SPDX-License-Identifier: Apache-2.0
// Compares what the doors of a simulation say at one state: the session's queries of C++, the interface to C, native
// code, a shared object, an object file, Python, an FMU. The state is one of a run's rows, with its discrete state, or
// a random state on the constraints, whose discrete state the doors find themselves. An FMU says what it begins with.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tests/random/door_objects.h"

namespace mbc::test {

// Numbers of comparisons, which the tests check: a door that is never asked says nothing wrong.
struct DoorCounts {
  int models = 0, rows = 0;      // compared models; compared rows of their runs
  int not_run = 0, stopped = 0;  // models whose run has no row, whose run stops on the way
  int alike = 0;                 // rows whose columns do not change if the discrete state is not given
  int other_rows = 0;            // rows for which a run that left out others of the dependent rows has other roundings
  int begun = 0, not_begun = 0;  // random states at which a run begins, and at which none does
  int native = 0, by_c = 0;      // states compared with native code, by the interface to C
  int fit_objects = 0;           // rows of models that have equations without mbc
  int shared = 0, linked = 0;    // of those: rows compared with a shared object, with an object file that is linked
  int fmus = 0, refused = 0;     // models compared with an FMU, and models of which there is none
};

// A model and how its runs begin.
struct DoorModel {
  std::string text, block;
  std::vector<std::string> set;  // as `mbc run --set`
  std::string file;              // where the text stands, with the files that it uses; "": nowhere
};

// A row of a run as a host can keep it.
struct DoorRow {
  double time = 0;
  std::vector<double> values, state, multipliers, discrete;
};

// Collects rows for the Python package (doors.py), which is asked in one process.
class PythonDoor {
 public:
  explicit PythonDoor(const std::string& folder) : folder_(folder) {}
  // Adds a model, to which the rows that follow belong. Returns its file.
  std::string model(const DoorModel& model);
  void row(const DoorRow& row, const std::vector<double>& outputs, const RowSet& set);
  // Asks Python. Returns the number of rows that it found equal; -1 without a Python.
  int ask();

 private:
  std::string folder_, head_, lines_;
  int models_ = 0, rows_ = 0;
};

class Doors {
 public:
  Doors(const DoorModel& model, PythonDoor& python, DoorCounts& counts);

  // Compares all doors at eight rows of the run.
  void along_a_run();
  // Compares all doors at random states, and with the first row of a run that begins there.
  void at_random_states(std::uint64_t seed);
  // Compares an FMU with the first row of the run.
  void with_an_fmu();

 private:
  void at_row(DoorRow row);
  void equations_at(Simulation& asked, const DoorRow& row, bool to_python);
  void take_roundings(Simulation& asked, const std::vector<double>& found, DoorRow& row);
  void by_c(const DoorRow& row);
  void runs_by_others(const RunResult& result);
  void by_objects(Simulation& asked, const DoorRow& row, const RowSet& set);
  void begin_at(double time, const std::vector<double>& state);
  [[nodiscard]] Simulation simulation(const Model& model) const { return Simulation::create(model, of_.block).value(); }

  DoorModel of_;
  std::string file_;
  Model model_, native_;
  std::optional<SharedObject> shared_, linked_;  // made for the first row that they fit
  PythonDoor& python_;
  DoorCounts& counts_;
  std::vector<DoorRow> rows_;  // of the run
};

}  // namespace mbc::test
