// SPDX-License-Identifier: Apache-2.0
// The statements of a session, in order: what a new one replaces, and the text they make.
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
  std::string origin{};  // the file it came from; "" what was typed
};

// What gave way to something new.
struct Replaced {
  std::string name, before;  // "k", "param k = 2"
};

class Statements {
 public:
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] const Statement& operator[](std::size_t k) const { return *list_[k]; }
  [[nodiscard]] std::string text() const;  // a line or more each
  // The first that declares something with this key; size() where none does.
  [[nodiscard]] std::size_t find(const std::string& key) const;

  // Takes out what has a key of `added`, and says what that was. The rest of its list stays.
  std::vector<Replaced> make_room(const std::vector<Statement>& added);
  // Puts each where what it replaces was, or to the end.
  std::vector<Replaced> put(std::vector<Statement> added);
  // Those that came from a file.
  void remove_of(const std::string& origin);
  void replace(std::size_t k, Statement by);
  void clear() { list_.clear(); }

 private:
  std::vector<std::shared_ptr<const Statement>> list_;  // shared with those that `:undo` goes back to
};

// Without comments and blanks around it, in one line: for messages.
[[nodiscard]] std::string in_one_line(const std::string& statement);

}  // namespace mbc::tools
