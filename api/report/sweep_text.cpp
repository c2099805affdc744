// SPDX-License-Identifier: Apache-2.0
// The summary of a sweep, for people.
#include <cmath>

#include "api/report/varied_text.h"
#include "base/joined.h"
#include "base/numbers.h"
#include "base/text.h"
#include "mbc/mbc.h"

namespace mbc {

namespace {

using text::short_number;

std::string values_text(const VariedInfo& v) {
  if (!v.drawn.empty()) return api::drawn_text(v);
  std::string out = v.quantity.name + " " + short_number(v.first) + (v.count > 1 ? " .. " + short_number(v.last) : "");
  if (!v.quantity.unit.empty() && v.quantity.unit != "1") out += " " + v.quantity.unit;
  return out + " (" + counted(v.count, "value") + ")";
}

// "  final(x) = 0.31 +- 0.002, deviation 0.1, 5 % below 0.15, half below 0.3, 95 % below 0.5, from 0.1 (member 7) to
// 0.6 (member 12) m"
std::string statistics_text(const RecordStatistics& s) {
  if (s.members == 0) return "";
  const auto shown = [](double x) { return short_number(x, 6); };
  std::string out = "  " + s.quantity.name + ": mean " + shown(s.mean);
  if (std::isfinite(s.mean_error)) out += " +- " + short_number(s.mean_error, 2);
  if (std::isfinite(s.deviation)) out += ", deviation " + shown(s.deviation);
  if (std::isfinite(s.median))
    out += "; 5 % below " + shown(s.low) + ", half below " + shown(s.median) + ", 95 % below " + shown(s.high);
  out += "; from " + shown(s.least) + " (member " + std::to_string(s.least_member) + ") to " + shown(s.greatest) +
         " (member " + std::to_string(s.greatest_member) + ")";
  const bool has_unit = !s.quantity.unit.empty() && s.quantity.unit != "1";
  return out + (has_unit ? ", in " + s.quantity.unit : "") + "\n";
}

}  // namespace

std::string summary_text(const SweepResult& r) {
  std::string out = "sweep";
  if (!r.sweep.name.empty()) out += " " + r.sweep.name;
  if (!r.sweep.simulation.empty()) out += " over " + r.sweep.simulation;
  out += ": " + joined_by(r.sweep.varied, values_text) + (r.sweep.draws.empty() ? "" : "; " + r.sweep.draws) +
         "\n  each " + short_number(r.time.begin, 10) + " .. " + short_number(r.time.end, 10) + " step " +
         short_number(r.time.step, 10) + ", " + r.integrator + ", " + r.formulation + ", " + r.stabilise + "\n";
  out += "  " + counted(r.members, "member");
  if (r.members != r.sweep.members) out += " of " + std::to_string(r.sweep.members);
  if (r.first > 1 || r.last < r.sweep.members)
    out += ", those from " + std::to_string(r.first) + " to " + std::to_string(r.last);
  if (r.status == Status::interrupted) out += ", interrupted";
  out += r.failed == 0 ? ", none failed" : ", " + std::to_string(r.failed) + " failed";
  out += "; " + text::waited(r.wall_seconds) + " on " + counted(r.jobs, "thread") + " by " + r.engine +
         ", compiled in " + text::waited(r.compile_seconds) + "\n";
  std::string shaping;
  for (const VariedInfo& v : r.sweep.varied)
    if (v.shapes) shaping += (shaping.empty() ? "`" : ", `") + printable(v.quantity.name) + "`";
  if (!shaping.empty())
    out +=
        "  " + shaping + " shapes the model: compiled " + counted(r.compilations, "time") + ", once for each value\n";
  if (const std::uint64_t steps = r.steps_together + r.steps_alone; steps > 0)
    out += "  " + short_number(100 * static_cast<double>(r.steps_together) / static_cast<double>(steps), 3) +
           " % of their steps eight members at a time\n";
  for (const RecordStatistics& s : r.statistics) out += statistics_text(s);
  for (const SweepFailure& f : r.failures)
    out += "  failed: " + counted(f.members, "member") + ", the first is number " + std::to_string(f.first) + ": " +
           f.reason + "\n";
  return out;
}

}  // namespace mbc
