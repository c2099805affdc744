// SPDX-License-Identifier: Apache-2.0
// A result that is looked at again: its rows, and the model that its description holds the texts of, compiled anew, so
// that places and turns are evaluated from the coordinates in the rows.
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

  // FILE.csv and FILE.csv.json. False and error(): the rows cannot be read. A description that is not there, or whose
  // model cannot be had, leaves curves only, and no_picture() says why.
  [[nodiscard]] bool open(const std::string& path);
  [[nodiscard]] const std::string& error() const { return table_.error(); }
  // How the run ended, where that was not at its end: "stopped".
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
  std::string no_picture_, folder_;  // for the texts of another library, while it is there
  std::optional<Simulation> simulation_;
  std::vector<Recording::Event> events_;
  std::vector<int> column_of_, input_of_;  // of an entry of y, of Row::inputs; -1: none has it
  std::vector<double> inputs_;             // where the rows do not say
  // Of what only events change, where the description has it: its number, and time, index and value of each change.
  std::size_t held_count_ = 0;
  std::vector<std::tuple<double, std::size_t, double>> held_changes_;
};

}  // namespace mbc::tools
