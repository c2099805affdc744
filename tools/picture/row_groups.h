// SPDX-License-Identifier: Apache-2.0
// Curves made of groups of rows: a curve for each value of a column, as of a parameter of a sweep; one point with an
// error bar for all rows of one abscissa; the rows of an event alone, a Poincare section.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/picture/plot.h"
#include "tools/picture/table_file.h"

namespace mbc::tools {

inline constexpr std::size_t kMostGroups = 12;

// Returns the different finite values of a column in ascending order.
[[nodiscard]] std::vector<double> different_values(const std::vector<double>& column);

// Splits a curve over `x` into one curve for each value of `by`, a column of the same rows; each is in the order of its
// abscissae. `alone`: the curve is the only one, so that the values name the curves.
[[nodiscard]] std::vector<PlotCurve> split_by(const PlotCurve& curve, const std::vector<double>& x, const PlotCurve& by,
                                              bool alone);

// Makes one point of all rows of one abscissa: the mean of the finite values, with a bar of one standard deviation
// (of the sample: divided by n - 1) to each side, or with `range` from the least to the largest value. The curve gets
// abscissae of its own.
void gather(PlotCurve& curve, const std::vector<double>& x, bool range);

// Returns for each row whether it is the one behind an instant at which the event fired. Returns nothing, with the
// reason and a hint, if the result has no rows of events or no such event.
[[nodiscard]] std::optional<std::vector<bool>> rows_of_event(const TableFile& table, const std::string& event,
                                                             std::string& why, std::string& hint);

}  // namespace mbc::tools
