// SPDX-License-Identifier: Apache-2.0
#include "api/analysis/sweep_parts.h"

#include <algorithm>

#include "api/analysis/sweep_member.h"
#include "base/check.h"

namespace mbc::api {

SweepParts::SweepParts(const sema::Sweep& sweep) : varied_(sweep.varied) {
  for (const sema::Varied& v : varied_) {
    (v.shapes ? parts_ : members_) *= v.combined();
    shapes_anything_ = shapes_anything_ || v.shapes;
  }
}

std::vector<std::uint64_t> SweepParts::digits(std::uint64_t part, std::uint64_t member) const {
  std::vector<std::uint64_t> out(varied_.size());
  for (std::size_t k = varied_.size(); k-- > 0;) {
    std::uint64_t& rest = varied_[k].shapes ? part : member;
    out[k] = rest % varied_[k].combined();
    rest /= varied_[k].combined();
  }
  for (std::size_t k = 0; k < varied_.size(); ++k)
    if (varied_[k].joined) out[k] = out[*varied_[k].joined];
  return out;
}

std::vector<std::pair<std::string, double>> SweepParts::fixed(std::uint64_t part) const {
  std::vector<std::pair<std::string, double>> out;
  const std::vector<double> values = this->values(part, 0);
  for (std::size_t k = 0; k < varied_.size(); ++k)
    if (varied_[k].shapes) out.emplace_back(varied_[k].name, values[k]);
  return out;
}

std::vector<double> SweepParts::values(std::uint64_t part, std::uint64_t member) const {
  std::vector<double> out;
  const std::vector<std::uint64_t> at = digits(part, member);
  for (std::size_t k = 0; k < varied_.size(); ++k) out.push_back(varied_[k].value(at[k]));
  return out;
}

std::uint64_t SweepParts::place(std::uint64_t part, std::uint64_t member) const {
  std::uint64_t out = 0;
  const std::vector<std::uint64_t> at = digits(part, member);
  for (std::size_t k = 0; k < varied_.size(); ++k) out = out * varied_[k].combined() + (varied_[k].joined ? 0 : at[k]);
  return out;
}

std::pair<std::uint64_t, std::uint64_t> SweepParts::members_between(std::uint64_t part, std::uint64_t first,
                                                                    std::uint64_t last) const {
  std::pair<std::uint64_t, std::uint64_t> out{0, 0};
  for (std::uint64_t k = 0; k < members_; ++k) {
    const std::uint64_t number = place(part, k) + 1;
    if (number < first || number > last) continue;
    if (out.first == 0) out.first = k + 1;
    out.second = k + 1;
  }
  return out;
}

SweepMember impossible(const SweepResult& part, std::uint64_t place, std::vector<double> values) {
  SweepMember out;
  out.number = place + 1;
  out.varied = std::move(values);
  out.status = Status::model_error;
  const auto is_error = [](const DiagnosticInfo& d) { return d.severity == Severity::error; };
  // An error about the value itself comes before its consequences.
  auto error = std::find_if(part.diagnostics.begin(), part.diagnostics.end(),
                            [&](const DiagnosticInfo& d) { return is_error(d) && d.place.file.starts_with("--set"); });
  if (error == part.diagnostics.end()) error = std::find_if(part.diagnostics.begin(), part.diagnostics.end(), is_error);
  CHECK(error != part.diagnostics.end(), "a model that cannot be compiled has an error");
  out.diagnostic = *error;
  out.reason = reason_of(*error);
  return out;
}

bool InOrder::put(SweepMember member) {
  waiting_.emplace(member.number, std::move(member));
  for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
    const SweepMember next = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    if (!take_(next)) return false;
  }
  return true;
}

}  // namespace mbc::api
