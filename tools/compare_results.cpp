// SPDX-License-Identifier: Apache-2.0
// `mbc compare A.csv B.csv`: two results, column by column, at the times that both have.
#include "tools/compare_results.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/joined.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/picture/table_file.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

// Times of two results are equal up to their rounding: they are sums of steps, or printed with 17 digits.
constexpr double kSameTime = 1e-12;  // of the largest time

struct ColumnDifference {
  std::string name, unit;
  double largest = 0, at = 0, squares = 0, size = 0;  // at: the time of the largest one; size: the largest value

  void add(double time, double a, double b) {
    if (std::isnan(a) && std::isnan(b)) return;
    double off = std::fabs(a - b);
    if (a == b) off = 0;  // also of two infinities
    if (std::isnan(off)) off = INFINITY;
    if (off > largest) largest = off, at = time;
    squares += off * off;
    for (const double value : {a, b})
      if (std::isfinite(value)) size = std::fmax(size, std::fabs(value));
  }
  [[nodiscard]] double relative() const { return largest == 0 ? 0 : largest / size; }
};

struct ResultComparison {
  std::string key;                               // the first column: the time, or the number of a member of a sweep
  std::size_t rows_a = 0, rows_b = 0, rows = 0;  // of both, and of both at equal times
  double begin = 0, end = 0;                     // of the times that both have
  std::vector<ColumnDifference> columns;
  std::vector<std::string> only_a, only_b, other_unit;
};

// The columns of two files with one name, and the rest.
struct Pairing {
  std::vector<std::size_t> a, b;  // the first ones are the keys
};

Pairing pair_columns(const TableFile& a, const TableFile& b, ResultComparison& made) {
  Pairing out;
  std::vector<bool> taken(b.columns().size());
  for (std::size_t i = 0; i < a.columns().size(); ++i) {
    const TableFile::Column& of_a = a.columns()[i];
    std::size_t j = 0;
    while (j < taken.size() && (taken[j] || b.columns()[j].name != of_a.name)) ++j;
    if (j == taken.size()) {
      made.only_a.push_back(of_a.name);
      continue;
    }
    taken[j] = true;
    if (!of_a.unit.empty() && !b.columns()[j].unit.empty() && of_a.unit != b.columns()[j].unit) {
      made.other_unit.push_back(of_a.name + " (" + of_a.unit + ", " + b.columns()[j].unit + ")");
      continue;
    }
    out.a.push_back(i);
    out.b.push_back(j);
    made.columns.push_back({of_a.name, of_a.unit.empty() ? b.columns()[j].unit : of_a.unit});
  }
  for (std::size_t j = 0; j < taken.size(); ++j)
    if (!taken[j]) made.only_b.push_back(b.columns()[j].name);
  return out;
}

// Walks along both results and compares the rows at equal times. Times never decrease; several rows at one time, as
// before and behind an event, are taken in their order. `a` and `b` hold the values of each column; times come first.
void compare_rows(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b,
                  ResultComparison& made) {
  const std::vector<double>&times_a = a[0], &times_b = b[0];
  made.rows_a = times_a.size();
  made.rows_b = times_b.size();
  double size = 0;
  for (const auto* times : {&times_a, &times_b})
    for (const double time : *times) size = std::fmax(size, std::fabs(time));
  for (std::size_t i = 0, j = 0; i < made.rows_a && j < made.rows_b;) {
    const double apart = times_a[i] - times_b[j];
    if (std::fabs(apart) > kSameTime * size) {
      ++(apart < 0 ? i : j);
      continue;
    }
    if (made.rows++ == 0) made.begin = times_a[i];
    made.end = times_a[i];
    for (std::size_t c = 0; c < made.columns.size(); ++c) made.columns[c].add(times_a[i], a[c + 1][i], b[c + 1][j]);
    ++i;
    ++j;
  }
}

double rms(const ColumnDifference& c, const ResultComparison& all) {
  return std::sqrt(c.squares / static_cast<double>(all.rows));
}

