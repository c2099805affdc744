// SPDX-License-Identifier: Apache-2.0
// Writes the rows of a run to a CSV or HDF5 file with its sidecar, to standard output, or as a preview to a terminal.
//
// An existing result stays until the new one is complete (api/output/result_file.h). The place is checked before the
// run, so that an hour of computing does not end at a misspelt folder.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/output/csv_writer.h"
#include "api/output/hdf5_library.h"
#include "api/output/result_file.h"
#include "mbc/mbc.h"

namespace mbc::tools {

class RunOutput {
 public:
  // "-" and "" are standard output; with "" a terminal gets the preview.
  explicit RunOutput(std::string path);

  void columns(const Model& model);
  // Selects the columns, besides the time, that match one of the patterns; returns "", or the error in a pattern.
  [[nodiscard]] std::string choose(const std::vector<std::string>& patterns);
  [[nodiscard]] output::Sidecar::Column column(std::size_t k) const;
  // The attributes that an HDF5 file has before the run starts.
  [[nodiscard]] bool is_hdf5() const;
  void describe(std::vector<std::pair<std::string, output::Hdf5Facts::Value>> attributes) {
    attributes_ = std::move(attributes);
  }
  // Reserves the place for this run.
  [[nodiscard]] bool open() { return keep_error(file_.open(path_)); }
  [[nodiscard]] bool row(const Row& row);
  // mark() writes the rows so far to the disk; resume() is called in place of the first row and continues after them.
  [[nodiscard]] bool mark(output::Mark& mark) { return keep_error(file_.mark(mark)); }
  [[nodiscard]] bool resume(const output::Mark& mark);
  void stay_partial() { file_.stay_partial(); }
  // Writes, describes and closes everything. It is called after a failed run, too.
  [[nodiscard]] bool finish(bool complete, output::Sidecar* description);

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t bytes() const { return file_.bytes(); }
  [[nodiscard]] std::size_t column_count() const { return column_count_; }
  // Returns whether the reader of standard output has closed its end, which is not a failure.
  [[nodiscard]] bool reader_left() const;
  // Returns "wrote a.csv (11 rows, 7 columns) and a.csv.json", with the place of the rows if they could not be renamed.
  [[nodiscard]] std::string summary() const;
  // Rows are printed to the terminal, so that no progress bar can be drawn.
  [[nodiscard]] bool streams_to_terminal() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] bool begin();
  [[nodiscard]] bool begin_hdf5();
  [[nodiscard]] std::vector<std::size_t> outputs() const;
  [[nodiscard]] bool keep_error(bool ok);

  std::string path_;
  bool preview_ = false;
  output::ResultFile file_;
  std::unique_ptr<output::RowWriter> writer_;
  Model model_;
  std::size_t column_count_ = 0;
  bool chosen_ = false;                      // only some of the columns
  std::vector<std::size_t> chosen_columns_;  // these columns of the model
  std::vector<double> chosen_values_;
  std::vector<std::pair<std::string, output::Hdf5Facts::Value>> attributes_;
  std::uint64_t rows_ = 0;
  std::string error_;
};

// Returns "wrote a.csv (11 rows) and a.csv.json": the places of the results, "" if there is no file. `path` as the user
// wrote it.
[[nodiscard]] std::string wrote_text(const output::ResultFile& file, const std::string& path, const std::string& what);

// Returns the parameters of a simulation with their values, for descriptions and pages.
[[nodiscard]] std::vector<output::Sidecar::Parameter> parameters_of(const Simulation& simulation);

// Returns the summary without the time that the run took, which differs from run to run.
[[nodiscard]] std::string lasting_summary(const RunResult& result);

// Records the changes of the discrete state row by row; if there are too many changes, none is kept.
class HeldChanges {
 public:
  explicit HeldChanges(std::size_t inputs) : inputs_(inputs) {}
  void row(const Row& row);
  [[nodiscard]] const output::Sidecar::Held& held() const { return held_; }

 private:
  static constexpr std::size_t kMostChanges = 5'000;
  std::size_t inputs_;
  bool too_many_ = false;
  std::vector<double> last_;
  output::Sidecar::Held held_;
};

// FILE.csv.json.
struct SidecarFacts {
  std::string model_file;
  std::vector<std::string> set;
  std::uint32_t output_every = 1;
  std::vector<output::Sidecar::Event> events{};
  std::uint64_t events_left_out = 0;
  output::Sidecar::Held held{};
};
// Returns the same as attributes of an HDF5 file, as far as it is known before the run.
[[nodiscard]] std::vector<std::pair<std::string, output::Hdf5Facts::Value>> run_attributes(const Simulation& simulation,
                                                                                           const std::string& block,
                                                                                           const SidecarFacts& facts);
[[nodiscard]] output::Sidecar run_sidecar(const RunOutput& output, const Simulation& simulation,
                                          const RunResult& result, const SidecarFacts& facts);

}  // namespace mbc::tools
