// SPDX-License-Identifier: Apache-2.0
// The choices of `hide` and `show`, by which pictures of a model leave things out. A later one decides over an earlier
// one; none changes an equation or a column.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace mbc::sema {

class Visibility {
 public:
  // Chooses for one thing, "car.rod", or with the path of an instance, "car.", for all that is in it.
  void choose(const std::string& name, bool shown) { choices_.insert_or_assign(name, Choice{++count_, shown}); }

  // Returns whether pictures show the thing of this name.
  [[nodiscard]] bool shows(std::string_view name) const {
    Choice latest{0, true};
    const auto consider = [&](std::string_view chosen) {
      if (const auto found = choices_.find(chosen); found != choices_.end())
        latest = std::max(latest, found->second, [](const Choice& a, const Choice& b) { return a.order < b.order; });
    };
    if (choices_.empty()) return true;
    consider(name);
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
      consider(name.substr(0, dot + 1));
    return latest.shown;
  }

 private:
  struct Choice {
    std::size_t order;
    bool shown;
  };
  std::map<std::string, Choice, std::less<>> choices_;
  std::size_t count_ = 0;
};

}  // namespace mbc::sema
