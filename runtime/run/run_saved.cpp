// SPDX-License-Identifier: Apache-2.0
// Saves and reads a run as bytes, with everything that is reported at its end.
#include <cmath>

#include "runtime/run/run.h"

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

// Saves what the summary reports of the rows at the start: which ones are independent.
void transfer(Archive& a, RankReport& start, std::size_t rows) {
  std::vector<RowState> states;
  for (const RowReport& row : start.rows) states.push_back(row.state);
  a(start.rank);
  a.fixed_or_empty(states, rows);
  a.expect(start.rank >= 0 && static_cast<std::size_t>(start.rank) <= rows);
  if (!a.reading()) return;
  start.rows.assign(states.size(), {});
  for (std::size_t k = 0; k < states.size(); ++k) start.rows[k].state = states[k];
}

void transfer(Archive& a, std::vector<bool>& flags) {
  for (std::size_t k = 0; k < flags.size(); ++k) {
    bool flag = flags[k];
    a(flag);
    flags[k] = flag;
  }
}

void transfer_tallies(Archive& a, RunData& data, const kernel::SystemLayout& layout) {
  transfer(a, data.warnings);
  transfer(a, data.start, layout.n_rows);
  transfer(a, data.not_unique);
  a.fixed(data.residuals);
  a(data.shares_taken, data.undecided, data.accumulations, data.lowered_restitutions, data.penetration,
    data.penetration_before, data.contact_error, data.backward, data.method_changes, data.resumed, data.nearest,
    data.met, data.violation, data.energy_balance, data.assembly);
  a(data.first_choice.y, data.first_choice.count, data.first_choice.left_out);
  a.expect(data.first_choice.fits(layout));
  a.expect(data.energy_balance.works.size() <= layout.n_works &&
           (!data.assembly.made || data.assembly.state.size() == layout.n_y()));
}

}  // namespace

void Run::transfer_whole(Archive& archive) {
  archive(at_);
  archive.fixed(state_.y());
  transfer(archive);
  archive(recording_);
  accepted_.transfer_tallies(archive);
  transfer_tallies(archive, state_.data(), state_.layout());
}

// Continues a run that transfer_whole() has saved; the options give the rest. Returns false if the bytes are not sound.
// This object must not be used then.
bool Run::resume() {
  Archive archive(*plan_.options().resume);
  transfer_whole(archive);
  if (!archive.good() || !archive.at_end() || at_ > plan_.options().steps) return false;
  if (!std::isfinite(time()) || !stands_at(time())) return false;
  state_.data().resumed.push_back({time(), adaptive_ && adaptive_->begins_anew()});
  restart_fused();
  return true;
}

}  // namespace mbc::runtime
