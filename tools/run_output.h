// SPDX-License-Identifier: Apache-2.0
// Where the rows of a run go: a CSV file with its sidecar, standard output, or the preview of a terminal.
//
// Nothing is touched before the first row: a run that cannot start leaves the result of the last one as it is. Whether
// the place can be written is asked before (places.h), so that an hour of computing does not end at a misspelt folder.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/output/csv_writer.h"
#include "api/output/file_sink.h"
#include "mbc/mbc.h"

namespace mbc::tools {

class RunOutput {
 public:
  // "-" is standard output; "" too, and there a terminal gets the preview.
  explicit RunOutput(std::string path);

  void columns(const Model& model);
  [[nodiscard]] bool row(const Row& row);
  // Everything written and closed. Call it also after a run that failed.
  [[nodiscard]] bool finish();

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::size_t column_count() const { return column_count_; }
  // A file with rows in it, which gets a sidecar and a line in the summary.
  [[nodiscard]] bool is_file() const { return path_ != "-" && rows_ > 0; }
  // Rows pass by on the terminal where a progress bar would be drawn.
  [[nodiscard]] bool streams_to_terminal() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] bool begin();
  [[nodiscard]] bool keep_error(bool ok);

  std::string path_;
  bool preview_ = false;
  output::FileSink sink_;
  std::unique_ptr<output::RowWriter> writer_;
  Model model_;
  std::size_t column_count_ = 0;
  std::uint64_t rows_ = 0;
  std::string error_;
};

// FILE.csv.json; "" and no error for outputs that have none. False and `error` when it cannot be written.
struct SidecarFacts {
  std::string model_file;
  std::vector<std::string> set;
  std::uint32_t output_every = 1;
};
[[nodiscard]] bool write_run_sidecar(const RunOutput& output, const Simulation& simulation, const RunResult& result,
                                     const SidecarFacts& facts, std::string& written, std::string& error);

}  // namespace mbc::tools
