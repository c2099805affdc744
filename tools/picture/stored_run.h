// SPDX-License-Identifier: Apache-2.0
// A stored result: its rows, and the model, compiled anew from the texts in its description, so that positions and
// rotations are evaluated from the coordinates in the rows.
#pragma once
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "mbc/mbc.h"
#include "tools/picture/page.h"
#include "tools/picture/recording.h"
#include "tools/picture/table_file.h"

namespace mbc::tools {

class StoredRun {
 public:
  ~StoredRun();
  StoredRun() = default;
  StoredRun(const StoredRun&) = delete;
  StoredRun& operator=(const StoredRun&) = delete;

  // Opens FILE.csv and FILE.csv.json. Returns false, with error(), if the rows cannot be read. Without a description,
  // or if its model cannot be compiled, there are only curves, and no_picture() has the reason.
  [[nodiscard]] bool open(const std::string& path);
  [[nodiscard]] const std::string& error() const { return table_.error(); }
  // Returns the status of an incomplete run: "stopped".
  [[nodiscard]] const std::string& ended() const { return table_.ended(); }
  [[nodiscard]] const std::string& no_picture() const { return no_picture_; }
  [[nodiscard]] const PageFacts& facts() const { return facts_; }
  void play(Recording& recording);

 private:
  struct Description;
  void describe(const Description& description);
  void compile(const Description& description);
  void simulate(const Description& description, const Model& model);
  void find_state(const Model& model);
  void find_inputs(const Model& model);
  void find_held(const Description& description);
  [[nodiscard]] std::string library_folder(const Description& description);
  [[nodiscard]] std::vector<double> state_of(std::span<const double> row) const;

  TableFile table_;
  PageFacts facts_;
  std::string no_picture_, folder_;  // folder of the texts of another library, while it exists
  std::optional<Simulation> simulation_;
  std::vector<Recording::Event> events_;
  std::vector<int> column_of_, input_of_;  // by entry of y, and of Row::inputs; -1: no column has it
  std::vector<double> inputs_;             // inputs that the rows do not have
  // The discrete state, if the description has it: the number of its values, and time, index and value of each change.
  std::size_t held_count_ = 0;
  std::vector<std::tuple<double, std::size_t, double>> held_changes_;
};

}  // namespace mbc::tools
