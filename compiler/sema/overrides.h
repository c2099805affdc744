// SPDX-License-Identifier: Apache-2.0
// The settings of `--set` as the parts of an elaboration ask for them, and the names that could have been set, for
// suggestions.
//
// An argument of an instance that is set or varied from outside becomes data of the run, a parameter by its path: a
// sweep over it needs one compilation, and gives the bits of single runs. If it turns out to shape the model (a bound,
// a condition, an exponent), it is a number again, and each value is another compilation.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/name.h"
#include "compiler/sema/elaborate.h"

namespace mbc::sema {

// An initial value that is set or varied by its path, or the reason why it cannot be.
struct VariedStart {
  NodeId target;  // not valid: there is a reason
  Dimension dimension;
  bool reported = false;     // a mistake in the path, or in what it names
  bool of_instance = false;  // the target is a coordinate, named as a member of an instance: `j.angle`
  std::string why, help;
};

class Overrides {
 public:
  Overrides(const std::vector<Override>& all, const std::set<std::string>& shaping) : all_(all), shaping_(shaping) {}

  // Returns the last setting of this path, or null; all settings of the path are marked as used.
  [[nodiscard]] const Override* use(const std::string& path) const;
  [[nodiscard]] bool has(const std::string& path) const;
  [[nodiscard]] const std::vector<Override>& all() const { return all_; }

  // Parameters of components and those that shape the model. They can be set, and are no parameters of the run.
  void add_structural(Name path) { structural_.push_back(std::move(path)); }
  [[nodiscard]] const std::vector<Name>& structural() const { return structural_; }
  [[nodiscard]] std::vector<Name> take_structural() { return std::move(structural_); }

  // Marks paths that something sets or varies; shapes() returns whether a path cannot be data.
  void wanted(const std::string& path) { wanted_.insert(path); }
  [[nodiscard]] bool any_wanted() const { return !wanted_.empty() || !all_.empty(); }
  [[nodiscard]] bool is_wanted(const std::string& path) const { return wanted_.contains(path) || has(path); }
  [[nodiscard]] bool shapes(const std::string& path) const { return shaping_.contains(path); }

  // Marks a path whose value is that of one member of a sweep over it.
  void of_member(const std::string& path) { of_member_.insert(path); }
  [[nodiscard]] bool is_of_member(const std::string& path) const { return of_member_.contains(path); }

  // The dimensions of the numbers among the values that shape the model; such numbers can be varied.
  void add_number(const std::string& path, const Dimension& dimension) { numbers_[path] = dimension; }
  [[nodiscard]] const std::map<std::string, Dimension>& numbers() const { return numbers_; }

  // The initial values among the paths that something sets or varies.
  void add_start(const std::string& path, VariedStart start) { starts_.emplace(path, std::move(start)); }
  [[nodiscard]] const VariedStart* start(const std::string& path) const {
    const auto found = starts_.find(path);
    return found == starts_.end() ? nullptr : &found->second;
  }
  // Returns whether something sets the initial value that a path names, by this name or another.
  [[nodiscard]] bool sets_start(const std::string& path) const;

  // Reports settings of unknown names; `file` is the scope of the file.
  void check_used(const Model& model, const Scope& file, Sink& sink) const;
  // Reports the names in `wanted` that are no data.
  void check_data(const Model& model, const std::vector<std::string>& wanted, Sink& sink) const;

 private:
  const std::vector<Override>& all_;
  const std::set<std::string>& shaping_;
  std::set<std::string> wanted_, of_member_;
  std::vector<Name> structural_;
  std::map<std::string, Dimension> numbers_;
  std::map<std::string, VariedStart> starts_;
};

}  // namespace mbc::sema
