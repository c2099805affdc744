// SPDX-License-Identifier: Apache-2.0
// The `plot` entries of a `simulate` block: drawn on the terminal after a run, and of a result that holds them.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/picture/plot.h"

namespace mbc::tools {

// A column by its name, in the unit it is recorded in; nothing where there is none.
using FindCurve = std::function<std::optional<PlotCurve>(const std::string&)>;
// In the order of the entries. `alone`: each curve has its own axes.
[[nodiscard]] std::vector<Plot> requested_plots(const std::vector<PlotInfo>& entries, const std::string& title,
                                                bool alone, const FindCurve& find);

// Collects what they show while a run goes on: not more rows than a terminal can tell apart, thinned evenly.
class RunPlots {
 public:
  void begin(const Model& model, const std::string& simulation);
  [[nodiscard]] bool wanted() const { return !entries_.empty(); }
  void row(const Row& row);
  [[nodiscard]] std::string text(std::size_t width, std::size_t height, bool colour);

 private:
  void keep();

  static constexpr std::size_t kMostRows = 20'000;
  std::vector<PlotInfo> entries_;
  std::vector<PlotCurve> curves_;     // the first is the time
  std::vector<std::size_t> columns_;  // of a row, those of the others
  std::size_t rows_ = 0, stride_ = 1;
  bool last_kept_ = true;
  std::vector<double> last_;
};

}  // namespace mbc::tools
