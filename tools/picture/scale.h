// SPDX-License-Identifier: Apache-2.0
// The scale of an axis: which values it shows, how they lie, and its ticks.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace mbc::tools {

struct PlotRange {
  double low = 0, high = 1;
};

// Returns the range of the finite values, with some margin; a constant (up to round-off) lies in the middle.
[[nodiscard]] PlotRange range_of(const std::vector<const std::vector<double>*>& lists);
// Returns round numbers (1, 2 or 5 times a power of ten apart) that divide the range into `pieces` or a few less.
[[nodiscard]] std::vector<double> round_ticks(const PlotRange& range, int pieces);

class Scale {
 public:
  // `fixed` replaces the range of the values. A logarithmic scale shows positive values only.
  Scale(const std::vector<const std::vector<double>*>& lists, bool logarithmic, const std::optional<PlotRange>& fixed);

  // Returns where a value lies, 0 at the low end and 1 at the high one; nan for what the scale cannot show.
  [[nodiscard]] double at(double value) const;
  [[nodiscard]] std::vector<double> ticks(int pieces) const;
  // Returns the text of a tick with enough digits to distinguish it from the next one.
  [[nodiscard]] std::string text_of(double value, const std::vector<double>& ticks) const;
  // The length of the axis in units of its quantity, and the same length around the middle of the range, made longer.
  [[nodiscard]] double length() const { return range_.high - range_.low; }
  void stretch(double length);

 private:
  PlotRange range_;  // of the logarithms to base 10 on a logarithmic scale
  bool logarithmic_;
};

[[nodiscard]] std::string tick_text(double value, const std::vector<double>& ticks);

}  // namespace mbc::tools
