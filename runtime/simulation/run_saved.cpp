// SPDX-License-Identifier: Apache-2.0
// A run as bytes, with all that is told of it at its end.
#include "base/check.h"
#include "runtime/simulation/run.h"

namespace mbc::runtime {

namespace {

void transfer(Archive& a, Span& span) { a(span.file, span.begin, span.end); }

void transfer(Archive& a, std::vector<Label>& labels) {
  std::uint64_t count = labels.size();
  a(count);
  for (std::uint64_t k = 0; k < count && a.good(); ++k) {
    if (a.reading()) labels.emplace_back();
    transfer(a, labels[k].span);
    a(labels[k].text);
  }
}

void transfer(Archive& a, Diagnostic& d) {
  a(d.kind, d.args, d.notes, d.help);
  transfer(a, d.span);
  transfer(a, d.labels);
  a.optional(d.time);
}

void transfer(Archive& a, std::vector<Diagnostic>& list) {
  std::uint64_t count = list.size();
  a(count);
  if (a.reading()) list.clear();
  for (std::uint64_t k = 0; k < count && a.good(); ++k) {
    if (a.reading()) list.emplace_back();
    transfer(a, list[k]);
  }
}

// What the summary says of the rows at the start: which are independent.
void transfer(Archive& a, RankReport& start) {
  std::vector<std::uint8_t> states;
  for (const RowReport& row : start.rows) states.push_back(static_cast<std::uint8_t>(row.state));
  a(start.rank, states);
  if (!a.reading()) return;
  start.rows.assign(states.size(), {});
  for (std::size_t k = 0; k < states.size(); ++k) start.rows[k].state = static_cast<RowState>(states[k]);
}

void transfer(Archive& a, std::vector<bool>& flags) {
  for (std::size_t k = 0; k < flags.size(); ++k) {
    bool flag = flags[k];
    a(flag);
    flags[k] = flag;
  }
}

void transfer_tallies(Archive& a, RunData& data) {
  transfer(a, data.warnings);
  transfer(a, data.start);
  transfer(a, data.not_unique);
  a.fixed(data.residuals);
  a(data.shares_taken, data.accumulations, data.lowered_restitutions, data.penetration, data.penetration_before,
    data.contact_error, data.method_changes, data.resumed, data.nearest, data.met, data.violation, data.energy_balance,
    data.assembly);
  a(data.first_choice.y, data.first_choice.count, data.first_choice.left_out);
}

}  // namespace

void Run::transfer_whole(Archive& archive) {
  archive(at_);
  archive.fixed(parts_.integrated.y());
  transfer(archive);
  archive(parts_.recording);
  accepted_.transfer_tallies(archive);
  transfer_tallies(archive, parts_.data);
}

// Begins where transfer_whole() has left; what it does not hold follows from the options.
bool Run::resume() {
  Archive archive(*parts_.options.resume);
  transfer_whole(archive);
  CHECK(archive.good() && archive.at_end(), "what a run goes on from is what it has saved");
  const bool adaptive = parts_.options.chooses_steps();
  const double t = adaptive ? adaptive_->time() : time_of(at_);
  parts_.data.resumed.push_back({t, adaptive && adaptive_->begins_anew()});
  restart_fused();
  return true;
}

}  // namespace mbc::runtime
