// SPDX-License-Identifier: Apache-2.0
// A sweep over what shapes the model: each combination of such values is a part, a sweep over the rest. This says which
// parts there are, and which members of the whole are theirs.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/sema/model.h"
#include "mbc/mbc.h"

namespace mbc::api {

class SweepParts {
 public:
  explicit SweepParts(const sema::Sweep& sweep);

  [[nodiscard]] bool any() const { return shapes_anything_; }
  [[nodiscard]] std::uint64_t count() const { return parts_; }
  [[nodiscard]] std::uint64_t members() const { return members_; }  // of each part
  // What has its value from `--set` in a part; the values of all that is varied in one of its members.
  [[nodiscard]] std::vector<std::pair<std::string, double>> fixed(std::uint64_t part) const;
  [[nodiscard]] std::vector<double> values(std::uint64_t part, std::uint64_t member) const;
  // The place of a member of a part in the whole sweep; all from 0.
  [[nodiscard]] std::uint64_t place(std::uint64_t part, std::uint64_t member) const;

 private:
  // The index of the value of each name, the last name fastest in the part and in the member.
  [[nodiscard]] std::vector<std::uint64_t> digits(std::uint64_t part, std::uint64_t member) const;

  std::vector<sema::Varied> varied_;
  std::uint64_t parts_ = 1, members_ = 1;
  bool shapes_anything_ = false;
};

// Members that come in any order leave in the order of their numbers.
class InOrder {
 public:
  explicit InOrder(SweepObserver take) : take_(std::move(take)) {}
  // False when the one who takes wants no more.
  bool put(SweepMember member);

 private:
  SweepObserver take_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, SweepMember> waiting_;
};

}  // namespace mbc::api
