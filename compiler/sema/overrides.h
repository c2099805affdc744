// SPDX-License-Identifier: Apache-2.0
// What `--set` says, as the parts of an elaboration ask for it, and what could have been set, for suggestions.
//
// An argument of an instance that is set or varied from outside is data of the run, a parameter by its path: a sweep
// over it needs one compilation, and gives the bits of single runs. One that turns out to shape the model (a bound, a
// condition, an exponent) is a number again, and each value another compilation.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/name.h"
#include "compiler/sema/elaborate.h"

namespace mbc::sema {

class Overrides {
 public:
  Overrides(const std::vector<Override>& all, const std::set<std::string>& shaping) : all_(all), shaping_(shaping) {}

  // The last one of this path, or null; all of them are then used.
  [[nodiscard]] const Override* use(const std::string& path) const;
  [[nodiscard]] bool has(const std::string& path) const;
  [[nodiscard]] const std::vector<Override>& all() const { return all_; }

  // Parameters of components and those that shape the model: they can be set, and are no parameters of the run.
  void add_structural(Name path) { structural_.push_back(std::move(path)); }
  [[nodiscard]] const std::vector<Name>& structural() const { return structural_; }
  [[nodiscard]] std::vector<Name> take_structural() { return std::move(structural_); }

  // Something sets or varies it; and whether it may then be data.
  void wanted(const std::string& path) { wanted_.insert(path); }
  [[nodiscard]] bool any_wanted() const { return !wanted_.empty() || !all_.empty(); }
  [[nodiscard]] bool is_wanted(const std::string& path) const { return wanted_.contains(path) || has(path); }
  [[nodiscard]] bool shapes(const std::string& path) const { return shaping_.contains(path); }

  // The value is that of one member of a sweep which varies it.
  void of_member(const std::string& path) { of_member_.insert(path); }
  [[nodiscard]] bool is_of_member(const std::string& path) const { return of_member_.contains(path); }

  // Numbers among the values that shape the model can be varied; these are their dimensions.
  void add_number(const std::string& path, const Dimension& dimension) { numbers_[path] = dimension; }
  [[nodiscard]] const std::map<std::string, Dimension>& numbers() const { return numbers_; }

  // Reports what was set and is nothing; `file` is the scope of the file.
  void check_used(const Model& model, const Scope& file, Sink& sink) const;
  // Reports what was to be data and is none.
  void check_data(const Model& model, const std::vector<std::string>& wanted, Sink& sink) const;

 private:
  const std::vector<Override>& all_;
  const std::set<std::string>& shaping_;
  std::set<std::string> wanted_, of_member_;
  std::vector<Name> structural_;
  std::map<std::string, Dimension> numbers_;
};

}  // namespace mbc::sema
