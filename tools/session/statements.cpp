// SPDX-License-Identifier: Apache-2.0
#include "tools/session/statements.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/text.h"

namespace mbc::tools {
namespace {

std::set<std::string> keys_of(const std::vector<Statement>& list) {
  std::set<std::string> keys;
  for (const Statement& s : list)
    for (const EntryItem& item : s.items)
      if (!item.key.empty()) keys.insert(item.key);
  return keys;
}

// Returns a statement with the remaining items of a list such as `param a = 1, b = 2`; the comments before it stay.
Statement of_items(const Statement& old, std::vector<EntryItem> left) {
  const std::size_t begin = old.text.find(old.word);
  Statement made{begin == std::string::npos ? "" : old.text.substr(0, begin), old.word, std::move(left), old.origin};
  for (const EntryItem& item : made.items)
    made.text += &item == made.items.data() ? item.text : ", " + trimmed(item.text.substr(old.word.size()));
  return made;
}

}  // namespace

std::string in_one_line(const std::string& statement) {
  std::istringstream lines(statement);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.empty() || line.starts_with("//")) continue;
    text += (text.empty() ? "" : " ") + line;
  }
  return printable(text, kExcerpt);
}

std::string Statements::text() const {
  std::string all;
  for (const auto& s : list_) all += s->text + "\n";
  return all;
}

std::size_t Statements::find(const std::string& key) const {
  const auto has = [&](const std::shared_ptr<const Statement>& s) {
    return std::any_of(s->items.begin(), s->items.end(), [&](const EntryItem& item) { return item.key == key; });
  };
  return static_cast<std::size_t>(std::find_if(list_.begin(), list_.end(), has) - list_.begin());
}

std::vector<Replaced> Statements::make_room(const std::vector<Statement>& added) {
  const std::set<std::string> keys = keys_of(added);
  std::vector<Replaced> gone;
  std::vector<std::shared_ptr<const Statement>> kept;
  for (const auto& s : list_) {
    std::vector<EntryItem> left;
    for (const EntryItem& item : s->items) {
      if (keys.contains(item.key))
        gone.push_back({item.name.empty() ? s->word : item.name, in_one_line(item.text)});
      else
        left.push_back(item);
    }
    if (left.size() == s->items.size())
      kept.push_back(s);
    else if (!left.empty())
      kept.push_back(std::make_shared<const Statement>(of_items(*s, std::move(left))));
  }
  list_ = std::move(kept);
  return gone;
}

std::vector<Replaced> Statements::put(std::vector<Statement> added) {
  std::vector<Replaced> all;
  for (Statement& one : added) {
    std::size_t at = list_.size();
    for (const EntryItem& item : one.items)
      if (const std::size_t k = item.key.empty() ? list_.size() : find(item.key); k < at) at = k;
    if (at < list_.size() && one.origin.empty()) one.origin = list_[at]->origin;
    const std::size_t before = list_.size();
    const bool alone = at < before && list_[at]->items.size() == 1;
    for (Replaced& r : make_room({one})) all.push_back(std::move(r));
    at = std::min(at + (at < before && !alone ? 1 : 0), list_.size());
    list_.insert(list_.begin() + static_cast<std::ptrdiff_t>(at), std::make_shared<const Statement>(std::move(one)));
  }
  return all;
}

void Statements::remove_of(const std::string& origin) {
  std::erase_if(list_, [&](const auto& s) { return s->origin == origin; });
}

void Statements::replace(std::size_t k, Statement by) { list_[k] = std::make_shared<const Statement>(std::move(by)); }

}  // namespace mbc::tools
