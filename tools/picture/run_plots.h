// SPDX-License-Identifier: Apache-2.0
// The `plot` entries of a `simulate` block: drawn on the terminal after a run, or from a stored result.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/picture/plot.h"

namespace mbc::tools {

// Returns a column by its name, in the unit it is recorded in; nothing if there is none.
using FindCurve = std::function<std::optional<PlotCurve>(const std::string&)>;
// Returns the plots in the order of the entries. `alone`: each curve has its own axes.
[[nodiscard]] std::vector<Plot> requested_plots(const std::vector<PlotInfo>& entries, const std::string& title,
                                                bool alone, const FindCurve& find);

// Collects their data during a run: at most as many rows as a terminal can distinguish, thinned evenly.
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
  std::vector<std::size_t> columns_;  // columns of a row for the other curves
  std::size_t rows_ = 0, stride_ = 1;
  bool last_kept_ = true;
  std::vector<double> last_;
};

}  // namespace mbc::tools
