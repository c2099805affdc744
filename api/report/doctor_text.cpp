// SPDX-License-Identifier: Apache-2.0
// The report of the doctor as text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/report/answers.h"
#include "api/report/json_parts.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"

namespace mbc::api {
namespace {

using text::Align;
using text::short_number;
using text::Table;

constexpr std::size_t kMostRows = 40, kMostNames = 12;

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> first(names.begin(), names.begin() + static_cast<long>(std::min(names.size(), kMostNames)));
  const std::string text = joined(first);
  return names.size() > kMostNames ? text + fmt::format(" and {} more", names.size() - kMostNames) : text;
}

class DoctorText {
 public:
  DoctorText(const DoctorReport& report, std::string file) : d_(report), file_(std::move(file)) {}

  std::string make() {
    heading();
    inertia();
    initial();
    ranks();
    switched_off();
    redundant();
    changing();
    crossings();
    nearest();
    conservation();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t rows() const { return d_.rows.size(); }
  void line(const std::string& text) { out_ += text + "\n"; }

  void heading() {
    line(file_ + ": " + verdict());
    line("  " + counted(d_.coordinates, "coordinate") + ", " + counted(d_.speeds, "speed") + ", " + row_counts());
    line("  " + counted(static_cast<std::size_t>(std::max(0, d_.freedoms)), "degree") + " of freedom" +
         freedom_detail());
  }

  [[nodiscard]] std::string verdict() const {
    if (!d_.conflicting.empty()) return "the rows contradict each other";
    if (!d_.consistent) return "the initial state does not satisfy the constraints";
    if (!d_.undetermined.empty()) return "the motion is not determined";
    if (!d_.without_inertia.empty()) return "the mass matrix is singular";
    if (d_.diagnostic) return "the motion stops";
    const bool notes = d_.usual_rank < static_cast<int>(rows()) || !d_.changing.empty() || d_.rank < d_.usual_rank;
    return notes ? "sound, with notes" : "sound";
  }

  [[nodiscard]] std::string row_counts() const {
    if (rows() == 0) return "no constraints";
    std::vector<std::string> parts;
    for (const auto& [count, level] : {std::pair{d_.position_rows, "position"}, std::pair{d_.velocity_rows, "velocity"},
                                       std::pair{d_.acceleration_rows, "acceleration"}})
      if (count > 0) parts.push_back(fmt::format("{} at {} level", count, level));
    return counted(rows(), "constraint row") + " (" + joined(parts) + ")";
  }

  [[nodiscard]] std::string freedom_detail() const {
    if (rows() == 0) return "";
    std::string text = fmt::format(" = {} - rank {}", counted(d_.speeds, "speed"), d_.usual_rank);
    const int places = static_cast<int>(d_.speeds) - d_.position_rank;
    if (places != d_.freedoms && d_.rank == d_.usual_rank)
      text += fmt::format("; positions have {}", counted(static_cast<std::size_t>(std::max(0, places)), "freedom"));
    return text;
  }

  void inertia() {
    if (!d_.undetermined.empty()) {
      line("undetermined: " + listed(d_.undetermined));
      line("  no mass moves with " + std::string(d_.undetermined.size() == 1 ? "it" : "them") + " and no row holds " +
           (d_.undetermined.size() == 1 ? "it" : "them") + ": give a mass, or a constraint");
    }
    std::vector<std::string> held;
    for (const std::string& name : d_.without_inertia)
      if (std::find(d_.undetermined.begin(), d_.undetermined.end(), name) == d_.undetermined.end())
        held.push_back(name);
    if (!held.empty()) line("without inertia, held by rows alone: " + listed(held));
  }

  void initial() {
    if (!d_.moved.empty()) line("assembled: " + moves_text(d_.moved));
    if (!d_.conflicting.empty()) {
      line("contradicting rows: " + listed(d_.conflicting));
      line("  no motion satisfies all of them; leaving out any one would do");
    }
  }

  void ranks() {
    if (rows() == 0 || d_.samples.empty()) return;
    struct Group {
      std::size_t count = 0;
      int low = 0, high = 0;
      double smallest = 1;
    } groups[3];
    for (const RankSample& s : d_.samples) {
      Group& g = groups[static_cast<std::size_t>(s.kind)];
      g.low = g.count == 0 ? s.rank : std::min(g.low, s.rank);
      g.high = g.count == 0 ? s.rank : std::max(g.high, s.rank);
      g.smallest = g.count == 0 ? s.smallest : std::min(g.smallest, s.smallest);
      ++g.count;
    }
    Table table(
        {{"states"}, {"looked at", Align::right}, {"rank", Align::right}, {"smallest singular value", Align::right}});
    const char* names[] = {"initial", "random, on the constraints", "along the motion"};
    for (std::size_t k = 0; k < 3; ++k) {
      const Group& g = groups[k];
      if (g.count == 0) continue;
      table.row({names[k], std::to_string(g.count),
                 g.low == g.high ? std::to_string(g.low) : fmt::format("{} .. {}", g.low, g.high),
                 g.high > 0 ? short_number(g.smallest, 3) : ""});
    }
    line(fmt::format("rank of the {}", counted(rows(), "row")));
    out_ += table.text();
    if (d_.failed_samples > 0)
      line(fmt::format("  {} could not be brought onto the constraints",
                       counted(static_cast<std::size_t>(d_.failed_samples), "random state")));
    if (d_.rank < d_.usual_rank)
      line(fmt::format("  the initial state is singular: rank {} instead of {}", d_.rank, d_.usual_rank));
  }

  void switched_off() {
    std::vector<std::string> off, touching;
    for (const DoctorRow& row : d_.rows) {
      if (row.off) off.push_back(row.name);
      if (row.touching) touching.push_back(row.name);
    }
    if (!touching.empty()) line("together at the initial state, and looked at there: " + listed(touching));
    if (!off.empty()) line("off at the initial state, and not looked at: " + listed(off));
  }

  void redundant() {
    std::vector<const DoctorRow*> found;
    for (const DoctorRow& row : d_.rows)
      if (!row.independent) found.push_back(&row);
    if (found.empty()) return;
    line(counted(found.size(), "redundant row") + " at the initial state");
    Table table({{"row"}, {""}});
    for (std::size_t k = 0; k < found.size() && k < kMostRows; ++k)
      table.row({found[k]->name,
                 found[k]->depends_on.empty() ? "vanishes here" : "depends on " + listed(found[k]->depends_on)});
    out_ += table.text();
    if (found.size() > kMostRows) line(fmt::format("  and {} more: --json", found.size() - kMostRows));
    std::size_t unsure = 0;
    for (const DoctorRow& row : d_.rows) unsure += row.multiplier_unique ? 0 : 1;
    if (!d_.conflicting.empty()) return;
    const bool vanishes =
        std::any_of(found.begin(), found.end(), [](const DoctorRow* row) { return row->depends_on.empty(); });
    line((vanishes ? "  the motion is the same without those that depend on others; one that vanishes may hold beside "
                     "this state; "
                   : "  the motion is the same without them; ") +
         counted(unsure, "multiplier") + " of " + std::to_string(rows()) + (unsure == 1 ? " is" : " are") +
         " not unique");
  }

  void changing() {
    if (d_.changing.empty()) return;
    line("rows that are independent in some states only");
    Table table({{"row"}, {""}});
    std::size_t shown = 0;
    for (const DoctorRow& row : d_.rows)
      if (std::find(d_.changing.begin(), d_.changing.end(), row.name) != d_.changing.end() && ++shown <= kMostRows)
        table.row({row.name, fmt::format("dependent in {} of {} states", row.times_dependent, d_.samples.size())});
    out_ += table.text();
  }

  void crossings() {
    if (d_.rank_changes.empty()) return;
    line("rank changes along the motion");
    for (std::size_t k = 0; k < d_.rank_changes.size() && k < kMostNames; ++k) {
      const RankChange& c = d_.rank_changes[k];
      line(fmt::format("  t = {}: {} -> {}{}", short_number(c.time, 8), c.before, c.after,
                       c.rows.empty() ? "" : ", " + listed(c.rows)));
    }
    if (d_.rank_changes.size() > kMostNames) line(fmt::format("  and {} more", d_.rank_changes.size() - kMostNames));
  }

  void nearest() {
    if (!d_.nearest) return;
    const NearestSingular& n = *d_.nearest;
    const std::string from =
        " from " + counted(static_cast<std::size_t>(n.starts), "state") + (n.cut ? ", a search cut short" : "");
    line((n.singular()
              ? "nearest singular position found" + from + ": `" + n.row + "` becomes dependent"
              : "no singular position found" + from + "; smallest singular value " + short_number(n.smallest, 3)));
    std::string places;
    for (std::size_t k = 0; k < n.places.size() && k < kMostNames; ++k)
      places += (k ? ", " : "") + n.places[k].name + " = " + short_number(n.places[k].taken, 6);
    if (n.places.size() > kMostNames) places += fmt::format(" and {} more: --json", n.places.size() - kMostNames);
    line("  at " + places);
  }

  void conservation() {
    if (!d_.motion || d_.conserved.empty()) return;
    line(fmt::format("along the motion from t = {} to {}", short_number(d_.motion->begin, 8),
                     short_number(d_.motion->end, 8)));
    Table table({{""}, {"at the start", Align::right}, {"largest change", Align::right}, {""}});
    for (const ConservedQuantity& q : d_.conserved)
      table.row({q.name, short_number(q.value, 6), short_number(q.change, 3), q.conserved ? "conserved" : ""});
    out_ += table.text();
    if (!d_.conserved.front().conserved)
      line(fmt::format("  work of forces {}, of constraints {}; the energy balance is off by {}",
                       short_number(d_.work_of_loads, 6), short_number(d_.work_of_constraints, 6),
                       short_number(d_.balance_error, 3)));
  }

  const DoctorReport& d_;
  std::string file_, out_;
};

}  // namespace

std::string doctor_text(const DoctorReport& report, const std::string& file) { return DoctorText(report, file).make(); }

std::string doctor_json(const DoctorReport& d) {
  nlohmann::ordered_json j = {{"sound", d.sound() && d.undetermined.empty()}};
  MBC_PUT_MEMBERS(j, d, coordinates, speeds)
  j["rows"] = {{"position", d.position_rows}, {"velocity", d.velocity_rows}, {"acceleration", d.acceleration_rows}};
  j["degrees_of_freedom"] = d.freedoms;
  MBC_PUT_MEMBERS(j, d, rank, usual_rank, position_rank, consistent, conflicting, undetermined, without_inertia)
  j["constraints"] = d.rows;
  MBC_PUT_MEMBERS(j, d, changing, samples, failed_samples)
  j["assembled"] = d.moved;
  j["rank_changes"] = d.rank_changes;
  if (d.nearest) {
    nlohmann::ordered_json places;
    for (const InitialMove& m : d.nearest->places) places[m.name] = m.taken;
    j["nearest_singular"] = {{"smallest", d.nearest->smallest}, {"singular", d.nearest->singular()},
                             {"row", d.nearest->row},           {"starts", d.nearest->starts},
                             {"cut", d.nearest->cut},           {"coordinates", places}};
  }
  if (d.motion) j["motion"] = *d.motion;
  MBC_PUT_MEMBERS(j, d, conserved, work_of_loads, work_of_constraints, balance_error)
  if (d.diagnostic) j["diagnostic"] = nlohmann::ordered_json::parse(to_json(*d.diagnostic));
  return json_text(j);
}

}  // namespace mbc::api
