// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/sweep_page.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tools/picture/page.h"
#include "tools/picture/viewer.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStatuses[] = {"complete", "undefined", "stopped", "inconsistent", "impossible"};

std::size_t status_of(const SweepMember& m) {
  if (m.status == Status::complete) return m.reason.empty() ? 0 : 1;
  if (m.status == Status::inconsistent) return 3;
  return m.status == Status::model_error ? 4 : 2;
}

// Returns `most` integers from 0 to count - 1, the first and the last among them.
std::vector<std::uint64_t> spread(std::uint64_t count, std::uint64_t most) {
  std::vector<std::uint64_t> out;
  if (most < 2) return {0};
  if (count <= most) most = count;
  for (std::uint64_t k = 0; k < most; ++k) out.push_back(most > 1 ? k * (count - 1) / (most - 1) : 0);
  return out;
}

// Returns by varied quantity how many of its values are combined with those of the others. What is drawn is drawn
// together: its first quantity stands for all.
std::vector<std::uint64_t> combined_counts(const SweepInfo& info) {
  std::vector<std::uint64_t> out;
  bool drawn = false;
  for (const VariedInfo& v : info.varied) {
    out.push_back(!v.drawn.empty() && drawn ? 1 : v.count);
    drawn = drawn || !v.drawn.empty();
  }
  return out;
}

}  // namespace

const char* status_name(const SweepMember& member) { return kStatuses[status_of(member)]; }

void SweepPage::member(const SweepMember& m) {
  const std::size_t values = info_.varied.size() + info_.records.size();
  ++members_;
  if ((statuses_.size() + 1) * values > kMostValues) return;
  varied_.insert(varied_.end(), m.varied.begin(), m.varied.end());
  recorded_.insert(recorded_.end(), m.recorded.begin(), m.recorded.end());
  recorded_.resize((statuses_.size() + 1) * info_.records.size(), std::numeric_limits<double>::quiet_NaN());
  if (!m.reason.empty()) reasons_[m.number] = m.reason;
  statuses_.push_back(static_cast<std::uint8_t>(status_of(m)));
}

std::vector<std::uint64_t> SweepPage::chosen(std::size_t most) const {
  const std::vector<std::uint64_t> all = combined_counts(info_);
  std::vector<std::uint64_t> counts(all.size(), 1);
  const auto product = [&] {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{1}, std::multiplies<>());
  };
  // Adds one value of each name in turn while the number of combinations is not larger than requested.
  for (bool grown = most > 0; grown;) {
    grown = false;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] >= all[k]) continue;
      if (++counts[k]; product() <= most)
        grown = true;
      else
        --counts[k];
    }
  }
  std::vector<std::uint64_t> numbers;
  if (most > 0) numbers.push_back(0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t before : numbers)
      for (const std::uint64_t index : spread(all[k], counts[k])) next.push_back(before * all[k] + index);
    numbers = std::move(next);
  }
  for (std::uint64_t& n : numbers) ++n;
  std::erase_if(numbers, [&](std::uint64_t n) { return n > statuses_.size() || statuses_[n - 1] == 4; });
  return numbers;
}

std::vector<double> SweepPage::values(std::uint64_t number) const {
  const std::size_t n = info_.varied.size();
  const auto begin = varied_.begin() + static_cast<std::ptrdiff_t>((number - 1) * n);
  return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

std::string SweepPage::data(const Facts& facts) const {
  Json j = {{"format", 1},
            {"mbc", version()},
            {"file", facts.file},
            {"title", facts.title},
            {"name", info_.name},
            {"simulation", info_.simulation},
            {"members", info_.members},
            {"made", members_},
            {"shown", statuses_.size()}};
  j["summary"] = facts.summary;
  j["set"] = facts.set;
  j["varied"] = Json::array();
  const std::vector<std::uint64_t> counts = combined_counts(info_);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const VariedInfo& v = info_.varied[k];
    j["varied"].push_back({{"name", v.quantity.name},
                           {"unit", v.quantity.unit},
                           {"description", v.quantity.description},
                           {"in_unit", v.factor != 1},
                           {"count", counts[k]},
                           {"drawn", v.drawn}});
  }
  j["records"] = Json::array();
  for (const Quantity& q : info_.records) j["records"].push_back({{"name", q.name}, {"unit", q.unit}});
  j["values"] = base64(bytes_of(varied_));
  j["recorded"] = base64(bytes_of(recorded_));
  j["statuses"] = kStatuses;
  j["status"] = base64(bytes_of(statuses_));
  j["reasons"] = Json::object();
  for (const auto& [number, reason] : reasons_) j["reasons"][std::to_string(number)] = reason;
  j["viewer"] = viewer_page();
  return embedded(j.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::string SweepPage::page(const Facts& facts) const {
  std::string motions;
  for (const auto& [number, data] : motions_)
    motions += "<script type=\"application/json\" id=\"member-" + std::to_string(number) + "\">" + data + "</script>\n";
  const std::string title = facts.file == "-" ? "mbc" : facts.file.substr(facts.file.rfind('/') + 1);
  return page_of(sweep_page(), title, data(facts), motions);
}

}  // namespace mbc::tools
