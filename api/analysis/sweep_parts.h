// SPDX-License-Identifier: Apache-2.0
// Parts of a sweep whose varied values change the structure of the model: each combination of such values is a part, a
// sweep over the other values. The class lists the parts and maps their members to those of the whole sweep.
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
  // fixed() returns the values that a part sets by `--set`. values() returns all varied values of one of its members.
  [[nodiscard]] std::vector<std::pair<std::string, double>> fixed(std::uint64_t part) const;
  [[nodiscard]] std::vector<double> values(std::uint64_t part, std::uint64_t member) const;
  // Returns the number of a part's member in the whole sweep; all numbers start at 0.
  [[nodiscard]] std::uint64_t place(std::uint64_t part, std::uint64_t member) const;
  // Returns the first and the last member of a part that are among the members `first` to `last` of the whole sweep,
  // all numbers from 1; zeros if there is none.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> members_between(std::uint64_t part, std::uint64_t first,
                                                                        std::uint64_t last) const;

 private:
  // Returns the index of the value of each name; the last name changes fastest, in the part and in the member.
  [[nodiscard]] std::vector<std::uint64_t> digits(std::uint64_t part, std::uint64_t member) const;

  std::vector<sema::Varied> varied_;
  std::uint64_t parts_ = 1, members_ = 1;
  bool shapes_anything_ = false;
};

// Returns a member whose values the model refuses: `part` is the result of compiling it.
[[nodiscard]] SweepMember impossible(const SweepResult& part, std::uint64_t place, std::vector<double> values);

// Passes members on in the order of their numbers, from `first` on, in whatever order they arrive.
class InOrder {
 public:
  InOrder(std::uint64_t first, SweepObserver take) : take_(std::move(take)), next_(first) {}
  // Returns false if the observer wants no more members.
  bool put(SweepMember member);

 private:
  SweepObserver take_;
  std::uint64_t next_;
  std::map<std::uint64_t, SweepMember> waiting_;
};

}  // namespace mbc::api
