// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/row_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/numbers.h"
#include "base/text.h"

namespace mbc::tools {
namespace {

std::string value_text(const PlotCurve& by, double value) {
  const std::string unit = by.unit.empty() || by.unit == "1" ? "" : " " + by.unit;
  return by.name + " = " + text::short_number(value, 6) + unit;
}

void keep(std::vector<double>& list, const std::vector<std::size_t>& rows) {
  if (list.empty()) return;
  std::vector<double> kept;
  for (const std::size_t row : rows) kept.push_back(list[row]);
  list = std::move(kept);
}

}  // namespace

std::vector<double> different_values(const std::vector<double>& column) {
  std::vector<double> values;
  std::copy_if(column.begin(), column.end(), std::back_inserter(values), [](double v) { return std::isfinite(v); });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<PlotCurve> split_by(const PlotCurve& curve, const std::vector<double>& x, const PlotCurve& by, bool alone) {
  std::vector<PlotCurve> out;
  for (const double value : different_values(by.values)) {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < by.values.size(); ++k)
      if (by.values[k] == value && std::isfinite(x[k])) rows.push_back(k);
    std::stable_sort(rows.begin(), rows.end(), [&x](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    PlotCurve made = curve;
    made.over = x;
    for (std::vector<double>* list : {&made.values, &made.over, &made.low, &made.high}) keep(*list, rows);
    made.label = (alone ? "" : curve.shown() + ", ") + value_text(by, value);
    out.push_back(std::move(made));
  }
  return out;
}

void gather(PlotCurve& curve, const std::vector<double>& x, bool range) {
  const std::vector<double> places = different_values(x);
  std::vector<std::vector<double>> values(places.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    if (std::isfinite(x[k]) && std::isfinite(curve.values[k])) {
      const auto at = std::lower_bound(places.begin(), places.end(), x[k]) - places.begin();
      values[static_cast<std::size_t>(at)].push_back(curve.values[k]);
    }
  curve.over = places;
  curve.values.assign(places.size(), std::numeric_limits<double>::quiet_NaN());
  curve.low = curve.high = curve.values;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::vector<double>& group = values[k];
    if (group.empty()) continue;
    const auto n = static_cast<double>(group.size());
    const double mean = std::accumulate(group.begin(), group.end(), 0.0) / n;
    double squares = 0;
    for (const double v : group) squares += (v - mean) * (v - mean);
    const double deviation = group.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
    const auto [least, largest] = std::minmax_element(group.begin(), group.end());
    curve.values[k] = mean;
    curve.low[k] = range ? *least : mean - deviation;
    curve.high[k] = range ? *largest : mean + deviation;
  }
}

std::optional<std::vector<bool>> rows_of_event(const TableFile& table, const std::string& event, std::string& why,
                                               std::string& hint) {
  const std::vector<TableFile::Column>& columns = table.columns();
  const auto marks = std::find_if(columns.begin(), columns.end(), [](const auto& c) { return c.name == "event"; });
  if (marks == columns.end() || columns[0].name != "time") {
    why = "has no rows of events";
    hint = "`rows = events` in the `simulate` block makes them";
    return {};
  }
  std::set<double> times, others;
  std::set<std::string> names;
  double listed = -std::numeric_limits<double>::infinity();
  for (const TableFile::Event& e : table.events()) {
    names.insert(e.name);
    (e.name == event ? times : others).insert(e.time);
    listed = std::max(listed, e.time);
  }
  if (times.empty() && !table.lists_all_events()) {
    why = "lists the first of its events only, and " + quoted(event) + " is none of them";
    hint = "a shorter run lists all of them";
    return {};
  }
  if (times.empty()) {
    why = "has no event " + quoted(event);
    const std::vector<std::string> known(names.begin(), names.end());
    hint = did_you_mean(event, known, known.empty() ? "no event fired" : "its events are " + joined(known));
    return {};
  }
  // A description lists the first events only. A later row is known by the number that it has in the column `event`,
  // unless it is the number of another event of the same instant.
  std::set<double> numbers, numbers_of_others;
  std::vector<bool> shown;
  table.rows({0, static_cast<std::size_t>(marks - columns.begin())}, [&](std::span<const double> row) {
    const bool fired = times.contains(row[0]);
    if (fired && row[1] > 0) (others.contains(row[0]) ? numbers_of_others : numbers).insert(row[1]);
    shown.push_back(row[1] > 0 && (fired || (row[0] > listed && numbers.contains(row[1]))));
    return true;
  });
  const bool is_known =
      std::includes(numbers.begin(), numbers.end(), numbers_of_others.begin(), numbers_of_others.end());
  if (!table.lists_all_events() && (numbers.empty() || !is_known)) {
    why = "lists the first of its events only, and later rows of " + quoted(event) +
          " may have the number of another event of the same instant";
    hint = "a shorter run lists all of them";
    return {};
  }
  return shown;
}

}  // namespace mbc::tools