std::string text_of(const ResultComparison& c, const std::string& a, const std::string& b) {
  std::string out = a + ": " + counted(c.rows_a, "row") + ", " + b + ": " + counted(c.rows_b, "row") + "; " +
                    counted(c.rows, "row") + " at equal " + c.key + ", " + text::short_number(c.begin) + " .. " +
                    text::short_number(c.end) + "\n";
  using text::Align;
  text::Table table({{"column"},
                     {"unit"},
                     {"largest difference", Align::right},
                     {"at " + c.key, Align::right},
                     {"rms", Align::right},
                     {"of the largest value", Align::right}});
  for (const ColumnDifference& d : c.columns)
    table.row({printable(d.name), d.unit, text::short_number(d.largest), d.largest > 0 ? text::short_number(d.at) : "",
               text::short_number(rms(d, c)), text::short_number(d.relative())});
  out += table.text();
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) out += "  " + std::string(what) + ": " + printable(joined(names)) + "\n";
  };
  list(("only in " + a).c_str(), c.only_a);
  list(("only in " + b).c_str(), c.only_b);
  list("in different units, not compared", c.other_unit);
  return out;
}

std::string csv_of(const ResultComparison& c) {
  std::string out = "column,unit,largest,at,rms,relative\n";
  for (const ColumnDifference& d : c.columns)
    out += printable(d.name) + "," + d.unit + "," + text::number(d.largest) + "," +
           (d.largest > 0 ? text::number(d.at) : "") + "," + text::number(rms(d, c)) + "," +
           text::number(d.relative()) + "\n";
  return out;
}

nlohmann::ordered_json json_of(const ResultComparison& c, const std::string& a, const std::string& b) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const ColumnDifference& d : c.columns)
    columns.push_back({{"name", d.name},
                       {"unit", d.unit},
                       {"largest", d.largest},
                       {"at", d.at},
                       {"rms", rms(d, c)},
                       {"relative", d.relative()}});
  return {{"results", {a, b}},
          {"rows", {c.rows_a, c.rows_b}},
          {"key", c.key},
          {"equal", c.rows},
          {"begin", c.begin},
          {"end", c.end},
          {"columns", columns},
          {"only_in_first", c.only_a},
          {"only_in_second", c.only_b},
          {"in_different_units", c.other_unit}};
}

int verdict_of(const Options& options, const ResultComparison& c) {
  if (!options.tolerance) return kOk;
  const ColumnDifference* worst = nullptr;
  for (const ColumnDifference& d : c.columns)
    if (d.relative() > *options.tolerance && (worst == nullptr || d.relative() > worst->relative())) worst = &d;
  if (worst == nullptr && c.only_a.empty() && c.only_b.empty() && c.other_unit.empty()) return kOk;
  Report(options).failure("results_differ", worst != nullptr
                                                ? "`" + printable(worst->name) + "` differs by " +
                                                      text::short_number(worst->relative()) + " of its largest value"
                                                : "the results do not have the same columns");
  return kModelError;
}

}  // namespace

int compare_results(const Options& options) {
  if (const int problem = check_place(options, options.csv, {"the comparison is CSV", {"csv"}}); problem != kOk)
    return problem;
  const Report report(options);
  const std::string &first = options.file, &second = options.simulation;
  if (const int problem = check_not_read(options, {first, second}, {options.csv}); problem != kOk) return problem;
  TableFile a, b;
  for (const auto& [file, path] : {std::pair{&a, &first}, std::pair{&b, &second}})
    if (!file->open(*path)) return report.failure("unreadable", file->error()), kModelError;
  if (a.columns().empty() || b.columns().empty() || a.columns()[0].name != b.columns()[0].name) {
    report.failure("nothing_compared", "the results do not begin with the same column, such as `time`");
    return kModelError;
  }
  ResultComparison made;
  made.key = a.columns()[0].name;
  Pairing columns = pair_columns(a, b, made);
  if (columns.a.empty() || columns.a[0] != 0) {
    report.failure("nothing_compared", "`" + made.key + "` is in different units: " + joined(made.other_unit));
    return kModelError;
  }
  made.columns.erase(made.columns.begin());
  if (made.columns.empty()) {
    report.failure("nothing_compared", "the results have no column in common but `" + made.key + "`");
    return kModelError;
  }
  compare_rows(a.read(columns.a), b.read(columns.b), made);
  if (made.rows == 0) {
    report.failure("nothing_compared",
                   "the results have no row at equal " + made.key + ": run both with one `step`, or a multiple of it");
    return kModelError;
  }
  if (!options.csv.empty() && options.csv != "-") {
    std::string error;
    if (!write_text(options.csv, csv_of(made), error)) return report.failure("output_failed", error);
  }
  const int problem = options.csv == "-"   ? print_data(csv_of(made))
                      : options.print_json ? print_json(json_of(made, first, second))
                                           : print_output(text_of(made, first, second));
  return problem != kOk ? problem : verdict_of(options, made);
}

}  // namespace mbc::tools
