// SPDX-License-Identifier: Apache-2.0
// The statements of a session in order: the replacement of old ones by new ones, and their text.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mbc/texts.h"

namespace mbc::tools {

inline constexpr const char* kModelHeader = "mbd 1\n";

struct Statement {
  std::string text;  // with the comments before it
  std::string word;
  std::vector<EntryItem> items;
  std::string origin{};  // the file it came from; "" if it was typed
};

// A declaration that was replaced.
struct Replaced {
  std::string name, before;  // "k", "param k = 2"
};

class Statements {
 public:
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] const Statement& operator[](std::size_t k) const { return *list_[k]; }
  [[nodiscard]] std::string text() const;  // a line or more each
  // Returns the first statement that declares an item with this key; size() if there is none.
  [[nodiscard]] std::size_t find(const std::string& key) const;

  // Removes the items that have a key of `added`, and returns them. The other items of their lists stay.
  std::vector<Replaced> make_room(const std::vector<Statement>& added);
  // Puts each statement in the place of those it replaces, or at the end.
  std::vector<Replaced> put(std::vector<Statement> added);
  // Removes the statements of a file.
  void remove_of(const std::string& origin);
  void replace(std::size_t k, Statement by);
  void clear() { list_.clear(); }

 private:
  std::vector<std::shared_ptr<const Statement>> list_;  // shared with the states of `:undo`
};

// Returns a statement in one line without comments and surrounding blanks, for messages.
[[nodiscard]] std::string in_one_line(const std::string& statement);

}  // namespace mbc::tools
