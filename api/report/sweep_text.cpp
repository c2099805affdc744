// SPDX-License-Identifier: Apache-2.0
// The summary of a sweep, for people.
#include "base/joined.h"
#include "base/numbers.h"
#include "base/text.h"
#include "mbc/mbc.h"

namespace mbc {

namespace {

using text::short_number;

std::string values_text(const VariedInfo& v) {
  std::string out = v.quantity.name + " " + short_number(v.first) + (v.count > 1 ? " .. " + short_number(v.last) : "");
  if (!v.quantity.unit.empty() && v.quantity.unit != "1") out += " " + v.quantity.unit;
  return out + " (" + counted(v.count, "value") + ")";
}

}  // namespace

std::string summary_text(const SweepResult& r) {
  std::string out = "sweep";
  if (!r.sweep.name.empty()) out += " " + r.sweep.name;
  if (!r.sweep.simulation.empty()) out += " over " + r.sweep.simulation;
  out += ": " + joined_by(r.sweep.varied, values_text) + "\n  each " + short_number(r.time.begin, 10) + " .. " +
         short_number(r.time.end, 10) + " step " + short_number(r.time.step, 10) + ", " + r.integrator + ", " +
         r.formulation + ", " + r.stabilise + "\n";
  out += "  " + counted(r.members, "member");
  if (r.members != r.sweep.members) out += " of " + std::to_string(r.sweep.members);
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
  for (const SweepFailure& f : r.failures)
    out += "  failed: " + counted(f.members, "member") + ", the first is number " + std::to_string(f.first) + ": " +
           f.reason + "\n";
  return out;
}

}  // namespace mbc
