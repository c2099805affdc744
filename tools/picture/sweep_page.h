// SPDX-License-Identifier: Apache-2.0
// A sweep as one HTML file: its rows as a map or as lines, and the motion of some members, each a page of its own
// (tools/picture/page.h) that a click opens inside.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::tools {

class SweepPage {
 public:
  static constexpr std::size_t kMostValues = 500'000;  // of all rows; members beyond are counted and not shown

  void begin(const SweepInfo& info) { info_ = info; }
  void member(const SweepMember& member);

  // Returns the numbers of the members whose motion is shown: all if there are at most `most`, else the points of a
  // coarser grid over the same ranges.
  [[nodiscard]] std::vector<std::uint64_t> chosen(std::size_t most) const;
  // Returns the values of a recorded member.
  [[nodiscard]] std::vector<double> values(std::uint64_t number) const;
  // Adds the motion of a member as page_data() returns it.
  void motion(std::uint64_t number, std::string data) { motions_[number] = std::move(data); }

  struct Facts {
    std::string file, title, summary;
    std::vector<std::string> set;  // settings as written, for the command that shows a member
  };
  [[nodiscard]] std::string page(const Facts& facts) const;

 private:
  [[nodiscard]] std::string data(const Facts& facts) const;

  SweepInfo info_;
  std::uint64_t members_ = 0;              // recorded members
  std::vector<double> varied_, recorded_;  // of the first members; nan if a member has none
  std::vector<std::uint8_t> statuses_;
  std::map<std::uint64_t, std::string> reasons_, motions_;
};

// "complete", "undefined", "inconsistent", "impossible", "stopped".
[[nodiscard]] const char* status_name(const SweepMember& member);

}  // namespace mbc::tools
