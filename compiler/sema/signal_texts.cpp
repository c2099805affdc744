// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/signal_texts.h"

#include <algorithm>

namespace mbc::sema {

bool given_outside(const std::vector<Override>& overrides, const std::string& path) {
  return std::any_of(overrides.begin(), overrides.end(), [&](const Override& o) { return o.path == path; });
}

void SignalTexts::choose(const ast::Simulate* block, const std::vector<Override>& overrides,
                         const std::optional<std::vector<std::string>>& only) {
  const std::string prefix = kInputPrefix;
  const auto wanted = [&](const std::string& name) {
    return !only || std::find(only->begin(), only->end(), name) != only->end();
  };
  if (block) {
    block_ = block->name.name;
    for (const ast::Setting& s : block->settings)
      if (const std::string name = s.key.starts_with(prefix) ? s.key.substr(prefix.size()) : "";
          !name.empty() && s.value && wanted(name) && !given_outside(overrides, name))
        texts_[name] = {s.value.get(), nullptr};
  }
  const std::string here = block && !block_.empty() ? block_ + "." + prefix : prefix;  // `fine.input.` of one block
  for (const Override& o : overrides)
    for (const std::string& before : {prefix, here})
      if (const std::string name = o.path.starts_with(before) ? o.path.substr(before.size()) : "";
          !name.empty() && o.value && wanted(name))
        texts_[name] = {o.value, &o};
}

const SignalTexts::Text* SignalTexts::find(const std::string& input) const {
  const auto found = texts_.find(input);
  return found == texts_.end() ? nullptr : &found->second;
}

}  // namespace mbc::sema
